"""The interface of a corpus: passages of sentences, and train, dev and test splits of them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from elmo_mini.corpora.passages import Instance, Passage, Sentence
from elmo_mini.corpora.splits import Division, Part


@dataclass(frozen=True)
class Corpus:
    """A collection of text. Every method that iterates starts afresh each time it is called.

    Attributes
    ----------
    name : what `load` was given
    title : what people call it
    read : gives the passages, afresh at each call
    licence, caution : what it may be used for, and what to beware of
    holds : which of ``tags chunks entities senses labels fine_labels documents`` there are
    part : ``"train"``, ``"dev"`` or ``"test"`` in a split, empty otherwise
    drop_repeated_contexts : splits keep only one of several equal passages
    """

    name: str
    title: str
    read: Callable[[], Iterable[Passage]]
    licence: str = ""
    caution: str = ""
    holds: frozenset[str] = frozenset()
    part: str = ""
    drop_repeated_contexts: bool = False

    def __repr__(self) -> str:
        part = f", {self.part} part" if self.part else ""
        return f"Corpus({self.name!r}{part}: {self.title})"

    def passages(self) -> Iterator[Passage]:
        """Everything, passage by passage, in the order of the corpus."""
        return iter(self.read())

    def sentences(self, *, lower: bool = False) -> Iterator[list[str]]:
        """Every sentence as a list of words, in lower case when asked."""
        for sentence in self._sentences():
            yield [word.lower() for word in sentence.words] if lower else list(sentence.words)

    def documents(self) -> Iterator[list[list[str]]]:
        """Every document as a list of sentences, for models that read across sentences."""
        self._need("documents")
        for passage in self.passages():
            yield [list(sentence.words) for sentence in passage.sentences]

    def tagged_sentences(self) -> Iterator[list[tuple[str, str]]]:
        """Every sentence as a list of ``(word, part of speech)``."""
        self._need("tags")
        for sentence in self._sentences():
            yield list(zip(sentence.words, sentence.tags, strict=True))

    def chunked_sentences(self) -> Iterator[list[tuple[str, str, str]]]:
        """Every sentence as a list of ``(word, part of speech, IOB2 chunk label)``."""
        self._need("chunks")
        for sentence in self._sentences():
            yield list(zip(sentence.words, sentence.tags, sentence.chunks, strict=True))

    def entity_sentences(self) -> Iterator[list[tuple[str, str]]]:
        """Every sentence as a list of ``(word, IOB2 entity label)``."""
        self._need("entities")
        for sentence in self._sentences():
            yield list(zip(sentence.words, sentence.entities, strict=True))

    def labelled(self, *, fine: bool = False) -> Iterator[tuple[list[str], str]]:
        """Every passage as ``(words, label)``: a question, a snippet, a whole review, a document.

        With ``fine=True`` the finer label, which only ``qc`` has.
        """
        self._need("fine_labels" if fine else "labels")
        for passage in self.passages():
            words = list(chain.from_iterable(sentence.words for sentence in passage.sentences))
            yield words, passage.fine_label if fine else passage.label

    def instances(self, word: str | None = None) -> Iterator[Instance]:
        """The sense-labelled instances, of one word (``"line"``) or of all."""
        self._need("senses")
        found = False
        for sentence in self._sentences():
            if isinstance(sentence, Instance) and word in {None, sentence.word}:
                found = True
                yield sentence
        if not found:
            words = sorted({s.word for s in self._sentences() if isinstance(s, Instance)})
            raise ValueError(f"{self.name} has no word {word!r}; it has {', '.join(words)}")

    def split(self, part: Part) -> "Corpus":
        """The train, dev or test part, the same on every machine.

        The official split where there is one (its train part gives a tenth to dev), otherwise
        eight, one and one tenths of the passages, drawn with a fixed seed and evenly over the
        labels. Sentences that also occur in test are taken out of train and dev, and those of
        dev out of train.

        Raises
        ------
        ValueError
            If there is no such part, this is already a part, or the corpus is too small.
        """
        if self.part:
            raise ValueError(f"this is already the {self.part} part of {self.name}")
        division = self._division
        division.check(part)
        return Corpus(
            name=self.name,
            title=self.title,
            read=lambda: division.take(self.passages(), part),
            licence=self.licence,
            caution=self.caution,
            holds=self.holds,
            part=part,
        )

    @cached_property
    def _division(self) -> Division:
        return Division.of(self.passages, self.name, unique=self.drop_repeated_contexts)

    def _sentences(self) -> Iterator[Sentence]:
        return chain.from_iterable(passage.sentences for passage in self.passages())

    def _need(self, annotation: str) -> None:
        if annotation not in self.holds:
            here = ", ".join(sorted(self.holds)) or "plain sentences only"
            raise ValueError(
                f"{self.name} has no {annotation.replace('_', ' ')} (it has: {here}); "
                "`python -m elmo_mini corpora` lists what each corpus holds"
            )
