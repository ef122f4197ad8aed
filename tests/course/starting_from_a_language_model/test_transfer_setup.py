"""What lesson 04 runs on, on a text so small that only its arithmetic is tested."""

from typing import Any

import numpy as np
import pytest
import torch

from course.results.stored import stored_result
from course.starting_from_a_language_model import broken_translators as broken
from course.starting_from_a_language_model import report
from course.starting_from_a_language_model.transfer_setup import (
    IN_ORDER,
    SHUFFLED,
    TransferSetup,
    surprises,
)
from course.starting_from_a_language_model.two_models import FRESH, LM, two_models
from elmo_mini.models.lstm_language_model import LSTMLanguageModel
from elmo_mini.tasks.decoding import decode_step
from elmo_mini.tasks.language_model_use import train_language_model
from elmo_mini.tasks.lstm_classifier import LSTMClassifier, autoencoder_steps, start_from
from elmo_mini.tasks.seq2seq import Seq2Seq
from elmo_mini.training.steps import TrainingOptions


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


def test_a_model_of_the_circle_finds_the_shuffled_ones(setup: TransferSetup) -> None:
    torch.manual_seed(0)
    model = LSTMLanguageModel(len(setup.vocabulary), 16, 16)
    train_language_model(model, setup.stream, TrainingOptions(30, learning_rate=1e-2))
    right = setup.by_surprise(model)
    assert right.shape == (len(setup.unseen),)
    assert right.mean() > 0.8
    assert setup.by_surprise(model, how_many=7).shape == (7,)
    cut = setup.by_threshold(model, setup.drawn(0))
    assert cut.shape == right.shape
    assert cut.mean() > 0.8, "the labels are enough to say where to cut"
    (one,) = surprises(model, [[3, 4]])
    scores, _ = model(torch.tensor([[1, 3, 4]]))
    logs = scores[0].log_softmax(-1)
    assert one == pytest.approx(-(logs[0, 3] + logs[1, 4] + logs[2, 1]).item(), rel=1e-5)


def test_naive_bayes_on_the_ends_sees_first_and_last_word_only(setup: TransferSetup) -> None:
    by_ends, by_all = (setup.by_counting(setup.drawn(0), ends) for ends in (True, False))
    assert by_ends.mean() > 0.7  # every sentence in order begins alike
    assert set(np.unique(by_all)) <= {0.0, 1.0}


def test_two_gradients_foretell_a_small_step(setup: TransferSetup) -> None:
    model = report.parts_of(setup, LSTMLanguageModel(len(setup.vocabulary), 8, 8), "lstm")
    classifier = LSTMClassifier(len(setup.vocabulary), 2, 8, 8)
    start_from(classifier, model)
    long = TransferSetup(setup.text, size=8)
    gradients = report.TwoGradients(long, classifier, model, setup.drawn(0))
    before = [part.clone() for part in classifier.parameters()]
    expected, measured = (step(0.5, 0.1) for step in (gradients.expected, gradients.measured))
    assert measured == pytest.approx(expected, rel=0.1)
    for part, was in zip(classifier.parameters(), before, strict=True):
        torch.testing.assert_close(part, was)


def test_recitals_are_the_autoencoders_steps(setup: TransferSetup) -> None:
    batches = setup.recitals(autoencoder_steps, 10)
    read, said, counts = batches[0]
    assert read.shape == said.shape == counts.shape
    assert counts.dtype == torch.bool
    model = LSTMLanguageModel(len(setup.vocabulary), 8, 8)
    assert float(report.recital_loss(model, batches[0]).detach()) > 0


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


def test_a_translator_says_what_a_telegram_holds(
    setup: TransferSetup, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Seq2Seq(len(setup.vocabulary), len(setup.vocabulary), 8)
    report.print_said(setup, model, decode_step, [["The", "w1", "w2", "."]])
    assert "W1 W2  ->" in capsys.readouterr().out


def test_the_drawing_says_what_comes_from_where() -> None:
    said = two_models("A translator").description
    assert LM in said
    assert FRESH in said
