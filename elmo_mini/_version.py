"""The version of the course and of its package."""

__version__ = "0.1.0"
