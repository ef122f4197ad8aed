"""What lesson 06 shows beside its exercises: one convolution, and three faults with symptoms."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from autograde.checking.check import examine
from autograde.checking.exercise import Answer
from autograde.exercises.from_characters import broken_encoders, convolve, highway_slope
from autograde.exercises.from_characters.broken import FAULTS, Encoder, encoder_with, planted
from autograde.exercises.from_characters.small_weights import drawn_weights
from elmo_mini.models import elmo as plain
from elmo_mini.text.character_ids import word_to_ids

LONG = "taumata" * 9
LESSON = Path(__file__).parents[3] / "solutions/06_from_characters/from_characters.py"


@pytest.fixture(scope="module")
def weights() -> dict[str, Tensor]:
    drawn = drawn_weights(np.random.default_rng(3), ((1, 4), (3, 6)), dim=4)
    return {name: torch.from_numpy(value) for name, value in drawn.items()}


def test_the_convolution_by_hand_is_that_of_pytorch() -> None:
    torch.manual_seed(0)
    letters, weight, bias = torch.randn(3, 4, 9), torch.randn(5, 4, 3), torch.randn(5)
    by_hand = convolve.reference(letters, weight, bias)
    assert torch.allclose(by_hand, functional.conv1d(letters, weight, bias), atol=1e-5)


def loops_over_everything(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    places = range(letters.shape[2] - weight.shape[2] + 1)
    width = weight.shape[2]
    rows = [
        torch.stack([(word[:, p : p + width] * kernel).sum() for p in places]) + b
        for word in letters
        for kernel, b in zip(weight, bias, strict=True)
    ]
    return torch.stack(rows).view(len(letters), len(weight), -1)


def loops_over_words(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    windows = letters.unfold(2, weight.shape[2], 1)
    return torch.stack([torch.einsum("dpw,fdw->fp", w, weight) + bias[:, None] for w in windows])


def loops_over_filters(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    windows = letters.unfold(2, weight.shape[2], 1)
    return torch.stack([torch.einsum("ndpw,dw->np", windows, k) for k in weight], 1) + bias[:, None]


def loops_over_places_columns_and_numbers(letters: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    places = letters.shape[2] - weight.shape[2] + 1
    matches = torch.zeros(len(letters), len(weight), places)
    for p in range(places):
        for j in range(weight.shape[2]):
            for d in range(weight.shape[1]):
                matches[:, :, p] += letters[:, None, d, p + j] * weight[None, :, d, j]
    return matches + bias[:, None]


def test_loops_that_are_short_on_a_vocabulary_are_right() -> None:
    report = examine(convolve.EXERCISE, loops_over_places_columns_and_numbers)
    assert report.points == convolve.EXERCISE.points, report.text()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (functional.conv1d, "own convolution"),
        (loops_over_everything, "every word or every filter"),
        (loops_over_words, "every word or every filter"),
        (loops_over_filters, "every word or every filter"),
    ],
)
def test_what_is_right_and_not_asked_for_is_told_why(answer: Answer, said: str) -> None:
    report = examine(convolve.EXERCISE, lambda letters, weight, bias: answer(letters, weight, bias))
    assert report.points < convolve.EXERCISE.points
    assert said in report.text()


def followed_by_a_method(x: Tensor, w: Tensor, b: Tensor, v: Tensor, c: Tensor) -> Tensor:
    x = x.clone().requires_grad_()
    g = torch.sigmoid(v * x + c)
    (slope,) = torch.autograd.grad((g * torch.relu(w * x + b) + (1 - g) * x).sum(), x)
    return slope


def followed_by_an_attribute(
    x: Tensor, w: Tensor, b: Tensor, v: Tensor, c: Tensor
) -> Tensor | None:
    x = x.clone()
    x.requires_grad = True
    g = torch.sigmoid(v * x + c)
    (g * torch.relu(w * x + b) + (1 - g) * x).sum().backward()
    return x.grad


def followed_as_a_copy(x: Tensor, w: Tensor, b: Tensor, v: Tensor, c: Tensor) -> Tensor | None:
    x = torch.tensor(x.tolist(), requires_grad=True)
    return followed_by_a_method(x, w, b, v, c)


@pytest.mark.parametrize(
    "answer", [followed_by_a_method, followed_by_an_attribute, followed_as_a_copy]
)
def test_a_slope_that_autograd_finds_is_refused(answer: Answer) -> None:
    report = examine(highway_slope.EXERCISE, answer)
    assert report.points == 0
    assert "You let autograd find the slope." in report.text()


def test_a_slope_from_a_complex_step_is_refused() -> None:
    def complex_step(x: Tensor, w: Tensor, b: Tensor, v: Tensor, c: Tensor) -> Tensor:
        z = x + 1e-30j
        g, t = 1 / (1 + torch.exp(-(v * z + c))), (w * z + b) * (w * x + b > 0)
        return (g * t + (1 - g) * z).imag * 1e30

    assert "with a complex step" in examine(highway_slope.EXERCISE, complex_step).text()


@pytest.mark.parametrize("step", [1e-3, 3e-5, 1e-6, 1e-8])
@pytest.mark.parametrize("before", [0, 1])
def test_a_slope_that_is_measured_with_a_step_is_not_right(step: float, before: int) -> None:
    def y(x: Tensor, w: Tensor, b: Tensor, v: Tensor, c: Tensor) -> Tensor:
        return torch.lerp(x, torch.relu(w * x + b), torch.sigmoid(v * x + c))

    def measured(x: Tensor, *unit: Tensor) -> Tensor:
        return (y(x + step, *unit) - y(x - before * step, *unit)) / (step * (1 + before))

    assert examine(highway_slope.EXERCISE, measured).points < 2


def test_a_list_of_slopes_is_told_how_it_becomes_a_tensor() -> None:
    said = examine(highway_slope.EXERCISE, lambda *unit: [*highway_slope.reference(*unit)]).text()
    assert "You return a list of slopes." in said
    assert "np.array" not in said


def test_each_encoder_has_its_own_sentence_however_many_are_wrong() -> None:
    said = examine(broken_encoders.EXERCISE, lambda: {"A": 1, "B": 5, "C": 6}).text()
    said = re.sub(r"\s+", " ", said)
    for name, number in {"A": 1, "B": 5, "C": 6}.items():
        assert f"{name} is not fault {number} ({FAULTS[number - 1]})." in said
    assert "one too small" not in said
    assert "above 1" not in said


def half_a_gate_slope(x: Tensor, w: Tensor, b: Tensor, v: Tensor, c: Tensor) -> Tensor:
    g, t = torch.sigmoid(v * x + c), torch.relu(w * x + b)
    return (1 - g) + g * w * (t > 0) + v * g * (1 - g) * t - v * g * x


def test_a_term_that_is_taken_away_is_said_with_its_minus() -> None:
    said = examine(highway_slope.EXERCISE, half_a_gate_slope).text()
    assert "the expected one plus (−w_carry g x) minus (−g′ x)." in re.sub(r"\s+", " ", said)


def test_an_encoder_without_a_fault_is_sound(weights: dict[str, Tensor]) -> None:
    words = ["cat", "naïve", LONG]
    right = plain.CharCNN(weights)(torch.tensor([word_to_ids(word) for word in words]))
    assert torch.equal(encoder_with("", weights)(words)["vectors"], right)


def test_the_planted_faults_have_the_symptoms_that_the_lesson_shows(
    weights: dict[str, Tensor],
) -> None:
    sound, broken = encoder_with("", weights), planted(weights)

    def right(encode: Encoder, word: str, stage: str = "vectors") -> bool:
        return torch.equal(encode([word])[stage], sound([word])[stage])

    assert [right(broken["A"], word) for word in ("cat", LONG)] == [False, True]
    assert [right(broken["B"], word) for word in ("cat", LONG, "naïve")] == [True, True, False]
    assert [right(broken["C"], "cat", s) for s in ("filters", "highway")] == [True, False]
    shut = broken["C"](["cat"], shut=True)
    assert not torch.allclose(shut["highway"], shut["filters"])
    assert torch.allclose(sound(["cat"], shut=True)["highway"], sound(["cat"])["filters"])


def test_the_lesson_lists_the_faults_in_their_order() -> None:
    listed = re.findall(r"^# (\d)\. (.+)$", LESSON.read_text("utf-8"), re.MULTILINE)
    assert listed == [(str(i), fault) for i, fault in enumerate(FAULTS, start=1)]
