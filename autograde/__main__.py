"""python -m autograde COMMAND: what authors, learners and instructors run."""

import argparse
import importlib
import sys

COMMANDS = {
    "build": ("autograde.build", "make the notebooks from the lesson sources"),
    "lab": ("autograde.lab", "copy the lessons to work/ and open JupyterLab there"),
    "environment": ("autograde.environment", "say in words what this machine has and lacks"),
}


def main(argv: list[str] | None = None) -> int:
    """Run one command. Each command's module has ``add_arguments(parser)`` and ``run(args)``."""
    parser = argparse.ArgumentParser(prog="python -m autograde", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    chosen = (sys.argv[1:] if argv is None else argv)[:1]
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary)
        if chosen == [name]:
            importlib.import_module(module).add_arguments(command)
    args = parser.parse_args(argv)
    return int(importlib.import_module(COMMANDS[args.command][0]).run(args) or 0)


if __name__ == "__main__":
    raise SystemExit(main())
