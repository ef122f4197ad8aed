"""The reference models of the lessons, one idea a page; they import torch and numpy alone."""
