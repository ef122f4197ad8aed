"""Exercise `go_on`: the loop by which a language model goes on talking."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.starting_from_a_language_model import LESSON
from elmo_mini.tasks.decoding import go_on

BOUNDARY = 1
WORDS = 12
Step = Callable[[int, Any], tuple[Tensor, Any]]
Choose = Callable[[Tensor], int]
A_LIST = "Return a list with the ids of the words that were chosen."
WITHOUT_END = (
    "Your loop goes on and on: it has called `step` {calls} times. It ends at the boundary, or "
    "after `longest` words."
)
NO_SCORES = "`choose` is given the scores that `step` returned, a tensor (V,)."
NOT_A_WORD = "`step` reads the id of one word, a whole number. It was given {word}."


@Case.drawn
def _talk(rng: Random, start: int, until: int, longest: int) -> Inputs:
    """`until` words are chosen before the boundary; 0 for never."""
    said = rng.permutation(np.arange(2, WORDS))[: until or longest + 2].tolist()
    return {
        "start": [BOUNDARY, *rng.integers(2, WORDS, start).tolist()],
        "what will be chosen": [*said, BOUNDARY] if until else said,
        "longest": longest,
        "boundary": BOUNDARY,
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What comes back, and what `step` and `choose` were given, in turn."""
    chosen, start = inputs["what will be chosen"], inputs["start"]
    read: list[int] = []
    states: list[str] = []
    held: list[float] = []

    def step(word: Any, state: Any) -> tuple[Tensor, Any]:
        if isinstance(word, Tensor) and word.numel() == 1:
            word = word.item()
        if not isinstance(word, int | np.integer) or isinstance(word, bool):
            raise AnswerRefused(NOT_A_WORD.format(word=f"a {type(word).__name__}"))
        read.append(int(word))
        if len(read) > 60:
            raise AnswerRefused(WITHOUT_END.format(calls=len(read)))
        states.append("none" if state is None else str(state))
        scores = torch.full((WORDS,), -3.0)
        scores[0] = 10.0 + len(read)  # the likeliest, never chosen
        return scores, f"after {len(read)} words"

    def choose(scores: Any) -> int:
        if not isinstance(scores, Tensor) or scores.shape != (WORDS,):
            raise AnswerRefused(NO_SCORES)
        held.append(float(scores[0]) - 10)
        place = len(held) - 1
        return chosen[place] if place < len(chosen) else 2

    given = list(start)
    came = returned(answer(step, given, choose, inputs["boundary"], inputs["longest"]))
    refuse_changed(inputs, {"start": given})
    if isinstance(came, Tensor | np.ndarray):
        came = came.tolist()
    if not isinstance(came, list | tuple):
        raise AnswerRefused(A_LIST)
    before = held[: inputs["longest"]]  # a choice too many, thrown away, does no harm
    steps = int(before[-1]) if before else 0
    return {
        "what is said": [int(word) for word in came],
        "what `step` has read": read[:steps],
        "the states it was given": states[:steps],
        "steps before each choice": before,
    }


def _for_loop(
    step: Step, start: Sequence[int], choose: Choose, boundary: int, longest: int
) -> list[int]:
    words = list(start)
    state: Any = None
    for word in words[:-1]:
        _, state = step(word, state)
    for _ in range(longest):
        scores, state = step(words[-1], state)
        word = choose(scores)
        if word == boundary:
            return words[len(start) :]
        words.append(word)
    return words[len(start) :]


SLIPS = """
--- hint 1
what was said is not read: said.append(word) scores, state = step(word, state) -> said.append(word)
    The model never reads what it has said, so it chooses from the same scores again and again.
    Each chosen word is read before the next one is chosen.
the last word of the start once more: said.append(word) scores, state = step(word, state) \
        -> said.append(word) ⏎scores, state = step(start[-1], state)
    After each choice you read the last word of `start` once more. Read the word that was chosen.
the last word of the start is not read: for word in start: -> for word in start[:-1]:
    The last word of `start` is never read, so the first choice is made a word too early.
the last word of the start alone: for word in start: -> for word in start[-1:]:
    You read the last word of `start` alone. All of them are read, in their order.
the first word of the start alone: for word in start: -> for word in start[:1]:
    You read the first word of `start` alone. All of them are read, in their order.
the last word of the start is read twice: said: list[int] = [] -> said: list[int] = [] \
        ⏎scores, state = step(start[-1], state)
    You read the last word of `start` twice. The scores that it gave say the first choice already.
the start is read backwards: for word in start: -> for word in start[::-1]:
    You read `start` from its end. It is read in order.
the boundary is read again first: state = None for -> state = None ⏎scores, state = step(boundary, \
        state) ⏎for
    You read a boundary before `start`, where one stands already.
--- hint 2
each word begins from nothing: scores, state = step(word, state) said: \
        -> scores, state = step(word, None) ⏎said: \
        && said.append(word) scores, state = step(word, state) \
        -> said.append(word) ⏎scores, state = step(word, None)
    Every word begins from None, so nothing of what was read is kept. Hand each step the state that
    the last one returned.
the state of the start is thrown away: said: list[int] = [] -> said: list[int] = [] ⏎state = None
    You begin anew behind `start`: its state is thrown away. Go on with it.
the state is not handed on while it talks: said.append(word) scores, state = step(word, state) \
        -> said.append(word) ⏎scores, _ = step(word, state)
    While it talks, each step gets the state from the end of `start`. Keep the state that comes
    back, and hand it on.
the state is not handed on while it listens: scores, state = step(word, state) said: \
        -> scores, after = step(word, None) ⏎state = after ⏎said:
    While it listens, each word of `start` begins from None. Hand each step the state that the last
    one returned.
everything is read anew: said.append(word) scores, state = step(word, state) \
        -> said.append(word) ⏎state = None ⏎for word in [*start, *said]: \
        ⏎    scores, state = step(word, state)
    You read everything anew for each word. The state holds what was read: read the chosen word
    alone, from the state that the last step returned.
--- hint 3
it never stops at the boundary: if word == boundary: return said ->
    Your loop goes on behind the boundary, into the next sentence. The boundary ends it.
the boundary is said: word = choose(scores) if word == boundary: return said said.append(word) \
        -> word = choose(scores) ⏎said.append(word) ⏎if word == boundary: ⏎    return said
    The boundary stands at the end of your list. It ends the sentence, and is no part of it.
the last word is left out: return said said.append(word) \
        -> return said ⏎said.append(word) ⏎if len(said) == longest: ⏎    return said[:-1]
    The last word is missing when it is cut off: `longest` words are wanted.
one word too many: len(said) < longest -> len(said) <= longest
    You say one word too many: at most `longest`.
one word too few: len(said) < longest -> len(said) < longest - 1
    You stop one word too early: `longest` words may be said.
the start counts, too: len(said) < longest -> len(said) + len(start) < longest
    You count the words of `start`, too. `longest` counts what is said after it.
the start is said, too: every return said -> return [*start, *said]
    Your list begins with the words of `start`. Return what was chosen after them.
the likeliest word: choose(scores) -> int(scores.argmax())
    You take the likeliest word yourself. Which word is taken, `choose` says.
--- no hint
`longest` is not used: while len(said) < longest: -> while True:
    Your loop ends at the boundary alone. A model that never says it would talk for ever:
    `longest` words are enough.
"""

EXERCISE = Exercise(
    id="go_on",
    title="It goes on talking",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=7,
    reference=go_on,
    run=_run,
    cases=(
        Case("it starts from the boundary, and stops after three words", _talk(0, 3, 9)),
        Case("it goes on after two words", _talk(2, 4, 9), weight=2),
        Case("it is cut off after five words", _talk(1, 0, 5), weight=2),
        Case("the boundary would come next", _talk(2, 4, 4)),
        Case("one word", _talk(3, 0, 1), edge=True),
    ),
    mistakes=slips(go_on, SLIPS),
    right_answers={"reads first, then chooses": _for_loop},
)
