"""One program, several commands: each command is a module that is loaded when it is chosen."""

import argparse
import importlib
import io
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from elmo_mini._version import __version__
from elmo_mini.errors import in_a_sentence
from elmo_mini.extras import ExtraMissing, brought_by

INTERRUPTED, BROKEN_PIPE = 130, 141


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
    package that the command needs is not installed. 130 and 141, as shells have it, where Ctrl-C
    ended it, and where nobody reads its output any more.
    """
    _show_all_characters()
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument(
        "--version", action="version", version=f"elmo_mini {__version__}", help="print it and stop"
    )
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
            status = int(importlib.import_module(commands[args.command][0]).run(args) or 0)
            if sys.stdout is not None:
                sys.stdout.flush()  # a full disk is told here, and not at the interpreter's end
            return status
    except BrokenPipeError:  # who read the output has read enough, as `head` does
        _discard_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        print(f"{program} {arguments[0]}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except (MemoryError, RuntimeError) as error:
        # PyTorch has an error of its own for a GPU's memory, and none for the processor's.
        if not isinstance(error, (MemoryError, *caught)) and not re.search(
            r"out of memory|not enough memory|can't allocate", str(error)
        ):
            raise
        lack = "" if isinstance(error, caught) else "not enough memory: "
        said = f"{program} {arguments[0]}: {lack}{in_a_sentence(error)}"
        print(said.rstrip(": "), file=sys.stderr)
        return 2
    except caught as error:
        _discard_output(only_if_broken=True)
        print(f"{program} {arguments[0]}: {in_a_sentence(error)}", file=sys.stderr)
        return 2


def _show_all_characters() -> None:
    """Have characters that the terminal's code page lacks written as ``\\u94f6``, not refused."""
    for stream in (sys.stdout, sys.stderr):
        # Where there is no locale, Python sets surrogateescape, which refuses them as well.
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="backslashreplace")


def _discard_output(only_if_broken: bool = False) -> None:
    """Let what standard output still holds go nowhere; else Python complains at its end."""
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return
    if only_if_broken:
        with suppress(OSError):
            sys.stdout.flush()
            return
    with suppress(OSError), Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
