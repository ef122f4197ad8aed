"""Two small tasks with labelled words, with the corpora or without them.

With NLTK's corpora: parts of speech in treebank and chunks in CoNLL-2000. Without: the names in the
sentences written for this course.
"""

import random
from itertools import islice

from elmo_mini import corpora
from elmo_mini.probing.tasks import Occurrence, Task, parts_of_speech
from elmo_mini.tagging.data import chunking, entities
from elmo_mini.tagging.sentences import TaggedSentence


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


def _words(sentences: list[TaggedSentence], most: int) -> tuple[Occurrence, ...]:
    every = (
        Occurrence(sentence.words, place, label[2:] or "none")
        for sentence in sentences
        for place, label in enumerate(sentence.labels)
    )
    return tuple(islice(every, most))
