"""Speed of training: one forward and backward pass of the whole biLM, characters included.

    python -m tests.benchmarks.elmo_training [--threads 2] [--repetitions 7] [--models tiny small]

The ways, the text and the clock are those of `elmo_inference`; the loss is the sum of the top
layer, and every weight gets its gradient. "lstm" counts the LSTM layers alone.
"""

import argparse
import json
import os
import platform
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from elmo_mini import corpora
from elmo_mini.bilm import BiLM
from elmo_mini.characters import add_boundaries, boundary_ids
from elmo_mini.reading_order import ReadingOrder
from elmo_mini.stored_results import FOLDER
from tests.benchmarks.elmo_inference import MODELS, batches, interval
from tests.benchmarks.plain_elmo import NativeLSTM, PlainElmo, PlainLSTM

SHAPES = ((32, 20), (8, 100))


def plain_elmo(bilm: BiLM, lstm: type[PlainLSTM] | type[NativeLSTM]) -> PlainElmo:
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
    bilm: BiLM, texts: list[Tensor], clock: Callable[[], float]
) -> dict[str, dict[str, float]]:
    """Median times as fast, of ours over plain and native, whole and LSTM layers alone."""
    plain, native = plain_elmo(bilm, PlainLSTM), plain_elmo(bilm, NativeLSTM)

    def ours_lstm(tokens: Tensor, mask: Tensor) -> list[Tensor]:
        places = torch.arange(mask.numel()).view_as(mask)
        reading = ReadingOrder(mask.sum(1))
        start = bilm.carried.start(len(mask))
        types = tokens.flatten(0, 1)
        return bilm._layer_by_layer(types, reading.read(places), reading.alive, start)[0]

    whole: dict[str, Callable[[Tensor], Tensor]] = {
        "plain": lambda ids: plain(ids)[-1],
        "native": lambda ids: native(ids)[-1],
        "ours": lambda ids: bilm(ids)["activations"][-1],  # type: ignore[index]
    }
    lstm: dict[str, Callable[[Tensor, Tensor], list[Tensor]]] = {
        "plain": plain.lstms,
        "native": native.lstms,
        "ours": ours_lstm,
    }
    seconds: dict[str, list[float]] = {}
    for repetition, ids in enumerate(texts):
        padded, mask = add_boundaries(ids, (ids > 0).any(-1), *boundary_ids())
        with torch.no_grad():
            tokens = bilm.token_encoder.encode_tokens(padded)
        tokens.requires_grad_(True)
        names = list(whole)
        for name in names[repetition % 3 :] + names[: repetition % 3]:
            for part in ("whole", "lstm"):
                start = clock()
                if part == "whole":
                    whole[name](ids).sum().backward()
                else:
                    lstm[name](tokens, mask)[-1].sum().backward()
                if repetition:  # the first round warms up
                    seconds.setdefault(f"{part} {name}", []).append(clock() - start)
    count = int((texts[0] > 0).any(-1).sum())
    result = {f"{k} tokens/s": interval([count / s for s in v]) for k, v in seconds.items()}
    for part in ("whole", "lstm"):
        for slow in ("plain", "native"):
            pairs = zip(seconds[f"{part} {slow}"], seconds[f"{part} ours"], strict=True)
            result[f"{part} ours over {slow}"] = interval([s / f for s, f in pairs])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    clock = time.process_time if arguments.threads == 1 else time.perf_counter
    torch.manual_seed(0)
    warnings.filterwarnings("ignore", message="LSTM with projections")

    corpus = corpora.course_text()
    sentences = [list(s) for s, _ in zip(corpus.sentences(), range(2_000), strict=False)]
    load_before = os.getloadavg()[0]
    results: dict[str, Any] = {}
    for model in arguments.models:
        for rows, width in SHAPES:
            texts = list(batches(sentences, rows, width))[: arguments.repetitions + 1]
            result = measure(BiLM(MODELS[model]), texts, clock)
            results[f"{model} {rows}x{width}"] = result
            print(f"{model} {rows}x{width}")
            for name, value in result.items():
                print(
                    f"  {name:24}{value['median']:9.2f}  "
                    f"({value['low']:.2f} to {value['high']:.2f})",
                    flush=True,
                )
    output = arguments.output or FOLDER / f"elmo_training_{arguments.threads}_threads.json"
    record = {
        "title": "biLM training step against a plain loop and four nn.LSTM(proj_size=...)",
        "command": f"python -m tests.benchmarks.elmo_training --threads {arguments.threads}",
        "timed_by": "processor time" if arguments.threads == 1 else "wall clock",
        "corpus": corpus.name,
        "repetitions": arguments.repetitions,
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "versions": {"torch": torch.__version__},
        "load_average_before_and_after": [load_before, os.getloadavg()[0]],
        "results": results,
    }
    output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"stored in {output}")


if __name__ == "__main__":
    main()
