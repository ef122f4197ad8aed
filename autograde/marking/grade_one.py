"""python -m autograde grade-one: the worker's pure function, for a job array."""

import argparse
import sys
from pathlib import Path

import nbformat

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
    """Read a notebook from standard input, print its verdict; 1 if it could not be marked."""
    released = args.released.read_text("utf-8")
    task = Task(
        args.lesson,
        args.student,
        sys.stdin.buffer.read(),
        released,
        bytes.fromhex(args.secret.read_text("ascii")),
        limits_of(args.secret.parent),
        gone_for(nbformat.reads(released, 4)),
    )
    verdict = mark(task).verdict
    print(as_json(verdict))
    return int(verdict.status != "marked")
