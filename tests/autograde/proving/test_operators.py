"""Slips: each changes one place, guards are left alone, and a mutant runs in its own names."""

import ast
from types import FunctionType

import pytest
import torch

from autograde.checking.catalogue import find
from autograde.proving.operators import slips
from autograde.proving.sources import Place, answers, place_of, tree_of, with_part


def changes(source: str, **kinds: str) -> set[str]:
    tree = ast.parse(source).body[0]
    assert isinstance(tree, ast.FunctionDef)
    place = Place(tree, {name: {kind} for name, kind in kinds.items()})
    return {slip.change.partition(" → ")[2] for slip in slips(place)}


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("return x.sum(0)", "return x.sum(1)"),
        ("return x.sum(0)", "return x.mean(0)"),
        ("return x.sum(0)", "return x"),
        ("return x + y", "return x - y"),
        ("return x + y", "return x"),
        ("return x + y", "return y + y"),
        ("return x[1:]", "return x[:]"),
        ("return x[1:]", "return x[2:]"),
        ("return x < y", "return x <= y"),
        ("return -x", "return x"),
        ("return f(x, y)", "return f(y, x)"),
        ("return x, y", "return (y,)"),
        ("x = f(x)\n    return x", "pass"),
        ("return [a for a in x if a > y]", "return [a for a in x]"),
        ("return x.clone()", "return x"),
        ("return x if y else 0", "return 0 if y else x"),
        ("return f(x, dim=0)", "return f(x)"),
    ],
)
def test_a_slip_is_made(line: str, becomes: str) -> None:
    assert becomes in changes(f"def f(x, y):\n    {line}\n", x="float", y="float")


def test_a_variable_is_taken_for_one_of_its_kind_only() -> None:
    source = "def f(x, y):\n    return x * 1\n"
    assert "return y * 1" in changes(source, x="float", y="float")
    assert "return y * 1" not in changes(source, x="float", y="Tensor 2")


def test_a_guard_is_left_alone() -> None:
    source = "def f(x):\n    _check(x)\n    if x < 1:\n        raise ValueError\n    return x\n"
    assert not any("if" in change or "pass" in change for change in changes(source))


def test_a_mutant_of_what_the_reference_calls_runs() -> None:
    exercise = find("span_f1")
    made_of = answers(exercise)["the reference"]
    assert [part.__name__ for part in made_of] == ["span_f1", "span_scores"]
    called = made_of[1]
    assert isinstance(called, FunctionType)
    place = place_of(exercise, made_of[0], called)
    mutant = next(s for s in slips(place) if "correct -= " in s.change)
    gold = [["B-PER", "O"]]
    assert with_part(made_of[0], called, mutant.tree)(gold, gold) == (-1.0, -1.0, -1.0)
    assert with_part(made_of[0], called, tree_of(called))(gold, gold) == (1.0, 1.0, 1.0)
    assert exercise.reference(gold, gold) == (1.0, 1.0, 1.0)


def test_a_mutant_of_a_class_has_one_method_changed_or_what_it_calls() -> None:
    exercise = find("CharCNN")
    made_of = answers(exercise)["the reference"]
    names = ["CharCNN", "CharCNN.__init__", "CharCNN.forward", "parameter", "numbered"]
    assert [part.__qualname__ for part in made_of] == names
    forward, numbered = made_of[2], made_of[4]
    assert isinstance(forward, FunctionType)
    assert isinstance(numbered, FunctionType)
    lower = next(s for s in slips(place_of(exercise, made_of[0], forward)) if "amin" in s.change)
    none = ast.parse("def numbered(name, weights):\n    return []\n").body[0]
    assert isinstance(none, ast.FunctionDef)
    ids = torch.tensor(exercise.inputs(1, seed=0)["ids"])
    drawn = exercise.inputs(1, seed=0)["weights"]
    weights = {name: torch.tensor(value) for name, value in drawn.items()}
    right = exercise.reference(weights)(ids)
    assert torch.equal(with_part(made_of[0], forward, tree_of(forward))(weights)(ids), right)
    assert not torch.equal(with_part(made_of[0], forward, lower.tree)(weights)(ids), right)
    assert len(with_part(made_of[0], numbered, none)(weights).highways) == 0
    assert len(exercise.reference(weights).highways) == 1
