"""Lesson 10: experiments and figures on AWD-LSTM."""
