"""The exercises of lesson 03, context enters."""

LESSON = "03_context_enters"
EXERCISES = (
    "draw_word",
    "stream_rows",
    "next_word_windows",
    "slope_left",
    "LSTM",
    "LanguageModel",
    "masked_cross_entropy",
    "perplexity",
    "train_windows",
    "broken_readers",
    "around_target",
)
