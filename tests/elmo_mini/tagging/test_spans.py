"""Spans against seqeval, which follows conlleval, on random labels."""

import random
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.metrics.sequence_labeling import get_entities

from elmo_mini.tagging.spans import (
    Span,
    bio_of,
    bioes_of,
    span_scores,
    spans_of,
    split_label,
    to_bio,
    to_bioes,
)

BIO = ["O", *(f"{letter}-{kind}" for letter in "BI" for kind in ("X", "Y"))]
BIOES = ["O", *(f"{letter}-{kind}" for letter in "BIES" for kind in ("X", "Y"))]


@given(st.one_of(st.lists(st.sampled_from(BIO)), st.lists(st.sampled_from(BIOES))))
def test_spans_are_those_of_seqeval(labels: list[str]) -> None:
    expected = [(first, last + 1, kind) for kind, first, last in get_entities(labels)]
    assert [tuple(span) for span in spans_of(labels)] == expected


@pytest.mark.parametrize("labels", [BIO, BIOES])
def test_scores_are_those_of_seqeval(labels: list[str]) -> None:
    draw = random.Random(3)
    for _ in range(50):
        sentences = [draw.choices(labels, k=draw.randint(1, 12)) for _ in range(10)]
        guesses = [
            [x if draw.random() < 0.7 else draw.choice(labels) for x in row] for row in sentences
        ]
        scores = span_scores(sentences, guesses)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert scores.precision == pytest.approx(precision_score(sentences, guesses))
            assert scores.recall == pytest.approx(recall_score(sentences, guesses))
            assert scores.f1 == pytest.approx(f1_score(sentences, guesses))


@st.composite
def spans(draw: st.DrawFn) -> tuple[list[Span], int]:
    found, place = [], 0
    for gap, length, kind in draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4), st.sampled_from("XY")))
    ):
        found.append(Span(place + gap, place + gap + length, kind))
        place += gap + length
    return found, place + draw(st.integers(0, 2))


@given(spans())
def test_writing_spans_and_reading_them_gives_them_back(drawn: tuple[list[Span], int]) -> None:
    found, length = drawn
    bio, bioes = bio_of(found, length), bioes_of(found, length)
    assert spans_of(bio) == spans_of(bioes) == found
    assert to_bioes(bio) == bioes
    assert to_bio(bioes) == bio


def test_labels_by_hand() -> None:
    found = [Span(0, 2, "NP"), Span(2, 3, "VP"), Span(4, 7, "NP")]
    assert bio_of(found, 7) == ["B-NP", "I-NP", "B-VP", "O", "B-NP", "I-NP", "I-NP"]
    assert bioes_of(found, 7) == ["B-NP", "E-NP", "S-VP", "O", "B-NP", "I-NP", "E-NP"]
    assert spans_of(["O", "I-NP", "I-NP", "I-VP", "E-VP", "E-VP"]) == [
        Span(1, 3, "NP"),
        Span(3, 5, "VP"),
        Span(5, 6, "VP"),
    ]
    assert spans_of([]) == []


def test_nothing_found_is_nought_and_not_an_error() -> None:
    assert span_scores([["O"]], [["O"]]).f1 == 0
    nothing = span_scores([["S-X", "O"]], [["O", "O"]])
    assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)
    assert span_scores([["S-X"]], [["B-X"]]) == (1, 1, 1)


@pytest.mark.parametrize("label", ["", "X", "B", "B-", "Q-NP", "-NP", "BI-NP", "o"])
def test_what_is_no_label_is_refused(label: str) -> None:
    with pytest.raises(ValueError, match="is no label"):
        split_label(label)


def test_kinds_may_hold_a_dash() -> None:
    assert split_label("B-A-B") == ("B", "A-B")


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ([Span(0, 2, "X"), Span(1, 3, "X")], "overlaps"),
        ([Span(2, 2, "X")], "empty"),
        ([Span(2, 4, "X")], "not within"),
        ([Span(-1, 1, "X")], "not within"),
    ],
)
def test_bad_spans_are_refused(bad: list[Span], why: str) -> None:
    for write in (bio_of, bioes_of):
        with pytest.raises(ValueError, match=why):
            write(bad, 3)


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 sentences"):
        span_scores([["O"], ["O"]], [["O"]])
    with pytest.raises(ValueError, match="sentence 1 has 1"):
        span_scores([["O"], ["O"]], [["O"], ["O", "O"]])
