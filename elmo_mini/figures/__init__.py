"""The figures of the course, each with a description made from its data."""
