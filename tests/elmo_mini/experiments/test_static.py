"""The measuring instruments of lesson 02's experiments, on cases with known answers."""

import json
from pathlib import Path
from types import SimpleNamespace

import nltk.data
import numpy as np
import pytest
import torch

from elmo_mini import corpora
from elmo_mini.experiments import static as static_experiments
from elmo_mini.experiments.static import main
from elmo_mini.results.stored import stored_result
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.pseudo_words import PseudoWord, look_at
from elmo_mini.word_vectors.scale import loss_after, spread
from elmo_mini.word_vectors.table import WordVectors


def test_spread_is_the_variance_of_all_numbers() -> None:
    assert spread(np.array([[1, 2], [3, 6]], dtype=np.float32)) == pytest.approx(3.5)


def test_the_descent_is_that_of_autograd() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((20, 3)), rng.integers(0, 2, 20).astype(float)
    weight = torch.zeros(4, dtype=torch.float64, requires_grad=True)
    inputs = torch.tensor(np.column_stack([2.0 * x, np.ones(20)]))
    cost = torch.nn.functional.binary_cross_entropy_with_logits
    for _ in range(7):
        (gradient,) = torch.autograd.grad(cost(inputs @ weight, torch.tensor(y)), weight)
        weight = (weight - 0.3 * gradient).detach().requires_grad_()
    expected = float(cost(inputs @ weight, torch.tensor(y)).detach())
    features = x.astype(np.float32)
    assert loss_after(features, y, 2.0, steps=7, rate=0.3) == pytest.approx(expected, rel=1e-5)


def test_looking_at_vectors_made_by_hand() -> None:
    words = ["a", "b", "a|b", "c", "d", "c|d", "left", "right"]
    rng = np.random.default_rng(0)
    a, b, c, d = rng.standard_normal((4, 16))
    left, right = rng.standard_normal((2, 16))
    table = np.stack([a, b, 0.75 * a + 0.25 * b, c, d, 0.5 * c + 0.5 * d, left, right])
    vectors = WordVectors(Vocabulary(words), table.astype(np.float32))
    text, labels = [], {"a|b": [], "c|d": []}
    for number in range(80):
        name = ("a|b", "c|d")[number % 2]
        of = name[0] if number % 8 < 6 else name[-1]
        text.append(["left" if of == name[0] else "right", name])
        labels[name].append((number, 1, of))
    hidden = [PseudoWord(n[0], n[-1], n, tuple(found)) for n, found in labels.items()]
    first, second = look_at(hidden, text, vectors)
    word = hidden[0]
    assert first["cosine with the first"] == vectors.similarity(word.name, word.first)
    assert first["cosine with the second"] == vectors.similarity(word.name, word.second)
    assert first["position"] == pytest.approx(0.75, abs=1e-4)
    assert second["position"] == pytest.approx(0.5, abs=1e-4)
    assert first["cosine with its mixture"] == pytest.approx(1.0, abs=1e-4)
    assert first["cosine with another pair's"] < 0.9
    assert (first["share of the first"], first["majority"]) == (0.75, 0.75)
    assert first["accuracy from context"] == 1.0


def test_the_command_stores_what_a_lesson_can_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(static_experiments.EPOCHS, "lee", 1)
    monkeypatch.setattr(corpora, "course_text", corpora.lee)
    assert main(["pseudo-words", "--seeds", "2", "--results", str(tmp_path)]) == 0
    assert f"stored in {tmp_path / 'static_pseudo_words.json'}" in capsys.readouterr().out
    result = stored_result("static_pseudo_words", tmp_path)
    assert result.command == "python -m elmo_mini.experiments.static pseudo-words --seeds 2"
    assert len(result.numbers["pairs"]) == 24
    assert result.numbers["seeds"] == [1, 2]
    assert 0.5 < result.numbers["summary"]["majority"]["mean"] < 1


def test_without_senseval_the_command_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setattr(
        corpora,
        "course_text",
        lambda: SimpleNamespace(name="lee", sentences=lambda lower: iter([["a"]])),
    )
    assert main(["senseval", "--results", str(tmp_path / "results")]) == 2
    assert "senseval" in capsys.readouterr().err
    assert not list(tmp_path.glob("results/*"))


@pytest.mark.parametrize("name", ["static_pseudo_words", "static_senseval", "static_variance"])
def test_the_stored_results_are_those_of_brown_with_intervals(name: str) -> None:
    numbers = stored_result(name).numbers
    assert numbers["corpus"] == "brown"
    assert len(numbers["seeds"]) >= 3
    assert "Student" in numbers["interval"]
    assert '"low"' in json.dumps(numbers)
