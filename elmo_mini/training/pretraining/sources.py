"""Where pretraining text comes from: corpora by name, text files, and the course's recipe.

The recipe is for a checkpoint that may be given away and that is later evaluated on other
corpora of the course: only texts whose licences allow it, and no sentence of a text on which
lessons measure something.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from elmo_mini import corpora
from elmo_mini.errors import ConfigurationError
from elmo_mini.files import readable
from elmo_mini.text import senses
from elmo_mini.training.pretraining.streams import PackedText

WHOLE = ("masc_tagged", "gutenberg", "state_union", "inaugural")
REVIEWS = ("movie_reviews", "sentence_polarity", "subjectivity")
EVALUATED = ("brown", "treebank", "ieer", "qc")


@dataclass
class Source:
    """A text that goes into pretraining; the counts are known once it has been read.

    Attributes
    ----------
    name, title, licence : for the model card
    read : gives the sentences
    part : ``train`` where only that part is read
    sentences, tokens : how many were taken
    left_out : sentences of an evaluation set
    """

    name: str
    title: str
    licence: str
    read: Callable[[], Iterable[list[str]]]
    part: str = "whole"
    sentences: int = 0
    tokens: int = 0
    left_out: int = 0

    def record(self) -> dict[str, Any]:
        """All of it but the text, as JSON values."""
        names = ("name", "title", "licence", "part", "sentences", "tokens", "left_out")
        return {name: getattr(self, name) for name in names}


def from_corpus(name: str, part: str = "whole") -> Source:
    """A corpus of the catalogue; ``part="train"`` for its train part alone."""
    corpus = corpora.load(name)
    text = corpus.split("train") if part == "train" else corpus
    return Source(name, corpus.title, corpus.licence, text.sentences, part)


def from_file(path: Path, *, one_sentence_per_line: bool = False) -> Source:
    """A text file; its sentences end where stops and empty lines say, or where its lines end."""
    corpus = corpora.from_text_file(path, one_sentence_per_line=one_sentence_per_line)
    name = readable(path.name)
    return Source(name, f"the text file {name}", corpus.licence, corpus.sentences)


def course_sources() -> list[Source]:
    """The texts of the course checkpoint; of the reviews, the train parts."""
    return [from_corpus(name) for name in WHOLE] + [from_corpus(n, "train") for n in REVIEWS]


def asked_sources(
    names: Sequence[str],
    files: Sequence[Path],
    course: Callable[[], list[Source]] | None = None,
    *,
    one_sentence_per_line: bool = False,
) -> list[Source]:
    """What a pretraining command was asked to read.

    Parameters
    ----------
    names : corpora of the catalogue
    files : text files
    course : gives the course's own texts, where these were asked for
    one_sentence_per_line : how the files are read

    Raises
    ------
    ConfigurationError
        If nothing was asked for, something beside the course's texts, or lines without a file.
    """
    if course is not None and (names or files):
        raise ConfigurationError("--course names its texts itself; leave out corpora and --text")
    sources = course() if course is not None else []
    if one_sentence_per_line and not files:
        raise ConfigurationError(
            "--one-sentence-per-line says how text files are read; name one with --text FILE, or "
            "leave it out"
        )
    sources += map(from_corpus, names)
    sources += (from_file(file, one_sentence_per_line=one_sentence_per_line) for file in files)
    if not sources:
        raise ConfigurationError("name a corpus, a text file with --text FILE, or --course")
    return sources


def sources_table(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """The lines of a model card's table, from what `Source.record` gave."""
    return [
        "| name | what it is | part | words | sentences left out | licence |",
        "|---|---|---|---|---|---|",
        *(
            f"| {s['name']} | {s['title']} | {s['part']} | {s['tokens']:,} | {s['left_out']:,} "
            f"| {s['licence']} |"
            for s in records
        ),
    ]


def pack(sources: Iterable[Source], left_out: frozenset[str] = frozenset()) -> PackedText:
    """Read all sources, without the sentences whose `normal_form` is in `left_out`."""
    return PackedText.of(chain.from_iterable(read_without(source, left_out) for source in sources))


def read_without(source: Source, left_out: frozenset[str]) -> Iterator[list[str]]:
    """The sentences whose `normal_form` is not in `left_out`; sets the counts of the source."""
    source.sentences = source.tokens = source.left_out = 0
    for sentence in source.read():
        if left_out and normal_form(sentence) in left_out:
            source.left_out += 1
            continue
        source.sentences += 1
        source.tokens += len(sentence)
        yield sentence


def course_text() -> Iterator[list[str]]:
    """What the course checkpoint has read: `course_sources` without `evaluation_sentences`."""
    left_out = evaluation_sentences()
    return chain.from_iterable(read_without(source, left_out) for source in course_sources())


def evaluation_sentences() -> frozenset[str]:
    """The normal forms of every sentence on which the course measures a model.

    Senseval's contexts hold several sentences; the pieces between stops count as well.
    """
    forms: set[str] = set()
    for name in EVALUATED:
        forms.update(map(normal_form, corpora.load(name).sentences()))
    forms.update(map(normal_form, corpora.load("conll2000").split("test").sentences()))
    for name in REVIEWS:
        for part in ("dev", "test"):
            forms.update(map(normal_form, corpora.load(name).split(part).sentences()))
    for context in corpora.load("senseval").sentences():
        forms.add(normal_form(context))
        forms.update(map(normal_form, _between_stops(context)))
    forms.update(normal_form(example.tokens) for example in senses.sense_sentences())
    return frozenset(forms - {""})


def normal_form(words: Iterable[str]) -> str:
    """A sentence's letters and digits in lower case: the same however it was tokenised."""
    return "".join(filter(str.isalnum, "".join(words).casefold()))


def _between_stops(words: list[str]) -> Iterator[list[str]]:
    first = 0
    for place, word in enumerate(words):
        if word in {".", "?", "!"}:
            yield words[first : place + 1]
            first = place + 1
    yield words[first:]
