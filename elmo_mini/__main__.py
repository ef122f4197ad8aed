"""python -m elmo_mini COMMAND: the package's commands, each in the module of its idea."""

import argparse
import importlib
import sys

COMMANDS = {
    "corpora": ("elmo_mini.corpora", "list the text corpora, or fetch them"),
    "embed": ("elmo_mini.embed_file", "write the vectors of a text file"),
    "neighbours": ("elmo_mini.neighbours_command", "find where a word is used as in this sentence"),
    "probe": ("elmo_mini.probe_command", "test what each layer of a model knows"),
    "pretrain": ("elmo_mini.pretraining_command", "pretrain a biLM on corpora or text files"),
}


def main(argv: list[str] | None = None) -> int:
    """Run one command. Each command's module has ``add_arguments(parser)`` and ``run(args)``."""
    parser = argparse.ArgumentParser(prog="python -m elmo_mini", description=__doc__)
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
