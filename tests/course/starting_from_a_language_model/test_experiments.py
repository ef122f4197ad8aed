"""The experiments of lessons 03 and 04, on text so small that only their arithmetic is tested."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from course.results.accuracy import right_of
from course.starting_from_a_language_model import (
    classification_tasks,
    longer_fine_tuning,
    telegram_experiments,
)
from course.starting_from_a_language_model import classifier_experiments as finetuning_experiments
from course.starting_from_a_language_model import experiments as context_experiments
from course.starting_from_a_language_model.classification_tasks import ClassificationTask
from course.starting_from_a_language_model.classifier_experiments import (
    counted_words,
    forgetting,
    pretraining,
)
from course.starting_from_a_language_model.experiments import (
    BESIDE,
    COUNTED,
    Setting,
    language_model,
    place_features,
    trained_beside,
    vectors_beside,
)
from course.starting_from_a_language_model.telegram_experiments import seq2seq
from elmo_mini import corpora
from elmo_mini.models.context2vec import Context2Vec
from elmo_mini.tasks.context2vec_use import context_vectors
from elmo_mini.tasks.language_model_use import hidden_states
from elmo_mini.text.running_text import text_stream, word_vocabulary
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec


def text(count: int, seed: int = 0) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    words = [f"word{number}" for number in range(12)]
    return [["the", *rng.choice(words, 4).tolist(), "of", "it", "."] for _ in range(count)]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Setting:
    monkeypatch.setattr(context_experiments, "WORDS", 40)
    for module in (context_experiments, telegram_experiments):
        monkeypatch.setattr(module, "SIZE", 6)
    setting = Setting("none", [1, 2])
    object.__setattr__(setting, "train", text(200))
    object.__setattr__(setting, "test", text(60, 1))
    return setting


def test_language_model(small: Setting) -> None:
    title, numbers = language_model(small)
    assert "none" in title
    perplexity = numbers["perplexity"]
    assert numbers["train tokens"] == 9 * 200 + 1
    assert len(perplexity["LSTM"]["values"]) == 2
    for name in ("single words", "bigrams", "trigrams"):
        assert 1 < perplexity[f"{name}, Kneser-Ney"] < numbers["vocabulary"]
    mixtures = numbers["perplexity of mixtures"]
    added = numbers["added by the LSTM, nats a word; interval over seeds and stretches of text"]
    nats = np.log(perplexity["trigrams, Kneser-Ney"]) - np.log(
        mixtures["LSTM and trigrams"]["values"]
    )
    assert added["to trigrams"]["values"] == pytest.approx(nats, rel=1e-3, abs=1e-5)
    nats = np.log(mixtures["trigrams and a cache"]) - np.log(
        mixtures["LSTM, trigrams and a cache"]["values"]
    )
    assert added["to trigrams and a cache"]["values"] == pytest.approx(nats, abs=1e-9)
    assert min(mixtures["two LSTMs"]["values"]) < max(perplexity["LSTM"]["values"])


def test_features_are_those_of_the_asked_place(small: Setting) -> None:
    contexts = Context2Vec(len(small.vocabulary), 6, 6, 6)
    static = Word2Vec(small.train, vector_size=6, min_count=1)
    sentence = small.train[0]
    found = place_features(small, 1, static, contexts, [(sentence, 0), (sentence, 3)])
    (states,) = hidden_states(small.language_models[1], small.vocabulary, [sentence])
    (places,) = context_vectors(contexts, small.vocabulary, [sentence])
    np.testing.assert_allclose(found["LSTM at the word"], states[[0, 3]], atol=1e-6)
    np.testing.assert_allclose(found["LSTM before the word"][1], states[2], atol=1e-6)
    np.testing.assert_allclose(found["context2vec"], places[[0, 3]], atol=1e-6)
    form = found["static vector of the form"]
    np.testing.assert_allclose(form[1], static[sentence[3]], atol=1e-6)


def test_two_words_beside_have_trained_vectors_of_length_one(small: Setting) -> None:
    title, numbers = trained_beside(small)
    assert "beside" in title
    one, other = (numbers["3-NN"][name]["values"] for name in (BESIDE, "context2vec"))
    assert len(one) == len(other) == 2
    lead = numbers["leads, over words and seeds"][f"context2vec before {BESIDE}"]
    assert lead["mean"] == pytest.approx(np.mean(other) - np.mean(one))
    counted = numbers["leads, over words and seeds"][f"context2vec before {COUNTED}"]
    assert counted["mean"] == pytest.approx(np.mean(other) - numbers[COUNTED]["mean"])
    static = Word2Vec(small.train, vector_size=6, min_count=1)
    rows = vectors_beside(static, [(["of", "x", "unheard"], 1), (["it"], 0)])
    np.testing.assert_allclose(
        rows[0], [*static["of"] / np.linalg.norm(static["of"]), *np.zeros(6)], atol=1e-6
    )
    assert not rows[1].any()


@pytest.fixture
def reviews(monkeypatch: pytest.MonkeyPatch) -> Iterator[ClassificationTask]:
    sentences = text(300)
    labels = [int("word3" in sentence) for sentence in sentences]
    vocabulary = word_vocabulary(sentences)
    ids = [vocabulary.encode(sentence) for sentence in sentences]
    task = ClassificationTask(
        "does word3 occur",
        2,
        vocabulary,
        sentences,
        text_stream(text(40, 2), vocabulary),
        (ids[:150], labels[:150]),
        (ids[150:200], labels[150:200]),
        (ids[200:], labels[200:]),
    )
    monkeypatch.setattr(finetuning_experiments, "TASKS", {"reviews": lambda: task})
    monkeypatch.setattr(finetuning_experiments, "SIZE", 6)
    monkeypatch.setattr(finetuning_experiments, "LABELS", {20: 2, 100: 1})
    monkeypatch.setattr(finetuning_experiments, "RATES", (1e-3, 1e-2))
    monkeypatch.setattr(finetuning_experiments, "FORGETTING_PASSES", 1)
    finetuning_experiments.task_language_model.cache_clear()
    yield task
    finetuning_experiments.task_language_model.cache_clear()


def test_pretraining_and_forgetting(reviews: ClassificationTask) -> None:
    _, numbers = pretraining([1, 2])
    measured = numbers["tasks"]["reviews"]
    accuracies = measured["accuracy"]
    assert set(accuracies) == {"20", "100"}
    for by_start in accuracies.values():
        assert len(by_start) == 9
        assert all(0 <= score["mean"] <= 1 for score in by_start.values())
    few, chosen = accuracies["20"], measured["chosen"]["20"]
    for rate, stop in chosen["language model"]:
        assert rate in (1e-3, 1e-2)
        assert stop in (1, 2)
    ahead = measured["leads"]["20"]["language model before nothing"]
    assert ahead["mean"] == pytest.approx(few["language model"]["mean"] - few["nothing"]["mean"])
    _, numbers = forgetting([1, 2], count=100)
    curves = numbers["tasks"]["reviews"]["perplexity"]
    for curve in curves.values():
        assert len(curve) == len(numbers["tasks"]["reviews"]["steps"])
    firsts = [curve[0]["values"] for curve in curves.values()]
    assert len(firsts) == 4
    assert all(first == firsts[0] for first in firsts), "all start from the same language model"
    for look in curves["embedding and LSTM frozen"]:
        assert look["values"] == firsts[0]


def test_each_run_is_taken_at_the_pass_that_dev_likes_best(
    reviews: ClassificationTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(longer_fine_tuning, "TASKS", {"reviews": lambda: reviews})
    monkeypatch.setattr(longer_fine_tuning, "TASK", "reviews")
    monkeypatch.setattr(longer_fine_tuning, "PASSES", 3)
    title, numbers = longer_fine_tuning.forgetting_longer([1, 2], count=100)
    assert "up to 3 passes over 100 labels" in title
    right = numbers["accuracy"]
    assert len(right) == 3
    for name, passes in numbers["passes"].items():
        assert all(1 <= number <= 3 for number in passes), name
        assert len(numbers["perplexity, times"][name]["values"]) == 2
    joint = "with the language-model loss"
    lead = numbers["leads, over seeds and test sentences"][f"{joint} before labels alone"]
    assert lead["mean"] == pytest.approx(right[joint]["mean"] - right["labels alone"]["mean"])


def test_counting_finds_the_word_that_decides(reviews: ClassificationTask) -> None:
    found = counted_words(reviews, *reviews.train)
    right = {
        name: right_of([choice.said], reviews.test[1]).mean() for name, choice in found.items()
    }
    assert right["bag of words, no LSTM"] == 1
    assert right["last word, no LSTM"] < 0.9  # every sentence ends in the same word


@pytest.mark.by_reach("tasks of 04", seconds=5)
def test_real_tasks_keep_their_parts_apart() -> None:
    for name, task_of in classification_tasks.TASKS.items():
        try:
            task = task_of()
        except corpora.CorpusMissing as error:
            pytest.skip(str(error))
        assert task.classes == len(set(task.train[1])), name
        assert set(task.test[1]) <= set(task.train[1])
        tests = {tuple(sentence) for sentence in task.test[0] if len(sentence) > 9}
        known = {tuple(task.vocabulary.encode(sentence)) for sentence in task.sentences}
        assert not tests & known
        assert not {tuple(s) for s in task.dev[0] if len(s) > 9} & tests
        assert task.drawn(50, 1) == task.drawn(50, 1) != task.drawn(50, 2)


@pytest.mark.by_reach("stored results of 04", seconds=4)
def test_seq2seq(small: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telegram_experiments, "PAIRS", 30)
    monkeypatch.setattr(telegram_experiments, "TELEGRAM_WORDS", 40)
    monkeypatch.setattr(telegram_experiments, "EPOCHS", 2)
    monkeypatch.setattr(telegram_experiments, "PRETRAINING", {"learning_rate": 1e-2})
    _, numbers = seq2seq([*text(900), *text(900, 3)], text(60, 1), [1, 2])
    assert numbers["pairs"] == 30
    assert len(numbers["variants"]) == 9
    above = numbers["log perplexity above the whole method, same seeds"]
    assert above["the whole method"]["values"] == [0, 0]
    assert len(numbers["examples, first seed"]) == 36


def test_the_command_stores_what_was_measured(
    small: Setting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(context_experiments, "Setting", lambda name, seeds: small)
    arguments = ["language-model", "--seeds", "2", "--results", str(tmp_path)]
    assert context_experiments.main(arguments) == 0
    content = json.loads((tmp_path / "context_language_model.json").read_text("utf-8"))
    assert content["seeds"] == [1, 2]
    assert "Student" in content["interval"]
    assert (
        content["command"]
        == "python -m course.starting_from_a_language_model.experiments language-model --seeds 2"
    )
    assert torch.get_num_threads() == 1
