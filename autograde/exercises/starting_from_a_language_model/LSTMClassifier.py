"""Exercise `LSTMClassifier`: read a sentence, and name its class."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.answers import (
    Answer,
    Plain,
    as_tensors,
    plain,
    refuse_changed,
)
from autograde.checking.differentiable import tensor_of
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.attention.filled import filled, gradients, shapes_of, weighted_sum
from autograde.exercises.starting_from_a_language_model import LESSON
from elmo_mini.tasks.lstm_classifier import LSTMClassifier

SIZES = (12, 3, 4, 5)  # words, classes, embedding, hidden
ONE_TENSOR = "Your classifier returns {kind}. Return the scores alone, a tensor (B, C)."
CALLS = 8  # in training: by chance a dropout of a half may leave some of them whole


@Case.drawn
def _sentences(rng: Random, lengths: Sequence[int], *, dropout: float = 0.0) -> Inputs:
    ids = rng.integers(0, SIZES[0], (len(lengths), max(lengths)))  # at padding, any number
    ids[0, 0] = 0  # a word like any other
    return {
        "dropout": dropout,
        "seed": int(rng.integers(1_000_000)),
        "ids": ids,
        "lengths": np.array(lengths),
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The scores in evaluation mode, what is learnt, and where a dropout falls in training."""
    words, classes, embedding, hidden = SIZES
    shapes = shapes_of(LSTMClassifier(words, classes, embedding, hidden))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(inputs["seed"])
        made = answer(words, classes, embedding, hidden, inputs["dropout"])
        model = filled(made, shapes, inputs["seed"], "LSTMClassifier")
        given = {name: as_tensors(inputs[name]) for name in ("ids", "lengths")}
        scores = tensor_of(lambda: model.eval()(*given.values()), ONE_TENSOR)
        found = {"scores": plain(scores)} | gradients(model, weighted_sum(scores))
        if inputs["dropout"]:
            found["training sets to 0"] = _dropped(model, given)
            found["what is left is multiplied by"] = _factors(model, given)
    refuse_changed(inputs, given)
    return found


def _dropped(model: nn.Module, given: dict[str, Tensor]) -> Plain:
    """What is set to 0 in training, seen in scores that are numbers of the last state itself.

    A dropout on the state leaves out some of them and multiplies the others by one factor. One on
    what the LSTM reads makes another state. One on the scores sets some to 0, and the bias with it.
    """
    _, classes, _, hidden = SIZES
    with torch.no_grad():
        model.get_parameter("output.weight").copy_(torch.eye(classes, hidden))
        model.get_parameter("output.bias").fill_(1.0)
        whole = model.eval()(*given.values()) - 1
        model.train()
        scores = torch.stack([model(*given.values()) for _ in range(CALLS)])
    states = scores - 1
    left = states != 0
    factor = (states / whole)[..., whole.abs().argmax() % classes].max()
    alike = torch.allclose(states[left], (factor * whole).expand_as(states)[left], atol=1e-5)
    return {
        "what the LSTM reads": "nothing" if alike else "a part",
        "what the last layer reads": (
            "nothing" if left.all() else "a part" if left.any() else "all"
        ),
        "what the last layer gives": "a part" if (scores == 0).any() else "nothing",
    }


def _factors(model: nn.Module, given: dict[str, Tensor]) -> Plain:
    """1 / (1 - share) of the dropout on the state, and that times the one of the word vectors.

    They are seen in what is left of the scores: first the states hang on the LSTM's bias alone,
    then they are nearly the last word's vector, whose numbers are small.
    """
    _, classes, embedding, hidden = SIZES
    none, one = torch.zeros(hidden), torch.ones(hidden)
    candidate = torch.zeros(4, hidden, embedding)
    candidate[2] = torch.eye(hidden, embedding)
    with torch.no_grad():
        model.get_parameter("output.weight").copy_(torch.eye(classes, hidden))
        model.get_parameter("output.bias").fill_(0.0)
        model.get_parameter("lstm.weight_ih_l0").fill_(0.0)
        of_the_state = _largest(model, given)
        model.get_parameter("embedding.weight").fill_(0.01)
        model.get_parameter("lstm.weight_ih_l0").copy_(candidate.flatten(0, 1))
        model.get_parameter("lstm.weight_hh_l0").fill_(0.0)
        model.get_parameter("lstm.bias_hh_l0").fill_(0.0)
        model.get_parameter("lstm.bias_ih_l0").copy_(
            torch.cat([20 * one, -20 * one, none, 20 * one])  # in, forget, candidate, out
        )
        of_both = _largest(model, given)
    return {"by the dropout on the state": of_the_state, "by both": of_both}


def _largest(model: nn.Module, given: dict[str, Tensor]) -> float:
    whole = model.eval()(*given.values())
    scores = torch.stack([model.train()(*given.values()) for _ in range(CALLS)])
    return float((scores / whole).nan_to_num(0, 0, 0).max())


class _Classifier(nn.Module):
    """As the lesson writes it."""

    def __init__(
        self, words: int, classes: int, embedding: int, hidden: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, embedding)
        self.lstm = nn.LSTM(embedding, hidden, batch_first=True)
        self.output = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        states, _ = self.lstm(self.dropout(self.embedding(ids)))
        last = states[torch.arange(len(ids)), lengths - 1]
        scores: Tensor = self.output(self.dropout(last))
        return scores


class _Packed(_Classifier):
    """The last state of packed sentences."""

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.embedding(ids)), lengths, batch_first=True, enforce_sorted=False
        )
        _, (h, _) = self.lstm(packed)
        scores: Tensor = self.output(self.dropout(h[-1]))
        return scores


class _SentenceBySentence(_Classifier):
    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        vectors = self.dropout(self.embedding(ids))
        last = [self.lstm(v[None, :n])[0][0, -1] for v, n in zip(vectors, lengths, strict=True)]
        scores: Tensor = self.output(self.dropout(torch.stack(last)))
        return scores


SLIPS = """
--- hint 3
a dropout of its own share: nn.Dropout(dropout) -> nn.Dropout()
a share of {share}: nn.Dropout(dropout) -> nn.Dropout({share}) | share = 0.1, 0.2, 0.3
    Your dropout has a share of its own. `nn.Dropout(dropout)` takes the one that is given.
what is kept for what is dropped: nn.Dropout(dropout) -> nn.Dropout(1 - dropout)
    `nn.Dropout` takes the share that is set to 0, and that is `dropout` itself.
the state is dropped twice: self.output(self.dropout(last)) \
        -> self.output(self.dropout(self.dropout(last)))
    The state goes through your dropout twice. Once is enough.
a word that never learns: nn.Embedding(words, embedding) \
        -> nn.Embedding(words, embedding, padding_idx=0)
    With `padding_idx=0` word 0 never learns. Here 0 is a word like any other: leave it out.
--- hint 1
the last column: states[torch.arange(len(ids)), lengths - 1] -> states[:, -1]
    You take the LSTM's last state in the table. In a shorter sentence that position is padding, and
    the LSTM has read on over it. Take the state at each sentence's own last word.
--- hint 2
the state before the last: lengths - 1 -> lengths - 2
    You are one position too early: word n stands at position n - 1, so its state is at `lengths -
    1`.
the state after the next token: lengths - 1 -> lengths.clamp(max=ids.shape[1] - 1)
    You are one position too late: word n stands at position n - 1, so its state is at `lengths -
    1`. At `lengths` the LSTM has read padding, too.
word 0 is padding: lengths - 1 -> (ids != 0).sum(1) - 1
    You count the words that are not 0. At padding may stand any number: how long a sentence is,
    `lengths` says.
the states of the first sentence: torch.arange(len(ids)) -> 0 * lengths
    All scores come from the first sentence. Each row needs its own: `torch.arange(len(ids))`
    beside `lengths - 1`.
the first state: lengths - 1 -> 0 * lengths
    You read the state after the first word, which has seen nothing else.
the mean of all states: states[torch.arange(len(ids)), lengths - 1] -> states.mean(1)
    You take the mean over all positions. Take the state after the last real word.
the mean of the words' states: states[torch.arange(len(ids)), lengths - 1] \
        -> torch.stack([row[:end].mean(0) for row, end in zip(states, lengths)])
    You take the mean over a sentence's words. Take the state after the last one.
the largest of all states: states[torch.arange(len(ids)), lengths - 1] -> states.amax(1)
    You take the largest number of each unit over all positions. Take the state after the last real
    word.
--- hint 3
no LSTM: states, _ = self.lstm(self.dropout(self.embedding(ids))) \
        -> states = self.dropout(self.embedding(ids)) ⏎states = torch.cat([states, \
        states[..., :1]], -1)
    `self.lstm` is never used.
the sentence on the first axis: , batch_first=True -> && lengths - 1 -> torch.zeros_like(lengths)
    Your LSTM takes the first axis for time and reads across the sentences. Give it
    `batch_first=True`.
batch_first is missing: , batch_first=True ->
    Your LSTM takes the first axis for time and reads across the sentences. Give it
    `batch_first=True`.
--- no hint
chances in place of scores: self.output(self.dropout(last)) \
        -> self.output(self.dropout(last)).softmax(-1)
    You return probabilities. The loss takes the softmax itself: return the scores.
log-chances in place of scores: self.output(self.dropout(last)) \
        -> self.output(self.dropout(last)).log_softmax(-1)
    You return the logarithms of probabilities. The loss does that itself: return the scores.
a tanh at the end: self.output(self.dropout(last)) -> torch.tanh(self.output(self.dropout(last)))
    A tanh stands behind the last layer. Return the bare scores.
a tanh before the last layer: self.dropout(last) -> torch.tanh(self.dropout(last))
    A tanh stands before the last layer. The LSTM's states have been through one already.
no dropout: self.output(self.dropout(last)) -> self.output(last) \
        && self.lstm(self.dropout(self.embedding(ids))) -> self.lstm(self.embedding(ids))
    No dropout falls in training. It stands in two places, on what the LSTM reads and on what the
    last layer reads, and its share is `dropout`.
a dropout on the vectors alone: self.output(self.dropout(last)) -> self.output(last)
    One dropout is missing, the one on what the last layer reads.
a dropout on the state alone: self.lstm(self.dropout(self.embedding(ids))) \
        -> self.lstm(self.embedding(ids))
    One dropout is missing, the one on what the LSTM reads.
a dropout on the scores: self.output(self.dropout(last)) -> self.dropout(self.output(last))
    A dropout falls on the scores. It falls on what the last layer reads: first `self.dropout`, then
    `self.output`.
a dropout that never rests: every self.dropout( -> nn.functional.dropout( \
        && self.dropout = nn.Dropout(dropout) -> self.share = dropout
    Your dropout falls in evaluation, too. `nn.functional.dropout` must be told the mode;
    `nn.Dropout` knows it.
the gradient stops at the state: self.dropout(last) -> self.dropout(last.detach())
    No gradient goes below the last layer: `.detach()` cuts it off, and what was moved in would
    stand still.
"""

SLIPS_PACKED = """
--- hint 2
the cell in place of the state: _, (h, _) = self.lstm -> _, (_, h) = self.lstm
    You take the cell c. The state is h, the first of the pair: `_, (h, _)`.
"""

EXERCISE = Exercise(
    id="LSTMClassifier",
    title="Read, then judge",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=9,
    reference=LSTMClassifier,
    run=_run,
    rtol=1e-4,
    atol=1e-5,
    cases=(
        Case("one sentence", _sentences((4,))),
        Case("sentences of 5, 2 and 4 words", _sentences((5, 2, 4)), weight=2),
        Case("two sentences of one length", _sentences((3, 3))),
        Case("a sentence of one word", _sentences((1, 6)), edge=True),
        Case("with a dropout of a half", _sentences((6, 4, 5, 6), dropout=0.5)),
        Case("with a dropout of a fifth", _sentences((3, 4, 2, 5), dropout=0.2)),
    ),
    mistakes=(*slips(_Classifier, SLIPS), *slips(_Packed, SLIPS_PACKED)),
    right_answers={
        "packed": _Packed,
        "sentence by sentence": _SentenceBySentence,
        "the lesson's": _Classifier,
    },
)
