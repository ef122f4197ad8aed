"""What the speed benchmarks of ELMo share: the models, the text, the clock, and the record.

Every repetition takes fresh batches of running text and times all the ways on them, one after
another in changing order, so that a busy moment of the machine hits them alike. A ratio is
formed inside each repetition; the median and its 95 % bootstrap interval are stored. Two threads
are timed by the clock on the wall. One thread is timed by the processor time it used, which a
busy machine disturbs less.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.allennlp_elmo import AllenNLP
from benchmarks.processor_bound import Processor
from course.results.stored import FOLDER, write_result
from elmo_mini import corpora
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.records import machine, write_record
from elmo_mini.text.character_ids import batch_to_ids

OFFICIAL_FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
SIZES = {
    "tiny": BiLMOptions(
        projection_dim=64, dim=256, filters=((1, 32), (2, 32), (3, 64), (4, 128)), n_highway=1
    ),
    "small": BiLMOptions(projection_dim=128, dim=1024, filters=OFFICIAL_FILTERS, n_highway=1),
    "original": BiLMOptions(projection_dim=512, dim=4096, filters=OFFICIAL_FILTERS, n_highway=2),
}
MODELS = ["course", *SIZES]
USUAL = ["course", "small"]

Clock = Callable[[], float]
Shape = tuple[int, int | None]
Measure = Callable[[FastBiLM, list[Tensor], int, Clock, AllenNLP | None], dict[str, Any]]
Bound = Callable[[Processor, BiLMOptions, Tensor], float]


def batches(sentences: list[list[str]], rows: int, width: int | None) -> Iterator[Tensor]:
    """Character ids of consecutive text: rows of `width` words, or whole sentences if None."""
    if width is None:
        lines = [sentence for sentence in sentences if sentence]
    else:
        words = [word for sentence in sentences for word in sentence]
        lines = [words[k : k + width] for k in range(0, len(words) - width + 1, width)]
    for first in range(0, len(lines) - rows + 1, rows):
        yield batch_to_ids(lines[first : first + rows])


def model(name: str) -> FastBiLM:
    """The course's checkpoint, or random weights of one of the `SIZES`."""
    return load_pretrained() if name == "course" else FastBiLM(SIZES[name])


def median(values: list[float]) -> dict[str, float]:
    """Median with a 95 % bootstrap interval."""
    sample = np.array(values)
    draws = np.random.default_rng(0).choice(sample, (2000, len(sample)))
    low, high = np.percentile(np.median(draws, 1), [2.5, 97.5])
    return {"median": float(np.median(sample)), "low": float(low), "high": float(high)}


def run(
    measure: Measure,
    *,
    name: str,
    title: str,
    about: str,
    shapes: tuple[Shape, ...],
    sentences: int,
    earlier: int,
    repetitions: int,
    bound: Bound,
    block: int = 1,
) -> None:
    """The command of one benchmark: measure every model and shape, print and store.

    Args:
        measure: given a model, batches, the repetitions, the clock and perhaps AllenNLP, the
            figures.
        name: of the module and of the stored result.
        shapes: rows and words of a batch.
        sentences: how many of the course's text to take batches from.
        earlier: batches before those that are timed.
        repetitions: the default.
        bound: the seconds that a batch needs at the processor's best.
        block: batches of one repetition.
    """
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=repetitions)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=USUAL)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--allennlp", type=Path, help="its wheel, to be timed as well")
    parser.add_argument("--output", type=Path, help="write the figures to this file")
    parser.add_argument("--store", action="store_true", help="replace the course's stored result")
    parser.add_argument("--results", type=Path, default=FOLDER, help="where --store stores")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    clock = time.process_time if arguments.threads == 1 else time.perf_counter
    torch.manual_seed(0)
    warnings.filterwarnings("ignore", message="LSTM with projections")

    corpus = corpora.course_text()
    text = [list(s) for s, _ in zip(corpus.sentences(), range(sentences), strict=False)]
    print(f"{machine()}; {arguments.threads} thread(s); PyTorch {torch.__version__}")
    load_before = os.getloadavg()[0]
    allennlp = AllenNLP(arguments.allennlp) if arguments.allennlp else None
    results: dict[str, Any] = {}
    for name_of_model in arguments.models:
        bilm = model(name_of_model)
        processor = Processor.measure(bilm.options, clock)
        for rows, width in shapes:
            case = (
                f"{name_of_model} {rows}x{width}" if width else f"{name_of_model} {rows} sentences"
            )
            taken = list(batches(text, rows, width))[-(earlier + block * arguments.repetitions) :]
            figures = measure(bilm, taken, arguments.repetitions, clock, allennlp)
            timed = taken[-block * arguments.repetitions :]
            least = float(np.median([bound(processor, bilm.options, ids) for ids in timed]))
            figures["processor"] = {
                "gflops": processor.flops / 1e9,
                "gigabytes_per_second": processor.bytes / 1e9,
                "least_milliseconds": 1e3 * least,
            }
            results[case] = figures
            print(
                f"{case}: at {processor.flops / 1e9:.0f} GFLOP/s and "
                f"{processor.bytes / 1e9:.0f} GB/s a batch needs {1e3 * least:.2f} ms"
            )
            show(figures)
    numbers = {
        "timed_by": "processor time" if arguments.threads == 1 else "wall clock",
        "corpus": corpus.name,
        "repetitions": arguments.repetitions,
        "threads": arguments.threads,
        "load_average_before_and_after": [load_before, os.getloadavg()[0]],
        "results": results,
    }
    command = f"python -m benchmarks.{name} --threads {arguments.threads}"
    command += f" --repetitions {arguments.repetitions} --models {' '.join(arguments.models)}"
    command += " --store"
    if arguments.allennlp:
        command += f" --allennlp {arguments.allennlp.name}"
    if arguments.output:
        write_record(arguments.output, title, numbers, command=command)
        print(f"written to {arguments.output}")
    if arguments.store:
        file = f"{name}_{arguments.threads}_threads"
        path = write_result(file, title, numbers, command=command, folder=arguments.results)
        print(f"stored in {path}")


def show(figures: dict[str, Any], name: str = "") -> None:
    """Print every median of a result, and its interval."""
    if "median" in figures:
        span = f"({figures['low']:.2f} to {figures['high']:.2f})"
        print(f"  {name:36}{figures['median']:12.2f}  {span}", flush=True)
        return
    for key, value in figures.items():
        if isinstance(value, dict):
            show(value, f"{name} {key}".strip())
