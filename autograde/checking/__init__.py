"""Holding an answer to an exercise: cases, judge, report, predictions."""
