"""The bidirectional language model (lesson 07): projected LSTMs that read both ways.

`plain` is the one to read first; `model` is the one that programs use.
"""

from elmo_mini.bilm.model import BiLM
from elmo_mini.bilm.options import BiLMOptions
from elmo_mini.bilm.projected_lstm import ProjectedLSTM

__all__ = ["BiLM", "BiLMOptions", "ProjectedLSTM"]
