"""Pretraining a biLM (lesson 07): text, objective, softmax, the run and its record."""
