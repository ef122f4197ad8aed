"""Exercise `with_elmo`: the frozen layers, mixed, at the input of an RNN, its output, or both."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, returned
from autograde.checking.differentiable import slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.taglm.any_width import AnyWidth, in_words
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


class _Mix(nn.Module):
    """Weights of its own over the layers."""

    def __init__(self, seed: int, layers: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.weight = nn.Parameter(torch.rand(layers, generator=generator))
        self.calls = 0

    def forward(self, layers: Layers) -> Tensor:
        """L layers (B, T, D), or one tensor of them, to their mix."""
        self.calls += 1
        stacked = layers if isinstance(layers, Tensor) else torch.stack(list(layers))
        return torch.einsum("l,l...->...", self.weight[: len(stacked)], stacked)


@Case.drawn
def _vectors(
    rng: Random, batch: int, words: int, width: int, where: str, layers: int = 3
) -> Inputs:
    return {
        "x": rng.standard_normal((batch, words, width), np.float32),
        "layers": rng.standard_normal((layers, batch, words, width), np.float32),
        "mix_in": int(rng.integers(1, 10**6)),
        "mix_out": int(rng.integers(1, 10**6)),
        "rnn": int(rng.integers(1, 10**6)),
        "where": where,
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What comes out, what its gradient reaches, and what the RNN was given."""
    x = torch.from_numpy(inputs["x"].copy()).requires_grad_()
    layers = [torch.from_numpy(layer.copy()).requires_grad_() for layer in inputs["layers"]]
    mixes = [_Mix(inputs[name], len(layers)) for name in MIXES]
    rnn = AnyWidth(inputs["rnn"], x.shape[-1])
    given = list(layers)
    result = returned(answer(x, given, *mixes, rnn, inputs["where"]))
    if len(given) != len(layers) or any(a is not b for a, b in zip(given, layers, strict=True)):
        raise AnswerRefused(
            "Your answer changed its argument `layers`. Whoever called the function still needs "
            "the list as it was: make a new one, `[h.detach() for h in layers]`."
        )
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
        "widths that the RNN is given": in_words(rnn.widths),
        "calls of mix_in and of mix_out": " and ".join(str(mix.calls) for mix in mixes),
    }


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


def _all_ways(
    x: Tensor, layers: Layers, mix_in: Mixed, mix_out: Mixed, rnn: Layer, where: str
) -> Tensor:
    ways = {
        place: elmo_tagger.with_elmo(x, list(layers), mix_in, mix_out, rnn, place)
        for place in ("none", "input", "output", "both")
    }
    return ways[where]


SLIPS = """
--- hint 1
the RNN is left out: rnn(x) -> x
    The vectors never go through `rnn`.
--- hint 2
the mix comes first: [x, mix_in(layers)] -> [mix_in(layers), x] && [h, mix_out(layers)] \
        -> [mix_out(layers), h]
    A model would learn as well from this order. The task asks for the other one, so that answers
    can be compared: the mix last, as in the paper's [x ; ELMo].
the mix comes first at the input: [x, mix_in(layers)] -> [mix_in(layers), x]
    At the input you join [mix ; x]. A model would learn as well from this order. The task asks for
    the other one, so that answers can be compared: the mix last, as in the paper's [x ; ELMo].
the mix comes first at the output: [h, mix_out(layers)] -> [mix_out(layers), h]
    At the output you put the mix before what the RNN gave. A model would learn as well from this
    order. The task asks for the other one, so that answers can be compared: the mix last.
added, not joined: torch.cat([x, mix_in(layers)], -1) -> x + mix_in(layers) \
        && torch.cat([h, mix_out(layers)], -1) -> h + mix_out(layers)
    You add the two vectors. That needs equal widths, and loses which number came from where. Put
    them side by side with `torch.cat`.
added at the input: torch.cat([x, mix_in(layers)], -1) -> x + mix_in(layers)
    At the input you add the two vectors, and lose which number came from where. Put them side by
    side with `torch.cat`.
added at the output: torch.cat([h, mix_out(layers)], -1) -> h + mix_out(layers)
    At the output you add the two vectors, and lose which number came from where. Put them side by
    side with `torch.cat`.
joined along the words: every ], -1) -> ], 1)
    You put the mixed vectors behind the sentence, as more words. Join along the last axis: each
    word's vector grows.
joined along the sentences: every ], -1) -> ], 0)
    You put the mixed vectors behind the batch, as more sentences. Join along the last axis: each
    word's vector grows.
the mix takes the place: torch.cat([x, mix_in(layers)], -1) -> mix_in(layers) \
        && torch.cat([h, mix_out(layers)], -1) -> mix_out(layers)
    The mix replaces what was there. Put it *beside* it with `torch.cat`.
the mix takes the place of x at the input: torch.cat([x, mix_in(layers)], -1) -> mix_in(layers)
    At the input the mix replaces `x`. Put it *beside* `x` with `torch.cat`.
the mix takes the RNN's place at the output: torch.cat([h, mix_out(layers)], -1) -> mix_out(layers)
    At the output the mix replaces what the RNN gave. Put it *beside* that with `torch.cat`.
the layers are not frozen: [h.detach() for h in layers] -> list(layers)
    The vectors are right, and a gradient runs back into the layers. The biLM is frozen:
    `[h.detach() for h in layers]` before you mix.
the mix is cut off, not the layers: [h.detach() for h in layers] -> list(layers) \
        && mix_in(layers) -> mix_in(layers).detach() && mix_out(layers) -> mix_out(layers).detach()
    The vectors are right, and no gradient reaches the mixing weights, so they never learn. Cut
    autograd off before the mix and leave the mix out of `torch.no_grad()`.
the RNN is frozen as well: h = rnn(x) -> with torch.no_grad(): h = rnn(x)
    The vectors are right, and the RNN never learns. Only the layers are frozen: leave it out of
    `torch.no_grad()`.
everything is frozen: return h -> return h.detach()
    The vectors are right, and no gradient reaches anything, so nothing learns. Only the layers are
    frozen: detach them, and leave the mixes and the RNN out of `torch.no_grad()`.
the word vectors are frozen as well: layers = -> x = x.detach()⏎layers =
    The vectors are right, and the word vectors never learn. Only the layers are frozen: leave `x`
    as it is.
--- hint 3
both mixes, always: for h in layers] -> for h in layers] \
        ⏎inner, outer = mix_in(layers), mix_out(layers) && [x, mix_in(layers)] -> [x, inner] \
        && [h, mix_out(layers)] -> [h, outer]
    The vectors are right, and both mixes are called whatever `where` says. Call a mix only where it
    is used.
both mixes, always, and without gradients: for h in layers] -> for h in layers] \
        ⏎with torch.no_grad(): inner, outer = mix_in(layers), mix_out(layers) \
        && [x, mix_in(layers)] -> [x, inner] && [h, mix_out(layers)] -> [h, outer]
    The vectors are right, and two things are not. No gradient reaches the mixing weights, so they
    never learn: detach the layers, and leave the mixes out of `torch.no_grad()`. And both mixes are
    called whatever `where` says: call a mix only where it is used.
"both" is forgotten at the input: where in ("input", "both") -> where == "input"
    With "both" nothing joins at the input. Ask `where in ("input", "both")`.
"both" is forgotten at the output: where in ("output", "both") -> where == "output"
    With "both" nothing joins at the output. Ask `where in ("output", "both")`.
"both" is forgotten: where in ("input", "both") -> where == "input" \
        && where in ("output", "both") -> where == "output"
    With "both" nothing joins at all. Ask `where in ("input", "both")`, and likewise for the output.
the input, whatever is asked: where in ("input", "both") -> where == "input" or "both"
    The mix joins at the input whatever `where` says. `where == "input" or "both"` is always true:
    ask `where in ("input", "both")`.
the input, for "output" too: where in ("input", "both") -> where != "none"
    With "output" the mix joins at the input as well. `where == "input" or "both"` is always true:
    ask `where in ("input", "both")`.
the input, for "none" too: where in ("input", "both") -> where != "output"
    With "none" the mix joins at the input. Ask `where in ("input", "both")`.
the output, for "none" too: where in ("output", "both") -> where != "input"
    With "none" the mix joins at the output. Ask `where in ("output", "both")`.
the output, whatever is asked: where in ("output", "both") -> where == "output" or "both"
    The mix joins at the output whatever `where` says. `where == "output" or "both"` is always true:
    ask `where in ("output", "both")`.
the output, for "input" too: where in ("output", "both") -> where != "none"
    With "input" the mix joins at the output as well. `where == "output" or "both"` is always true:
    ask `where in ("output", "both")`.
the input, unless it is asked for: where in ("input", "both") -> where not in ("input", "both")
    The mix joins at the input where `where` does not name it. Turn the question round: `where in
    ("input", "both")`.
the output, unless it is asked for: where in ("output", "both") -> where not in ("output", "both")
    The mix joins at the output where `where` does not name it. Turn the question round: `where in
    ("output", "both")`.
mix_in at both places: mix_out(layers) -> mix_in(layers)
mix_out at both places: mix_in(layers) -> mix_out(layers)
    You mix with one set of weights at both places. The paper has two: `mix_in` at the input,
    `mix_out` at the output.
the two mixes are swapped: mix_in(layers) -> mix_out(layers) && mix_out(layers) -> mix_in(layers)
    The two mixes are swapped: `mix_in` belongs to the input, `mix_out` to the output.
input and output are swapped: where in ("input", "both") -> where in ("output", "both") \
        && where in ("output", "both") -> where in ("input", "both")
    The two places are swapped: "input" is before the RNN, "output" behind it.
at both places, always: layers = -> where = "both"⏎layers =
    The layers always join at both places. `where` says where.
at the input, always: layers = -> where = "input"⏎layers =
    The layers always join at the input. `where` says where.
the layers never join: layers = -> where = "none"⏎layers =
    The layers never join. `where` says where.
the top layer alone: mix_in(layers) -> layers[-1] && mix_out(layers) -> layers[-1]
    You join the top layer, unmixed. That is TagLM. Let `mix_in` and `mix_out` mix all layers.
the token layer alone: mix_in(layers) -> layers[0] && mix_out(layers) -> layers[0]
    You join layer 0, unmixed. Let `mix_in` and `mix_out` mix all layers.
the word vectors at the output: [h, mix_out(layers)] -> [x, mix_out(layers)]
the word vectors at the output, as they came: layers = -> given = x⏎layers = \
        && [h, mix_out(layers)] -> [given, mix_out(layers)]
    At the output you join `x` with the mix, and what the RNN gave is lost. Join the RNN's result.
the mix goes through the RNN, too: [h, mix_out(layers)] -> [h, rnn(mix_out(layers))]
    You send the mix through the RNN before joining it at the output. There it joins as it is.
"""

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
        *slips(elmo_tagger.with_elmo, SLIPS),
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
    },
)
