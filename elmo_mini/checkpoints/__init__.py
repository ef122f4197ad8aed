"""Weights in files (lessons 07 and 08): safetensors, the official format, the course's own."""
