"""Language models trained and used, and tasks that start from one (lessons 03 and 04)."""
