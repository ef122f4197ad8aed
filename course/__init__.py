"""What the lessons need besides the models: texts, experiments, figures and stored results."""
