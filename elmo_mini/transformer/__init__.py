"""Training, files, text and task heads of the masked and the causal language model."""
