"""Exercise `sgns_step`: one training step."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    as_tensors,
    plain,
)
from autograde.exercises.word2vec import LESSON
from elmo_mini.word_vectors import word2vec


def _run_step(answer: Answer, inputs: Inputs) -> Plain:
    arguments = {name: as_tensors(value) for name, value in inputs.items()}
    came = answer(*arguments.values())
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


def _batch_of_ids(centers: list[int], contexts: list[int], negatives: list[list[int]]) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "input_vectors": rng.standard_normal((12, 5)).astype(np.float32),
            "output_vectors": rng.standard_normal((12, 5)).astype(np.float32),
            "centers": np.array(centers),
            "contexts": np.array(contexts),
            "negatives": np.array(negatives),
            "learning_rate": 0.2,
        }

    return make


def _varied(
    *,
    lost: str = "",
    left_out: str = "",
    rate_used: bool = True,
    noise_table: str = "output",
    loss: Callable[[Tensor], Any] = float,
) -> Answer:
    """A right step but for the updates that are lost or left out, or for what it returns."""

    def step(
        w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
    ) -> Any:
        vectors = w[centers], c[contexts], c[negatives]
        dv, du, dn = word2vec.sgns_gradients(*vectors)
        updates = [("centers", w, centers, dv), ("contexts", c, contexts, du)]
        updates.append(("negatives", c if noise_table == "output" else w, negatives, dn))
        scale = rate if rate_used else 1.0
        for name, table, ids, gradients in updates:
            if name in lost:
                table[ids] -= scale * gradients
            elif name not in left_out:
                table.index_put_((ids,), -scale * gradients, accumulate=True)
        return loss(word2vec.sgns_loss(*vectors))

    return step


def _step_one_table_late(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    vectors = w[centers], c[contexts], c[negatives]
    loss = float(word2vec.sgns_loss(*vectors))
    w.index_add_(0, centers, word2vec.sgns_gradients(*vectors)[0], alpha=-rate)
    _, du, dn = word2vec.sgns_gradients(w[centers], vectors[1], vectors[2])
    c.index_add_(0, contexts, du, alpha=-rate)
    c.index_add_(0, negatives.flatten(), dn.flatten(0, 1), alpha=-rate)
    return loss


def _step_without_noise_update(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    vectors = w[centers], c[contexts], c[negatives]
    dv, du, _ = word2vec.sgns_gradients(*vectors)
    w.index_add_(0, centers, dv, alpha=-rate)
    c.index_add_(0, contexts, du, alpha=-rate)
    return float(word2vec.sgns_loss(*vectors))


def _step_on_copies(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    return word2vec.sgns_step(w.clone(), c.clone(), centers, contexts, negatives, rate)


def _step_scaled(factor: float) -> Answer:
    def step(
        w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
    ) -> float:
        scale = factor if factor < 0 else factor / len(centers)
        return word2vec.sgns_step(w, c, centers, contexts, negatives, scale * rate)

    return step


def _step_pair_by_pair_sums(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    vectors = w[centers].clone(), c[contexts].clone(), c[negatives].clone()
    dv, du, dn = word2vec.sgns_gradients(*vectors)
    for b in range(len(centers)):
        w[centers[b]] -= rate * dv[b]
        c[contexts[b]] -= rate * du[b]
        for k in range(negatives.shape[1]):
            c[negatives[b, k]] -= rate * dn[b, k]
    return float(word2vec.sgns_loss(*vectors))


def _step_by_autograd(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    a, b = w.clone().requires_grad_(), c.clone().requires_grad_()
    loss = word2vec.sgns_loss(a[centers], b[contexts], b[negatives])
    da, db = torch.autograd.grad(loss * len(centers), (a, b))
    w -= rate * da
    c -= rate * db
    return loss.item()


def _step_loss_after(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    word2vec.sgns_step(w, c, centers, contexts, negatives, rate)
    return float(word2vec.sgns_loss(w[centers], c[contexts], c[negatives]))


def _step_one_table(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    return word2vec.sgns_step(w, w, centers, contexts, negatives, rate)


def _varied_loss_sum(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    return len(centers) * word2vec.sgns_step(w, c, centers, contexts, negatives, rate)


def _step_without_alpha(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    return word2vec.sgns_step(w, c, centers, contexts, negatives, -1.0)


def _step_pair_after_pair(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    loss = float(word2vec.sgns_loss(w[centers], c[contexts], c[negatives]))
    for b in range(len(centers)):
        one = slice(b, b + 1)
        word2vec.sgns_step(w, c, centers[one], contexts[one], negatives[one], rate)
    return loss


def _step_in_sequence(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    loss = float(word2vec.sgns_loss(w[centers], c[contexts], c[negatives]))
    for part, (table, ids) in enumerate(((w, centers), (c, contexts), (c, negatives))):
        gradients = word2vec.sgns_gradients(w[centers], c[contexts], c[negatives])[part]
        table.index_put_((ids,), -rate * gradients, accumulate=True)
    return loss


def _step_with_some_noise(
    w: Tensor,
    c: Tensor,
    centers: Tensor,
    contexts: Tensor,
    negatives: Tensor,
    rate: float,
    *,
    which: slice,
) -> float:
    vectors = w[centers], c[contexts], c[negatives]
    dv, du, dn = word2vec.sgns_gradients(*vectors)
    w.index_add_(0, centers, dv, alpha=-rate)
    c.index_add_(0, contexts, du, alpha=-rate)
    c.index_put_((negatives[:, which],), -rate * dn[:, which], accumulate=True)
    return float(word2vec.sgns_loss(*vectors))


def _step_unflattened(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    vectors = w[centers], c[contexts], c[negatives]
    dv, du, dn = word2vec.sgns_gradients(*vectors)
    w.index_add_(0, centers, dv, alpha=-rate)
    c.index_add_(0, contexts, du, alpha=-rate)
    c.index_add_(0, negatives, dn, alpha=-rate)
    return float(word2vec.sgns_loss(*vectors))


def _step_returns_tables(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> Any:
    word2vec.sgns_step(w, c, centers, contexts, negatives, rate)
    return w, c


NOT_ALL_NOISE = (
    "Not every noise word of a pair is updated. All K of them learn: `negatives.flatten()` and "
    "`dn.flatten(0, 1)`."
)


EXERCISE = Exercise(
    id="sgns_step",
    title="One training step",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=12,
    reference=word2vec.sgns_step,
    run=_run_step,
    cases=(
        Case("every word once", _batch_of_ids([0, 1], [2, 3], [[4, 5], [6, 7]])),
        Case("a centre word three times", _batch_of_ids([0, 0, 0], [1, 2, 3], [[4], [5], [6]])),
        Case(
            "a noise word that is also a context",
            _batch_of_ids([0, 1], [2, 3], [[3, 5], [5, 5]]),
        ),
        Case(
            "a context word three times",
            _batch_of_ids([0, 1, 2], [3, 3, 3], [[4], [5], [6]]),
        ),
        Case(
            "a noise word several times",
            _batch_of_ids([0, 1, 2], [3, 4, 5], [[6, 6], [7, 6], [8, 7]]),
        ),
        Case("a batch of one", _batch_of_ids([8], [9], [[10, 11, 0]]), weight=0.5, edge=True),
    ),
    mistakes=(
        Mistake(
            "a repeated word keeps only its last update",
            _varied(lost="centers, contexts, negatives"),
            "`table[ids] -= ...` writes each row once, even when an id occurs three times: all "
            "updates but one are lost. `index_add_` adds them up.",
            hint=3,
        ),
        Mistake(
            "the second table sees the first one's update",
            _step_one_table_late,
            "Compute all three gradients first, then change the tables. Yours uses centre vectors "
            "that have already moved.",
            hint=2,
        ),
        Mistake(
            "noise words do not move",
            _step_without_noise_update,
            "Only the true pair is updated. The noise words' output vectors learn as well.",
            hint=2,
        ),
        Mistake(
            "the tables stay as they were",
            _step_on_copies,
            "The loss is right, but both tables are unchanged afterwards: you updated copies. "
            "Change the tables in place.",
            hint=3,
        ),
        Mistake(
            "a step uphill",
            _step_scaled(-1.0),
            "The loss would rise: the gradient is added. Descent subtracts it.",
            hint=1,
        ),
        Mistake(
            "the step is divided by the batch",
            _step_scaled(1.0),
            "word2vec takes a full step for every pair. Use the per-pair gradients as they are.",
        ),
        Mistake(
            "the loss after the step",
            _step_loss_after,
            "The tables are right, but the loss is the one after the step. Compute it from the "
            "rows before you change them.",
            hint=2,
        ),
        Mistake(
            "all rows from the input table",
            _step_one_table,
            "Context and noise words have their own table: `output_vectors`.",
            hint=2,
        ),
        Mistake(
            "repeated contexts keep only their last update",
            _varied(lost="contexts"),
            "`table[ids] -= ...` writes each row once, even when an id occurs three times: "
            "all updates but one are lost. You do it for `contexts`; use `index_add_` "
            "there, too.",
            hint=3,
        ),
        Mistake(
            "repeated noise words keep only their last update",
            _varied(lost="negatives"),
            "`table[ids] -= ...` writes each row once, even when an id occurs three times: "
            "all updates but one are lost. You do it for `negatives`; use `index_add_` "
            "there, too, with `negatives.flatten()`.",
            hint=3,
        ),
        Mistake(
            "repeated centres keep only their last update",
            _varied(lost="centers"),
            "`table[ids] -= ...` writes each row once, even when an id occurs three times: "
            "all updates but one are lost. You do it for `centers`; use `index_add_` there, "
            "too.",
            hint=3,
        ),
        Mistake(
            "repeated words keep only their last update in the output table",
            _varied(lost="contexts, negatives"),
            "`table[ids] -= ...` writes each row once, even when an id occurs three times: "
            "all updates but one are lost. You do it in `output_vectors`; use `index_add_` "
            "there, too.",
            hint=3,
        ),
        Mistake(
            "a tensor",
            _varied(loss=lambda loss: loss),
            "The step is right, and the loss is a tensor. The training loop collects "
            "numbers: return `float(loss)`.",
            hint=2,
        ),
        Mistake(
            "the loss of the whole batch",
            _varied_loss_sum,
            "The step is right. Your loss is the sum over the batch; return what "
            "`sgns_loss` gives, the mean.",
            hint=2,
        ),
        Mistake(
            "no learning rate",
            _varied(rate_used=False),
            "The gradients are subtracted at full size: `learning_rate` is never used. Give "
            "`index_add_` its `alpha=-learning_rate`.",
            hint=3,
        ),
        Mistake(
            "no learning rate, uphill",
            _step_without_alpha,
            "`index_add_` *adds* the gradients, at full size. Give it `alpha=-learning_rate`.",
            hint=3,
        ),
        Mistake(
            "context and noise do not move",
            _varied(left_out="contexts, negatives"),
            "Only the input table changes. The output vectors of context and noise words "
            "learn as well.",
            hint=2,
        ),
        Mistake(
            "the context does not move",
            _varied(left_out="contexts"),
            "The output vectors of the true context words stay as they were. They learn as well.",
            hint=2,
        ),
        Mistake(
            "the centres do not move",
            _varied(left_out="centers"),
            "The input table stays as it was. The centre vectors learn as well.",
            hint=2,
        ),
        Mistake(
            "noise words in the input table",
            _varied(noise_table="input"),
            "The noise words' updates go into `input_vectors`. They are rows of `output_vectors`.",
            hint=2,
        ),
        Mistake(
            "pair after pair",
            _step_pair_after_pair,
            "You make a step for each pair, so later pairs see vectors that have already "
            "moved. Take all rows out and compute all gradients first.",
            hint=2,
        ),
        Mistake(
            "each table sees the update before it",
            _step_in_sequence,
            "You compute the gradients anew after each update, from rows that have already "
            "moved. Compute all three first, then change the tables.",
            hint=2,
        ),
        Mistake(
            "only the first noise word moves",
            lambda *a: _step_with_some_noise(*a, which=slice(1)),
            NOT_ALL_NOISE,
            hint=3,
        ),
        Mistake(
            "the last noise word does not move",
            lambda *a: _step_with_some_noise(*a, which=slice(None, -1)),
            NOT_ALL_NOISE,
            hint=3,
        ),
        Mistake(
            "the first noise word does not move",
            lambda *a: _step_with_some_noise(*a, which=slice(1, None)),
            NOT_ALL_NOISE,
            hint=3,
        ),
        Mistake(
            "noise ids with two axes",
            _step_unflattened,
            "`index_add_` takes one axis of ids. Flatten both: `negatives.flatten()` and "
            "`dn.flatten(0, 1)`.",
            hint=3,
        ),
        Mistake(
            "the tables are returned",
            _step_returns_tables,
            "You return the tables. They have changed in place already; return the loss, as "
            "a number.",
            hint=2,
        ),
    ),
    right_answers={"a loop over pairs": _step_pair_by_pair_sums, "by autograd": _step_by_autograd},
)
