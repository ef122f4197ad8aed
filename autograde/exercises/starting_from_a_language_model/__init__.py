"""The exercises of lesson 04, starting from a language model."""

LESSON = "04_starting_from_a_language_model"
EXERCISES = (
    "go_on",
    "by_surprise",
    "LSTMClassifier",
    "start_from",
    "tune_and_watch",
    "safe_weight",
    "attend",
    "decode_step",
    "broken_translators",
    "autoencoder_steps",
)
