"""Lines for a terminal, with parts that may come from a student: names, files, errors."""

from collections.abc import Iterable


def printed(lines: Iterable[str]) -> str:
    """The lines, in which what would move the cursor or begin another line is spelled out."""
    return "\n".join("".join(map(_spelled, line)) for line in lines)


def _spelled(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()
