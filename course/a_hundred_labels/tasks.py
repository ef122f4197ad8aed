"""Lesson 15's classification tasks, their texts and labels: who speaks?

With NLTK's corpora: an opinion of a film, or its plot? Without: the words of somebody who is
quoted in the news, or the reporter's? There the quotation marks are the labels, and are taken out.
Texts are in lower case, and no text of a later part stands in an earlier one.
"""

import hashlib
from functools import lru_cache

from course.texts.labelled_tasks import Labelled, Task
from elmo_mini import corpora
from elmo_mini.corpora.splits import PARTS, Part

SHORTEST, LONGEST = 5, 25
CLOSING = {".", ",", "?", "!", ";", ":"}
SHARES: dict[Part, float] = {"train": 0.4, "dev": 0.2, "test": 0.4}
"""Of the articles of the Lee corpus, which are few: the course's own split would leave 18 texts."""


@lru_cache(maxsize=1)
def subjective() -> Task:
    """Subjectivity: does a sentence give an opinion of a film, or tell its plot?"""
    numbers, parts = {"obj": 0, "subj": 1}, {}
    corpus = corpora.load("subjectivity")
    for part in PARTS:
        rows = [
            ([word.lower() for word in words], numbers[label])
            for words, label in corpus.split(part).labelled()
        ]
        parts[part] = _balanced(rows)
    what = "the plot of a film, or an opinion of it"
    return Task("opinions", what, ("plot", "opinion"), parts["train"].texts, **parts)


@lru_cache(maxsize=1)
def quoted() -> Task:
    """The Lee corpus: does the reporter speak, or somebody who is quoted?"""
    texts: dict[Part, list[tuple[list[str], int]]] = {part: [] for part in PARTS}
    seen: set[tuple[str, ...]] = set()
    unlabelled: list[list[str]] = []
    for article in corpora.lee().passages():
        part = _part_of(article.name)
        for sentence in article.sentences:
            words = [word.lower() for word in sentence.words]
            if part == "train":
                unlabelled.append([word for word in words if word != '"'])
            spoken = int('"' in words)
            for piece in _inside(words) if spoken else [words]:
                piece = _without_closing(piece)
                if SHORTEST <= len(piece) <= LONGEST and tuple(piece) not in seen:
                    seen.add(tuple(piece))
                    texts[part].append((piece, spoken))
    parts = {part: _balanced(rows) for part, rows in texts.items()}
    what = "words of the reporter, or of somebody who is quoted (Lee)"
    return Task("quoted", what, ("reporter", "quoted"), unlabelled, **parts)


def first_task() -> Task:
    """Opinion or plot; without that corpus, quoted or reported."""
    try:
        return subjective()
    except corpora.CorpusMissing:
        return quoted()


def _order(text: str) -> float:
    """A number from 0 to 1 that only the text decides."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6]) / 2**48


def _part_of(article: str) -> Part:
    place = _order(article)
    for part, share in SHARES.items():
        if place < share:
            return part
        place -= share
    return "test"


def _inside(words: list[str]) -> list[list[str]]:
    """What stands between quotation marks, each stretch a text of its own."""
    pieces: list[list[str]] = []
    open_ = False
    for word in words:
        if word == '"':
            open_ = not open_
            if open_:
                pieces.append([])
        elif open_:
            pieces[-1].append(word)
    return pieces


def _without_closing(words: list[str]) -> list[str]:
    end = len(words)
    while end and words[end - 1] in CLOSING:
        end -= 1
    return words[:end]


def _balanced(rows: list[tuple[list[str], int]]) -> Labelled:
    """As many of each class, in an order that says nothing of it."""
    rows = sorted(rows, key=lambda row: _order(" ".join(row[0])))
    ones = [row for row in rows if row[1]]
    others = [row for row in rows if not row[1]]
    most = min(len(ones), len(others))
    both = sorted(ones[:most] + others[:most], key=lambda row: _order(" ".join(row[0])))
    return Labelled([words for words, _ in both], [label for _, label in both])
