"""python -m autograde grade-one: the worker's pure function, for a job array."""

import argparse
import sys
from pathlib import Path

from autograde.marking.course_folder import Refused, notebook_at
from autograde.marking.limits import limits_of
from autograde.marking.marks import as_json
from autograde.marking.worker import Task, gone_for, mark


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What it is told."""
    parser.add_argument("lesson", help="the lesson's name")
    parser.add_argument("--released", type=Path, required=True, help="the released notebook")
    parser.add_argument("--student", default="student", help="whose it is; part of the seed")
    parser.add_argument("--secret", type=Path, required=True, help="the course's .marking_secret")


def run(args: argparse.Namespace) -> int:
    """Read a notebook from standard input, print its verdict; 1 if it could not be marked.

    Raises
    ------
    Refused
        The released notebook or the secret cannot be read.
    """
    gone = gone_for(notebook_at(args.released))
    task = Task(
        args.lesson,
        args.student,
        sys.stdin.buffer.read(),
        args.released.read_text("utf-8"),
        _secret(args.secret),
        limits_of(args.secret.parent),
        gone,
    )
    verdict = mark(task).verdict
    print(as_json(verdict))
    return int(verdict.status != "marked")


def _secret(path: Path) -> bytes:
    try:
        return bytes.fromhex(path.read_text("ascii"))
    except (OSError, ValueError) as wrong:
        raise Refused(
            f"{path} is not the course's secret; name the file .marking_secret of its folder."
        ) from wrong
