"""Exercise `autoencoder_steps`: read it, then say it again."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograde.checking.answers import AnswerRefused, Plain
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.starting_from_a_language_model import LESSON
from elmo_mini.tasks import lstm_classifier

THREE_LISTS = (
    "Return three lists, one after the other: what is read, what is to be said, and True or False "
    "for each step."
)


@Case.drawn
def _to_be_rewritten(rng: Random, words: int) -> Inputs:
    return {"sentence": [int(i) for i in 10 + rng.permutation(40)[:words]], "boundary": 1}


def _with_a_word_twice(rng: Random) -> Inputs:
    first, second, third = (int(i) for i in 10 + rng.permutation(40)[:3])
    return {"sentence": [first, second, first, third, second], "boundary": 1}


def _what_counts(inputs: Inputs, outputs: Plain) -> Plain:
    """Targets only where they count: what stands elsewhere is nobody's business."""
    if not isinstance(outputs, list | tuple) or len(outputs) != 3:
        raise AnswerRefused(THREE_LISTS)
    read, said, counted = (np.asarray(part).tolist() for part in outputs)
    if not all(isinstance(part, list) for part in (read, said, counted)):
        raise AnswerRefused(THREE_LISTS)
    if not len(read) == len(said) == len(counted):
        raise AnswerRefused(
            f"Your lists have {len(read)}, {len(said)} and {len(counted)} entries. Each step has "
            "one input, one target and one answer to whether it counts: equal lengths."
        )
    if any(answer not in (0, 1) for answer in counted):
        raise AnswerRefused(THREE_LISTS)
    return {
        "what is read": _in_a_row(read),
        "which steps count": " ".join("yes" if c else "no" for c in counted),
        "what is to be said, from the boundary on": _in_a_row(said[len(inputs["sentence"]) :]),
    }


def _in_a_row(ids: Sequence[Any]) -> str:
    return " ".join(f"{i:g}" if isinstance(i, int | float) else str(i) for i in ids)


def _autoencoder_by_shifting(ids: list[int], end: int) -> tuple[Any, Any, Any]:
    whole = np.array([*ids, end, *ids, end])
    steps = np.arange(len(whole) - 1)
    return whole[:-1], whole[1:], steps >= len(ids)


SLIPS = """
--- hint 2
recited in reverse: boundary, *words] -> boundary, *words[::-1]] \
        && [*words, boundary] -> [*words[::-1], boundary]
    Your model recites from the last word to the first. Here it says the sentence in the order in
    which it was read.
the boundary in front: [*words, boundary, *words] -> [boundary, *words, *words]
    The boundary stands before the reading in your answer. It belongs between the two halves: it
    tells the model to stop reading and to begin.
it is told in reverse: boundary, *words] -> boundary, *words[::-1]]
    While reciting, you feed the sentence in reverse. Each step is told the word that it should have
    said before: feed it in its order.
the boundary at the end: [*words, boundary, *words] -> [*words, *words, boundary]
    The boundary is read last in your answer. It is read between the two halves, and is the last
    target.
it must guess without hearing: boundary, *words] -> boundary, *[boundary] * len(words)]
    While writing, you feed the boundary all the time. Feed the sentence once more: each step is
    told the word that it should have said before.
said backwards: [*words, boundary] -> [*words[::-1], boundary]
    You let it say the sentence backwards, and feed it forwards. Dai and Le's model says the
    sentence as it was read.
it repeats what it is told: [*words, boundary] -> [boundary, *words] \
        && [False] * len(words) + [True] * (len(words) + 1) \
        -> [False] * (len(words) + 1) + [True] * len(words)
    While writing, the target is the very word that is fed in: it copies and need not remember. The
    target is the *next* word of the sentence; at the boundary it is the first.
the targets are not shifted: [*words, boundary] -> [boundary, *words]
    Your targets are what is fed in at the same step: the boundary at the boundary, then each word
    at itself. The target is the *next* one: the first word at the boundary.
no boundary: [*words, boundary, *words] -> [*words, *words] \
        && [*words, boundary] -> words && (len(words) + 1) -> len(words)
    Nothing tells the model that reading ends and writing begins, nor when to stop. The boundary
    stands between the two halves, and it is the last target.
the end is never said: boundary, *words] -> boundary, *words[:-1]] \
        && [*words, boundary] -> words && (len(words) + 1) -> len(words)
    Your model never learns to stop: after the last word it must say the boundary. There are 2n + 1
    steps.
the first word is not asked for: [False] * len(words) + [True] * (len(words) + 1) \
        -> [False] * (len(words) + 1) + [True] * len(words)
    The step that reads the boundary counts: there the first word is asked for. Only n steps do not
    count.
--- hint 3
True and False are exchanged: [False] -> [True] && [True] -> [False]
    True and False are the wrong way round: the reading counts and the reciting does not. A step
    counts when something is to be said.
a list of triples: inputs, targets, counted -> list(zip(inputs, targets, counted))
    You return one triple for each step. Three lists are wanted, each with an entry for every step:
    `return inputs, targets, counted`.
the next word is looked up by `index`: + [*words, boundary] \
        -> + (words[:1] + [inputs[words.index(word) + 1] for word in words] or [boundary])
the next word is looked up in a dict: [*words, boundary] \
        -> [*map(dict(zip([boundary, *words], [*words, boundary])).get, [boundary, *words])]
    You look a word up to find the one after it, and a word that comes twice has two of them. Go by
    positions: the targets are the whole sentence, then the boundary.
the reading counts as well: [False] -> [True] \
        && [boundary] * len(words) + [*words, boundary] -> [*inputs[1:], boundary]
    All steps count in your answer. While it reads, nothing is asked: the first n steps do not
    count.
"""

EXERCISE = Exercise(
    id="autoencoder_steps",
    title="Read it, then say it again",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=3,
    minutes=10,
    reference=lstm_classifier.autoencoder_steps,
    view=_what_counts,
    cases=(
        Case("three words", _to_be_rewritten(3)),
        Case("eight words", _to_be_rewritten(8), weight=2),
        Case("one word", _to_be_rewritten(1), edge=True),
        Case("no word", _to_be_rewritten(0), edge=True),
        Case("a word that comes twice", _with_a_word_twice, edge=True),
    ),
    mistakes=slips(lstm_classifier.autoencoder_steps, SLIPS),
    right_answers={
        "one list, shifted": _autoencoder_by_shifting,
        "zeros where nothing counts": lambda ids, end: (
            [*ids, end, *ids],
            [*[0] * len(ids), *ids, end],
            [i >= len(ids) for i in range(2 * len(ids) + 1)],
        ),
    },
)
