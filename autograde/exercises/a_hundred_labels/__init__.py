"""The exercises of lesson 15, a hundred labels."""

LESSON = "15_a_hundred_labels"
EXERCISES = (
    "split",
    "learn_and_answer",
    "choose",
    "paired_interval",
    "texts_needed",
    "broken_reports",
    "hand_in",
)
