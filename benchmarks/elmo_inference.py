"""Speed of ELMo inference: tokens per second against two other ways to run the same weights.

    python -m benchmarks.elmo_inference [--threads 2] [--allennlp WHEEL] [--store]

How the ways are timed is told in `elmo_in_turns`.

Ways: `plain` (each step its own input product, every token, all 50 characters), `native` (the
same token layer, then four ``nn.LSTM(proj_size=...)``, which cannot clip), `ours`, and `cached`
(ours with the token layer kept from the earlier batches; words that are new cost as always).
With ``--allennlp WHEEL`` AllenNLP's own modules are timed as well (`allennlp_elmo`).

Each way reads a few batches in a row before the next has its turn, as whoever embeds a text does.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.allennlp_elmo import AllenNLP
from benchmarks.elmo_in_turns import Clock, median, run
from benchmarks.plain_elmo import NativeLSTM, PlainElmo
from benchmarks.processor_bound import inference_bound
from elmo_mini.fast.bilm import FastBiLM

BLOCK = 4


@torch.no_grad()
def measure(
    bilm: FastBiLM,
    texts: list[Tensor],
    repetitions: int,
    clock: Clock,
    allennlp: AllenNLP | None,
) -> dict[str, Any]:
    """Time all ways on the last batches of `texts`; the cache has read the others."""
    bilm.requires_grad_(False)
    plain, native = PlainElmo(bilm), PlainElmo(bilm, NativeLSTM)

    def ours(ids: Tensor) -> list[Tensor]:
        return bilm(ids)["activations"]

    bilm.cache_tokens()
    cache = bilm.token_cache
    timed = texts[-repetitions * BLOCK :]
    for ids in texts[: -len(timed)]:
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
    if allennlp is not None:
        ways["allennlp"] = allennlp.bilm(bilm)
    slow_ways = [name for name in ways if name not in ("ours", "cached")]
    warm = texts[0]
    reference = plain(warm)
    for name in set(ways) - {"plain", "native"}:
        for layer, expected in zip(ways[name](warm), reference, strict=True):
            torch.testing.assert_close(layer, expected, rtol=0, atol=1e-4)
    native(warm)

    seconds: dict[str, list[float]] = {name: [] for name in ways}
    tokens, distinct, new = [], [], []
    assert cache is not None
    for repetition in range(repetitions):
        batches = timed[repetition * BLOCK : (repetition + 1) * BLOCK]
        rows = [ids[(ids > 0).any(-1)] for ids in batches]
        tokens.append(sum(map(len, rows)))
        distinct.append(np.mean([len(torch.unique(ids, dim=0)) for ids in rows]))
        known = len(cache)
        names = list(ways)
        first = repetition % len(names)
        for name in names[first:] + names[:first]:
            start = clock()
            for ids in batches:
                ways[name](ids)
            seconds[name].append(clock() - start)
        new.append((len(cache) - known) / BLOCK)
    return {
        "batches_in_a_row": BLOCK,
        "tokens_per_batch": float(np.mean(tokens)) / BLOCK,
        "distinct_words_per_batch": float(np.mean(distinct)),
        "words_new_to_the_cache_per_batch": float(np.mean(new)),
        "words_in_the_cache_at_the_end": len(cache),
        "milliseconds": {n: median([1e3 * s / BLOCK for s in t]) for n, t in seconds.items()},
        "tokens_per_second": {
            n: median([k / s for k, s in zip(tokens, t, strict=True)]) for n, t in seconds.items()
        },
        "times_as_fast": {
            f"{fast} over {slow}": median(
                [s / f for s, f in zip(seconds[slow], seconds[fast], strict=True)]
            )
            for fast in ("ours", "cached")
            for slow in slow_ways
        },
    }


if __name__ == "__main__":
    run(
        measure,
        name="elmo_inference",
        title="ELMo inference against a plain loop and against four nn.LSTM(proj_size=...)",
        about=__doc__,
        shapes=((1, None), (8, None), (32, None), (32, 20), (8, 100)),
        sentences=20_000,
        earlier=60,
        repetitions=9,
        bound=inference_bound,
        block=BLOCK,
    )
