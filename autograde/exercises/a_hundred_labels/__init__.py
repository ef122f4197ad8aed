"""The exercises of lesson 15, a hundred labels."""

LESSON = "15_a_hundred_labels"
EXERCISES = (
    "learn_and_answer",
    "sentence_vectors",
    "choose",
    "paired_interval",
    "em",
    "broken_reports",
    "hand_in",
    "split",
    "texts_needed",
)
