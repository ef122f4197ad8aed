"""The commands of ``python -m elmo_mini``."""
