"""The command prints a table, names an exercise that is not there, and stores only when asked."""

import argparse

import pytest

from autograde.proving import mutants, tables, verdicts


def arguments(*names: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    mutants.add_arguments(parser)
    return parser.parse_args([*names, "--most", "12", "--processes", "1"])


def test_the_command_prints_what_became_of_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "store", lambda *_: pytest.fail("nobody asked to store"))
    assert mutants.run(arguments("perplexity")) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("perplexity: 12 mutants")
    assert "told the cause" in printed


def test_an_unknown_exercise_is_named_with_those_there_are() -> None:
    with pytest.raises(SystemExit, match=r"no exercise 'perplex'.*softmax_cost"):
        mutants.run(arguments("perplex"))


def test_an_exercise_without_a_right_answer_to_change_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(verdicts, "answers", lambda exercise: {})
    with pytest.raises(SystemExit, match=r"perplexity has no right answer.*`right_answers`"):
        mutants.run(arguments("perplexity"))
