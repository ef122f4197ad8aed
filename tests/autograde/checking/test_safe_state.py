"""A right answer is right whatever the notebook has switched; a broken kernel is called one."""

import _thread
import builtins
import operator
import os
import random
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from autograde.checking import outcomes
from autograde.checking.check import check, examine
from autograde.checking.differentiable import run_differentiably
from autograde.checking.exercise import Case, Exercise
from tests.autograde.checking.made_up import exercise


@pytest.fixture
def switched_back() -> Iterator[None]:
    limit, filters = sys.getrecursionlimit(), list(warnings.filters)
    yield
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    np.seterr(all="warn", under="ignore")
    sys.setrecursionlimit(limit)
    warnings.filters[:] = filters  # type: ignore[index]


def new_ones(values: torch.Tensor) -> torch.Tensor:
    with warnings.catch_warnings(record=True):
        warnings.warn("an old function", stacklevel=1)
    return torch.eye(3) @ values + values


def deep(values: torch.Tensor) -> torch.Tensor:
    def count(n: int) -> int:
        return 0 if n == 0 else 1 + count(n - 1)

    return values * count(400) / 200


def tensors() -> Exercise:
    return exercise(
        reference=lambda values: 2 * values,
        cases=(Case("ones", lambda rng: {"values": np.ones(3, dtype=np.float32)}),),
        run=run_differentiably,
    )


SWITCHES: dict[str, Callable[[], Any]] = {
    "gradients off": lambda: torch.set_grad_enabled(False),
    "another number type": lambda: torch.set_default_dtype(torch.float64),
    "another device": lambda: torch.set_default_device("meta"),
    "numpy raises": lambda: np.seterr(all="raise"),
    "warnings raise": lambda: warnings.simplefilter("error"),
    "little recursion": lambda: sys.setrecursionlimit(300),
}


@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("answer", [new_ones, deep])
def test_a_right_answer_is_right_whatever_is_switched(
    switched_back: None, switch: str, answer: Callable[..., Any]
) -> None:
    made = tensors()
    SWITCHES[switch]()
    report = examine(made, answer)
    assert report.points == 4, report.text()
    assert examine(made, lambda values: values).points == 0
    assert torch.is_grad_enabled() == (switch != "gradients off")


def test_the_notebook_keeps_its_own_switches(switched_back: None, registered: Exercise) -> None:
    torch.set_default_dtype(torch.float64)
    sys.setrecursionlimit(900)
    check("double", lambda values: 2 * values)
    assert torch.get_default_dtype() == torch.float64
    assert sys.getrecursionlimit() == 900


def test_an_answer_leaves_no_trace_in_the_notebook(
    switched_back: None, registered: Exercise
) -> None:
    def careless(values: np.ndarray) -> np.ndarray:
        random.seed(1)
        np.random.seed(1)  # noqa: NPY002
        torch.manual_seed(1)
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        sys.setrecursionlimit(5_000)
        return 2 * values

    def drawn() -> tuple[float, float, float]:
        return random.random(), np.random.rand(), torch.rand(1).item()  # noqa: NPY002

    def seeded() -> None:
        random.seed(7)
        np.random.seed(7)  # noqa: NPY002
        torch.manual_seed(7)

    limit = sys.getrecursionlimit()
    seeded()
    undisturbed = drawn()
    seeded()
    assert check("double", careless) == 4
    assert drawn() == undisturbed
    assert torch.get_default_dtype() == torch.float32
    assert torch.is_grad_enabled()
    assert sys.getrecursionlimit() == limit


def test_what_an_answer_switches_or_replaces_in_one_case_is_as_ever_in_the_next(
    switched_back: None,
) -> None:
    """They share a thread, and gradients and the device are a thread's."""
    seen: list[tuple[Any, ...]] = []
    multiply = np.multiply

    def switches(values: np.ndarray) -> np.ndarray:
        state = torch.is_grad_enabled(), torch.get_default_dtype(), torch.zeros(1).device.type
        seen.append((threading.get_ident(), *state, np.add, np.geterr()["divide"]))
        torch.set_grad_enabled(False)
        torch.set_default_dtype(torch.float64)
        torch.set_default_device("meta")
        np.seterr(all="raise")
        np.add = multiply  # type: ignore[assignment]
        return 2 * values

    add = np.add
    assert examine(exercise(), switches).points == 4
    assert len(seen) == 2
    assert len(set(seen)) == 1
    assert seen[0][1:] == (True, torch.float32, "cpu", add, "ignore")


def test_a_check_starts_three_threads_however_many_cases_and_mistakes_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[threading.Thread] = []
    start = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda self: begun.append(self) or start(self))
    few = exercise()
    many = exercise(cases=few.cases * 5, mistakes=few.mistakes * 5)
    for made in (few, many):
        begun.clear()
        assert examine(made, lambda values: 3 * values).points == 0
        assert len(begun) == 3  # inputs, the answer, the judge


@pytest.mark.usefixtures("interruptible_process")
def test_an_interrupt_while_the_reference_runs_leaves_nothing_to_remember() -> None:
    interrupting = True

    def doubled(values: np.ndarray) -> np.ndarray:
        if interrupting:
            _thread.interrupt_main()
            while True:
                pass
        return 2 * values

    made = exercise(reference=doubled)
    with pytest.raises(KeyboardInterrupt):
        examine(made, lambda values: 3 * values)
    interrupting = False
    assert examine(made, lambda values: 3 * values).judged
    assert examine(made, lambda values: values + values).points == 4


def twice(values: np.ndarray) -> np.ndarray:
    return operator.add(values, values)


def test_a_reference_that_fails_means_a_broken_kernel_not_a_wrong_answer() -> None:
    made = exercise(reference=twice)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(operator, "add", None)
        report = examine(made, lambda values: 2 * values)
    assert report.points == 0
    assert "not judged" in report.message
    assert "Restart the kernel" in report.message
    assert "drawn numbers" in report.message
    assert report.mistake is None
    assert examine(made, lambda values: 2 * values).points == 4


def test_a_reference_that_changes_means_a_broken_kernel() -> None:
    made = exercise(reference=twice)
    assert examine(made, twice).points == 4
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(operator, "add", operator.mul)
        report = examine(made, lambda values: operator.add(values, values))
    assert "not judged" in report.message
    assert report.mistake is None
    assert examine(made, twice).points == 4


def test_the_judge_keeps_its_own_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("isclose", "asarray", "abs", "nan_to_num", "array_equal", "unravel_index"):
        monkeypatch.setattr(np, name, lambda *a, **k: 1 / 0)
    assert examine(exercise(), lambda values: values + values).points == 4
    report = examine(exercise(), lambda values: values * values)
    assert report.mistake is not None
    assert report.mistake.name == "squared"


REPLACED: dict[str, tuple[object, str, object]] = {
    "numpy": (np, "add", np.multiply),
    "a function that numpy prints with": (np, "isfinite", None),
    "numpy's generators": (np.random, "default_rng", None),
    "torch": (torch, "add", torch.mul),
    "a method of tensors": (torch.Tensor, "sum", torch.Tensor.mean),
    "python": (builtins, "sum", max),
}


def sums(values: np.ndarray) -> Any:
    tensor = torch.from_numpy(values.copy())
    return np.add(values, torch.add(tensor, tensor).numpy()) + sum([tensor.sum().item()])


@pytest.mark.parametrize("place", REPLACED)
def test_functions_that_a_cell_has_replaced_are_their_own_while_a_check_runs(
    monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    made = exercise(reference=sums, mistakes=())
    lender, name, other = REPLACED[place]
    with monkeypatch.context() as patched:
        patched.setattr(lender, name, other)
        assert examine(made, sums).points == 4
        assert examine(made, lambda values: 3 * values).points == 0
        assert getattr(lender, name) is other


def test_functions_that_an_answer_replaces_change_neither_the_judge_nor_the_notebook() -> None:
    def ones(*_: Any, **__: Any) -> np.ndarray:
        return np.ones(5)

    def forger(values: np.ndarray) -> Any:
        np.add = ones  # type: ignore[assignment]
        return np.add(values, values)

    add = np.add
    assert examine(exercise(reference=lambda values: np.add(values, values)), forger).points == 0
    assert np.add is add


def test_a_method_that_is_written_over_in_an_answer_is_its_own_again() -> None:
    """`torch.Tensor` has `softmax` from what it inherits, so no place of its own to put back."""

    def forger(values: np.ndarray) -> Any:
        torch.Tensor.softmax = lambda self, *_: self  # type: ignore[method-assign]
        return 2 * values

    examine(exercise(), forger)
    assert "softmax" not in vars(torch.Tensor)
    assert torch.zeros(2).softmax(-1).tolist() == [0.5, 0.5]


def test_a_method_that_a_cell_has_written_over_stays_the_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = exercise(
        reference=lambda values: torch.from_numpy(values).softmax(-1).numpy(), mistakes=()
    )
    with monkeypatch.context() as patched:
        patched.setattr(torch.Tensor, "softmax", new_ones, raising=False)
        assert examine(made, made.reference).points == 4
        assert torch.Tensor.softmax is new_ones


def test_exit_in_an_answer_ends_the_answer_and_not_the_notebook(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended: list[object] = []

    class Shell(SimpleNamespace):
        def ask_exit(self) -> None:
            ended.append(self)

    shell = Shell()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    report = examine(exercise(), lambda values: shell.ask_exit())
    assert "`exit()` would end the notebook" in report.message
    assert not ended
    shell.ask_exit()
    assert ended == [shell]


def test_a_notebook_stays_in_its_folder(tmp_path: Path) -> None:
    def strays(values: np.ndarray) -> Any:
        os.chdir(tmp_path)
        return 2 * values

    folder = Path.cwd()
    assert examine(exercise(), strays).points == 4
    assert Path.cwd() == folder


def test_a_kernel_that_breaks_the_judge_is_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, registered: Exercise
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(outcomes, "first_difference", None)
        score = check("double", lambda values: 3 * values)
    assert "the check itself stopped with TypeError" in score.report.message
    assert "Restart the kernel" in score.report.message


class Evil(Exception):
    def __str__(self) -> str:
        raise ValueError

    __repr__ = __str__


class EvilFloat(float):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = float.__hash__

    def __str__(self) -> str:
        raise ValueError

    __repr__ = __str__


class EvilText(str):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__

    def __repr__(self) -> str:
        raise ValueError


class EvilArray(np.ndarray):
    def copy(self, order: Any = "C") -> Any:
        raise ValueError

    def __eq__(self, other: object) -> Any:
        return True


class EvilCallable:
    def __array__(self, *_: Any) -> Any:
        raise ValueError

    def __str__(self) -> str:
        raise ValueError

    __repr__ = __str__


def raises_evil(values: Any) -> Any:
    raise Evil


def test_an_error_without_a_text_is_told_by_its_type() -> None:
    report = examine(exercise(), raises_evil)
    assert "stopped with Evil" in report.message


@pytest.mark.parametrize("error", [KeyboardInterrupt, GeneratorExit, BaseException])
def test_no_error_of_an_answer_passes_the_check(error: type[BaseException]) -> None:
    def answer(values: Any) -> Any:
        raise error("on purpose")

    assert f"stopped with {error.__name__}: on purpose" in examine(exercise(), answer).message


def test_numbers_texts_and_arrays_that_compare_as_they_like_are_judged_by_their_value() -> None:
    number = exercise(reference=lambda values: 2.5, mistakes=())
    assert examine(number, lambda values: EvilFloat(2.5)).points == 4
    assert "is 3, not 2.5" in examine(number, lambda values: EvilFloat(3)).text()
    text = exercise(reference=lambda values: "right", mistakes=())
    assert examine(text, lambda values: EvilText("right")).points == 4
    assert "not 'wrong'" in examine(text, lambda values: EvilText("wrong")).text()
    assert examine(exercise(), lambda values: (2 * values).view(EvilArray)).points == 4
    assert examine(exercise(), lambda values: (3 * values).view(EvilArray)).points == 0


def test_objects_that_cannot_be_shown_are_named_by_type() -> None:
    assert "EvilCallable" in examine(exercise(), lambda values: EvilCallable()).message
    assert "EvilCallable" in examine(exercise(), EvilCallable()).message


def test_an_answer_may_close_or_replace_the_streams() -> None:
    before = sys.stdout, sys.stderr

    def closes(values: np.ndarray) -> np.ndarray:
        print("still here")
        sys.stdout.close()
        sys.stderr.close()
        print("after all")
        return 2 * values

    def replaces(values: np.ndarray) -> np.ndarray:
        sys.stdout = sys.stderr = None  # type: ignore[assignment]
        return 2 * values

    report = examine(exercise(), closes)
    assert report.points == 4
    assert "after all" in report.printed
    assert examine(exercise(), replaces).points == 4
    assert (sys.stdout, sys.stderr) == before
