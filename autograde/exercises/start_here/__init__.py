"""The exercises of lesson 00, start here."""

LESSON = "00_start_here"
EXERCISES = ("relative_frequency", "share_once")
