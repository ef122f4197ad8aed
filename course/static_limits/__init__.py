"""Lesson 02: experiments and figures on what static vectors cannot do."""
