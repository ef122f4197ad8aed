"""The command line of the modules that measure at full size and store what came out."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from course.results.stored import FOLDER, write_result
from elmo_mini.arguments import whole_number
from elmo_mini.checkpoints.pretrained import COURSE_CHECKPOINT
from elmo_mini.corpora import CorpusDamaged, CorpusMissing
from elmo_mini.errors import ConfigurationError, in_a_sentence
from elmo_mini.files import check_not_read, make_folder

Result = dict[str, Any]
Prepared = tuple[tuple[Any, ...], Result]
"""What every experiment is called with, and what is stored with each."""


def run_experiments(
    module: str,
    prefix: str,
    about: str | None,
    experiments: Mapping[str, Callable[..., tuple[str, Result]]],
    prepare: Callable[[argparse.Namespace], Prepared],
    argv: Sequence[str] | None,
    *,
    seeds: int | None = None,
    bilm: str | None = None,
    all_by_default: bool = False,
    store_others: bool = True,
    another_bilm: bool = False,
    folder: tuple[str, str] | None = None,
) -> int:
    """Measure the named experiments; store each at once, with the command that repeats it.

    Parameters
    ----------
    module : after ``course.``, such as ``taglm.experiments``
    prefix : of the stored files' names, before the experiment's
    about : the module's docstring
    experiments : each gives a title and numbers
    prepare : gets the options, among them the lists ``experiment`` and ``seeds``, and ``bilm``
    seeds : how many by default; None where there are none
    bilm : the option that names another biLM than the course's
    all_by_default : no name stands for all of them
    store_others : False if what another biLM gives is only printed
    another_bilm : True if the option `bilm` must be given
    folder : an option that names a folder, ``args.folder``, and what is in it

    Returns
    -------
    The exit status: 2, with one sentence on standard error, if a corpus or file is missing
    """

    def known(name: str) -> str:
        if name not in experiments:
            raise argparse.ArgumentTypeError(f"no {name!r} among {', '.join(experiments)}")
        return name

    program = f"python -m course.{module}"
    parser = argparse.ArgumentParser(prog=program, description=about)
    add = parser.add_argument
    nargs, text = ("*" if all_by_default else "+"), ", ".join(experiments)
    # Not as `choices`: with "*", Python 3.11 then refuses that there is no name.
    add("experiment", nargs=nargs, type=known, metavar="NAME", help=text)
    if seeds:
        text = f"how many, from 1 (default: {seeds})"
        add("--seeds", type=whole_number(1, 1000), default=seeds, metavar="N", help=text)
    if bilm:
        text = "the pretrained biLM" + ("" if another_bilm else " (default: the course's own)")
        add(
            bilm,
            dest="bilm",
            type=Path,
            default=COURSE_CHECKPOINT,
            required=another_bilm,
            metavar="FILE",
            help=text,
        )
    if folder:
        add(folder[0], dest="folder", type=Path, metavar="FOLDER", help=f"a folder {folder[1]}")
    text = "where to store (default: course/results)"
    add("--results", type=Path, default=FOLDER, metavar="FOLDER", help=text)
    args = parser.parse_args(argv)
    options, seeded = "", {}
    if seeds:
        torch.set_num_threads(1)  # with more, a seed gives other numbers on another machine
        options = f" --seeds {args.seeds}"
        args.seeds = list(range(1, args.seeds + 1))
        seeded = {"seeds": args.seeds, "interval": "95 %, Student's t over the seeds"}
    another = bilm is not None and args.bilm != COURSE_CHECKPOINT
    if another:
        options += f" {bilm} {args.bilm.name}"
    if folder and args.folder is not None:
        options += f" {folder[0]} {args.folder.name}"
    try:
        make_folder(args.results)
        arguments, common = prepare(args)
        for name in args.experiment or experiments:
            file = prefix + name.replace("-", "_")
            if bilm is not None:
                check_not_read(args.results / f"{file}.json", [args.bilm])
            title, numbers = experiments[name](*arguments)
            if another and not store_others:
                print(title, numbers)
                continue
            everything, command = seeded | common | numbers, f"{program} {name}{options}"
            path = write_result(file, title, everything, command=command, folder=args.results)
            print(f"stored in {path}", flush=True)
    except (CorpusMissing, CorpusDamaged, OSError, ConfigurationError) as error:
        print(f"{program}: {in_a_sentence(error)}", file=sys.stderr)
        return 2
    return 0
