"""The wall in front of every static vector: the commonest sense of each word.

Whoever sees only a word's one vector sees the same in every sentence, and must give the same
answer in every sentence. The best such answer is the commonest sense.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence


def majority_ceiling(words: Sequence[str], senses: Sequence[str]) -> float:
    """The largest share of occurrences that any rule from word to sense can label right.

    Parameters
    ----------
    words : what the rule sees of each of N occurrences, such as the word as spelt
    senses : the right answer for each

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
