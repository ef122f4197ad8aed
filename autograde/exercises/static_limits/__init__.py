"""The exercises of lesson 02, what a static vector cannot do."""

LESSON = "02_static_limits"
EXERCISES = (
    "cooccurrence_counts",
    "glove_loss",
    "train_glove",
    "broken_counts",
    "position",
    "majority_ceiling",
    "context_vector",
    "fit_reader",
    "character_ngrams",
    "subword_vector",
    "merge_words",
)
