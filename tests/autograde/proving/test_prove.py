"""The command builds, proves and mutates, and says what falls short."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from autograde.checking.catalogue import find
from autograde.checking.exercise import Mistake
from autograde.proving import new_exercise, proofs, prove
from autograde.proving.prove import built, mutant_lines, narrow
from autograde.proving.verdicts import Verdict
from tests.autograde.checking.made_up import exercise

ROOT = Path(__file__).parents[3]


def arguments(*names: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    prove.add_arguments(parser)
    return parser.parse_args([*names, "--root", str(ROOT)])


def test_an_exercise_that_keeps_its_promises(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prove, "built", lambda *_: iter(()))  # other tests read those notebooks
    assert prove.run(arguments("relative_frequency")) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("relative_frequency: ")
    assert "are told" in printed
    assert "!" not in printed


def test_an_unknown_exercise_is_named_with_those_there_are() -> None:
    with pytest.raises(SystemExit, match=r"no exercise 'perplex'.*softmax_cost"):
        prove.run(arguments("perplex"))


def test_an_exercise_without_cells_in_its_lesson_is_told(tmp_path: Path) -> None:
    (fault,) = built(exercise(lesson="99_none"), ROOT)
    assert "There is no lesson '99_none'" in fault


def test_each_promise_that_is_broken_is_told() -> None:
    sound = find("relative_frequency")
    (few,) = proofs.framing(replace(sound, mistakes=sound.mistakes[:2]))
    assert "names 2 mistakes" in few
    lost = Mistake("lost", sound.reference, "It is lost.", hint=4)
    (nowhere,) = proofs.framing(replace(sound, mistakes=(*sound.mistakes, lost)))
    assert nowhere == 'its mistake "lost" leads to hint 4; there are three'
    made = exercise(right_answers={"tripled": lambda values: 3 * values})
    (refused,) = proofs.right_answer(made, "tripled", made.right_answers["tripled"], 0)
    assert refused.startswith('the right answer "tripled" is refused')
    squared, halved, _ = made.mistakes
    (kept,) = proofs.named(made, replace(squared, answer=made.reference), 0)
    assert kept == 'the mistake "squared" keeps all points'
    (unknown,) = proofs.named(made, replace(squared, answer=lambda values: values**5), 0)
    assert unknown.startswith('the mistake "squared" is told:')
    (silent,) = proofs.named(made, replace(halved, says="Something else."), 0)
    assert "not told its sentence" in silent


def test_the_mutants_are_readable() -> None:
    shared = "a" * 40, "b" * 40
    change = " → ".join(digit.join(shared) for digit in "12")
    found = [
        Verdict((change,), "unnamed", 0.5, "a case", "The result is 2, not 1."),
        Verdict(("x → y",), "named", 1.0, "a case", "the name"),
    ]
    few, all_ = (list(mutant_lines(found, everything=every)) for every in (False, True))
    assert few[0].startswith("  2 mutants, 2 outcomes")
    assert len(few) == 3
    assert len(all_) == 5
    ends = "…" + "a" * 24, "b" * 24 + "…"
    assert narrow(change) == f"{'1'.join(ends)} → {'2'.join(ends)}"
    assert narrow("x → y") == "x → y"


def test_a_new_exercise_is_entered_in_the_order_of_its_lesson(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "exercises" / "made_up"
    folder.mkdir(parents=True)
    face = folder / "__init__.py"
    face.write_text('"""Made up."""\n\nLESSON = "99_made_up"\nEXERCISES = (\n    "last",\n)\n')
    (folder / "first.py").write_text("")
    (tmp_path / "solutions" / "99_made_up").mkdir(parents=True)
    lesson = tmp_path / "solutions" / "99_made_up" / "made_up.py"
    answer = "    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n\n"
    cells = [f'# %% exercise="{name}"\ndef {name}():\n{answer}' for name in ("first", "last")]
    lesson.write_text("# %% [markdown]\n# # A lesson\n\n" + "".join(cells))
    monkeypatch.setattr(new_exercise.exercises, "__path__", [str(tmp_path / "exercises")])
    monkeypatch.setattr(new_exercise, "places", Places())
    assert "entered in made_up/__init__.py" in new_exercise.enter("first", tmp_path)
    assert 'EXERCISES = (\n    "first",\n    "last",\n)' in face.read_text()
    assert new_exercise.enter("nothing", tmp_path) == ""
    (folder / "without_cells.py").write_text("")
    with pytest.raises(LookupError, match="no cell with exercise='without_cells'"):
        new_exercise.enter("without_cells", tmp_path)
    sys.modules.pop("autograde.exercises.made_up")


class Places(dict[str, str]):
    """A catalogue without exercises."""

    def __call__(self) -> dict[str, str]:
        return self

    def cache_clear(self) -> None:
        """Nothing is remembered."""


def test_a_twin_is_named() -> None:
    made = exercise()
    twin = Mistake("by the sum", lambda values: values + 0, "You return it.")
    (told,) = proofs.named(replace(made, mistakes=(*made.mistakes, twin)), twin, 0)
    assert 'the mistake "by the sum" is told (it does what "unchanged" does)' in told
