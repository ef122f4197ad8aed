"""The bidirectional language model (lesson 07): projected LSTMs that read both ways."""

from elmo_mini.bilm.model import BiLM
from elmo_mini.bilm.options import BiLMOptions
from elmo_mini.bilm.projected_lstm import ProjectedLSTM

__all__ = ["BiLM", "BiLMOptions", "ProjectedLSTM"]
