"""The three broken runs of lesson 01 show what the exercise says of them."""

import numpy as np
import pytest

from autograde.checking import catalogue
from elmo_mini import corpora
from elmo_mini.experiments.broken_vectors import Pairs, Symptoms, four_runs
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.word2vec import dynamic_window_pairs, keep_probability, sgns_step


@pytest.fixture(scope="module")
def seen() -> dict[str, Symptoms]:
    sentences = list(corpora.lee().sentences(lower=True))
    vocabulary = Vocabulary.from_sentences(sentences, min_count=5)

    def pairs_of(threshold: float) -> Pairs:
        rng = np.random.default_rng(0)
        keep = keep_probability(vocabulary.frequencies, threshold, "code")
        pairs: list[tuple[int, int]] = []
        for sentence in sentences:
            ids = [i for i in vocabulary.encode(sentence) if rng.random() < keep[i]]
            pairs += dynamic_window_pairs(ids, 5, rng)
        return rng.permutation(np.array(pairs))

    train = catalogue.find("train_skip_gram").reference
    return four_runs(vocabulary, pairs_of, train, sgns_step)


def test_even_noise_makes_frequent_words_believe_each_other(seen: dict[str, Symptoms]) -> None:
    assert seen["A"].by_chance > seen["sound"].by_chance + 0.5
    assert seen["A"].often == seen["sound"].often


def test_a_rate_too_high_throws_the_loss_above_its_start(seen: dict[str, Symptoms]) -> None:
    assert seen["B"].losses[-100:].mean() > seen["sound"].losses[0]


def test_without_subsampling_the_pairs_are_of_frequent_words(seen: dict[str, Symptoms]) -> None:
    assert seen["C"].often > seen["sound"].often + 0.2
