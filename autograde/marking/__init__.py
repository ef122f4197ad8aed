"""Marks of a class: collected, judged where no student's code runs, and handed back."""
