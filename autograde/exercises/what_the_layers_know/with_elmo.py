"""Exercise `with_elmo`: the frozen layers, mixed, at the input of an RNN, its output, or both."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
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
from autograde.exercises.what_the_layers_know import LESSON
from elmo_mini.tagging import elmo_tagger

Layers = Sequence[Tensor] | Tensor
Mixed = Callable[[Layers], Tensor]
Layer = Callable[[Tensor], Tensor]
MIXES = ("mix_in", "mix_out")
NAMES = (
    "for the word vectors",
    "for the RNN",
    "for mix_in",
    "for mix_out",
    "for the biLM's layers",
)


class _Rnn:
    """A recurrent layer that takes vectors of any width: wrong answers run, and differ."""

    def __init__(self, seed: int, out: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.weight = torch.randn(64, out, generator=generator, dtype=torch.float64)
        self.weight.requires_grad_()
        self.widths: list[int] = []

    def __call__(self, vectors: Tensor) -> Tensor:
        self.widths.append(vectors.shape[-1])
        carried = vectors.cumsum(1) / 2  # so that the order of time matters
        return torch.tanh(carried @ self.weight[: vectors.shape[-1]])


class _Mix:
    """Weights of its own over the layers."""

    def __init__(self, seed: int, layers: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.weight = torch.rand(layers, generator=generator, dtype=torch.float64)
        self.weight.requires_grad_()
        self.calls = 0

    def __call__(self, layers: Layers) -> Tensor:
        self.calls += 1
        stacked = layers if isinstance(layers, Tensor) else torch.stack(list(layers))
        return torch.einsum("l,l...->...", self.weight[: len(stacked)], stacked)


def _vectors(batch: int, words: int, width: int, where: str, layers: int = 3) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "x": rng.standard_normal((batch, words, width)),
            "layers": rng.standard_normal((layers, batch, words, width)),
            "mix_in": int(rng.integers(1, 10**6)),
            "mix_out": int(rng.integers(1, 10**6)),
            "rnn": int(rng.integers(1, 10**6)),
            "where": where,
        }

    return make


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What comes out, what its gradient reaches, and what the RNN was given."""
    x = torch.from_numpy(inputs["x"].copy()).requires_grad_()
    layers = [torch.from_numpy(layer.copy()).requires_grad_() for layer in inputs["layers"]]
    mixes = [_Mix(inputs[name], len(layers)) for name in MIXES]
    rnn = _Rnn(inputs["rnn"], x.shape[-1])
    result = returned(answer(x, layers, *mixes, rnn, inputs["where"]))
    if not isinstance(result, Tensor):
        raise AnswerRefused(
            f"Your answer is of type {type(result).__name__}. Return one tensor, (B, T, width)."
        )
    weights = {f"{name}.weight": mix.weight for name, mix in zip(MIXES, mixes, strict=True)}
    leaves = {"x": x, "rnn.weight": rnn.weight} | weights
    frozen = {f"layers[{i}]": layer for i, layer in enumerate(layers)}
    found = slopes(result.sum(), leaves | frozen)
    reached = [found[name] is not None for name in leaves]
    reached.append(any(found[name] is not None for name in frozen))
    return {
        "vectors": plain(result),
        **{f"a gradient {name}": there for name, there in zip(NAMES, reached, strict=True)},
        "gradient for the word vectors": plain(found["x"]),
        "widths that the RNN is given": " and ".join(map(str, rnn.widths)) or "never called",
        "calls of mix_in and of mix_out": " and ".join(str(mix.calls) for mix in mixes),
    }


def _detached(layers: Layers) -> Layers:
    return [layer.detach() for layer in layers]


def _joined(
    x: Tensor,
    layers: Layers,
    mix_in: Mixed,
    mix_out: Mixed,
    rnn: Layer,
    where: str,
    *,
    freeze: Callable[[Layers], Layers] = _detached,
    after_mix: Callable[[Tensor], Tensor] = lambda mixed: mixed,
    join: Callable[[Tensor, Tensor], Tensor] = lambda x, mixed: torch.cat([x, mixed], -1),
    join_in: Callable[[Tensor, Tensor], Tensor] | None = None,
    at_input: tuple[str, ...] = ("input", "both"),
    at_output: tuple[str, ...] = ("output", "both"),
    rnn_learns: bool = True,
) -> Tensor:
    """The definition, with one thing done otherwise."""

    frozen = freeze(layers)
    if where in at_input:
        x = (join_in or join)(x, after_mix(mix_in(frozen)))
    with nullcontext() if rnn_learns else torch.no_grad():
        h = rnn(x)
    return join(h, after_mix(mix_out(frozen))) if where in at_output else h


def _case_by_case(
    x: Tensor, layers: Layers, mix_in: Mixed, mix_out: Mixed, rnn: Layer, where: str
) -> Tensor:
    frozen = torch.stack(list(layers)).detach()
    if where == "none":
        return rnn(x)
    if where == "input":
        return rnn(torch.cat((x, mix_in(frozen)), dim=2))
    if where == "output":
        return torch.cat((rnn(x), mix_out(frozen)), dim=2)
    return torch.cat((rnn(torch.cat((x, mix_in(frozen)), dim=2)), mix_out(frozen)), dim=2)


def _without_gradients(
    x: Tensor, layers: Layers, mix_in: Mixed, mix_out: Mixed, rnn: Layer, where: str
) -> Tensor:
    with torch.no_grad():
        frozen = [h.clone() for h in layers]
    parts = [x] + ([mix_in(frozen)] if where in {"input", "both"} else [])
    parts = [rnn(torch.concatenate(parts, -1))]
    if where in {"output", "both"}:
        parts.append(mix_out(frozen))
    return torch.concatenate(parts, -1)


def _words_at_the_output(
    x: Tensor, layers: Layers, mix_in: Mixed, mix_out: Mixed, rnn: Layer, where: str
) -> Tensor:
    layers = [h.detach() for h in layers]
    inner = torch.cat([x, mix_in(layers)], -1) if where in ("input", "both") else x
    h = rnn(inner)
    return torch.cat([x, mix_out(layers)], -1) if where in ("output", "both") else h


def _through_the_rnn(
    x: Tensor, layers: Layers, mix_in: Mixed, mix_out: Mixed, rnn: Layer, where: str
) -> Tensor:
    layers = [h.detach() for h in layers]
    inner = torch.cat([x, mix_in(layers)], -1) if where in ("input", "both") else x
    h = rnn(inner)
    return torch.cat([h, rnn(mix_out(layers))], -1) if where in ("output", "both") else h


def _one_layer(pick: int) -> Answer:
    def answer(
        x: Tensor, layers: Layers, mix_in: Mixed, mix_out: Mixed, rnn: Layer, where: str
    ) -> Tensor:
        return _joined(x, layers, lambda h: h[pick], lambda h: h[pick], rnn, where)

    return answer


def _always(place: str) -> Answer:
    def answer(
        x: Tensor, layers: Layers, mix_in: Mixed, mix_out: Mixed, rnn: Layer, where: str
    ) -> Tensor:
        return _joined(x, layers, mix_in, mix_out, rnn, place)

    return answer


def _all_ways(
    x: Tensor, layers: Layers, mix_in: Mixed, mix_out: Mixed, rnn: Layer, where: str
) -> Tensor:
    ways = {
        place: elmo_tagger.with_elmo(x, list(layers), mix_in, mix_out, rnn, place)
        for place in ("none", "input", "output", "both")
    }
    return ways[where]


def _mixes_first(
    x: Tensor,
    layers: Layers,
    mix_in: Mixed,
    mix_out: Mixed,
    rnn: Layer,
    where: str,
    *,
    learn: bool = True,
) -> Tensor:
    with nullcontext() if learn else torch.no_grad():
        mixed_in, mixed_out = mix_in(_detached(layers)), mix_out(_detached(layers))
    return _joined(x, layers, lambda _: mixed_in, lambda _: mixed_out, rnn, where)


def _nothing_learns(*given: Any) -> Tensor:
    with torch.no_grad():
        return _joined(*given)


def _no_rnn(
    x: Tensor, layers: Layers, mix_in: Mixed, mix_out: Mixed, rnn: Layer, where: str
) -> Tensor:
    return _joined(x, layers, mix_in, mix_out, lambda h: h, where)


def _front(x: Tensor, mixed: Tensor) -> Tensor:
    return torch.cat([mixed, x], -1)


def _behind(x: Tensor, mixed: Tensor) -> Tensor:
    return torch.cat([x, mixed], -1)


TWO_SETS = (
    "You mix with one set of weights at both places. The paper has two: `mix_in` at the input, "
    "`mix_out` at the output."
)
FROZEN = (
    "The vectors are right, and a gradient runs back into the layers. The biLM is frozen: "
    "`[h.detach() for h in layers]` before you mix."
)
MIX_LEARNS = (
    "The vectors are right, and no gradient reaches the mixing weights, so they never learn. Cut "
    "autograd off before the mix and leave the mix out of `torch.no_grad()`."
)
EXERCISE = Exercise(
    id="with_elmo",
    title="Freeze, mix, concatenate",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=12,
    reference=elmo_tagger.with_elmo,
    run=_run,
    cases=(
        Case("at the input", _vectors(2, 4, 3, "input"), weight=2),
        Case("at the output", _vectors(2, 3, 4, "output")),
        Case("at both", _vectors(1, 4, 3, "both"), weight=2),
        Case("not at all", _vectors(2, 3, 4, "none")),
        Case("one sentence of one word, at both", _vectors(1, 1, 2, "both"), edge=True),
        Case("a model of five layers", _vectors(2, 3, 3, "both", 5), edge=True),
        Case("one sentence of one word, at the output", _vectors(1, 1, 2, "output"), edge=True),
    ),
    mistakes=(
        Mistake(
            "the layers are not frozen",
            lambda *a: _joined(*a, freeze=lambda layers: layers),
            FROZEN,
            hint=3,
        ),
        Mistake(
            "the mix is cut off, not the layers",
            lambda *a: _joined(*a, after_mix=lambda mixed: mixed.detach()),
            MIX_LEARNS,
            hint=3,
        ),
        Mistake(
            "the RNN is frozen as well",
            lambda *a: _joined(*a, rnn_learns=False),
            "The vectors are right, and the RNN never learns. Only the layers are frozen: leave it "
            "out of `torch.no_grad()`.",
            hint=3,
        ),
        Mistake(
            "everything is frozen",
            _nothing_learns,
            "The vectors are right, and no gradient reaches anything, so nothing learns. Only the "
            "layers are frozen: detach them, and leave the mixes and the RNN out of "
            "`torch.no_grad()`.",
            hint=3,
        ),
        Mistake(
            "both mixes, always",
            _mixes_first,
            "The vectors are right, and both mixes are called whatever `where` says. Call a mix "
            "only where it is used.",
            hint=3,
        ),
        Mistake(
            "both mixes, always, and without gradients",
            lambda *a: _mixes_first(*a, learn=False),
            "The vectors are right, and two things are not. No gradient reaches the mixing "
            "weights, so they never learn: detach the layers, and leave the mixes out of "
            "`torch.no_grad()`. And both mixes are called whatever `where` says: call a mix only "
            "where it is used.",
            hint=3,
        ),
        Mistake(
            "the word vectors are frozen as well",
            lambda x, *rest: _joined(x.detach(), *rest),
            "The vectors are right, and the word vectors never learn. Only the layers are frozen: "
            "leave `x` as it is.",
            hint=3,
        ),
        Mistake(
            "mix_in at both places",
            lambda x, layers, i, o, rnn, where: _joined(x, layers, i, i, rnn, where),
            TWO_SETS,
            hint=1,
        ),
        Mistake(
            "mix_out at both places",
            lambda x, layers, i, o, rnn, where: _joined(x, layers, o, o, rnn, where),
            TWO_SETS,
            hint=1,
        ),
        Mistake(
            "the two mixes are swapped",
            lambda x, layers, i, o, rnn, where: _joined(x, layers, o, i, rnn, where),
            "The two mixes are swapped: `mix_in` belongs to the input, `mix_out` to the output.",
            hint=1,
        ),
        Mistake(
            "the mix comes first",
            lambda *a: _joined(*a, join=_front),
            "A model would learn as well from this order. The task asks for the other one, so that "
            "answers can be compared: the mix last, as in the paper's [x ; ELMo].",
            hint=2,
        ),
        Mistake(
            "the mix comes first at the input",
            lambda *a: _joined(*a, join=_behind, join_in=_front),
            "At the input you join [mix ; x]. A model would learn as well from this order. The "
            "task asks for the other one, so that answers can be compared: the mix last, as in the "
            "paper's [x ; ELMo].",
            hint=2,
        ),
        Mistake(
            "the mix comes first at the output",
            lambda *a: _joined(*a, join=_front, join_in=_behind),
            "At the output you put the mix before what the RNN gave. A model would learn as well "
            "from this order. The task asks for the other one, so that answers can be compared: "
            "the mix last.",
            hint=2,
        ),
        Mistake(
            "added, not joined",
            lambda *a: _joined(*a, join=lambda x, mixed: x + mixed),
            "You add the two vectors. That needs equal widths, and loses which number came from "
            "where. Put them side by side with `torch.cat`.",
            hint=2,
        ),
        Mistake(
            "joined along the words",
            lambda *a: _joined(*a, join=lambda x, mixed: torch.cat([x, mixed], 1)),
            "You put the mixed vectors behind the sentence, as more words. Join along the last "
            "axis: each word's vector grows.",
            hint=2,
        ),
        Mistake(
            "joined along the sentences",
            lambda *a: _joined(*a, join=lambda x, mixed: torch.cat([x, mixed], 0)),
            "You put the mixed vectors behind the batch, as more sentences. Join along the last "
            "axis: each word's vector grows.",
            hint=2,
        ),
        Mistake(
            "the mix takes the place",
            lambda *a: _joined(*a, join=lambda x, mixed: mixed),
            "The mix replaces what was there. Put it *beside* it with `torch.cat`.",
            hint=2,
        ),
        Mistake(
            "the mix takes the place of x at the input",
            lambda *a: _joined(*a, join_in=lambda x, mixed: mixed),
            "At the input the mix replaces `x`. Put it *beside* `x` with `torch.cat`.",
            hint=2,
        ),
        Mistake(
            "the mix takes the RNN's place at the output",
            lambda *a: _joined(*a, join=lambda h, mixed: mixed, join_in=_behind),
            "At the output the mix replaces what the RNN gave. Put it *beside* that with "
            "`torch.cat`.",
            hint=2,
        ),
        *(
            Mistake(
                f"the layers are not frozen, and the mix comes first {where}",
                lambda *a, join=join: _joined(
                    *a, freeze=lambda layers: layers, join=join, join_in=_front
                ),
                "Two things. A gradient runs back into the layers: `[h.detach() for h in layers]` "
                "before you mix. And the mix comes last, as in the paper's [x ; ELMo].",
                hint=3,
            )
            for where, join in (("at both places", _front), ("at the input", _behind))
        ),
        Mistake(
            "the layers are not frozen, and joined along the words",
            lambda *a: _joined(
                *a, freeze=lambda layers: layers, join=lambda x, mixed: torch.cat([x, mixed], 1)
            ),
            "Two things. A gradient runs back into the layers: `[h.detach() for h in layers]` "
            "before you mix. And you put the mixed vectors behind the sentence, as more words: "
            "join along the last axis.",
            hint=3,
        ),
        Mistake(
            '"both" is forgotten at the input',
            lambda *a: _joined(*a, at_input=("input",)),
            'With "both" nothing joins at the input. Ask `where in ("input", "both")`.',
            hint=3,
        ),
        Mistake(
            '"both" is forgotten at the output',
            lambda *a: _joined(*a, at_output=("output",)),
            'With "both" nothing joins at the output. Ask `where in ("output", "both")`.',
            hint=3,
        ),
        Mistake(
            '"both" is forgotten',
            lambda *a: _joined(*a, at_input=("input",), at_output=("output",)),
            'With "both" nothing joins at all. Ask `where in ("input", "both")`, and likewise for '
            "the output.",
            hint=3,
        ),
        Mistake(
            "the input, whatever is asked",
            lambda *a: _joined(*a, at_input=("none", "input", "output", "both")),
            'The mix joins at the input whatever `where` says. `where == "input" or "both"` '
            'is always true: ask `where in ("input", "both")`.',
            hint=3,
        ),
        Mistake(
            'the input, for "output" too',
            lambda *a: _joined(*a, at_input=("input", "output", "both")),
            'With "output" the mix joins at the input as well. `where == "input" or "both"` '
            'is always true: ask `where in ("input", "both")`.',
            hint=3,
        ),
        Mistake(
            "the output, whatever is asked",
            lambda *a: _joined(*a, at_output=("none", "input", "output", "both")),
            'The mix joins at the output whatever `where` says. `where == "output" or "both"`'
            ' is always true: ask `where in ("output", "both")`.',
            hint=3,
        ),
        Mistake(
            'the output, for "input" too',
            lambda *a: _joined(*a, at_output=("input", "output", "both")),
            'With "input" the mix joins at the output as well. `where == "output" or "both"` '
            'is always true: ask `where in ("output", "both")`.',
            hint=3,
        ),
        Mistake(
            "input and output are swapped",
            lambda *a: _joined(*a, at_input=("output", "both"), at_output=("input", "both")),
            'The two places are swapped: "input" is before the RNN, "output" behind it.',
            hint=1,
        ),
        Mistake(
            "at both places, always",
            _always("both"),
            "The layers always join at both places. `where` says where.",
            hint=1,
        ),
        Mistake(
            "at the input, always",
            _always("input"),
            "The layers always join at the input. `where` says where.",
            hint=1,
        ),
        Mistake(
            "the layers never join",
            _always("none"),
            "The layers never join. `where` says where.",
            hint=1,
        ),
        Mistake(
            "the word vectors at the output",
            _words_at_the_output,
            "At the output you join `x` with the mix, and what the RNN gave is lost. Join the "
            "RNN's result.",
            hint=2,
        ),
        Mistake(
            "the mix goes through the RNN, too",
            _through_the_rnn,
            "You send the mix through the RNN before joining it at the output. There it joins as "
            "it is.",
            hint=2,
        ),
        Mistake(
            "the RNN is left out",
            _no_rnn,
            "The vectors never go through `rnn`.",
            hint=1,
        ),
        Mistake(
            "the top layer alone",
            _one_layer(-1),
            "You join the top layer, unmixed. That is TagLM. Let `mix_in` and `mix_out` mix all "
            "layers.",
            hint=1,
        ),
        Mistake(
            "the token layer alone",
            _one_layer(0),
            "You join layer 0, unmixed. Let `mix_in` and `mix_out` mix all layers.",
            hint=1,
        ),
        Mistake(
            "all ways are computed, and one is chosen",
            _all_ways,
            "Right, and it calls the RNN in all four ways, whatever `where` says. In the network "
            "the RNN takes vectors of one width only, and the next cells would stop. Compute only "
            "what `where` names.",
            hint=3,
        ),
    ),
    right_answers={
        "one case after the other": _case_by_case,
        "the layers copied without gradients": _without_gradients,
        "the definition": _joined,
    },
)
