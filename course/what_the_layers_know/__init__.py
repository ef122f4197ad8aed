"""Lesson 09: probing experiments, layer by layer."""
