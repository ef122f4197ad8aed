"""The exercises of lesson 13, attention."""

LESSON = "13_attention"
EXERCISES = (
    "one_head",
    "MultiHead",
    "Block",
    "CausalLM",
    "only_back",
    "continue_text",
    "dot_moments",
    "broken_heads",
)
