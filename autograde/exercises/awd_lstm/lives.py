"""What the check of `WeightDrop` puts a module through: evaluation, training, and a whole life."""

import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain
from autograde.checking.differentiable import lengths_of, slopes
from autograde.checking.exercise import Inputs
from autograde.exercises.attention.filled import weighted_sum
from autograde.exercises.awd_lstm.masks import FAR, share_near

State = tuple[Tensor, Tensor]
MANY = 0.1  # of the rows; by chance there are hardly any
CALLS = 60
PUBLISHED = (
    "After an evaluation your module cannot train again: `weight_hh_l0` has become a parameter, "
    "and a plain tensor cannot take its place. The code published with the paper fails in the same "
    "way. Leave the LSTM's own matrix where it is, and lend the LSTM another for one call."
)
IN_EVALUATION = (
    "In evaluation your outputs change from call to call: weights are dropped there. Ask "
    "`self.training`: in evaluation the LSTM has its whole matrix."
)
THINNED = (
    "You write the thinned matrix over the whole one, so what was dropped is gone for good. Leave "
    "the LSTM's matrix as it is, and lend it another for one call."
)
DRAWN_ANEW = (
    "The recurrent matrix of your module is not that of the LSTM it was given. Keep that one as it "
    "is: `self.lstm = lstm`."
)
NO_STATE = "The state that comes in is never used in training. Hand it on to the LSTM."
KEPT = (
    "You keep the thinned matrix in the module. In evaluation nothing is dropped, so it is the "
    "whole matrix itself, and the module takes that for a parameter of its own. Keep nothing of a "
    "call."
)
NOT_COPIED = (
    "Your module cannot be copied after a call in training: it holds a tensor that autograd still "
    "needs. Keep nothing of a call in the module or its LSTM."
)


IN_PLACE = (
    "You change numbers of the matrix while autograd still needs them. Leave the LSTM's matrix as "
    "it is, and lend the LSTM a thinned copy for one call."
)


def _lstm(seed: int, inputs: int, hidden: int) -> nn.LSTM:
    generator = torch.Generator().manual_seed(seed)
    lstm = nn.LSTM(inputs, hidden, batch_first=True)
    with torch.no_grad():
        for parameter in lstm.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.5)
    return lstm


def _made(answer: Answer, lstm: nn.LSTM, p: float) -> nn.Module:
    given = dict(lstm.named_parameters())["weight_hh_l0"].detach().clone()
    module = answer(lstm, p)
    if not isinstance(module, nn.Module):
        raise AnswerRefused(
            "`WeightDrop(lstm, p)` should give a module of PyTorch. Keep the first line, "
            "`class WeightDrop(nn.Module):`."
        )
    if not torch.equal(_recurrent(module, tuple(given.shape)), given):
        raise AnswerRefused(DRAWN_ANEW)
    return module


def _called(module: nn.Module, x: Tensor, state: State | None = None) -> tuple[Tensor, State]:
    try:
        came = module(x, state)
    except TypeError as error:
        if "as parameter 'weight_hh_l0'" in str(error):
            raise AnswerRefused(PUBLISHED) from error
        if "as parameter '" in str(error):
            raise AnswerRefused(KEPT) from error
        raise
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
            f"{shape}. There is to be one, `lstm.weight_hh_l0` itself: it is trained and saved."
        )
    return found[0]


def live(answer: Answer, inputs: Inputs) -> Plain:
    """What one part of its life shows of an answer; ``inputs["life"]`` says which."""
    try:
        return _LIVES[inputs["life"]](answer, inputs)
    except RuntimeError as error:
        if "by an inplace operation" not in str(error):
            raise
        raise AnswerRefused(IN_PLACE) from error


def _in_evaluation(answer: Answer, inputs: Inputs) -> Plain:
    lstm = _lstm(inputs["seed"], 3, 6)
    x = torch.from_numpy(inputs["x"].copy()).requires_grad_()
    state = _state(len(x), 6, 0.3, -0.2)
    module = _made(answer, lstm, inputs["p"]).eval()
    if not torch.equal(_called(module, x)[0], _called(module, x)[0]):
        raise AnswerRefused(IN_EVALUATION)
    told: dict[str, Any] = {}
    for name, start in (("from zeros", None), ("from a state", state)):
        outputs, (h, c) = _called(module, x, start)
        told |= {f"outputs {name}": plain(outputs), f"h {name}": plain(h), f"c {name}": plain(c)}
    leaves = _leaves(x, state)
    return told | lengths_of(slopes(weighted_sum(outputs, h, c), leaves))


def _state(rows: int, hidden: int, h: float, c: float) -> State:
    """A state (1, B, H) each, as a window before has left it."""
    one, other = (torch.full((1, rows, hidden), value).requires_grad_() for value in (h, c))
    return one, other


def _leaves(x: Tensor, state: State) -> dict[str, Tensor]:
    return {"x": x, "h": state[0], "c": state[1]}


def _in_training(answer: Answer, inputs: Inputs) -> Plain:
    """How the outputs move from call to call, and which weights get a gradient."""
    p, hidden = inputs["p"], 24
    lstm = _lstm(inputs["seed"], 3, hidden)
    before = dict(lstm.named_parameters())["weight_hh_l0"].detach().clone()
    x = torch.from_numpy(inputs["x"].copy()).requires_grad_()
    module = _made(answer, lstm, p)
    module.eval()
    whole = _called(module, x)[0].detach()
    module.train()
    first, second = (_called(module, x)[0] for _ in range(2))
    matrix = _recurrent(module, tuple(before.shape))
    if not torch.equal(matrix, before):
        raise AnswerRefused(THINNED)
    state = _state(len(x), hidden, 0.5, 1.0)
    reached = []
    for window in (x[:, :1], x[:, :1], x):
        found = torch.autograd.grad(
            _called(module, window, state)[0].sum(), matrix, allow_unused=True
        )[0]
        if found is None:
            raise AnswerRefused(
                "No gradient reaches the recurrent matrix, so it would stay as it was drawn. "
                "Leave out `.detach()`, `.data` and `nn.Parameter(...)` round the thinned copy."
            )
        if not bool(found.any()):
            raise AnswerRefused(NO_STATE)
        reached.append((found != 0).numpy())
    told = {
        "the first step is that of the whole LSTM": bool(
            torch.allclose(first[:, 0], whole[:, 0], atol=1e-5)
        ),
        "the outputs are dropped": abs(float((first == 0).float().mean()) - p) < 2 * FAR,
        "two calls give the same": bool(torch.allclose(first, second, atol=1e-6)),
    }
    later = bool(torch.allclose(first[:, 1:], whole[:, 1:], atol=1e-5))
    told |= {"later steps are that of the whole LSTM": later}
    for index, name in enumerate(("the outputs", "h", "c")):
        outputs, (h, c) = _called(module, x, state)
        back = slopes((outputs, h, c)[index].sum(), _leaves(x, state))
        told[f"from {name} a gradient comes back to"] = [
            leaf for leaf, slope in back.items() if slope is not None
        ]
    # Where the outputs or other weights are dropped, the recurrent weights say nothing.
    sound = told["the first step is that of the whole LSTM"]
    return told | _as_it_should_be(p) | (_dropped(reached, p) if sound else {})


def _as_it_should_be(p: float) -> dict[str, Any]:
    return {
        "rows are dropped whole": False,
        "columns are dropped whole": False,
        "all gates lose the same weights": False,
        "share of weights that are dropped": p,
        "share that is dropped at every step of a call": p,
        "two calls drop the same weights": False,
    }


def _dropped(reached: list[NDArray[np.bool_]], p: float) -> dict[str, Any]:
    """Which weights (4 H, H) are dropped in one step, in the next call, and in a longer one."""
    once, again, longer = reached
    gates = once.reshape(4, -1, once.shape[1])
    by_row = bool((gates.mean(2) == 0).mean() > MANY)
    by_column = bool((gates.mean((0, 1)) == 0).mean() > MANY)
    if once.all():
        return {name: 0.0 for name in _as_it_should_be(p) if name.startswith("share")}
    if by_row or by_column:  # of them there are few: their share is left to chance
        return {"rows are dropped whole": by_row, "columns are dropped whole": by_column}
    return {
        "all gates lose the same weights": bool((gates == gates[:1]).all()),
        "share of weights that are dropped": share_near(1 - float(once.mean()), p),
        "share that is dropped at every step of a call": share_near(1 - float(longer.mean()), p),
        "two calls drop the same weights": bool((once == again).all()),
    }


def _scaled(answer: Answer, inputs: Inputs) -> Plain:
    """With one unit there are few possible states; the largest shows how weights are scaled."""
    lstm = nn.LSTM(2, 1, batch_first=True)
    with torch.no_grad():
        for parameter in lstm.parameters():
            parameter.zero_()
        dict(lstm.named_parameters())["weight_hh_l0"].fill_(inputs["weight"])
    module = _made(answer, lstm, inputs["p"]).train()
    state = (torch.ones(1, 3, 1), torch.zeros(1, 3, 1))
    found = []
    for _ in range(CALLS):
        found.append(float(_called(module, torch.zeros(3, 1, 2), state)[1][1].detach().max()))
        if abs(float(_recurrent(module, (4, 1)).detach().max()) - inputs["weight"]) > 1e-6:
            raise AnswerRefused(THINNED)
    return {
        "all calls give the same": max(found) == min(found),
        "the largest new note of many calls": max(found),
    }


def _a_life(answer: Answer, inputs: Inputs) -> Plain:
    """Training, evaluation, training again; a copy; a file; a step of an optimiser."""
    lstm = _lstm(inputs["seed"], 3, 6)
    x = torch.from_numpy(inputs["x"].copy())
    module = _made(answer, lstm, inputs["p"])
    module.train()
    before = _recurrent(module, (24, 6)).detach().clone()
    _called(module, x)[0].sum().backward()
    if not torch.equal(_recurrent(module, (24, 6)), before):
        raise AnswerRefused(THINNED)
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
    module.train()
    _called(module, x)
    try:
        twin = copy.deepcopy(module)
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
