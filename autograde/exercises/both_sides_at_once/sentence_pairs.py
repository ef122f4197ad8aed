"""Exercise `sentence_pairs`: true pairs and false ones, half and half."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograde.checking.answers import (
    ON_A_COPY,
    Answer,
    AnswerRefused,
    Inputs,
    Plain,
    refuse_changed,
    returned,
)
from autograde.checking.exercise import Case, Exercise, Random
from autograde.checking.slips import slips
from autograde.exercises.both_sides_at_once import LESSON

Sentence = Sequence[str]
Pairs = list[tuple[Sentence, Sentence, int]]
DRAWS = 24
SEVERAL = 8
NOT_FROM_RNG = (
    "Two calls with generators of one seed give different pairs: something is drawn that does not "
    "come from `rng`. Draw all with `rng`, and whoever knows its seed can repeat it."
)


def sentence_pairs(documents: Sequence[Sequence[Sentence]], rng: Random) -> Pairs:
    """(first, second, 1 or 0): each sentence but the last of its document once as the first."""
    places = [(d, s) for d, document in enumerate(documents) for s in range(len(document))]
    pairs = []
    for d, s in places:
        if s + 1 == len(documents[d]):
            continue
        follows = int(rng.random() < 0.5)
        there = (d, s + 1)
        while not follows and there in ((d, s), (d, s + 1)):
            there = places[rng.integers(len(places))]
        pairs.append((documents[d][s], documents[there[0]][there[1]], follows))
    return pairs


def _by_lists(documents: Sequence[Sequence[Sentence]], rng: Random) -> Pairs:
    pairs = []
    for document in documents:
        for first, second in pairwise(document):
            follows = 1
            if rng.random() < 0.5:
                follows = 0
                others = [s for d in documents for s in d if s is not first and s is not second]
                second = others[rng.integers(len(others))]
            pairs.append((first, second, follows))
    return pairs


def _coins_first(documents: Sequence[Sequence[Sentence]], rng: Random) -> Pairs:
    everything = [sentence for document in documents for sentence in document]
    true = [pair for d in documents for pair in pairwise(d)]
    pairs: Pairs = []
    for (first, second), follows in zip(true, rng.integers(0, 2, len(true)), strict=True):
        drawn = second
        while not follows and (drawn is first or drawn is second):
            drawn = everything[int(rng.integers(len(everything)))]
        pairs.append((first, drawn, int(follows)))
    return pairs


def _shuffled(documents: Sequence[Sequence[Sentence]], rng: Random) -> Pairs:
    pairs = _by_lists(documents, rng)
    return [pairs[row] for row in rng.permutation(len(pairs))]


@Case.drawn
def _documents(rng: Random, lengths: Sequence[int], pairs: int = 6000) -> Inputs:
    documents = [
        [[f"{d}.{s}", *["word"] * int(rng.integers(1, 4))] for s in range(length)]
        for d, length in enumerate(lengths)
    ]
    return {"documents": documents, "pairs": pairs}


def _twins(rng: Random) -> Inputs:
    """Three documents with the same words: places alone tell their sentences apart."""
    return {"documents": [[[word, "word"] for word in "abc"] for _ in range(3)], "pairs": 4000}


def _said_twice(rng: Random) -> Inputs:
    """Two sentences of the first document have the same words, and each is followed by its own."""
    first = [[word, "word"] for word in ("a", "b", "a", "c", "d")]
    return {"documents": [first, [[word, "word"] for word in "efgh"]], "pairs": 4000}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The pairs of several calls with one generator, each sentence as its number."""
    given = inputs["documents"]
    documents = [[list(s) for s in d] for d in given]
    numbers: dict[tuple[str, ...], int] = {}
    for sentence in (tuple(s) for d in given for s in d):
        numbers.setdefault(sentence, len(numbers))
    rng, drawn = np.random.default_rng(12), []
    for _ in range(max(DRAWS, inputs["pairs"] // sum(map(len, given)))):
        drawn.append(_as_numbers(returned(answer(documents, rng)), numbers))
    refuse_changed({"documents": given}, {"documents": documents}, ON_A_COPY)
    rng = np.random.default_rng(12)
    for before in drawn[:SEVERAL]:  # a single small call agrees by chance
        if not np.array_equal(_as_numbers(answer(documents, rng), numbers), before):
            raise AnswerRefused(NOT_FROM_RNG)
    return list(drawn)


def _as_numbers(came: Any, numbers: Mapping[tuple[str, ...], int]) -> NDArray[np.int64]:
    """The triples of one call, (pairs, 3)."""
    try:
        triples = [(first, second, int(follows)) for first, second, follows in came]
    except (TypeError, ValueError):
        raise AnswerRefused("Return a list of triples: (first, second, 1 or 0).") from None
    try:
        found = [(numbers[tuple(a)], numbers[tuple(b)], label) for a, b, label in triples]
    except (TypeError, KeyError):
        raise AnswerRefused(
            "The first and the second of a triple are sentences, lists of words as they came."
        ) from None
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def _statistics(inputs: Inputs, outputs: Plain) -> Plain:
    """What all right draws share."""
    calls: Any = outputs
    lengths = [len(document) for document in inputs["documents"]]
    first, second, label = np.concatenate(calls).T
    true, false = label == 1, label == 0
    twins = inputs["documents"][0] == inputs["documents"][-1] and len(lengths) > 1
    if twins:
        return {
            "share labelled 1": _mean(true),
            "a false second one may have the words of the first": float(
                _mean((second == first)[false]) > 0.1
            ),
            "a false second one may have the words of the one that follows": float(
                _mean((second == first + 1)[false]) > 0.1
            ),
        }
    if inputs["documents"][0][0] in inputs["documents"][0][1:]:
        after = set(second[true & (first == 0)].tolist())
        return {
            "share labelled 1": _mean(true),
            "a sentence that comes twice has the one after each place": float(after == {1, 2}),
        }
    of = np.repeat(np.arange(len(lengths)), lengths)  # the document of each sentence
    last = np.cumsum(lengths) - 1
    may_be_first = np.setdiff1d(np.arange(len(of)), last)
    in_place = [c[np.argsort(c[:, 0], kind="stable")] for c in calls]  # triples come in any order
    neighbours = [(c[1:, 0] == c[:-1, 0] + 1, c[1:, 2] == c[:-1, 2]) for c in in_place]
    beside, alike = (np.concatenate(part) for part in zip(*neighbours, strict=True))
    return {
        "pairs of a call": len(label) / max(1, len(calls)),
        "share of the sentences that may be a first one and are": len(
            np.intersect1d(may_be_first, first)
        )
        / max(1, len(may_be_first)),
        "share of first sentences that end a document": _mean(np.isin(first, last)),
        "labels other than 0 and 1": _mean(~true & ~false),
        "share labelled 1": _mean(true),
        "of those labelled 1, share that do follow": _mean(
            ((second == first + 1) & (of[second] == of[first]))[true]
        ),
        "of those labelled 0, share that do follow": _mean(
            ((second == first + 1) & (of[second] == of[first]))[false]
        ),
        "of those labelled 0, share that are the first sentence itself": _mean(
            (second == first)[false]
        ),
        "of those labelled 0, share from the same document": _mean(
            (of[second] == of[first])[false]
        ),
        "a false second one may stand right before the first": float(
            ((second == first - 1) & (of[second] == of[first]))[false].any()
        ),
        "share of all sentences that come as a false second one": len(np.unique(second[false]))
        / len(of),
        "of neighbours, share with the same label": _mean(alike[beside]),
        "every call is like the first": float(all(np.array_equal(c, calls[0]) for c in calls)),
    }


def _mean(values: Any) -> float:
    return float(np.mean(values)) if len(values) else 0.0


SLIPS = """
--- hint 3
all pairs are true: rng.random() < 0.5 -> rng.random() < 2
    All of your pairs are true. One half of the second sentences is drawn.
all pairs are false: rng.random() < 0.5 -> rng.random() < 0
    All of your pairs are false. Of one half the second sentence follows.
{share} in 100 are true: rng.random() < 0.5 -> rng.random() < {number} \
        | share number = 15 0.15, 85 0.85, 25 0.25, 75 0.75
    {share} in 100 of your pairs are true. It should be one half.
the labels are swapped: [there[1]], follows -> [there[1]], 1 - follows
    Your labels are swapped: 1 says that the second sentence follows the first.
every second pair: follows = int(rng.random() < 0.5) -> follows = (d + s) % 2
    True and false pairs alternate, so the position of a sentence tells the answer. Draw for each
    pair.
one coin for each document: \
        for d, s in places: -> coins = rng.random(len(documents)) < 0.5 ⏎for d, s in places: \
        && int(rng.random() < 0.5) -> int(coins[d])
one coin for all: for d, s in places: -> coin = rng.random() < 0.5 ⏎for d, s in places: \
        && int(rng.random() < 0.5) -> int(coin)
    You flip one coin for all pairs of a document, or of all documents, so a true pair stands beside
    true ones. Flip a coin for each pair.
exactly one half: pairs = [] \
        -> pairs, coins = [], rng.permutation(np.arange(len(places) - len(documents)) % 2) \
        && int(rng.random() < 0.5) -> int(coins[len(pairs)])
    You fix how many pairs of a call are true. Flip a coin for each pair.
by turns: follows = int(rng.random() < 0.5) -> follows = 1 - len(pairs) % 2
    True and false pairs alternate, so the position of a sentence tells the answer. Draw for each
    pair.
the last sentence of a document is a first one, too: if s + 1 == len(documents[d]): continue \
        -> if d + 1 == len(documents) and s + 1 == len(documents[d]): continue \
        && there = (d, s + 1) while -> \
        there = (d, s + 1) if s + 1 < len(documents[d]) else (d + 1, 0) \
        ⏎while
    A pair of yours runs from the end of one document to the beginning of the next. Nothing follows
    the last sentence of a document.
the first sentence is left out: if s + 1 == len(documents[d]) \
        -> if s == 0 or s + 1 == len(documents[d])
    One pair of each document is missing: all its sentences but the last are the first of a pair,
    the one at its beginning, too.
every second sentence: if s + 1 == len(documents[d]) -> if s % 2 or s + 1 == len(documents[d])
    Every second sentence is skipped. Each one but the last of its document is the first of a pair
    once.
the first document alone: enumerate(documents) -> enumerate(documents[:1])
    You use the first document alone.
the sentence before: there = (d, s + 1) while -> there = (d, s - 1 if s else s + 1) ⏎while
    Your true pairs run backwards: the second sentence is the one before the first. Take the one
    after it.
--- hint 2
the true one is drawn again: there in ((d, s), (d, s + 1)) -> there == (d, s + 1) \
        && places[rng.integers(len(places))] -> (d, s)
    Your false second sentence is the first one again. A reader sees at once that the two are the
    same.
a false one may be true: while not follows and there in ((d, s), (d, s + 1)): there = \
        -> if not follows: there =
    Some of your pairs are labelled 0 and are true, or hold the same sentence twice. Draw again if
    the drawn one is the first itself or the one that follows it.
the first itself may be drawn: in ((d, s), (d, s + 1)) -> in ((d, s + 1),)
    Some of your false pairs hold the same sentence twice. Draw again then, too.
the sentence before is never drawn: there in ((d, s), (d, s + 1)) \
        -> there in ((d, s - 1), (d, s), (d, s + 1))
    One sentence more than asked is never drawn: the one before. Only the first itself and the one
    that follows are left out.
a forbidden draw makes the pair true: while not follows and there in ((d, s), (d, s + 1)): there = \
        -> if not follows: there = (d, s) ⏎while there == (d, s): there = \
        && [there[1]], follows -> [there[1]], int(there == (d, s + 1))
    Where the coin says false and you draw the true one, you label the pair 1, so more than half are
    true. Draw again.
--- hint 1
words are compared, not places: there in ((d, s), (d, s + 1)) \
        -> documents[there[0]][there[1]] in (documents[d][s], documents[d][s + 1])
    You compare words, or draw from the sentences without their twins. Another sentence may have the
    same words, and it is drawn as any other: speak of positions, (document, sentence).
--- hint 3
a document first: there = places[rng.integers(len(places))] \
        -> e = rng.integers(len(documents)) ⏎there = (e, rng.integers(len(documents[e])))
    You draw a document first and then one of its sentences, so the sentences of a short document
    come more often. Draw from all sentences at once.
--- hint 2
a forbidden one gives way to its neighbour: while not follows and there in ((d, s), (d, s + 1)): \
        there = places[rng.integers(len(places))] \
        -> if not follows: there = places[rng.integers(len(places))] \
        ⏎if not follows and there in ((d, s), (d, s + 1)): \
        there = places[(places.index((d, s)) + 2) % len(places)]
    Where you have drawn a forbidden sentence you take its neighbour, which so comes more often.
    Draw again.
--- hint 3
never one that ends a document: there = places[rng.integers(len(places))] \
        -> there = places[rng.integers(len(places))] \
        ⏎there = (d, s) if there[1] + 1 == len(documents[there[0]]) else there
    A sentence that ends its document never comes as a false second one. Draw from all sentences.
both a true and a false one: follows = int(rng.random() < 0.5) -> follows = 0 \
        && pairs.append(( -> pairs.append((documents[d][s], documents[d][s + 1], 1)) \
        ⏎pairs.append((
    You make a true and a false triple of each sentence. Each is the first of one triple: a coin
    says of which.
from the same document: places[rng.integers(len(places))] \
        -> (d, int(rng.integers(len(documents[d]))))
    You draw false sentences from the same document alone. They come from all documents.
from other documents alone: there in ((d, s), (d, s + 1)) -> there[0] == d and len(documents) > 1
    You draw false sentences from other documents alone. They come from all sentences, those of the
    same document, too: only the first itself and its true follower are left out.
a false one is one of the last: places[rng.integers(len(places))] -> places[-1 - rng.integers(3)]
    Most sentences never come as a false second one. Draw from all of them.
the first pair alone: return pairs -> return pairs[:1]
    Only one pair is returned. Return all of them.
the first place is left out: for d, s in places -> for d, s in places[1:]
    The very first sentence is never the first of a pair. Your loop begins one too late.
the sentence before is the first: (documents[d][s], -> (documents[d][s - 1],
    The first of your triple is the sentence before the one that you look at.
numbers of places: documents[there[0]][there[1]], follows -> [str(there)], follows
    The second of a triple is a sentence, a list of words as it came, not its position.
--- no hint
the same draws in each call: pairs = [] -> pairs, rng = [], np.random.default_rng(0)
    Every call gives the same pairs: your function begins a generator of its own. Draw from `rng`.
a generator of one's own: pairs = [] -> pairs, rng = [], np.random.default_rng()
    You draw from a generator of your own, and nobody can repeat what it draws. Draw from `rng`.
the last sentence of all is never drawn: len(places))] -> len(places) - 1)]
    The last sentence never comes as a false second one: `rng.integers(n)` leaves n out itself.
"""

SLIPS_OF_LISTS = """
--- hint 3
the label stays 1: follows = 0 ->
    You draw a false second sentence and label it 1 all the same. It is 0.
the place is looked up by the words: for first, second in pairwise(document): \
        -> for first, second in pairwise(document): \
        ⏎    second = document[document.index(first) + 1]
    You look up where a sentence stands, and `index` finds the first one with these words. Count the
    sentences as you go, with `enumerate`.
the first document is left out: for document in documents -> for document in documents[1:]
    Your loop leaves the first document out.
--- hint 2
the true one is among the others: if s is not first and s is not second -> if s is not first
    Some of your pairs are labelled 0 and are true. The one that follows is no false one.
"""

SLIPS_OF_COINS = """
--- hint 2
never drawn: (drawn is first or drawn is second) -> drawn is first
    All of your pairs are true: where a false one is due, you look only whether the drawn one is the
    first. Draw while it is one of the two forbidden ones.
--- hint 3
exchanged: (first, drawn, -> (drawn, first,
    The two sentences of your triples are exchanged.
--- no hint
three labels: rng.integers(0, 2, -> rng.integers(0, 3,
    Your labels run from 0 to 2. `rng.integers(0, 2)` gives 0 or 1: the end is left out.
"""

EXERCISE = Exercise(
    id="sentence_pairs",
    title="True pairs and false ones",
    lesson=LESSON,
    points=2,
    difficulty=3,
    importance=3,
    minutes=12,
    reference=sentence_pairs,
    run=_run,
    view=_statistics,
    rtol=0.0,
    atol=0.04,
    seconds=10.0,
    cases=(
        Case("three documents of several sentences", _documents((9, 6, 12)), weight=2),
        Case("many documents", _documents((3, 5, 3, 4, 6, 3, 5, 4)), weight=2),
        Case("a document of one sentence", _documents((1, 6, 1, 5), 4000), edge=True),
        Case(
            "few sentences",
            _documents((4,), 4000),
            edge=True,
            asks="A false second sentence is neither the first itself nor the one that follows.",
        ),
        Case(
            "documents with the same words",
            _twins,
            edge=True,
            asks="Two sentences may have the same words: their places tell them apart.",
        ),
        Case(
            "a sentence that comes twice in its document",
            _said_twice,
            edge=True,
            asks="Each of the two is followed by its own: `index` finds the first of them alone.",
        ),
    ),
    mistakes=(
        *slips(sentence_pairs, SLIPS),
        *slips(_by_lists, SLIPS_OF_LISTS),
        *slips(_coins_first, SLIPS_OF_COINS),
    ),
    right_answers={"lists": _by_lists, "coins first": _coins_first, "shuffled": _shuffled},
)
