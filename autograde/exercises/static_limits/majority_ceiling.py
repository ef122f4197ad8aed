"""Exercise `majority_ceiling`: the ceiling of a static vector."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.static_limits import LESSON
from course.static_limits import majority_ceiling


def _drawn_senses(rng: Random) -> Inputs:
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


def _labelled(words: str, senses: str) -> Any:
    return lambda rng: {"words": words.split(), "senses": senses.split()}


def _by_counters(words: Sequence[str], senses: Sequence[str]) -> float:
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word, sense in zip(words, senses, strict=True):
        seen[word][sense] += 1
    best = [max(counts.values()) for counts in seen.values()]
    return sum(best) / len(words)


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


def _by_runs(words: Sequence[str], senses: Sequence[str]) -> float:
    runs = groupby(sorted(zip(words, senses, strict=True)), key=lambda pair: pair[0])
    best = [max(Counter(sense for _, sense in run).values()) for _, run in runs]
    return sum(best) / len(words)


def _on_the_way(inputs: Inputs) -> dict[str, float]:
    words = inputs["words"]
    return {
        "the share of one occurrence": 1 / len(words),
        "the number of occurrences": len(words),
        "the number of different words": len(set(words)),
    }


SLIPS = """
--- hint 1
chance: max(counts.values()) -> counts.total() / len(counts)
    This is what guessing gets: one over the number of senses. A rule that always names the
    commonest sense does better.
--- hint 2
one answer for all words: \
        sum(best) / len(words) -> Counter(senses).most_common(1)[0][1] / len(senses)
    You take the commonest sense of the whole list. Each word may have its own answer.
the share of the commonest word: sum(best) -> Counter(words).most_common(1)[0][1]
    You count words. Count, for each word, its senses.
the first sense met: max(counts.values()) -> next(iter(counts.values()))
    You give each word the first sense that you meet. Its commonest sense is right more often.
the last sense met: best = [max(counts.values()) for counts in seen.values()] -> \
        last = dict(zip(words, senses))⏎best = [seen[word][sense] for word, sense in last.items()]
    You give each word the last sense that you meet. Its commonest sense is right more often.
words counted for each sense: seen[word][sense] -> seen[sense][word]
    You count, for each sense, its words. Turn it round: for each word, its senses.
the last sense in the alphabet: max(counts.values()) -> counts[max(counts)]
    `max` of a `Counter` is its last key in the alphabet, here a sense. Take the largest of its
    counts: `max(counts.values())`.
runs of one word: sum(best) / len(words) -> sum( \
        Counter(sense for word, sense in run).most_common(1)[0][1] \
        for _, run in groupby(zip(words, senses), key=lambda pair: pair[0])) / len(words)
    `itertools.groupby` makes a group anew wherever the word changes. Sort first, or count in a
    `defaultdict(Counter)`.
the commonest pairs: sum(best) \
        -> sum(n for _, n in Counter(zip(words, senses)).most_common(len(seen)))
    You take the commonest pairs of word and sense, as many as there are words. Two of them may have
    one word: take each word's best.
the rarest sense: max(counts -> min(counts
    You count the rarest sense of each word. The best rule answers with the commonest: `max`.
every sense counts once: += 1 -> = 1
    Each sense counts once for you, however often it occurs. Add 1 each time: `+= 1`.
the best count of all words, for each word: sum(best) -> len(best) * max(best)
    You give every word the best count of *all* words. Each word has its own commonest sense.
different words over different pairs: \
        sum(best) / len(words) -> len(set(words)) / len(set(zip(words, senses)))
    You count each word and each pair of word and sense once, however often it occurs. Count
    occurrences: those of the commonest sense of each word, over all.
--- hint 3
the mean over the words: \
        max(counts.values()) -> max(counts.values()) / counts.total() && len(words) -> len(seen)
    You average one share per word, so a rare word counts as much as a frequent one. Count
    occurrences: right ones over all.
the best word's share: sum(best) / len(words) \
        -> max(max(counts.values()) / counts.total() for counts in seen.values())
    You take the largest share that a word has. All occurrences count: add up what is right for
    each word, and divide once.
the number, not the share: / len(words) ->
    This is how many occurrences are right. Divide by how many there are.
only the best word: sum(best) -> max(best)
    You keep the largest count of all. Each word has its own largest count: add them up.
divided by the number of words: len(words) -> len(set(words))
    You divide by how many different words there are. Divide by the number of occurrences,
    `len(words)`.
--- no hint
percent: return -> return 100 *
    You return a percentage. Return the share, a number from 0 to 1.
rounded: sum(best) / len(words) -> round(sum(best) / len(words), 2)
    You round the share. Return it as it is, and round where it is printed.
capitals are lost: seen[word] -> seen[word.lower()]
    You make the words small. Here *China* and *china* are two words with a vector each: compare
    them as they are spelt.
whole division: / len -> // len
    `//` throws the fraction away. Divide with one stroke: `/`.
"""

EXERCISE = Exercise(
    id="majority_ceiling",
    title="The ceiling of a static vector",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=6,
    reference=majority_ceiling.majority_ceiling,
    on_the_way=_on_the_way,
    rtol=1e-6,
    cases=(
        Case("one word, two senses", _labelled("bank bank bank", "river money money")),
        Case("three words", _drawn_senses, weight=2),
        Case(
            "two spellings of one word",
            _labelled("interest " * 3 + "interests " * 4, "rate rate share rate share share share"),
        ),
        Case(
            "a capital is another spelling",
            _labelled(
                "china China china China China china",
                "plates country plates country plates country",
            ),
        ),
        Case(
            "words with one sense only, and fewer senses than words",
            _labelled("u v v w", "1 2 2 1"),
            edge=True,
        ),
    ),
    mistakes=slips(_by_counters, SLIPS),
    right_answers={
        "counters": _by_counters,
        "counting pairs": _ceiling_by_pairs,
        "a table of counts": _ceiling_by_table,
        "sorted, and grouped": _by_runs,
    },
)
