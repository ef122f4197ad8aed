"""The small runs of lesson 10 that the lesson itself only calls."""

import numpy as np
import pytest
import torch

from course.awd_lstm import broken_weight_drop
from course.awd_lstm import experiments as awd_lstm
from course.awd_lstm.nt_asgd_loop import train_own
from course.awd_lstm.recital import learnt_by_heart, recital, speak
from course.awd_lstm.text import running_text
from course.awd_lstm.tied_gradient import gradient_parts
from elmo_mini.awd_lstm.awd_lstm_file import load_awd_lstm
from elmo_mini.awd_lstm.awd_lstm_options import AWDLSTMOptions
from elmo_mini.awd_lstm.training_options import AWDHistory
from elmo_mini.models.awd_lstm import AWDLSTM, averaging_is_due, mean_cross_entropy

TEXT = torch.tensor([2, 3, 4, 5, 2, 4, 3, 5]).repeat(100)
OTHER = torch.tensor([5, 4, 3, 2, 0]).repeat(20)


def test_the_three_parts_of_a_text_are_as_long_as_asked() -> None:
    text = running_text(1_000, 400, 300, say=False)
    assert 1_000 <= len(text.train) < 1_200
    assert all(400 <= len(part) < 520 for part in (text.dev, text.test))
    assert len(text.vocabulary) == 300
    assert text.said(text.train[:1]) == "</s>"
    assert sum(len(s) + 1 for s in text.sentences) + 1 == len(text.train)


def test_a_text_learnt_by_heart_is_recited() -> None:
    model, own, other = learnt_by_heart(TEXT, OTHER, 6, epochs=12, size=16)
    assert own[-1] < 0.6 * own[0]
    assert other[-1] > 2 * own[-1]
    heard = recital(model, TEXT, prompts=5, given=8, length=6)
    assert heard.given.shape == (5, 8)
    assert heard.correct.mean() > 0.4


def test_what_is_said_is_drawn_from_the_seed() -> None:
    model, words = load_awd_lstm()
    said = [speak(model, words, "the house", 12, seed) for seed in (1, 1, 2)]
    assert said[0] == said[1] != said[2]
    assert said[0].startswith("the house ")
    assert "<unk>" not in said[0]


def test_training_with_own_parts_calls_them() -> None:
    torch.manual_seed(0)
    model = AWDLSTM(AWDLSTMOptions(vocabulary_size=6, dim=4, hidden_dim=4, layers=1))
    seen: list[int] = []

    def loop(model, optimiser, rows, lengths, bptt, rate, clip, loss_of, after_step):  # type: ignore[no-untyped-def]
        seen.append(next(lengths))
        loss = loss_of(model(rows[:, :3]).logits, rows[:, 1:4])
        loss.backward()
        optimiser.step()
        after_step()
        return [loss.item()]

    found = train_own(
        model, TEXT, OTHER, loop, mean_cross_entropy, averaging_is_due, epochs=3, patience=1
    )
    assert len(found.dev) == len(found.training) == len(seen) == 3
    assert found.best is not model


def test_the_parts_of_a_tied_gradient_show_the_parts_and_what_was_handed_in() -> None:
    """With the course's derivation the third row is the sum of the first two."""

    def own(table, matrix, read, error):  # type: ignore[no-untyped-def]
        gradient = error.T @ (table[read] @ matrix)
        np.add.at(gradient, read, error @ table @ matrix.T)
        return gradient

    found = gradient_parts(own)
    assert list(found) == ["as read", "as said", "yours"]
    assert np.allclose(found["yours"], np.add(found["as read"], found["as said"]))
    assert all(found["as said"])
    assert found["as read"][2:] == [0, 0, 0, 0]


@pytest.fixture(scope="module")
def runs() -> dict[str, broken_weight_drop.Symptoms]:
    return broken_weight_drop.look_at_all(6, TEXT, OTHER, epochs=4, size=12)


def test_each_broken_run_shows_its_fault(runs: dict[str, broken_weight_drop.Symptoms]) -> None:
    sound = runs["sound"]
    assert sound.training_calls > 0.01
    assert runs["A"].moved == 0
    assert sound.moved > 0
    assert runs["B"].typical < 0.5 * sound.typical
    assert runs["C"].training_calls == 0 < runs["C"].moved
    assert all(run.first_calls > 0.01 for run in runs.values())  # so C is not fault 1
    assert all(run.evaluation_calls == 0 for run in runs.values())
    assert np.shape([run.numbers for run in runs.values()]) == (4, 5)


def test_looking_at_a_run_before_its_training_changes_nothing() -> None:
    """Run B loses weights at each call in training."""
    found = broken_weight_drop.look_at_all(6, TEXT, OTHER, epochs=0, size=12)
    assert found["B"].moved == 0
    assert found["B"].typical == 1


def test_a_part_is_switched_off_and_on_by_itself() -> None:
    bench = awd_lstm.Bench(running_text(300, 100, 60, say=False), [1])
    nothing, awd = bench.nothing, bench.awd
    for part in awd_lstm.PARTS:
        assert awd_lstm.without(awd, part, nothing) != awd
        assert awd_lstm.without(nothing, part, awd) != nothing
    bare = awd
    for part in awd_lstm.PARTS:
        bare = awd_lstm.without(bare, part, nothing)
    assert bare.options == nothing.options
    assert bare.training.alpha == nothing.training.alpha == 0
    assert bare.training.vary is False


def test_a_run_ends_after_its_best_unless_its_weights_are_averaged() -> None:
    seen = AWDHistory(validation=[9.0, 5.0, *[6.0] * (awd_lstm.STOP - 1)])
    assert not awd_lstm._is_past_its_best(seen)
    seen.validation.append(6.0)
    assert awd_lstm._is_past_its_best(seen)
    seen.averaging_since = 7
    assert not awd_lstm._is_past_its_best(seen)
