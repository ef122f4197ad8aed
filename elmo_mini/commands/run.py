"""One program, several commands: each command is a module that is loaded when it is chosen."""

import argparse
import importlib
import sys
from collections.abc import Mapping, Sequence

from elmo_mini.errors import in_a_sentence
from elmo_mini.extras import ExtraMissing, brought_by


def run_command(
    program: str,
    description: str,
    commands: Mapping[str, tuple[str, str]],
    argv: Sequence[str] | None = None,
    *,
    refusals: tuple[type[Exception], ...] = (),
    extra: str = "experiments",
) -> int:
    """Run the command that the arguments name, and return its exit status.

    Parameters
    ----------
    program : how it is called, for the help
    description : what its commands are about, for the help
    commands : name to (module, summary); the module has ``add_arguments(parser)`` and
        ``run(args)``, which returns the exit status or None
    argv : the arguments; those of the process by default
    refusals : errors that are a user's to mend; each is one sentence on standard error, status 2
    extra : the extra of the distribution that brings what the commands import

    Returns
    -------
    The command's exit status; 2, with one sentence on standard error, for a refusal, and when a
    package that the command needs is not installed.
    """
    parser = argparse.ArgumentParser(prog=program, description=description)
    choices = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    arguments = list(sys.argv[1:] if argv is None else argv)
    caught: tuple[type[Exception], ...] = (ExtraMissing, *refusals)
    try:
        with brought_by(extra):
            for name, (module, summary) in commands.items():
                command = choices.add_parser(name, help=summary, description=summary)
                if arguments[:1] == [name]:
                    importlib.import_module(module).add_arguments(command)
            args = parser.parse_args(arguments)
            return int(importlib.import_module(commands[args.command][0]).run(args) or 0)
    except caught as error:
        print(f"{program} {arguments[0]}: {in_a_sentence(error)}", file=sys.stderr)
        return 2
