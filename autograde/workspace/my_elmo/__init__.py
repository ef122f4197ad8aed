"""An ELMo of one's own: words in, vectors in context out. README.md says how to use it."""

from my_elmo.elmo import ELMo

__all__ = ["ELMo"]
