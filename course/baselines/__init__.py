"""Baselines without a network that several lessons share."""
