"""Static word vectors (lessons 01 and 02): word2vec, GloVe, fastText, and their ceiling."""
