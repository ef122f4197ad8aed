"""The classifier of stage 3: a language model's layers, concat pooling, and two new layers.

Howard & Ruder 2018, section 3.3. Letters in the shape comments: B texts, T words, C classes.
"""

import reprlib
from collections.abc import Callable, Sequence
from operator import index
from typing import NamedTuple, SupportsIndex, cast

import numpy as np
import torch
from torch import Tensor, nn

from elmo_mini.models.awd_lstm import AWDLSTM
from elmo_mini.models.ulmfit import concat_pool
from elmo_mini.settings import whole_number
from elmo_mini.text.batches import in_batches, pad, shuffled_batches
from elmo_mini.text.running_text import BOUNDARY, check_direction
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.steps import evaluating
from elmo_mini.ulmfit.long_texts import read_padded_in_chunks

HIDDEN = 50
DROPOUTS = (0.4, 0.1)
CHUNK, KEEP = 70, 2
POOL = 8

Pool = Callable[[Tensor, Tensor], Tensor]
Texts = Sequence[Sequence[int]]


class LabelledBatch(NamedTuple):
    """Ids (B, T) in reading order, their mask (B, T), and labels (B,)."""

    ids: Tensor
    mask: Tensor
    labels: Tensor


class TextClassifier(nn.Module):
    """Scores of the classes for whole texts.

    Parameters
    ----------
    reader : a language model; its layers become part of the classifier, its softmax stays idle
    classes : C
    pool : from states (B, T, E) and mask (B, T) to (B, 3 E)
    """

    def __init__(
        self,
        reader: AWDLSTM,
        classes: int,
        *,
        pool: Pool = concat_pool,
    ) -> None:
        super().__init__()
        self.reader, self.pool = reader, pool
        whole_number("classes", classes)
        pooled = 3 * reader.options.layer_sizes[-1][1]
        self.head = nn.Sequential(
            nn.BatchNorm1d(pooled),
            nn.Dropout(DROPOUTS[0]),
            nn.Linear(pooled, HIDDEN),
            nn.ReLU(),
            nn.BatchNorm1d(HIDDEN),
            nn.Dropout(DROPOUTS[1]),
            nn.Linear(HIDDEN, classes),
        )

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Ids (B, T) in reading order and their mask (B, T) to scores (B, C).

        In training the head's batch norm needs two texts or more; raises ValueError for one.
        """
        if self.training:
            _check_two(len(ids))
        states = read_padded_in_chunks(self.reader.encode, ids, mask.sum(1), CHUNK, KEEP)
        scores: Tensor = self.head(self.pool(states, mask))
        return scores

    def layers(self) -> list[list[nn.Parameter]]:
        """The parameters from the bottom to the top: word vectors, each LSTM, the new layers."""
        return [*reader_layers(self.reader), list(self.head.parameters())]


def reader_layers(reader: AWDLSTM) -> list[list[nn.Parameter]]:
    """The parameters that read, from the bottom to the top: word vectors, then each LSTM."""
    return [
        list(reader.embedding.parameters()),
        *(list(layer.parameters()) for layer in reader.layers),
    ]


def language_model_layers(model: AWDLSTM) -> list[list[nn.Parameter]]:
    """The parameters of stage 2: `reader_layers`, and the softmax on top.

    A tied softmax is the word vectors once more, beside its bias.
    """
    return [*reader_layers(model), list(model.decoder.parameters())]


def in_ids(
    texts: Sequence[Sequence[str]], vocabulary: Vocabulary, direction: str = "forward"
) -> list[list[int]]:
    """Each text as ids in reading order, between two sentence ends, as the reader knows them.

    The package's readers know words in lower case; others are unknown to them.
    """
    check_direction(direction)
    end = vocabulary.id(BOUNDARY)
    rows = [[end, *vocabulary.encode(text), end] for text in texts]
    return rows if direction == "forward" else [row[::-1] for row in rows]


def labelled_batches(
    texts: Texts, labels: Sequence[int], epochs: int, *, size: int = 8, seed: int = 0
) -> list[list[LabelledBatch]]:
    """The batches of so many epochs, in another order each, texts of like length together.

    A text that would be alone joins another batch.

    Raises
    ------
    ValueError
        If there are fewer than two texts, or not one label for each.
    ConfigurationError
        If `epochs` or `size` is out of its range.
    """
    whole_number("epochs", epochs)
    whole_number("size", size, 2)
    if len(texts) != len(labels):
        raise ValueError(f"there are {len(texts)} texts and {len(labels)} labels; each needs one")
    _check_two(len(texts))
    shuffle = np.random.default_rng(seed).shuffle
    lengths, found = list(map(len, texts)), []
    for _ in range(epochs):
        rows = list(shuffled_batches(lengths, size, shuffle, pool=POOL))
        alone = [batch for batch in rows if len(batch) == 1]  # batch norm needs two
        rows = [batch for batch in rows if len(batch) > 1]
        if alone:
            rows[-1] = rows[-1] + alone.pop()
        found.append(
            [
                LabelledBatch(
                    *pad([texts[row] for row in batch], device="cpu"),
                    torch.tensor([labels[row] for row in batch]),
                )
                for batch in rows
            ]
        )
    return found


def _is_id(id: object, known: int) -> bool:
    try:
        return 0 <= index(cast(SupportsIndex, id)) < known
    except TypeError:
        return False


def _check_two(texts: int) -> None:
    if texts < 2:
        raise ValueError(
            f"{texts} labelled text{'' if texts == 1 else 's'}: the head's batch norm compares the "
            "texts of a batch and learns from two at least; give more labelled texts"
        )


def class_probabilities(classifier: TextClassifier, texts: Texts, batch_size: int = 100) -> Tensor:
    """(N, C) for texts as ids in reading order, without dropout.

    Raises
    ------
    ValueError
        If there is no text, a text has no id, or an id is none of the reader's.
    """
    if not len(texts):
        raise ValueError("there is no text")
    known = classifier.reader.options.vocabulary_size
    for number, text in enumerate(texts):
        if not len(text) or not all(_is_id(id, known) for id in text):
            raise ValueError(
                f"text {number} is {reprlib.repr(list(text))}; it must be ids from 0 to "
                f"{known - 1:,}, as in_ids gives them, and at least one"
            )
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    found: list[Tensor] = []
    with evaluating(classifier):
        for rows in in_batches(order, batch_size):
            found.append(classifier(*pad([texts[row] for row in rows], device="cpu")).softmax(-1))
    back = torch.tensor(order).argsort()
    return torch.cat(found)[back]
