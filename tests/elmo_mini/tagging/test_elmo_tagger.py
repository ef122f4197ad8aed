"""The tagger that reads all layers: where they join, that they are frozen, that it learns."""

import numpy as np
import pytest
import torch
from torch import nn

from elmo_mini.tagging.elmo_tagger import (
    ElmoTagger,
    LayeredSentence,
    train_elmo_tagger,
    with_elmo,
    with_layers,
)
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.training.steps import TrainingOptions


def sentence(words: str, labels: str) -> LayeredSentence:
    """Layers that say in their first number whether a word is a name."""
    marks = np.array([label != "O" for label in labels.split()], dtype=np.float32)
    noise = np.random.default_rng(len(words)).standard_normal((3, len(marks), 4))
    layers = (0.1 * noise).astype(np.float32)
    layers[:, :, 0] = 3 * marks
    return LayeredSentence(tuple(words.split()), labels.split(), layers)


TRAIN = [
    sentence("Ada sleeps", "B-PER O"),
    sentence("the dog sees Ben", "O O O B-PER"),
    sentence("a cat", "O O"),
    sentence("Ben sees Ada", "B-PER O B-PER"),
]
UNSEEN = sentence("Zoe snores", "B-PER O")
OPTIONS_HERE = TrainingOptions(epochs=30, batch_size=2, learning_rate=2e-2)


@pytest.mark.parametrize(
    ("where", "read", "given"), [("none", 2, 3), ("input", 6, 3), ("output", 2, 7), ("both", 6, 7)]
)
def test_the_layers_join_where_they_should(where: str, read: int, given: int) -> None:
    x, layers = torch.ones(1, 2, 2), [torch.ones(1, 2, 4)]
    widths = []

    def rnn(vectors: torch.Tensor) -> torch.Tensor:
        widths.append(vectors.shape[-1])
        return torch.zeros(1, 2, 3)

    joined = with_elmo(x, layers, lambda h: 2 * h[0], lambda h: 5 * h[0], rnn, where)
    assert widths == [read]
    assert joined.shape[-1] == given
    assert (joined[..., 3:] == 5).all()


def test_no_gradient_reaches_the_layers_and_all_else_learns() -> None:
    x = torch.ones(1, 2, 2, requires_grad=True)
    layer = torch.ones(1, 2, 4, requires_grad=True)
    weight = torch.ones((), requires_grad=True)
    with_elmo(
        x, [layer], lambda h: weight * h[0], lambda h: h[0], nn.Identity(), "both"
    ).sum().backward()  # type: ignore[no-untyped-call]
    assert layer.grad is None
    assert x.grad is not None
    assert weight.grad is not None


def test_an_unknown_place_is_told() -> None:
    with pytest.raises(ValueError, match="where is 'above'"):
        with_elmo(torch.ones(1, 1, 1), [], lambda h: h[0], lambda h: h[0], nn.Identity(), "above")


def test_it_learns_from_the_layers_what_the_words_do_not_tell() -> None:
    tagger = train_elmo_tagger(TRAIN, "input", OPTIONS_HERE)
    assert tagger.predict([UNSEEN, *TRAIN[:2]]) == [s.labels for s in [UNSEEN, *TRAIN[:2]]]
    assert (tagger.mix_in.w != 0).any()
    assert (tagger.mix_out.w == 0).all()


def test_the_same_seed_gives_the_same_tagger_and_the_callers_draw_is_left_alone() -> None:
    options = TrainingOptions(epochs=1, batch_size=2, seed=3)
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    one, other = (train_elmo_tagger(TRAIN, "both", options).dense.weight for _ in range(2))
    assert torch.equal(torch.rand(1), expected)
    assert torch.equal(one, other)


def test_padding_changes_no_score() -> None:
    tagger = ElmoTagger(TRAIN, "both").eval()
    alone, _ = tagger([TRAIN[0]])
    beside, mask = tagger(TRAIN[:2])
    assert mask.tolist() == [[True, True, False, False], [True] * 4]
    assert torch.allclose(alone[0], beside[0, :2], atol=1e-6)


def test_functions_of_the_caller_are_used_and_told_of_every_epoch() -> None:
    calls: list[str] = []

    def mix(layers: object, w: torch.Tensor, gamma: torch.Tensor) -> torch.Tensor:
        calls.append("mix")
        return gamma * next(iter(layers))  # type: ignore[call-overload]

    options = TrainingOptions(epochs=3, batch_size=2)
    train_elmo_tagger(TRAIN, "input", options, mix=mix, after_epoch=lambda t: calls.append("epoch"))
    assert calls.count("epoch") == 3
    assert calls.count("mix") == 6


def test_sentences_get_their_layers_and_bio_labels() -> None:
    from elmo_mini.checkpoints.pretrained import load_pretrained

    (found,) = with_layers(load_pretrained(), [TaggedSentence(("in", "Oslo"), ("O", "S-LOC"))])
    assert found.labels == ["O", "B-LOC"]
    assert found.layers.shape == (3, 2, 512)


def test_weights_that_are_no_numbers_give_no_labels() -> None:
    tagger = ElmoTagger(TRAIN, "input")
    nn.init.constant_(tagger.dense.bias, torch.nan)
    with pytest.raises(FloatingPointError, match="no numbers"):
        tagger.predict(TRAIN)
