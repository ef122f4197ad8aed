"""The questions of lesson 09: who is right, beside readers that need no biLM."""

import numpy as np
import pytest

from course.what_the_layers_know import layer_probes as asked_layers
from course.what_the_layers_know.layer_probes import Asked, Floats
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.probing.tasks import Occurrence, Task

KNOWN = tuple(
    Occurrence(("the", word, "."), 1, label) for word, label in [("runs", "V"), ("cats", "N")]
)
ASKED = tuple(
    Occurrence(("the", word, "!"), 1, label) for word, label in [("runs", "V"), ("sits", "V")]
)
TINY = FastBiLM(BiLMOptions(projection_dim=4, dim=6, filters=((1, 4), (2, 4)), character_dim=3))
TASK = Asked(Task("made up", "made up", KNOWN, ASKED), {"trained": TINY})


def nearest(known: Floats, labels: list[str], asked: Floats) -> list[str]:
    return [labels[int((known @ row).argmax())] for row in asked]


def test_only_the_asked_ones_are_judged() -> None:
    vectors = np.array([[1, 0], [0, 1], [1, 0], [0, 1]], np.float32)
    assert TASK.right(nearest, vectors).tolist() == [True, False]
    assert TASK.right(nearest, vectors, ["V", "N", "V", "N"]).tolist() == [True, True]


def test_words_met_are_told_from_new_ones() -> None:
    assert TASK.met().tolist() == [True, False]
    assert TASK.commonest(TASK.forms).tolist() == [True, False]  # of equals, N comes first


def test_a_share_can_be_asked_of_some() -> None:
    right = np.array([True, False])
    assert TASK.share(right)["mean"] == 0.5
    assert TASK.share(right, among=TASK.met())["mean"] == 1


def test_random_vectors_hang_on_the_spelling_alone() -> None:
    rows = asked_layers.of_forms(["a", "b", "a"])
    assert np.array_equal(rows[0], rows[2])
    assert not np.array_equal(rows[0], rows[1])


def test_neighbours_are_read_and_words_further_away_are_not() -> None:
    near = [Occurrence(("x", "word", last), 1, "") for last in ("here", "there")]
    far = [Occurrence(("word", "a", "b", "c", last), 0, "") for last in ("here", "there")]
    one, other, here, there = asked_layers.of_neighbours([*near, *far])
    assert not np.array_equal(one, other)
    assert np.array_equal(here, there)


def test_three_words_are_the_word_between_its_neighbours() -> None:
    texts = (("a", "b", "c"), ("a", "b", "d"), ("B", "c"), ("b", "c"))
    rows = asked_layers.of_three_words(
        [Occurrence(words, place, "") for words, place in zip(texts, (1, 1, 0, 0), strict=True)],
        TINY,
    ).reshape(4, 3, -1)
    assert np.array_equal(rows[0, :2], rows[1, :2])
    assert not np.array_equal(rows[0, 2], rows[1, 2])
    assert not rows[2:, 0].any()  # before the sentence there is nothing
    assert not np.allclose(rows[2, 1], rows[3, 1])  # capitals are read


def test_spelling_sees_ends_and_capitals() -> None:
    seen = asked_layers.spelling("Walking")
    assert seen["ends 3"] == "ing"
    assert seen["capital"]
    assert not seen["capitals"]


def test_logistic_regression_on_spelling_learns_an_ending() -> None:
    words = [
        (f"{stem}{end}", end) for stem in ("talk", "sing", "read", "play") for end in ("ing", "s")
    ]
    known = tuple(Occurrence((w,), 0, end) for w, end in words[:6])
    asked = tuple(Occurrence((w,), 0, end) for w, end in words[6:])
    task = Asked(Task("made up", "made up", known, asked), {})
    assert asked_layers.spelling_right(task).tolist() == [True, True]


def test_readers_are_compared_word_by_word(capsys: pytest.CaptureFixture[str]) -> None:
    found = {"this\none": np.array([True, True]), "that one": np.array([True, False])}
    assert TASK.lead(found, "this one", "that one")["mean"] == 0.5
    TASK.compare(found, ("this one", "that one"))
    assert "this one minus that one: +50.0" in capsys.readouterr().out


def test_a_lead_is_printed_over_draws_and_among_some(capsys: pytest.CaptureFixture[str]) -> None:
    leads = np.array([[1.0, 0.0], [1.0, -1.0]])
    TASK.compare_draws("A lead", leads, {"met": TASK.met(), "new": ~TASK.met()})
    _, met, new = capsys.readouterr().out.splitlines()
    assert met.startswith("  met: +100.0 (")
    assert met.endswith("(+100.0, +100.0)")
    assert new.startswith("  new: -50.0 (")
    assert new.endswith("(+0.0, -100.0)")


def test_shares_are_printed_with_their_interval(capsys: pytest.CaptureFixture[str]) -> None:
    TASK.print_shares("Right", {"this\none": np.array([True, True])})
    assert "  this one: 100.0 (100.0 to 100.0)" in capsys.readouterr().out


def test_a_figure_has_a_bar_for_each_reader_and_group() -> None:
    found = {"this\none": np.array([True, False]), "that one": np.array([True, True])}
    picture = TASK.draw({"met": found, "new": found}, {"met": TASK.met()}, title="Who is right")
    assert "met: this one 100, that one 100" in picture.description
    assert "new: this one 50, that one 100" in picture.description


def test_controls_have_no_lstm() -> None:
    right = asked_layers.word_controls(TASK, lambda vectors: TASK.right(nearest, vectors))
    names = ["commonest label", "spelling alone", "random numbers", "layer 0 of three words"]
    assert [" ".join(name.split()) for name in right] == names
    assert all(found.shape == (2,) for found in right.values())
