"""What a masked language model makes of words in their sentences."""

from collections.abc import Sequence

import numpy as np
import torch

from elmo_mini.embedding.stream import Floats
from elmo_mini.probing.tasks import Occurrence
from elmo_mini.recurrent.training import evaluating
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.masked_lm import MaskedLM
from elmo_mini.transformer.sentence_pairs import pack, padded

ROWS = 64


def occurrence_states(
    model: MaskedLM, vocabulary: Vocabulary, occurrences: Sequence[Occurrence]
) -> Floats:
    """What enters the blocks and what leaves each, at each occurrence, (N, layers + 1, D).

    Nothing is hidden. Of a text that is too long, the model reads as many words as it has places
    for, with the occurrence in the middle.
    """
    room = model.options.longest - 2  # without [CLS] and [SEP]
    starts = [max(0, min(o.position - room // 2, len(o.words) - room)) for o in occurrences]
    found = np.empty((len(occurrences), model.options.layers + 1, model.options.dim), np.float32)
    order = sorted(range(len(occurrences)), key=lambda row: len(occurrences[row].words))
    with evaluating(model):
        for first in range(0, len(order), ROWS):
            rows = order[first : first + ROWS]
            texts = [occurrences[row].words[starts[row] : starts[row] + room] for row in rows]
            ids, mask, segments = padded(
                [pack(vocabulary.encode(map(str.lower, text))) for text in texts]
            )
            places = torch.tensor([occurrences[row].position - starts[row] + 1 for row in rows])
            layers = torch.stack(model.layers(ids, mask, segments), 1)  # (B, layers + 1, T, D)
            found[rows] = layers[torch.arange(len(rows)), :, places].numpy()
    return found
