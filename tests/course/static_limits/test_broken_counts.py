"""The planted faults of GloVe show the symptoms that lesson 02 speaks of."""

import pytest

from autograde.exercises.static_limits.train_glove import train_glove
from course.static_limits.broken_counts import Symptoms, four_runs
from elmo_mini import corpora
from elmo_mini.models.glove import cooccurrence_counts, glove_loss


def runs() -> dict[str, Symptoms]:
    sentences = list(corpora.lee().sentences(lower=True))
    return four_runs(
        sentences,
        ["he", "nowhere"],
        cooccurrence_counts,
        lambda *parts: glove_loss(*parts, x_max=10.0),
        train_glove,
    )


def a_score_held_to_the_count_runs_away(seen: dict[str, Symptoms]) -> None:
    assert seen["A"].frequent > 5 * seen["A"].target
    for name in ("sound", "B"):
        assert abs(seen[name].frequent - seen[name].target) < 0.3


def pairs_that_never_occur_are_pushed_down_in_one_run(seen: dict[str, Symptoms]) -> None:
    assert seen["C"].unseen < min(seen[name].unseen for name in ("sound", "A", "B")) - 2


def all_losses_fall_and_known_words_have_neighbours(seen: dict[str, Symptoms]) -> None:
    for symptoms in seen.values():
        assert symptoms.losses[0] == 1 > symptoms.losses[-1]
        assert list(symptoms.near) == ["he"]
        assert len(symptoms.near["he"]) == 5


@pytest.mark.by_reach("trained again", seconds=15)
def test_each_broken_run_of_lesson_02_shows_what_is_said_of_it() -> None:
    seen = runs()
    for shown in (
        a_score_held_to_the_count_runs_away,
        pairs_that_never_occur_are_pushed_down_in_one_run,
        all_losses_fall_and_known_words_have_neighbours,
    ):
        shown(seen)
