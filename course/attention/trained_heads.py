"""Queries and keys of a trained model of the next word, on sentences that it has not read."""

from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray

from course.texts.word_classes import word_classes
from elmo_mini.models.attention import Block
from elmo_mini.models.fine_tuning import CausalLM
from elmo_mini.text.batches import pad
from elmo_mini.text.running_text import BOUNDARY
from elmo_mini.text.vocabulary import Vocabulary

Numbers = NDArray[np.float64]


@torch.no_grad()
def queries_and_keys(
    model: CausalLM, vocabulary: Vocabulary, texts: int = 200
) -> list[tuple[Numbers, Numbers]]:
    """Queries and keys (N, d) of the first head of each block.

    Parameters
    ----------
    texts : so many beginnings of sentences of lesson 14's task, N tokens
    """
    some = word_classes().dev.texts[:texts]
    ids, mask = pad([vocabulary.encode([BOUNDARY, *text]) for text in some], device="cpu")
    x, found = model.norm(model.word(ids) + model.position_embedding.weight[: ids.shape[1]]), []
    for block in cast(list[Block], model.blocks):
        heads = block.attention
        d = x.shape[-1] // heads.heads
        q, k = (layer(x)[mask][:, :d].double().numpy() for layer in (heads.query, heads.key))
        found.append((q, k))
        x = block(x, mask)
    return found
