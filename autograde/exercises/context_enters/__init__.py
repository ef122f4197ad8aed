"""The exercises of lesson 03, context enters."""

LESSON = "03_context_enters"
EXERCISES = (
    "stream_rows",
    "next_word_windows",
    "masked_cross_entropy",
    "perplexity",
    "around_target",
)
