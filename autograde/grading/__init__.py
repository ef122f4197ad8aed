"""nbgrader with the course's settings."""
