"""``similarity``: how alike submissions are to each other and to the published answers.

By copydetect, an implementation of winnowing (Schleimer, Wilkerson & Aiken 2003), on the answers
of a lesson without what was given. Names, comments and layout do not count. It is a list for a
person to look through, and no verdict: short answers are alike because they are short.
"""

import argparse
import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path

from copydetect import CodeFingerprint, compare_files, utils
from copydetect.utils import filter_code, get_document_fingerprints, highlight_overlap
from nbformat.notebooknode import NotebookNode

from autograde.marking.course_folder import CourseFolder, Refused, add_course_argument, notebook_at
from autograde.marking.reading import Unreadable, read_submission
from autograde.marking.repair import KEY, repaired

PUBLISHED = "the published answers"
# Of the filtered text, in characters: matches below are noise, matches above are always found.
NOISE, GUARANTEE = 20, 30


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest(), "big")


# Winnowing keeps the smallest hashes. Python's own differ from process to process, and so did
# the shares.
vars(utils)["hash"] = _hash


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lesson", metavar="LESSON")
    parser.add_argument(
        "--least",
        type=float,
        default=0.6,
        metavar="SHARE",
        help="list pairs of which this share agrees, from 0 to 1 (default: %(default)s)",
    )
    parser.add_argument(
        "--to", type=Path, metavar="HTML", help="default: COURSE/similarity/LESSON.html"
    )
    parser.add_argument("--json", action="store_true", help="print the pairs as JSON")
    add_course_argument(parser)


def run(args: argparse.Namespace) -> int:
    course = CourseFolder.at(args.course)
    texts, left_out = answers_of_all(course, args.lesson)
    if len(texts) < 2:
        raise Refused(f"There is nothing to compare: no readable hand-in of {args.lesson}.")
    found = list(pairs(texts, given_of(course, args.lesson), args.least))
    if args.json:
        print(json.dumps([asdict(pair) for pair in found], ensure_ascii=False, indent=1))
        return 0
    path = args.to or course.root / "similarity" / f"{args.lesson}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(args.lesson, found, left_out), encoding="utf-8")
    print(f"{args.lesson}: {len(texts) - 1} hand-ins, {len(found)} pairs to look at: {path}")
    return 0


@dataclass(frozen=True)
class Pair:
    """Two texts and which share of each is found in the other; with what agrees marked."""

    one: str
    other: str
    share: float
    share_of_other: float
    marked: str = ""
    marked_other: str = ""


def given_of(course: CourseFolder, lesson: str) -> str:
    """What every submission holds because it was given."""
    released = notebook_at(course.released(lesson))
    return "\n\n".join(cell.source for cell in released.cells if cell.cell_type == "code")


def answers_of_all(course: CourseFolder, lesson: str) -> tuple[dict[str, str], list[str]]:
    """The code that was written, by student and for the published answers; and who is left out."""
    path = course.released(lesson)
    released = notebook_at(path)
    texts, left_out = {}, []
    solution = course.root / "solutions" / lesson / path.name
    if solution.is_file():
        texts[PUBLISHED] = _written(repaired(read_submission(solution.read_bytes()), released)[0])
    for file in sorted(course.root.glob(f"{course.submitted}/*/{lesson}/{path.name}")):
        try:
            notebook, _ = repaired(read_submission(file.read_bytes()), released)
        except Unreadable:
            left_out.append(file.parts[-3])
        else:
            texts[file.parts[-3]] = _written(notebook)
    return texts, left_out


def _written(notebook: NotebookNode) -> str:
    cells = (c for c in notebook.cells if c.cell_type == "code")
    kinds = ("answer", "added")
    return "\n\n".join(c.source for c in cells if c.metadata[KEY]["kind"] in kinds)


def pairs(texts: dict[str, str], given: str, least: float) -> Iterator[Pair]:
    """The pairs that agree in at least this share, the most alike first."""
    boilerplate = _boilerplate(given)
    prints = {name: _print(name, text, boilerplate) for name, text in texts.items()}
    names = [name for name, text in texts.items() if text.strip()]
    found = []
    for position, one in enumerate(names):
        for other in names[position + 1 :]:
            _, shares, slices = compare_files(prints[one], prints[other])
            if max(shares) >= least:
                marked = [
                    highlight_overlap(texts[name], where, "\ue000", "\ue001")[0]
                    for name, where in zip((one, other), slices, strict=True)
                ]
                found.append(Pair(one, other, float(shares[0]), float(shares[1]), *marked))
    yield from sorted(found, key=lambda pair: -max(pair.share, pair.share_of_other))


def _print(name: str, text: str, boilerplate: list[int]) -> CodeFingerprint:
    return CodeFingerprint(
        name, NOISE, GUARANTEE - NOISE + 1, boilerplate, language="python", fp=io.StringIO(text)
    )


def _boilerplate(given: str) -> list[int]:
    filtered, _ = filter_code(given, "given.py", "python")
    hashes, _ = get_document_fingerprints(filtered, NOISE, 1)
    return list(hashes)


def page(lesson: str, found: list[Pair], left_out: list[str]) -> str:
    """The report: the pairs, and side by side what agrees."""
    rows, details = [], []
    for number, pair in enumerate(found):
        rows.append(
            f'<tr><td><a href="#p{number}">{escape(pair.one)}</a></td><td>{pair.share:.0%}</td>'
            f"<td>{escape(pair.other)}</td><td>{pair.share_of_other:.0%}</td></tr>"
        )
        sides = "".join(f"<pre>{_shown(text)}</pre>" for text in (pair.marked, pair.marked_other))
        names = f"{escape(pair.one)} and {escape(pair.other)}"
        details.append(f'<h2 id="p{number}">{names}</h2><div class="pair">{sides}</div>')
    missing = f"<p>Could not be read: {escape(', '.join(left_out))}.</p>" if left_out else ""
    style = (
        "body{font:15px sans-serif;margin:2rem}td{padding:.2rem 1rem .2rem 0}"
        ".pair{display:grid;grid-template-columns:1fr 1fr;gap:1rem}pre{overflow-x:auto}"
        "mark{background:#fd8}"
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>{escape(lesson)}</title>'
        f"<style>{style}</style><h1>Likeness in {escape(lesson)}</h1><p>Shares of the code that "
        "was written, without what was given. Names and comments do not count. A list to look "
        "through: short answers are alike because they are short.</p>"
        f"{missing}<table>{''.join(rows)}</table>{''.join(details)}</html>\n"
    )


def _shown(text: str) -> str:
    return escape(text).replace("\ue000", "<mark>").replace("\ue001", "</mark>")
