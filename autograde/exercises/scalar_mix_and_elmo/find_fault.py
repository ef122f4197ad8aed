"""Exercise `find_fault`: question a black box until it shows which promise it breaks."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    plain,
    returned,
)
from autograde.exercises.scalar_mix_and_elmo import LESSON
from autograde.exercises.scalar_mix_and_elmo.broken import Elmo, elmo_with
from autograde.exercises.scalar_mix_and_elmo.small_elmo import small_elmo

NUMBER, REMEMBERS, COMPANY, SHIFTED = (
    "wrong number",
    "remembers",
    "depends on its company",
    "shifted",
)
SOUND = "sound"
ROUNDING = 1e-4
Vectors = NDArray[np.floating[Any]]


def find_fault(elmo: Elmo) -> str:
    """The first promise that an ELMo breaks."""
    short, longer = ["the", "dog", "barks"], ["we", "saw", "it", "near", "the", "river"]
    alone, other = elmo([short])[0], elmo([["the", "cat", "barks"]])[0]
    beside, too = elmo([short, longer])
    if [len(alone), len(beside), len(too)] != [len(short), len(short), len(longer)]:
        return NUMBER
    if np.abs(elmo([short])[0] - elmo([short])[0]).max() > ROUNDING:
        return REMEMBERS
    if np.abs(beside - alone).max() > ROUNDING:
        return COMPANY
    ahead = np.abs(other - alone)[:, : alone.shape[1] // 2].max(1) > ROUNDING
    return SOUND if ahead.tolist() == [False, True, True] else SHIFTED


def _tried(
    elmo: Elmo,
    *,
    order: str = "nrcs",
    rounding: float = ROUNDING,
    counted: str = "all",
    second: str = "the same",
    looked_at: str = "the short one",
    beside: str = "a longer one",
    half: str = "first",
    changed: int = 1,
    before: bool = True,
    there: bool = True,
    after: bool = False,
    turned: str = "",
    strict: bool = True,
    cropped: bool = False,
) -> str:
    """The questions with one thing done otherwise; `turned` are those answered the wrong way."""
    short = ["the", "dog", "barks"]
    longer = {
        "a longer one": ["we", "saw", "it", "near", "the", "river"],
        "one as long": ["we", "saw", "it"],
        "itself": short,
        "a shorter one": ["we"],
    }[beside]

    def differ(one: Vectors, other: Vectors) -> bool:
        if cropped:
            one, other = one[: len(other)], other[: len(one)]
        if one.shape != other.shape:
            return True
        away = np.abs(one - other)
        return bool((away.max() if strict else away.mean()) > rounding)

    alone = elmo([short])[0]
    again = elmo([short])[0] if second == "the same" else elmo([["we", "see", "it"]])[0]
    in_company, too = elmo([short, longer])
    lengths = {
        "all": [(alone, short), (in_company, short), (too, longer)],
        "alone": [(alone, short)],
        "more only": [],
    }[counted]
    wrong = any(len(vectors) != len(words) for vectors, words in lengths)
    if looked_at == "the longer one":
        company = differ(too, elmo([longer])[0])
    else:
        company = differ(in_company, alone)
    other = elmo([[*short[:changed], "cat", *short[changed + 1 :]]])[0]
    shifted = False
    if other.shape == alone.shape:
        middle = alone.shape[1] // 2
        part = {"first": slice(middle), "second": slice(middle, None), "whole": slice(None)}[half]
        moved = np.abs(other - alone)[:, part].max(1) > rounding
        shifted = bool(
            (before and moved[:changed].any())
            or (there and not moved[changed])
            or (after and not moved[changed:].all())
        )
    found = {
        "n": (wrong, NUMBER),
        "r": (differ(alone, again), REMEMBERS),
        "c": (company, COMPANY),
        "s": (shifted, SHIFTED),
    }
    return next((found[k][1] for k in order if found[k][0] is not (k in turned)), SOUND)


def _otherwise(**changes: Any) -> Answer:
    return lambda elmo: _tried(elmo, **changes)


def _memory_is_missed(elmo: Elmo) -> str:
    found = find_fault(elmo)
    return SOUND if found == REMEMBERS else found


def _by_loops(elmo: Elmo) -> str:
    sentences = [["a", "b", "c", "d"], ["e"], ["f", "g", "h", "i", "j", "k", "l"]]
    together = elmo(sentences)
    for vectors, words in zip(together, sentences, strict=True):
        if len(vectors) != len(words):
            return NUMBER
    alone = [elmo([words])[0] for words in sentences]
    for words, vectors in zip(sentences, alone, strict=True):
        if len(vectors) != len(words):
            return NUMBER
    for _ in range(3):
        if any(
            not np.allclose(elmo([words])[0], vectors, atol=1e-4)
            for words, vectors in zip(sentences, alone, strict=True)
        ):
            return REMEMBERS
    for one, other in zip(alone, together, strict=True):
        if not np.allclose(one, other, atol=1e-4):
            return COMPANY
    half = alone[0].shape[1] // 2
    for place in range(4):
        words = list(sentences[0])
        words[place] = "zebra"
        moved = [
            bool((abs(new[:half] - old[:half]) > 1e-4).any())
            for new, old in zip(elmo([words])[0], alone[0], strict=True)
        ]
        if True not in moved or moved.index(True) != place:
            return SHIFTED
    return SOUND


def _by_last_word(elmo: Elmo) -> str:
    short = ["one", "two", "three"]
    longer = [*short, "four", "five"]
    first, (left, right) = elmo([short])[0], elmo([short, longer])
    if len(first) != 3 or len(left) != 3 or len(right) != 5:
        return NUMBER
    if not np.allclose(elmo([short])[0], elmo([short])[0], rtol=0, atol=ROUNDING):
        return REMEMBERS
    if not np.allclose(first, left, rtol=0, atol=ROUNDING):
        return COMPANY
    half = first.shape[1] // 2
    other = elmo([["one", "two", "tiger"]])[0]
    away = np.abs(other[:, :half] - first[:, :half]).max(axis=1)
    if away[0] > ROUNDING or away[1] > ROUNDING or away[2] <= ROUNDING:
        return SHIFTED
    return SOUND


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What the answer says of an ELMo made from these weights."""
    elmo = elmo_with(inputs["broken in"], small_elmo(inputs["seed"], layers=1), inputs["rounding"])
    said = plain(returned(answer(elmo)))
    if said not in (NUMBER, REMEMBERS, COMPANY, SHIFTED, SOUND):
        raise AnswerRefused(
            f"Your answer is {said!r}. Return one of the five texts: {NUMBER!r}, {REMEMBERS!r}, "
            f"{COMPANY!r}, {SHIFTED!r} or {SOUND!r}."
        )
    return said


def _elmo(kind: str, rounding: float = 0.0) -> Callable[[np.random.Generator], Inputs]:
    def make(rng: np.random.Generator) -> Inputs:
        seed = int(rng.integers(1_000_000))
        return {"broken in": kind or "nothing", "rounding": rounding, "seed": seed}

    return make


EXERCISE = Exercise(
    id="find_fault",
    title="Question the black box",
    lesson=LESSON,
    points=3,
    difficulty=4,
    importance=4,
    minutes=15,
    reference=find_fault,
    run=_run,
    cases=(
        Case("a sound ELMo", _elmo(""), weight=2),
        Case("one that keeps both boundaries", _elmo("both boundaries stay")),
        Case("one that remembers", _elmo("remembers"), weight=2),
        Case("one that reads padding first", _elmo("padding is read first"), weight=2),
        Case("one that is a place early", _elmo("one place early"), weight=2),
        Case("one that is a place late", _elmo("one place late"), edge=True),
        Case("one that gives vectors for padding", _elmo("padding stays"), edge=True),
        Case("one that loses two words", _elmo("the first and last word are gone"), edge=True),
        Case("one that normalises over the batch", _elmo("layer norm over the batch"), edge=True),
        Case("one that remembers a little", _elmo("remembers a little"), edge=True),
        Case("a sound ELMo that rounds", _elmo("", 2e-6), edge=True),
    ),
    mistakes=(
        Mistake(
            "everything is sound",
            lambda elmo: SOUND,
            'You say "sound" to every ELMo.',
            hint=1,
        ),
        Mistake(
            "any difference at all",
            _otherwise(rounding=0.0),
            "You take a difference of a millionth for a fault. Rounding makes such differences. "
            "Count what is larger than 1e-4.",
            hint=2,
        ),
        Mistake(
            "only one sentence is counted",
            _otherwise(counted="alone"),
            "You count the vectors of a sentence that stands alone. Count them in a batch of two "
            "lengths as well: there is padding only there.",
            hint=2,
        ),
        Mistake(
            "one sentence is counted, and the rest is cut",
            _otherwise(counted="alone", cropped=True),
            "You count the vectors of a sentence that stands alone. Count them in a batch of "
            "two lengths as well: there is padding only there.",
            hint=2,
        ),
        Mistake(
            "nothing is counted",
            _otherwise(order="rcs"),
            "You never count the vectors. There must be one for each word, no more and no fewer.",
            hint=1,
        ),
        Mistake(
            "memory is taken for company",
            _otherwise(order="ncrs"),
            "An ELMo that remembers differs from call to call, so it looks as if its company "
            "mattered. Before you ask for company, ask for its memory: with two calls of the same "
            "sentence, alone. Within one call it does not show.",
            hint=3,
        ),
        Mistake(
            "memory is missed",
            _memory_is_missed,
            "An ELMo that remembers passes as sound. Ask for its memory with your first "
            "calls, or let it read another sentence in between: after the same sentence it "
            "starts from the same state, and gives the same vectors again.",
            hint=3,
        ),
        Mistake(
            "company is never tested",
            _otherwise(order="nrs"),
            "An ELMo that depends on its company is not found. Compare a sentence alone with the "
            "same sentence beside a longer one.",
            hint=1,
        ),
        Mistake(
            "beside a sentence of the same length",
            _otherwise(beside="one as long"),
            "You put a sentence beside one of the same length: then there is no padding. Take a "
            "longer one.",
            hint=2,
        ),
        Mistake(
            "the longer sentence is looked at",
            _otherwise(looked_at="the longer one"),
            "You look at the longer of two sentences. Padding stands behind the shorter one: look "
            "at that.",
            hint=2,
        ),
        Mistake(
            "the shift is never tested",
            _otherwise(order="nrc"),
            "A shifted ELMo is not found. Replace one word in the middle, and see from which place "
            "on the first half of the vectors moves.",
            hint=1,
        ),
        Mistake(
            "the whole vector, or later places must stay",
            _otherwise(half="whole"),
            "Your question of the shift calls a sound ELMo shifted. Ask it of the first half of "
            "the vectors, the forward reader's, `[:, : vectors.shape[1] // 2]`: there the "
            "replaced word's place moves, every *earlier* one stays, and later ones move, too. "
            "The backward reader has read the word before he comes to the earlier places.",
            hint=2,
        ),
        Mistake(
            "the whole vector, and any difference at all",
            _otherwise(half="whole", rounding=0.0),
            "Two things. You take a difference of a millionth for a fault: count what is larger "
            "than 1e-4, for rounding makes such differences. And you ask the whole vector for the "
            "shift: ask the first half, the forward reader's, `[:, : vectors.shape[1] // 2]`.",
            hint=2,
        ),
        Mistake(
            "only the places before",
            _otherwise(there=False),
            "You ask whether an earlier place moves. Ask also whether the replaced word's own "
            "place moves: if the vectors are a place early, it does not.",
            hint=3,
        ),
        Mistake(
            "only the word's own place",
            _otherwise(before=False),
            "You ask whether the replaced word's place moves. Ask also whether the places before "
            "it stay: if the vectors are a place late, they do not.",
            hint=3,
        ),
        Mistake(
            "the first word is replaced",
            _otherwise(changed=0),
            "You replace the first word. No place stands before it, so a shift to that side cannot "
            "be seen. Replace one in the middle.",
            hint=3,
        ),
        Mistake(
            "another sentence the second time",
            _otherwise(second="another"),
            "You compare two different sentences, whose vectors differ in a sound ELMo, too. Give "
            "it the same sentence twice.",
            hint=2,
        ),
        *(
            Mistake(
                f"{name} the wrong way round",
                _otherwise(turned=letter),
                f"You answer the question of {what} the wrong way round.",
                hint=3,
            )
            for name, letter, what in (
                ("the count", "n", "the number of vectors"),
                ("memory", "r", "its memory"),
                ("company", "c", "its company"),
                ("the shift", "s", "the shift"),
            )
        ),
    ),
    right_answers={"loops": _by_loops, "the last word replaced": _by_last_word},
)
