"""python -m elmo_mini COMMAND: the package's commands, each in the module of its idea."""

from collections.abc import Sequence

from elmo_mini.commands import run_command

COMMANDS = {
    "corpora": ("elmo_mini.corpora", "list the text corpora, or fetch them"),
    "embed": ("elmo_mini.embed_command", "write the vectors of a text file"),
    "neighbours": ("elmo_mini.neighbours_command", "find where a word is used as in this sentence"),
    "probe": ("elmo_mini.probe_command", "test what each layer of a model knows"),
    "pretrain": ("elmo_mini.pretraining_command", "pretrain a biLM on corpora or text files"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    return run_command(
        "python -m elmo_mini",
        "The package's commands, each in the module of its idea.",
        COMMANDS,
        argv,
    )


if __name__ == "__main__":
    raise SystemExit(main())
