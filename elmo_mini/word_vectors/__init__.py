"""Static word vectors (lessons 01 and 02): trainers of word2vec and GloVe, tables of vectors."""
