"""Lesson 14: experiments and figures on pretraining and fine-tuning."""
