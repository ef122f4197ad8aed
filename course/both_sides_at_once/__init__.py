"""Lesson 12: experiments and figures on masked language models."""
