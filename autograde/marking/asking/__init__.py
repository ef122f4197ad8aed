"""Asking a function in another process: what crosses is typed, bounded, and never unpickled."""
