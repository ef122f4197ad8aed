"""Exercise `LanguageModel`: an LSTM between two tables."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograde.checking.answers import Answer, AnswerRefused, Plain, as_tensors, plain
from autograde.checking.differentiable import lengths_of, slopes
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.attention.filled import filled, shapes_of, weighted_sum
from autograde.exercises.context_enters import LESSON
from elmo_mini.models.lstm_language_model import LSTM, LSTMState

Layer = Callable[[int, int], nn.Module]
PAIR = "`{name}` returns two things, {what} and the last pair: `return {short}, state`."


class LanguageModel(nn.Module):
    """Word vectors (V, D), an LSTM, and scores of all words."""

    def __init__(self, words: int, size: int, lstm: Layer) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, size)
        self.lstm = lstm(size, size)
        self.softmax = nn.Linear(size, words)

    def states(self, ids: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """The state after each word (B, T, D), and the last pair."""
        outputs, last = self.lstm(self.embedding(ids), state)
        return outputs, last

    def forward(self, ids: Tensor, state: LSTMState | None = None) -> tuple[Tensor, LSTMState]:
        """Scores of the next word (B, T, V), and the last pair."""
        outputs, last = self.states(ids, state)
        return self.softmax(outputs), last


class _Another(LSTM):
    """What `lstm(size, size)` makes: only who calls it has one."""


class _ByHand(nn.Module):
    """Rows of the table by their numbers, and the product written out."""

    def __init__(self, words: int, size: int, lstm: Layer) -> None:
        super().__init__()
        self.softmax = nn.Linear(size, words)
        self.embedding = nn.Embedding(words, size)
        self.lstm = lstm(size, size)

    def states(self, ids: Tensor, state: LSTMState | None = None) -> Any:
        return self.lstm(self.embedding.weight[ids], state)

    def forward(self, ids: Tensor, state: LSTMState | None = None) -> Any:
        found = self.states(ids, state)
        return functional.linear(found[0], self.softmax.weight, self.softmax.bias), found[1]


@Case.drawn
def _ids(rng: Random, batch: int, steps: int, *, size: int = 3, carried: bool = False) -> Inputs:
    state = rng.standard_normal((2, batch, size)).astype(np.float32)
    ids = rng.integers(0, 7, (batch, steps))
    ids[0, 0] = 6  # the last word
    return {
        "words": 7,
        "size": size,
        "seed": int(rng.integers(1_000_000)),
        "ids": ids,
        "state": state if carried else None,
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """States, scores and last pairs of both methods, and what the scores teach."""
    sizes = inputs["words"], inputs["size"]
    model = filled(
        answer(*sizes, _Another),
        shapes_of(LanguageModel(*sizes, LSTM)),
        inputs["seed"],
        "LanguageModel",
    )
    if not isinstance(model.lstm, _Another):
        raise AnswerRefused(
            "Your `self.lstm` is not what the argument `lstm` makes. Call it: `lstm(size, size)`."
        )
    ids, state = as_tensors(inputs["ids"]), None
    if inputs["state"] is not None:
        h, c = as_tensors(inputs["state"])
        state = h, c
    if not callable(getattr(model, "states", None)):
        raise AnswerRefused("Your class has no `states(self, ids, state)`. Keep its line.")
    with torch.no_grad():
        states, first = _two(model.states(ids, state), "states", "the states")  # type: ignore[operator]
    scores, last = _two(model(ids, state), "forward", "the scores")
    with torch.no_grad():
        again = _two(model(ids, state), "forward", "the scores")[0]
    if again.shape == scores.shape and not torch.allclose(again, scores, atol=1e-4):
        raise AnswerRefused(
            "Called twice with the same words and state, your model gives other scores. Begin each "
            "call from the state that it is given, and leave out what draws, such as dropout."
        )
    found = slopes(weighted_sum(scores, *last), dict(model.named_parameters()))
    return {
        "states": plain(states),
        "scores": plain(scores),
        "last pair of `states`": plain(first),
        "last pair of `forward`": plain(last),
        "the gradient that comes back": lengths_of(found),
    }


def _two(came: Any, name: str, what: str) -> tuple[Tensor, LSTMState]:
    if not isinstance(came, tuple | list) or len(came) != 2:
        raise AnswerRefused(PAIR.format(name=name, what=what, short=what.split()[-1]))
    first, last = came
    if not isinstance(first, Tensor):
        raise AnswerRefused(f"The first thing that `{name}` returns is {what}, one tensor.")
    if not isinstance(last, tuple | list) or len(last) != 2:
        raise AnswerRefused(f"The second thing that `{name}` returns is the last pair, `(h, c)`.")
    return first, (last[0], last[1])


SLIPS = """
--- hint 2
the state is not handed in: self.embedding(ids), state -> self.embedding(ids)
the state is dropped on its way: self.states(ids, state) -> self.states(ids)
    The given state never reaches the LSTM, so each window begins from zeros. Hand it on.
two tables that are one: self.softmax = nn.Linear(size, words) \
        -> self.softmax = nn.Linear(size, words)⏎self.softmax.weight = self.embedding.weight
    One table serves twice in yours. That is weight tying, which comes in lesson 10: here there are
    two.
no bias: nn.Linear(size, words) -> nn.Linear(size, words, bias=False)
    `self.softmax` has no bias. Leave out `bias=False`.
a word that never learns: nn.Embedding(words, size) -> nn.Embedding(words, size, padding_idx=0)
    With `padding_idx=0` word 0 keeps a row of zeros that never learns. Here 0 is a word like any
    other: leave it out.
one row too many: nn.Embedding(words, size) -> nn.Embedding(words + 1, size)
    Your table has a row too many: `words` ids are numbered from 0.
a layer of its own: lstm(size, size) -> LSTM(size, size)
    Your `self.lstm` is not what the argument `lstm` makes. Call it: `lstm(size, size)`.
--- hint 3
the given pair comes back: return self.softmax(outputs), last \
        -> return self.softmax(outputs), last if state is None else state
    You return the state that was given. Return the one that the LSTM ends with.
h and c change places: return outputs, last -> return outputs, (last[1], last[0])
    You return the pair (c, h). It is (h, c), as the LSTM gives it.
the word vectors in place of the states: self.lstm(self.embedding(ids), state) \
        -> self.embedding(ids), self.lstm(self.embedding(ids), state)[1]
    Your `states` gives the word vectors. They go through `self.lstm` first.
the scores of the word vectors: self.softmax(outputs) -> self.softmax(self.embedding(ids))
    You score the word vectors. The scores are made of the states.
states in place of scores: self.softmax(outputs), last -> outputs, last
    Your `forward` returns states. The scores are `self.softmax(...)` of them.
scores in place of states: return outputs, last -> return self.softmax(outputs), last \
        && return self.softmax(outputs), last -> return outputs, last
    Your `states` returns scores, and `forward` needs the states. The softmax belongs into
    `forward`.
a tanh above the LSTM: return outputs, last -> return outputs.tanh(), last
    You put the states through a tanh. The LSTM has done that already.
the last pair is cut off: return self.softmax(outputs), last \
        -> return self.softmax(outputs), (last[0].detach(), last[1].detach())
    The numbers are right, and you detach the last pair. Whoever carries it on decides about that:
    leave it out here.
--- no hint
the word vectors are cut off: self.lstm(self.embedding(ids), state) \
        -> self.lstm(self.embedding(ids).detach(), state)
    You detach the word vectors, so they never learn.
the states are cut off: self.softmax(outputs) -> self.softmax(outputs.detach())
    You detach the states, so neither the LSTM nor the word vectors learn.
chances in place of scores: self.softmax(outputs) -> self.softmax(outputs).softmax(-1)
    Your `forward` returns probabilities. Return scores: the loss takes the softmax.
logarithms in place of scores: self.softmax(outputs) -> self.softmax(outputs).log_softmax(-1)
    Your `forward` returns logarithms of probabilities. Return scores: the loss takes the softmax.
the last word alone: self.softmax(outputs) -> self.softmax(outputs[:, -1:])
    You score after the last word alone. Every position bets on its next word.
"""

EXERCISE = Exercise(
    id="LanguageModel",
    title="A language model around it",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=6,
    reference=LanguageModel,
    run=_run,
    cases=(
        Case("one sentence of two words", _ids(1, 2)),
        Case("three sentences of four words", _ids(3, 4), weight=2),
        Case("it goes on from a state", _ids(2, 3, carried=True), weight=2),
        Case("one word, and a state", _ids(2, 1, size=4, carried=True), edge=True),
    ),
    mistakes=slips(LanguageModel, SLIPS),
    right_answers={"rows and a product": _ByHand},
)
