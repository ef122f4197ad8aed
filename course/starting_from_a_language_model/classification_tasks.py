"""Sentences to classify, for lesson 04's experiments: subjective or not, and parts of speech."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from torch import Tensor

from elmo_mini import corpora
from elmo_mini.corpora.splits import Part
from elmo_mini.text.running_text import text_stream, word_vocabulary
from elmo_mini.text.vocabulary import Vocabulary

Labelled = tuple[list[list[int]], list[int]]

PARTS: tuple[Part, ...] = ("train", "dev", "test")
COARSE_TAGS = ("NN", "VB", "JJ", "RB", "IN", "DT", "PR", "CC", "MD", "TO")
WORDS = 4_000
DEV = 500  # sentences that choose


@dataclass(frozen=True)
class ClassificationTask:
    """Unlabelled and labelled sentences as ids; `held_out` is text nothing is trained on.

    What must be chosen is chosen on `dev`, `DEV` sentences of the development part.
    """

    name: str
    classes: int
    vocabulary: Vocabulary
    sentences: list[list[str]]
    held_out: Tensor
    train: Labelled
    dev: Labelled
    test: Labelled

    def drawn(self, count: int, seed: int) -> Labelled:
        """Some labelled sentences of the training part."""
        rows = np.random.default_rng(seed).permutation(len(self.train[0]))[:count].tolist()
        return [self.train[0][row] for row in rows], [self.train[1][row] for row in rows]


@lru_cache(maxsize=1)
def subjectivity() -> ClassificationTask:
    """Is a sentence subjective or objective? The unlabelled text is that of the train part."""
    corpus = corpora.load("subjectivity")
    texts = {part: list(corpus.split(part).sentences(lower=True)) for part in PARTS}
    labels = {part: [label for _, label in corpus.split(part).labelled()] for part in PARTS}
    name = "subjectivity: subjective or objective"
    return _task(name, texts["train"], texts["dev"], {p: (texts[p], labels[p]) for p in PARTS})


@lru_cache(maxsize=1)
def part_of_speech() -> ClassificationTask:
    """Which coarse part of speech has the last word of a fragment? MASC, its tags shortened.

    A fragment is the first words of a sentence, up to a place drawn at random. The unlabelled
    text is every second document of the train part; labels come from all documents of a part.
    """
    corpus, random = corpora.load("masc_tagged"), np.random.default_rng(0)
    texts, labelled = {}, {}
    for part in PARTS:
        sentences = list(corpus.split(part).tagged_sentences())
        texts[part] = [[word.lower() for word, _ in sentence] for sentence in sentences]
        ends = [int(random.integers(1, len(sentence) + 1)) for sentence in sentences]
        pairs = list(zip(sentences, ends, strict=True))
        kept = [row for row, (s, end) in enumerate(pairs) if s[end - 1][1][:2] in COARSE_TAGS]
        kept = random.permutation(kept)[: 4_000 if part == "train" else 1_000].tolist()
        labelled[part] = (
            [texts[part][row][: ends[row]] for row in kept],
            [sentences[row][ends[row] - 1][1][:2] for row in kept],
        )
    documents = list(corpus.split("train").documents())[::2]
    unlabelled = [[word.lower() for word in sentence] for d in documents for sentence in d]
    name = f"part of speech of a fragment's last word ({len(COARSE_TAGS)} coarse tags)"
    return _task(name, unlabelled, texts["dev"], labelled)


def _task(
    name: str,
    unlabelled: list[list[str]],
    held_out: list[list[str]],
    parts: dict[Part, tuple[list[list[str]], list[str]]],
) -> ClassificationTask:
    vocabulary = word_vocabulary(unlabelled, max_size=WORDS)
    classes = {label: number for number, label in enumerate(sorted(set(parts["train"][1])))}

    def numbered(part: Part) -> Labelled:
        sentences, labels = parts[part]
        return [vocabulary.encode(s) for s in sentences], [classes[label] for label in labels]

    stream = text_stream(held_out, vocabulary)[:20_000]
    train, dev, test = (numbered(part) for part in PARTS)
    chosen = np.random.default_rng(0).permutation(len(dev[0]))[:DEV].tolist()
    some = [dev[0][row] for row in chosen], [dev[1][row] for row in chosen]
    return ClassificationTask(name, len(classes), vocabulary, unlabelled, stream, train, some, test)


TASKS = {"subjectivity": subjectivity, "part of speech": part_of_speech}
