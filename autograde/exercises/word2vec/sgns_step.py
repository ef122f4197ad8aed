"""Exercise `sgns_step`: one training step."""

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
    loss = plain(answer(*arguments.values()))
    if loss is None:
        raise AnswerRefused("Return the loss before the step, as a number.")
    return {
        "loss": loss,
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


def _step_with_plain_indexing(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    vectors = w[centers], c[contexts], c[negatives]
    dv, du, dn = word2vec.sgns_gradients(*vectors)
    w[centers] -= rate * dv
    c[contexts] -= rate * du
    c[negatives] -= rate * dn
    return float(word2vec.sgns_loss(*vectors))


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
) -> Tensor:
    a, b = w.clone().requires_grad_(), c.clone().requires_grad_()
    loss = word2vec.sgns_loss(a[centers], b[contexts], b[negatives])
    da, db = torch.autograd.grad(loss * len(centers), (a, b))
    w -= rate * da
    c -= rate * db
    return loss.detach()


def _step_loss_after(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    word2vec.sgns_step(w, c, centers, contexts, negatives, rate)
    return float(word2vec.sgns_loss(w[centers], c[contexts], c[negatives]))


def _step_one_table(
    w: Tensor, c: Tensor, centers: Tensor, contexts: Tensor, negatives: Tensor, rate: float
) -> float:
    return word2vec.sgns_step(w, w, centers, contexts, negatives, rate)


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
        Case("a batch of one", _batch_of_ids([8], [9], [[10, 11, 0]]), weight=0.5, edge=True),
    ),
    mistakes=(
        Mistake(
            "a repeated word keeps only its last update",
            _step_with_plain_indexing,
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
    ),
    right_answers={"a loop over pairs": _step_pair_by_pair_sums, "by autograd": _step_by_autograd},
)
