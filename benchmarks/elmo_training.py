"""Speed of training: one forward and backward pass of the whole biLM, characters included.

    python -m benchmarks.elmo_training [--threads 2] [--allennlp WHEEL] [--store]

The ways are those of `elmo_inference`, and how they are timed is told in `elmo_in_turns`; the loss
is the sum of the top layer, and every weight gets its gradient. "lstm" counts the LSTM layers
alone; AllenNLP is timed as a whole only.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from benchmarks.allennlp_elmo import AllenNLP
from benchmarks.elmo_in_turns import Clock, median, run
from benchmarks.plain_elmo import NativeLSTM, PlainElmo, PlainLSTM
from benchmarks.processor_bound import training_bound
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.char_cnn_types import encode_tokens
from elmo_mini.fast.packed_order import PackedOrder
from elmo_mini.text.character_ids import add_boundaries, boundary_ids


def plain_elmo(bilm: FastBiLM, lstm: type[PlainLSTM] | type[NativeLSTM]) -> PlainElmo:
    """A `PlainElmo` with weights of its own in the LSTMs, all of them to be trained."""
    with torch.no_grad():
        elmo = PlainElmo(bilm, lstm)
    for stack in elmo.stacks:
        for layer in stack:
            if isinstance(layer, PlainLSTM):
                for weight in (layer.w_x, layer.w_h, layer.bias, layer.w_p):
                    weight.requires_grad_(True)
    elmo.token_layer.highways = [
        (weight.requires_grad_(True), bias.requires_grad_(True))
        for weight, bias in elmo.token_layer.highways
    ]
    return elmo


def measure(
    bilm: FastBiLM,
    texts: list[Tensor],
    repetitions: int,
    clock: Clock,
    allennlp: AllenNLP | None,
) -> dict[str, Any]:
    """Median times as fast, of ours over the others, whole and LSTM layers alone."""
    bilm.requires_grad_(True)
    plain, native = plain_elmo(bilm, PlainLSTM), plain_elmo(bilm, NativeLSTM)

    def ours_lstm(tokens: Tensor, mask: Tensor) -> list[Tensor]:
        places = torch.arange(mask.numel()).view_as(mask)
        order = PackedOrder(mask)
        start = bilm.carried.start(len(mask))
        types = tokens.flatten(0, 1)
        layers, _ = bilm.read(types, order.batch_sizes, start, order.read(places))
        return [order.restore(layer) for layer in layers]

    whole: dict[str, Callable[[Tensor], Tensor]] = {
        "plain": lambda ids: plain(ids)[-1],
        "native": lambda ids: native(ids)[-1],
        "ours": lambda ids: bilm(ids)["activations"][-1],
    }
    if allennlp is not None:
        theirs = allennlp.bilm(bilm, requires_grad=True)
        whole["allennlp"] = lambda ids: theirs(ids)[-1]
    lstm: dict[str, Callable[[Tensor, Tensor], list[Tensor]]] = {
        "plain": plain.lstms,
        "native": native.lstms,
        "ours": ours_lstm,
    }
    seconds: dict[str, list[float]] = {}
    for repetition, ids in enumerate(texts):
        padded, mask = add_boundaries(ids, (ids > 0).any(-1), *boundary_ids())
        with torch.no_grad():
            tokens = encode_tokens(bilm.token_encoder, padded)
        tokens.requires_grad_(True)
        names = list(whole)
        first = repetition % len(names)
        for name in names[first:] + names[:first]:
            for part in ("whole", "lstm") if name in lstm else ("whole",):
                start = clock()
                if part == "whole":
                    whole[name](ids).sum().backward()
                else:
                    lstm[name](tokens, mask)[-1].sum().backward()
                if repetition >= len(texts) - repetitions:  # the first round warms up
                    seconds.setdefault(f"{part} {name}", []).append(clock() - start)
    count = int((texts[0] > 0).any(-1).sum())
    result: dict[str, Any] = {
        f"{k} tokens/s": median([count / s for s in v]) for k, v in seconds.items()
    }
    for part in ("whole", "lstm"):
        for slow in (name for name in whole if name != "ours" and f"{part} {name}" in seconds):
            pairs = zip(seconds[f"{part} {slow}"], seconds[f"{part} ours"], strict=True)
            result[f"{part} ours over {slow}"] = median([s / f for s, f in pairs])
    return result


if __name__ == "__main__":
    run(
        measure,
        name="elmo_training",
        title="biLM training step against a plain loop and four nn.LSTM(proj_size=...)",
        about=__doc__,
        shapes=((32, 20), (8, 100), (32, None)),
        sentences=2_000,
        earlier=1,
        repetitions=7,
        bound=training_bound,
    )
