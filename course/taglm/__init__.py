"""Lesson 05: experiments, broken CRFs and figures on TagLM."""
