"""The experiments of lesson 13 in small, the times by length, and what is stored."""

import re

import numpy as np
import pytest
import torch
from torch import Tensor

from course.attention import experiments as attention
from course.attention import reading_time
from course.attention import report as attention_report
from course.attention.next_words import POINTS, learn_next_words
from course.results.intervals import interval
from course.results.stored import stored_result
from course.texts.small_text import small_text
from elmo_mini.records import machine
from elmo_mini.transformer.block import Block
from elmo_mini.transformer.causal_lm import CausalLM


def test_distances_in_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "DISTANCES", (1,))
    monkeypatch.setattr(attention, "STEPS", 2)
    monkeypatch.setattr(attention, "recall_accuracy", lambda model, far: 0.5)
    _, numbers = attention.distance([1, 2])
    assert set(numbers["accuracy"]) == set(attention.READERS)
    assert numbers["accuracy"]["LSTM"]["1"]["values"] == [0.5, 0.5]
    _, numbers = attention.longer([1])
    assert set(numbers["accuracy"]["64"]) == {"2", "8", "32"}


def test_what_the_lesson_says_of_the_stored_distances() -> None:
    numbers = stored_result("attention_distance").numbers
    found = {name: points["16"] for name, points in numbers["accuracy"].items()}
    assert found["attention"]["low"] > found["sum of all tokens"]["high"]
    assert found["sum of all tokens"]["low"] > found["LSTM, forget gate open"]["high"]
    assert found["LSTM, forget gate open"]["low"] > found["LSTM"]["high"]
    longer = numbers["trained 4 times as long, distance 16"]
    assert longer["LSTM"]["high"] < 0.15
    assert longer["LSTM, forget gate open"]["low"] > 0.8
    assert numbers["accuracy"]["attention"]["64"]["high"] < 1


def test_the_sum_had_not_finished() -> None:
    accuracy = stored_result("attention_longer").numbers["accuracy"]
    fair = stored_result("attention_distance").numbers["accuracy"]
    for far, points in accuracy.items():
        assert points["600"]["values"] == fair["sum of all tokens"][far]["values"]
        short, more, most = (points[batches] for batches in ("600", "2400", "9600"))
        assert short["high"] < more["low"] < more["high"] < most["low"]
        assert most["low"] > 0.9  # "nearly all"
    assert accuracy["64"]["9600"]["mean"] > fair["attention"]["64"]["mean"]


def test_a_model_learns_the_next_word_of_the_course_s_text() -> None:
    text = small_text(train=200, held_out=20, words=50)
    torch.manual_seed(0)
    model = CausalLM(len(text.vocabulary), 16, 2, 1, longest=24)
    found = learn_next_words(model, text, 2 * POINTS, progress=False)
    assert found.shape == (POINTS,)
    assert found[-1] < found[0]


def test_times_are_of_each_length_and_reader() -> None:
    seen: list[int] = []

    def reader(x: Tensor) -> None:
        seen.append(x.shape[1])

    times = reading_time.reading_times({"one": reader}, (3, 5), 4)
    assert times["one"].shape == (2,)
    assert set(seen) == {3, 5}


def test_the_bill_says_its_weights_and_its_machine(capsys: pytest.CaptureFixture[str]) -> None:
    reading_time.block_and_lstm(Block, (2,))
    said = capsys.readouterr().out
    block, lstm = (int(n.replace(",", "")) for n in re.findall(r"\d+,\d+", said))
    assert abs(block / lstm - 1) < 0.05
    assert machine() in said


def test_three_readers_at_another_rate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(attention_report, "STEPS", 2)
    attention_report.print_faster()
    said = capsys.readouterr().out
    assert len(re.findall(r"rate 0\.01 \d+ %", said)) == len(attention.READERS) - 1
    assert "attention" not in said


@pytest.mark.parametrize(
    ("one", "other", "place"),
    [
        ([1.0, 4.0, 16.0], [2.0, 4.0, 8.0], 20.0),
        ([3.0, 6.0, 9.0], [2.0, 4.0, 8.0], 10.0),
        ([1.0, 2.0, 4.0], [2.0, 4.0, 8.0], float("inf")),
        ([1.0, 8.0, 16.0], [2.0, 4.0, 8.0], 200**0.5),
    ],
)
def test_where_two_lines_cross(one: list[float], other: list[float], place: float) -> None:
    crossing = reading_time.where_they_cross((10, 20, 40), np.array(one), np.array(other))
    assert crossing == pytest.approx(place)


def test_what_the_lesson_says_of_the_two_language_models() -> None:
    numbers = stored_result("attention_language_model").numbers
    assert list(numbers["perplexity"]) == list(attention.MODELS)
    few, many = ([points[n] for points in numbers["perplexity"].values()] for n in ("1600", "6400"))
    blocks, lstms = (np.array(point["values"]) for point in many)
    lead = interval(blocks - lstms)
    said = "{mean:.1f} ({low:.1f} to {high:.1f})".format(**lead)
    assert said == "1.1 (0.3 to 1.9)"
    for name, rates in numbers["rate"].items():
        first, *_, last = attention.RATES[name]
        assert all(first < rate < last for rate in rates.values()), (
            "no rate at the end of the range"
        )
    assert few[0]["mean"] > numbers["counts"]["1600"]["pairs"] + 3
    assert abs(many[0]["mean"] - min(numbers["counts"]["6400"].values())) < 1.5


def test_trained_heads_have_means_and_numbers_that_stray_together() -> None:
    for q, k in attention_report.trained_heads():
        mean, variance = _moments(q.mean(0), q.var(0), k.mean(0), k.var(0))
        scores = q @ k.T
        assert mean == pytest.approx(scores.mean())
        assert mean < -3
        assert 1.5 * variance**0.5 < scores.std() < 2.2 * variance**0.5


def _moments(
    q_mean: np.ndarray, q_var: np.ndarray, k_mean: np.ndarray, k_var: np.ndarray
) -> tuple[float, float]:
    each = (q_var + q_mean**2) * (k_var + k_mean**2) - (q_mean * k_mean) ** 2
    return float((q_mean * k_mean).sum()), float(each.sum())


def test_what_the_lesson_prints(capsys: pytest.CaptureFixture[str]) -> None:
    stored = stored_result("attention_language_model").numbers
    attention_report.print_trained_moments(_moments)
    attention_report.print_perplexities()
    attention_report.print_counts(stored)
    attention_report.print_choosing(stored)
    distances, longer = (stored_result(f"attention_{name}") for name in ("distance", "longer"))
    attention_report.print_longer(distances.numbers, longer.numbers)
    said = capsys.readouterr().out
    assert "blocks 68.4, pairs 106.4" in said
    assert "LSTM: 26.7 at 0.006, 25.3 at 0.012, 25.1 at 0.024" in said
    assert "25.6 at 0.002" in said
    assert said.count("measured") == 6
    assert "64 words, sum of all tokens: 600 batches 36 %, 2,400" in said
