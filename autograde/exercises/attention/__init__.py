"""The exercises of lesson 13, attention."""

LESSON = "13_attention"
EXERCISES = (
    "one_head",
    "dot_moments",
    "MultiHead",
    "Block",
    "causal_mask",
    "broken_heads",
    "CausalLM",
    "continue_text",
)
