"""Results of full-size experiments, stored with the command that made them."""
