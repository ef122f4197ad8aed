"""The full-size experiments, one command each, which write to `elmo_mini.results`."""
