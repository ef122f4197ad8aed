"""The three broken runs of lesson 01 show what the exercise says of them."""

import numpy as np
import pytest
import torch
from torch import Tensor

from course.word2vec.broken_vectors import LOW, MISMATCHED, RUNS, Pairs, Symptoms, four_runs
from elmo_mini import corpora
from elmo_mini.models.skip_gram import (
    dynamic_window_pairs,
    keep_probability,
    noise_distribution,
    sgns_step,
    train_skip_gram,
)
from elmo_mini.text.vocabulary import Vocabulary


def runs() -> dict[str, Symptoms]:
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

    def learn(
        pairs: Pairs, steps: int, power: float = 0.75, rate: float = 0.05
    ) -> tuple[Tensor, Tensor, list[float]]:
        rows = torch.from_numpy(np.resize(pairs, (1000 * steps, 2)))
        noise = torch.as_tensor(noise_distribution(vocabulary.counts, power))
        torch.manual_seed(0)
        return train_skip_gram(rows, noise, sgns_step, 50, 5, 1000, rate, lambda *_: None)

    absent = {"4": LOW, "5": MISMATCHED}  # faults that the exercise lists, and no run has
    return four_runs(pairs_of, learn, RUNS | absent)


def even_noise_makes_frequent_words_believe_each_other(seen: dict[str, Symptoms]) -> None:
    assert seen["A"].by_chance > seen["sound"].by_chance + 0.5
    assert seen["A"].often == seen["sound"].often


def a_rate_too_high_throws_the_loss_above_its_start(seen: dict[str, Symptoms]) -> None:
    assert seen["B"].losses[-100:].mean() > seen["sound"].losses[0]


def without_subsampling_the_pairs_are_of_frequent_words(seen: dict[str, Symptoms]) -> None:
    assert seen["C"].often > seen["sound"].often + 0.2


def with_even_noise_the_loss_ends_lowest_of_all(seen: dict[str, Symptoms]) -> None:
    ends = {name: s.losses[-100:].mean() for name, s in seen.items()}
    assert min(ends, key=lambda name: ends[name]) == "A"


def with_a_rate_too_low_the_loss_stays_where_it_starts(seen: dict[str, Symptoms]) -> None:
    assert np.abs(seen["4"].losses - 6 * np.log(2)).max() < 0.01


def with_contexts_of_other_words_loss_and_numbers_are_nearly_those_of_the_sound_run(
    seen: dict[str, Symptoms],
) -> None:
    fallen = {name: s.losses[0] - s.losses[-100:].mean() for name, s in seen.items()}
    assert fallen["5"] > 0.8 * fallen["sound"] > 0.5
    assert abs(seen["5"].often - seen["sound"].often) < 0.1
    assert abs(seen["5"].by_chance - seen["sound"].by_chance) < 0.3


@pytest.mark.by_reach("trained again", seconds=15)
def test_each_broken_run_of_lesson_01_shows_what_is_said_of_it() -> None:
    seen = runs()
    for shown in (
        even_noise_makes_frequent_words_believe_each_other,
        a_rate_too_high_throws_the_loss_above_its_start,
        without_subsampling_the_pairs_are_of_frequent_words,
        with_even_noise_the_loss_ends_lowest_of_all,
        with_a_rate_too_low_the_loss_stays_where_it_starts,
        with_contexts_of_other_words_loss_and_numbers_are_nearly_those_of_the_sound_run,
    ):
        shown(seen)
