"""The scalar mix of a frozen biLM in a tagger: at the input of its RNN, its output, or both.

NAACL ELMo paper, section 3.3. The layers are computed once and kept. The tagger mixes them with
weights of its own and puts the mix beside its word vectors, and, where it helps, beside what its
RNN gives, with a second set of weights.
"""

from collections.abc import Callable, Sequence
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from elmo_mini.models import elmo as plain

Where = Literal["none", "input", "output", "both"]
Mix = Callable[[Tensor, Tensor, Tensor], Tensor]
Mixed = Callable[[Sequence[Tensor]], Tensor]


def with_elmo(
    x: Tensor,
    layers: Sequence[Tensor],
    mix_in: Mixed,
    mix_out: Mixed,
    rnn: Callable[[Tensor], Tensor],
    where: str,
) -> Tensor:
    """The task's RNN with the mixed layers at its input, its output, at both, or nowhere.

    ``input`` gives the RNN [x ; ELMo], ``output`` makes [RNN(x) ; ELMo'], each with weights of its
    own. No gradient goes to the layers: the biLM is frozen.

    Parameters
    ----------
    x : (B, T, D), the task's own word vectors
    layers : L + 1 of (B, T, 2H)
    mix_in, mix_out : the layers to one (B, T, 2H)
    rnn : (B, T, in) to (B, T, out)

    Raises
    ------
    ValueError
        If there is no such place.
    """
    if where not in get_args(Where):
        raise ValueError(f"where is {where!r}; choose one of {get_args(Where)}")
    layers = [h.detach() for h in layers]
    if where in ("input", "both"):
        x = torch.cat([x, mix_in(layers)], -1)
    h = rnn(x)
    if where in ("output", "both"):
        h = torch.cat([h, mix_out(layers)], -1)
    return h


class LearnedMix(nn.Module):
    """The w and gamma of one place, for a function that mixes layers."""

    def __init__(self, n_layers: int, mix: Mix = plain.scalar_mix) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.ones(()))
        self.mix = mix

    def forward(self, layers: Sequence[Tensor]) -> Tensor:
        """L + 1 layers (..., 2H) to one (..., 2H)."""
        return self.mix(torch.stack(list(layers)), self.w, self.gamma)
