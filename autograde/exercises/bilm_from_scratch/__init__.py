"""The exercises of lesson 07, a bidirectional language model from scratch."""

LESSON = "07_bilm_from_scratch"
EXERCISES = (
    "TwoWay",
    "fit",
    "lstm_step",
    "reverse_each",
    "BiLM",
    "bilm_loss",
    "moved",
    "broken_runs",
    "memory_left",
)
