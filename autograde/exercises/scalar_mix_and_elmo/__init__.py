"""The exercises of lesson 08, ScalarMix and ELMo."""

LESSON = "08_scalar_mix_and_elmo"
EXERCISES = (
    "scalar_mix",
    "layer_norm",
    "mix_gradient",
    "without_boundaries",
)
