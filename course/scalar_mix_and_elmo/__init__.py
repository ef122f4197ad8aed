"""Lesson 08: experiments and figures on ScalarMix and ELMo."""
