"""The exercises of lesson 07, a bidirectional language model from scratch."""

LESSON = "07_bilm_from_scratch"
EXERCISES = (
    "TwoWay",
    "bilm_loss",
    "fit",
    "lstm_step",
    "memory_left",
    "reverse_each",
    "BiLM",
    "moved",
    "broken_runs",
)
