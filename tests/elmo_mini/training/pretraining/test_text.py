from collections.abc import Iterable

import numpy as np
import pytest

from elmo_mini import corpora
from elmo_mini.corpora import CorpusMissing
from elmo_mini.errors import ConfigurationError
from elmo_mini.training.pretraining.sources import (
    REVIEWS,
    Source,
    course_sources,
    evaluation_sentences,
    normal_form,
    pack,
)
from elmo_mini.training.pretraining.streams import PackedText
from elmo_mini.training.pretraining.text import UNKNOWN, count_vocabulary, hold_out, unknown_share


def sentences_of(text: PackedText) -> list[list[str]]:
    pieces = np.split(text.tokens, text.starts[1:-1])
    return [[text.types[i] for i in piece] for piece in pieces]


def test_every_fiftieth_block_is_held_out() -> None:
    text = PackedText.of([[f"w{i}", "x"] for i in range(5000)])
    training, validation = hold_out(text, 0.02)
    assert len(validation) == 100
    assert len(training) == 4900
    held = [int(words[0][1:]) for words in sentences_of(validation)]
    assert held == [*range(2450, 2500), *range(4950, 5000)]
    assert training.types is validation.types


@pytest.mark.parametrize("share", [0.03, 0.3, 0.4, 0.5])
def test_any_share_is_held_out_as_it_was_asked(share: float) -> None:
    text = PackedText.of([[f"w{i}", "x"] for i in range(5000)])
    training, validation = hold_out(text, share)
    assert len(validation) == pytest.approx(5000 * share)
    assert len(training) + len(validation) == 5000


def test_a_sentence_of_validation_is_not_trained_on() -> None:
    text = PackedText.of([["yes"], ["no"], ["a", "b"], ["yes"], ["c"], ["no"]] * 2)
    training, validation = hold_out(text, 0.2)
    held = {tuple(s) for s in sentences_of(validation)}
    trained = {tuple(s) for s in sentences_of(training)}
    assert held
    assert trained
    assert not held & trained
    assert held | trained == {tuple(s) for s in sentences_of(text)}


def test_shares_that_cannot_be_held_out_are_refused() -> None:
    text = PackedText.of([["a"], ["b"]])
    with pytest.raises(ConfigurationError, match=r"above 0, up to 0\.5"):
        hold_out(text, 0.7)
    with pytest.raises(ConfigurationError, match="too few"):
        hold_out(text, 0.1)


def test_the_vocabulary_has_boundaries_first_and_counts_the_rest_as_unknown() -> None:
    text = PackedText.of([["b", "a", "b"], ["c"]])
    vocabulary = count_vocabulary(text, 5)
    assert vocabulary.words == ["<S>", "</S>", UNKNOWN, "b", "a"]
    assert vocabulary.id("c") == vocabulary.id("never seen") == 2
    assert unknown_share(text, vocabulary) == pytest.approx(1 / 4)


def source(sentences: Iterable[str]) -> Source:
    words = [sentence.split() for sentence in sentences]
    return Source("mine", "my text", "mine", lambda: words)


def test_sentences_are_left_out_however_they_are_tokenised() -> None:
    mine = source(["It 's a Dog .", "it is a cat .", "( ! )"])
    text = pack([mine], frozenset({normal_form(["It's", "a", "dog"])}))
    assert sentences_of(text) == [["it", "is", "a", "cat", "."], ["(", "!", ")"]]
    assert (mine.sentences, mine.tokens, mine.left_out) == (2, 8, 1)
    assert mine.record()["left_out"] == 1
    assert "read" not in mine.record()


@pytest.mark.slow
def test_the_course_text_has_no_sentence_of_an_evaluation_set() -> None:
    try:
        forms = evaluation_sentences()
        sources = course_sources()
    except CorpusMissing as missing:
        pytest.skip(str(missing))
    assert "" not in forms
    for name, part in (("brown", None), ("conll2000", "test"), ("sentence_polarity", "test")):
        corpus = corpora.load(name)
        sentence = next((corpus.split(part) if part else corpus).sentences())
        assert normal_form(sentence) in forms
    context = next(c for c in corpora.load("senseval").sentences() if 3 < c.index(".") < len(c) / 2)
    stop = context.index(".")
    assert normal_form(context) in forms
    assert normal_form(context[: stop + 1]) in forms
    assert [s.name for s in sources if s.part == "train"] == list(REVIEWS)
    assert not {"brown", "treebank", "conll2000", "senseval", "qc"} & {s.name for s in sources}
    masc = next(s for s in sources if s.name == "masc_tagged")
    text = pack([masc], forms)
    assert masc.left_out > 0
    assert not any(normal_form(sentence) in forms for sentence in sentences_of(text))
