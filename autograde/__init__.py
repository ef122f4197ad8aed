"""autograde: exercises whose checks name the mistake."""
