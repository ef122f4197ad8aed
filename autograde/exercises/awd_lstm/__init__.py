"""The exercises of lesson 10, AWD-LSTM."""

LESSON = "10_awd_lstm"
EXERCISES = (
    "locked_dropout",
    "WeightDrop",
    "tied_gradient",
    "train_epoch",
    "broken_weight_drop",
    "embedding_dropout",
    "awd_loss",
    "averaging_is_due",
)
