"""Tables that BERT's and ELMo's papers print, as numbers to compute with.

BERT: Devlin et al. 2019, arXiv:1810.04805 in its second version, which is the one of NAACL. The
first version, of October 2018, has other numbers for QNLI and for the averages; `FIRST_VERSION`
keeps them. ELMo: Peters et al. 2018, N18-1202, table 1.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

GLUE_TASKS = ("MNLI", "QQP", "QNLI", "SST-2", "CoLA", "STS-B", "MRPC", "RTE")
"""MNLI matched; QQP and MRPC in F1, CoLA in Matthews' and STS-B in Spearman's correlation."""

GLUE: Mapping[str, tuple[float, ...]] = {
    "best before GPT": (80.6, 66.1, 82.3, 93.2, 35.0, 81.0, 86.0, 61.7),
    "BiLSTM+ELMo+Attn": (76.4, 64.8, 79.8, 90.4, 36.0, 73.3, 84.9, 56.8),
    "GPT": (82.1, 70.3, 87.4, 91.3, 45.4, 80.0, 82.3, 56.0),
    "BERT-base": (84.6, 71.2, 90.5, 93.5, 52.1, 85.8, 88.9, 66.4),
    "BERT-large": (86.7, 72.1, 92.7, 94.9, 60.5, 86.5, 89.3, 70.1),
}
"""Table 1 of BERT's paper, test."""

GLUE_AVERAGE = {
    "best before GPT": 74.0,
    "BiLSTM+ELMo+Attn": 71.0,
    "GPT": 75.1,
    "BERT-base": 79.6,
    "BERT-large": 82.1,
}
"""As the table prints it: both halves of MNLI count, WNLI is left out."""

FIRST_VERSION = {
    "QNLI": {"BiLSTM+ELMo+Attn": 79.9, "GPT": 88.1, "BERT-base": 90.1, "BERT-large": 91.1},
    "average": {"GPT": 75.2, "BERT-large": 81.9},
}

SQUAD: Mapping[str, tuple[float, float]] = {
    "BiDAF+ELMo": (85.6, 85.8),
    "BERT-large + TriviaQA": (91.1, 91.8),
    "7 BERT-large + TriviaQA": (92.2, 93.2),
}
"""Table 2, version 1.1, F1 on dev and test; a person 91.2 on the test."""
SQUAD_PERSON = 91.2

SWAG = {
    "ESIM+GloVe": 52.7,
    "ESIM+ELMo": 59.2,
    "GPT": 78.0,
    "BERT-large": 86.3,
    "one expert": 85.0,
    "five annotations": 88.0,
}
"""Table 4, test; the people on 100 examples."""

NER = {
    "ELMo": (95.7, 92.2),
    "CVT": (np.nan, 92.6),
    "CSE (Flair)": (np.nan, 93.1),
    "BERT-base": (96.4, 92.4),
    "BERT-large": (96.6, 92.8),
}
"""Table 7, CoNLL-2003, F1 on dev and test."""

NER_FEATURES = {
    "word vectors alone": 91.0,
    "last layer": 94.9,
    "second to last": 95.6,
    "weighted sum of all 12": 95.5,
    "weighted sum of 4": 95.9,
    "last 4 side by side": 96.1,
    "fine-tuned": 96.4,
}
"""Table 7, BERT-base on dev: frozen, read by a BiLSTM, and fine-tuned."""

ELMO: Mapping[str, tuple[float, float]] = {
    "SQuAD": (81.1, 85.8),
    "SNLI": (88.0, 88.7),
    "SRL": (81.4, 84.6),
    "coreference": (67.2, 70.4),
    "NER": (90.15, 92.22),
    "SST-5": (51.4, 54.7),
}
"""ELMo's table 1: the authors' baseline, and with ELMo."""


def error_reduction(before: ArrayLike, after: ArrayLike) -> NDArray[np.float64]:
    """How much of the error is gone, in percent of the error before; scores run to 100."""
    was, now = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    return 100 * (now - was) / (100 - was)
