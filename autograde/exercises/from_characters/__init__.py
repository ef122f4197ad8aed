"""The exercises of lesson 06, from characters."""

LESSON = "06_from_characters"
EXERCISES = (
    "character_ids",
    "convolve",
    "highway",
    "highway_slope",
    "CharCNN",
    "broken_encoders",
    "common_ending",
)
