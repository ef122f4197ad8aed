"""Taggers on fifty sentences: the token layer alone stands in for every layer."""

import numpy as np

from course.what_the_layers_know import fifty_sentences
from elmo_mini.tagging.elmo_tagger import LayeredSentence


def test_the_token_layer_takes_the_place_of_all() -> None:
    layers = np.arange(12, dtype=np.float32).reshape(3, 2, 2)
    (alone,) = fifty_sentences._token_layer_alone([LayeredSentence(("a", "b"), ["O", "O"], layers)])
    assert alone.layers.shape == layers.shape
    assert all(np.array_equal(layer, layers[0]) for layer in alone.layers)
