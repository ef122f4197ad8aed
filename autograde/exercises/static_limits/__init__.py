"""The exercises of lesson 02, what a static vector cannot do."""

LESSON = "02_static_limits"
EXERCISES = (
    "cooccurrence_counts",
    "glove_weight",
    "glove_loss",
    "character_ngrams",
    "subword_vector",
    "merge_words",
    "majority_ceiling",
)
