"""The exercises of lesson 05, TagLM."""

LESSON = "05_taglm"
EXERCISES = (
    "spans_of",
    "span_f1",
    "path_score",
    "log_partition",
    "viterbi",
    "may_follow",
    "transition_slope",
    "CRF",
    "broken_crfs",
    "with_lm",
)
