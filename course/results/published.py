"""Tables that BERT's paper prints, as numbers to compute with.

Devlin et al. 2019, arXiv:1810.04805 in its second version, which is the one of NAACL. The
first version, of October 2018, has other numbers for QNLI and for the averages.
"""

from collections.abc import Mapping

import numpy as np

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
