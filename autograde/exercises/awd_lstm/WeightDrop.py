"""Exercise `WeightDrop`: an LSTM that loses recurrent weights in training, and only there."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional
from torch.nn.utils import parametrize

from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.awd_lstm import LESSON
from autograde.exercises.awd_lstm.lives import NOT_COPIED, PUBLISHED, live
from autograde.exercises.awd_lstm.masks import drawn_alike
from elmo_mini.models.awd_lstm import WeightDropLSTM

State = tuple[Tensor, Tensor]


def WeightDrop(lstm: nn.LSTM, p: float) -> nn.Module:
    """The course's own, round an LSTM that is already there."""
    made = WeightDropLSTM(lstm.input_size, lstm.hidden_size, p)
    made.lstm = lstm
    return made


@Case.drawn
def _life(rng: Random, life: str, p: float) -> Inputs:
    return {
        "life": life,
        "p": p,
        "x": rng.standard_normal((2, 5, 3)).astype(np.float32),
        "seed": int(rng.integers(1_000_000)),
        "weight": float(rng.uniform(0.4, 0.8)),
    }


class _Natural(nn.Module):
    def __init__(self, lstm: nn.LSTM, p: float) -> None:
        super().__init__()
        self.lstm = lstm
        self.p = p

    def forward(self, x: Tensor, state: State | None = None) -> Any:
        """As an LSTM."""
        if not self.training:
            return self.lstm(x, state)
        whole: Any = self.lstm.weight_hh_l0
        thin = functional.dropout(whole, self.p)
        return functional_call(self.lstm, {"weight_hh_l0": thin}, (x, state))


class _Thinned(nn.Module):
    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, whole: Tensor) -> Tensor:
        """The matrix, thinned in training."""
        return functional.dropout(whole, self.p, self.training)


class _Parametrised(nn.Module):
    def __init__(self, lstm: nn.LSTM, p: float) -> None:
        super().__init__()
        self.lstm = lstm
        parametrize.register_parametrization(lstm, "weight_hh_l0", _Thinned(p))

    def forward(self, x: Tensor, state: State | None = None) -> Any:
        """As an LSTM."""
        with parametrize.cached():
            return self.lstm(x, state)


class _WithModule(nn.Module):
    def __init__(self, lstm: nn.LSTM, p: float) -> None:
        super().__init__()
        self.inner, self.drop = lstm, nn.Dropout(p)

    def forward(self, x: Tensor, state: State | None = None) -> Any:
        """As an LSTM."""
        lent = {"weight_hh_l0": self.drop(self.inner.weight_hh_l0)}
        return functional_call(self.inner, lent, (x, state))


class _StepByStep(nn.Module):
    def __init__(self, lstm: nn.LSTM, p: float) -> None:
        super().__init__()
        self.lstm, self.p = lstm, p

    def forward(self, x: Tensor, state: State | None = None) -> Any:
        """As an LSTM, one word after the other."""
        of: Any = self.lstm
        matrix = of.weight_hh_l0
        if self.training and self.p > 0:
            matrix = matrix * (torch.rand_like(matrix) >= self.p) / (1 - self.p)
        zeros = x.new_zeros(len(x), of.hidden_size)
        h, c = (zeros, zeros) if state is None else (state[0][0], state[1][0])
        rows = []
        for word in x.unbind(1):
            gates = functional.linear(word, of.weight_ih_l0, of.bias_ih_l0 + of.bias_hh_l0)
            i, f, g, o = (gates + h @ matrix.T).chunk(4, -1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            rows.append(h)
        return torch.stack(rows, 1), (h[None], c[None])


class _AsPublished(nn.Module):
    def __init__(self, lstm: nn.LSTM, p: float) -> None:
        super().__init__()
        self.lstm, self.p = lstm, p
        raw: Any = lstm.weight_hh_l0
        del lstm._parameters["weight_hh_l0"]
        lstm.register_parameter("weight_hh_l0_raw", nn.Parameter(raw.detach().clone()))

    def forward(self, x: Tensor, state: State | None = None) -> Any:
        """As an LSTM."""
        raw: Any = self.lstm.weight_hh_l0_raw
        self.lstm.weight_hh_l0 = functional.dropout(raw, self.p, self.training)
        return self.lstm(x, state)


SLIPS = """
--- hint 1
dropped in evaluation, too: if not self.training -> if False
dropped in evaluation only: if not self.training -> if self.training
    In evaluation your outputs change from call to call: weights are dropped there. Ask
    `self.training`: in evaluation the LSTM has its whole matrix.
never dropped: if not self.training -> if True
    No weight is ever dropped. In training the LSTM gets a thinned copy of its matrix.
the outputs are dropped: functional_call(self.lstm, {"weight_hh_l0": thin}, (x, state)) \
        -> (functional.dropout(self.lstm(x, state)[0], self.p), self.lstm(x, state)[1])
    You drop numbers of the outputs. Weight drop takes weights out of the recurrent matrix and
    leaves the states alone.
no drop after an evaluation: if not self.training: -> if not self.training:⏎    self.p = 0.0
    After an evaluation nothing is dropped any more. Training and evaluation take turns: leave `p`
    as it is.
--- hint 2
the matrix of the inputs: every weight_hh_l0 -> weight_ih_l0
    You thin what comes in, the words or their matrix `weight_ih_l0`. The recurrent matrix, between
    state and state, is `weight_hh_l0`.
whole rows: functional.dropout(whole, self.p) \
        -> whole * functional.dropout(torch.ones(len(whole), 1), self.p)
    You drop whole rows of the matrix. Each weight is dropped on its own.
whole columns: functional.dropout(whole, self.p) \
        -> whole * functional.dropout(torch.ones(1, whole.shape[1]), self.p)
    You drop whole columns: units of the state. Each weight is dropped on its own.
one mask for the four gates: functional.dropout(whole, self.p) -> whole \
        * functional.dropout(torch.ones_like(whole[: len(whole) // 4]), self.p).repeat(4, 1)
    All four gates lose the same weights. The matrix has the weights of the four below one another,
    (4 H, H): each is dropped on its own.
new weights at every step: thin = functional.dropout(whole, self.p) -> steps = [] \
        && return functional_call(self.lstm, {"weight_hh_l0": thin}, (x, state)) \
        -> for word in x.split(1, 1):⏎    thin = functional.dropout(whole, self.p)⏎    out, state \
        = functional_call(self.lstm, {"weight_hh_l0": thin}, (word, state))⏎    steps.append(out) \
        ⏎return torch.cat(steps, 1), state
    You drop other weights at every step. One mask holds for all steps of a call: draw it before the
    LSTM starts.
always one half: functional.dropout(whole, self.p) -> functional.dropout(whole, 0.5)
    Your share is always one half. It is p.
noise in place of a mask: functional.dropout(whole, self.p) \
        -> whole * (1 + torch.randn_like(whole) * (self.p / (1 - self.p)) ** 0.5)
    You multiply the weights by noise. A share p of them is 0 in a call.
numbers exchanged unseen by autograd: thin = functional.dropout(whole, self.p) \
        -> full = whole.data \
        && return functional_call(self.lstm, {"weight_hh_l0": thin}, (x, state)) \
        -> whole.data = functional.dropout(full, self.p)⏎came = self.lstm(x, state) \
        ⏎whole.data = full⏎return came
    You exchange the numbers unseen by autograd, with `.data`: dropped weights get a gradient as if
    they had been there. Lend the LSTM a thinned tensor that autograd has followed.
--- hint 3
more than the recurrent matrix: {"weight_hh_l0": thin} -> {"weight_hh_l0": thin, \
        "weight_ih_l0": functional.dropout(self.lstm.weight_ih_l0, self.p)}
    You thin more than the recurrent matrix. Only that, `weight_hh_l0`, loses weights.
the gradient is cut off: functional.dropout(whole, -> functional.dropout(whole.detach(),
    No gradient reaches the recurrent matrix, so it would stay as it was drawn. Leave out
    `.detach()`, `.data` and `nn.Parameter(...)` round the thinned copy.
the whole matrix is thinned: return functional_call(self.lstm, {"weight_hh_l0": thin}, (x, state)) \
        -> whole.data = thin.data⏎return self.lstm(x, state)
    You write the thinned matrix over the whole one, so what was dropped is gone for good. Leave the
    LSTM's matrix as it is, and lend it another for one call.
not scaled: functional.dropout(whole, self.p) \
        -> whole * torch.bernoulli(torch.full_like(whole, 1 - self.p))
    The weights that are kept are not made larger. Divide them by 1 - p, as `functional.dropout`
    does: then the whole matrix is right in evaluation.
divided by p: functional.dropout(whole, self.p) \
        -> functional.dropout(whole, self.p) * (1 - self.p) / self.p
    You divide the kept weights by p, the share that is dropped. Divide by the share that is kept,
    1 - p.
scaled in evaluation, not in training: functional.dropout(whole, self.p) \
        -> whole * torch.bernoulli(torch.full_like(whole, 1 - self.p)) \
        && return self.lstm(x, state) -> return functional_call(self.lstm, \
        {"weight_hh_l0": self.lstm.weight_hh_l0 * (1 - self.p)}, (x, state))
    You make all weights smaller in evaluation, and the kept ones no larger in training. In
    evaluation it is the LSTM itself: divide the kept weights by 1 - p in training.
multiplied by 1 - p: functional.dropout(whole, self.p) \
        -> functional.dropout(whole, self.p) * (1 - self.p) ** 2
    You make the kept weights smaller. They are divided by 1 - p.
p is kept: functional.dropout(whole, self.p) -> functional.dropout(whole, 1 - self.p)
    You keep a share p of the weights. p is the share that is dropped.
every call drops the same weights: self.p = p \
        -> self.p = p⏎self.mask = functional.dropout(torch.ones_like(lstm.weight_hh_l0), p) \
        && functional.dropout(whole, self.p) -> whole * self.mask
the same weights at each call: whole: Any = -> torch.manual_seed(0)⏎whole: Any =
    Every call drops the same weights: that is a smaller network. Draw at each call, and set no
    seed.
the state is not handed on: every (x, state) -> (x)
    The state that comes in is never used. Hand it on to the LSTM.
the state is not handed on in evaluation: return self.lstm(x, state) -> return self.lstm(x)
    The state that comes in is never used in evaluation. Hand it on to the LSTM.
the state is not handed on in training: {"weight_hh_l0": thin}, (x, state) \
        -> {"weight_hh_l0": thin}, (x,)
    The state that comes in is never used in training. Hand it on to the LSTM.
--- no hint
no gradient comes back to x: every (x, state) -> (x.detach(), state)
no gradient comes back to x in training: {"weight_hh_l0": thin}, (x, state) \
        -> {"weight_hh_l0": thin}, (x.detach(), state)
    No gradient comes back to x, so nothing below your module learns. Leave out `.detach()`.
no gradient comes back to the state that came in: every (x, state) \
        -> (x, state and (state[0].detach(), state[1].detach()))
no gradient comes back to the state that came in, in training: {"weight_hh_l0": thin}, (x, state) \
        -> {"weight_hh_l0": thin}, (x, state and (state[0].detach(), state[1].detach()))
    No gradient comes back to the state that came in. An LSTM leaves it to its caller to cut the
    past off: leave out `.detach()`.
no gradient comes from the state that is returned: return self.lstm(x, state) \
        -> out, (h, c) = self.lstm(x, state)⏎return out, (h.detach(), c.detach()) \
        && return functional_call(self.lstm, {"weight_hh_l0": thin}, (x, state)) \
        -> out, (h, c) = functional_call(self.lstm, {"weight_hh_l0": thin}, (x, state)) \
        ⏎return out, (h.detach(), c.detach())
    No gradient comes back from the state that you return. An LSTM leaves it to its caller to cut
    the past off: leave out `.detach()`.
"""

EXERCISE = Exercise(
    id="WeightDrop",
    title="Weight drop that lives through everything",
    lesson=LESSON,
    points=5,
    difficulty=4,
    importance=5,
    minutes=15,
    reference=WeightDrop,
    run=drawn_alike(live),
    cases=(
        Case("evaluation", _life("evaluation", 0.4)),
        Case("training", _life("training", 0.4), weight=2),
        Case("most weights dropped", _life("training", 0.8)),
        Case("what is kept is made larger", _life("scale", 0.4)),
        Case(
            "training, evaluation, training, a copy, a file, an optimiser",
            _life("life", 0.5),
            weight=2,
        ),
    ),
    mistakes=(
        *slips(_Natural, SLIPS),
        Mistake("as published with the paper", _AsPublished, PUBLISHED, hint=3),
        Mistake("a tensor of a call is kept in the module", _Parametrised, NOT_COPIED, hint=1),
    ),
    right_answers={
        "functional_call": _Natural,
        "a dropout module": _WithModule,
        "step by step": _StepByStep,
    },
)
