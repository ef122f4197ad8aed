"""The weights of a trained AllenNLP `Elmo` module, by its names, into ours.

A model that was trained with AllenNLP keeps ELMo's weights, and the mixes it learned, in its own
``state_dict``. The layout differs from the official files': an LSTM's gates stand in the order i,
f, g, o, the 1 of the forget gate is part of the bias, and a highway layer is one matrix, with the
gate's half negated.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from elmo_mini.checkpoints.fitting import misfits
from elmo_mini.embedding.elmo import Elmo
from elmo_mini.errors import ElmoFileError
from elmo_mini.fast.projected_lstm import BACKWARD, FORWARD
from elmo_mini.fast.word_table import WordTable

ROOT = "_elmo_lstm."
CACHED = "_elmo_lstm._word_embedding.weight"  # vectors that vocab_to_cache derived from the others
DIRECTIONS = {FORWARD: "forward", BACKWARD: "backward"}


class Rows(NamedTuple):
    """A view of our parameter that holds some rows of AllenNLP's tensor: sign * theirs + shift."""

    view: Tensor
    sign: float = 1.0
    shift: float = 0.0


@torch.no_grad()
def load_allennlp_state(elmo: Elmo, state: Mapping[str, Tensor], prefix: str = "") -> None:
    """Copy the biLM and the scalar mixes of an AllenNLP `Elmo` into `elmo`.

    Nothing is read from a file here. Make an `Elmo` of the same sizes first::

        elmo = Elmo(None, None, 1, module=BiLM(read_options("options.json")))
        load_allennlp_state(elmo, torch.load("weights.th", weights_only=True), prefix="...")

    Parameters
    ----------
    elmo : with as many output representations as the trained one
    state : names to tensors, ``state_dict()`` of the module or of a model around it
    prefix : what stands before ``_elmo_lstm.`` in a larger model's names; other names are then
        left alone

    Raises
    ------
    ElmoFileError
        If a tensor is missing, foreign, of another shape or not finite. `elmo` is then unchanged.
    """
    if not isinstance(elmo, Elmo):
        raise TypeError(f"the weights go into an Elmo, and this is {type(elmo).__name__}")
    if not isinstance(state, Mapping):
        raise TypeError(
            f"the state is {state!r:.60} ({type(state).__name__}), and not names and tensors; pass "
            "a module's state_dict(), or what torch.load(path, weights_only=True) gives"
        )
    ours = {name[len(prefix) :]: state[name] for name in state if name.startswith(prefix)}
    ours.pop(CACHED, None)
    if not any(name.startswith(ROOT) for name in ours):
        raise ElmoFileError(_where_it_is(state, prefix))
    parts = dict(_parts(elmo))
    shapes = {
        name: (sum(len(part.view) for part in rows), *rows[0].view.shape[1:])
        for name, rows in parts.items()
    }
    faults = misfits(ours, shapes, [name for name in ours if name not in parts])
    if faults:
        raise ElmoFileError(
            f"these weights do not fit this Elmo: {faults}. It must have the options and the "
            "number of output representations of the trained one"
        )
    for name, rows in parts.items():
        pieces = ours[name].split([len(part.view) for part in rows])
        for (view, sign, shift), piece in zip(rows, pieces, strict=True):
            view.copy_(sign * piece + shift)


def _parts(elmo: Elmo) -> Iterator[tuple[str, list[Rows]]]:
    """AllenNLP's name of a tensor, and where its rows go, from the first to the last."""
    encoder = elmo.bilm.token_encoder
    if isinstance(encoder, WordTable):
        raise ElmoFileError("this model reads whole words; AllenNLP trains models over characters")
    words = f"{ROOT}_token_embedder."
    yield f"{words}_char_embedding_weights", [Rows(encoder.embedding.weight)]
    for i, convolution in enumerate(encoder.convolutions):
        yield from _linear(f"{words}char_conv_{i}", convolution)
    for i, highway in enumerate(encoder.highways):
        transform, gate = highway.transform, highway.carry
        layer = f"{words}_highways._layers.{i}"
        yield f"{layer}.weight", [Rows(transform.weight), Rows(gate.weight, -1.0)]
        yield f"{layer}.bias", [Rows(transform.bias), Rows(gate.bias, -1.0)]
    if encoder.projection is not None:
        yield from _linear(f"{words}_projection", encoder.projection)
    for i, lstm in enumerate(elmo.bilm.layers):
        for direction, called in DIRECTIONS.items():
            cell = f"{ROOT}_elmo_lstm.{called}_layer_{i}"
            weight = lstm.weight[direction].T
            yield f"{cell}.input_linearity.weight", _gates(weight[:, : lstm.input_size])
            yield f"{cell}.state_linearity.weight", _gates(weight[:, lstm.input_size :])
            yield f"{cell}.state_linearity.bias", _gates(lstm.bias[direction], forget=-1.0)
            if lstm.projection is not None:
                yield f"{cell}.state_projection.weight", [Rows(lstm.projection[direction].T)]
    for k, mix in enumerate(elmo.scalar_mixes):
        for name, parameter in mix.named_parameters():
            yield f"scalar_mix_{k}.{name}", [Rows(parameter)]


def _linear(name: str, module: torch.nn.Module) -> Iterator[tuple[str, list[Rows]]]:
    for part, parameter in module.named_parameters():
        yield f"{name}.{part}", [Rows(parameter)]


def _gates(rows: Tensor, forget: float = 0.0) -> list[Rows]:
    """Our gates i, g, f, o in AllenNLP's order i, f, g, o."""
    i, g, f, o = rows.chunk(4)
    return [Rows(i), Rows(f, shift=forget), Rows(g), Rows(o)]


def _where_it_is(state: Mapping[str, Tensor], prefix: str) -> str:
    found = sorted({name.split(ROOT)[0] for name in state if ROOT in name})
    if found:
        ways = " or ".join(f"prefix={way!r}" for way in found)
        return f"no name begins with {prefix + ROOT!r}; pass {ways}"
    names = ", ".join(sorted(state)[:4]) or "nothing"
    return f"these are no weights of AllenNLP's Elmo: {ROOT!r} is in no name; there are {names}"
