"""Lesson 00: its figure."""
