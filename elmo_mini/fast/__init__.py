"""`elmo_mini.models.elmo` once more, laid out for speed; no lesson needs to read it."""
