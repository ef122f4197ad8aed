"""The exercises of lesson 11, ULMFiT."""

LESSON = "11_ulmfit"
EXERCISES = (
    "slanted_triangular",
    "parameter_groups",
    "fine_tune",
    "concat_pool",
    "read_in_chunks",
    "chain_thaw",
    "broken_tunings",
)
