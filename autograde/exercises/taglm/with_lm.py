"""Exercise `with_lm`: where the language model joins."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.differentiable import slopes
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
from autograde.exercises.taglm import LESSON
from autograde.exercises.taglm.lattice import named
from elmo_mini.tagging import taglm


class _Layer:
    """A recurrent layer that takes vectors of any width: wrong answers run, and differ.

    It remembers the widths it was given, because a layer of the lesson's network takes one only.
    """

    def __init__(self, seed: int, width: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.weight = torch.randn(64, width, generator=generator, dtype=torch.float64)
        self.weight.requires_grad_()
        self.widths: set[int] = set()

    def __call__(self, vectors: Tensor) -> Tensor:
        self.widths.add(vectors.shape[-1])
        carried = vectors.cumsum(1) / 2  # so that the order of time matters
        return torch.tanh(carried @ self.weight[: vectors.shape[-1]])


def _vectors(batch: int, words: int, width: int, position: str) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "words": rng.standard_normal((batch, words, width)),
            "lm": rng.standard_normal((batch, words, width)),
            "first": int(rng.integers(1, 10**6)),
            "second": int(rng.integers(1, 10**6)),
            "position": position,
        }

    return make


def _run_with_layers(answer: Answer, inputs: Inputs) -> Plain:
    """What comes out, and its gradient for the words: floor 1 and the word vectors learn by it."""
    width = inputs["words"].shape[-1]
    words, lm = (torch.from_numpy(inputs[name].copy()) for name in ("words", "lm"))
    words.requires_grad_()
    first, second = (_Layer(inputs[name], width) for name in ("first", "second"))
    result = answer(words, lm, first, second, inputs["position"])
    if isinstance(result, tuple):
        raise AnswerRefused(
            "Your answer is a tuple. `first` and `second` give one tensor each; return one tensor."
        )
    returned(result)
    if not isinstance(result, Tensor):
        raise AnswerRefused(f"Your answer is {named(result)}. Return one tensor.")
    if not torch.equal(words, torch.from_numpy(inputs["words"])):
        raise AnswerRefused("Your answer changed `words`. Build new tensors with `torch.cat`.")
    found = slopes(result.sum(), {"words": words, "first": first.weight})
    return {
        "vectors": plain(result),
        "their gradient for the word vectors": plain(found["words"]),
        "their gradient for the first floor": plain(found["first"]),
        "width of the vectors that `first` is given": _said(first.widths),
        "width of the vectors that `second` is given": _said(second.widths),
    }


def _said(widths: set[int]) -> str:
    return " and ".join(map(str, sorted(widths))) or "never called"


Layer = Callable[[Tensor], Tensor]


def _joined(
    words: Tensor,
    lm: Tensor,
    first: Layer,
    second: Layer,
    position: str,
    *,
    join: Callable[[Tensor, Tensor], Tensor] = lambda a, b: torch.cat([a, b], -1),
) -> Tensor:
    if position == "input":
        words = join(words, lm)
    states = first(words)
    if position == "after_first":
        states = join(states, lm)
    states = second(states)
    return join(states, lm) if position == "after_second" else states


def _joined_everywhere(
    words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str
) -> Tensor:
    states = second(torch.cat([first(torch.cat([words, lm], -1)), lm], -1))
    return torch.cat([states, lm], -1) if position == "after_second" else states


def _joined_in_words(words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str) -> Any:
    if position == "none":
        return second(first(words))
    if position == "input":
        return second(first(torch.cat((words, lm), dim=2)))
    if position == "after_first":
        return second(torch.cat((first(words), lm), dim=2))
    return torch.cat((second(first(words)), lm), dim=2)


def _all_ways(words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str) -> Tensor:
    ways = ("input", "after_first", "after_second", "none")
    return {way: _joined(words, lm, first, second, way) for way in ways}[position]


def _always_also(
    words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str, where: str
) -> Tensor:
    """The LM vectors join at the place asked for, and always at one place more."""
    states = words
    for place, floor in (("input", first), ("after_first", second)):
        joins = place in (position, where)
        states = floor(torch.cat([states, lm], -1) if joins else states)
    joins = "after_second" in (position, where)
    return torch.cat([states, lm], -1) if joins else states


def _first_too_early(
    words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str
) -> Tensor:
    first(words)
    return _joined(words, lm, first, second, position)


def _after_first_too_late(
    words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str
) -> Tensor:
    place = "after_second" if position == "after_first" else position
    return _joined(words, lm, first, second, place)


def _after_first_without_first(
    words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str
) -> Tensor:
    if position == "after_first":
        return second(torch.cat([words, lm], -1))
    return _joined(words, lm, first, second, position)


def _joined_with_words(
    words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str
) -> Tensor:
    if position in ("none", "input"):
        return _joined(words, lm, first, second, position)
    return _joined(words, torch.cat([lm, words], -1), first, second, position)


def _lm_through_the_floors(
    words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str
) -> Tensor:
    through = {"after_first": first, "after_second": second}.get(position, lambda vectors: vectors)
    return _joined(words, through(lm), first, second, position)


def _lm_in_place(words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str) -> Tensor:
    return _joined(words, lm, first, second, position, join=lambda _, joined: joined)


def _only_the_lm(words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str) -> Tensor:
    return _joined(words, lm, first, second, position, join=lambda _, lm: torch.cat([lm, lm], -1))


def _words_in_place_of_lm(
    words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str
) -> Tensor:
    return _joined(words, words, first, second, position)


def _first_is_lost(words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str) -> Tensor:
    def join(vectors: Tensor, lm: Tensor) -> Tensor:
        return torch.cat([words, lm], -1)

    return _joined(words, lm, first, second, position, join=join)


def _second_twice(words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str) -> Tensor:
    return _joined(words, lm, second, second, position)


def _also_after_first(
    words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str
) -> Tensor:
    states = first(torch.cat([words, lm], -1) if position == "input" else words)
    states = second(states if position == "none" else torch.cat([states, lm], -1))
    return torch.cat([states, lm], -1) if position == "after_second" else states


def _turned(
    words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str, where: str
) -> Tensor:
    """The LM vectors join at one place whenever they should not, and not when they should."""
    places = {"input", "after_first", "after_second"} - {where}
    chosen = ({position} & places) | ({where} if position != where else set())
    states = torch.cat([words, lm], -1) if "input" in chosen else words
    states = first(states)
    states = second(torch.cat([states, lm], -1) if "after_first" in chosen else states)
    return torch.cat([states, lm], -1) if "after_second" in chosen else states


TURNED = (
    "One of your conditions is turned round: the LM vectors join where they should not, and not "
    "where they should. Look for `!=` or `not`."
)


SWAPPED = {"input": "after_second", "after_first": "after_first"}


SWAPPED |= {"after_second": "input", "none": "none"}


EXERCISE = Exercise(
    id="with_lm",
    title="Where the language model joins",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=taglm.with_lm,
    run=_run_with_layers,
    cases=(
        Case("after the first floor, as in the paper", _vectors(1, 3, 4, "after_first"), weight=2),
        Case("at the input", _vectors(2, 4, 3, "input")),
        Case("after the second floor", _vectors(2, 3, 4, "after_second")),
        Case("not at all", _vectors(2, 3, 4, "none")),
        Case("one sentence of one word", _vectors(1, 1, 2, "after_first"), edge=True),
    ),
    mistakes=(
        Mistake(
            "always after the first floor",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, "after_first"),
            "The LM vectors always join after the first floor. `position` says where.",
            hint=1,
        ),
        Mistake(
            "input and after_second are swapped",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, SWAPPED[p]),
            'Two places are swapped. "input" means below the first floor, "after_second" above the '
            "second.",
            hint=3,
        ),
        Mistake(
            "the first floor is cut off from autograd",
            lambda w, lm, a, b, p: _joined(w, lm, lambda x: a(x).detach(), b, p),
            "The vectors are right, and autograd cannot follow them back through the first floor, "
            "which then never learns. Only the language model is frozen: leave out `.detach()` and "
            "`torch.no_grad()` here.",
        ),
        Mistake(
            "always at the input",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, "input"),
            "The LM vectors join the words at the input, as many summaries tell it. TagLM joins "
            "them to what the first floor gives. `position` says where.",
            hint=1,
        ),
        Mistake(
            "added, not joined",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, p, join=lambda x, y: x + y),
            "You add the two vectors. That needs equal widths, and loses which number came from "
            "where. Put them side by side with `torch.cat`.",
            hint=2,
        ),
        Mistake(
            "joined along the words",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, p, join=lambda x, y: torch.cat([x, y], 1)),
            "You put the LM vectors behind the sentence, as more words. Join along the last axis: "
            "each word's vector grows.",
            hint=2,
        ),
        Mistake(
            "the LM vectors come first",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, p, join=lambda x, y: torch.cat([y, x], -1)),
            "A model would learn as well from this order. The task asks for the other one, so that "
            "answers can be compared: the LM vectors last, as in equation 3.",
            hint=3,
        ),
        Mistake(
            "the first floor twice",
            lambda w, lm, a, b, p: _joined(w, lm, a, a, p),
            "Both times you call `first`. The upper floor is `second`, with weights of its own.",
            hint=3,
        ),
        Mistake(
            "the second floor is left out",
            lambda w, lm, a, b, p: _joined(w, lm, a, lambda x: x, p),
            "The vectors never go through `second`.",
            hint=1,
        ),
        Mistake(
            "at every place at once",
            _joined_everywhere,
            "You join the LM vectors at several places. One is asked for each time.",
            hint=1,
        ),
        Mistake(
            "the LM vectors never join",
            lambda w, lm, a, b, p: _joined(w, lm, a, b, "none"),
            "`lm` is never used. Join it at the place that `position` names.",
            hint=1,
        ),
        Mistake(
            "all ways are computed, and one is chosen",
            _all_ways,
            "Right, and it calls the floors in all four ways, whatever `position` says. In "
            "the network each floor takes vectors of one width only, and the next cells "
            "would stop. Compute only what `position` names.",
            hint=3,
        ),
        Mistake(
            "the first floor is called before the words are joined",
            _first_too_early,
            "Right, and it calls `first` with the bare words, too, where `position` is "
            '"input". In the network the first floor takes the joined vectors only, and the '
            "next cells would stop. Join first, then call.",
            hint=3,
        ),
        Mistake(
            "the word vectors are cut off from autograd",
            lambda w, lm, a, b, p: _joined(w.detach(), lm, a, b, p),
            "The vectors are right, and autograd cannot follow them back to `words`, so the "
            "word vectors never learn. Leave out `.detach()`.",
        ),
        Mistake(
            "after_first joins after the second floor",
            _after_first_too_late,
            'With "after_first" the LM vectors join at the top. They join between the '
            "floors: call `first`, join, then call `second`.",
            hint=3,
        ),
        Mistake(
            "after_first leaves out the first floor",
            _after_first_without_first,
            'With "after_first" the words never go through `first`. The LM vectors join '
            "what `first` gives.",
            hint=2,
        ),
        Mistake(
            'nothing is returned for "none"',
            lambda w, lm, a, b, p: None if p == "none" else _joined(w, lm, a, b, p),
            'With "none" your function returns nothing. Nothing is joined, and the two '
            "floors are called all the same.",
            hint=1,
        ),
        Mistake(
            "the floors are swapped",
            lambda w, lm, a, b, p: _joined(w, lm, b, a, p),
            "You call `second` before `first`. The words go into `first`.",
            hint=1,
        ),
        Mistake(
            "the words are joined again",
            _joined_with_words,
            "You join the word vectors once more together with the LM vectors. Only `lm` joins.",
            hint=2,
        ),
        Mistake(
            "the LM vectors go through the floor, too",
            _lm_through_the_floors,
            "You send `lm` through a floor of its own before joining. It joins as it is: it "
            "is the frozen model's own state.",
            hint=2,
        ),
        Mistake(
            "the LM vectors take the place",
            _lm_in_place,
            "The LM vectors replace what was there. Put them *beside* it with `torch.cat`.",
            hint=2,
        ),
        Mistake(
            "the LM vectors twice",
            _only_the_lm,
            "You join the LM vectors with themselves. Join them with what stands there: the words, "
            "or what the floor gives.",
            hint=2,
        ),
        Mistake(
            "the words in place of the LM vectors",
            _words_in_place_of_lm,
            "What joins are the word vectors. Join `lm`.",
            hint=2,
        ),
        Mistake(
            "the words in place of the floor's vectors",
            _first_is_lost,
            "You join `words` with `lm`, and what the floor gave is lost. Join the floor's result.",
            hint=2,
        ),
        Mistake(
            "the second floor twice",
            _second_twice,
            "The words go through the second floor twice and never through the first.",
            hint=1,
        ),
        Mistake(
            "turned round at the input",
            lambda w, lm, a, b, p: _turned(w, lm, a, b, p, "input"),
            TURNED,
            hint=2,
        ),
        Mistake(
            "turned round after the first floor",
            lambda w, lm, a, b, p: _turned(w, lm, a, b, p, "after_first"),
            TURNED,
            hint=2,
        ),
        Mistake(
            "turned round after the second floor",
            lambda w, lm, a, b, p: _turned(w, lm, a, b, p, "after_second"),
            TURNED,
            hint=2,
        ),
        Mistake(
            "always at the input, too",
            lambda w, lm, a, b, p: _always_also(w, lm, a, b, p, "input"),
            "The LM vectors join the words whatever `position` says. They join there with "
            '`"input"` only: ask `position == "input"`.',
            hint=3,
        ),
        Mistake(
            "always after the first floor, too",
            lambda w, lm, a, b, p: _always_also(w, lm, a, b, p, "after_first"),
            "The LM vectors join after the first floor whatever `position` says. They join there "
            'with `"after_first"` only: ask `position == "after_first"`.',
            hint=3,
        ),
        Mistake(
            "always at the top, too",
            lambda w, lm, a, b, p: _always_also(w, lm, a, b, p, "after_second"),
            "The LM vectors join at the top whatever `position` says. They join there with "
            '`"after_second"` only: ask `position == "after_second"`.',
            hint=3,
        ),
        Mistake(
            'after the first floor wherever it is not "none"',
            _also_after_first,
            'You join after the first floor whenever `position` is not "none", so "input" and '
            '"after_second" join twice. Ask `position == "after_first"`.',
            hint=3,
        ),
        *(
            Mistake(
                f'zeros join for "none", {where}',
                lambda w, lm, a, b, p, where=where: _joined(
                    w, 0 * lm if p == "none" else lm, a, b, where if p == "none" else p
                ),
                'With "none" you join zeros. Nothing joins there: the vectors keep their width.',
                hint=1,
            )
            for where in ("input", "after_first", "after_second")
        ),
    ),
    right_answers={"one case after the other": _joined_in_words, "one place to join": _joined},
)
