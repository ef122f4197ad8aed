"""Attention, the block, and what is built of it (lessons 12 and 13)."""
