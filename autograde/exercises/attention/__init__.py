"""The exercises of lesson 13, attention."""

LESSON = "13_attention"
EXERCISES = (
    "one_head",
    "MultiHead",
    "Block",
    "CausalLM",
    "causal_mask",
    "PreNormBlock",
    "broken_heads",
    "attend_next",
    "dot_moments",
)
