"""Speed of ELMo inference: tokens per second against two other ways to run the same weights.

    python -m tests.benchmarks.elmo_inference [--threads 2] [--repetitions 15] [--models tiny small]

Every repetition takes a fresh batch of running text and times all the ways on it, one after
another in changing order, so that a busy moment of the machine hits them alike. A ratio is
formed inside each repetition; the median and its 95 % bootstrap interval are stored. Two threads
are timed by the clock on the wall. One thread is timed by the processor time it used, which a
busy machine disturbs less.

Ways: `plain` (each step its own input product, every token, all 50 characters), `native` (the
same token layer, then four ``nn.LSTM(proj_size=...)``, which cannot clip), `ours`, and `cached`
(ours with the token layer kept from the earlier batches; words that are new cost as always).
"""

import argparse
import json
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from elmo_mini import corpora
from elmo_mini.bilm import BiLM
from elmo_mini.characters import batch_to_ids
from elmo_mini.options import BiLMOptions
from elmo_mini.stored_results import FOLDER
from tests.benchmarks.plain_elmo import NativeLSTM, PlainElmo

OFFICIAL_FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
MODELS = {
    "tiny": BiLMOptions(
        projection_dim=64, dim=256, filters=((1, 32), (2, 32), (3, 64), (4, 128)), n_highway=1
    ),
    "small": BiLMOptions(projection_dim=128, dim=1024, filters=OFFICIAL_FILTERS, n_highway=1),
}
SHAPES = ((32, 20), (8, 100), (32, None))


def batches(sentences: list[list[str]], rows: int, width: int | None) -> Iterator[Tensor]:
    """Character ids of consecutive text: rows of `width` words, or whole sentences if None."""
    if width is None:
        lines = [sentence for sentence in sentences if sentence]
    else:
        words = [word for sentence in sentences for word in sentence]
        lines = [words[k : k + width] for k in range(0, len(words) - width + 1, width)]
    for first in range(0, len(lines) - rows + 1, rows):
        yield batch_to_ids(lines[first : first + rows])


def interval(values: list[float]) -> dict[str, float]:
    """Median with a 95 % bootstrap interval."""
    sample = np.array(values)
    draws = np.random.default_rng(0).choice(sample, (2000, len(sample)))
    low, high = np.percentile(np.median(draws, 1), [2.5, 97.5])
    return {"median": float(np.median(sample)), "low": float(low), "high": float(high)}


def measure(
    bilm: BiLM, texts: list[Tensor], repetitions: int, clock: Callable[[], float]
) -> dict[str, Any]:
    """Time all ways on the last `repetitions` of `texts`; the cache has read the others."""
    plain, native = PlainElmo(bilm), PlainElmo(bilm, NativeLSTM)

    def ours(ids: Tensor) -> list[Tensor]:
        return bilm(ids)["activations"]  # type: ignore[return-value]

    bilm.cache_tokens()
    cache = bilm.token_cache
    for ids in texts[:-repetitions]:
        ours(ids)

    def uncached(ids: Tensor) -> list[Tensor]:
        bilm.token_cache = None
        return ours(ids)

    def cached(ids: Tensor) -> list[Tensor]:
        bilm.token_cache = cache
        return ours(ids)

    ways: dict[str, Callable[[Tensor], list[Tensor]]] = {
        "plain": plain,
        "native": native,
        "ours": uncached,
        "cached": cached,
    }
    warm = texts[0]
    reference = plain(warm)
    for name in ("ours", "cached"):
        for layer, expected in zip(ways[name](warm), reference, strict=True):
            torch.testing.assert_close(layer, expected, rtol=0, atol=1e-4)
    native(warm)

    seconds: dict[str, list[float]] = {name: [] for name in ways}
    tokens, distinct, new = [], [], []
    assert cache is not None
    for repetition, ids in enumerate(texts[-repetitions:]):
        rows = ids[(ids > 0).any(-1)]
        tokens.append(len(rows))
        distinct.append(len(torch.unique(rows, dim=0)))
        known = len(cache)
        names = list(ways)
        for name in names[repetition % 4 :] + names[: repetition % 4]:
            start = clock()
            ways[name](ids)
            seconds[name].append(clock() - start)
        new.append(len(cache) - known)
    return {
        "tokens_per_batch": float(np.mean(tokens)),
        "distinct_words_per_batch": float(np.mean(distinct)),
        "words_new_to_the_cache_per_batch": float(np.mean(new)),
        "words_in_the_cache_at_the_end": len(cache),
        "milliseconds": {n: interval([1e3 * s for s in t]) for n, t in seconds.items()},
        "tokens_per_second": {
            n: interval([k / s for k, s in zip(tokens, t, strict=True)]) for n, t in seconds.items()
        },
        "times_as_fast": {
            f"{fast} over {slow}": interval(
                [s / f for s, f in zip(seconds[slow], seconds[fast], strict=True)]
            )
            for fast in ("ours", "cached")
            for slow in ("plain", "native")
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    output = arguments.output or FOLDER / f"elmo_inference_{arguments.threads}_threads.json"
    torch.set_num_threads(arguments.threads)
    clock = time.process_time if arguments.threads == 1 else time.perf_counter
    torch.set_grad_enabled(False)
    torch.manual_seed(0)
    warnings.filterwarnings("ignore", message="LSTM with projections")

    corpus = corpora.course_text()
    sentences = [list(s) for s, _ in zip(corpus.sentences(), range(20_000), strict=False)]
    load_before = os.getloadavg()[0]
    results: dict[str, Any] = {}
    for model in arguments.models:
        bilm = BiLM(MODELS[model]).requires_grad_(False)
        for rows, width in SHAPES:
            shape = f"{rows}x{width}" if width else f"{rows} sentences"
            texts = list(batches(sentences, rows, width))[-(60 + arguments.repetitions) :]
            result = measure(bilm, texts, arguments.repetitions, clock)
            results[f"{model} {shape}"] = result
            print(f"{model} {shape}", flush=True)
            for name, speed in result["tokens_per_second"].items():
                time_ms = result["milliseconds"][name]["median"]
                print(f"  {name:8}{speed['median']:10.0f} tokens/s {time_ms:9.1f} ms")
            for name, ratio in result["times_as_fast"].items():
                print(
                    f"  {name:22}{ratio['median']:6.2f}  "
                    f"({ratio['low']:.2f} to {ratio['high']:.2f})",
                    flush=True,
                )
    record = {
        "title": "ELMo inference against a plain loop and against four nn.LSTM(proj_size=...)",
        "command": f"python -m tests.benchmarks.elmo_inference --threads {arguments.threads}",
        "timed_by": "processor time" if arguments.threads == 1 else "wall clock",
        "corpus": corpus.name,
        "repetitions": arguments.repetitions,
        "threads": arguments.threads,
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
