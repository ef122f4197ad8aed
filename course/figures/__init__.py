"""The figures of the course, each with a description made from its data."""

from elmo_mini.extras import brought_by

with brought_by("experiments"):
    import matplotlib  # noqa: F401
    import PIL  # noqa: F401
