"""The exercises of lesson 03, context enters."""

LESSON = "03_context_enters"
EXERCISES = (
    "draw_word",
    "next_word_windows",
    "slope_left",
    "LSTM",
    "LanguageModel",
    "masked_cross_entropy",
    "train_windows",
    "broken_readers",
    "around_target",
    "stream_rows",
    "perplexity",
)
