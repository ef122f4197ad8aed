"""Exercise `majority_ceiling`: the ceiling of a static vector."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from autograde.checking.exercise import (
    Case,
    Exercise,
    Inputs,
    Mistake,
)
from autograde.exercises.static_limits import LESSON
from elmo_mini.word_vectors import majority_ceiling


def _drawn_senses(rng: np.random.Generator) -> Inputs:
    words, senses = [], []
    for word, counts in (("hard", (9, 2, 1)), ("line", (3, 5, 4)), ("serve", (14, 13, 2))):
        for number, count in enumerate(counts):
            count += int(rng.integers(3))
            words += [word] * count
            senses += [f"{word}.{number}"] * count
    # 89 occurrences: a prime, so that no share is a round number
    words += ["plant"] * (89 - len(words))
    senses += ["plant.0"] * (89 - len(senses))
    order = rng.permutation(len(words))
    return {"words": [words[i] for i in order], "senses": [senses[i] for i in order]}


def _by_word(words: Sequence[str], senses: Sequence[str]) -> list[Counter[str]]:
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word, sense in zip(words, senses, strict=True):
        seen[word][sense] += 1
    return list(seen.values())


def _share_named(words: Sequence[str], senses: Sequence[str], *, first: bool) -> float:
    """The share right when each word gets the first, or the last, of its senses in the list."""
    pairs = list(zip(words, senses, strict=True))
    named = dict(reversed(pairs) if first else pairs)
    return sum(named[word] == sense for word, sense in pairs) / len(pairs)


def _ceiling_by_pairs(words: Sequence[str], senses: Sequence[str]) -> float:
    pairs = Counter(zip(words, senses, strict=True))
    best = {word: max(n for (w, _), n in pairs.items() if w == word) for word in set(words)}
    return sum(best.values()) / sum(pairs.values())


def _ceiling_by_table(words: Sequence[str], senses: Sequence[str]) -> float:
    _, rows = np.unique(words, return_inverse=True)
    _, columns = np.unique(senses, return_inverse=True)
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1)
    return float(table.max(1).sum() / len(words))


def _share_of(words: Sequence[str], senses: Sequence[str], best: Callable[..., int]) -> float:
    return sum(best(counts.values()) for counts in _by_word(words, senses)) / len(words)


def _on_the_way(inputs: Inputs) -> dict[str, float]:
    words = inputs["words"]
    return {
        "the share of one occurrence": 1 / len(words),
        "the number of occurrences": len(words),
        "the number of different words": len(set(words)),
    }


EXERCISE = Exercise(
    id="majority_ceiling",
    title="The ceiling of a static vector",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=majority_ceiling.majority_ceiling,
    on_the_way=_on_the_way,
    rtol=1e-6,
    cases=(
        Case(
            "one word, two senses",
            lambda rng: {"words": ["bank"] * 3, "senses": ["river", "money", "money"]},
        ),
        Case("three words", _drawn_senses, weight=2),
        Case(
            "two spellings of one word",
            lambda rng: {
                "words": ["interest"] * 3 + ["interests"] * 4,
                "senses": ["rate", "rate", "share", "rate", "share", "share", "share"],
            },
        ),
        Case(
            "a capital is another spelling",
            lambda rng: {
                "words": ["china", "China", "china", "China", "China", "china"],
                "senses": ["plates", "country", "plates", "country", "plates", "country"],
            },
        ),
        Case(
            "words with one sense only, and fewer senses than words",
            lambda rng: {"words": ["u", "v", "v", "w"], "senses": ["1", "2", "2", "1"]},
            edge=True,
        ),
    ),
    mistakes=(
        Mistake(
            "one answer for all words",
            lambda words, senses: Counter(senses).most_common(1)[0][1] / len(senses),
            "You take the commonest sense of the whole list. Each word may have its own answer.",
            hint=2,
        ),
        Mistake(
            "the mean over the words",
            lambda words, senses: float(
                np.mean([max(c.values()) / c.total() for c in _by_word(words, senses)])
            ),
            "You average one share per word, so a rare word counts as much as a frequent one. "
            "Count occurrences: right ones over all.",
            hint=3,
        ),
        Mistake(
            "the number, not the share",
            lambda words, senses: float(sum(max(c.values()) for c in _by_word(words, senses))),
            "This is how many occurrences are right. Divide by how many there are.",
            hint=3,
        ),
        Mistake(
            "chance",
            lambda words, senses: (
                sum(c.total() / len(c) for c in _by_word(words, senses)) / len(words)
            ),
            "This is what guessing gets: one over the number of senses. A rule that always names "
            "the commonest sense does better.",
            hint=1,
        ),
        Mistake(
            "only the best word",
            lambda words, senses: (
                max(max(c.values()) for c in _by_word(words, senses)) / len(words)
            ),
            "You keep the largest count of all. Each word has its own largest count: add them up.",
            hint=3,
        ),
        Mistake(
            "the share of the commonest word",
            lambda words, senses: Counter(words).most_common(1)[0][1] / len(words),
            "You count words. Count, for each word, its senses.",
            hint=2,
        ),
        Mistake(
            "percent",
            lambda words, senses: 100 * majority_ceiling.majority_ceiling(words, senses),
            "You return a percentage. Return the share, a number from 0 to 1.",
        ),
        Mistake(
            "rounded",
            lambda words, senses: round(majority_ceiling.majority_ceiling(words, senses), 2),
            "You round the share. Return it as it is, and round where it is printed.",
        ),
        Mistake(
            "capitals are lost",
            lambda words, senses: majority_ceiling.majority_ceiling(
                [word.lower() for word in words], senses
            ),
            "You make the words small. Here *China* and *china* are two words with a vector each: "
            "compare them as they are spelt.",
        ),
        Mistake(
            "the first sense met",
            lambda words, senses: _share_named(words, senses, first=True),
            "You give each word the first sense that you meet. Its commonest sense is right more "
            "often.",
            hint=2,
        ),
        Mistake(
            "the last sense met",
            lambda words, senses: _share_named(words, senses, first=False),
            "You give each word the last sense that you meet. Its commonest sense is right more "
            "often.",
            hint=2,
        ),
        Mistake(
            "words counted for each sense",
            lambda words, senses: (
                sum(max(c.values()) for c in _by_word(senses, words)) / len(words)
            ),
            "You count, for each sense, its words. Turn it round: for each word, its senses.",
            hint=2,
        ),
        Mistake(
            "whole division",
            lambda words, senses: (
                sum(max(c.values()) for c in _by_word(words, senses)) // len(words)
            ),
            "`//` throws the fraction away. Divide with one stroke: `/`.",
            hint=3,
        ),
        Mistake(
            "divided by the number of words",
            lambda words, senses: (
                sum(max(c.values()) for c in _by_word(words, senses)) / len(set(words))
            ),
            "You divide by how many different words there are. Divide by the number of "
            "occurrences, `len(words)`.",
            hint=3,
        ),
        Mistake(
            "the rarest sense",
            lambda words, senses: _share_of(words, senses, min),
            "You count the rarest sense of each word. The best rule answers with the commonest: "
            "`max`.",
            hint=2,
        ),
        Mistake(
            "every sense counts once",
            lambda words, senses: _share_of(words, senses, lambda counts: 1),
            "Each sense counts once for you, however often it occurs. Add 1 each time: `+= 1`.",
            hint=2,
        ),
        Mistake(
            "the best count of all words, for each word",
            lambda words, senses: (
                len(set(words))
                * max(max(counts.values()) for counts in _by_word(words, senses))
                / len(words)
            ),
            "You give every word the best count of *all* words. Each word has its own commonest "
            "sense.",
            hint=2,
        ),
        Mistake(
            "different words over different pairs",
            lambda words, senses: len(set(words)) / len(set(zip(words, senses, strict=True))),
            "You count each word and each pair of word and sense once, however often it occurs. "
            "Count occurrences: those of the commonest sense of each word, over all.",
            hint=2,
        ),
    ),
    right_answers={
        "counting pairs": _ceiling_by_pairs,
        "a table of counts": _ceiling_by_table,
    },
)
