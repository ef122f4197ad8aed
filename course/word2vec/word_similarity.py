"""WordSim-353: pairs of words whose similarity people judged; its file is in gensim."""

from functools import cache
from pathlib import Path

from elmo_mini.extras import brought_by

with brought_by("experiments"):
    from gensim.test.utils import datapath


@cache
def judged_pairs() -> tuple[tuple[str, str, float], ...]:
    """Pairs of words in lower case, with the mean of people's marks from 0 to 10."""
    lines = Path(datapath("wordsim353.tsv")).read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return tuple((row[0].lower(), row[1].lower(), float(row[2])) for row in rows)
