"""Transformers that read both sides at once: a masked language model, and what it is made of."""
