"""Command-line options that all pretraining commands have, and what they lead to before a run."""

import argparse
from collections.abc import Callable, Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import torch

from elmo_mini.arguments import non_negative_float, path, positive_int, random_seed, whole_number
from elmo_mini.files import check_not_read, check_own, check_utf8, make_folder
from elmo_mini.training.precision import PRECISIONS, has_bfloat16
from elmo_mini.training.pretraining.sources import Source, asked_sources

Settings = TypeVar("Settings")


def add_run_options(
    parser: argparse.ArgumentParser, *, output: str, course: str, device: str = "cpu"
) -> None:
    """What is read, where the run is written, when it stops, and on what it computes.

    Parameters
    ----------
    output : the folder by default
    course : what ``--course`` stands for
    device : by default
    """
    group = parser.add_argument_group("the run")
    add = group.add_argument
    names = "names as `corpora` lists them"
    parser.add_argument("corpora", nargs="*", metavar="CORPUS", help=names)
    add("--text", type=path, action="append", default=[], metavar="FILE", help="a text file")
    lines = "every line of the text files is a sentence (else stops and empty lines end one)"
    add("--one-sentence-per-line", action="store_true", help=lines)
    add("--course", action="store_true", help=course)
    add("--output", type=path, default=Path(output), help=f"folder for the run ({output})")
    add("--minutes", type=non_negative_float, help="stop then; the same command goes on later")
    add("--checkpoint-minutes", type=non_negative_float, default=5, help="between checkpoints (5)")
    add("--checkpoint-steps", type=positive_int, help="a checkpoint every so many steps as well")
    add("--seed", type=random_seed, default=1, help="of all random numbers (1)")
    add("--device", default=device, help=f"cpu, cuda or auto ({device})")
    add("--precision", choices=PRECISIONS, help="of products (a GPU: bfloat16, else float32)")
    add(
        "--bfloat16",
        action="store_const",
        dest="precision",
        const="bfloat16",
        help="the same as --precision bfloat16",
    )
    add("--threads", type=whole_number(1, 1024), help="threads of each process on the CPU")


def precision_of(args: argparse.Namespace, device: str) -> str:
    """That asked for; without a word, bfloat16 on a GPU that has kernels for it."""
    usual = "bfloat16" if device.startswith("cuda") and has_bfloat16(device) else "float32"
    return str(args.precision or usual)


def prepared(
    args: argparse.Namespace,
    written: Iterable[str],
    course: Callable[[], list[Source]],
    *,
    checkpoint: str = "checkpoint.safetensors",
) -> list[Source]:
    """The texts that were asked for, once the folder is there and nothing in it would be lost.

    Parameters
    ----------
    written : names of the files that the run leaves in its folder
    course : gives the texts of ``--course``
    checkpoint : the one of these by which the folder of an earlier run is known

    Raises
    ------
    ConfigurationError
        If a file that is read would be written, the texts are none or too many, or the folder's
        name is no UTF-8.
    OSError
        If the folder cannot be made, or holds such a file that no run has written.
    """
    sources = asked_sources(
        args.corpora,
        args.text,
        course if args.course else None,
        one_sentence_per_line=args.one_sentence_per_line,
    )
    written = tuple(written)
    check_utf8(args.output)
    for name in written:
        check_not_read(args.output / name, args.text)
    make_folder(args.output)
    check_own(args.output, written, checkpoint)
    return sources


def settings_of(kind: type[Settings], args: argparse.Namespace, **others: Any) -> Settings:
    """A dataclass of settings from the options of the same names; `others` win over these."""
    names = [field.name for field in fields(kind) if field.init]  # type: ignore[arg-type]
    named = {name: getattr(args, name) for name in names if hasattr(args, name)}
    return kind(**{**named, **others})


def use_threads(args: argparse.Namespace) -> None:
    """As many threads as were asked for; without a word, PyTorch's own choice."""
    if args.threads:
        torch.set_num_threads(args.threads)
