"""context2vec: each vector is that of two LSTMs run by hand, and never reads the word itself."""

import math

import pytest
import torch

from elmo_mini.models.context2vec import (
    Context2Vec,
    around_target,
    shared_noise_loss,
    word_log_probabilities,
)
from elmo_mini.models.skip_gram import sgns_loss


def model_of(words: int = 20) -> Context2Vec:
    torch.manual_seed(5)
    return Context2Vec(words, 6, 7, 8)


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


def test_what_stands_beside_a_place_can_be_another_function() -> None:
    torch.manual_seed(5)
    spoilt = Context2Vec(
        20, 6, 7, 8, beside=lambda left, right: torch.cat([left[:, 1:-1], right[:, 1:-1]], -1)
    )
    ids, lengths = torch.tensor([[4, 5, 6]]), torch.tensor([3])
    places = spoilt(ids, lengths)
    changed = spoilt(torch.tensor([[4, 9, 6]]), lengths)
    assert (places[0, 1] != changed[0, 1]).any(), "it reads the word itself"


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
