"""The exercises of lesson 15, a hundred labels."""

LESSON = "15_a_hundred_labels"
EXERCISES = (
    "learn_and_answer",
    "choose",
    "broken_reports",
    "hand_in",
    "paired_interval",
    "split",
    "texts_needed",
)
