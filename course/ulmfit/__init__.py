"""Lesson 11: experiments and figures on ULMFiT."""
