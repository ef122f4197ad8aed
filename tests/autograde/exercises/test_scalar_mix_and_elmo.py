"""What lesson 08 shows beside its exercises: black boxes, and the package as one of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from autograde.building.lesson_source import read_lesson
from autograde.checking.check import examine
from autograde.exercises.scalar_mix_and_elmo.broken import (
    FAULTS,
    KINDS,
    PLANTED,
    Elmo,
    elmo_with,
    in_arrays,
    planted,
)
from autograde.exercises.scalar_mix_and_elmo.errors_gone import errors_gone
from autograde.exercises.scalar_mix_and_elmo.find_fault import EXERCISE, find_fault
from autograde.exercises.scalar_mix_and_elmo.small_elmo import small_elmo
from course.scalar_mix_and_elmo.mix_gradient import mix_gradient
from elmo_mini.embedding.elmo import Elmo as PackageElmo
from elmo_mini.embedding.scalar_mix import AllenNLPScalarMix
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.text.character_ids import batch_to_ids

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def weights() -> dict[str, Tensor]:
    return small_elmo(3, layers=2)


def test_every_box_has_the_fault_that_it_is_listed_with(weights: dict[str, Tensor]) -> None:
    assert find_fault(elmo_with("nothing", weights)) == "sound"
    found = {kind: find_fault(elmo_with(kind, weights)) for kind in KINDS}
    assert found == KINDS


def test_the_four_of_the_lesson_are_told_apart(weights: dict[str, Tensor]) -> None:
    found = {name: find_fault(box) for name, box in planted(weights).items()}
    assert found == {name: KINDS[kind] for name, kind in PLANTED.items()}
    assert sorted(found.values()) == sorted(FAULTS)


def test_a_reader_of_tensors_can_be_questioned_too(weights: dict[str, Tensor]) -> None:
    for kind, verdict in (("nothing", "sound"), ("remembers", "remembers")):
        box = elmo_with(kind, weights)
        tensors = lambda batch, box=box: [torch.from_numpy(v) for v in box(batch)]  # noqa: E731
        assert find_fault(in_arrays(tensors)) == verdict


def test_an_inspector_that_calls_every_sound_elmo_shifted_loses_what_its_question_is_worth() -> (
    None
):
    def reads_the_backward_half(elmo: Elmo) -> str:
        said = find_fault(lambda texts: [np.roll(v, v.shape[1] // 2, 1) for v in elmo(texts)])
        return "shifted" if said == "sound" else said

    report = examine(EXERCISE, reads_the_backward_half)
    assert report.points <= 0.75 * EXERCISE.points
    assert report.mistake is not None
    assert report.mistake.name.startswith("the whole vector")


@pytest.mark.parametrize(
    ("settings", "verdict"),
    [
        ({}, "sound"),
        ({"stateful": True}, "remembers"),
        ({"do_layer_norm": True}, "depends on its company"),
    ],
)
def test_the_inspector_judges_the_package(settings: dict[str, bool], verdict: str) -> None:
    torch.manual_seed(0)
    bilm = FastBiLM(BiLMOptions(filters=((1, 8), (2, 8)), dim=16, projection_dim=8))
    elmo = PackageElmo(None, None, 1, dropout=0.0, module=bilm, **settings)

    @torch.no_grad()
    def box(sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        given = elmo(batch_to_ids(sentences))
        pairs = zip(given["elmo_representations"][0], given["mask"], strict=True)
        return [vectors[there].numpy() for vectors, there in pairs]

    assert find_fault(box) == verdict


def test_the_packages_mix_learns_what_the_exercise_derives() -> None:
    rng = np.random.default_rng(0)
    layers, upstream, w = rng.normal(size=(3, 4, 5)), rng.normal(size=(4, 5)), rng.normal(size=3)
    mix = AllenNLPScalarMix(3, initial_scalar_parameters=w.tolist()).double()
    numbers = list(mix.scalar_parameters)
    loss = (mix(list(torch.from_numpy(layers))) * torch.from_numpy(upstream)).sum()
    (loss + 0.3 * sum(number.square().sum() for number in numbers)).backward()
    for_w, for_gamma = mix_gradient(layers, w, 1.0, upstream, 0.3)
    assert np.allclose([float(n.grad or 0.0) for n in numbers], for_w, atol=1e-6)
    assert np.isclose(float(mix.gamma.grad or 0.0), for_gamma, atol=1e-6)


def asked_late(elmo: Elmo) -> str:
    """An inspector that reads one sentence again and again before it asks for a memory."""
    words = ["the", "cat", "sat"]
    elmo([words, ["a", "dog", "ran", "over", "the", "road"]])
    elmo([words])
    late = np.abs(elmo([words])[0] - elmo([words])[0]).max() > 1e-4
    found = find_fault(elmo)
    return found if found != "remembers" or late else "sound"


@pytest.mark.by_reach("second opinion of find_fault", seconds=5)
def test_a_memory_is_heard_however_late_it_is_asked_for() -> None:
    for seed in range(2):
        assert examine(EXERCISE, asked_late, seed).points == EXERCISE.points


def test_elmo_s_error_reductions_are_those_of_its_table() -> None:
    baseline = np.array([81.1, 88.0, 81.4, 67.2, 90.15, 51.4])
    with_elmo = np.array([85.8, 88.7, 84.6, 70.4, 92.22, 54.7])
    printed = [24.9, 5.8, 17.2, 9.8, 21.0, 6.8]
    assert errors_gone(baseline, with_elmo) == pytest.approx(printed, abs=0.11)
    before = np.array([84.4, 88.6, 81.7, 67.2, 91.93, 53.7])
    assert int((errors_gone(before, with_elmo) > 5).sum()) == 3


def test_the_known_mix_comes_out_of_a_mix_that_takes_the_promised_axes_alone() -> None:
    def four_axes(layers: Tensor, w: Tensor, gamma: float) -> Tensor:
        return gamma * (torch.softmax(w, 0).view(-1, 1, 1, 1) * layers).sum(0)

    random = np.random.default_rng(0)
    names: dict[str, Any] = {
        "np": np,
        "torch": torch,
        "scalar_mix": four_axes,
        "mix_gradient": mix_gradient,
        "or_reference": lambda name, own: own,
        "in_context": [random.standard_normal((3, 20, 8)) for _ in range(8)],
    }
    source = next(ROOT.glob("solutions/*/scalar_mix_and_elmo.py"))
    cells = [cell.source for cell in read_lesson(source).cells if cell.kind == "code"]
    (given,) = (cell for cell in cells if "REAL = " in cell)
    (descent,) = (cell for cell in cells if "def recovered" in cell)
    exec(given + "\n" + descent.split("(free, gamma)")[0], names)
    free, gamma = names["recovered"](hold_gamma=False)
    assert np.abs(free - names["TRUTH"]).max() < 0.01
    assert abs(gamma - 2) < 0.05
