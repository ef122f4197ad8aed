"""Fine-tuning runs with a planted fault each, for lesson 14 to be diagnosed."""

from dataclasses import dataclass

import torch

from course.why_bert.fine_tuning_setup import HEAD_RATE, FineTuningSetup, optimizer_of
from elmo_mini.models.fine_tuning import Classifier, tune

FAULTS = (  # as the lesson numbers them
    "the names in the file and in the model differ, and nobody notices",
    "the body is frozen",
    "the body learns thirty times too fast, without a warm-up",
    "the labels belong to other texts",
    "the head is not among the parameters of the optimizer",
    "the body is pulled to 0, not to its start",
)
NAMES, FROZEN, HOT = FAULTS[0], FAULTS[1], FAULTS[2]
RUNS = {"A": NAMES, "B": HOT, "C": FROZEN}
LABELS, STEPS, WINDOW = 50, 100, 10


@dataclass(frozen=True)
class Symptoms:
    """What can be seen of a run without its code.

    Attributes
    ----------
    losses : mean training loss of each ten batches, in nats
    right : share of right answers on dev
    perplexity : of the body as a model of the next word, before the run and after it, on the
        texts of dev
    moved : how far body and head are from where they stood before the run, over the length of
        that
    """

    losses: list[float]
    correct: float
    perplexity: tuple[float, float]
    moved: tuple[float, float]


def four_runs(setup: FineTuningSetup, seed: int = 0) -> dict[str, Symptoms]:
    """The sound run and the three broken ones."""
    return {name: _seen(setup, fault, seed) for name, fault in {"sound": "", **RUNS}.items()}


def _seen(setup: FineTuningSetup, fault: str, seed: int) -> Symptoms:
    train, test = setup.task.train.drawn(LABELS, seed), setup.task.dev
    model = setup.classifier(setup.pretrained, seed)
    if fault == NAMES:
        model = setup.classifier(setup.fresh(seed), seed)
        renamed = {f"model.{name}": tensor for name, tensor in setup.pretrained.items()}
        model.body.load_state_dict(renamed, strict=False)
    optimizer = optimizer_of(model)
    if fault == FROZEN:
        optimizer = torch.optim.Adam(model.head.parameters(), lr=HEAD_RATE)
    warm_up = 10
    if fault == HOT:
        optimizer, warm_up = optimizer_of(model, body_rate=0.03), 1
    before = setup.perplexity(model.body, test.texts), _numbers(model)
    losses = tune(model, setup.batches(train, STEPS, seed), optimizer, warm_up, 0.0)
    after = setup.perplexity(model.body, test.texts), _numbers(model)
    body, head = (
        float((now - then).norm() / then.norm())
        for now, then in zip(after[1], before[1], strict=True)
    )
    return Symptoms(
        [sum(losses[at : at + WINDOW]) / WINDOW for at in range(0, STEPS, WINDOW)],
        float(setup.correct(model, test).mean()),
        (before[0], after[0]),
        (body, head),
    )


def _numbers(model: Classifier) -> list[torch.Tensor]:
    """All numbers of the body, and all of the head."""
    return [
        torch.cat([weight.detach().flatten() for weight in part.parameters()]).clone()
        for part in (model.body, model.head)
    ]


def print_symptoms(runs: dict[str, Symptoms]) -> None:
    """What else is seen of the runs, beside their losses."""
    for name, run in runs.items():
        (before, after), (body, head) = run.perplexity, run.moved
        print(
            f"{name:>5}: {run.correct:.0%} right; next word: perplexity {before:,.0f} before and "
            f"{after:,.0f} after; moved: body {body:.0%}, head {head:.0%}"
        )
