"""The figures and lines of lesson 07, from results made up here and from the stored one."""

import numpy as np
import pytest
import torch

from course.bilm_from_scratch import report as bilm_report
from course.bilm_from_scratch.frozen_softmax import Answered
from course.bilm_from_scratch.word_bilm import WordBiLM
from course.results.stored import stored_result


def test_what_does_not_learn_is_level() -> None:
    picture = bilm_report.draw_run(
        {"yours": [30.0, 20.0]}, {"counts": 25.0}, every=20, size=32, title="A run"
    )
    assert "yours falls from 30 at 20 to 20 at 40" in picture.description
    assert "counts stays level" in picture.description


def test_a_model_whose_directions_never_meet_keeps_its_number_when_sentences_are_cut() -> None:
    torch.manual_seed(0)
    model = WordBiLM(7, 4)
    words = torch.tensor([[0, 3, 5, 6, 0], [0, 2, 4, 0, 0]])
    there = torch.tensor([[True] * 5, [True] * 4 + [False]])
    ids = (words + 1) * there
    with torch.no_grad():
        ahead = model(ids)[0][-1][..., :4]
        scores = ahead[:, :-1] @ model.table.weight[1:].T * 4**-0.5 + model.bias
        nats = torch.nn.functional.cross_entropy(scores[there[:, 1:]], words[:, 1:][there[:, 1:]])
    found = bilm_report.cut_off_perplexity(model, ids, words)
    assert found == pytest.approx(float(nats.exp()), rel=1e-5)


def test_answers_are_compared_and_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    sentence = np.array([0, 0, 1, 1])
    answered = {
        "low": Answered(np.log([2.0, 2, 2, 2]), sentence, 20),
        "high": Answered(np.log([6.0, 6, 6, 6]), sentence),
    }
    assert "low 2, high 6" in bilm_report.draw_answered(answered, "Two").description
    bilm_report.print_times(answered, ("low", "high"))
    assert "high: 3.00 times that of low (3.00 to 3.00)" in capsys.readouterr().out


def test_reading_the_task_text_first_is_told_as_stored(capsys: pytest.CaptureFixture[str]) -> None:
    numbers = stored_result("task_text_pos").numbers
    bilm_report.print_task_text()
    said = capsys.readouterr().out
    falls = numbers["perplexity"]
    start, alone, whole = falls["before"], falls["softmax alone"], falls["all weights"]
    assert f"{start:.1f} before" in said
    assert 0.28 < 1 - whole["mean"] / start < 1 / 3  # "nearly a third"
    assert start - alone["mean"] > (start - whole["mean"]) / 2  # "more than half"
    assert np.log(start / alone["mean"]) > np.log(start / whole["mean"]) / 2
    assert numbers["sentences"] == 1200
    for gain in numbers["gains"].values():
        assert gain["low"] < 0 < gain["high"]  # "no clear gain"
