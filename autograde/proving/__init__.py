"""Proving an exercise: its own promises, and what its checks say of slips nobody named."""
