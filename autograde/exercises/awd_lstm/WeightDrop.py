"""Exercise `WeightDrop`: an LSTM that loses recurrent weights in training, and only there."""

import copy
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn import functional
from torch.nn.utils import parametrize

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.awd_lstm import LESSON
from autograde.exercises.awd_lstm.masks import share_near
from elmo_mini.awd_lstm.weight_drop import WeightDropLSTM

State = tuple[Tensor, Tensor]
PUBLISHED = (
    "After an evaluation your module cannot train again: `weight_hh_l0` has become a parameter, "
    "and a plain tensor cannot take its place. The code published with the paper fails in the same "
    "way. Leave the LSTM's own matrix where it is, and lend the LSTM another for one call."
)
NOT_COPIED = (
    "Your module cannot be copied after a call in training: it holds a tensor that autograd still "
    "needs. Keep nothing of a call in the module or its LSTM."
)


def WeightDrop(lstm: nn.LSTM, p: float) -> nn.Module:  # noqa: N802
    """The course's own, round an LSTM that is already there."""
    made = WeightDropLSTM(lstm.input_size, lstm.hidden_size, p)
    made.lstm = lstm
    return made


def _lstm(seed: int, inputs: int, hidden: int) -> nn.LSTM:
    generator = torch.Generator().manual_seed(seed)
    lstm = nn.LSTM(inputs, hidden, batch_first=True)
    with torch.no_grad():
        for parameter in lstm.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.5)
    return lstm


def _made(answer: Answer, lstm: nn.LSTM, p: float) -> nn.Module:
    module = answer(lstm, p)
    if not isinstance(module, nn.Module):
        raise AnswerRefused(
            "`WeightDrop(lstm, p)` should give a module of PyTorch. Keep the first line, "
            "`class WeightDrop(nn.Module):`."
        )
    return module


def _called(module: nn.Module, x: Tensor, state: State | None = None) -> tuple[Tensor, State]:
    try:
        came = module(x, state)
    except TypeError as error:
        if "as parameter 'weight_hh_l0'" not in str(error):
            raise
        raise AnswerRefused(PUBLISHED) from error
    if not (isinstance(came, tuple | list) and len(came) == 2 and isinstance(came[0], Tensor)):
        raise AnswerRefused(
            "Return what an `nn.LSTM` returns: the outputs (B, T, H), and the pair (h, c)."
        )
    return came[0], came[1]


def _recurrent(module: nn.Module, shape: tuple[int, ...]) -> nn.Parameter:
    """The one parameter of this shape; the sizes are chosen so that no other has it."""
    found = [p for p in module.parameters() if p.shape == shape]
    if len(found) != 1:
        raise AnswerRefused(
            f"Your module has {len(found)} parameters of the recurrent matrix's shape, "
            f"{shape}. It has one: what is trained and saved is the whole matrix."
        )
    return found[0]


def _run(answer: Answer, inputs: Inputs) -> Plain:
    return _LIVES[inputs["life"]](answer, inputs)


def _in_evaluation(answer: Answer, inputs: Inputs) -> Plain:
    lstm = _lstm(inputs["seed"], 3, 6)
    x = torch.from_numpy(inputs["x"].copy())
    state = (torch.full((1, len(x), 6), 0.3), torch.full((1, len(x), 6), -0.2))
    module = _made(answer, lstm, inputs["p"]).eval()
    told: dict[str, Any] = {}
    for name, start in (("from zeros", None), ("from a state", state)):
        outputs, (h, c) = _called(module, x, start)
        told |= {f"outputs {name}": plain(outputs), f"h {name}": plain(h), f"c {name}": plain(c)}
    return told


def _in_training(answer: Answer, inputs: Inputs) -> Plain:
    """How the outputs move from call to call, and which weights get a gradient."""
    p, hidden = inputs["p"], 24
    lstm = _lstm(inputs["seed"], 3, hidden)
    before = lstm.weight_hh_l0.detach().clone()
    x = torch.from_numpy(inputs["x"].copy())
    module = _made(answer, lstm, p)
    module.eval()
    whole = _called(module, x)[0].detach()
    module.train()
    first, second = (_called(module, x)[0] for _ in range(2))
    matrix = _recurrent(module, tuple(before.shape))
    state = (torch.full((1, len(x), hidden), 0.5), torch.zeros(1, len(x), hidden))
    reached = []
    for _ in range(2):
        found = torch.autograd.grad(
            _called(module, x[:, :1], state)[0].sum(), matrix, allow_unused=True
        )[0]
        if found is None:
            raise AnswerRefused(
                "No gradient reaches the recurrent matrix, so it would stay as it was drawn. "
                "Leave out `.detach()`, `.data` and `nn.Parameter(...)` round the thinned copy."
            )
        reached.append((found != 0).numpy())
    rows = reached[0].reshape(4, hidden, hidden)
    return {
        "the first step is that of the whole LSTM": bool(
            torch.allclose(first[:, 0], whole[:, 0], atol=1e-5)
        ),
        "later steps are that of the whole LSTM": bool(
            torch.allclose(first[:, 1:], whole[:, 1:], atol=1e-5)
        ),
        "two calls give the same": bool(torch.allclose(first, second, atol=1e-6)),
        "the whole matrix is unchanged": bool(torch.equal(matrix.detach(), before)),
        "share of weights without a gradient": share_near(1 - float(reached[0].mean()), p),
        "two calls drop the same weights": bool((reached[0] == reached[1]).all()),
        "a row or a column is dropped whole": bool(
            (rows.mean(2) == 0).any() or (rows.mean((0, 1)) == 0).any()
        ),
    }


def _scaled(answer: Answer, inputs: Inputs) -> Plain:
    """With one unit there are few possible states; the largest shows how weights are scaled."""
    lstm = nn.LSTM(2, 1, batch_first=True)
    with torch.no_grad():
        for parameter in lstm.parameters():
            parameter.zero_()
        lstm.weight_hh_l0.fill_(inputs["weight"])
    module = _made(answer, lstm, inputs["p"]).train()
    state = (torch.ones(1, 80, 1), torch.zeros(1, 80, 1))
    found = [float(_called(module, torch.zeros(80, 1, 2), state)[1][1].max()) for _ in range(150)]
    return {"the largest new note of 150 calls": max(found)}


def _a_life(answer: Answer, inputs: Inputs) -> Plain:
    """Training, evaluation, training again; a copy; a file; a step of an optimiser."""
    lstm = _lstm(inputs["seed"], 3, 6)
    x = torch.from_numpy(inputs["x"].copy())
    module = _made(answer, lstm, inputs["p"])
    module.train()
    _called(module, x)[0].sum().backward()
    module.eval()
    first = _called(module, x)[0].detach()
    module.train()
    again = [_called(module, x)[0].detach() for _ in range(4)]
    module.eval()
    told: dict[str, Any] = {
        "evaluation after training again": bool(torch.allclose(_called(module, x)[0], first)),
        "training after an evaluation still drops": bool(
            any(not torch.allclose(a, again[0]) for a in again)
        ),
    }
    try:
        twin = copy.deepcopy(module.train())
    except RuntimeError as error:
        if "deepcopy" not in str(error):
            raise
        raise AnswerRefused(NOT_COPIED) from error
    module.eval()
    with torch.no_grad():
        _recurrent(twin, (24, 6)).add_(1.0)
    told["a copy has weights of its own"] = bool(torch.allclose(_called(module, x)[0], first))
    other = _made(answer, _lstm(inputs["seed"] + 1, 3, 6), inputs["p"])
    other.load_state_dict(module.state_dict())
    told["a loaded one gives the same"] = bool(torch.allclose(_called(other.eval(), x)[0], first))
    module.train()
    matrix = _recurrent(module, (24, 6))
    step = torch.optim.SGD([matrix], lr=1.0)
    step.zero_grad()
    _called(module, x)[0].square().sum().backward()
    step.step()
    moved = _called(module.eval(), x)[0].detach()
    told["a step of the optimiser changes what the LSTM does"] = not torch.allclose(moved, first)
    return told


_LIVES = {
    "evaluation": _in_evaluation,
    "training": _in_training,
    "scale": _scaled,
    "life": _a_life,
}


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
        whole = self.lstm.weight_hh_l0
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


class _StepByStep(nn.Module):
    def __init__(self, lstm: nn.LSTM, p: float) -> None:
        super().__init__()
        self.lstm, self.p = lstm, p

    def forward(self, x: Tensor, state: State | None = None) -> Any:
        """As an LSTM, one word after the other."""
        of = self.lstm
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
        raw = lstm.weight_hh_l0
        del lstm._parameters["weight_hh_l0"]
        lstm.register_parameter("weight_hh_l0_raw", nn.Parameter(raw.detach().clone()))

    def forward(self, x: Tensor, state: State | None = None) -> Any:
        """As an LSTM."""
        thin = functional.dropout(self.lstm.weight_hh_l0_raw, self.p, self.training)
        self.lstm.weight_hh_l0 = thin
        return self.lstm(x, state)


class _MaskAtTheStart(nn.Module):
    def __init__(self, lstm: nn.LSTM, p: float) -> None:
        super().__init__()
        self.lstm = lstm
        self.register_buffer("mask", functional.dropout(torch.ones_like(lstm.weight_hh_l0), p))

    def forward(self, x: Tensor, state: State | None = None) -> Any:
        """As an LSTM."""
        if not self.training:
            return self.lstm(x, state)
        thin = self.lstm.weight_hh_l0 * self.mask
        return functional_call(self.lstm, {"weight_hh_l0": thin}, (x, state))


SLIPS = """
--- hint 1
dropped in evaluation, too: if not self.training -> if False
    In evaluation, too, weights are dropped. Ask `self.training`: in evaluation the LSTM has its
    whole matrix.
dropped in evaluation only: if not self.training -> if self.training
    You drop weights in evaluation and none in training. It is the other way round.
never dropped: if not self.training -> if True
    No weight is ever dropped. In training the LSTM gets a thinned copy of its matrix.
the outputs are dropped: functional_call(self.lstm, {"weight_hh_l0": thin}, (x, state)) \
        -> (functional.dropout(self.lstm(x, state)[0], self.p), self.lstm(x, state)[1])
    You drop numbers of the outputs. Weight drop takes weights out of the recurrent matrix and
    leaves the states alone.
the inputs are dropped: functional_call(self.lstm, {"weight_hh_l0": thin}, (x, state)) \
        -> self.lstm(functional.dropout(x, self.p), state)
    You drop numbers of the inputs. Weight drop takes weights out of the recurrent matrix.
--- hint 2
the matrix of the inputs: every weight_hh_l0 -> weight_ih_l0
    You thin the matrix through which words come in, `weight_ih_l0`. The recurrent one, between
    state and state, is `weight_hh_l0`.
both matrices: {"weight_hh_l0": thin} -> {"weight_hh_l0": thin, \
        "weight_ih_l0": functional.dropout(self.lstm.weight_ih_l0, self.p)}
    You thin both matrices. Only the recurrent one, `weight_hh_l0`, loses weights.
whole rows: functional.dropout(whole, self.p) \
        -> whole * functional.dropout(torch.ones(len(whole), 1), self.p)
    You drop whole rows of the matrix. Each weight is dropped on its own.
whole columns: functional.dropout(whole, self.p) \
        -> whole * functional.dropout(torch.ones(1, whole.shape[1]), self.p)
    You drop whole columns: units of the state. Each weight is dropped on its own.
--- hint 3
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
multiplied by 1 - p: functional.dropout(whole, self.p) \
        -> functional.dropout(whole, self.p) * (1 - self.p) ** 2
    You make the kept weights smaller. They are divided by 1 - p.
p is kept: functional.dropout(whole, self.p) -> functional.dropout(whole, 1 - self.p)
    You keep a share p of the weights. p is the share that is dropped.
the same weights at each call: whole = -> torch.manual_seed(0)⏎whole =
    Every call drops the same weights, because you set the seed. Leave that to whoever starts the
    run.
the state is not handed on: every (x, state) -> (x)
    The state that comes in is never used. Hand it on to the LSTM.
"""

EXERCISE = Exercise(
    id="WeightDrop",
    title="Weight drop that lives through everything",
    lesson=LESSON,
    points=5,
    difficulty=5,
    importance=5,
    minutes=25,
    reference=WeightDrop,
    run=_run,
    cases=(
        Case("evaluation", _life("evaluation", 0.4)),
        Case("training", _life("training", 0.4), weight=2),
        Case("most weights dropped", _life("training", 0.8)),
        Case("what is kept is made larger", _life("scale", 0.5)),
        Case(
            "training, evaluation, training, a copy, a file, an optimiser",
            _life("life", 0.5),
            weight=2,
        ),
    ),
    mistakes=(
        *slips(_Natural, SLIPS),
        Mistake("as published with the paper", _AsPublished, PUBLISHED, hint=3),
        Mistake(
            "one mask for good",
            _MaskAtTheStart,
            "You draw the mask once, when the module is made, so the same weights are missing for "
            "ever: that is a smaller network. Draw at each call.",
            hint=3,
        ),
    ),
    right_answers={
        "functional_call": _Natural,
        "a parametrization": _Parametrised,
        "step by step": _StepByStep,
    },
)
