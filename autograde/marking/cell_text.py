"""What a cell's source says, read line by line: nothing of a student's is parsed or run."""

import re

_CHECK_LINE = re.compile(r'^check\(\s*["\'](\w+)["\'].*$', re.MULTILINE)
_IMPORT_CHECK = re.compile(r"^from autograde import check[ \t]*$", re.MULTILINE)


def plain(source: str) -> str:
    """The source without what editors change by themselves: space at the ends of lines."""
    return "\n".join(line.rstrip() for line in source.splitlines()).strip()


def defines(source: str, names: frozenset[str]) -> bool:
    """Whether a cell binds one of the names at its top level, judged by the beginnings of lines."""
    return any(
        re.search(
            rf"^(?:(?:async[ \t]+)?def[ \t]+|class[ \t]+){name}\b"
            rf"|^{name}[ \t]*(?::[^=\n]+)?=(?!=)"
            rf"|^(?:from|import)\b[^\n#]*\bas[ \t]+{name}\b",
            source,
            re.MULTILINE,
        )
        for name in map(re.escape, names)
    )


def without_checks(source: str) -> str:
    """A cell without its calls of ``check`` and without the import that they need."""
    return plain(_IMPORT_CHECK.sub("", _CHECK_LINE.sub("", source)))


def checks_in(source: str) -> set[str]:
    """The exercises that a cell checks."""
    return set(_CHECK_LINE.findall(source))
