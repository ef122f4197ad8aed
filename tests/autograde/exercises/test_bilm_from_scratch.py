"""What the checks of lesson 07 refuse, and what they say of an answer with two slips."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograde.checking.catalogue import find
from autograde.checking.check import examine
from autograde.exercises.bilm_from_scratch.broken_runs import FAULTS, TRUTH
from elmo_mini.models.elmo import BiLM


class WithNumbersForAMask(BiLM):
    """A right model whose mask is of whole numbers."""

    def forward(self, ids: torch.Tensor) -> Any:
        """The layers, and the mask as 0 and 1."""
        layers, mask = super().forward(ids)
        return layers, mask.long()


class WithoutAMask(BiLM):
    """A right model that returns its layers alone: two of them, where there is one LSTM."""

    def forward(self, ids: torch.Tensor) -> Any:
        """The layers."""
        return super().forward(ids)[0]


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (WithNumbersForAMask, "Your mask holds numbers."),
        (WithoutAMask, "Return two things: the list of L + 1 layers, and the mask"),
    ],
)
def test_a_mask_is_there_and_is_true_or_false(model: type[BiLM], says: str) -> None:
    report = examine(find("BiLM"), model)
    assert report.points == 0
    assert report.message.startswith(says)


class WithZerosOfItsOwn(BiLM):
    """A right model that makes its tensors as PyTorch does, in float32."""

    def forward(self, ids: torch.Tensor) -> Any:
        """The layers, written into zeros."""
        layers, mask = super().forward(ids)
        written = [torch.zeros(layer.shape) for layer in layers]
        for zeros, layer in zip(written, layers, strict=True):
            zeros[:] = layer @ torch.eye(layer.shape[-1])
        return written, mask


def step_with_zeros_of_its_own(*arguments: Any) -> Any:
    """A right step whose two states are multiplied with a matrix made in float32."""
    return [state @ torch.eye(state.shape[1]) for state in find("lstm_step").reference(*arguments)]


@pytest.mark.parametrize(
    ("name", "answer"), [("BiLM", WithZerosOfItsOwn), ("lstm_step", step_with_zeros_of_its_own)]
)
def test_tensors_made_in_the_precision_of_the_lesson_are_right(name: str, answer: Any) -> None:
    exercise = find(name)
    assert examine(exercise, answer).points == exercise.points


def test_two_wrong_runs_are_told_of_one_at_a_time_and_none_is_given_away() -> None:
    report = examine(find("broken_runs"), lambda: TRUTH | {"A": 2, "B": 4})
    assert report.points == 1
    assert "A is not fault 2" in report.message
    for name, number in TRUTH.items():
        assert f"{name} is fault {number}" not in report.text()


def test_each_run_has_its_own_sentence_however_many_are_wrong() -> None:
    said = re.sub(
        r"\s+", " ", examine(find("broken_runs"), lambda: {"A": 5, "B": 1, "C": 3}).text()
    )
    for name, number in {"A": 5, "B": 1, "C": 3}.items():
        assert f"{name} is not fault {number} ({FAULTS[number - 1]})." in said


def test_a_fault_may_be_numbered_with_a_point() -> None:
    report = examine(find("broken_runs"), lambda: {name: float(n) for name, n in TRUTH.items()})
    assert report.points == 3
    report = examine(find("broken_runs"), lambda: TRUTH | {"A": 2.5})
    assert "For A you say 2.5." in report.text()


def reads_twice(model: Any, ids: torch.Tensor, t: int, other: torch.Tensor, *, late: bool) -> Any:
    """Whether a state moved, by an answer that writes into `ids` before or after reading it."""
    before = model(ids)[0] if late else None
    ids[:, t] = other
    before = before or model(ids)[0]
    pairs = zip(before, model(ids)[0], strict=True)
    return torch.stack([(a != b)[0].unflatten(-1, (2, -1)).any(-1).T for a, b in pairs])


@pytest.mark.parametrize("late", [True, False])
def test_the_same_sentence_is_read_twice_only_if_it_is(late: bool) -> None:
    report = examine(
        find("moved"), lambda model, ids, t, other: reads_twice(model, ids, t, other, late=late)
    )
    assert report.points == 0
    assert "changed its argument `ids`" in report.message
    assert ("the same sentence twice" in report.message) is not late


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (lambda came: came.detach(), "Autograd cannot follow your answer back"),
        (tuple, "Return one tensor, not a tuple: `torch.stack(...)` makes one"),
        (lambda came: came.detach().numpy(), "Your answer leaves PyTorch"),
    ],
)
def test_a_loss_that_nothing_can_learn_from_is_refused(
    form: Callable[[torch.Tensor], Any], said: str
) -> None:
    right = find("bilm_loss").reference
    report = examine(find("bilm_loss"), lambda *given: form(right(*given)))
    assert report.points == 0
    assert said in re.sub(r"\s+", " ", report.text())


def test_weights_under_other_names_are_asked_for_by_theirs() -> None:
    class Renamed(torch.nn.Module):
        def __init__(self, words: int, size: int, layers: int) -> None:
            super().__init__()
            self.embedding = torch.nn.Embedding(words + 1, size)

    report = examine(find("TwoWay"), Renamed)
    assert report.points == 0
    assert "no weights called `table`" in report.message


def test_a_list_of_rows_is_not_told_to_leave_numpy() -> None:
    reverse = find("reverse_each")
    said = examine(reverse, lambda x, lengths: list(reverse.reference(x, lengths))).text()
    assert "Return one tensor, not a list: `torch.stack(...)` makes one" in said
    assert "np.array" not in said
    assert "without NumPy" not in said


@pytest.mark.parametrize(
    ("replaced", "said"),
    [
        (slice(None), "You replace more than one word."),
        (slice(2, None), "You replace more than one word."),
        (2, "you ask whether anything moved in the whole sentence"),
    ],
)
def test_a_word_too_many_is_no_question_of_the_whole_sentence(replaced: Any, said: str) -> None:
    def moved(model: Any, ids: torch.Tensor, t: int, other: torch.Tensor) -> torch.Tensor:
        changed = ids.clone()
        changed[:, t if replaced == 2 else replaced] = other
        before, after = (torch.stack(model(x)[0])[:, 0] for x in (ids, changed))
        far = (after - before).abs().unflatten(-1, (2, -1)).amax(-1).transpose(1, 2) > 1e-6
        return far.any(-1, keepdim=True).expand_as(far)

    assert said in re.sub(r"\s+", " ", examine(find("moved"), moved).text())
