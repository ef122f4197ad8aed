"""Training a tagger: Adam, batches of like length, and the epoch that was best on dev.

Peters et al. (2017), section 3: Adam, gradients clipped at norm 5, early stopping on the dev F1.
"""

import copy
import random
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from elmo_mini.checkpoints.device import usable_device
from elmo_mini.divergence import check_history
from elmo_mini.errors import ConfigurationError
from elmo_mini.models.taglm import TaggerOptions
from elmo_mini.progress import progress_bar
from elmo_mini.settings import finite, whole_number
from elmo_mini.tagging.spans import SpanScores, span_scores
from elmo_mini.tagging.tagged_sentences import TaggedSentence, check_labels, check_lm
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.text.batches import shuffled_batches
from elmo_mini.training.steps import TrainingOptions, clipped_step, seeded
from elmo_mini.word_vectors.table import WordVectors

LARGEST_GRADIENT = 5.0


@dataclass(frozen=True)
class TaggerTrainingOptions(TrainingOptions):
    """`TrainingOptions`, at most so many epochs, and when to stop before.

    Attributes
    ----------
    seed : of the start values, the dropout and the order of the batches
    patience : epochs without a new best dev F1 after which training stops
    decay : the learning rate is multiplied by it after each epoch
    """

    epochs: int = 30
    patience: int = 6
    decay: float = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number("patience", self.patience)
        if not 0 < finite("decay", self.decay) <= 1:
            raise ConfigurationError(f"decay is {self.decay}; it must be above 0 and at most 1")


@dataclass(frozen=True)
class TrainedTagger:
    """A tagger as it was after its best epoch.

    Attributes
    ----------
    tagger : in evaluation mode
    losses : mean training loss of each epoch
    dev_f1 : F1 on dev after each epoch
    best_epoch : counted from 1
    """

    tagger: Tagger
    losses: list[float]
    dev_f1: list[float]
    best_epoch: int


def train_tagger(
    train: Sequence[TaggedSentence],
    dev: Sequence[TaggedSentence],
    options: TaggerOptions | None = None,
    training: TaggerTrainingOptions | None = None,
    *,
    word_vectors: WordVectors | None = None,
    device: torch.device | str = "cpu",
) -> TrainedTagger:
    """Train until dev F1 has made no new best for `patience` epochs, at most `epochs`.

    The seed fixes start values, dropout and the order of the batches; the caller's random state
    is left as it was. Sentences without a word are left out.

    Raises
    ------
    TypeError
        If a sentence is no `TaggedSentence`.
    ValueError
        If there is no training or no dev sentence, a sentence has not one label for each word,
        or the options ask for LM vectors that the sentences do not have.
    """
    options, training = options or TaggerOptions(), training or TaggerTrainingOptions()
    device = usable_device(device, "leave device out to use the CPU")
    for what, part in (("training sentence", train), ("dev sentence", dev)):
        check_labels(part, what)
    lm_dim = next((s.lm.shape[1] for s in train if s.lm is not None), 0)
    for what, part in (("training sentence", train), ("dev sentence", dev)):
        if lm_dim and options.lm_position != "none":
            check_lm(part, lm_dim, what)
    train, dev = ([sentence for sentence in part if sentence.words] for part in (train, dev))
    if not train or not dev:
        raise ValueError(
            f"{len(train)} training and {len(dev)} dev sentences have words: both need some"
        )
    lengths = [len(sentence.words) for sentence in train]
    with seeded(training.seed, device):
        shuffle = random.Random(training.seed).shuffle
        tagger = Tagger.for_sentences(train, options, lm_dim, word_vectors).to(device)
        optimizer = torch.optim.Adam(tagger.parameters(), lr=training.learning_rate)
        schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, training.decay)
        losses: list[float] = []
        dev_f1: list[float] = []
        best, best_epoch = tagger.state_dict(), 0
        epochs = range(training.epochs)
        for epoch in progress_bar(epochs, unit=" epochs", show=training.progress):
            tagger.train()
            total = 0.0
            for rows in shuffled_batches(lengths, training.batch_size, shuffle):
                loss = tagger.loss([train[row] for row in rows])
                clipped_step(tagger, optimizer, loss, LARGEST_GRADIENT)
                total += loss.item() * len(rows)
            schedule.step()
            losses.append(total / len(train))
            dev_f1.append(f1_on(tagger, dev).f1)
            if epoch == 0 or dev_f1[-1] > dev_f1[best_epoch]:
                best, best_epoch = copy.deepcopy(tagger.state_dict()), epoch
            if epoch - best_epoch >= training.patience:
                break
    check_history(losses, f"lower learning_rate={training.learning_rate}")
    if not any(dev_f1) and any(set(sentence.labels) != {"O"} for sentence in dev):
        warnings.warn(
            f"not one span of the dev sentences was found in {len(dev_f1)} epochs: nothing was "
            f"learnt; give more sentences or epochs, or another "
            f"learning_rate={training.learning_rate}",
            stacklevel=2,
        )
    tagger.load_state_dict(best)
    return TrainedTagger(tagger.eval(), losses, dev_f1, best_epoch + 1)


def batches_of_passes(
    sentences: Sequence[TaggedSentence], passes: int, batch_size: int = 8, seed: int = 0
) -> list[list[TaggedSentence]]:
    """So many passes over the sentences, each in batches of like length and in a new order."""
    lengths = [len(sentence.words) for sentence in sentences]
    shuffle = random.Random(seed).shuffle
    return [
        [sentences[row] for row in rows]
        for _ in range(passes)
        for rows in shuffled_batches(lengths, batch_size, shuffle)
    ]


def f1_on(tagger: Tagger, sentences: Sequence[TaggedSentence]) -> SpanScores:
    """Span precision, recall and F1 of the tagger's labels."""
    return span_scores([list(s.labels) for s in sentences], tagger.predict(sentences))
