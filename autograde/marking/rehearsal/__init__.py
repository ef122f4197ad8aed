"""Made submissions of a lesson, and the marks that they must earn."""
