"""``python -m course.texts.word_classes``: beginnings of sentences, and what they end in.

The task of lesson 14: a sentence is cut at a random place; which class of word is the last one? Its
file ships with the course, so that the lesson runs without the corpora. The command writes it anew
from MASC (Ide et al. 2010), the Manually Annotated Sub-Corpus of American English, which is free of
restrictions.
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from course.texts.labelled_tasks import Labelled
from elmo_mini import corpora
from elmo_mini.corpora.splits import Part
from elmo_mini.files import write_text

FILE = Path(str(files("elmo_mini"))) / "data" / "word_classes.txt"
CLASSES = {
    "NN": "noun",
    "VB": "verb",
    "JJ": "adjective",
    "RB": "adverb",
    "IN": "preposition",
    "DT": "article",
    "PR": "pronoun",
    "CC": "and, or, but",
    "MD": "modal verb",
    "TO": "to",
}
SIZES: dict[Part, int] = {"train": 3_200, "dev": 200, "test": 400}
LONGEST = 16


@dataclass(frozen=True)
class WordClasses:
    """Beginnings of sentences in lower case, at most 16 words, and the class of the last word.

    Attributes
    ----------
    classes : their names; a label is a place in this list
    """

    classes: tuple[str, ...]
    train: Labelled
    dev: Labelled
    test: Labelled

    @classmethod
    def read(cls, file: Path, classes: Mapping[str, str]) -> "WordClasses":
        """A task out of its file: ``# part``, then a line with tag and words for each text.

        Parameters
        ----------
        classes : the name of each tag, in the order of the labels
        """
        tags = list(classes)
        found: dict[str, Labelled] = {}
        part = ""
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("# "):
                part = line[2:]
                found[part] = Labelled([], [])
            elif line:
                tag, _, words = line.partition(" ")
                found[part].texts.append(words.split(" "))
                found[part].labels.append(tags.index(tag))
        return cls(tuple(classes.values()), found["train"], found["dev"], found["test"])


@lru_cache(maxsize=1)
def word_classes() -> WordClasses:
    """The task as it ships; no document of the test stands in the other parts."""
    return WordClasses.read(FILE, CLASSES)


def content_words() -> dict[str, str]:
    """The nouns, verbs, adjectives and adverbs among the last words, each with its usual class."""
    task = word_classes()
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for part in (task.train, task.dev, task.test):
        for words, label in zip(part.texts, part.labels, strict=True):
            seen[words[-1]][task.classes[label]] += 1
    usual = {word: classes.most_common(1)[0][0] for word, classes in seen.items()}
    return {word: name for word, name in usual.items() if name in task.classes[:4]}


def main(argv: Sequence[str] | None = None) -> int:
    """Draw the beginnings from MASC, and write the file."""
    argparse.ArgumentParser(
        prog="python -m course.texts.word_classes", description=__doc__
    ).parse_args(argv)
    lots, corpus = random.Random(0), corpora.load("masc_tagged")
    lines: list[str] = []
    for part, size in SIZES.items():
        rows = set()
        for sentence in corpus.split(part).tagged_sentences():
            end = lots.randint(1, len(sentence))
            words = [word.lower() for word, _ in sentence[:end]][-LONGEST:]
            tag = sentence[end - 1][1][:2]
            if tag in CLASSES and not any(set(word) & set(" \n") or not word for word in words):
                rows.add(f"{tag} {' '.join(words)}")
        lines += [f"# {part}", *lots.sample(sorted(rows), size)]
    write_text(FILE, "\n".join(lines) + "\n")
    print(f"{FILE}: {', '.join(f'{size} of {part}' for part, size in SIZES.items())}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
