"""Exercise `find_fault`: question a black box until it shows which promise it breaks."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.scalar_mix_and_elmo import LESSON
from autograde.exercises.scalar_mix_and_elmo.broken import FAULTS, Elmo, Sentences, elmo_with
from autograde.exercises.scalar_mix_and_elmo.small_elmo import small_elmo

NUMBER, REMEMBERS, COMPANY, SHIFTED = FAULTS
SOUND = "sound"
ROUNDING = 1e-4
Vectors = NDArray[np.floating[Any]]


def _differ(one: Vectors, other: Vectors) -> bool:
    return one.shape != other.shape or bool(np.abs(one - other).max() > ROUNDING)


def find_fault(elmo: Elmo) -> str:
    """The first promise that an ELMo breaks."""
    short, longer = ["the", "dog", "barks"], ["we", "saw", "it", "near", "the", "river"]
    alone, other = elmo([short])[0], elmo([["the", "cat", "barks"]])[0]
    beside, too = elmo([short, longer])
    again = [elmo([words])[0] for words in (short, longer, short)]
    moved = np.abs(other - alone)[:, : alone.shape[1] // 2].max(1) > ROUNDING
    found = {
        NUMBER: [len(alone), len(beside), len(too)] != [3, 3, 6],
        REMEMBERS: any(_differ(alone, vectors) for vectors in again[::2]),
        COMPANY: _differ(alone, beside),
        SHIFTED: moved.tolist() != [False, True, True],
    }
    return next((fault for fault in (NUMBER, REMEMBERS, COMPANY, SHIFTED) if found[fault]), SOUND)


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


def _once(elmo: Elmo) -> str:
    """With one look at each promise, as the solved lesson has it."""
    short, longer = ["the", "dog", "barks"], ["we", "saw", "it", "near", "the", "river"]
    alone, other = elmo([short])[0], elmo([["the", "cat", "barks"]])[0]
    beside, too = elmo([short, longer])
    if (len(alone), len(beside), len(too)) != (3, 3, 6):
        return NUMBER
    if _differ(elmo([short])[0], elmo([short])[0]):
        return REMEMBERS
    if _differ(beside, alone):
        return COMPANY
    moved = np.abs(other - alone)[:, : alone.shape[1] // 2].max(1) > ROUNDING
    return SHIFTED if moved[0] or not moved[1] else SOUND


def _long_before_short(elmo: Elmo) -> str:
    """Memory is asked with one call right after the other, and after company."""
    one, other = ["one", "two", "three", "four", "five"], ["one", "two", "seven", "four", "five"]
    longer = ["much", "longer", "than", "that", ",", "with", "many", "more", "words", "in", "it"]
    if [len(vectors) for vectors in elmo([longer, one, ["hi"]])] != [len(longer), 5, 1]:
        return NUMBER
    first = elmo([one])[0]
    if len(first) != 5:
        return NUMBER
    if _differ(first, elmo([one])[0]):
        return REMEMBERS
    if _differ(first, elmo([one, longer])[0]) or _differ(first, elmo([longer, one])[1]):
        return COMPANY
    moved = np.abs(first - elmo([other])[0])[:, : first.shape[1] // 2].max(1) > ROUNDING
    return SHIFTED if moved[:2].any() or not moved[2] else SOUND


def _counted_first(elmo: Elmo) -> str:
    """Memory is asked of a sentence that was read before, when its trace has grown faint."""
    words, other = (["She", "plays", "the", what, "."] for what in ("cello", "piano"))
    longer = [*other, *words, *other]
    counted = [len(elmo([words])[0]), *map(len, elmo([longer, words]))]
    if counted != [len(words), len(longer), len(words)]:
        return NUMBER
    alone = [elmo([words])[0] for _ in range(3)]
    if _differ(alone[1], alone[2]):
        return REMEMBERS
    if _differ(alone[0], elmo([words, longer])[0]):
        return COMPANY
    moved = np.abs(elmo([other])[0] - alone[0])[:, : alone[0].shape[1] // 2].max(1) > ROUNDING
    return SHIFTED if moved.tolist()[:4] != [False, False, False, True] else SOUND


def _box(inputs: Inputs) -> Elmo:
    box = elmo_with(inputs["broken in"], small_elmo(inputs["seed"], layers=1), inputs["rounding"])

    def elmo(sentences: Sentences) -> list[Vectors]:
        return [vectors.round(9) for vectors in box(sentences)]  # alike on all processors

    return elmo


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What the answer says of an ELMo made from these weights."""
    said = plain(returned(answer(_box(inputs))))
    if said not in (NUMBER, REMEMBERS, COMPANY, SHIFTED, SOUND):
        raise AnswerRefused(
            f"Your answer is {said!r}. Return one of the five texts: {NUMBER!r}, {REMEMBERS!r}, "
            f"{COMPANY!r}, {SHIFTED!r} or {SOUND!r}."
        )
    return said


ASKED = (find_fault, _by_loops, _by_last_word, _once, _long_before_short, _counted_first)


@Case.drawn
def _elmo(rng: Random, kind: str, rounding: float = 0.0) -> Inputs:
    """Weights with which a word leaves a trace, so that every right way to ask hears the same."""
    while True:
        seed = int(rng.integers(1_000_000))
        inputs = {"broken in": kind or "nothing", "rounding": rounding, "seed": seed}
        if len({ask(_box(inputs)) for ask in ASKED}) == 1:
            return inputs


SLIPS = """
--- hint 1
everything is sound: next((fault for fault in (NUMBER, REMEMBERS, COMPANY, SHIFTED) \
        if found[fault]), SOUND) -> SOUND
    You say "sound" to every ELMo.
memory is taken for company: (NUMBER, REMEMBERS, COMPANY, -> (NUMBER, COMPANY, REMEMBERS,
    An ELMo that remembers differs from call to call, so it looks as if its company mattered. Before
    you ask for company, ask for its memory: with two calls of the same sentence, alone. Within one
    call it does not show.
--- hint 2
only one sentence is counted: [len(alone), len(beside), len(too)] != [3, 3, 6] -> len(alone) != 3
vectors of two lengths are compared, {one} with {two}: \
        [len(alone), len(beside), len(too)] != [3, 3, 6] -> len(alone) != 3 \
        && _differ(alone, beside) -> np.abs({one} - {two}).max() > ROUNDING \
        | one two = alone beside, beside alone
one sentence is counted, and the rest is cut: \
        [len(alone), len(beside), len(too)] != [3, 3, 6] -> len(alone) != 3 \
        && _differ(alone, beside) -> _differ(alone, beside[: len(alone)])
    You do not count enough before you ask for company: there may be vectors for padding, behind the
    shorter sentence of a batch. Count those of a sentence alone, and of both in a batch of two
    lengths.
beside a sentence of the same length: \
        ["we", "saw", "it", "near", "the", "river"] -> ["we", "saw", "it"] && [3, 3, 6] -> [3, 3, 3]
    You put a sentence beside one of the same length: then there is no padding. Take a longer one.
company is not heard: _differ(alone, beside) -> _differ(elmo([longer])[0], too)
    You miss the readers of padding. It stands behind the *shorter* of two sentences, so look at
    that one; and look at its whole vectors, for it is the backward reader that meets padding.
the whole vector, and any difference at all: \
        [:, : alone.shape[1] // 2] -> && every > ROUNDING -> > 0
    Two things. You take a difference of a millionth for a fault: count what is larger than 1e-4,
    for rounding makes such differences. And you ask the whole vector for the shift: ask the first
    half, the forward reader's, `[:, : vectors.shape[1] // 2]`.
the whole vector, or later places must stay: [:, : alone.shape[1] // 2] ->
    Your question of the shift calls a sound ELMo shifted. Ask it of the first half of the vectors,
    the forward reader's, `[:, : vectors.shape[1] // 2]`: there the replaced word's position moves,
    every *earlier* one stays, and later ones move, too. The backward reader has read the word
    before he comes to the earlier positions.
another sentence the second time: (short, longer, short) -> (short, longer, ["we", "see", "it"])
    You compare two different sentences, whose vectors differ in a sound ELMo, too. Give it the same
    sentence twice.
nothing is counted: (NUMBER, REMEMBERS, -> (REMEMBERS,
    You never count the vectors, or only after the other questions. There must be one for each word,
    no more and no fewer: ask that first.
company is never tested: REMEMBERS, COMPANY, SHIFTED) -> REMEMBERS, SHIFTED)
    An ELMo that depends on its company is not found. Compare a sentence alone with the same
    sentence beside a longer one.
the shift is never tested: COMPANY, SHIFTED) -> COMPANY)
    A shifted ELMo is not found. Replace one word in the middle, and see from which position on the
    first half of the vectors moves.
an earlier position is not asked: ["the", "cat", "barks"] -> ["cat", "dog", "barks"] \
        && moved.tolist() != [False, True, True] -> not moved[0]
only the word's own place: moved.tolist() != [False, True, True] -> not moved[1]
    You do not see an earlier position move. Replace a word in the middle, for the first one has
    none before it, and ask that every position before it stays, beside that its own one moves.
--- hint 3
memory is missed: return next( -> return SOUND if found[REMEMBERS] else next(
    An ELMo that remembers passes as sound. The same call twice gives other vectors there: compare
    them, and let no difference above 1e-4 pass.
only the places before: moved.tolist() != [False, True, True] -> moved[0]
    You ask whether an earlier position moves. Ask also whether the replaced word's own position
    moves: if the vectors are a position early, it does not.
the shift before company: REMEMBERS, COMPANY, SHIFTED) if -> REMEMBERS, SHIFTED, COMPANY) if
the shift before memory: REMEMBERS, COMPANY, SHIFTED) if -> SHIFTED, REMEMBERS, COMPANY) if
the shift first: (NUMBER, REMEMBERS, COMPANY, SHIFTED) -> (SHIFTED, NUMBER, REMEMBERS, COMPANY)
the shift first, the count last: \
        (NUMBER, REMEMBERS, COMPANY, SHIFTED) -> (SHIFTED, REMEMBERS, COMPANY, NUMBER)
company first: (NUMBER, REMEMBERS, COMPANY, -> (COMPANY, NUMBER, REMEMBERS,
company first, the count last: \
        (NUMBER, REMEMBERS, COMPANY, SHIFTED) -> (COMPANY, REMEMBERS, SHIFTED, NUMBER)
the shift before the count: \
        (NUMBER, REMEMBERS, COMPANY, SHIFTED) -> (REMEMBERS, SHIFTED, NUMBER, COMPANY)
the shift before company and the count: \
        (NUMBER, REMEMBERS, COMPANY, SHIFTED) -> (REMEMBERS, SHIFTED, COMPANY, NUMBER)
    Each of your questions is right, and their order is not: one fault can disturb several of them.
    An ELMo that remembers moves at every position. One with vectors for padding seems to depend on
    its company. Ask in the order of the list: the count, memory, company, the shift.
the shift the wrong way round: moved.tolist() != -> moved.tolist() ==
    You answer the question of the shift the wrong way round.
any difference at all: every > ROUNDING -> > 0
    You take a very small difference for a fault. Rounding makes such differences. Count what is
    larger than 1e-4. (`np.allclose` is stricter unless it is told `rtol=0, atol=1e-4`.)
company by `np.allclose` as it comes: _differ(alone, beside) -> \
        len(alone) == len(beside) and not np.allclose(alone, beside)
    You take rounding for company. `np.allclose` is strict unless it is told `rtol=0, atol=1e-4`.
every number must differ: np.abs(one - other).max() -> np.abs(one - other).min()
    You ask whether *every* number differs. One that does is enough: look at the largest
    difference, `.max()`.
--- no hint
the count the wrong way round: len(too)] != -> len(too)] ==
    You answer the question of the number of vectors the wrong way round.
memory the wrong way round: REMEMBERS: any( -> REMEMBERS: not any(
    You answer the question of its memory the wrong way round.
company the wrong way round: COMPANY: _differ -> COMPANY: not _differ
    You answer the question of its company the wrong way round.
"""

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
        Case("another that reads padding first", _elmo("padding is read first"), edge=True),
        Case("one that is a place early", _elmo("one place early"), weight=2),
        Case("one that is a place late", _elmo("one place late"), edge=True),
        Case("one that gives vectors for padding", _elmo("padding stays"), edge=True),
        Case("one that loses two words", _elmo("the first and last word are gone"), edge=True),
        Case("one that normalises over the batch", _elmo("layer norm over the batch"), edge=True),
        Case("one that remembers a little", _elmo("remembers a little"), edge=True),
        Case("a sound ELMo that rounds", _elmo("", 3e-5), edge=True),
        Case(
            "one whose backward reader remembers",
            _elmo("the backward reader remembers"),
            edge=True,
        ),
    ),
    mistakes=slips(find_fault, SLIPS, _differ),
    right_answers={
        "loops": _by_loops,
        "the last word replaced": _by_last_word,
        "a long sentence first": _long_before_short,
    },
)
