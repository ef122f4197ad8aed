import math

import numpy as np
import pytest
import torch

from elmo_mini.recurrent.context2vec import (
    Context2Vec,
    around_target,
    context_vectors,
    fill_blank,
    reverse_real,
    shared_noise_loss,
    train_context2vec,
    word_log_probabilities,
)
from elmo_mini.recurrent.training import TrainingOptions
from elmo_mini.text.running_text import word_vocabulary
from elmo_mini.word_vectors.word2vec import sgns_loss
from tests.elmo_mini.devices import DevicesNamed, computes_on_meta


def model_of(words: int = 20) -> Context2Vec:
    torch.manual_seed(5)
    return Context2Vec(words, 6, 7, 8)


def test_reverse_real() -> None:
    rows = torch.tensor([[1, 2, 3, 0], [4, 0, 0, 0], [5, 6, 7, 8], [9, 9, 9, 9]])
    lengths = torch.tensor([3, 1, 4, 0])
    reversed_rows = reverse_real(rows, lengths)
    assert reversed_rows.tolist() == [[3, 2, 1, 0], [4, 0, 0, 0], [8, 7, 6, 5], [9, 9, 9, 9]]
    deep = torch.randn(4, 4, 3)
    assert torch.equal(reverse_real(reverse_real(deep, lengths), lengths), deep)
    assert torch.equal(reverse_real(deep, lengths)[0, 0], deep[0, 2])


def test_around_target_takes_the_neighbours_states() -> None:
    left = torch.arange(5.0).view(1, 5, 1)  # </s> a b c </s>
    right = 10 * torch.arange(5.0).view(1, 5, 1)
    assert around_target(left, right)[0].tolist() == [[0.0, 20.0], [1.0, 30.0], [2.0, 40.0]]


def test_vectors_are_those_of_two_lstms_run_by_hand() -> None:
    model = model_of()
    words = [7, 3, 11, 5]
    ids = torch.tensor([[*words, 0, 0], [4, 4, 4, 4, 4, 4]])
    found = model(ids, torch.tensor([4, 6]))[0]
    for place in range(4):
        before = torch.tensor([[1, *words[:place]]])
        after = torch.tensor([[1, *reversed(words[place + 1 :])]])
        left = model.left(model.left_embedding(before))[0][:, -1]
        right = model.right(model.right_embedding(after))[0][:, -1]
        by_hand = model.mlp(torch.cat([left, right], -1))[0]
        torch.testing.assert_close(found[place], by_hand)


def test_a_word_does_not_change_the_vector_of_its_place() -> None:
    model = model_of()
    ids = torch.randint(2, 20, (3, 6))
    lengths = torch.tensor([6, 4, 5])
    before = model(ids, lengths)
    for place in range(4):
        changed = ids.clone()
        changed[:, place] = (ids[:, place] + 1) % 20
        after = model(changed, lengths)
        assert torch.equal(before[:, place], after[:, place])
        others = [other for other in range(4) if other != place]
        moved = (before[:, others] - after[:, others]).abs().amax(-1)
        assert (moved > 0).all(), "every other place reads this word"


def test_shared_noise_is_the_same_loss_when_every_place_draws_the_same_words() -> None:
    c, w, noise = torch.randn(5, 4), torch.randn(5, 4), torch.randn(6, 4)
    same = sgns_loss(c, w, noise.expand(5, 6, 4))
    torch.testing.assert_close(shared_noise_loss(c, w, noise, 6), same)
    zero = torch.zeros(5, 4)
    assert shared_noise_loss(zero, w, noise, 10).item() == pytest.approx(11 * math.log(2))


def test_gradient_reaches_what_was_read_and_nothing_else() -> None:
    model = model_of()
    ids = torch.tensor([[4, 5, 6]])
    contexts = model(ids, torch.tensor([3]))[0]
    targets, negatives = model.targets(ids[0, 2:]), model.targets(torch.tensor([[9, 10]]))
    sgns_loss(contexts[2:], targets, negatives).backward()

    def rows(table: torch.nn.Embedding) -> list[int]:
        assert table.weight.grad is not None
        return table.weight.grad.abs().sum(1).nonzero().flatten().tolist()

    assert rows(model.left_embedding) == [1, 4, 5]
    assert rows(model.right_embedding) == [1]
    assert rows(model.targets) == [6, 9, 10]


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


def test_what_stands_beside_a_place_can_be_another_function() -> None:
    torch.manual_seed(5)
    spoilt = Context2Vec(
        20, 6, 7, 8, beside=lambda left, right: torch.cat([left[:, 1:-1], right[:, 1:-1]], -1)
    )
    ids, lengths = torch.tensor([[4, 5, 6]]), torch.tensor([3])
    places = spoilt(ids, lengths)
    changed = spoilt(torch.tensor([[4, 9, 6]]), lengths)
    assert (places[0, 1] != changed[0, 1]).any(), "it reads the word itself"


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


def test_the_best_scores_say_the_probability_back() -> None:
    """Scores that minimise the loss over a known p(w | place), found by gradient descent."""
    truth = torch.tensor([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    noise = torch.tensor([0.2, 0.3, 0.5])
    scores = torch.zeros(2, 3, requires_grad=True)
    optimizer = torch.optim.Adam([scores], lr=0.05)
    for _ in range(1500):
        positive = truth * torch.nn.functional.logsigmoid(scores)
        negative = 4 * noise * torch.nn.functional.logsigmoid(-scores)
        loss = -(positive + negative).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    found = word_log_probabilities(scores.detach(), torch.eye(3), noise).exp()
    torch.testing.assert_close(found, truth, atol=1e-3, rtol=0)


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
    with pytest.raises(IndexError, match="no place 2"):
        fill_blank(model, vocabulary, ["the", "cat"], 2)
    with pytest.raises(ValueError, match="no sentence"):
        train_context2vec(model, [[]], vocabulary.counts)


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
