"""The readers that the stored neighbours compare: one for each seed, and the same twice."""

import numpy as np

from course.from_characters.experiments import last_letters, untrained, untrained_weights
from course.from_characters.word_similarity import same_class
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


def test_an_encoder_of_last_letters_sees_no_others() -> None:
    bilm = FastBiLM(BiLMOptions(projection_dim=4, dim=6, filters=((1, 4), (2, 4)), character_dim=3))
    one, same, other = last_letters(untrained_weights(bilm))(["walking", "king", "walked"])
    assert np.array_equal(one, same)
    assert not np.allclose(one, other)


def test_the_share_of_a_class_is_of_five_neighbours() -> None:
    classes = dict(zip("xabcdef", "nnnvvvn", strict=True))
    nearest_first = np.arange(6, 0, -1, dtype=np.float32)
    of_x = same_class(lambda *_: nearest_first[None], ["x"], list("abcdef"), classes)
    assert of_x.tolist() == [0.4]
