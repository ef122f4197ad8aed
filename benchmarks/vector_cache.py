"""The disk cache at full length: peak memory, sizes, and the time that reading back saves.

    python -m benchmarks.vector_cache [--sentences 100000] [--model small] [--dtype float16]
        [--threads 2] [--store]

Each cache is written by a process of its own, whose peak memory is measured, from a quarter of
the text and from all of it: a writer that streams needs the same for both. Sizes stand beside the
naive 3 layers of float32 per token (12 KiB a token at the published sizes; here by arithmetic,
and for the first 1,000 sentences by measurement, as ``allennlp elmo`` wrote them). Weights are
random: neither size nor speed depends on them.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

from course.results.stored import FOLDER, write_result
from elmo_mini import corpora
from elmo_mini.embedding.cache import VectorCache, naive_bytes, write_cache
from elmo_mini.embedding.embed_file import embed_file
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions

OFFICIAL_FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
MODELS = {
    "tiny": BiLMOptions(projection_dim=64, dim=256, filters=OFFICIAL_FILTERS[:4]),
    "small": BiLMOptions(projection_dim=128, dim=1024, filters=OFFICIAL_FILTERS),
    "original": BiLMOptions(projection_dim=512, dim=4096, filters=OFFICIAL_FILTERS, n_highway=2),
}
CORPORA = ("brown", "masc_tagged", "gutenberg", "state_union", "lee")
NAIVE_SENTENCES = 1_000


def sentences(count: int) -> Iterator[list[str]]:
    """The first sentences of the corpora that are here, one corpus after another."""

    def every() -> Iterator[list[str]]:
        for name in CORPORA:
            if corpora.available()[name]:
                yield from filter(None, corpora.load(name).sentences())

    yield from islice(every(), count)


def text_of(count: int, target: Path) -> None:
    """The sentences in a file, so that the measured process holds no corpus in memory."""
    with target.open("w", encoding="utf-8") as file:
        for sentence in sentences(count):
            file.write(" ".join(sentence) + "\n")


def random_model(name: str) -> FastBiLM:
    """A model of this size with weights from seed 0."""
    torch.manual_seed(0)
    return FastBiLM(MODELS[name]).requires_grad_(False)


def write_here(arguments: argparse.Namespace) -> None:
    """The measured process: write one cache, print what it took."""
    torch.set_num_threads(arguments.threads)
    bilm = random_model(arguments.model)
    before = peak_bytes()
    started = time.perf_counter()
    written = embed_file(
        bilm, arguments.text, arguments.cache, dtype=arguments.dtype, progress=arguments.progress
    )
    seconds = time.perf_counter() - started
    print(
        json.dumps(
            {
                "seconds": seconds,
                "peak": peak_bytes(),
                "before": before,
                "tokens": written.tokens,
                "sentences": written.sentences,
            }
        )
    )


def peak_bytes() -> int:
    """Most resident memory that this process has had."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measured_write(arguments: argparse.Namespace, text: Path, cache: Path) -> dict[str, Any]:
    """Run `write_here` in a fresh process; its progress bar comes through."""
    command = [sys.executable, "-m", "benchmarks.vector_cache", "--write", str(text)]
    command += [str(cache), "--model", arguments.model, "--dtype", arguments.dtype]
    command += ["--threads", str(arguments.threads)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    opened = VectorCache(cache)
    result["types"] = len(opened.words)
    result["bytes"] = opened.nbytes
    naive = naive_bytes(MODELS[arguments.model], result["tokens"])
    result["naive_bytes"] = naive
    result["share_of_naive"] = opened.nbytes / naive
    print(
        f"{result['sentences']:,} sentences, {result['tokens']:,} tokens, {result['types']:,} "
        f"types: {result['seconds']:,.0f} s, peak {result['peak'] / 2**20:,.0f} MiB "
        f"({result['before'] / 2**20:,.0f} before), {opened.nbytes / 2**20:,.0f} MiB on disk, "
        f"{result['share_of_naive']:.3f} of the naive {naive / 2**20:,.0f} MiB",
        flush=True,
    )
    return result


def measured_naive(arguments: argparse.Namespace, folder: Path) -> dict[str, float]:
    """Bytes a token of AllenNLP's file and of a cache, for the same sentences."""
    text_of(NAIVE_SENTENCES, folder / "first.txt")
    bilm = random_model(arguments.model)
    naive = embed_file(bilm, folder / "first.txt", folder / "first.hdf5", progress=False)
    small = embed_file(
        bilm, folder / "first.txt", folder / "first.vectors", dtype=arguments.dtype, progress=False
    )
    result = {
        "hdf5_bytes_per_token": naive.nbytes / naive.tokens,
        "cache_bytes_per_token": small.nbytes / small.tokens,
    }
    print(f"the first {NAIVE_SENTENCES:,} sentences: {result}", flush=True)
    return result


def measured_reading(arguments: argparse.Namespace, cache: VectorCache) -> dict[str, float]:
    """How many times faster 2,000 sentences are read back, in order and at random."""
    bilm = random_model(arguments.model)
    count = min(2_000, len(cache))
    words = [cache.sentence(number) for number in range(count)]
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        write_cache(bilm, words, Path(folder) / "again", progress=False)
    computing = time.perf_counter() - started
    result = {}
    orders = {
        "in order": np.arange(count),
        "at random": np.random.default_rng(0).permutation(count),
    }
    for name, order in orders.items():
        opened = VectorCache(cache.path)
        started = time.perf_counter()
        for number in order:
            opened[int(number)]
        result[f"reading {name} over computing"] = computing / (time.perf_counter() - started)
    print(f"times as fast: {result}", flush=True)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--model", choices=list(MODELS), default="small")
    parser.add_argument("--dtype", choices=["float32", "float16"], default="float16")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="for the caches, which are deleted at the end")
    parser.add_argument("--store", action="store_true", help="replace the course's stored result")
    parser.add_argument("--results", type=Path, default=FOLDER, help="where --store stores")
    parser.add_argument("--write", nargs=2, type=Path, metavar=("TEXT", "CACHE"))
    arguments = parser.parse_args()
    if arguments.write:
        arguments.text, arguments.cache = arguments.write
        arguments.progress = False
        write_here(arguments)
        return
    torch.set_num_threads(arguments.threads)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = Path(name)
        runs = []
        for part in (4, 1):
            text_of(arguments.sentences // part, folder / "text.txt")
            runs.append(
                measured_write(arguments, folder / "text.txt", folder / f"cache{part}.vectors")
            )
        results = {
            "quarter": runs[0],
            "all": runs[1],
            "peak_of_all_over_quarter": runs[1]["peak"] / runs[0]["peak"],
            "naive_file": measured_naive(arguments, folder),
            "times_as_fast": measured_reading(arguments, VectorCache(folder / "cache1.vectors")),
        }
    print(f"peak memory, all over a quarter: {results['peak_of_all_over_quarter']:.2f}")
    if arguments.store:
        path = write_result(
            "vector_cache",
            f"Disk cache of frozen vectors, {arguments.sentences:,} sentences",
            results,
            command="python -m benchmarks.vector_cache "
            f"--sentences {arguments.sentences} --model {arguments.model} "
            f"--dtype {arguments.dtype} --threads {arguments.threads} --store",
            folder=arguments.results,
        )
        print(f"stored in {path}")


if __name__ == "__main__":
    main()
