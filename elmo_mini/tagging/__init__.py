"""Sequence labelling (lesson 05): spans, the CRF, TagLM and its training."""
