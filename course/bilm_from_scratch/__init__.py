"""Lesson 07: experiments, broken runs and figures on the bidirectional language model."""
