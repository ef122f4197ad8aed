"""One program, several commands: each command is a module that is loaded when it is chosen."""

import argparse
import importlib
import sys
from collections.abc import Mapping, Sequence

from elmo_mini.errors import in_a_sentence


def run_command(
    program: str,
    description: str,
    commands: Mapping[str, tuple[str, str]],
    argv: Sequence[str] | None = None,
    *,
    refusals: tuple[type[Exception], ...] = (),
) -> int:
    """Run the command that the arguments name, and return its exit status.

    Parameters
    ----------
    program : how it is called, for the help
    description : what it is, for the help
    commands : name to (module, summary). The module has ``add_arguments(parser)`` and
        ``run(args)``, which returns the exit status or None.
    argv : the arguments; those of the process by default
    refusals : errors that are a user's to mend; each is one sentence on standard error, status 2
    """
    parser = argparse.ArgumentParser(prog=program, description=description)
    choices = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    arguments = list(sys.argv[1:] if argv is None else argv)
    for name, (module, summary) in commands.items():
        command = choices.add_parser(name, help=summary, description=summary)
        if arguments[:1] == [name]:
            importlib.import_module(module).add_arguments(command)
    args = parser.parse_args(arguments)
    try:
        return int(importlib.import_module(commands[args.command][0]).run(args) or 0)
    except refusals as error:
        print(f"{program} {args.command}: {in_a_sentence(error)}", file=sys.stderr)
        return 2
