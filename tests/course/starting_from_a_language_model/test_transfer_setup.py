"""What lesson 04 runs on, on a text so small that only its arithmetic is tested."""

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from course.baselines.kneser_ney import KneserNey
from course.results.stored import stored_result
from course.starting_from_a_language_model import broken_translators as broken
from course.starting_from_a_language_model import report
from course.starting_from_a_language_model.transfer_setup import (
    IN_ORDER,
    SHUFFLED,
    TransferSetup,
    padded_pairs,
)
from course.starting_from_a_language_model.two_models import FRESH, LM, two_models
from elmo_mini.tasks.language_model_use import by_surprise
from elmo_mini.tasks.lstm_classifier import autoencoder_steps


class Text:
    """Sentences in which each word is followed by the next one of a circle."""

    def __init__(self, count: int = 300) -> None:
        self.count = count

    def split(self, part: str) -> "Text":
        return Text({"train": 300, "dev": 150, "test": 60}[part])

    def sentences(self, *, lower: bool) -> list[list[str]]:
        words = [f"w{number}" for number in range(12)]
        return [
            ["the", *(words[(start + step) % 12] for step in range(4 + start % 3)), "."]
            for start in range(self.count)
        ]


@pytest.fixture(scope="module")
def setup() -> TransferSetup:
    text: Any = Text()
    return TransferSetup(text, size=8)


def test_half_of_the_examples_are_shuffled_and_draws_share_none(setup: TransferSetup) -> None:
    for (sentence, label), whole in zip(setup.examples, setup.held_out, strict=True):
        ids = setup.vocabulary.encode(whole)
        assert sorted(sentence) == sorted(ids)
        assert sentence[-1] == ids[-1]
        if label == IN_ORDER:
            assert sentence == ids
    assert sum(label == SHUFFLED for _, label in setup.examples) == 75
    draws = [setup.drawn(draw) for draw in range(3)]
    assert [len(draw) for draw in draws] == [40, 40, 40]
    assert [*draws[0], *draws[1], *draws[2], *setup.unseen] == setup.examples


def test_batches_hold_every_sentence_once_an_epoch(setup: TransferSetup) -> None:
    known = setup.drawn(0)
    seen = [
        (ids[row, :length].tolist(), label)
        for ids, lengths, labels in setup.batches(known, 2, 0)
        for row, (length, label) in enumerate(zip(lengths.tolist(), labels.tolist(), strict=True))
    ]
    assert sorted(seen) == sorted(known * 2)


def test_exchanged_ends_leave_every_pair_and_no_sentence_serves_twice() -> None:
    text: Any = Text()
    setup = TransferSetup(text, size=8)
    random = np.random.default_rng(0)
    words = [f"w{number}" for number in range(12)]
    setup.held_out = [list(random.choice(words, 9 + number % 4)) for number in range(150)]
    assert 50 < len(setup.exchanged) <= 75
    bets = KneserNey(setup.stream.tolist(), len(setup.vocabulary), 2).scores
    for whole, mixed in setup.exchanged:
        assert whole.tolist() != mixed.tolist()
        pairs = [sorted(itertools.pairwise([1, *row.tolist(), 1])) for row in (whole, mixed)]
        assert pairs[0] == pairs[1]
        assert abs(by_surprise(bets, whole, mixed[None], 1)) < 1e-3, "pairs can but toss a coin"


def test_a_model_of_the_circle_finds_the_shuffled_ones(setup: TransferSetup) -> None:
    bets = KneserNey(setup.stream.tolist(), len(setup.vocabulary), 2).scores
    random, right = np.random.default_rng(0), []
    for words, label in setup.unseen:
        others = torch.tensor([[*random.permutation(words[:-1]), words[-1]] for _ in range(5)])
        right.append((by_surprise(bets, torch.tensor(words), others, 1) > 0) == (label == SHUFFLED))
    assert np.mean(right) > 0.8


def test_naive_bayes_on_the_ends_sees_first_and_last_word_only(setup: TransferSetup) -> None:
    by_ends, by_all = (setup.by_counting(setup.drawn(0), ends) for ends in (True, False))
    assert by_ends.mean() > 0.7  # every sentence in order begins alike
    assert set(np.unique(by_all)) <= {0.0, 1.0}


def test_recitals_are_the_autoencoders_steps(setup: TransferSetup) -> None:
    batches = setup.recitals(autoencoder_steps, 10)
    read, said, counts = batches[0]
    assert read.shape == said.shape == counts.shape
    assert counts.dtype == torch.bool


def test_padded_pairs_are_one_position_apart() -> None:
    sources, there, read, said, mask = padded_pairs([([5, 6, 7], [8, 9]), ([5], [8])])
    assert sources.tolist() == [[5, 6, 7], [5, 0, 0]]
    assert there.sum(1).tolist() == [3, 1]
    assert read[mask].tolist() == [1, 8, 9, 1, 8]
    assert said[mask].tolist() == [8, 9, 1, 8, 1]


@pytest.mark.by_reach("trained again", seconds=9)
def test_broken_translators(
    setup: TransferSetup, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(broken, "transfer_setup", lambda: setup)
    monkeypatch.setattr(broken, "EPOCHS", 1)
    monkeypatch.setattr(broken, "RUNS", {str(n): fault for n, fault in enumerate(broken.FAULTS)})
    _, numbers = broken.broken_translators(1)
    stored = stored_result("context_broken_translators").numbers
    assert set(numbers["runs"]["sound"]) == set(stored["runs"]["sound"])
    assert len(numbers["runs"]) == 7
    report.print_broken()
    assert "(nothing)" in capsys.readouterr().out


def test_each_stored_fault_shows_its_symptom() -> None:
    runs = stored_result("context_broken_translators").numbers["runs"]
    own, other = "perplexity", "perplexity, another's telegram"
    sound, strangers, forgetful, ahead = (runs[name] for name in ("sound", "A", "B", "C"))
    assert sound[other] > 3 * sound[own]
    assert strangers[other] < 1.1 * strangers[own]
    late = [forgetful["nats by place"][n] - sound["nats by place"][n] for n in range(4)]
    assert late[0] < 0.3 < min(late[1:])
    assert ahead[own] < 5
    assert all(not said for _, _, said in ahead["says"])
    for run in runs.values():
        assert run["perplexity, one by one"] == pytest.approx(run[own], rel=1e-3)
        assert run["loss of the first batch"] < 7.5


def test_each_broken_translator_can_be_read_off_the_figures() -> None:
    words = report.broken_positions("Words").figure.axes[0]
    assert words.get_xticks().tolist() == [1, 2, 3, 4, 5]  # no word stands at 1.5
    perplexities = report.broken_figure("Perplexities").figure.axes[0]
    assert perplexities.get_yscale() == "log"  # bars from 0 hide one that is near 1


def test_leads_say_what_was_judged(capsys: pytest.CaptureFixture[str]) -> None:
    right = {"one": np.array([[1.0, 0.0, 1.0, 1.0]]), "other": np.zeros((1, 4))}
    report.print_leads(right, "one", "pairs of sentences")
    assert "4 pairs of sentences" in capsys.readouterr().out


def test_the_drawing_says_what_comes_from_where() -> None:
    said = two_models("A translator").description
    assert LM in said
    assert FRESH in said
