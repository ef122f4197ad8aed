"""The tasks of lesson 11: kinds of questions, opinions on films, and order where neither is here.

Words are in lower case, as the checkpoint reads them. No text of the test part stands in the
others.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from elmo_mini import corpora
from elmo_mini.corpora.splits import Part
from elmo_mini.text.labelled import Labelled

PARTS: tuple[Part, ...] = ("train", "dev", "test")
SHORTEST, LONGEST = 5, 25


@dataclass(frozen=True)
class Task:
    """Labelled texts in three parts.

    Attributes
    ----------
    name : such as ``questions``
    what : what is asked, in a line
    classes : their names; a label is a place in this list
    text : sentences without labels, for stage 2; none is in dev or test
    """

    name: str
    what: str
    classes: tuple[str, ...]
    text: list[list[str]]
    train: Labelled
    dev: Labelled
    test: Labelled


@lru_cache(maxsize=1)
def questions() -> Task:
    """TREC-6: what kind of thing does a question ask for? 4,876 to learn from, 500 for the test."""
    names = {
        "ABBR": "abbreviation",
        "DESC": "description",
        "ENTY": "thing",
        "HUM": "person",
        "LOC": "place",
        "NUM": "number",
    }
    return _from_corpus("qc", "questions", "what a question asks for (TREC-6)", names)


@lru_cache(maxsize=1)
def opinions() -> Task:
    """Sentence polarity: is a sentence for or against the film?"""
    names = {"neg": "against", "pos": "for"}
    return _from_corpus("sentence_polarity", "opinions", "for or against a film", names)


@lru_cache(maxsize=1)
def order() -> Task:
    """Are a news sentence's words in their order, or shuffled? It needs no labels from people."""
    corpus, random = corpora.lee(), np.random.default_rng(0)
    parts = {}
    for part in PARTS:
        texts: list[list[str]] = []
        labels: list[int] = []
        for sentence in corpus.split(part).sentences(lower=True):
            if SHORTEST <= len(sentence) <= LONGEST:
                labels.append(len(texts) % 2)
                words = random.permutation(sentence[:-1]).tolist() if labels[-1] else sentence[:-1]
                texts.append([*words, sentence[-1]])
        parts[part] = Labelled(texts, labels)
    text = list(corpus.split("train").sentences(lower=True))
    return Task("order", "in order or shuffled (Lee)", ("in order", "shuffled"), text, **parts)


def first_task() -> Task:
    """TREC's questions, or, without them, the order of words in the Lee corpus; that is said."""
    try:
        return questions()
    except corpora.CorpusMissing:
        print(
            "The NLTK corpora are missing. So your runs are on news, where counting words says "
            "nothing; the text and the stored runs speak of questions."
        )
        return order()


def long_text(tokens: int) -> list[str]:
    """The first tokens of a film review that has as many; without reviews, of the news."""
    try:
        for review in corpora.load("movie_reviews").documents():
            words = [word for sentence in review for word in sentence]
            if len(words) >= tokens:
                return words[:tokens]
    except corpora.CorpusMissing:
        pass
    news = corpora.lee().sentences(lower=True)
    return [word for sentence in news for word in sentence][:tokens]


def _from_corpus(corpus: str, name: str, what: str, names: dict[str, str]) -> Task:
    numbers = {label: number for number, label in enumerate(names)}
    text, parts = corpora.load(corpus), {}
    for part in PARTS:
        pairs = list(text.split(part).labelled())
        parts[part] = Labelled(
            [[word.lower() for word in words] for words, _ in pairs],
            [numbers[label] for _, label in pairs],
        )
    return Task(name, what, tuple(names.values()), parts["train"].texts, **parts)
