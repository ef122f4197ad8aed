"""Mixtures and context averages, on vectors made by hand."""

import numpy as np
import pytest

from course.static_limits.pseudo_word_vectors import (
    accuracy_from_context,
    context_average,
    held_out_accuracy,
    look_at,
    mixture,
)
from course.static_limits.pseudo_words import PseudoWord, hide
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.table import WordVectors
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec


def vectors(words: str, rows: list[list[float]]) -> WordVectors:
    return WordVectors(Vocabulary(words.split()), np.array(rows, dtype=np.float32))


def test_a_mixture_gives_its_parts_back() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 30)).astype(np.float32)
    found = mixture(0.3 * a + 0.9 * b, a, b)
    assert (found.first_part, found.second_part) == pytest.approx((0.3, 0.9), abs=1e-5)
    assert found.position == pytest.approx(0.25, abs=1e-5)
    assert found.cosine == pytest.approx(1.0, abs=1e-5)
    assert mixture(a, a, b).position == pytest.approx(1.0, abs=1e-5)
    assert mixture(rng.standard_normal(30).astype(np.float32), a, b).cosine < 0.7


def test_context_average_leaves_the_word_out_and_keeps_the_window() -> None:
    table = vectors("l m r far", [[1, 0], [100, 100], [0, 3], [50, 50]])
    tokens = ["far", "l", "m", "r", "?", "far"]
    np.testing.assert_allclose(context_average(tokens, 2, table, window=1), [0.5, 1.5])
    np.testing.assert_allclose(context_average(tokens, 2, table, window=2), [51 / 3, 53 / 3])
    np.testing.assert_allclose(context_average(["?", "m", "?"], 1, table), [0, 0])


def test_held_out_accuracy_of_signal_and_of_noise() -> None:
    rng = np.random.default_rng(0)
    labels = ["x", "y"] * 100
    noise = rng.standard_normal((200, 5)).astype(np.float32)
    assert held_out_accuracy(noise, labels) == pytest.approx(0.5, abs=0.15)
    signal = noise.copy()
    signal[::2] += 4
    assert held_out_accuracy(signal, labels) > 0.95


def test_the_context_tells_what_the_merged_vector_cannot() -> None:
    rng = np.random.default_rng(0)
    text = []
    for _ in range(1500):
        of, around = [("cat", ["milk", "mouse"]), ("car", ["road", "wheel"])][rng.integers(2)]
        text.append([str(rng.choice(around)), of, str(rng.choice(around))])
    new, (pair,) = hide(text, [("cat", "car")], shares=[0.5], seed=0)
    model = Word2Vec(new, vector_size=10, sg=1, epochs=5, min_count=1, sample=0, alpha=0.05)
    assert accuracy_from_context(new, pair.labels, model) > 0.95
    fit = mixture(model["cat|car"], model["cat"], model["car"])
    assert 0.3 < fit.position < 0.7
    assert fit.cosine > 0.8


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
