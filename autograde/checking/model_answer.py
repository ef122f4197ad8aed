"""`model_answer("key")`: what a good answer looks like, for those who have tried.

The answers lie in a hidden file beside the notebook. A graded course releases no such file.
"""

import json
import re
from pathlib import Path
from typing import Any

from autograde.checking.attempts import has_passed, tries
from autograde.workspace.place import being_graded

FILE = Path(".model_answers.json")
SENTENCES = 2
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")


class Unfolding:
    """A folded block in a notebook; in a terminal, plain text."""

    def __init__(self, summary: str, answer: str, in_terminal: str | None = None) -> None:
        self.summary = summary
        self.answer = answer
        self.in_terminal = in_terminal

    def __repr__(self) -> str:
        return self.in_terminal or f"{self.summary}\n\n{self.answer}"

    def _repr_markdown_(self) -> str:
        summary = re.sub("`([^`]*)`", r"<code>\1</code>", self.summary)
        return f"<details><summary>{summary}</summary>\n\n{self.answer}\n\n</details>"


class Sentence:
    """A sentence in place of an answer."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


def model_answer(
    key: str, *, hints_read: bool = False, mine: str = ""
) -> Unfolding | Sentence | None:
    """The model answer of an exercise or a discussion, folded; or what is to be done first.

    An exercise's opens when it has passed its check, now or earlier, or after one judged try and
    all three hints. A discussion's opens when two sentences of one's own stand in its cell of the
    saved notebook. While nbgrader runs the notebook, nothing is shown.

    Parameters
    ----------
    key : the id of the exercise or discussion
    hints_read : say so in a terminal, where there is no fold to open
    mine : one's own text for a discussion, where the notebook cannot be read

    Raises
    ------
    KeyError
        There is no such answer; the message lists those there are.
    """
    if being_graded():
        return None
    if not FILE.exists():
        return Sentence("The course has switched model answers off.")
    answers = json.loads(FILE.read_text(encoding="utf-8"))
    if key not in answers:
        raise KeyError(f"there is no model answer {key!r}; there are: {', '.join(answers)}")
    if answers[key]["of"] == "discussion":
        return _of_discussion(key, answers[key]["answer"], mine)
    return _of_exercise(key, answers[key]["answer"], hints_read)


def _of_exercise(key: str, answer: str, hints_read: bool) -> Unfolding | Sentence:
    if has_passed(key):
        return Unfolding(f"Model answer of `{key}`: yours has passed, so compare the two", answer)
    if not tries(key):
        return Sentence(
            f"The model answer of `{key}` opens when yours has passed its check, or after one try "
            "and all three hints. Write your answer, run its check, then run this cell again."
        )
    return Unfolding(
        f"Model answer of `{key}`: open it when you have read all three hints",
        answer,
        in_terminal=None if hints_read else f'Hints read? model_answer("{key}", hints_read=True)',
    )


def _of_discussion(key: str, answer: str, mine: str) -> Unfolding | Sentence:
    found = [mine] if mine else own_texts(key)
    if any(count_sentences(text) >= SENTENCES for text in found):
        return Unfolding("Model answer: hold yours against it", answer)
    if found:
        return Sentence(
            "The model answer opens when you have written your own. Write two sentences or more "
            "in the cell of the answer, save the notebook (Ctrl+S), then run this cell again."
        )
    return Sentence(
        "The model answer opens when you have written your own, and no notebook with its cell was "
        f'found in this folder. Hand your text over: `model_answer("{key}", mine="...")`.'
    )


def own_texts(key: str, folder: Path | None = None) -> list[str]:
    """What stands in a discussion's cell, in each saved notebook of the folder that has it."""
    texts = []
    for path in sorted((folder or Path.cwd()).glob("*.ipynb")):
        try:
            cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a file that is half written, or no notebook
        for cell in cells:
            if cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") == key:
                texts.append("".join(cell.get("source", "")))
    return texts


def count_sentences(text: str) -> int:
    """How many sentences a text has; a word or two are none."""
    pieces = SENTENCE_END.split(text.strip())
    return sum(
        len(piece.split()) >= 3 or len(re.findall("[一-鿿]", piece)) >= 4 for piece in pieces
    )
