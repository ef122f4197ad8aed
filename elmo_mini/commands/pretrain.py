"""``python -m elmo_mini pretrain``: pretrain a biLM on corpora or text files.

The same command goes on with a run that was stopped or killed. For several processes:
``torchrun --nproc-per-node 2 -m elmo_mini pretrain ...``.
"""

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch
from tqdm import tqdm

from elmo_mini.arguments import (
    dropout_rate,
    non_negative_float,
    non_negative_int,
    number,
    positive_float,
    positive_int,
    random_seed,
    whole_number,
)
from elmo_mini.checkpoints.official import save_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.files import check_not_read, check_own, make_folder
from elmo_mini.training.precision import PRECISIONS, has_bfloat16
from elmo_mini.training.pretraining.model_card import describe, write_history, write_model
from elmo_mini.training.pretraining.recipes import COURSE, DEFAULTS, SIZES
from elmo_mini.training.pretraining.run import Pretraining
from elmo_mini.training.pretraining.settings import DECAYS, OPTIMISERS, Settings
from elmo_mini.training.pretraining.softmax import KINDS
from elmo_mini.training.pretraining.sources import (
    asked_sources,
    course_sources,
    evaluation_sentences,
    pack,
)
from elmo_mini.training.pretraining.text import count_vocabulary, hold_out
from elmo_mini.training.processes import Processes
from elmo_mini.training.stopping import noting_signals

EPOCHS = number("above 0 and up to 1,000,000", lambda x: 0 < x <= 1e6)
SHARE = number("above 0 and up to 0.5", lambda x: 0 < x <= 0.5)
VOCABULARY = whole_number(4)  # three of them are no words
THREADS = whole_number(1, 1024)
WRITTEN = (
    "checkpoint.safetensors",
    "history.json",
    "model.safetensors",
    "vocabulary.json",
    "README.md",
    "options.json",
    "weights.hdf5",
)
"""What a run leaves in its folder."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options; those of `DEFAULTS` depend on ``--course``."""
    add = parser.add_argument
    add("corpora", nargs="*", metavar="CORPUS", help="names as `corpora` lists them")
    add("--text", type=Path, action="append", default=[], metavar="FILE", help="a text file")
    add("--course", action="store_true", help="the texts and settings of the course checkpoint")
    add("--output", type=Path, help="folder for the run and its model (build/bilm)")
    add("--size", choices=list(SIZES), help="tiny, or a published size (tiny)")
    add("--cells", type=positive_int, help="LSTM cells, in place of the size's")
    add("--projection", type=positive_int, help="size of an output, in place of the size's")
    add("--epochs", type=EPOCHS, help="passes over the text (10)")
    add("--steps", type=positive_int, help="optimiser steps, in place of --epochs")
    add("--minutes", type=non_negative_float, help="stop then; the same command goes on later")
    add("--batch-size", type=positive_int, help="streams read at once, by all processes (64)")
    add("--bptt", type=positive_int, default=20, help="tokens of each stream in a step (20)")
    add("--vocabulary", type=VOCABULARY, help="words the softmax knows (16000)")
    add("--softmax", choices=KINDS, default="adaptive", help="in training (adaptive)")
    add("--sampled", type=positive_int, default=8192, help="negatives of that softmax (8192)")
    add("--optimiser", choices=OPTIMISERS, default="adamw", help="adagrad is bilm-tf's (adamw)")
    add("--learning-rate", type=positive_float, help="the highest (0.002; adagrad: use 0.2)")
    add("--warm-up", type=non_negative_int, help="steps until it is reached (200)")
    add("--decay", choices=DECAYS, default="cosine", help="how it falls then (cosine)")
    add("--weight-decay", type=non_negative_float, help="of adamw (0.01)")
    add("--clip", type=positive_float, help="gradient norm (1; adagrad: 10, as bilm-tf)")
    add("--dropout", type=dropout_rate, help="before each layer and the softmax (0.1)")
    add("--in-order", action="store_true", help="keep the sentences in the order of the text")
    add("--validation", type=SHARE, default=0.02, help="share of the text held out (0.02)")
    add("--validate-steps", type=positive_int, help="steps between validations (an epoch)")
    add("--checkpoint-minutes", type=non_negative_float, default=5, help="between checkpoints (5)")
    add("--checkpoint-steps", type=positive_int, help="a checkpoint every so many steps as well")
    add("--half", action=argparse.BooleanOptionalAction, help="store the model in float16")
    add("--official", action="store_true", help="write options.json and weights.hdf5 too")
    add("--seed", type=random_seed, default=1, help="of all random numbers (1)")
    add("--device", default="auto", help="cpu, cuda or auto (auto)")
    add("--precision", choices=PRECISIONS, help="of products (a GPU: bfloat16, else float32)")
    add("--threads", type=THREADS, help="threads of each process on the CPU")


def run(args: argparse.Namespace) -> int:
    """Pretrain, or go on; 0 at the end or at a planned stop."""
    for name, value in (COURSE if args.course else DEFAULTS).items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    if args.threads:
        torch.set_num_threads(args.threads)
    processes = Processes.join(args.device)
    _pretrain(args, processes)
    processes.leave()
    return 0


def _pretrain(args: argparse.Namespace, processes: Processes) -> None:
    say = print if processes.first else (lambda *_, **__: None)
    sources = asked_sources(args.corpora, args.text, course_sources if args.course else None)
    folder: Path = args.output
    for name in WRITTEN:
        check_not_read(folder / name, args.text)
    make_folder(folder)
    check_own(folder, WRITTEN)
    say(f"Reading {', '.join(source.name for source in sources)} ...", flush=True)
    left_out = evaluation_sentences() if args.course else frozenset[str]()
    text, validation = hold_out(pack(sources, left_out), args.validation)
    vocabulary = count_vocabulary(text, args.vocabulary)
    per_epoch = text.steps // (args.batch_size * args.bptt)
    settings = _settings(args, per_epoch, processes.device)
    training = Pretraining(settings, vocabulary, text, validation, processes)
    say(describe(training, text, validation))

    checkpoint = folder / "checkpoint.safetensors"
    if checkpoint.exists():
        training.resume(checkpoint)
        say(f"Going on after step {training.step:,} of {settings.steps:,}.")
    validate_every = args.validate_steps or max(1, per_epoch)
    progress = tqdm(
        total=settings.steps,
        initial=training.step,
        unit="step",
        file=sys.stdout,
        disable=not processes.first,
        mininterval=1.0,
        smoothing=0.05,
    )
    started = saved = time.monotonic()
    average: list[float] = []
    stop_asked: list[int] = []

    def save() -> None:
        nonlocal saved
        training.save(checkpoint)
        if processes.first:
            write_history(training, folder)
        saved = time.monotonic()

    def validate() -> None:
        entry = training.validate()
        best = min(e["both"] for e in training.history.validation) == entry["both"]
        progress.write(
            f"step {training.step:,}: validation perplexity {entry['both']:.1f} "
            f"(forward {entry['forward']:.1f}, backward {entry['backward']:.1f})"
        )
        if best and processes.first:
            write_model(training, folder, [s.record() for s in sources], half=args.half)

    def on_step(_: Pretraining, forward: float, backward: float) -> bool:
        average[:] = [*average[-49:], (forward + backward) / 2]
        progress.update()
        progress.set_postfix_str(f"loss {sum(average) / len(average):.3f}", refresh=False)
        step = training.step
        if step % validate_every == 0 or step == settings.steps:
            validate()
        now = time.monotonic()
        # The clock is asked for now and then only: all processes must hear the answer.
        asked = step % 10 == 0 or processes.size == 1
        stop = asked and processes.agree(
            bool(stop_asked) or (args.minutes is not None and now - started > 60 * args.minutes)
        )
        due = asked and processes.agree(now - saved > 60 * args.checkpoint_minutes)
        planned = bool(args.checkpoint_steps) and step % args.checkpoint_steps == 0
        if stop or due or planned or step == settings.steps:
            save()
        return stop

    with noting_signals(stop_asked):
        finished = training.run(on_step)
    progress.close()
    if not finished:
        say(f"Stopped after step {training.step:,}; the same command goes on from there.")
        return
    model = folder / "model.safetensors"
    if args.official and processes.first:
        save_bilm(load_pretrained(model), folder / "options.json", folder / "weights.hdf5")
    say(f"The model is {model}; README.md beside it says where it comes from.")


def _settings(args: argparse.Namespace, per_epoch: int, device: str) -> Settings:
    options = SIZES[args.size]
    options = replace(
        options,
        dim=args.cells or options.dim,
        projection_dim=args.projection or options.projection_dim,
    )
    return Settings(
        options=options,
        steps=args.steps or max(1, round(args.epochs * per_epoch)),
        batch_size=args.batch_size,
        bptt=args.bptt,
        softmax=args.softmax,
        sampled=args.sampled,
        optimiser=args.optimiser,
        learning_rate=args.learning_rate,
        warm_up=args.warm_up,
        decay=args.decay,
        weight_decay=args.weight_decay,
        clip=args.clip or (10.0 if args.optimiser == "adagrad" else 1.0),
        dropout=args.dropout,
        shuffle=not args.in_order,
        precision=args.precision or _default_precision(device),
        seed=args.seed,
    )


def _default_precision(device: str) -> str:
    return "bfloat16" if device.startswith("cuda") and has_bfloat16(device) else "float32"
