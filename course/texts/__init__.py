"""Texts and labelled tasks that several lessons share."""
