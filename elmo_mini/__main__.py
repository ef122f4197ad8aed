"""python -m elmo_mini COMMAND: the package's commands, each in the module of its idea."""

from collections.abc import Sequence

from elmo_mini.commands.run import run_command
from elmo_mini.corpora.files import CorpusMissing

COMMANDS = {
    "corpora": ("elmo_mini.commands.corpora", "list the text corpora, or fetch them"),
    "embed": ("elmo_mini.commands.embed", "write the vectors of a text file"),
    "neighbours": ("elmo_mini.commands.neighbours", "where a word is used as in this sentence"),
    "probe": ("elmo_mini.commands.probe", "test what each layer of a model knows"),
    "pretrain": ("elmo_mini.commands.pretrain", "pretrain a biLM on corpora or text files"),
    "pretrain-awd": (
        "elmo_mini.commands.pretrain_awd",
        "pretrain an AWD-LSTM on corpora or text files",
    ),
    "pretrain-masked": (
        "elmo_mini.commands.pretrain_masked",
        "pretrain a masked language model on corpora or text files",
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    return run_command(
        "python -m elmo_mini",
        "The package's commands, each in the module of its idea.",
        COMMANDS,
        argv,
        refusals=(OSError, ValueError, CorpusMissing, FloatingPointError),
    )


if __name__ == "__main__":
    raise SystemExit(main())
