"""The process that runs a student's code, and what it can see and take."""
