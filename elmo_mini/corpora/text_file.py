"""A user's own text file as a corpus: streamed, never whole in memory."""

from collections.abc import Iterator
from pathlib import Path

from elmo_mini.corpora.corpus import Corpus
from elmo_mini.corpora.files import CorpusDamaged, CorpusMissing
from elmo_mini.corpora.passages import Passage, Sentence, shared
from elmo_mini.files import as_path, check_ordinary
from elmo_mini.plain_text import NotPlainText, chunks_of
from elmo_mini.settings import truth
from elmo_mini.text.tokenizer import split_spans, tokenize

BLOCK = 20_000
SENTENCES_PER_PASSAGE = 10


def from_text_file(
    path: str | Path, *, encoding: str = "utf-8", one_sentence_per_line: bool = False
) -> Corpus:
    """The text file at `path` as a `Corpus`, read afresh at every iteration.

    Sentences are split and tokenised as in `elmo_mini.text.tokenizer`. An empty line ends a
    sentence; with ``one_sentence_per_line=True`` every line does, and nothing else. Text without
    stops is cut at every 20,000 characters at most. A split draws runs of up to ten sentences,
    and keeps the sentences of dev and test in memory.

    Raises
    ------
    CorpusMissing
        If there is no such file.
    CorpusDamaged
        If it is empty, no text, or not in this encoding. What can only be seen further on in the
        file is raised when the reading gets there.
    ValueError
        If Python knows no such encoding, or a switch is neither True nor False.
    """
    path = as_path(path)
    truth("one_sentence_per_line", one_sentence_per_line)
    _check_start(path, encoding)

    def read() -> Iterator[Passage]:
        empty = True
        pieces = _lines(path, encoding) if one_sentence_per_line else _blocks(path, encoding)
        for piece in pieces:
            spans = [(0, len(piece))] if one_sentence_per_line else split_spans(piece)
            sentences = [Sentence(shared(tokenize(piece[start:end]))) for start, end in spans]
            for first in range(0, len(sentences), SENTENCES_PER_PASSAGE):
                empty = False
                yield Passage(tuple(sentences[first : first + SENTENCES_PER_PASSAGE]))
        if empty:
            raise CorpusDamaged(f"{path} holds no text, only white space; choose another file.")

    return Corpus(name=path.name, title=f"your text {path}", read=read, licence="yours to know")


def _check_start(path: Path, encoding: str) -> None:
    if path.is_dir():
        raise CorpusMissing(f"{path} is a folder; name one text file in it.")
    check_ordinary(path)
    try:
        empty = next(_chunks(path, encoding), None) is None
    except FileNotFoundError:
        raise CorpusMissing(f"There is no file {path}; check the name and the folder.") from None
    except OSError as error:
        reason = error.strerror or "the system refused"
        raise CorpusDamaged(f"{path} cannot be read ({reason}); check its permissions.") from error
    if empty:
        raise CorpusDamaged(f"{path} is empty; fetch or save it again.")


def _chunks(path: Path, encoding: str) -> Iterator[str]:
    """The file's text, `BLOCK` bytes at a time, with every line end as ``\\n``."""
    try:
        yield from chunks_of(path, encoding, BLOCK)
    except NotPlainText as error:
        raise CorpusDamaged(
            f"{error}, or pass its encoding, for instance encoding={error.likely!r}."
        ) from error


def _lines(path: Path, encoding: str) -> Iterator[str]:
    rest = ""
    for chunk in _chunks(path, encoding):
        *lines, rest = (rest + chunk).split("\n")
        yield from (line.strip() for line in lines if line.strip())
    if rest.strip():
        yield rest.strip()


def _blocks(path: Path, encoding: str) -> Iterator[str]:
    """Paragraphs, or where none ends within `BLOCK` characters, as many whole sentences."""
    rest = ""
    for chunk in _chunks(path, encoding):
        *paragraphs, rest = (rest + chunk).split("\n\n")
        yield from paragraphs
        if len(rest) > BLOCK:
            last_start = split_spans(rest)[-1:]
            cut = last_start[0][0] if last_start else len(rest)
            if len(rest) - cut > BLOCK:
                cut = rest.rfind(" ") + 1 or len(rest)
            yield rest[:cut]
            rest = rest[cut:]
    yield rest
