"""The LSTM from its gates is PyTorch's."""

import torch
from torch import nn

from elmo_mini.recurrent.lstm import LSTM


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
