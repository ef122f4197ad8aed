"""AWD-LSTM: a word LSTM language model that is kept from learning its text by heart (lesson 10)."""
