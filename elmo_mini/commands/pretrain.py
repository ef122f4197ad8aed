"""``python -m elmo_mini pretrain``: pretrain a biLM on corpora or text files.

The same command goes on with a run that was stopped or killed. For several processes:
``torchrun --nproc-per-node 2 -m elmo_mini pretrain ...``.
"""

import argparse
from dataclasses import replace
from pathlib import Path

from elmo_mini.arguments import (
    dropout_rate,
    held_out_share,
    non_negative_float,
    non_negative_int,
    number,
    positive_float,
    positive_int,
    whole_number,
)
from elmo_mini.checkpoints.official import save_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.training.options import (
    add_run_options,
    precision_of,
    prepared,
    settings_of,
    use_threads,
)
from elmo_mini.training.pretraining.model_card import describe, halve, write_history, write_model
from elmo_mini.training.pretraining.recipes import COURSE, DEFAULTS, SIZES
from elmo_mini.training.pretraining.run import Pretraining
from elmo_mini.training.pretraining.settings import DECAYS, OPTIMISERS, Settings
from elmo_mini.training.pretraining.softmax import KINDS
from elmo_mini.training.pretraining.sources import course_sources, evaluation_sentences, pack
from elmo_mini.training.pretraining.text import count_vocabulary, hold_out
from elmo_mini.training.processes import Processes
from elmo_mini.training.session import carry_out

EPOCHS = number("above 0 and up to 1,000,000", lambda x: 0 < x <= 1e6)
VOCABULARY = whole_number(4)  # three of them are no words
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
    course = "the texts and settings of the course checkpoint"
    add_run_options(parser, output="build/bilm", course=course, device="auto")
    parser.set_defaults(output=None)
    add = parser.add_argument
    add("--size", choices=list(SIZES), help="tiny, or a published size (tiny)")
    add("--cells", type=positive_int, help="LSTM cells, in place of the size's")
    add("--projection", type=positive_int, help="size of an output, in place of the size's")
    add("--epochs", type=EPOCHS, help="passes over the text (10)")
    add("--steps", type=positive_int, help="optimiser steps, in place of --epochs")
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
    add("--validation", type=held_out_share, default=0.02, help="share of the text held out (0.02)")
    add("--validate-steps", type=positive_int, help="steps between validations (an epoch)")
    add("--half", action=argparse.BooleanOptionalAction, help="store the model in float16")
    add("--official", action="store_true", help="write options.json and weights.hdf5 too")


def run(args: argparse.Namespace) -> int:
    """Pretrain, or go on; 0 at the end or at a planned stop."""
    for name, value in (COURSE if args.course else DEFAULTS).items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    use_threads(args)
    processes = Processes.join(args.device)
    _pretrain(args, processes)
    processes.leave()
    return 0


def _pretrain(args: argparse.Namespace, processes: Processes) -> None:
    say = print if processes.first else (lambda *_, **__: None)
    folder: Path = args.output
    sources = prepared(args, WRITTEN, course_sources)
    say(f"Reading {', '.join(source.name for source in sources)} ...", flush=True)
    left_out = evaluation_sentences() if args.course else frozenset[str]()
    text, validation = hold_out(pack(sources, left_out), args.validation)
    vocabulary = count_vocabulary(text, args.vocabulary)
    per_epoch = text.steps // (args.batch_size * args.bptt)
    settings = _settings(args, per_epoch, processes.device)
    training = Pretraining(settings, vocabulary, text, validation, processes)
    training.validate_every = args.validate_steps or max(1, per_epoch)
    say(describe(training, text, validation))
    checkpoint, model = folder / "checkpoint.safetensors", folder / "model.safetensors"

    def validated() -> str:
        entry = training.history.validation[-1]
        best = min(e["both"] for e in training.history.validation) == entry["both"]
        if len(training.history.validation) == 1:  # no model without a run that can go on
            training.save(checkpoint)
        if processes.first and (best or not model.is_file()):
            write_model(training, folder, sources, half=args.half)
        return (
            f"step {training.step:,}: validation perplexity {entry['both']:.1f} "
            f"(forward {entry['forward']:.1f}, backward {entry['backward']:.1f})"
        )

    if not carry_out(
        training,
        checkpoint,
        args,
        validated=validated,
        saved=lambda: write_history(training, folder),
    ):
        return
    if processes.first and not model.is_file():
        raise FileNotFoundError(
            f"the run has ended, and its best model, {model}, is gone; bring it back, or "
            "name another folder with --output to train anew"
        )
    if args.half and processes.first:  # which may not have been asked for when it was written
        halve(model)
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
    return settings_of(
        Settings,
        args,
        options=options,
        steps=args.steps or max(1, round(args.epochs * per_epoch)),
        clip=args.clip or (10.0 if args.optimiser == "adagrad" else 1.0),
        shuffle=not args.in_order,
        precision=precision_of(args, device),
    )
