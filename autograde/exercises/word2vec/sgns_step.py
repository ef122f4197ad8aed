"""Exercise `sgns_step`: one training step."""

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import (
    Answer,
    AnswerRefused,
    Plain,
    as_tensors,
    plain,
    refuse_changed,
)
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.word2vec import LESSON
from elmo_mini.models import skip_gram


def _run_step(answer: Answer, inputs: Inputs) -> Plain:
    arguments = {name: as_tensors(value) for name, value in inputs.items()}
    came = answer(*arguments.values())
    ids = ("centers", "contexts", "negatives")
    refuse_changed(inputs, {name: arguments[name] for name in ids})
    if came is None:
        raise AnswerRefused("Return the loss before the step, as a number.")
    if isinstance(came, Tensor):
        raise AnswerRefused(
            "Your loss is a tensor. The training loop collects the losses of many steps as "
            "numbers: return `float(loss)`."
        )
    return {
        "loss": plain(came),
        "input_vectors": plain(arguments["input_vectors"]),
        "output_vectors": plain(arguments["output_vectors"]),
    }


@Case.drawn
def _batch_of_ids(
    rng: Random, centers: list[int], contexts: list[int], negatives: list[list[int]]
) -> Inputs:
    return {
        "input_vectors": rng.standard_normal((12, 5)).astype(np.float32),
        "output_vectors": rng.standard_normal((12, 5)).astype(np.float32),
        "centers": np.array(centers),
        "contexts": np.array(contexts),
        "negatives": np.array(negatives),
        "learning_rate": 0.2,
    }


def _step(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    v, u, n = w[centers], c[contexts], c[negatives]
    loss = skip_gram.sgns_loss(v, u, n)
    dv, du, dn = skip_gram.sgns_gradients(v, u, n)
    w.index_add_(0, centers, dv, alpha=-rate)
    c.index_add_(0, contexts, du, alpha=-rate)
    c.index_add_(0, negatives.flatten(), dn.flatten(0, 1), alpha=-rate)
    return float(loss)


def _step_pair_by_pair_sums(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    vectors = w[centers].clone(), c[contexts].clone(), c[negatives].clone()
    dv, du, dn = skip_gram.sgns_gradients(*vectors)
    for b in range(len(centers)):
        w[centers[b]] -= rate * dv[b]
        c[contexts[b]] -= rate * du[b]
        for k in range(negatives.shape[1]):
            c[negatives[b, k]] -= rate * dn[b, k]
    return float(skip_gram.sgns_loss(*vectors))


def _step_by_autograd(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    a, b = w.clone().requires_grad_(), c.clone().requires_grad_()
    loss = skip_gram.sgns_loss(a[centers], b[contexts], b[negatives])
    da, db = torch.autograd.grad(loss * len(centers), (a, b))
    w -= rate * da
    c -= rate * db
    return loss.item()


def _step_pair_after_pair(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    loss = float(skip_gram.sgns_loss(w[centers], c[contexts], c[negatives]))
    for b in range(len(centers)):
        _step(w, c, centers[[b]], contexts[[b]], negatives[[b]], rate)
    return loss


SLIPS = """
--- hint 1
centres uphill: centers, dv, alpha=-rate -> centers, dv, alpha=rate
    The centres step uphill: their gradient is added. Descent subtracts it.
contexts from the input table: c[contexts] -> w[contexts]
    You read the contexts from `input_vectors`. They have their own table: `output_vectors`.
the rate twice: dv, alpha=-rate -> rate * dv, alpha=-rate
the rate twice for the contexts: du, alpha=-rate -> rate * du, alpha=-rate
the rate twice for the noise words: dn.flatten(0, 1), -> rate * dn.flatten(0, 1),
    You multiply by the learning rate twice. `alpha` does it already.
the contexts move by the centres' gradient: contexts, du -> contexts, dv
    You move the contexts by the gradient of the centres. Theirs is the second of the three.
noise words that are the context are left out: c.index_add_(0, negatives \
        -> dn = dn * (negatives != contexts[:, None])[:, :, None]⏎c.index_add_(0, negatives
    You leave out a noise word that is the context itself. It is drawn like any other and gets both
    gradients.
a step uphill: every alpha=-rate -> alpha=rate
    The loss would rise: the gradient is added. Descent subtracts it.
--- hint 2
the second table sees the first one's update: c.index_add_(0, contexts \
        -> _, du, dn = skip_gram.sgns_gradients(w[centers], u, n)⏎c.index_add_(0, contexts
    Compute all three gradients first, then change the tables. Yours uses centre vectors that have
    already moved.
each table sees the update before it: c.index_add_(0, contexts \
        -> du = skip_gram.sgns_gradients(w[centers], u, n)[1]⏎c.index_add_(0, contexts \
        && c.index_add_(0, negatives \
        -> dn = skip_gram.sgns_gradients(w[centers], u, c[negatives])[2]⏎c.index_add_(0, negatives
    You compute the gradients anew after each update, from rows that have already moved. Compute all
    three first, then change the tables.
the loss after the step: float(loss) \
        -> float(skip_gram.sgns_loss(w[centers], c[contexts], c[negatives]))
    The tables are right, but the loss is the one after the step. Compute it from the rows before
    you change them.
all rows from the input table: every c[ -> w[ && every c.index_add_ -> w.index_add_
    Context and noise words have their own table: `output_vectors`.
noise words in the input table: c.index_add_(0, negatives -> w.index_add_(0, negatives
    The noise words' updates go into `input_vectors`. They are rows of `output_vectors`.
--- hint 3
a repeated word keeps only its last update: w.index_add_(0, centers, dv, alpha=-rate) \
        -> w[centers] -= rate * dv && c.index_add_(0, contexts, du, alpha=-rate) \
        -> c[contexts] -= rate * du \
        && c.index_add_(0, negatives.flatten(), dn.flatten(0, 1), alpha=-rate) \
        -> c[negatives] -= rate * dn
    `table[ids] -= ...` writes each row once, even when an id occurs three times: all updates but
    one are lost. `index_add_` adds them up.
repeated centres keep only their last update: w.index_add_(0, centers, dv, alpha=-rate) \
        -> w[centers] -= rate * dv
    `table[ids] -= ...` writes each row once, even when an id occurs three times: all updates but
    one are lost. You do it for `centers`; use `index_add_` there, too.
repeated contexts keep only their last update: c.index_add_(0, contexts, du, alpha=-rate) \
        -> c[contexts] -= rate * du
    `table[ids] -= ...` writes each row once, even when an id occurs three times: all updates but
    one are lost. You do it for `contexts`; use `index_add_` there, too.
repeated noise words keep only their last update: c.index_add_(0, negatives.flatten(), \
        dn.flatten(0, 1), alpha=-rate) -> c[negatives] -= rate * dn
    `table[ids] -= ...` writes each row once, even when an id occurs three times: all updates but
    one are lost. You do it for `negatives`; use `index_add_` there, too, with
    `negatives.flatten()`.
repeated words keep only their last update in the output table: c.index_add_(0, contexts, du, \
        alpha=-rate) -> c[contexts] -= rate * du \
        && c.index_add_(0, negatives.flatten(), dn.flatten(0, 1), alpha=-rate) \
        -> c[negatives] -= rate * dn
    `table[ids] -= ...` writes each row once, even when an id occurs three times: all updates but
    one are lost. You do it in `output_vectors`; use `index_add_` there, too.
the tables stay as they were: v, u, n = -> w, c = w.clone(), c.clone()⏎v, u, n =
    The loss is right, but both tables are unchanged afterwards: you updated copies. Change the
    tables in place.
no learning rate: every alpha=-rate -> alpha=-1
    The gradients are subtracted at full size: `learning_rate` is never used. Give `index_add_` its
    `alpha=-learning_rate`.
no learning rate, uphill: every , alpha=-rate ->
    `index_add_` *adds* the gradients, at full size. Give it `alpha=-learning_rate`.
only the first noise word moves: negatives.flatten(), dn.flatten(0, 1) -> negatives[:, 0], dn[:, 0]
the last noise word does not move: negatives.flatten(), dn.flatten(0, 1) \
        -> negatives[:, :-1].flatten(), dn[:, :-1].flatten(0, 1)
the first noise word does not move: negatives.flatten(), dn.flatten(0, 1) \
        -> negatives[:, 1:].flatten(), dn[:, 1:].flatten(0, 1)
    Not every noise word of a pair is updated. All K of them learn: `negatives.flatten()` and
    `dn.flatten(0, 1)`.
noise ids with two axes: negatives.flatten(), dn.flatten(0, 1) -> negatives, dn
    `index_add_` takes one axis of ids. Flatten both: `negatives.flatten()` and `dn.flatten(0, 1)`.
noise words do not move: c.index_add_(0, negatives.flatten(), dn.flatten(0, 1), alpha=-rate) ->
    Only the true pair is updated. The noise words' output vectors learn as well.
the context does not move: c.index_add_(0, contexts, du, alpha=-rate) ->
    The output vectors of the true context words stay as they were. They learn as well.
context and noise do not move: c.index_add_(0, contexts, du, alpha=-rate) -> \
        && c.index_add_(0, negatives.flatten(), dn.flatten(0, 1), alpha=-rate) ->
    Only the input table changes. The output vectors of context and noise words learn as well.
the centres do not move: w.index_add_(0, centers, dv, alpha=-rate) ->
    The input table stays as it was. The centre vectors learn as well.
--- no hint
the step is divided by the batch: every alpha=-rate -> alpha=-rate / len(centers)
    word2vec takes a full step for every pair. Use the per-pair gradients as they are.
the arguments of `sgns_gradients` are exchanged: \
        sgns_gradients(v, u, n) -> sgns_gradients(u, v, n)
    `sgns_gradients` takes the centres first, then the contexts. You hand them over the other way
    round.
a tensor: float(loss) -> loss
    The step is right, and the loss is a tensor. The training loop collects numbers: return
    `float(loss)`.
the loss of the whole batch: float(loss) -> len(centers) * float(loss)
    The step is right. Your loss is the sum over the batch; return what `sgns_loss` gives, the mean.
the tables are returned: float(loss) -> w, c
    You return the tables. They have changed in place already; return the loss, as a number.
"""

EXERCISE = Exercise(
    id="sgns_step",
    title="One training step",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=10,
    reference=skip_gram.sgns_step,
    run=_run_step,
    cases=(
        Case("every word once", _batch_of_ids([0, 1], [2, 3], [[4, 5], [6, 7]])),
        Case("a centre word three times", _batch_of_ids([0, 0, 0], [1, 2, 3], [[4], [5], [6]])),
        Case(
            "a noise word that is also a context", _batch_of_ids([0, 1], [2, 3], [[3, 5], [5, 5]])
        ),
        Case(
            "a noise word that is the context itself",
            _batch_of_ids([0, 1], [2, 3], [[2, 5], [3, 3]]),
            edge=True,
            asks="It gets both gradients.",
        ),
        Case("a context word three times", _batch_of_ids([0, 1, 2], [3, 3, 3], [[4], [5], [6]])),
        Case(
            "a noise word several times",
            _batch_of_ids([0, 1, 2], [3, 4, 5], [[6, 6], [7, 6], [8, 7]]),
        ),
        Case("a batch of one", _batch_of_ids([8], [9], [[10, 11, 0]]), weight=0.5, edge=True),
    ),
    mistakes=(
        *slips(_step, SLIPS),
        Mistake(
            "pair after pair",
            _step_pair_after_pair,
            "You make a step for each pair, so later pairs see vectors that have already "
            "moved. Take all rows out and compute all gradients first.",
            hint=2,
        ),
    ),
    right_answers={"a loop over pairs": _step_pair_by_pair_sums, "by autograd": _step_by_autograd},
)
