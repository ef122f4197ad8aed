"""Vectors of whole texts (lesson 09): streamed, written to files, cached on disk."""
