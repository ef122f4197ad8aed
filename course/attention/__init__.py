"""Lesson 13: experiments and figures on attention."""
