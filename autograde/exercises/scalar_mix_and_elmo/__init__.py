"""The exercises of lesson 08, ScalarMix and ELMo."""

LESSON = "08_scalar_mix_and_elmo"
EXERCISES = (
    "scalar_mix",
    "mix_gradient",
    "ScalarMix",
    "train_mix",
    "without_boundaries",
    "embed",
    "read_on",
    "find_fault",
    "errors_gone",
)
