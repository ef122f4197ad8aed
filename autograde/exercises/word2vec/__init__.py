"""The exercises of lesson 01, word2vec with negative sampling."""

LESSON = "01_word2vec"
EXERCISES = (
    "text_to_ids",
    "dynamic_window_pairs",
    "noise_distribution",
    "sgns_loss",
    "sgns_gradients",
    "sgns_step",
    "train_skip_gram",
    "nearest",
    "broken_vectors",
    "shifted_pmi",
    "keep_probability",
    "softmax_cost",
)
