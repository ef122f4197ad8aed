"""Lesson 04: experiments on pretrained classifiers and sequence-to-sequence models."""
