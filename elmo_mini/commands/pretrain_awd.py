"""``python -m elmo_mini pretrain-awd``: pretrain an AWD-LSTM on corpora or text files.

The same command goes on with a run that was stopped or killed.
"""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from elmo_mini.arguments import (
    dropout_rate,
    held_out_share,
    non_negative_float,
    non_negative_int,
    positive_float,
    positive_int,
    whole_number,
)
from elmo_mini.awd_lstm.awd_lstm_file import STORED_AS, load_awd_lstm, save_awd_lstm
from elmo_mini.awd_lstm.awd_lstm_options import AWDLSTMOptions
from elmo_mini.awd_lstm.pretraining import course_awd_sources, model_card, read_text
from elmo_mini.awd_lstm.run import AWDRun
from elmo_mini.awd_lstm.training_options import OPTIMISERS, AWDTraining
from elmo_mini.awd_lstm.training_options import awd_perplexity as perplexity_of
from elmo_mini.files import write_text
from elmo_mini.models.awd_lstm import AWDLSTM
from elmo_mini.text.running_text import DIRECTIONS
from elmo_mini.training.card import origin
from elmo_mini.training.options import (
    add_run_options,
    precision_of,
    prepared,
    settings_of,
    use_threads,
)
from elmo_mini.training.processes import Processes
from elmo_mini.training.session import carry_out
from elmo_mini.training.steps import seeded


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options; the defaults are those of the course checkpoint."""
    course = "the texts of the course checkpoint"
    add_run_options(parser, output="build/awd_lstm", course=course)
    add = parser.add_argument
    add("--direction", choices=DIRECTIONS, default="forward", help="how it reads (forward)")
    add("--vocabulary", type=whole_number(3), default=12_000, help="words (12000)")
    add("--dim", type=positive_int, default=200, help="of a word vector (200)")
    add("--hidden", type=positive_int, default=400, help="units of all layers but the last (400)")
    add("--layers", type=positive_int, default=2, help="LSTM layers (2)")
    add("--dropout", type=dropout_rate, default=0.4, help="factor on the paper's dropouts (0.4)")
    add("--epochs", type=positive_int, default=3, help="passes over the text (3)")
    add("--batch-size", type=positive_int, default=32, help="parallel rows (32)")
    add("--bptt", type=positive_int, default=70, help="about so many words a window (70)")
    add("--optimiser", choices=OPTIMISERS, default="adam", help="nt-asgd is the paper's (adam)")
    add("--learning-rate", type=positive_float, help="the highest (adam 0.004; nt-asgd 30)")
    add("--weight-decay", type=non_negative_float, default=1.2e-6, help="(1.2e-6, the paper's)")
    add("--alpha", type=non_negative_float, default=2.0, help="of AR (2)")
    add("--beta", type=non_negative_float, default=1.0, help="of TAR (1)")
    add("--sampled", type=non_negative_int, default=2048, help="negatives; 0: all words (2048)")
    add("--validation", type=held_out_share, default=0.02, help="share of the text held out (0.02)")
    add("--stored-as", choices=STORED_AS, default="float32", help="numbers in the file (float32)")


def run(args: argparse.Namespace) -> int:
    """Pretrain, or go on, and write the model and its card; 0 at the end or at a planned stop."""
    use_threads(args)
    device = Processes.alone(args.device).device
    model_file, card = f"{args.direction}.safetensors", f"{args.direction}.md"
    checkpoint = f"{args.direction}.checkpoint.safetensors"
    written = (model_file, card, checkpoint)
    sources = prepared(args, written, course_awd_sources, checkpoint=checkpoint)
    print(f"Reading {', '.join(source.name for source in sources)} ...", flush=True)
    text = read_text(
        sources,
        words=args.vocabulary,
        share=args.validation,
        direction=args.direction,
        without_evaluated=args.course,
    )
    options = AWDLSTMOptions(
        vocabulary_size=len(text.vocabulary),
        dim=args.dim,
        hidden_dim=args.hidden,
        layers=args.layers,
        direction=args.direction,
    ).scaled(args.dropout)
    training = settings_of(
        AWDTraining,
        args,
        learning_rate=args.learning_rate or (4e-3 if args.optimiser == "adam" else 30.0),
        bfloat16=precision_of(args, device) == "bfloat16",
        sampled=args.sampled if args.sampled < len(text.vocabulary) else 0,
    )
    with seeded(args.seed, torch.device("cpu")):
        model = AWDLSTM(options).to(device)
    run = AWDRun(model, text.train, text.validation, training)
    print(
        f"{len(text.train):,} words to train on, {len(text.validation):,} held out, "
        f"{text.unknown:.1%} of them unknown; {sum(p.numel() for p in model.parameters()):,} "
        "weights."
    )

    def validated() -> str:
        history = run.history
        return (
            f"epoch {len(history.validation)}: training loss {history.training[-1]:.3f}, "
            f"validation perplexity {history.validation[-1]:.1f}, {history.seconds:.0f} s"
        )

    if not carry_out(run, args.output / checkpoint, args, validated=validated):
        return 0
    run.close()
    record: dict[str, Any] = {
        **origin(run, sources),
        "options": options.to_dict(),
        "training": asdict(run.options),
        "stored_as": args.stored_as,
        "tokens": len(text.train),
        "validation_tokens": len(text.validation),
        "unknown": text.unknown,
        "history": asdict(run.history),
        "perplexity": perplexity_of(model, text.validation),
    }
    file: Path = args.output / model_file
    save_awd_lstm(model, file, text.vocabulary, record, stored_as=args.stored_as)
    stored = load_awd_lstm(file)[0]
    record["perplexity_as_stored"] = perplexity_of(stored, text.validation)
    save_awd_lstm(model, file, text.vocabulary, record, stored_as=args.stored_as)
    write_text(args.output / card, model_card(record))
    print(f"The model is {file}; {args.output / card} says where it comes from.")
    return 0
