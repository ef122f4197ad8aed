"""Training of context2vec, vectors of contexts, and words for a gap."""

import math

import numpy as np
import pytest
import torch

from elmo_mini.models.context2vec import Context2Vec
from elmo_mini.models.skip_gram import sgns_loss
from elmo_mini.tasks.context2vec_use import context_vectors, fill_blank, train_context2vec
from elmo_mini.text.running_text import word_vocabulary
from elmo_mini.text.vocabulary import UnknownWord, Vocabulary
from elmo_mini.training.steps import TrainingOptions
from tests.elmo_mini.devices import DevicesNamed, computes_on_meta


def model_of(words: int = 20) -> Context2Vec:
    torch.manual_seed(5)
    return Context2Vec(words, 6, 7, 8)


def test_a_loss_is_given_places_their_words_and_noise_words_of_their_own() -> None:
    seen: list[tuple[int, ...]] = []

    def loss_of(places: torch.Tensor, words: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        seen.extend(map(tuple, (places.shape, words.shape, noise.shape)))
        assert not torch.equal(noise[0], noise[1])
        return sgns_loss(places, words, noise)

    sentences, counts = [[3, 4, 5], [6, 7]], np.ones(20, np.int64)
    options = TrainingOptions(batch_size=2)
    losses = train_context2vec(model_of(), sentences, counts, options, negatives=4, loss_of=loss_of)
    assert seen == [(5, 8), (5, 8), (5, 4, 8)]
    assert losses[0] == pytest.approx(5 * math.log(2), abs=0.1)


def test_a_word_that_the_vocabulary_cannot_read_moves_no_blank() -> None:
    unread = Vocabulary(["a", "b", "c"], [1, 1, 1])
    with pytest.raises(UnknownWord, match="'zzz' is not among the 3"):
        fill_blank(model_of(3), unread, ["zzz", "a", "b"], 2)


def test_training_learns_which_word_fits_between_its_neighbours() -> None:
    # The first and the last word together say which word stands between them; neither does alone.
    middle = {("a", "x"): "red", ("a", "y"): "blue", ("b", "x"): "green", ("b", "y"): "grey"}
    sentences = [[first, word, last] for (first, last), word in middle.items()] * 100
    vocabulary = word_vocabulary(sentences)
    losses = []
    for _ in range(2):
        model = model_of(len(vocabulary))
        ids = [vocabulary.encode(sentence) for sentence in sentences]
        options = TrainingOptions(epochs=12, learning_rate=5e-2)
        losses.append(train_context2vec(model, ids, vocabulary.counts, options))
    assert losses[0] == losses[1]
    assert not model.training
    for (first, last), word in middle.items():
        assert fill_blank(model, vocabulary, [first, "?", last], 1, top=1)[0][0] == word


def test_context_vectors_of_several_sentences() -> None:
    vocabulary = word_vocabulary([["the", "cat", "sat"]])
    model = model_of(len(vocabulary))
    sentences = [["the", "cat", "sat"], ["a"], ["cat", "cat"]]
    for sentence, found in zip(
        sentences, context_vectors(model, vocabulary, sentences, batch_size=2), strict=True
    ):
        assert found.shape == (len(sentence), 8)
        alone = context_vectors(model, vocabulary, [sentence])[0]
        np.testing.assert_allclose(found, alone, atol=1e-6)


def test_refusals() -> None:
    vocabulary = word_vocabulary([["the", "cat"]])
    model = model_of(len(vocabulary))
    with pytest.raises(IndexError, match="no position 2"):
        fill_blank(model, vocabulary, ["the", "cat"], 2)
    with pytest.raises(ValueError, match="no sentence"):
        train_context2vec(model, [[]], vocabulary.counts)
    uncounted = Vocabulary(vocabulary.words, unknown=vocabulary.unknown)
    with pytest.raises(ValueError, match="all counts are 0"):
        fill_blank(model, uncounted, ["the", "cat"], 1)
    with pytest.raises(ValueError, match="all counts are 0"):
        train_context2vec(model, [[2, 3]], uncounted.counts)


def test_it_runs_where_its_parameters_are() -> None:
    ids, lengths = torch.ones(2, 3, device="meta").long(), torch.ones(2, device="meta").long()
    on_meta = model_of().to("meta")
    contexts = on_meta(ids, lengths)
    assert (contexts.device.type, contexts.shape) == ("meta", (2, 3, 8))
    vocabulary = word_vocabulary([["the", "cat", "sat"]])
    model = model_of(len(vocabulary)).double()
    with DevicesNamed():
        train_context2vec(model, [[2, 3, 4]] * 20, vocabulary.counts)
        (vectors,) = context_vectors(model, vocabulary, [["the", "cat"]])
        fill_blank(model, vocabulary, ["the", "cat"], 1)
    assert vectors.dtype == np.float32
    computes_on_meta(lambda: train_context2vec(on_meta, [[2, 3, 4]], np.ones(20, dtype=np.int64)))
    computes_on_meta(lambda: context_vectors(on_meta, vocabulary, [["the", "cat"]]))


def test_a_string_is_no_sentence() -> None:
    vocabulary = Vocabulary(["<unk>", "a", "b"], unknown="<unk>", counts=[1, 1, 1])
    model = Context2Vec(3)
    for read in (
        lambda: context_vectors(model, vocabulary, ["a b"]),
        lambda: fill_blank(model, vocabulary, "a b", 0),
    ):
        with pytest.raises(TypeError, match="call tokenize"):
            read()
