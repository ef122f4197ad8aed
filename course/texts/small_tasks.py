"""Two small tasks with labelled words, with the corpora or without them.

With NLTK's corpora: parts of speech in treebank and chunks in CoNLL-2000. Without: the names in the
sentences written for this course.
"""

import random
from itertools import groupby, islice

from elmo_mini import corpora
from elmo_mini.probing.probing_tasks import Occurrence, Task, parts_of_speech
from elmo_mini.tagging.data import chunking, entities
from elmo_mini.tagging.tagged_sentences import TaggedSentence

LabelledSentence = tuple[list[str], list[str]]
"""Words, and a label for each."""


def labelled_words(train: int, test: int) -> Task:
    """The label of every word, for about so many words of whole sentences: parts of speech.

    Without treebank, the kinds of names: person, place, organisation, or none.
    """
    try:
        return parts_of_speech("treebank", train, test)
    except corpora.CorpusMissing:
        title = "kinds of names (the course's sentences)"
        parts = (_words(entities("train"), train), _words(entities("test"), test))
        return Task("names", title, *parts)


def sentences_with_labels(
    train: int, test: int
) -> tuple[str, list[LabelledSentence], list[LabelledSentence]]:
    """What is labelled, and so many whole sentences of `labelled_words`, or fewer."""
    task = labelled_words(26 * train, 26 * test)
    return task.title, _whole(task.train, train), _whole(task.test, test)


def labelled_sentences(
    train: int, test: int, seed: int = 0
) -> tuple[str, list[TaggedSentence], list[TaggedSentence]]:
    """What is labelled, and so many sentences to learn from and to be asked about: chunks.

    Without CoNLL-2000, persons, places and organisations. Fewer sentences where there are fewer.
    The training sentences of one seed are nested: the first ten are among the first fifty.
    """
    try:
        what, pool, asked = "chunks (CoNLL-2000)", chunking("train"), chunking("test")
    except corpora.CorpusMissing:
        what, pool = "names (the course's sentences)", entities("train") + entities("dev")
        asked = entities("test")
    mixed = list(pool)
    random.Random(seed).shuffle(mixed)
    return what, mixed[:train], asked[:test]


def _whole(words: tuple[Occurrence, ...], most: int) -> list[LabelledSentence]:
    """The sentences of which every word is there."""
    sentences = (list(of_one) for _, of_one in groupby(words, key=lambda o: id(o.words)))
    whole = (of_one for of_one in sentences if len(of_one) == len(of_one[0].words))
    return [(list(of_one[0].words), [o.label for o in of_one]) for of_one in islice(whole, most)]


def _words(sentences: list[TaggedSentence], most: int) -> tuple[Occurrence, ...]:
    every = (
        Occurrence(sentence.words, place, label[2:] or "none")
        for sentence in sentences
        for place, label in enumerate(sentence.labels)
    )
    return tuple(islice(every, most))
