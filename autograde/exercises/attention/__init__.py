"""The exercises of lesson 13, attention."""

LESSON = "13_attention"
EXERCISES = (
    "one_head",
    "dot_moments",
    "MultiHead",
    "Block",
    "only_back",
    "continue_text",
    "broken_heads",
)
