"""What trainings of small models share (lessons 03 to 05)."""
