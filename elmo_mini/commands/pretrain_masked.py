"""``python -m elmo_mini pretrain-masked``: train a masked language model on corpora or text files.

The same command goes on with a run that was stopped; with more ``--steps``, so does one that has
come to its end.
"""

import argparse
import json
import platform
import random
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import torch

from elmo_mini.arguments import (
    non_negative_float,
    number,
    positive_float,
    positive_int,
    random_seed,
    whole_number,
)
from elmo_mini.checkpoints.device import usable_device
from elmo_mini.files import check_not_read, check_own, make_folder, write_text
from elmo_mini.models.masked_lm import MaskedLMOptions
from elmo_mini.pretraining.sources import (
    Source,
    asked_sources,
    course_sources,
    evaluation_sentences,
)
from elmo_mini.progress import progress_bar
from elmo_mini.transformer.masked_lm_file import save_masked_lm
from elmo_mini.transformer.pretraining import MaskedPretraining, Row, epoch_rows, validation_loss
from elmo_mini.transformer.pretraining_card import model_card
from elmo_mini.transformer.pretraining_text import read_sources

SHARE = number("above 0 and below 1", lambda x: 0 < x < 1)
CHECKPOINT_SECONDS = 120
VALIDATION_ROWS = 640
WRITTEN = ("checkpoint.safetensors", "history.json", "model.safetensors", "README.md")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add = parser.add_argument
    add("corpora", nargs="*", metavar="CORPUS", help="names as `corpora` lists them")
    add("--text", type=Path, action="append", default=[], metavar="FILE", help="a text file")
    add("--course", action="store_true", help="the texts of the course checkpoint")
    add("--output", type=Path, default=Path("build/masked_lm"), help="folder (build/masked_lm)")
    add("--steps", type=positive_int, default=8_640, help="of the whole run (8640)")
    add("--minutes", type=non_negative_float, help="stop then; the same command goes on later")
    add("--batch-size", type=positive_int, default=32, help="pairs of a step (32)")
    add("--vocabulary", type=positive_int, default=16_000, help="words (16000)")
    add("--dim", type=positive_int, default=160, help="numbers of a state (160)")
    add("--heads", type=positive_int, default=4, help="heads of a block (4)")
    add("--layers", type=positive_int, default=4, help="blocks (4)")
    add("--longest", type=positive_int, default=64, help="tokens of the longest text (64)")
    add("--learning-rate", type=positive_float, default=1e-3, help="the highest (0.001)")
    add("--chosen", type=SHARE, default=0.15, help="share of words asked for (0.15)")
    add("--bfloat16", action="store_true", help="products of matrices in bfloat16, which is faster")
    add("--validate-steps", type=positive_int, default=720, help="between validations (720)")
    add("--seed", type=random_seed, default=1, help="of all random numbers (1)")
    add("--device", default="cpu", help="cpu or cuda (cpu)")
    add("--threads", type=whole_number(1, 1024), default=1, help="on the CPU (1)")


def run(args: argparse.Namespace) -> int:
    """Train, or go on; 0 at the end or at a planned stop."""
    torch.set_num_threads(args.threads)
    usable_device(args.device, "use --device cpu")
    sources = asked_sources(args.corpora, args.text, course_sources if args.course else None)
    folder: Path = args.output
    for name in WRITTEN:
        check_not_read(folder / name, args.text)
    make_folder(folder)
    check_own(folder, WRITTEN)
    left_out = evaluation_sentences() if args.course else frozenset[str]()
    text, held_out, vocabulary = read_sources(sources, left_out, args.vocabulary)
    options = MaskedLMOptions(len(vocabulary), args.dim, args.heads, args.layers, args.longest)
    training = MaskedPretraining(
        options,
        text,
        args.steps,
        args.batch_size,
        args.learning_rate,
        seed=args.seed,
        chosen=args.chosen,
        half=args.bfloat16,
        device=args.device,
    )
    checkpoint = folder / "checkpoint.safetensors"
    if checkpoint.exists():
        training.resume(checkpoint)
        print(f"Going on after step {training.step:,} of {args.steps:,}.")
    held = epoch_rows(held_out, args.longest, random.Random(0))
    random.Random(0).shuffle(held)
    held = held[:VALIDATION_ROWS]
    _train(training, held, folder, args)
    if training.step < args.steps:
        print(f"Stopped after step {training.step:,}; the same command goes on from there.")
        return 0
    record = _record(training, sources, held)
    save_masked_lm(training.model, vocabulary, folder / "model.safetensors", record, torch.float16)
    write_text(folder / "README.md", model_card(record))
    print(f"The model is {folder / 'model.safetensors'}.")
    return 0


def _train(
    training: MaskedPretraining, held: list[Row], folder: Path, args: argparse.Namespace
) -> None:
    started, clock, saved = time.monotonic(), time.process_time(), time.monotonic()
    before, mean = training.seconds, [0.0, 0.0]
    with progress_bar(total=args.steps - training.step) as bar:
        while training.step < args.steps:
            mean = [0.98 * a + 0.02 * b for a, b in zip(mean, training.train_step(), strict=True)]
            bar.update()
            training.seconds = before + time.process_time() - clock
            if training.step % args.validate_steps == 0 or training.step == args.steps:
                entry = validation_loss(training.model, held, training.options.words)
                entry |= {"step": training.step, "words": training.words_read}
                training.history.append(entry | {"seconds": round(training.seconds)})
                print(training.history[-1], flush=True)
            now = time.monotonic()
            over = args.minutes is not None and now - started > 60 * args.minutes
            if over or now - saved > CHECKPOINT_SECONDS or training.step == args.steps:
                training.save(folder / "checkpoint.safetensors")
                write_text(folder / "history.json", json.dumps(training.history, indent=1) + "\n")
                saved = now
            if over:
                return


def _record(training: MaskedPretraining, sources: list[Source], held: list[Row]) -> dict[str, Any]:
    """Where the model comes from, as JSON values."""
    return {
        "sources": [source.record() for source in sources],
        "weights": sum(p.numel() for p in training.model.parameters()),
        "words": training.options.words,
        "dim": training.options.dim,
        "layers": training.options.layers,
        "heads": training.options.heads,
        "longest": training.options.longest,
        "step": training.step,
        "batch_size": training.batch_size,
        "chosen": training.chosen,
        "words_read": training.words_read,
        "seconds": round(training.seconds),
        "validation": training.history[-1],
        "machine": _machine(training.device),
        "torch": torch.__version__,
        "command": shlex.join(["python", "-m", "elmo_mini", *sys.argv[1:]]),
    }


def _machine(device: str) -> str:
    if device.startswith("cuda"):
        return torch.cuda.get_device_name(device)
    return f"one core on CPU, {platform.machine()}"
