"""The tagger: its layers against PyTorch's, its batches, and that it uses what it is given."""

import random

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from elmo_mini.tagging.taglm import (
    BiLSTM,
    TaggedSentence,
    Tagger,
    TaggerOptions,
    lm_part,
    normalise,
    with_lm,
)
from elmo_mini.tagging.training import batches, f1_on, train_tagger
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.table import WordVectors

SMALL = {"hidden": 8, "word_dim": 6, "character_dim": 5, "character_filters": 4}


def sentences(count: int, seed: int, *, lm: int = 6) -> list[TaggedSentence]:
    """One word in three is a name. Only the first LM number of the forward half tells which."""
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        length = int(draw.integers(1, 8))
        words = tuple("abcdefghij"[draw.integers(10)] for _ in range(length))
        name = draw.random(length) < 0.33
        vectors = draw.normal(size=(length, lm)).astype(np.float32)
        vectors[:, 0] = np.where(name, 3, -3)
        labels = tuple("S-X" if n else "O" for n in name)
        found.append(TaggedSentence(words, labels, vectors))
    return found


def test_both_directions_read_as_packed_sequences_do() -> None:
    torch.manual_seed(0)
    ours = BiLSTM(5, 4)
    theirs = nn.LSTM(5, 4, bidirectional=True, batch_first=True)
    for name, parameter in ours.forwards.named_parameters():
        theirs.get_parameter(name).data.copy_(parameter)
        theirs.get_parameter(f"{name}_reverse").data.copy_(ours.backwards.get_parameter(name))
    lengths = torch.tensor([3, 6, 1, 6])
    x = torch.randn(4, 6, 5)
    mask = torch.arange(6) < lengths.unsqueeze(1)
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(theirs(packed)[0], batch_first=True)
    torch.testing.assert_close(ours(x, mask)[mask], expected[mask])


@pytest.mark.parametrize(
    ("position", "sizes"),
    [
        ("none", [3, 2, 2]),
        ("input", [8, 2, 2]),
        ("after_first", [3, 7, 2]),
        ("after_second", [3, 2, 7]),
    ],
)
def test_lm_vectors_enter_where_they_should(position: str, sizes: list[int]) -> None:
    read: list[Tensor] = []

    def layer(x: Tensor) -> Tensor:
        read.append(x)
        return torch.ones(1, 4, 2)

    lm = torch.randn(1, 4, 5)
    out = with_lm(torch.zeros(1, 4, 3), lm, layer, layer, position)  # type: ignore[arg-type]
    assert [x.shape[-1] for x in (*read, out)] == sizes
    for x in (*read, out):
        if x.shape[-1] > 3:
            torch.testing.assert_close(x[..., -5:], lm)


def test_forward_only_is_the_first_half() -> None:
    vectors = torch.arange(8.0).view(1, 2, 4)
    assert lm_part(vectors, "forward").tolist() == [[[0, 1], [4, 5]]]
    assert lm_part(vectors, "both") is vectors
    with pytest.raises(ValueError, match="backward"):
        lm_part(vectors, "backward")  # type: ignore[arg-type]


def test_a_forward_tagger_never_sees_the_backward_half() -> None:
    train = sentences(20, 0)
    changed = [s._replace(lm=np.concatenate([s.lm[:, :3], 9 - s.lm[:, 3:]], 1)) for s in train]
    for direction, same in (("forward", True), ("both", False)):
        torch.manual_seed(0)
        tagger = Tagger(train, TaggerOptions(lm_direction=direction, **SMALL), 6).eval()
        a, b = (tagger(tagger.batch(some)) for some in (train, changed))
        assert torch.equal(a, b) == same


@pytest.mark.parametrize("position", ["none", "input", "after_first", "after_second"])
def test_scores_do_not_depend_on_the_rest_of_the_batch(position: str) -> None:
    train = sentences(12, 1)
    torch.manual_seed(0)
    tagger = Tagger(train, TaggerOptions(lm_position=position, **SMALL), 6).eval()
    together = tagger(tagger.batch(train))
    for row, sentence in enumerate(train):
        alone = tagger(tagger.batch([sentence]))[0]
        torch.testing.assert_close(together[row, : len(alone)], alone)
    assert tagger.predict(train, 5) == [tagger.predict([sentence])[0] for sentence in train]


@pytest.mark.parametrize(
    "changes",
    [{}, {"crf": False}, {"task_rnn": False}, {"lm_position": "input"}],
    ids=lambda changes: str(changes),
)
def test_it_learns_what_only_the_lm_vectors_say(changes: dict[str, object]) -> None:
    train, dev = sentences(60, 2), sentences(40, 3)
    options = TaggerOptions(**{**SMALL, **changes})  # type: ignore[arg-type]
    with_vectors = train_tagger(train, dev, options, epochs=12, learning_rate=0.02)
    assert f1_on(with_vectors.tagger, dev).f1 > 0.95
    if not changes:
        without = TaggerOptions(lm_position="none", **SMALL)
        plain = train_tagger(train, dev, without, epochs=12, learning_rate=0.02)
        assert f1_on(plain.tagger, dev).f1 < 0.6


def test_training_is_repeatable_and_gives_the_best_epoch() -> None:
    train, dev = sentences(30, 4), sentences(20, 5)
    options = TaggerOptions(**SMALL)
    state = torch.get_rng_state()
    runs = [train_tagger(train, dev, options, seed=7, epochs=6, patience=2) for _ in range(2)]
    assert torch.equal(torch.get_rng_state(), state)
    assert runs[0].losses == runs[1].losses
    assert runs[0].dev_f1 != train_tagger(train, dev, options, seed=8, epochs=6).dev_f1
    for run in runs:
        assert run.dev_f1[run.best_epoch - 1] == max(run.dev_f1)
        assert f1_on(run.tagger, dev).f1 == max(run.dev_f1)
        assert not run.tagger.training


def test_it_stops_when_dev_no_longer_gains() -> None:
    train = sentences(10, 6)
    run = train_tagger(
        train, train, TaggerOptions(**SMALL), epochs=50, patience=3, learning_rate=0.0
    )
    assert (len(run.dev_f1), len(run.losses), run.best_epoch) == (4, 4, 1)


def test_word_vectors_are_the_start_and_unknown_words_are_learned() -> None:
    table = np.arange(18, dtype=np.float32).reshape(3, 6)
    vectors = WordVectors(Vocabulary(["a", "n0", "far"]), table)
    tagger = Tagger(sentences(30, 7), TaggerOptions(**SMALL), 6, vectors)
    for word, row in zip(("a", "n0", "far"), table, strict=True):
        assert tagger.embedding.weight[tagger.words[word]].tolist() == row.tolist()
    asked = TaggedSentence(("A", "N7", "unheard"), ("O", "O", "O"))
    assert tagger.batch([asked]).words.tolist() == [[2, 3, 1]]
    once = [TaggedSentence(("rare", "far"), ("O", "O")), TaggedSentence(("a",), ("O",))]
    plain = TaggerOptions(lm_position="none", **SMALL)
    marked = Tagger(once, plain, 0, vectors)
    assert [w for w, i in marked.words.items() if marked.get_buffer("once")[i]] == ["rare"]


def test_every_sentence_comes_once_and_lengths_are_alike() -> None:
    train = sentences(50, 8)
    found = list(batches(train, 8, random.Random(0)))
    assert sorted(id(s) for b in found for s in b) == sorted(map(id, train))
    assert max(max(len(s.words) for s in b) - min(len(s.words) for s in b) for b in found) <= 2


def test_words_are_looked_up_in_lower_case_with_zeros() -> None:
    assert normalise("U.S.-1987") == "u.s.-0000"


def test_what_cannot_be_is_refused() -> None:
    train = sentences(5, 9)
    bare = [s._replace(lm=None) for s in train]
    with pytest.raises(ValueError, match="lm_position is 'first'"):
        TaggerOptions(lm_position="first")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="lm_position is 'first'"):
        with_lm(torch.ones(1, 1, 1), torch.ones(1, 1, 1), torch.abs, torch.abs, "first")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="nothing is left"):
        TaggerOptions(task_rnn=False, lm_position="none")
    with pytest.raises(ValueError, match="no LM vectors"):
        train_tagger(bare, bare)
    with pytest.raises(ValueError, match="sentences have none"):
        train_tagger(train, bare, TaggerOptions(**SMALL))
    with pytest.raises(ValueError, match="both need some"):
        train_tagger(train, [])
    with pytest.raises(ValueError, match="at least one training"):
        Tagger([], TaggerOptions())
    vectors = WordVectors(Vocabulary(["a"]), np.ones((1, 3), dtype=np.float32))
    with pytest.raises(ValueError, match="3 numbers"):
        Tagger(train, TaggerOptions(), 6, vectors)
