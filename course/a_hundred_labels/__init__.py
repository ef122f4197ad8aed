"""Lesson 15: tasks, methods and protocol of the capstone."""
