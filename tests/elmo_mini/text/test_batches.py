import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from elmo_mini.errors import ConfigurationError
from elmo_mini.models.awd_lstm import AWDLSTM, AWDLSTMSizes
from elmo_mini.models.context2vec import Context2Vec
from elmo_mini.models.lstm_language_model import LSTMLanguageModel
from elmo_mini.models.masked_lm import MaskedLMOptions
from elmo_mini.models.taglm import TaggerOptions
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.tasks.context2vec_use import context_vectors
from elmo_mini.tasks.language_model_use import hidden_states
from elmo_mini.tasks.lstm_classifier import LSTMClassifier, predict
from elmo_mini.tasks.seq2seq import Seq2Seq, seq2seq_perplexity
from elmo_mini.text.batches import batches_of_like_length, in_batches, pad, shuffled_batches
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.pretraining import MaskedPretraining, NumberedText
from elmo_mini.ulmfit.text_classifier import TextClassifier, class_probabilities

LENGTHS = np.random.default_rng(1).integers(1, 40, 1003).tolist()


def spread(batches: list[list[int]]) -> list[int]:
    """How far apart the lengths of each batch lie."""
    return [max(LENGTHS[r] for r in rows) - min(LENGTHS[r] for r in rows) for rows in batches]


def test_rows_are_cut_by_length_and_stay_in_their_order_among_equals() -> None:
    assert batches_of_like_length([3, 1, 3, 2, 1], 2) == [[1, 4], [3, 0], [2]]
    assert batches_of_like_length([3, 1, 3, 2, 1], 2, [2, 4, 0]) == [[4, 2], [0]]
    assert batches_of_like_length([], 2) == []


@pytest.mark.parametrize(("pool", "mean", "most"), [(50, 3, 40), (None, 1, 1)])
def test_batches_hold_every_row_once_and_like_lengths(
    pool: int | None, mean: float, most: int
) -> None:
    shuffle = np.random.default_rng(2).shuffle
    first, second = (list(shuffled_batches(LENGTHS, 10, shuffle, pool=pool)) for _ in range(2))
    for batches in (first, second):
        assert sorted(row for rows in batches for row in rows) == list(range(1003))
        assert np.mean(spread(batches)) < mean
        assert max(spread(batches)) <= most
    assert first != second
    assert [len(rows) for rows in first].count(10) == 100


def test_any_generator_shuffles() -> None:
    one, other = (
        list(shuffled_batches(LENGTHS, 10, random.Random(seed).shuffle)) for seed in (0, 0)
    )
    assert one == other
    assert list(shuffled_batches([], 10, random.Random(0).shuffle)) == []


def test_pad() -> None:
    ids, mask = pad([[4, 5], [6], [7, 8, 9], []], 2, device="cpu")
    assert ids.tolist() == [[4, 5, 2], [6, 2, 2], [7, 8, 9], [2, 2, 2]]
    assert mask.tolist() == [[True, True, False], [True, False, False], [True] * 3, [False] * 3]
    assert (ids.dtype, mask.dtype) == (torch.int64, torch.bool)
    assert [table.device.type for table in pad([[1], []], device="meta")] == ["meta", "meta"]
    with pytest.raises(ValueError, match="nothing to pad"):
        pad([], device="cpu")
    with pytest.raises(TypeError, match="no whole number"):
        pad([[1, 2], [1.5]], device="cpu")  # type: ignore[list-item]


MODEL = LSTMLanguageModel(5, 4, 4)
WORDS = Vocabulary(["</s>", "<unk>", "a", "b", "c"], unknown="<unk>")
SENTENCE = TaggedSentence(("a",), ("O",))
BATCHED: dict[str, Callable[[Any], Any]] = {
    "in_batches": lambda size: in_batches([1], size),
    "batches_of_like_length": lambda size: batches_of_like_length([1], size),
    "shuffled_batches": lambda size: list(shuffled_batches([1], size, random.shuffle, pool=2)),
    "Tagger": lambda size: Tagger.for_sentences(
        [SENTENCE], TaggerOptions(lm_position="none")
    ).predict([SENTENCE], size),
    "LSTMClassifier": lambda size: predict(LSTMClassifier(5, 2), [[2]], batch_size=size),
    "hidden_states": lambda size: hidden_states(MODEL, WORDS, [["a"]], batch_size=size),
    "context_vectors": lambda size: context_vectors(
        Context2Vec(5, 4, 4), WORDS, [["a"]], batch_size=size
    ),
    "seq2seq_perplexity": lambda size: seq2seq_perplexity(
        Seq2Seq(5, 5), [([2], [2])], batch_size=size
    ),
    "class_probabilities": lambda size: class_probabilities(
        TextClassifier(AWDLSTM(AWDLSTMSizes(vocabulary_size=5, dim=4, hidden_dim=4)), 2),
        [[0, 2, 0]],
        size,
    ),
    "MaskedPretraining": lambda size: MaskedPretraining(
        MaskedLMOptions(9, 4, 1, 1, 8),
        NumberedText(np.array([6, 7]), np.array([0, 1, 2]), np.array([False, False])),
        steps=1,
        batch_size=size,
    ).train_step(),
}


@pytest.mark.parametrize("use", BATCHED)
def test_a_batch_of_no_size_is_refused(use: str) -> None:
    for size in (0, -1, 1.5, "2", None, True):
        with pytest.raises(ConfigurationError, match=r"batch_size is .*; it must be a whole"):
            BATCHED[use](size)
    BATCHED[use](2)
