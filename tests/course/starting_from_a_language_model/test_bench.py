"""What lesson 04 runs on, on a text so small that only its arithmetic is tested."""

from typing import Any

import numpy as np
import pytest
import torch

from course.results.stored import stored_result
from course.starting_from_a_language_model import broken_translators as broken
from course.starting_from_a_language_model import report
from course.starting_from_a_language_model.bench import IN_ORDER, SHUFFLED, StartsBench, surprises
from course.starting_from_a_language_model.two_models import FRESH, LM, two_models
from elmo_mini.recurrent.classifier import LSTMClassifier, autoencoder_steps, start_from
from elmo_mini.recurrent.decoding import decode_step
from elmo_mini.recurrent.language_model import LSTMLanguageModel, train_language_model
from elmo_mini.recurrent.seq2seq import Seq2Seq
from elmo_mini.recurrent.training import TrainingOptions


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
def bench() -> StartsBench:
    text: Any = Text()
    return StartsBench(text, size=8)


def test_half_of_the_examples_are_shuffled_and_draws_share_none(bench: StartsBench) -> None:
    for (sentence, label), whole in zip(bench.examples, bench.held_out, strict=True):
        ids = bench.vocabulary.encode(whole)
        assert sorted(sentence) == sorted(ids)
        assert sentence[-1] == ids[-1]
        if label == IN_ORDER:
            assert sentence == ids
    assert sum(label == SHUFFLED for _, label in bench.examples) == 75
    draws = [bench.drawn(draw) for draw in range(3)]
    assert [len(draw) for draw in draws] == [40, 40, 40]
    assert [*draws[0], *draws[1], *draws[2], *bench.unseen] == bench.examples


def test_batches_hold_every_sentence_once_an_epoch(bench: StartsBench) -> None:
    known = bench.drawn(0)
    seen = [
        (ids[row, :length].tolist(), label)
        for ids, lengths, labels in bench.batches(known, 2, 0)
        for row, (length, label) in enumerate(zip(lengths.tolist(), labels.tolist(), strict=True))
    ]
    assert sorted(seen) == sorted(known * 2)


def test_a_model_of_the_circle_finds_the_shuffled_ones(bench: StartsBench) -> None:
    torch.manual_seed(0)
    model = LSTMLanguageModel(len(bench.vocabulary), 16, 16)
    train_language_model(model, bench.stream, TrainingOptions(30, learning_rate=1e-2))
    right = bench.by_surprise(model)
    assert right.shape == (len(bench.unseen),)
    assert right.mean() > 0.8
    assert bench.by_surprise(model, how_many=7).shape == (7,)
    cut = bench.by_threshold(model, bench.drawn(0))
    assert cut.shape == right.shape
    assert cut.mean() > 0.8, "the labels are enough to say where to cut"
    (one,) = surprises(model, [[3, 4]])
    scores, _ = model(torch.tensor([[1, 3, 4]]))
    logs = scores[0].log_softmax(-1)
    assert one == pytest.approx(-(logs[0, 3] + logs[1, 4] + logs[2, 1]).item(), rel=1e-5)


def test_naive_bayes_on_the_ends_sees_first_and_last_word_only(bench: StartsBench) -> None:
    by_ends, by_all = (bench.by_counting(bench.drawn(0), ends) for ends in (True, False))
    assert by_ends.mean() > 0.7  # every sentence in order begins alike
    assert set(np.unique(by_all)) <= {0.0, 1.0}


def test_two_gradients_foretell_a_small_step(bench: StartsBench) -> None:
    model = report.parts_of(bench, LSTMLanguageModel(len(bench.vocabulary), 8, 8), "lstm")
    classifier = LSTMClassifier(len(bench.vocabulary), 2, 8, 8)
    start_from(classifier, model)
    long = StartsBench(bench.text, size=8)
    gradients = report.TwoGradients(long, classifier, model, bench.drawn(0))
    before = [part.clone() for part in classifier.parameters()]
    expected, measured = (step(0.5, 0.1) for step in (gradients.expected, gradients.measured))
    assert measured == pytest.approx(expected, rel=0.1)
    for part, was in zip(classifier.parameters(), before, strict=True):
        torch.testing.assert_close(part, was)


def test_recitals_are_the_autoencoders_steps(bench: StartsBench) -> None:
    batches = bench.recitals(autoencoder_steps, 10)
    read, said, counts = batches[0]
    assert read.shape == said.shape == counts.shape
    assert counts.dtype == torch.bool
    model = LSTMLanguageModel(len(bench.vocabulary), 8, 8)
    assert float(report.recital_loss(model, batches[0]).detach()) > 0


def test_broken_translators(
    bench: StartsBench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(broken, "starts_bench", lambda: bench)
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
    bench: StartsBench, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Seq2Seq(len(bench.vocabulary), len(bench.vocabulary), 8)
    report.print_said(bench, model, decode_step, [["The", "w1", "w2", "."]])
    assert "W1 W2  ->" in capsys.readouterr().out


def test_the_drawing_says_what_comes_from_where() -> None:
    said = two_models("A translator").description
    assert LM in said
    assert FRESH in said
