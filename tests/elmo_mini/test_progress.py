"""Bars of long work: on standard output, gone at the end, as often as a text is read."""

import pytest

from elmo_mini.progress import WithProgress, progress_bar


def test_the_bar_is_on_standard_output_and_gone_at_the_end(capfd: pytest.CaptureFixture) -> None:
    assert list(progress_bar([1, 2, 3], "counting")) == [1, 2, 3]
    printed = capfd.readouterr()
    assert printed.err == ""
    assert "counting:   0%" in printed.out
    assert printed.out.split("\r")[-2].strip() == ""


def test_a_bar_that_is_not_asked_for_is_not_drawn(capfd: pytest.CaptureFixture) -> None:
    assert list(progress_bar(iter("ab"), "counting", show=False)) == ["a", "b"]
    assert capfd.readouterr() == ("", "")


def test_each_pass_over_a_text_has_a_bar(capfd: pytest.CaptureFixture) -> None:
    text = WithProgress([["a"], ["b"]], "gensim")
    assert list(text) == list(text) == [["a"], ["b"]]
    assert capfd.readouterr().out.count("gensim:   0%") == 2


def test_one_item_of_a_text_is_given_by_its_place() -> None:
    assert WithProgress([["a"], ["b"]])[1] == ["b"]
