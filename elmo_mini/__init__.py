"""elmo_mini: the road from word2vec to ELMo, one module per idea."""

__version__ = "0.1.0"
