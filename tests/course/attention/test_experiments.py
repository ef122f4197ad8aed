"""The experiments of lesson 13 in small, the times by length, and what is stored."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from course.attention import experiments as attention
from course.attention import reading_time
from course.attention.trained_heads import queries_and_keys
from course.results.intervals import interval
from course.results.stored import stored_result
from elmo_mini import corpora
from elmo_mini.transformer.files import load_causal_lm


def test_distances_in_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "DISTANCES", (1,))
    monkeypatch.setattr(attention, "STEPS", 2)
    monkeypatch.setattr(attention, "recall_accuracy", lambda model, far: 0.5)
    _, numbers = attention.distance([1, 2])
    assert set(numbers["accuracy"]) == set(attention.READERS)
    assert numbers["accuracy"]["LSTM"]["1"]["values"] == [0.5, 0.5]
    _, numbers = attention.longer([1])
    assert set(numbers["accuracy"]["64"]) == {"2", "8", "32"}
    _, numbers = attention.rates([1])
    assert set(numbers["accuracy"]["LSTM"]) == {f"{rate:g}" for rate in attention.RECALL_RATES}


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


def test_times_are_of_each_length_and_reader() -> None:
    seen: list[int] = []

    def reader(x: Tensor) -> None:
        seen.append(x.shape[1])

    times = reading_time.reading_times({"one": reader}, (3, 5), 4)
    assert times["one"].shape == (2,)
    assert set(seen) == {3, 5}


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
    blocks, pre_norm, lstms = (np.array(point["values"]) for point in many)
    lead = interval(blocks - lstms)
    said = "{mean:.1f} ({low:.1f} to {high:.1f})".format(**lead)
    assert said == "1.0 (0.3 to 1.8)"
    assert interval(pre_norm - lstms)["low"] < 0 < np.mean(pre_norm - lstms), "not clearly"
    for name, rates in numbers["rate"].items():
        first, *_, last = attention.RATES[name]
        assert all(first < rate < last for rate in rates.values()), (
            "no rate at the end of the range"
        )
    assert few[0]["mean"] > numbers["counts"]["1600"]["pairs"] + 3
    for kind in few[:-1]:
        early = interval(np.array(kind["values"]) - np.array(few[-1]["values"]))
        assert early["low"] > 0, "the LSTM is ahead of both kinds with few sentences"
        assert f"{early['mean']:.1f}" == "3.1"
    assert min(point["low"] for point in few) > min(numbers["counts"]["1600"].values())
    assert abs(many[0]["mean"] - min(numbers["counts"]["6400"].values())) < 1.5


def test_each_is_mixed_with_triples_half_and_half(
    monkeypatch: pytest.MonkeyPatch, real_corpus: Callable[[str], corpora.Corpus]
) -> None:
    real_corpus("brown")  # the stand-in has too few sentences
    monkeypatch.setattr(
        attention, "_trained", lambda make, text, rate, seed: make(len(text.vocabulary))
    )
    _, numbers = attention.beside_counts([1, 2])
    assert list(numbers["perplexity"]) == list(attention.MODELS)
    for point in numbers["perplexity"].values():  # of models that have read nothing
        assert len(point["values"]) == 2
        assert numbers["triples"] < point["mean"] < 2 * numbers["triples"]


def test_blocks_of_a_window_see_so_many_words(
    monkeypatch: pytest.MonkeyPatch, real_corpus: Callable[[str], corpora.Corpus]
) -> None:
    real_corpus("brown")  # the stand-in has too few sentences
    ids = torch.arange(2, 8)[None]
    for words, widths in (
        (3, attention.WINDOWS["three words"]),
        (2, attention.WINDOWS["two words"]),
    ):
        torch.manual_seed(0)
        model = attention._windowed(widths, 10)
        moved = []
        for place in range(6):
            other = ids.clone()
            other[0, place] = 9
            with torch.no_grad():
                moved.append(bool((model(other) - model(ids))[0, -1].abs().max() > 1e-6))
        assert moved == [False] * (6 - words) + [True] * words
    monkeypatch.setattr(
        attention, "_trained", lambda make, text, rate, seed: make(len(text.vocabulary))
    )
    _, numbers = attention.window([1, 2])
    assert {len(point["values"]) for point in numbers["mixed"].values()} == {2}


def test_two_words_add_as_much_as_all() -> None:
    numbers = stored_result("attention_window").numbers
    whole = stored_result("attention_language_model").numbers["perplexity"]
    alone = whole["blocks that look back"]["6400"]["mean"]
    assert set(numbers["mixed"]) == set(attention.WINDOWS)
    for name, less in numbers["mixed, less blocks that see all words before"].items():
        assert less["low"] < 0.1, name
        assert less["high"] < 0.5, f"{name} loses at most this; blocks and triples save four"
        assert abs(numbers["alone"][name]["mean"] - alone) < 0.7


def test_what_the_lesson_says_of_the_two_beside_counts() -> None:
    numbers = stored_result("attention_beside_counts").numbers
    alone = stored_result("attention_language_model").numbers
    triples = alone["counts"]["6400"]["triples"]
    assert numbers["triples"] == pytest.approx(triples)
    for name, point in numbers["perplexity"].items():
        fall = alone["perplexity"][name]["6400"]["mean"] - point["mean"]
        assert 2.5 < fall < 4, "both fall by about three points"
        assert point["high"] < triples - 4
    lstms = np.array(numbers["perplexity"]["LSTM"]["values"])
    for name, less in numbers["less LSTM"].items():
        assert less == interval(np.array(numbers["perplexity"][name]["values"]) - lstms)
        by_itself = np.subtract(
            *(alone["perplexity"][kind]["6400"]["mean"] for kind in (name, "LSTM"))
        )
        assert 0 < less["mean"] < by_itself / 2, "shrink to less than half"


def test_what_the_lesson_says_of_the_stored_rates() -> None:
    accuracy = stored_result("attention_rates").numbers["accuracy"]
    mean = {
        name: {rate: point["mean"] for rate, point in points.items()}
        for name, points in accuracy.items()
    }
    best = {name: max(by.values()) for name, by in mean.items()}
    opened, total = "LSTM, forget gate open", "sum of all tokens"
    assert best["attention"] > best[total] > best[opened] > best["LSTM"]
    assert best["LSTM"] < 0.15, "it guesses at every rate"
    assert 0 < mean["attention"]["0.01"] - mean[total]["0.01"] < 0.15
    assert 0 < mean[total]["0.01"] - mean[opened]["0.01"] < 0.15
    assert mean[opened]["0.03"] > max(mean["attention"]["0.03"], mean[total]["0.03"]) + 0.1


def test_the_president_is_ahead_of_triples_and_adds_to_them() -> None:
    numbers = stored_result("attention_president").numbers
    perplexity = numbers["perplexity"]
    assert min(perplexity, key=lambda name: perplexity[name]) == "triples and blocks, half and half"
    assert perplexity["blocks"] < 0.75 * perplexity["counts of triples"]
    assert perplexity["blocks"] - min(perplexity.values()) < 4, "triples have little left to add"
    assert numbers["nats the blocks add to triples, over the stretches"]["low"] > 0.3


def test_trained_heads_have_means_and_numbers_that_stray_together() -> None:
    for q, k in queries_and_keys(*load_causal_lm()):
        each = (q.var(0) + q.mean(0) ** 2) * (k.var(0) + k.mean(0) ** 2)
        spread = (each - (q.mean(0) * k.mean(0)) ** 2).sum() ** 0.5
        scores = q @ k.T
        assert q.mean(0) @ k.mean(0) == pytest.approx(scores.mean())
        assert scores.mean() < -3
        assert 1.5 * spread < scores.std() < 2.2 * spread
