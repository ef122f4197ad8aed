"""The exercises of lesson 05, TagLM."""

LESSON = "05_taglm"
EXERCISES = (
    "path_score",
    "log_partition",
    "transition_slope",
    "viterbi",
    "may_follow",
    "CRF",
    "broken_crfs",
    "with_lm",
    "spans_of",
    "span_f1",
)
