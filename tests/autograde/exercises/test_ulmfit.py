"""What the checks of lesson 11 say of answers that no slip is, and what they never give away."""

from typing import Any

import pytest
import torch

from autograde.checking.catalogue import find
from autograde.checking.check import examine
from autograde.exercises.ulmfit.broken_tunings import FAULTS, TRUTH, WOULD_SHOW
from course.results.stored import stored_result
from elmo_mini.ulmfit.fine_tuning import fine_tune


def keeps_its_losses(*arguments: Any) -> Any:
    return [torch.tensor(loss, requires_grad=True) for loss in fine_tune(*arguments)]


def keeps_tensors(*arguments: Any) -> Any:
    return [torch.tensor(loss) for loss in fine_tune(*arguments)]


def trains_in_another_order(model: Any, epochs: Any, *rest: Any) -> Any:
    return fine_tune(model, [batches[::-1] for batches in epochs], *rest)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (keeps_its_losses, "You keep losses that can still learn"),
        (keeps_tensors, "Keep plain numbers"),
        (trains_in_another_order, "Ask `loss_of` once for each batch"),
        (lambda *arguments: 0.5, "Return a list: the loss of each batch"),
    ],
)
def test_a_loop_that_keeps_or_shuffles_too_much_is_refused(answer: Any, says: str) -> None:
    report = examine(find("fine_tune"), answer)
    assert report.points == 0
    assert says in report.text()


def test_groups_of_copies_are_refused() -> None:
    report = examine(
        find("parameter_groups"),
        lambda layers, rate, epoch, factor: [
            {"params": [p.clone() for p in layer], "lr": rate} for layer in layers
        ],
    )
    assert "the parameters themselves" in report.text()


def test_a_wrong_run_is_told_what_its_fault_would_show_and_no_answer_is_given_away() -> None:
    report = examine(find("broken_tunings"), lambda: TRUTH | {"A": 6})
    assert report.points == 2
    assert "A is not fault 6" in report.message
    assert all(f"fault {number} " not in report.text() for number in TRUTH.values())


def test_the_stored_runs_show_what_the_sentences_say_of_them() -> None:
    runs = stored_result("ulmfit_broken").numbers["runs"]
    assert len(WOULD_SHOW) == len(FAULTS) == 6
    sound = runs["sound"]
    assert runs["C"]["moved"][:-1] == [0.0, 0.0, 0.0]
    assert all(run["moved"][1] <= run["moved"][2] for run in runs.values())  # not fault 2
    far = zip(runs["B"]["moved"], sound["moved"], strict=True)
    assert all(hot > 5 * moved for hot, moved in far)
    hot, kept = (run["perplexity of general text"] for run in (runs["B"], sound))
    assert max(hot) > 5 * max(kept)
    texts = {name: run["perplexity of the task's text"] for name, run in runs.items()}
    leak = texts["A"]["test"] / texts["A"]["dev"]
    assert leak < 0.95 * texts["sound"]["test"] / texts["sound"]["dev"]
    assert texts["A"]["test"] < 0.91 * texts["sound"]["test"]  # "a tenth lower"
    assert texts["A"]["dev"] > 0.97 * texts["sound"]["dev"]  # "nearly the same"
    assert abs(runs["A"]["right"]["test"] - sound["right"]["test"]) < 0.05
    assert texts["B"] == texts["C"] == texts["sound"]
