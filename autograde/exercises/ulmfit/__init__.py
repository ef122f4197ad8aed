"""The exercises of lesson 11, ULMFiT."""

LESSON = "11_ulmfit"
EXERCISES = (
    "slanted_triangular",
    "parameter_groups",
    "fine_tune",
    "concat_pool",
    "broken_tunings",
    "read_in_chunks",
    "chain_thaw",
)
