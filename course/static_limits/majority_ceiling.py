"""Majority-sense accuracy: the upper bound for one vector per word.

A classifier that sees only a word's one vector gives the same sense in every sentence. The best
such sense is the word's most frequent one.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence


def majority_ceiling(words: Sequence[str], senses: Sequence[str]) -> float:
    """The largest share of occurrences that any rule from word to sense can label right.

    Parameters
    ----------
    words : what the rule sees of each of N occurrences, such as the word as spelt
    senses : the gold label of each

    Raises
    ------
    ValueError
        If there are no occurrences, or the lengths differ.
    """
    if not len(words) or len(words) != len(senses):
        raise ValueError(f"need as many senses as words, got {len(words)} and {len(senses)}")
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word, sense in zip(words, senses, strict=True):
        seen[word][sense] += 1
    return sum(max(counts.values()) for counts in seen.values()) / len(words)
