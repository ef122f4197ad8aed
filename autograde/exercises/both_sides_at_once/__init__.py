"""The exercises of lesson 12, both sides at once."""

LESSON = "12_both_sides_at_once"
EXERCISES = (
    "corrupt",
    "pad_rows",
    "train_blanks",
    "broken_blanks",
    "pack",
    "sentence_pairs",
    "best_log_odds",
)
