"""The readers that the stored neighbours compare: one for each seed, and the same twice."""

import numpy as np

from course.from_characters.experiments import untrained
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions


def test_a_seed_is_an_untrained_network_and_leaves_the_model_alone() -> None:
    bilm = FastBiLM(BiLMOptions(projection_dim=4, dim=6, filters=((1, 4), (2, 4)), character_dim=3))
    before = bilm.token_encoder.embedding.weight.detach().clone()
    words, candidates = ["cat"], ["cats", "dog"]
    first, again, other = (untrained(bilm, seed)(words, candidates) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.allclose(first, other)
    assert bool((bilm.token_encoder.embedding.weight == before).all())
