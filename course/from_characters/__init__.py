"""Lesson 06: experiments and figures on character-based word vectors."""
