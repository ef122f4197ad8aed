"""The exercises of lesson 08, ScalarMix and ELMo."""

LESSON = "08_scalar_mix_and_elmo"
EXERCISES = ("scalar_mix", "ScalarMix", "without_boundaries", "embed", "find_fault", "mix_gradient")
