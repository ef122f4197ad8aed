"""Exercise `nearest_labels`: the k nearest examples vote."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograde.checking.answers import Answer, AnswerRefused, Plain, call
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.what_the_layers_know import LESSON

Numbers = NDArray[np.float64]
Labels = Sequence[str]
SPELLINGS = 32
NO_RULE = "now one, now the other"
SENSES = ("bank.river", "bank.money", "bank.blood")


def nearest_labels(train: Numbers, labels: Labels, test: Numbers, k: int) -> list[str]:
    """Of each test vector, the label that most of its k nearest examples (cosine) have."""
    unit = train / np.linalg.norm(train, axis=1, keepdims=True)
    found = []
    for similarity in test @ unit.T:
        nearest = [labels[row] for row in np.argsort(-similarity)[:k]]
        found.append(max(nearest, key=nearest.count))  # of equals, max gives the first
    return found


def _run(answer: Answer, inputs: Inputs) -> Plain:
    came = call(answer, inputs)
    if isinstance(came, np.ndarray):
        came = came.tolist()
    if not isinstance(came, list | tuple):
        raise AnswerRefused("Return a list with one label for each test vector.")
    predicted = [label if isinstance(label, str) else str(label) for label in came]
    tied = _tied(**inputs)
    if tied and len(predicted) == len(inputs["test"]):
        for row in _of_no_rule(answer, inputs, tied):
            predicted[row] = NO_RULE
    return predicted


def _tied(train: Numbers, labels: Labels, test: Numbers, k: int) -> list[int]:
    """The test vectors for which two labels have most votes."""
    rows = []
    for row, near in enumerate(_cosine(train, test)):
        votes = Counter(labels[i] for i in np.argsort(-near)[:k]).most_common(2)
        if len(votes) == 2 and votes[0][1] == votes[1][1]:
            rows.append(row)
    return rows


def _of_no_rule(answer: Answer, inputs: Inputs, tied: list[int]) -> list[int]:
    """Those of the tied rows whose label changes when all labels are spelled otherwise.

    The alphabet stays as it was. The order of a set does not, whatever Python's hash seed is.
    """
    names = sorted(set(inputs["labels"]))
    found: dict[int, set[str]] = {row: set() for row in tied}
    for spelling in range(SPELLINGS):
        spelled = {name: f"{place}, spelling {spelling}" for place, name in enumerate(names)}
        labels = [spelled[name] for name in inputs["labels"]]
        again = call(answer, {**inputs, "labels": labels, "test": inputs["test"][tied]})
        for row, label in zip(tied, again if isinstance(again, list | tuple) else (), strict=False):
            found[row].add(str(label).partition(",")[0])
        if all(len(predicted) > 1 for predicted in found.values()):
            break
    return [row for row, predicted in found.items() if len(predicted) > 1]


@Case.drawn
def _cloud(rng: Random, examples: int, test: int, k: int, senses: int = 3, size: int = 6) -> Inputs:
    """Vectors of very different lengths; some examples of a sense lie among those of others.

    Of three senses the first example and the last k have one, the k - 1 after the first another,
    most have the third. Of two senses the first and the last example have different ones.
    """
    middles = 1.2 * rng.standard_normal((senses, size))
    own, of = rng.integers(0, senses, examples), rng.integers(0, senses, test)
    if senses == 3:
        own[1:k], own[k : k + examples // 2] = (own[0] + 1) % 3, (own[0] + 2) % 3
        own[-k:] = own[0]
    else:
        own[-1] = 1 - own[0]
    train = middles[own] + rng.standard_normal((examples, size))
    train *= rng.uniform(0.3, 4, (examples, 1))
    questions = middles[of] + rng.standard_normal((test, size))
    questions *= rng.uniform(0.3, 4, (test, 1))
    return {"train": train, "labels": [SENSES[i] for i in own], "test": questions, "k": k}


def _tie(rng: Random) -> Inputs:
    """Two votes against two, in every order of names and of places in the list.

    In the last row two far examples outvote one that is very near.
    """
    questions = np.eye(6)[:5] * rng.uniform(0.5, 2, (5, 1))
    angles = (
        (0.1, 0.4, 0.2, 0.3),
        (0.4, 0.1, 0.3, 0.2),
        (0.2, 0.3, 0.4, 0.1),
        (0.3, 0.2, 0.1, 0.4),
    )
    names = (("b", "b", "a", "a"), ("b", "b", "a", "a"), ("a", "a", "b", "b"), ("b", "a", "a", "b"))
    train, labels = [np.eye(6)[4] + 0.1 * np.eye(6)[5]], ["bat.c"]
    for row, (turned, predicted) in enumerate(zip(angles, names, strict=True)):
        for angle, name in zip(turned, predicted, strict=True):
            vector = np.cos(angle) * np.eye(6)[row] + np.sin(angle) * np.eye(6)[4 + row % 2]
            vector += 0.01 * rng.standard_normal(6)
            train.append(vector * rng.uniform(0.5, 2))
            labels.append(f"bat.{name}")
    return {"train": np.array(train), "labels": labels, "test": questions, "k": 4}


def _two_far(rng: Random) -> Inputs:
    """Two examples and k = 5; the nearer one decides."""
    return _cloud(2, 5, 5, 2)(rng) | {"labels": [SENSES[0], SENSES[1]]}


def _unit(x: Numbers, axis: int = 1) -> Numbers:
    return np.asarray(x / np.linalg.norm(x, axis=axis, keepdims=True))


def _cosine(train: Numbers, test: Numbers) -> Numbers:
    return np.asarray(_unit(test) @ _unit(train).T)


def _by_votes(train: Numbers, labels: Labels, test: Numbers, k: int) -> list[str]:
    order = np.argsort(-_cosine(train, test), axis=1)[:, :k]
    return [Counter(labels[i] for i in row).most_common(1)[0][0] for row in order]


def _by_loops(train: Numbers, labels: Labels, test: Numbers, k: int) -> list[str]:
    found = []
    for question in test:
        near = [
            float(question @ example) / float(np.linalg.norm(question) * np.linalg.norm(example))
            for example in train
        ]
        order = sorted(range(len(near)), key=near.__getitem__, reverse=True)[:k]
        votes: dict[str, int] = {}
        for row in order:
            votes[labels[row]] = votes.get(labels[row], 0) + 1
        found.append(
            next(labels[row] for row in order if votes[labels[row]] == max(votes.values()))
        )
    return found


def _by_distance_of_units(train: Numbers, labels: Labels, test: Numbers, k: int) -> Any:
    apart = np.linalg.norm(_unit(test)[:, None] - _unit(train)[None], axis=-1)  # (M, N)
    chosen = np.array(labels)[apart.argsort(1)[:, :k]]
    return np.array([max(row, key=row.tolist().count) for row in chosen])


def _centroid(train: Numbers, labels: Labels, test: Numbers, k: int) -> list[str]:
    names = sorted(set(labels))
    means = np.stack([_unit(train)[[label == name for label in labels]].mean(0) for name in names])
    return [names[i] for i in _cosine(means, test).argmax(1)]


SLIPS = """
--- hint 1
the product without the lengths: train / np.linalg.norm(train, axis=1, keepdims=True) -> train
    You compare by the product alone, so long vectors win. Cosine divides by both lengths: bring
    every example to its own length 1, `train / np.linalg.norm(train, axis=1, keepdims=True)`.
the squared length: np.linalg.norm(train, axis=1, keepdims=True) \
        -> (train**2).sum(axis=1, keepdims=True)
    You divide by the square of the length. The length is its root.
the sum of the sizes: np.linalg.norm(train, axis=1, keepdims=True) \
        -> abs(train).sum(axis=1, keepdims=True)
    You divide by the sum of the sizes. The length is the root of the sum of the squares.
--- hint 2
the division is upside down: train / np.linalg.norm(train, axis=1, keepdims=True) \
        -> np.linalg.norm(train, axis=1, keepdims=True) / train
    You divide the length by the vector. Divide the vector by its length.
one over the cosine: -similarity -> -1 / similarity
    Your cosine is upside down: the product stands above, the two lengths below.
the last k of the list: np.argsort(-similarity)[:k] -> range(len(labels))[-k:]
    The last k examples of the list vote, wherever they lie. Sort by similarity first.
the first k of the list: np.argsort(-similarity)[:k] -> range(len(labels))[:k]
    The first k examples of the list vote, wherever they lie. Sort by similarity first.
multiplied by the lengths: train / -> train *
    You multiply by the lengths, so long vectors win twice over. Divide: `train /
    np.linalg.norm(train, axis=1, keepdims=True)`.
the first label of the list: max(nearest, key=nearest.count) -> labels[0]
    Every vector gets the first label of the list. Let its neighbours vote: sort the examples by
    similarity, and count the labels of the first k.
the straight distance: test @ unit.T -> -np.linalg.norm(test[:, None] - train, axis=2)
    You take the distance between the points, so a long and a short vector of the same direction are
    far apart. Cosine compares directions: bring all vectors to length 1 first.
length 1 by column: axis=1 -> axis=0
both by column: axis=1 -> axis=0 && test @ unit.T -> test / np.linalg.norm(test, axis=0) @ unit.T
    You divide each column by its length. A vector is a row: `axis=1, keepdims=True`.
an answer for each example: test @ unit.T -> unit @ test.T
    You have sorted the wrong axis: for each example, the test vectors. Return one label for each
    *test* vector.
the longest examples: -similarity -> -np.linalg.norm(train, axis=1)
    The longest examples vote, wherever they point. The product of the two vectors is missing: sort
    by the cosine.
everybody votes: max(nearest, key=nearest.count) -> max(labels, key=labels.count)
everybody votes, the nearest first: [:k] ->
    All examples vote, so the answer is always the commonest label. Only the k nearest of each test
    vector vote.
the farthest: -similarity -> similarity
    You ask the farthest examples: `argsort` puts the smallest first. Sort by minus the cosine.
the nearest is left out: [:k] -> [1 : k + 1]
    You leave out the nearest example. Nothing stands for itself here: the test vectors are none of
    the examples.
always three: [:k] -> [:3]
    Three examples vote, whatever `k` says. `[:k]` gives k.
one too many: [:k] -> [: k + 1]
    k + 1 examples vote. `[:k]` gives k.
one too few: [:k] -> [: max(k - 1, 1)]
    k - 1 examples vote. `[:k]` gives k.
--- hint 3
the last in the alphabet: max(nearest, key=nearest.count) -> max(nearest)
    `max` of texts is the last in the alphabet. Take the label that occurs most often: `max(nearest,
    key=nearest.count)`.
the first in the alphabet: max(nearest, key=nearest.count) -> min(nearest)
    `min` of texts is the first in the alphabet. Take the label that occurs most often:
    `max(nearest, key=nearest.count)`.
the first of the list that got most votes: np.argsort(-similarity)[:k] \
        -> sorted(np.argsort(-similarity)[:k])
    When two labels have equally many votes, you take the one that comes first in `labels`. Take the
    one whose nearest example is nearer.
the nearest alone: max(nearest, key=nearest.count) -> nearest[0]
    You ask the nearest example alone. The k nearest vote.
the k-th alone: max(nearest, key=nearest.count) -> nearest[-1]
    You take the label of the k-th neighbour. All k vote, and most votes win.
the fewest votes: max(nearest, -> min(nearest,
    You take the label with the fewest votes. Take the one with the most.
near votes count more: key=nearest.count -> key=lambda label: \
        sum(similarity[row] for row in np.argsort(-similarity)[:k] if labels[row] == label)
    You add up cosines. Each of the k nearest has one vote, however near it is.
a tie goes by the alphabet: max(nearest, -> max(sorted(nearest),
    When two labels have equally many votes, you take the first in the alphabet. Take the one whose
    nearest example is nearer.
the straight distance, and a tie goes by the alphabet: \
        test @ unit.T -> -np.linalg.norm(test[:, None] - train, axis=2) \
        && max(nearest, -> max(sorted(nearest),
    Two things. You take the distance between the points: cosine compares directions, so bring all
    vectors to length 1 first. And of labels with equally many votes you take the first in the
    alphabet: take the one whose nearest example is nearer.
a tie goes to the farther one: max(nearest, -> max(nearest[::-1],
    When two labels have equally many votes, you take the one that comes later. Take the one whose
    nearest example is nearer.
the last in the alphabet wins a tie: max(nearest, -> max(sorted(nearest)[::-1],
    When two labels have equally many votes, you take the last in the alphabet. Take the one whose
    nearest example is nearer.
the order of a set decides a tie: max(nearest, -> max(set(nearest),
    When two labels have equally many votes, no rule decides: with the labels spelled otherwise
    another one wins. A set has no order. Run through the list, nearest first: `max(nearest,
    key=nearest.count)` takes the first of equals.
a tie goes by the sum of the cosines: key=nearest.count \
        -> key=lambda label: (nearest.count(label), \
        sum(similarity[row] for row in np.argsort(-similarity)[:k] if labels[row] == label))
    When two labels have equally many votes, you look at more than the nearest example of each, as a
    sum of cosines does. The label whose nearest example is nearer wins.
all labels that voted: max(nearest, key=nearest.count) -> nearest
    You return all the votes. Return the one label that has most of them.
the label that comes last: nearest.count -> nearest.index
    `nearest.index` is the position where a label first stands. Ask how often it stands there:
    `nearest.count`.
the first test vector alone: test @ unit.T -> test[:1] @ unit.T && return found \
        -> return found * len(test)
    Every vector gets the label of the first test vector. Let each have neighbours of its own: go
    through the rows of `test`.
--- no hint
whole numbers only: train / -> train //
    `//` rounds down to whole numbers, and little is left of a direction. Divide with `/`.
the mean of the examples comes off: unit = \
        -> test, train = test - train.mean(0), train - train.mean(0)⏎unit =
a mean of their own comes off each: unit = \
        -> test, train = test - test.mean(0), train - train.mean(0)⏎unit =
the mean of each vector comes off: unit = \
        -> test, train = (v - v.mean(1, keepdims=True) for v in (test, train))⏎unit =
    You take a mean off the vectors before you compare them. The cosine asked for is that of the
    vectors as they are.
the cosine without its sign: -similarity -> -abs(similarity)
    You drop the sign of the cosine, so a vector that points the other way counts as near. Keep the
    sign.
"""

EXERCISE = Exercise(
    id="nearest_labels",
    title="Ask the neighbours",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=12,
    reference=nearest_labels,
    run=_run,
    cases=(
        Case("the nearest of five examples", _cloud(5, 8, 1, 2)),
        Case("three of twelve examples vote", _cloud(12, 12, 3), weight=2),
        Case("five of thirty examples vote", _cloud(30, 40, 5), weight=2),
        Case("one vector is asked about", _cloud(12, 1, 3), edge=True),
        Case(
            "two votes against two",
            _tie,
            edge=True,
            asks="Two labels have two votes each; then the label of the nearest example wins.",
        ),
        Case(
            "five neighbours are asked for, and there are two examples",
            _two_far,
            edge=True,
            asks="There are fewer than k examples: all of them vote.",
        ),
    ),
    mistakes=(
        *slips(nearest_labels, SLIPS),
        Mistake(
            "the nearest mean",
            _centroid,
            "You compare with the mean of each label's examples. That is another probe, a good "
            "one; here the k nearest examples vote.",
            hint=3,
        ),
    ),
    right_answers={
        "Counter": _by_votes,
        "loops": _by_loops,
        "distances of vectors of length 1": _by_distance_of_units,
    },
)
