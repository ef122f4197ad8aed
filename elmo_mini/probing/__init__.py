"""Probing (lesson 09): simple classifiers on frozen layers, their tasks, neighbours in context."""
