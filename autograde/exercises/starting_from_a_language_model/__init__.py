"""The exercises of lesson 04, starting from a language model."""

LESSON = "04_starting_from_a_language_model"
EXERCISES = ("autoencoder_steps", "start_from", "attend")
