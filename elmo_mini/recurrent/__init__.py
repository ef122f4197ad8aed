"""Recurrent language models and what starts from them (lessons 03 and 04)."""
