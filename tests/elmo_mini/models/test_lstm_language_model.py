"""The LSTM from its gates is PyTorch's; loss, perplexity and causality of the language model."""

import math

import pytest
import torch
from torch import nn

from elmo_mini.models.lstm_language_model import (
    LSTM,
    LSTMLanguageModel,
    masked_cross_entropy,
    perplexity,
)


def test_with_its_weights_it_is_pytorchs() -> None:
    torch.manual_seed(0)
    sealed, opened = nn.LSTM(5, 4, batch_first=True), LSTM(5, 4)
    W_x, W_h, b_x, b_h = sealed.parameters()
    opened.load_state_dict({"gates.weight": torch.cat([W_x, W_h], 1), "gates.bias": b_x + b_h})
    x, state = torch.randn(3, 6, 5), (torch.randn(3, 4), torch.randn(3, 4))
    torch.testing.assert_close(opened(x)[0], sealed(x)[0])
    states, (h, c) = opened(x, state)
    theirs, (their_h, their_c) = sealed(x, (state[0][None], state[1][None]))
    torch.testing.assert_close(states, theirs)
    torch.testing.assert_close(h, their_h[0])
    torch.testing.assert_close(c, their_c[0])


def test_loss_of_a_table_computed_by_hand() -> None:
    # p = 1/2, 1/4, 1/4 and p = 1/8, 3/8, 1/2; the third place is padding.
    logits = torch.tensor([[[2.0, 1.0, 1.0], [1.0, 3.0, 4.0], [9.0, 9.0, 1.0]]]).log()
    targets = torch.tensor([[0, 2, 1]])
    mask = torch.tensor([[True, True, False]])
    assert masked_cross_entropy(logits, targets, mask).item() == pytest.approx(math.log(2))
    targets[0, 1] = 0
    by_hand = (math.log(2) + math.log(8)) / 2
    assert masked_cross_entropy(logits, targets, mask).item() == pytest.approx(by_hand)


def test_padding_is_worth_nothing_whatever_stands_there() -> None:
    logits = torch.randn(2, 4, 5)
    targets = torch.randint(5, (2, 4))
    mask = torch.tensor([[True] * 4, [True, False, False, False]])
    loss = masked_cross_entropy(logits, targets, mask)
    logits[1, 1:] = torch.nan
    assert masked_cross_entropy(logits, targets, mask).item() == loss.item()
    with pytest.raises(ValueError, match="no token"):
        masked_cross_entropy(logits, targets, torch.zeros(2, 4, dtype=torch.bool))


def test_perplexity() -> None:
    assert perplexity([math.log(7)] * 3, [2, 5, 1]) == pytest.approx(7)
    assert perplexity([math.log(2), math.log(32)], [3, 1]) == pytest.approx(4)
    for losses, tokens in (([1.0], [1, 2]), ([], []), ([1.0], [0])):
        with pytest.raises(ValueError, match="tokens"):
            perplexity(losses, tokens)


def test_no_state_knows_a_later_word() -> None:
    torch.manual_seed(3)
    model = LSTMLanguageModel(20, 8, 12).eval()
    ids = torch.randint(20, (3, 9))
    before = model.states(ids)[0]
    ids[:, 5] = (ids[:, 5] + 1) % 20
    after = model.states(ids)[0]
    assert torch.equal(before[:, :5], after[:, :5])
    assert not torch.isclose(before[:, 5:], after[:, 5:]).all(-1).any()
