"""What the wrong cases of an answer have in common, for answers that make no named mistake."""
