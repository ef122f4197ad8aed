"""Exercise `LSTM`: one layer from its gates, over a batch of sequences."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, as_tensors, plain
from autograde.checking.differentiable import lengths_of, slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.attention.filled import filled, shapes_of, weighted_sum
from autograde.exercises.context_enters import LESSON
from elmo_mini.models import lstm_language_model

State = tuple[Tensor, Tensor]
TWO_THINGS = "Return two things, the states and the last pair: `return states, (h, c)`."
BIT_BY_BIT = (
    "Your LSTM remembers one text while it reads the next: called twice with the same words, it "
    "gives other states. Begin each call from the state that it is given."
)


class _Sealed(nn.Module):
    """PyTorch's own cell with the weights of `gates`."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.inputs = inputs
        self.gates = nn.Linear(inputs + hidden, 4 * hidden)

    def forward(self, x: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        hidden = self.gates.out_features // 4
        h, c = state if state is not None else x.new_zeros(2, x.size(0), hidden)
        weight, bias = self.gates.weight, self.gates.bias
        outputs = x.new_empty(x.size(0), 0, hidden)
        for t in range(x.size(1)):
            h, c = torch.lstm_cell(
                x[:, t],
                (h, c),
                weight[:, : self.inputs],
                weight[:, self.inputs :],
                bias,
                torch.zeros_like(bias),
            )
            outputs = torch.cat([outputs, h[:, None]], 1)
        return outputs, (h, c)


@Case.drawn
def _sequences(
    rng: Random, batch: int, steps: int, inputs: int, hidden: int, *, carried: bool = False
) -> Inputs:
    state = rng.standard_normal((2, batch, hidden)).astype(np.float32)
    return {
        "inputs": inputs,
        "hidden": hidden,
        "seed": int(rng.integers(1_000_000)),
        "x": rng.standard_normal((batch, steps, inputs)).astype(np.float32),
        "state": state if carried else None,
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """States, the last pair, and what the states teach: weights, words and the carried state."""
    sizes = inputs["inputs"], inputs["hidden"]
    model = filled(
        answer(*sizes), shapes_of(lstm_language_model.LSTM(*sizes)), inputs["seed"], "LSTM"
    )
    x = as_tensors(inputs["x"]).requires_grad_()
    state = None
    if inputs["state"] is not None:
        h, c = as_tensors(inputs["state"])
        state = h.requires_grad_(), c.requires_grad_()
    states, (h, c) = _two(model(x, state))
    total = weighted_sum(states, h, c)
    leaves = {"x": x} | (dict(zip(("h", "c"), state, strict=True)) if state else {})
    found = slopes(total, leaves | dict(model.named_parameters()))
    with torch.no_grad():
        again = _two(model(x, state))[0]
    if again.shape == states.shape and not torch.allclose(again, states, atol=1e-4):
        raise AnswerRefused(BIT_BY_BIT)
    return {
        "states": plain(states),
        "last h": plain(h),
        "last c": plain(c),
        "the gradient that comes back": lengths_of(found),
    }


def _two(came: Any) -> tuple[Tensor, State]:
    if not isinstance(came, tuple | list) or len(came) != 2:
        raise AnswerRefused(TWO_THINGS)
    states, last = came
    if isinstance(states, list | tuple):
        raise AnswerRefused(
            "Your states are a list. Make one tensor (B, T, H) of them: `torch.stack(states, 1)`."
        )
    if isinstance(last, Tensor) and last.ndim == 3 and len(last) == 2:
        last = tuple(last)
    if not isinstance(last, tuple | list) or len(last) != 2:
        raise AnswerRefused("The second thing is the last pair, `(h, c)`, each (B, H).")
    if not all(isinstance(part, Tensor) for part in (states, *last)):
        raise AnswerRefused("Stay with tensors: the network learns through the states.")
    return states, (last[0], last[1])


SLIPS = """
--- hint 2
{gate} and {other} change places: i, f, g, o = -> {order} = \
        | gate other order = input forget f,i,g,o, candidate output i,f,o,g
    You take the four blocks in another order. Here, and in PyTorch, it is i, f, g, o.
the order of ELMo's files: i, f, g, o = -> i, g, f, o =
    You take the blocks in the order i, g, f, o. Here, and in PyTorch, it is i, f, g, o.
every fourth number: .chunk(4, -1) -> .unflatten(-1, (-1, 4)).unbind(-1)
    You deal the numbers out in turn, so that each block gets every fourth one. The blocks stand
    one after the other, H numbers each: `.chunk(4, -1)`.
h before x: [x_t, h] -> [h, x_t]
    You put h in front of x. `self.gates` reads x first, then h.
the state is not read: [x_t, h] -> [x_t, torch.zeros_like(h)]
    Your gates never see the h of the word before: `torch.cat([x_t, h], -1)`.
the word is not read: [x_t, h] -> [torch.zeros_like(x_t), h]
    Your gates never see the word: `torch.cat([x_t, h], -1)`.
three blocks: 4 * hidden -> 3 * hidden
    There are four blocks: three gates and the candidate. `self.gates` gives 4 H numbers.
the cells in place of the states: states.append(h) -> states.append(c)
    You collect c, the private notes. The states are what is shown: h.
time first: torch.stack(states, 1) -> torch.stack(states)
    Your states are (T, B, H). Here the sentences come first: `torch.stack(states, 1)`.
the last state alone: torch.stack(states, 1) -> h[:, None]
    You return the last state only. Return the state after *each* word, (B, T, H).
side by side: torch.stack(states, 1) -> torch.cat(states, -1)
    You put the states side by side, (B, T H). `torch.stack(states, 1)` gives them an axis.
it walks along the sentences: x.unbind(1) -> x.unbind(0) \
        && x.new_zeros(len(x), self.hidden), x.new_zeros(len(x), self.hidden) \
        -> x.new_zeros(x.shape[1], self.hidden), x.new_zeros(x.shape[1], self.hidden)
    You walk along axis 0, the sentences. Time is axis 1: `x.unbind(1)`.
from the right: x.unbind(1) -> x.flip(1).unbind(1)
    You read from the last word to the first. Read from the left.
a list of states: torch.stack(states, 1) -> states
    Your states are a list. Make one tensor (B, T, H) of them: `torch.stack(states, 1)`.
--- hint 3
the given state is not used: if state is None: -> if True:
    Your LSTM begins with zeros even when it is given a state. Zeros are for `state=None` alone.
it begins with ones: state = x.new_zeros(len(x), self.hidden), x.new_zeros(len(x), self.hidden) \
        -> state = x.new_ones(len(x), self.hidden), x.new_ones(len(x), self.hidden)
    Without a state yours begins with ones. It begins with zeros.
the given cell is not used: h, c = state -> h, c = state[0], torch.zeros_like(state[1])
    You begin from the given h, and your cell begins with zeros. Take both from `state`.
h and c change places: h, c = state -> c, h = state
    You take the given pair as (c, h). It is (h, c).
the last pair the wrong way round: (h, c) -> (c, h)
    You return the pair (c, h). It is (h, c), as it is given.
the states before the words: states.append(h) -> pass && i, f, g, o = -> states.append(h) \
        ⏎i, f, g, o =
    Your first state has read nothing, and the last word is missing. Append h *after* the word has
    been read.
h never changes: h = o.sigmoid() * c.tanh() -> pass
    Your h stays what it was. It is made anew at each word: `o.sigmoid() * c.tanh()`.
h from the old c: c = f.sigmoid() * c + -> old, c = c, f.sigmoid() * c + \
        && * c.tanh() -> * old.tanh()
    Your h shows the notes from before this word. Make the new c first, and h from it.
--- no hint
without bias: nn.Linear(inputs + hidden, 4 * hidden) \
        -> nn.Linear(inputs + hidden, 4 * hidden, bias=False)
    `self.gates` has no bias. Leave out `bias=False`.
--- hint 3
a sigmoid before the candidate's tanh: g.tanh() -> g.sigmoid().tanh()
    Your candidate goes through a sigmoid and then a tanh. It goes through the tanh alone; the three
    gates have the sigmoid.
the cell itself is squashed: c = f.sigmoid() * c + i.sigmoid() * g.tanh() \
        -> c = (f.sigmoid() * c + i.sigmoid() * g.tanh()).tanh() && o.sigmoid() * c.tanh() \
        -> o.sigmoid() * c
    You put the cell itself through the tanh, so it is squashed anew in each step. Only what is
    shown goes through it: h = o * tanh(c).
a sigmoid for the candidate: g.tanh() -> g.sigmoid()
    The candidate g goes through a sigmoid in yours, so notes can only grow. It goes through a tanh.
the candidate as it is: g.tanh() -> g
    The candidate g is written down as it is. It goes through a tanh first.
the {gate} gate without its sigmoid: {letter}.sigmoid() -> {letter} \
        | gate letter = input i, forget f, output o
    Your {gate} gate is used as it is. A gate lies between 0 and 1: `{letter}.sigmoid()`.
a tanh for the {gate} gate: {letter}.sigmoid() -> {letter}.tanh() \
        | gate letter = input i, forget f, output o
    Your {gate} gate goes through a tanh. A gate lies between 0 and 1: `{letter}.sigmoid()`.
nothing is forgotten: f.sigmoid() * c -> c
    The old c is kept whole. Multiply it by the forget gate.
the old notes are lost: f.sigmoid() * c + ->
    Your c holds the new note only. Add it to what the forget gate leaves of the old c.
no new notes: c = f.sigmoid() * c + i.sigmoid() * g.tanh() -> c = f.sigmoid() * c
    Nothing new is written down. Add `i.sigmoid() * g.tanh()`.
no input gate: i.sigmoid() * g.tanh() -> g.tanh()
    The input gate is never used. It decides how much of the candidate is written down.
what is forgotten is written down: i.sigmoid() * -> (1 - f.sigmoid()) *
    You write down as much as is forgotten. The input gate has numbers of its own: `i.sigmoid()`.
forgotten is what is not written down: f.sigmoid() * c -> (1 - i.sigmoid()) * c
    You keep 1 - i of c, as a GRU does. An LSTM has a gate of its own for that, f.
the wrong way to forget: f.sigmoid() * c -> (1 - f.sigmoid()) * c
    You multiply c by 1 minus the gate. The gate says what is *kept*: `f.sigmoid() * c`.
the new note is subtracted: * c + i -> * c - i
    You subtract the new note. It is added.
the 1 of lesson 07: f.sigmoid() -> (f + 1).sigmoid()
    You add 1 to the forget gate. ELMo does; here the gate is `f.sigmoid()`.
{other} in place of the {gate} gate: {letter}.sigmoid() -> {block}.sigmoid() \
        | other gate letter block = f input i f, o input i o, i forget f i, o forget f o, \
        i output o i, f output o f
    Your {gate} gate is made of {other}. It is `{letter}.sigmoid()`.
{other} in place of the candidate: g.tanh() -> {other}.tanh() | other = i, f, o
    Your candidate is made of {other}. It is `g.tanh()`.
the candidate is never used: i.sigmoid() * g.tanh() -> i.sigmoid()
    You write down the input gate itself. It decides how much of the candidate is written down:
    `i.sigmoid() * g.tanh()`.
c is never shown: o.sigmoid() * c.tanh() -> o.sigmoid()
    Your h is the output gate itself. It decides how much of c is shown: `o.sigmoid() * c.tanh()`.
no output gate: o.sigmoid() * c.tanh() -> c.tanh()
    The output gate is never used. It decides how much of c is shown.
c without tanh on its way out: * c.tanh() -> * c
    On its way to h, c goes through a tanh: `o.sigmoid() * c.tanh()`.
the output gate on c as well: o.sigmoid() * c.tanh() -> (o.sigmoid() * c).tanh()
    You multiply c by the gate before the tanh. First the tanh, then the gate.
a batch of one: x.new_zeros(len(x), self.hidden), x.new_zeros(len(x), self.hidden) \
        -> x.new_zeros(1, self.hidden), x.new_zeros(1, self.hidden)
    Your zeros are for one sentence. They are (B, `hidden`): `x.new_zeros(len(x), self.hidden)`.
only {part} is cut off at each step: states.append(h) -> states.append(h)⏎{part} = {part}.detach() \
        | part = h, c
    You detach `{part}` from word to word, so less is learnt from what stands before. Detach nothing
    here.
cut off at each step: states.append(h) -> states.append(h)⏎h, c = h.detach(), c.detach()
    The numbers are right, and nothing is learnt from the words before: you detach the state at each
    step. It is cut off between windows, and the loop does that.
the states are cut off: torch.stack(states, 1) -> torch.stack(states, 1).detach()
    The numbers are right, and nothing can be learnt through the states. Leave out `.detach()`.
the given state is cut off: h, c = state -> h, c = state[0].detach(), state[1].detach()
    You detach the state that comes in. Whoever calls decides about that: leave it out here.
the last pair is cut off: (h, c) -> (h.detach(), c.detach())
    You detach the last pair. Whoever carries it on decides about that: leave it out here.
"""

EXERCISE = Exercise(
    id="LSTM",
    title="An LSTM from its gates",
    lesson=LESSON,
    points=5,
    difficulty=4,
    importance=5,
    minutes=18,
    reference=lstm_language_model.LSTM,
    run=_run,
    cases=(
        Case("one sentence of one word", _sequences(1, 1, 2, 3)),
        Case("three sentences of four words", _sequences(3, 4, 2, 6), weight=2),
        Case("it goes on from a state", _sequences(2, 5, 3, 3, carried=True), weight=2),
        Case("as many sentences as words", _sequences(4, 4, 4, 4, carried=True), edge=True),
    ),
    mistakes=slips(lstm_language_model.LSTM, SLIPS),
    right_answers={"PyTorch's own cell": _Sealed},
)
