"""Spans of words as BIO and BIOES labels; precision, recall and F1 of spans.

``B-NP I-NP O`` is a noun phrase of two words and a word outside; in BIOES it is ``B-NP E-NP O``.
Where labels contradict each other (an ``I-`` that continues nothing), spans are read as conlleval
reads them, the script of the CoNLL-2000 shared task. A predicted span counts as right if start,
end and kind are.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """The words from `start` up to, not including, `end`, and what they are."""

    start: int
    end: int
    kind: str


def split_label(label: str) -> tuple[str, str]:
    """``"B-NP"`` to ``("B", "NP")``, ``"O"`` to ``("O", "")``.

    Raises
    ------
    ValueError
        If it is neither ``O`` nor one of ``B I E S``, a dash and a kind.
    """
    letter, dash, kind = label.partition("-")
    if label == "O":
        return "O", ""
    if letter not in ("B", "I", "E", "S") or not dash or not kind:
        raise ValueError(f"{label!r} is no label: it must be O, or B-, I-, E- or S- and a kind")
    return letter, kind


def spans_of(labels: Sequence[str]) -> list[Span]:
    """The spans that a sentence's labels spell, in BIO or BIOES, in order.

    conlleval's rules: a span begins at ``B-`` or ``S-``, and at ``I-`` or ``E-`` where no span of
    that kind goes on; it goes on until an ``E-`` or ``S-``, or until the next label is another
    kind, ``O``, ``B-`` or ``S-``.
    """
    spans: list[Span] = []
    start: int | None = None
    before = ("O", "")
    for place, label in enumerate([*labels, "O"]):
        letter, kind = split_label(label)
        goes_on = letter in "IE" and before[0] in "BI" and before[1] == kind
        if start is not None and not goes_on:
            spans.append(Span(start, place, before[1]))
            start = None
        if letter != "O" and not goes_on:
            start = place
        before = (letter, kind)
    return spans


def bio_of(spans: Iterable[Span], length: int) -> list[str]:
    """The BIO labels of a sentence of `length` words.

    Raises
    ------
    ValueError
        If a span is empty, lies outside the sentence, or overlaps another.
    """
    return _spelt(spans, length, alone="B", first="B", last="I")


def bioes_of(spans: Iterable[Span], length: int) -> list[str]:
    """The BIOES labels of a sentence of `length` words.

    Raises
    ------
    ValueError
        If a span is empty, lies outside the sentence, or overlaps another.
    """
    return _spelt(spans, length, alone="S", first="B", last="E")


def to_bioes(labels: Sequence[str]) -> list[str]:
    """BIO labels as BIOES; what contradicts itself is mended as `spans_of` reads it."""
    return bioes_of(spans_of(labels), len(labels))


def to_bio(labels: Sequence[str]) -> list[str]:
    """BIOES labels as BIO; what contradicts itself is mended as `spans_of` reads it."""
    return bio_of(spans_of(labels), len(labels))


class SpanScores(NamedTuple):
    """How many spans were right, predicted, and there; precision, recall and F1 from 0 to 1."""

    correct: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """Share of the predicted spans that are right; 0 if none was predicted."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of the spans that are there and were found; 0 if there is none."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 0 if there is no span at all."""
        both = self.predicted + self.gold
        return 2 * self.correct / both if both else 0.0


def span_scores(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> SpanScores:
    """Count the spans of many sentences, given as labels, BIO or BIOES on either side.

    Raises
    ------
    ValueError
        If there are not equally many sentences, or a sentence is not equally long.
    """
    if len(gold) != len(predicted):
        raise ValueError(f"{len(gold)} sentences, but labels for {len(predicted)}")
    correct = found = there = 0
    for number, (truth, guess) in enumerate(zip(gold, predicted, strict=True)):
        if len(truth) != len(guess):
            raise ValueError(f"sentence {number} has {len(truth)} labels, the other {len(guess)}")
        truth_spans, guess_spans = set(spans_of(truth)), set(spans_of(guess))
        correct += len(truth_spans & guess_spans)
        found += len(guess_spans)
        there += len(truth_spans)
    return SpanScores(correct, found, there)


def _spelt(spans: Iterable[Span], length: int, *, alone: str, first: str, last: str) -> list[str]:
    labels = ["O"] * length
    for span in spans:
        if not 0 <= span.start < span.end <= length:
            raise ValueError(f"{span} is empty, or not within a sentence of {length} words")
        if any(label != "O" for label in labels[span.start : span.end]):
            raise ValueError(f"{span} overlaps another span")
        letters = ["I"] * (span.end - span.start)
        letters[-1], letters[0] = last, first
        if len(letters) == 1:
            letters = [alone]
        labels[span.start : span.end] = [f"{letter}-{span.kind}" for letter in letters]
    return labels
