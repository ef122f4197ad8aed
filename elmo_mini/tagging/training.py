"""Training a tagger: Adam, batches of like length, and the epoch that was best on dev.

Peters et al. (2017), section 3: Adam, gradients clipped at norm 5, early stopping on the dev F1.
"""

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from elmo_mini.tagging.spans import SpanScores, span_scores
from elmo_mini.tagging.taglm import TaggedSentence, Tagger, TaggerOptions
from elmo_mini.word_vectors.table import WordVectors


@dataclass(frozen=True)
class TrainedTagger:
    """A tagger as it was after its best epoch.

    Attributes:
        tagger: in evaluation mode.
        losses: mean training loss of each epoch. dev_f1: F1 on dev after each epoch.
        best_epoch: counted from 1.
    """

    tagger: Tagger
    losses: list[float]
    dev_f1: list[float]
    best_epoch: int


def train_tagger(
    train: Sequence[TaggedSentence],
    dev: Sequence[TaggedSentence],
    options: TaggerOptions | None = None,
    *,
    word_vectors: WordVectors | None = None,
    seed: int = 0,
    epochs: int = 30,
    patience: int = 6,
    batch_size: int = 16,
    learning_rate: float = 3e-3,
    decay: float = 0.95,
) -> TrainedTagger:
    """Train until dev F1 has made no new best for `patience` epochs, at most `epochs`.

    The learning rate is multiplied by `decay` after each epoch. The seed fixes start values,
    dropout and the order of the batches; the caller's random state is left as it was.

    Raises:
        ValueError: no training or no dev sentence, or options that ask for LM vectors the
            sentences do not have.
    """
    options = options or TaggerOptions()
    if not train or not dev:
        raise ValueError(f"{len(train)} training and {len(dev)} dev sentences: both need some")
    sample = train[0].lm
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        shuffle = random.Random(seed)
        lm_dim = 0 if sample is None else sample.shape[1]
        tagger = Tagger(train, options, lm_dim, word_vectors)
        optimiser = torch.optim.Adam(tagger.parameters(), lr=learning_rate)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimiser, decay)
        losses: list[float] = []
        dev_f1: list[float] = []
        best = copy.deepcopy(tagger.state_dict())
        for epoch in range(epochs):
            tagger.train()
            total = 0.0
            for batch in batches(train, batch_size, shuffle):
                optimiser.zero_grad()
                loss = tagger.loss(batch)
                loss.backward()
                torch.nn.utils.clip_grad_norm_(tagger.parameters(), 5.0)
                optimiser.step()
                total += loss.item() * len(batch)
            schedule.step()
            losses.append(total / len(train))
            dev_f1.append(f1_on(tagger, dev).f1)
            if dev_f1[-1] > max(dev_f1[:-1], default=-1.0):
                best_epoch = epoch
                best = copy.deepcopy(tagger.state_dict())
            if epoch - best_epoch >= patience:
                break
    tagger.load_state_dict(best)
    return TrainedTagger(tagger.eval(), losses, dev_f1, best_epoch + 1)


def f1_on(tagger: Tagger, sentences: Sequence[TaggedSentence]) -> SpanScores:
    """Span precision, recall and F1 of the tagger's labels."""
    return span_scores([list(s.labels) for s in sentences], tagger.predict(sentences))


def batches(
    sentences: Sequence[TaggedSentence], size: int, shuffle: random.Random
) -> Iterator[list[TaggedSentence]]:
    """Every sentence once, in batches of like length, which come in random order."""
    mixed = list(sentences)
    shuffle.shuffle(mixed)
    mixed.sort(key=lambda sentence: len(sentence.words))  # stable: equal lengths stay mixed
    starts = list(range(0, len(mixed), size))
    shuffle.shuffle(starts)
    for start in starts:
        yield mixed[start : start + size]
