"""Lesson 03: broken runs, probes and figures on LSTM language models."""
