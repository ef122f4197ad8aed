"""Exercise `control_labels`: each word type gets a random label (Hewitt and Liang 2019)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.what_the_layers_know import LESSON

SEEDS = 10  # of six words, two draws can be the same by chance
BY_CHANCE = 0.08  # five standard deviations with 1,200 words
BY_HABIT = 0.3  # words that keep their labels, or share them with another spelling, are far beyond
TAGS = ("NOUN", "VERB", "THE", "OTHER")


def control_labels(words: Sequence[str], labels: Sequence[str], rng: Random) -> list[str]:
    """A label for every word; the same for the same word, drawn as often as labels occur."""
    drawn: dict[str, str] = {}
    for word in words:
        if word not in drawn:
            drawn[word] = labels[int(rng.integers(len(labels)))]
    return [drawn[word] for word in words]


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What every right answer has in common, measured; what is drawn differs from one to another.

    Draws of the same seeds show whether `rng` decides alone, and those of two seeds that it does.
    """
    words, labels, seed = list(inputs["words"]), list(inputs["labels"]), inputs["seed"]
    first = _drawn(answer, words, labels, seed)
    small = words[:200], labels[:200]
    seeds = range(seed, seed + SEEDS)
    short, again = ([_drawn(answer, *small, start) for start in seeds] for _ in range(2))
    found = _labels_of(words, first)
    everywhere = [found, *(_labels_of(small[0], labels_of_small) for labels_of_small in short)]
    told: dict[str, Any] = {
        "labels that do not occur": len(set(first) - set(labels)),
        "a word has more than one label": any(
            len(said) > 1 for each in everywhere for said in each.values()
        ),
        "the same seed gives the same labels": short == again,
    }
    if len(found) == 3:  # thirty draws miss none by chance, unless all are the same
        varied = short.count(short[0]) < SEEDS
        told["labels that are never drawn"] = len(set(labels).difference(*short)) if varied else 0
    if len(found) < 300:
        return told
    drawn = [next(iter(said)) for said in found.values()]
    shares = {name: labels.count(name) / len(labels) for name in sorted(set(labels))}
    by_chance = sum(share**2 for share in shares.values())
    kept = float(np.mean([lot == label for lot, label in zip(first, labels, strict=True)]))
    return told | {
        "another seed gives other labels": short[0] != short[1],
        "labels that are never drawn": len(shares.keys() - set(drawn)),
        **{
            f"share of the words with {name}": of
            for name, of in _drawn_shares(drawn, shares).items()
        },
        "share of the places that keep their label": _near(kept, by_chance),
        "pairs such as Word and word with one label": _near(_alike(found), by_chance),
    }


def _labels_of(words: Sequence[str], labels: Sequence[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for word, label in zip(words, labels, strict=True):
        found.setdefault(word, set()).add(label)
    return found


def _drawn_shares(drawn: list[str], expected: dict[str, float]) -> dict[str, float]:
    """The share of each label among those drawn; or `expected`, if chance explains every one."""
    found = {name: drawn.count(name) / len(drawn) for name in expected}
    far = any(abs(found[name] - share) >= BY_CHANCE for name, share in expected.items())
    return found if far else expected


def _near(drawn: float, expected: float) -> float:
    """What was drawn; or what was to be expected, where labels drawn wrongly explain it, too."""
    return expected if abs(drawn - expected) < BY_HABIT else drawn


def _alike(found: dict[str, set[str]]) -> float:
    pairs = [(found[w], found[w.lower()]) for w in found if w != w.lower() and w.lower() in found]
    return float(np.mean([a == b for a, b in pairs]))


def _drawn(answer: Answer, words: list[str], labels: list[str], seed: int) -> list[str]:
    before, given = ({"words": list(words), "labels": list(labels)} for _ in range(2))
    came = answer(*given.values(), np.random.default_rng(seed))
    refuse_changed(before, given)
    if isinstance(came, list | tuple) and came:
        _as_text(0, plain(came[0]))  # first, for to copy a list of a thousand tables takes seconds
    came = plain(came)
    if isinstance(came, np.ndarray):
        came = came.tolist()
    if isinstance(came, dict):
        raise AnswerRefused(
            "Your answer is a dictionary. Return a list with one label for each word of the text."
        )
    if not isinstance(came, list | tuple):
        raise AnswerRefused("Return a list with one label for each word of the text.")
    if len(came) != len(words):
        raise AnswerRefused(
            f"Your list has {len(came):,} labels, and there are {len(words):,} words. Return one "
            "for each running word, however often it occurs."
        )
    return [_as_text(place, label) for place, label in enumerate(came)]


def _as_text(place: int, label: Plain) -> str:
    if not isinstance(label, str):
        raise AnswerRefused(
            f"Your list holds a {type(label).__name__} at place {place}. Every label is a text, "
            "one of those in `labels`."
        )
    return str(label)


@Case.drawn
def _text(rng: Random, types: int, often: int) -> Inputs:
    """Words that occur up to `often` times; the commonest have the commonest tag.

    Every second word stands in two spellings, *w7* and *W7*.
    """
    names = [f"{'W' if i % 2 else 'w'}{i // 2}" for i in range(types)]
    tags = rng.choice(TAGS, types, p=(0.5, 0.25, 0.05, 0.2))
    words, labels = [], []
    for name, tag in zip(names, tags, strict=True):
        for _ in range(int(rng.integers(1, often + 1)) * (6 if tag == "THE" else 1)):
            words.append(name)
            other = rng.random() < 0.2
            labels.append(str(rng.choice(TAGS[:2])) if other else str(tag))
    order = rng.permutation(len(words))
    return {
        "words": [words[i] for i in order],
        "labels": [labels[i] for i in order],
        "seed": int(rng.integers(1_000_000)),
    }


@Case.drawn
def _few(rng: Random, words: Sequence[str], labels: Sequence[str] = ()) -> Inputs:
    drawn = [str(tag) for tag in rng.choice(TAGS, len(words))]
    seed = int(rng.integers(1_000_000))
    return {"words": list(words), "labels": list(labels) or drawn, "seed": seed}


def _all_draws_first(words: Sequence[str], labels: Sequence[str], rng: Random) -> list[str]:
    drawn = {word: labels[rng.choice(len(labels))] for word in dict.fromkeys(words)}
    return [drawn[word] for word in words]


def _all_draws_at_once(words: Sequence[str], labels: Sequence[str], rng: Random) -> list[str]:
    types = np.unique(words)
    lots = dict(zip(types, rng.choice(list(labels), len(types)), strict=True))
    return [str(lots[word]) for word in words]


def _by_shares(words: Sequence[str], labels: Sequence[str], rng: Random) -> list[str]:
    names, types = sorted(set(labels)), np.unique(words)
    shares = [list(labels).count(name) / len(labels) for name in names]
    lots = dict(zip(types, rng.choice(names, len(types), p=shares), strict=True))
    return [str(lots[word]) for word in words]


SLIPS = """
--- hint 1
a new label at each place: [drawn[word] for word in words] \
        -> [labels[int(rng.integers(len(labels)))] for word in words]
    The same word has different labels at different positions. Draw once for each spelling, keep the
    label in a dictionary, and look it up at every later position.
lower case: drawn: dict[str, str] = {} -> drawn, words = {}, [word.lower() for word in words]
    You give *Word* and *word* one label. Here every spelling is a word of its own.
--- hint 2
every label equally often: for word in words: -> labels = sorted(set(labels))⏎for word in words:
    You draw each label equally often. Draw it as often as it occurs in the text: a random entry of
    `labels` does so.
as often as among the words of the dictionary: for word in words: \
        -> labels = list(dict(zip(words, labels)).values())⏎for word in words:
    You draw labels as often as they occur among the different words. Draw them as often as among
    the running words: a random entry of `labels`.
without rng: for word in words: -> rng = np.random.default_rng()⏎for word in words:
    Draw with the `rng` that is given, so that the same seed gives the same labels.
always the same draw: for word in words: -> rng = np.random.default_rng(0)⏎for word in words:
    Your labels are the same whatever `rng` is. Draw with the `rng` that is given, so that the same
    seed gives the same labels.
drawn among the first few places: rng.integers(len(labels)) -> rng.integers(len(set(labels)))
drawn among the first few places, the last of them left out: rng.integers(len(labels)) \
        -> rng.integers(max(1, len(set(labels)) - 1))
    You draw a position below the number of *different* labels, so only the first few words of the
    text give theirs. Draw among all positions: `labels[rng.integers(len(labels))]`.
the last of the different labels is never drawn: for word in words: \
        -> labels = sorted(set(labels))[:-1] or labels⏎for word in words:
    One label is never drawn, and the others come equally often. Draw a random entry of `labels`:
    `labels[rng.integers(len(labels))]` leaves none out.
one place is never drawn: rng.integers(len(labels)) -> rng.integers(max(1, len(labels) - 1))
one place is never drawn, and there must be two: rng.integers(len(labels)) \
        -> rng.integers(len(labels) - 1)
    One position of `labels`, the last or the first, is never drawn. `rng.integers(n)` draws from 0
    to n - 1: `labels[rng.integers(len(labels))]` leaves no place out.
never the word's own label: for word in words: -> of = dict(zip(words, labels)) ⏎others = {own: \
        [label for label in labels if label != own] or [own] for own in set(labels)} \
        ⏎for word in words: && labels[int(rng.integers(len(labels)))] \
        -> (some := others[of[word]])[int(rng.integers(len(some)))]
    No word ever draws the label it had. Chance may give it: draw from all labels of the text,
    whatever the word's own is.
the word's own labels: for word in words: -> own = dict(zip(words, labels))⏎for word in words: \
        && labels[int(rng.integers(len(labels)))] -> own[word]
    Every word keeps a label of its own, so there is nothing random to learn by heart. Draw from all
    labels of the text.
one of the word's own labels: for word in words: -> own = {} \
        ⏎for word, label in zip(words, labels): own.setdefault(word, []).append(label) \
        ⏎for word in words: && labels[int(rng.integers(len(labels)))] -> rng.choice(own[word])
    Every word gets one of its own labels, so there is nothing random to learn by heart. Draw from
    all labels of the text.
the names of the labels are exchanged: for word in words: \
        -> own, names = dict(zip(words, labels)), sorted(set(labels)) \
        ⏎of = dict(zip(names, rng.permutation(names).tolist()))⏎for word in words: \
        && labels[int(rng.integers(len(labels)))] -> of[own[word]]
    You exchange the names of the labels. Words that had one label in common still do, so a probe
    can use what the vectors know. Draw for each word on its own.
--- hint 3
one label for all: [drawn[word] for word in words] -> [drawn[words[0]]] * len(words)
    All words have the same label. Draw once for each different word.
"""

EXERCISE = Exercise(
    id="control_labels",
    title="Random labels",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=control_labels,
    run=_run,
    cases=(
        Case("six words, two of them twice", _few(["the", "cat", "saw", "the", "black", "cat"])),
        Case("a text with 1,200 different words", _text(1200, 3), weight=3),
        Case("another text with 1,200 different words", _text(1200, 1)),
        Case("one word", _few(["word"]), edge=True),
        Case(
            "three words, three labels",
            _few(["yes", "no", "perhaps"], TAGS[:3]),
            edge=True,
            asks="With three words and three labels every label is drawn now and then, the last "
            "one, too.",
        ),
    ),
    mistakes=slips(control_labels, SLIPS),
    right_answers={
        "all draws at once": _all_draws_at_once,
        "choice by shares": _by_shares,
        "all draws first": _all_draws_first,
    },
    rtol=0.0,
    atol=0.06,
)
