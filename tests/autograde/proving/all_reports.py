"""What is said of each known answer, as JSON: python -m tests.autograde.proving.all_reports."""

import json
import sys
from collections.abc import Iterator

from autograde.checking.catalogue import catalogue, find
from autograde.checking.check import examine
from autograde.proving.proofs import right_answers


def reports(name: str) -> Iterator[tuple[str, str]]:
    """The text of each report, by exercise and answer."""
    exercise = find(name)
    answers = [*right_answers(exercise), *((m.name, m.answer) for m in exercise.mistakes)]
    for what, answer in answers:
        yield f"{name}: {what}", examine(exercise, answer).text()


if __name__ == "__main__":
    found = dict(said for name in sys.argv[1:] or catalogue() for said in reports(name))
    json.dump(found, sys.stdout)
