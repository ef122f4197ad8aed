"""Exercise `with_lm`: where the language model joins."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed, returned
from autograde.checking.differentiable import slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.taglm import LESSON
from autograde.exercises.taglm.any_width import AnyWidth, in_words
from autograde.exercises.taglm.lattice import named
from elmo_mini.models import taglm

Layer = Callable[[Tensor], Tensor]


@Case.drawn
def _vectors(rng: Random, batch: int, words: int, width: int, position: str) -> Inputs:
    return {
        "words": rng.standard_normal((batch, words, width), np.float32),
        "lm": rng.standard_normal((batch, words, width), np.float32),
        "first": int(rng.integers(1, 10**6)),
        "second": int(rng.integers(1, 10**6)),
        "position": position,
    }


def _run_with_layers(answer: Answer, inputs: Inputs) -> Plain:
    """What comes out, and its gradient for the words: LSTM 1 and the word vectors learn by it."""
    width = inputs["words"].shape[-1]
    words, lm = (torch.from_numpy(inputs[name].copy()) for name in ("words", "lm"))
    words.requires_grad_()
    first, second = (AnyWidth(inputs[name], width) for name in ("first", "second"))
    result = answer(words, lm, first, second, inputs["position"])
    if isinstance(result, tuple):
        raise AnswerRefused(
            "Your answer is a tuple. `first` and `second` give one tensor each; return one tensor."
        )
    returned(result)
    if not isinstance(result, Tensor):
        raise AnswerRefused(f"Your answer is {named(result)}. Return one tensor.")
    refuse_changed(inputs, {"words": words}, "Build new tensors with `torch.cat`.")
    found = slopes(result.sum(), {"words": words, "first": first.weight})
    return {
        "vectors": plain(result),
        "their gradient for the word vectors": plain(found["words"]),
        "their gradient for the first LSTM": plain(found["first"]),
        "width of the vectors that `first` is given": in_words(sorted(set(first.widths))),
        "width of the vectors that `second` is given": in_words(sorted(set(second.widths))),
    }


def _join(vectors: Tensor, lm: Tensor) -> Tensor:
    return torch.cat([vectors, lm], dim=-1)


def _joined(words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str) -> Tensor:
    states = _join(words, lm) if position == "input" else words
    low = first(states)
    if position == "after_first":
        low = _join(low, lm)
    high = second(low)
    if position == "after_second":
        high = _join(high, lm)
    return high


def _in_words(words: Tensor, lm: Tensor, first: Layer, second: Layer, position: str) -> Tensor:
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


SLIPS = """
--- hint 1
the second LSTM is left out: second(low) -> low
    The vectors never go through `second`.
nothing is returned for "none": return high -> return high if position != "none" else None
    With "none" your function returns nothing. Nothing is joined, and the two LSTMs are called all
    the same.
the LSTMs are swapped: first(states) -> second(states) && second(low) -> first(low)
    You call `second` before `first`. The words go into `first`.
the second LSTM twice: first(states) -> second(states)
    The words go through the second LSTM twice and never through the first.
zeros join for "none", {where}: states = -> lm = lm * (position != "none")⏎states = \
        && position == "{where}" -> position in ("{where}", "none") \
        | where = input, after_first, after_second
    With "none" you join zeros. Nothing joins there: the vectors keep their width.
after_first leaves out the first LSTM: low = _join(low, lm) -> low = _join(words, lm)
    With "after_first" the words never go through `first`. The LM vectors join what `first` gives.
the first LSTM twice: second(low) -> first(low)
    Both times you call `first`. The upper LSTM is `second`, with weights of its own.
--- hint 2
added, not joined: torch.cat([vectors, lm], dim=-1) -> vectors + lm
    You add the two vectors. That needs equal widths, and loses which number came from where. Put
    them side by side with `torch.cat`.
joined along the sentences: dim=-1 -> dim=0
    You put the LM vectors below the batch, as more sentences. Join along the last axis: each word's
    vector grows.
joined along the words: dim=-1 -> dim=1
    You put the LM vectors behind the sentence, as more words. Join along the last axis: each word's
    vector grows.
the words are joined again: _join(low, lm) -> _join(low, _join(lm, words)) \
        && _join(high, lm) -> _join(high, _join(lm, words))
    You join the word vectors once more together with the LM vectors. Only `lm` joins.
the LM vectors go through the LSTM, too: _join(low, lm) -> _join(low, first(lm)) \
        && _join(high, lm) -> _join(high, second(lm))
    You send `lm` through an LSTM of its own before joining. It joins as it is: it is the frozen
    model's own state.
the LM vectors take the place: torch.cat([vectors, lm], dim=-1) -> lm
    The LM vectors replace what was there. Put them *beside* it with `torch.cat`.
the LM vectors twice: [vectors, lm] -> [lm, lm]
    You join the LM vectors with themselves. Join them with what stands there: the words, or what
    the LSTM gives.
the words in place of the LM vectors: _join(words, lm) -> _join(words, words) \
        && _join(low, lm) -> _join(low, words) && _join(high, lm) -> _join(high, words)
    What joins are the word vectors. Join `lm`.
the words in place of the LSTM's vectors: _join(low, lm) -> _join(words, lm) \
        && _join(high, lm) -> _join(words, lm)
    You join `words` with `lm`, and what the LSTM gave is lost. Join the LSTM's result.
the LM vectors come first: [vectors, lm] -> [lm, vectors]
    A model would learn as well from this order. The task asks for the other one, so that answers
    can be compared: the LM vectors last, as in equation 3.
--- hint 3
the first LSTM is called before the words are joined: \
        low = first(states) -> low = first(words)⏎low = first(states)
    Right, and it calls `first` with the bare words, too, where `position` is "input". In the
    network the first LSTM takes the joined vectors only, and the next cells would stop. Join
    first, then call.
after_second joins before the second LSTM: position == "after_first" \
        -> position in ("after_first", "after_second") && position == "after_second" -> False
    With "after_second" you join before the second LSTM is called. Join its output.
the LM vectors alone for "none": high = second(low) \
        -> high = second(low) if position != "none" else second(first(lm[..., : words.shape[-1]]))
    With "none" you send the LM vectors through the LSTMs. Nothing joins there: the words alone go
    through.
the second LSTM called twice: high = second(low) -> high = second(second(low))
    The vectors go through `second` twice. Once is enough.
input and after_second are swapped: "input" -> "after_second" && "after_second" -> "input"
    Two places are swapped. "input" means below the first LSTM, "after_second" above the second.
after_first joins after the second LSTM: position == "after_first" -> False \
        && position == "after_second" -> position in ("after_first", "after_second")
    With "after_first" the LM vectors join at the top. They join between the LSTMs: call `first`,
    join, then call `second`.
always at the input, too: position == "input" -> True
    The LM vectors join the words whatever `position` says. They join there with `"input"` only: ask
    `position == "input"`.
always after the first LSTM, too: position == "after_first" -> True
    The LM vectors join after the first LSTM whatever `position` says. They join there with
    `"after_first"` only: ask `position == "after_first"`.
always at the top, too: position == "after_second" -> True
    The LM vectors join at the top whatever `position` says. They join there with `"after_second"`
    only: ask `position == "after_second"`.
after the first LSTM wherever it is not "none": position == "after_first" -> position != "none"
    You join after the first LSTM whenever `position` is not "none", so "input" and "after_second"
    join twice. Ask `position == "after_first"`.
always after the first LSTM: position == "input" -> False && position == "after_first" -> True \
        && position == "after_second" -> False
    The LM vectors always join after the first LSTM. `position` says where.
always at the input: position == "input" -> True && position == "after_first" -> False \
        && position == "after_second" -> False
    The LM vectors join the words at the input, as many summaries tell it. TagLM joins them to what
    the first LSTM gives. `position` says where.
at its place and at all above: position == "after_first" -> position in ("input", "after_first") \
        && position == "after_second" -> position != "none"
    From the place that `position` names you join the LM vectors again at each one above. They join
    once.
at every place at once: position == "input" -> True && position == "after_first" -> True \
        && position == "after_second" -> True
at both lower places at once: position == "input" -> True && position == "after_first" -> True
    You join the LM vectors at several places. One is asked for each time.
the LM vectors never join: position == "input" -> False && position == "after_first" -> False \
        && position == "after_second" -> False
    `lm` is never used. Join it at the place that `position` names.
turned round at the input: position == "input" -> position != "input"
turned round after the first LSTM: position == "after_first" -> position != "after_first"
turned round after the second LSTM: position == "after_second" -> position != "after_second"
    One of your conditions is turned round: the LM vectors join where they should not, and not where
    they should. Look for `!=` or `not`.
--- no hint
the first LSTM is cut off from autograd: first(states) -> first(states).detach()
    The vectors are right, and autograd cannot follow them back through the first LSTM, which then
    never learns. Only the language model is frozen: leave out `.detach()` and `torch.no_grad()`
    here.
the word vectors are cut off from autograd: _join(words, lm) if position == "input" else words \
        -> _join(words.detach(), lm) if position == "input" else words.detach()
    The vectors are right, and autograd cannot follow them back to `words`, so the word vectors
    never learn. Leave out `.detach()`.
the LM vectors of the first sentence: cat([vectors, lm], -> cat([vectors, lm[:1].expand_as(lm)],
    Every sentence gets the LM vectors of the first one. Each has its own: `lm`, not `lm[0]`.
"""

EXERCISE = Exercise(
    id="with_lm",
    title="Where the language model joins",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=6,
    reference=taglm.with_lm,
    run=_run_with_layers,
    atol=1e-5,
    cases=(
        Case("after the first LSTM, as in the paper", _vectors(1, 3, 4, "after_first"), weight=2),
        Case("at the input", _vectors(2, 4, 3, "input")),
        Case("after the second LSTM", _vectors(2, 3, 4, "after_second")),
        Case("not at all", _vectors(2, 3, 4, "none")),
        Case("one sentence of one word", _vectors(1, 1, 2, "after_first"), edge=True),
    ),
    mistakes=(
        *slips(_joined, SLIPS, _join),
        Mistake(
            "all ways are computed, and one is chosen",
            _all_ways,
            "Right, and it calls the LSTMs in all four ways, whatever `position` says. In "
            "the network each LSTM takes vectors of one width only, and the next cells would "
            "stop. Compute only what `position` names.",
            hint=3,
        ),
    ),
    right_answers={"one case after the other": _in_words, "one place to join": _joined},
)
