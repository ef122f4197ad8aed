"""Lesson 01: experiments, broken runs and figures on word2vec."""
