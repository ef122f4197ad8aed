"""BLEU, as NLTK counts it (Papineni et al. 2002, P02-1040)."""

from collections.abc import Sequence

from elmo_mini.extras import brought_by

with brought_by("experiments"):
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu


def bleu(said: Sequence[Sequence[int]], references: Sequence[Sequence[int]]) -> float:
    """Corpus BLEU-4 from 0 to 1, one reference each (NLTK; a zero count becomes 0.1)."""
    smooth = SmoothingFunction().method1
    return float(
        corpus_bleu(
            [[list(r)] for r in references], list(map(list, said)), smoothing_function=smooth
        )
    )
