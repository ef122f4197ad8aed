"""The tagger: its batches, that it uses what it is given, what it refuses, and its file."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from elmo_mini.checkpoints.safetensors_file import (
    CheckpointDamaged,
    read_checkpoint,
    write_checkpoint,
)
from elmo_mini.errors import ConfigurationError
from elmo_mini.models.taglm import TaggerOptions, with_lm
from elmo_mini.tagging.constrained_crf import LinearChainCRF
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.tagging.training import train_tagger
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.table import WordVectors
from tests.elmo_mini.devices import DevicesNamed, computes_on_meta
from tests.elmo_mini.tagging.made_up import SMALL, sentences


def test_a_forward_tagger_never_sees_the_backward_half() -> None:
    train = sentences(20, 0)
    changed = [s._replace(lm=np.concatenate([s.lm[:, :3], 9 - s.lm[:, 3:]], 1)) for s in train]
    for direction, same in (("forward", True), ("both", False)):
        torch.manual_seed(0)
        tagger = Tagger.for_sentences(
            train, TaggerOptions(lm_direction=direction, **SMALL), 6
        ).eval()
        a, b = (tagger(tagger.batch(some)) for some in (train, changed))
        assert torch.equal(a, b) == same


@pytest.mark.parametrize("position", ["none", "input", "after_first", "after_second"])
def test_scores_do_not_depend_on_the_rest_of_the_batch(position: str) -> None:
    train = sentences(12, 1)
    torch.manual_seed(0)
    tagger = Tagger.for_sentences(train, TaggerOptions(lm_position=position, **SMALL), 6).eval()
    together = tagger(tagger.batch(train))
    for row, sentence in enumerate(train):
        alone = tagger(tagger.batch([sentence]))[0]
        torch.testing.assert_close(together[row, : len(alone)], alone)
    assert tagger.predict(train, 5) == [tagger.predict([sentence])[0] for sentence in train]


def test_word_vectors_are_the_start_and_unknown_words_are_learned() -> None:
    table = np.arange(18, dtype=np.float32).reshape(3, 6)
    vectors = WordVectors(Vocabulary(["a", "n0", "far"]), table)
    tagger = Tagger.for_sentences(sentences(30, 7), TaggerOptions(**SMALL), 6, vectors)
    for word, row in zip(("a", "n0", "far"), table, strict=True):
        assert tagger.embedding.weight[tagger.words[word]].tolist() == row.tolist()
    asked = TaggedSentence(("A", "N7", "unheard"), lm=np.zeros((3, 6), dtype=np.float32))
    assert tagger.batch([asked]).words.tolist() == [[2, 3, 1]]
    once = [TaggedSentence(("rare", "far"), ("O", "O")), TaggedSentence(("a",), ("O",))]
    plain = TaggerOptions(lm_position="none", **SMALL)
    marked = Tagger.for_sentences(once, plain, 0, vectors)
    assert [w for w, i in marked.words.items() if marked.singletons[i]] == ["rare"]


def test_what_cannot_be_is_refused() -> None:
    train = sentences(5, 9)
    with pytest.raises(ValueError, match="there are no LM vectors"):
        Tagger.for_sentences(train, TaggerOptions())
    with pytest.raises(ValueError, match="at least one training"):
        Tagger.for_sentences([], TaggerOptions())
    vectors = WordVectors(Vocabulary(["a"]), np.ones((1, 3), dtype=np.float32))
    with pytest.raises(ValueError, match="3 numbers"):
        Tagger.for_sentences(train, TaggerOptions(), 6, vectors)
    for name in ("word_dim", "character_dim", "character_filters", "hidden"):
        with pytest.raises(ValueError, match=f"{name} is -1; it must be a whole number"):
            TaggerOptions(**{name: -1})
    for name, value in (("crf", "no"), ("task_rnn", 0), ("dropout", 1.5), ("dropout", np.nan)):
        with pytest.raises(ValueError, match=f"^{name} is {value!r}; it must be "):
            TaggerOptions(**{name: value})
    for wrong, said in (
        (["the", "dog"], "sentence 0 is 'the', no TaggedSentence"),
        ([TaggedSentence("dog")], "a list of words, but here is the string"),
        ([TaggedSentence((1, 2))], r"the text has 1 \(int\) for a word"),
    ):
        with pytest.raises(TypeError, match=said):
            tagger_of(train).predict(wrong)  # type: ignore[arg-type]


def tagger_of(train: list[TaggedSentence], **changes: object) -> Tagger:
    torch.manual_seed(0)
    return Tagger.for_sentences(train, TaggerOptions(**{**SMALL, **changes}), 6)  # type: ignore[arg-type]


def test_a_sentence_without_a_word_gets_no_label_and_costs_nothing() -> None:
    train = sentences(6, 10)
    empty = TaggedSentence((), (), np.zeros((0, 6), dtype=np.float32))
    for changes in ({}, {"crf": False}):
        tagger = tagger_of(train, **changes).eval()
        alone = tagger.predict(train)
        assert tagger.predict([empty, *train[:3], empty, *train[3:]]) == [
            [],
            *alone[:3],
            [],
            *alone[3:],
        ]
        assert tagger.predict([empty]) == [[]]
        assert tagger.predict([]) == []
        assert tagger.loss([train[0], empty, train[1]]) == tagger.loss(train[:2])
        with pytest.raises(ValueError, match="no sentence has a word"):
            tagger.loss([empty])


def test_every_word_needs_one_label() -> None:
    train = sentences(6, 11)
    words = ("one", "two", "three")
    wrong = TaggedSentence(words, ("O", "S-X"), np.zeros((3, 6), dtype=np.float32))
    said = "sentence 2 has 3 words and 2 labels"
    with pytest.raises(ValueError, match=said):
        tagger_of([*train[:2], wrong])
    with pytest.raises(ValueError, match=said):
        tagger_of(train).loss([*train[:2], wrong, *train[2:]])
    with pytest.raises(ValueError, match="no label 'B-Y'; it was made for"):
        tagger_of(train).loss([wrong._replace(labels=("O", "B-Y", "O"))])


PLAIN = TaggerOptions(lm_position="none", **SMALL)
NAMES = [
    TaggedSentence(("Ann", "left", "Leeds"), ("B-PER", "O", "B-LOC")),
    TaggedSentence(("Bob", "Smith", "left"), ("B-PER", "I-PER", "O")),
]
IN_BIO = partial(LinearChainCRF, scheme="BIO")


def test_the_scheme_of_a_crf_comes_back(tmp_path: Path) -> None:
    tagger = Tagger.for_sentences(NAMES, PLAIN, crf=IN_BIO).eval()
    tagger.save(tmp_path / "tagger.safetensors")
    again = Tagger.load(tmp_path / "tagger.safetensors")
    assert again.crf.scheme == "BIO"
    batch = tagger.batch(NAMES)
    labels = torch.tensor([[tagger.labels.index(x) for x in s.labels] for s in NAMES])
    losses = [one.crf.loss(one(batch), labels, batch.mask) for one in (tagger, again)]
    torch.testing.assert_close(*losses)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"join": lambda *given: with_lm(*given)}, "a join of its own, of which the file would"),
        ({"crf": lambda labels: Doubled(labels, "BIO")}, "the CRF is a Doubled, of which the file"),
    ],
)
def test_a_tagger_with_parts_of_its_own_is_not_written(
    parts: dict[str, Any], said: str, tmp_path: Path
) -> None:
    tagger = Tagger.for_sentences(NAMES, PLAIN, **{"crf": IN_BIO, **parts})
    with pytest.raises(ConfigurationError, match=said):
        tagger.save(tmp_path / "tagger.safetensors")
    assert list(tmp_path.iterdir()) == []


class Doubled(LinearChainCRF):
    """Another class than the package's."""


def test_labels_against_the_scheme_are_refused_before_anything_is_learnt() -> None:
    said = r"^sentence 0 has O after B-PER, against BIOES; .*to_bioes"
    with pytest.raises(ValueError, match=said):
        Tagger.for_sentences(NAMES, PLAIN)
    wrong = NAMES[1]._replace(labels=("O", "I-PER", "O"))
    with pytest.raises(ValueError, match="sentence 1 has I-PER after O, against BIO;"):
        Tagger.for_sentences([NAMES[0], wrong], PLAIN, crf=IN_BIO)
    free = replace(PLAIN, crf=False)
    assert Tagger.for_sentences(NAMES, free).crf is None


def test_an_iterator_of_sentences_is_read_once() -> None:
    tagger = Tagger.for_sentences(iter(NAMES), PLAIN, crf=IN_BIO).eval()
    assert len(tagger.labels) == 4
    assert tagger.predict(iter(NAMES)) == tagger.predict(NAMES)
    torch.testing.assert_close(tagger.loss(iter(NAMES)), tagger.loss(NAMES))


def test_every_word_needs_one_lm_vector() -> None:
    train = sorted(sentences(6, 12), key=lambda sentence: -len(sentence.words))
    tagger = tagger_of(train)
    right, length = train[1].lm, len(train[1].words)
    for lm, said in (
        (None, "sentence 1 has no LM vectors"),
        (right[1:], f"sentence 1 has {length} words and LM vectors of shape \\({length - 1}, 6\\)"),
        (right[:, 1:], f"LM vectors of shape \\({length}, 5\\); the tagger reads \\({length}, 6"),
        ([[0.0] * 5], "LM vectors of shape \\(1, 5\\)"),
        (right * np.nan, "sentence 1 has LM vectors of numbers that are not finite"),
    ):
        wrong = [train[0], train[1]._replace(lm=lm), *train[2:]]
        for use in (tagger.loss, tagger.predict, tagger.batch):
            with pytest.raises(ValueError, match=said):
                use(wrong)


@pytest.mark.parametrize("changes", [{}, {"crf": False}, {"task_rnn": False}], ids=str)
def test_it_runs_where_its_parameters_are(changes: dict[str, object]) -> None:
    train = sentences(6, 13)
    tagger = tagger_of(train, **changes).double()
    with DevicesNamed():
        tagger.loss(train).backward()
        tagger.predict(train)
    on_meta = tagger_of(train, **changes).to("meta")
    batch = on_meta.batch(train)
    assert {x.device.type for x in batch if x is not None} == {"meta"}
    computes_on_meta(lambda: on_meta.loss(train))


@pytest.mark.parametrize(
    "changes",
    [{}, {"crf": False}, {"lm_position": "none"}, {"lm_direction": "forward"}, {"task_rnn": False}],
    ids=str,
)
def test_a_saved_tagger_is_the_same_tagger(changes: dict[str, object], tmp_path: Path) -> None:
    train, new = sentences(20, 14), sentences(30, 15)
    tagger = tagger_of(train, **changes)
    path = tmp_path / "a new folder" / "names.safetensors"
    tagger.save(path)
    random = torch.get_rng_state()
    loaded = Tagger.load(str(path))
    assert torch.equal(torch.get_rng_state(), random), "the caller's random numbers moved"
    assert not loaded.training
    assert loaded.predict(new) == tagger.predict(new)
    assert torch.equal(loaded.loss(new), tagger.eval().loss(new))
    assert (loaded.words, loaded.labels, loaded.options) == (
        tagger.words,
        tagger.labels,
        tagger.options,
    )
    assert loaded.state_dict().keys() == tagger.state_dict().keys()
    assert all(parameter.requires_grad for parameter in loaded.parameters())
    tagger.double().save(path)
    assert {parameter.dtype for parameter in Tagger.load(path).parameters()} == {torch.float64}


def test_a_file_that_holds_no_tagger_is_named(tmp_path: Path) -> None:
    path = tmp_path / "names.safetensors"
    with pytest.raises(FileNotFoundError, match=r"names\.safetensors"):
        Tagger.load(path)
    tagger = tagger_of(sentences(5, 16))
    tagger.save(path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(CheckpointDamaged, match=r"names\.safetensors is no whole"):
        Tagger.load(path)
    tagger.save(path)
    tensors, good = read_checkpoint(path)
    for record in (
        {**good, "format": "elmo_mini tagger 0"},
        {key: value for key, value in good.items() if key != "words"},
        {**good, "words": []},
        {**good, "options": {"hidden units": 3}},
    ):
        write_checkpoint(path, tensors, record)
        with pytest.raises(CheckpointDamaged, match=r"names\.safetensors does not"):
            Tagger.load(path)


@pytest.mark.parametrize("crf", [True, False])
def test_a_tagger_of_weights_that_are_no_numbers_gives_no_labels(crf: bool) -> None:
    train = sentences(5, 0)
    tagger = Tagger.for_sentences(train, TaggerOptions(crf=crf, **SMALL), 6)
    torch.nn.init.constant_(tagger.dense.bias, torch.nan)
    with pytest.raises(FloatingPointError, match="no numbers"):
        tagger.predict(train)


def test_a_device_that_is_none_is_not_a_damaged_file(tmp_path: Path) -> None:
    sentence = TaggedSentence(("a",), ("O",))
    tagger = Tagger.for_sentences([sentence], TaggerOptions(lm_position="none"))
    tagger.save(tmp_path / "tagger.safetensors")
    for device in ("nope", "cuda:99"):
        with pytest.raises(ConfigurationError, match="; leave device out") as refused:
            Tagger.load(tmp_path / "tagger.safetensors", device)
        assert not isinstance(refused.value, CheckpointDamaged)
        with pytest.raises(ConfigurationError, match="; leave device out"):
            train_tagger([sentence], [sentence], device=device)
    assert Tagger.load(tmp_path / "tagger.safetensors", torch.device("cpu")).labels == ["O"]


def test_vectors_of_words_with_capitals_and_digits_are_read() -> None:
    """Words are looked up as `normalise` spells them, so vectors are kept under that spelling."""
    words = ["Paris", "paris", "won", "1998", "2024"]
    vectors = np.arange(len(words) * SMALL["word_dim"], dtype=np.float32)
    table = WordVectors(Vocabulary(words), vectors.reshape(len(words), -1))
    train = [TaggedSentence(("Paris", "won"), ("O", "O"))]
    options = TaggerOptions(lm_position="none", **SMALL)
    tagger = Tagger.for_sentences(train, options, word_vectors=table)
    asked = tagger.batch([TaggedSentence(("Paris", "won", "1998", "2024"))]).words[0]
    read = tagger.embedding.weight[asked].detach().numpy()
    np.testing.assert_array_equal(read, table.vectors[[0, 2, 3, 3]])


def test_a_word_that_is_named_twice_is_one() -> None:
    tagger = Tagger(["a", "b", "a"], ["O"], TaggerOptions(lm_position="none", **SMALL))
    assert tagger.words == {"a": 2, "b": 3}
    assert tagger.predict([TaggedSentence(("a",))]) == [["O"]]
