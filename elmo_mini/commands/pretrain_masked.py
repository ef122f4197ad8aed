"""``python -m elmo_mini pretrain-masked``: train a masked language model on corpora or text files.

The same command goes on with a run that was stopped or killed; with more ``--steps``, so does one
that has come to its end.
"""

import argparse
import json
import random
from dataclasses import asdict
from pathlib import Path

import torch

from elmo_mini.arguments import number, positive_float, positive_int, whole_number
from elmo_mini.files import write_text
from elmo_mini.models.masked_lm import MaskedLMOptions
from elmo_mini.training.card import origin
from elmo_mini.training.options import (
    add_run_options,
    precision_of,
    prepared,
    settings_of,
    use_threads,
)
from elmo_mini.training.pretraining.sources import course_sources, evaluation_sentences
from elmo_mini.training.processes import Processes
from elmo_mini.training.session import carry_out
from elmo_mini.transformer.files import save_masked_lm
from elmo_mini.transformer.pretraining import MaskedPretraining, epoch_rows
from elmo_mini.transformer.pretraining_card import model_card
from elmo_mini.transformer.pretraining_text import read_sources

SHARE = number("above 0 and below 1", lambda x: 0 < x < 1)
VALIDATION_ROWS = 640
WRITTEN = ("checkpoint.safetensors", "history.json", "model.safetensors", "README.md")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    course = "the texts of the course checkpoint"
    add_run_options(parser, output="build/masked_lm", course=course)
    parser.set_defaults(threads=1)
    add = parser.add_argument
    add("--steps", type=positive_int, default=8_640, help="of the whole run (8640)")
    add("--batch-size", type=positive_int, default=32, help="pairs of a step (32)")
    add("--vocabulary", type=whole_number(6), default=16_000, help="words (16000)")
    add("--dim", type=positive_int, default=160, help="numbers of a state (160)")
    add("--heads", type=positive_int, default=4, help="heads of a block (4)")
    add("--layers", type=positive_int, default=4, help="blocks (4)")
    add("--longest", type=whole_number(3), default=64, help="tokens of the longest text (64)")
    add("--learning-rate", type=positive_float, default=1e-3, help="the highest (0.001)")
    add("--chosen", type=SHARE, default=0.15, help="share of words asked for (0.15)")
    add("--validate-steps", type=positive_int, default=720, help="between validations (720)")


def run(args: argparse.Namespace) -> int:
    """Train, or go on; 0 at the end or at a planned stop."""
    use_threads(args)
    device = Processes.alone(args.device).device
    folder: Path = args.output
    sources = prepared(args, WRITTEN, course_sources)
    left_out = evaluation_sentences() if args.course else frozenset[str]()
    text, held_out, vocabulary = read_sources(sources, left_out, args.vocabulary)
    held = epoch_rows(held_out, args.longest, random.Random(0))
    random.Random(0).shuffle(held)
    training = settings_of(
        MaskedPretraining,
        args,
        options=settings_of(MaskedLMOptions, args, words=len(vocabulary)),
        text=text,
        half=precision_of(args, device) == "bfloat16",
        device=device,
        held=held[:VALIDATION_ROWS],
    )
    training.validate_every = args.validate_steps

    def write_history() -> None:
        write_text(folder / "history.json", json.dumps(training.history, indent=1) + "\n")

    if not carry_out(
        training,
        folder / "checkpoint.safetensors",
        args,
        validated=lambda: str(training.history[-1]),
        saved=write_history,
    ):
        return 0
    record = {
        **origin(training, sources),
        **asdict(training.options),
        "batch_size": training.batch_size,
        "chosen": training.chosen,
        "words_read": training.words_read,
        "validation": training.history[-1],
    }
    save_masked_lm(training.model, vocabulary, folder / "model.safetensors", record, torch.float16)
    write_text(folder / "README.md", model_card(record))
    print(f"The model is {folder / 'model.safetensors'}.")
    return 0
