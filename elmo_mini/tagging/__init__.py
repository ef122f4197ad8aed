"""Sequence labelling (lessons 05 and 09): spans, taggers and their training."""
