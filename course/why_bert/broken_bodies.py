"""Fine-tuning runs with a planted fault each, for lesson 14 to be trained and diagnosed."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from course.why_bert.fine_tuning_setup import HEAD_RATE, optimizer_of
from elmo_mini.models.fine_tuning import Classifier

FAULTS = (  # as the lesson numbers them
    "the names in the file and in the model differ, and nobody notices",
    "the labels belong to other texts",
    "the body is pulled to 0, not to its start",
    "the body is frozen",
    "the head is not among the parameters of the optimizer",
    "the body learns thirty times too fast, without a warm-up",
)
NAMES, FROZEN, HOT = FAULTS[0], FAULTS[3], FAULTS[5]
RUNS = {"A": NAMES, "B": HOT, "C": FROZEN}
WARM_UP, HOT_RATE = 10, 0.03

Make = Callable[[Mapping[str, Tensor] | None, int], Classifier]
"""A classifier whose body has these weights, or fresh ones; and a seed."""


def planted(
    run: str, classifier: Make, pretrained: Mapping[str, Tensor], seed: int = 0
) -> tuple[Classifier, torch.optim.Optimizer, int]:
    """A run ready to begin: the model, its optimizer and the steps of its warm-up.

    Parameters
    ----------
    run : ``sound``, or the letter of a run with a fault
    classifier : makes the model
    """
    fault = RUNS.get(run)
    if fault == NAMES:
        model = classifier(None, seed)
        model.body.load_state_dict(
            {f"model.{name}": tensor for name, tensor in pretrained.items()}, strict=False
        )
        return model, optimizer_of(model), WARM_UP
    model = classifier(pretrained, seed)
    if fault == FROZEN:
        return model, torch.optim.Adam(model.head.parameters(), lr=HEAD_RATE), WARM_UP
    if fault == HOT:
        return model, optimizer_of(model, HOT_RATE), 1
    return model, optimizer_of(model), WARM_UP
