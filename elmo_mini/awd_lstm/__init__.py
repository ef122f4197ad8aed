"""Options, training and files of the AWD-LSTM (`elmo_mini.models.awd_lstm`)."""
