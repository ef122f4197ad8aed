"""Probing tasks: labelled words in their sentences, as a training and a test set.

Senses ask for the meaning of an ambiguous word, parts of speech for the grammar of every word.
NAACL ELMo paper, section 5.3, asks the same two questions of each biLM layer (tables 5 and 6).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from elmo_mini import corpora
from elmo_mini.text.senses import sense_sentences


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A word in a sentence and its label. Only occurrences of one `group` are compared."""

    words: tuple[str, ...]
    position: int
    label: str
    group: str = ""

    @property
    def form(self) -> str:
        """The word as it stands there."""
        return self.words[self.position]


@dataclass(frozen=True)
class Task:
    """A training set and a test set of occurrences."""

    name: str
    title: str
    train: tuple[Occurrence, ...]
    test: tuple[Occurrence, ...]

    def __post_init__(self) -> None:
        for part, occurrences in (("train", self.train), ("test", self.test)):
            if not occurrences:
                raise ValueError(f"the task {self.name!r} has no {part} examples")
        unknown = {o.group for o in self.test} - {o.group for o in self.train}
        if unknown:
            raise ValueError(
                f"the task {self.name!r} tests {', '.join(sorted(unknown))} without an example "
                "to learn from"
            )


def course_senses(language: str = "english") -> Task:
    """The sentences written for this course: each word's senses, split as they are marked."""
    sentences = sense_sentences(language)
    parts: dict[str, list[Occurrence]] = {"train": [], "test": []}
    for s in sentences:
        parts[s.split].append(Occurrence(s.tokens, s.position, s.sense, s.word))
    words = len({s.word for s in sentences})
    title = f"senses of {words} {language.capitalize()} words, sentences written for the course"
    name = "senses" if language == "english" else f"senses:{language}"
    return Task(name, title, tuple(parts["train"]), tuple(parts["test"]))


def senseval(word: str | None = None) -> Task:
    """Senses of *hard*, *interest*, *line* and *serve*, or of one of them; needs the corpus."""
    corpus = corpora.load("senseval")

    def take(part: corpora.Corpus) -> tuple[Occurrence, ...]:
        return tuple(Occurrence(i.words, i.position, i.sense, i.word) for i in part.instances(word))

    name = f"senseval:{word}" if word else "senseval"
    title = f"senses of {word or 'hard, interest, line and serve'} (senseval)"
    return Task(name, title, take(corpus.split("train")), take(corpus.split("test")))


def parts_of_speech(
    corpus: str = "treebank", train_words: int = 20_000, test_words: int = 10_000, seed: int = 0
) -> Task:
    """Tags of every word of whole sentences, drawn until there are so many words."""
    whole = corpora.load(corpus)

    def take(part: corpora.Corpus, words: int) -> tuple[Occurrence, ...]:
        sentences = [sentence for sentence in part.tagged_sentences() if sentence]
        order = np.random.default_rng(seed).permutation(len(sentences))
        return tuple(_first(_tagged(sentences[row] for row in order), words))

    train = take(whole.split("train"), train_words)
    test = take(whole.split("test"), test_words)
    return Task(f"pos:{corpus}", f"parts of speech ({corpus})", train, test)


TASKS: dict[str, tuple[Callable[..., Task], str]] = {
    "senses": (course_senses, "the course's sense sentences; senses:chinese for the Chinese ones"),
    "senseval": (senseval, "hard, interest, line and serve; senseval:line for one of them"),
    "pos": (parts_of_speech, "parts of speech in treebank; pos:conll2000, pos:brown ... elsewhere"),
}


def load_task(name: str) -> Task:
    """The task of this name: one of `TASKS`, if need be with a part after a colon.

    Raises
    ------
    ValueError
        If there is no such task.
    CorpusMissing
        If its corpus is not on this machine.
    """
    kind, colon, part = name.partition(":")
    if kind not in TASKS:
        raise ValueError(f"there is no task {name!r}; the tasks are {', '.join(TASKS)}")
    if colon and not part:
        raise ValueError(f"the task {name!r} names nothing behind its colon; leave the colon out")
    return TASKS[kind][0](*([part] if part else []))


def _tagged(sentences: Iterable[list[tuple[str, str]]]) -> Iterator[list[Occurrence]]:
    for sentence in sentences:
        words = tuple(word for word, _ in sentence)
        yield [Occurrence(words, place, tag) for place, (_, tag) in enumerate(sentence)]


def _first(sentences: Iterable[list[Occurrence]], words: int) -> Iterator[Occurrence]:
    taken = 0
    for sentence in sentences:
        if taken >= words:
            return
        taken += len(sentence)
        yield from sentence
