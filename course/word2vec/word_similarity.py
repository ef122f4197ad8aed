"""WordSim-353: rank correlation of cosine similarity and human judgement; its file is in gensim."""

from functools import cache
from pathlib import Path

from scipy import stats

from elmo_mini.extras import brought_by
from elmo_mini.word_vectors.table import WordVectors

with brought_by("experiments"):
    from gensim.test.utils import datapath


@cache
def judged_pairs() -> tuple[tuple[str, str, float], ...]:
    """Pairs of words in lower case, with the mean of people's marks from 0 to 10."""
    lines = Path(datapath("wordsim353.tsv")).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return tuple((row[0].lower(), row[1].lower(), float(row[2])) for row in rows)


def agreement(vectors: WordVectors, least: int = 1) -> tuple[int, float]:
    """How many judged pairs the vectors know, and Spearman's correlation of cosine and judgement.

    Only pairs count whose words both occurred at least ``least`` times.

    Raises
    ------
    ValueError
        If there are fewer than three such pairs.
    """
    words = vectors.vocabulary
    known = [
        (first, second, mark)
        for first, second, mark in judged_pairs()
        if all(w in words and words.counts[words.id(w)] >= least for w in (first, second))
    ]
    if len(known) < 3:
        raise ValueError(f"only {len(known)} judged pairs have both words {least} times")
    cosines = [vectors.similarity(first, second) for first, second, _ in known]
    marks = [mark for *_, mark in known]
    return len(known), float(stats.spearmanr(cosines, marks).statistic)
