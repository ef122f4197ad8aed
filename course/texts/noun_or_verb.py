"""``python -m course.texts.noun_or_verb``: beginnings of sentences that end in *run* or *call*.

The task of lesson 14: the last word can be a noun or a verb, and which one it is hangs on the words
before it. Its file ships with the course, so that the lesson runs without the corpora. The command
writes it anew from MASC (Ide et al. 2010), the Manually Annotated Sub-Corpus of American English,
which is free of restrictions.
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

from course.texts.word_classes import LONGEST, WordClasses, word_classes
from elmo_mini import corpora
from elmo_mini.corpora.splits import Part
from elmo_mini.files import write_text
from elmo_mini.text.labelled import Labelled

FILE = Path(str(files("elmo_mini"))) / "data" / "noun_or_verb.txt"
CLASSES = {"NN": "noun", "VB": "verb"}
SIZES: dict[Part, int] = {"train": 1_600, "dev": 300, "test": 700}
LEAST, SHARE = 12, 0.25


@lru_cache(maxsize=1)
def noun_or_verb() -> WordClasses:
    """The task as it ships; no document of the test stands in the other parts."""
    return WordClasses.read(FILE, CLASSES)


@lru_cache(maxsize=1)
def next_class() -> WordClasses:
    """Which of ten classes has the next word? Texts of `word_classes`, less that word."""
    task = word_classes()

    def cut(part: Labelled) -> Labelled:
        kept = [n for n, text in enumerate(part.texts) if len(text) > 1]
        return Labelled([part.texts[n][:-1] for n in kept], [part.labels[n] for n in kept])

    return WordClasses(task.classes, cut(task.train), cut(task.dev), cut(task.test))


@lru_cache(maxsize=1)
def plain_nouns_and_verbs() -> Labelled:
    """Beginnings that end in any noun (0) or verb (1), from the training part of `word_classes`."""
    task = word_classes()
    names = list(CLASSES.values())
    numbers = {task.classes.index(name): number for number, name in enumerate(names)}
    kept = [n for n, label in enumerate(task.train.labels) if label in numbers]
    labels = [numbers[task.train.labels[n]] for n in kept]
    return Labelled([task.train.texts[n] for n in kept], labels)


def words_of_both(sentences: Sequence[Sequence[tuple[str, str]]]) -> set[str]:
    """Words seen twelve times or more, a quarter or more as nouns, and a quarter as verbs."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for word, tag in sentence:
            seen[word.lower()][tag[:2]] += 1
    return {
        word
        for word, tags in seen.items()
        if word.isalpha()
        and tags.total() >= LEAST
        and min(tags[tag] for tag in CLASSES) >= SHARE * tags.total()
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Draw the beginnings from MASC, and write the file."""
    argparse.ArgumentParser(
        prog="python -m course.texts.noun_or_verb", description=__doc__
    ).parse_args(argv)
    lots, corpus = random.Random(0), corpora.load("masc_tagged")
    both = words_of_both(list(corpus.split("train").tagged_sentences()))
    lines: list[str] = []
    for part, size in SIZES.items():
        rows = set()
        for sentence in corpus.split(part).tagged_sentences():
            words = [word.lower() for word, _ in sentence]
            for end in range(1, len(words)):
                tag, text = sentence[end][1][:2], words[: end + 1][-LONGEST:]
                clean = not any(set(word) & set(" \n") or not word for word in text)
                if words[end] in both and tag in CLASSES and clean:
                    rows.add(f"{tag} {' '.join(text)}")
        lines += [f"# {part}", *lots.sample(sorted(rows), size)]
    write_text(FILE, "\n".join(lines) + "\n")
    sizes = ", ".join(f"{size} of {part}" for part, size in SIZES.items())
    print(f"{FILE}: {len(both)} words; {sizes}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
