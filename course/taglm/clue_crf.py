"""Linear-chain CRF on hand-made features (clues), the baseline of every tagger."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from course.baselines.word_clues import ClueScores, ClueTable
from elmo_mini.tagging.constrained_crf import LinearChainCRF
from elmo_mini.tagging.spans import SpanScores, span_scores
from elmo_mini.tagging.tagged_sentences import TaggedSentence

Counts = NDArray[np.int64]
RATE, PASSES, BATCH = 0.05, 30, 10


def clue_counts(
    train: Sequence[TaggedSentence],
    dev: Sequence[TaggedSentence],
    test: Sequence[TaggedSentence],
    seed: int,
) -> Counts:
    """(N, 3) of each test sentence: its spans that are right, predicted, and there.

    Training stops after the pass whose F1 on dev is best.
    """
    torch.manual_seed(seed)
    labels = sorted({label for sentence in train for label in sentence.labels})
    table = ClueTable([sentence.words for sentence in train])
    scores, crf = ClueScores(len(table), len(labels)), LinearChainCRF(labels)
    optimiser = torch.optim.Adam(nn.ModuleList([scores, crf]).parameters(), lr=RATE)

    def emissions(sentences: Sequence[TaggedSentence]) -> tuple[Tensor, Tensor]:
        ids, mask = table.of([sentence.words for sentence in sentences])
        return scores(ids), mask

    @torch.no_grad()
    def counted(sentences: Sequence[TaggedSentence]) -> Counts:
        paths = [
            path
            for first in range(0, len(sentences), 100)
            for path in crf.decode(*emissions(sentences[first : first + 100]))
        ]
        said = [[labels[k] for k in path] for path in paths]
        pairs = zip(sentences, said, strict=True)
        return np.array([span_scores([list(s.labels)], [row]) for s, row in pairs])

    best, found = -1.0, np.zeros((0, 3), np.int64)
    for _ in range(PASSES):
        for rows in torch.randperm(len(train)).split(BATCH):
            some = [train[row] for row in rows.tolist()]
            gold = [torch.tensor([labels.index(label) for label in s.labels]) for s in some]
            read, mask = emissions(some)
            loss = crf.loss(read, pad_sequence(gold, batch_first=True), mask)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        on_dev = SpanScores(*counted(dev).sum(0).tolist()).f1
        if on_dev > best:
            best, found = on_dev, counted(test)
    return found
