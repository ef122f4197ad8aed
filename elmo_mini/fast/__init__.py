"""Products and weights laid out for speed; no lesson needs to read them."""
