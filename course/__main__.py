"""python -m course COMMAND: what keeps the stored results true."""

from collections.abc import Sequence

from elmo_mini.commands.run import run_command
from elmo_mini.errors import ConfigurationError

COMMANDS = {"measure": ("course.measure", "list the stored results, or measure them again")}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    return run_command(
        "python -m course",
        "What keeps the stored results true.",
        COMMANDS,
        argv,
        refusals=(ConfigurationError, OSError),
    )


if __name__ == "__main__":
    raise SystemExit(main())
