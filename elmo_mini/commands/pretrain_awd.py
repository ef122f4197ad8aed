"""``python -m elmo_mini pretrain-awd``: pretrain an AWD-LSTM on corpora or text files.

The same command goes on with a run that was stopped or killed.
"""

import argparse
import platform
import shlex
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from elmo_mini._version import __version__
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
from elmo_mini.awd_lstm.awd_lstm_file import STORED_AS, load_awd_lstm, save_awd_lstm
from elmo_mini.awd_lstm.awd_lstm_options import DIRECTIONS, AWDLSTMOptions
from elmo_mini.awd_lstm.pretraining import course_awd_sources, model_card, read_text
from elmo_mini.awd_lstm.run import AWDRun
from elmo_mini.awd_lstm.training_options import OPTIMISERS, AWDHistory, AWDTraining
from elmo_mini.awd_lstm.training_options import awd_perplexity as perplexity_of
from elmo_mini.commands.stopping import noting_signals
from elmo_mini.files import check_not_read, make_folder, write_text
from elmo_mini.models.awd_lstm import AWDLSTM
from elmo_mini.pretraining.sources import asked_sources

SHARE = number("above 0 and up to 0.5", lambda x: 0 < x <= 0.5)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options; the defaults are those of the course checkpoint."""
    add = parser.add_argument
    add("corpora", nargs="*", metavar="CORPUS", help="names as `corpora` lists them")
    add("--text", type=Path, action="append", default=[], metavar="FILE", help="a text file")
    add("--course", action="store_true", help="the texts of the course checkpoint")
    add("--output", type=Path, default=Path("build/awd_lstm"), help="folder (build/awd_lstm)")
    add("--direction", choices=DIRECTIONS, default="forward", help="how it reads (forward)")
    add("--vocabulary", type=whole_number(3), default=12_000, help="words (12000)")
    add("--dim", type=positive_int, default=200, help="of a word vector (200)")
    add("--hidden", type=positive_int, default=400, help="units of all layers but the last (400)")
    add("--layers", type=positive_int, default=2, help="LSTM layers (2)")
    add("--dropout", type=dropout_rate, default=0.4, help="factor on the paper's dropouts (0.4)")
    add("--epochs", type=positive_int, default=3, help="passes over the text (3)")
    add("--batch-size", type=positive_int, default=32, help="parallel rows (32)")
    add("--bptt", type=positive_int, default=70, help="about so many words a window (70)")
    add("--minutes", type=non_negative_float, help="stop then; the same command goes on later")
    add("--checkpoint-minutes", type=non_negative_float, default=5, help="between checkpoints (5)")
    add("--optimiser", choices=OPTIMISERS, default="adam", help="nt-asgd is the paper's (adam)")
    add("--learning-rate", type=positive_float, help="the highest (adam 0.004; nt-asgd 30)")
    add("--weight-decay", type=non_negative_float, default=1.2e-6, help="(1.2e-6, the paper's)")
    add("--alpha", type=non_negative_float, default=2.0, help="of AR (2)")
    add("--beta", type=non_negative_float, default=1.0, help="of TAR (1)")
    add("--sampled", type=non_negative_int, default=2048, help="negatives; 0: all words (2048)")
    add("--bfloat16", action="store_true", help="compute products in 16 bits")
    add("--validation", type=SHARE, default=0.02, help="share of the text held out (0.02)")
    add("--stored-as", choices=STORED_AS, default="float32", help="numbers in the file (float32)")
    add("--seed", type=random_seed, default=1, help="of all random numbers (1)")
    add("--threads", type=whole_number(1, 1024), help="threads on the CPU")


def run(args: argparse.Namespace) -> int:
    """Pretrain, or go on, and write the model and its card; 0 at the end or at a planned stop."""
    if args.threads:
        torch.set_num_threads(args.threads)
    folder: Path = args.output
    file, card = folder / f"{args.direction}.safetensors", folder / f"{args.direction}.md"
    checkpoint = folder / f"{args.direction}.checkpoint.safetensors"
    for written in (file, card, checkpoint):
        check_not_read(written, args.text)
    make_folder(folder)
    sources = asked_sources(args.corpora, args.text, course_awd_sources if args.course else None)
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
    training = AWDTraining(
        epochs=args.epochs,
        batch_size=args.batch_size,
        bptt=args.bptt,
        optimiser=args.optimiser,
        learning_rate=args.learning_rate or (4e-3 if args.optimiser == "adam" else 30.0),
        weight_decay=args.weight_decay,
        alpha=args.alpha,
        beta=args.beta,
        seed=args.seed,
        bfloat16=args.bfloat16,
        sampled=args.sampled if args.sampled < len(text.vocabulary) else 0,
    )
    torch.manual_seed(args.seed)
    model = AWDLSTM(options)
    weights = sum(p.numel() for p in model.parameters())
    print(
        f"{len(text.train):,} words to train on, {len(text.validation):,} held out, "
        f"{text.unknown:.1%} of them unknown; {weights:,} weights."
    )
    run = AWDRun(model, text.train, text.validation, training)
    if checkpoint.exists():
        run.resume(checkpoint)
        print(f"Going on after step {run.steps:,}.", flush=True)
    finished = _train(run, checkpoint, args)
    run.save(checkpoint)
    if not finished:
        print(f"Stopped after step {run.steps:,}; the same command goes on from there.")
        return 0
    run.close()
    history = run.history
    record: dict[str, Any] = {
        "sources": [source.record() for source in sources],
        "options": options.to_dict(),
        "training": asdict(training),
        "weights": weights,
        "stored_as": args.stored_as,
        "tokens": len(text.train),
        "validation_tokens": len(text.validation),
        "unknown": text.unknown,
        "seconds": round(history.seconds, 1),
        "history": asdict(history),
        "perplexity": perplexity_of(model, text.validation),
        "device": f"CPU, {platform.machine()}, {torch.get_num_threads()} thread(s)",
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "elmo_mini": __version__,
        "command": shlex.join(["python", "-m", "elmo_mini", *sys.argv[1:]]),
    }
    save_awd_lstm(model, file, text.vocabulary, record, stored_as=args.stored_as)
    stored = load_awd_lstm(file)[0]
    record["perplexity_as_stored"] = perplexity_of(stored, text.validation)
    save_awd_lstm(model, file, text.vocabulary, record, stored_as=args.stored_as)
    write_text(card, model_card(record))
    print(f"The model is {file}; {card} says where it comes from.")
    return 0


def _train(run: AWDRun, checkpoint: Path, args: argparse.Namespace) -> bool:
    """Whether the run came to its end."""
    words = run.options.epochs * (run.rows.shape[1] - 1)
    progress = tqdm(
        total=max(run.steps, words // run.options.bptt),
        initial=run.steps,
        unit="step",
        file=sys.stdout,
        mininterval=1.0,
        smoothing=0.05,
    )
    started = saved = time.monotonic()
    stop_asked: list[int] = []

    def after_step(_: int) -> bool:
        nonlocal saved
        progress.update()
        now = time.monotonic()
        if now - saved > 60 * args.checkpoint_minutes:
            run.save(checkpoint)
            saved = now
        over = args.minutes is not None and now - started > 60 * args.minutes
        return over or bool(stop_asked)

    def after_epoch(history: AWDHistory) -> None:
        progress.write(
            f"epoch {len(history.validation)}: training loss {history.training[-1]:.3f}, "
            f"validation perplexity {history.validation[-1]:.1f}, {history.seconds:.0f} s"
        )
        sys.stdout.flush()

    with noting_signals(stop_asked):
        finished = run.run(after_step, after_epoch)
    progress.close()
    return finished
