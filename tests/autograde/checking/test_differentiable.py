"""What is said where no gradient comes back, though the answer itself ran."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograde.checking.answers import AnswerRefused
from autograde.checking.catalogue import find
from autograde.checking.check import examine
from autograde.checking.differentiable import NO_TENSOR, OWN_FROZEN, slopes, tensor_of
from autograde.checking.exercise import Exercise
from autograde.exercises.context_enters import around_target
from autograde.exercises.from_characters import CharCNN, highway
from autograde.exercises.static_limits import glove_loss
from autograde.exercises.taglm import path_score
from autograde.exercises.word2vec import sgns_loss


def test_a_leaf_without_a_way_has_no_slope() -> None:
    x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
    found = slopes((3 * x).sum(), {"x": x, "y": y})
    assert found["x"] is not None
    assert found["x"].tolist() == [3, 3]
    assert found["y"] is None
    assert slopes(torch.ones(()), {"x": x}) == {"x": None}


def frozen(x: Tensor, *weights: Tensor) -> Tensor:
    x.requires_grad_(False)
    return highway.reference(x, *weights)


def test_an_argument_whose_gradient_is_switched_off_is_named() -> None:
    report = examine(highway.EXERCISE, frozen)
    assert report.points == 0
    assert report.message.startswith("Your answer switches the gradient of `x` off")
    assert "stopped" not in report.text()


class FrozenTable(CharCNN._WithEmbedding):
    def __init__(self, weights: dict[str, Tensor]) -> None:
        super().__init__(weights)
        self.table = nn.Embedding.from_pretrained(self.table.weight.detach(), padding_idx=0)


def test_a_frozen_parameter_is_named() -> None:
    report = examine(CharCNN.EXERCISE, FrozenTable)
    assert report.message == OWN_FROZEN.format(name="table.weight")


def in_place(x: Tensor, w: Tensor, b: Tensor, v: Tensor, c: Tensor) -> Tensor:
    g = torch.sigmoid(x @ v + c)
    new = g * torch.relu(x @ w + b) + (1 - g) * x
    g += 0
    return new


def test_a_way_back_that_is_broken_is_no_fault_of_the_function_that_ran() -> None:
    report = examine(find("highway"), in_place)
    assert "changed in place" in report.message
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    total = (y**2).sum()
    y.zero_()
    with pytest.raises(AnswerRefused, match="changed in place"):
        slopes(total, {"x": x})


def frozen_for_good(
    x: Tensor, layers: list[Tensor], mix_in: Any, mix_out: Any, rnn: Any, where: str
) -> Tensor:
    for layer in layers:
        layer.requires_grad_(False)
    result: Tensor = find("with_elmo").reference(x, layers, mix_in, mix_out, rnn, where)
    return result


def test_one_of_many_layers_is_named() -> None:
    message = examine(find("with_elmo"), frozen_for_good).message
    assert "`layers[0]`" in message
    assert "`.detach()`" in message


def test_a_classifier_that_cannot_learn_did_not_stop() -> None:
    def frozen_whole(classifier: nn.Module, model: nn.Module) -> None:
        find("start_from").reference(classifier, model)
        classifier.requires_grad_(False)

    report = examine(find("start_from"), frozen_whole)
    assert report.points == 0
    assert "parts of the classifier that can learn" in report.message


@pytest.mark.parametrize("otherwise", [NO_TENSOR, "a {kind} for one tensor"])
def test_a_list_of_tensors_is_told_what_makes_one(otherwise: str) -> None:
    with pytest.raises(AnswerRefused, match=r"not a list: `torch.stack\(...\)` makes one"):
        tensor_of(lambda: [torch.ones(2)], otherwise)


def test_a_list_of_anything_else_is_not_told_to_leave_numpy() -> None:
    for came in ([1.0, 2.0], (torch.ones(2), 1.0)):
        with pytest.raises(AnswerRefused, match="Return one tensor, not a "):
            tensor_of(lambda came=came: came)
        with pytest.raises(AnswerRefused, match=f"a {type(came).__name__} for one tensor"):
            tensor_of(lambda came=came: came, "a {kind} for one tensor")


@pytest.mark.parametrize(
    ("exercise", "name"),
    [
        (around_target.EXERCISE, "left"),
        (around_target.EXERCISE, "right"),
        (glove_loss.EXERCISE, "context_vectors"),
        (glove_loss.EXERCISE, "biases"),
        (path_score.EXERCISE, "transitions"),
        (path_score.EXERCISE, "end"),
        (sgns_loss.EXERCISE, "context"),
        (sgns_loss.EXERCISE, "negatives"),
    ],
)
def test_one_argument_that_is_cut_off_from_autograd_is_named(exercise: Exercise, name: str) -> None:
    place = exercise.parameters().index(name)

    def cut_off(*arguments: Any) -> Any:
        kept = [*arguments]
        kept[place] = kept[place].detach()
        return exercise.reference(*kept)

    report = examine(exercise, cut_off)
    assert report.points == 0
    assert f"`{name}`" in report.text()


def test_an_argument_that_is_not_used_is_not_cut_off() -> None:
    def left_alone(left: Tensor, right: Tensor) -> Tensor:
        return torch.cat([left[:, :-2], left[:, 2:]], -1)

    assert "Autograd cannot follow" not in examine(around_target.EXERCISE, left_alone).text()
