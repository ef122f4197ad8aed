"""Setup of lesson 04: a text, a language model of it, shuffled sentences, and telegrams."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from course.starting_from_a_language_model.telegrams import telegram
from elmo_mini import corpora
from elmo_mini.corpora.splits import Part
from elmo_mini.extras import brought_by
from elmo_mini.models.lstm_language_model import LSTMLanguageModel
from elmo_mini.progress import WithProgress
from elmo_mini.tasks.language_model_use import train_language_model
from elmo_mini.tasks.seq2seq import Pair
from elmo_mini.text.batches import pad, shuffled_batches
from elmo_mini.text.running_text import text_stream, word_vocabulary
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.steps import TrainingOptions

with brought_by("experiments"):
    from sklearn.naive_bayes import BernoulliNB

Words = list[str]
Ids = list[int]
Labelled = list[tuple[Ids, int]]
Batch = tuple[Tensor, Tensor, Tensor]
Recital = tuple[Tensor, Tensor, Tensor]
StepsOf = Callable[[Ids, int], Sequence[Any]]
Right = NDArray[np.float64]
UNKNOWN, BOUNDARY = 0, 1
IN_ORDER, SHUFFLED = 0, 1
DRAWS = 3


@dataclass
class TransferSetup:
    """The course's text as lesson 04 uses it.

    Attributes
    ----------
    train, held_out : sentences of 5 to 25 words, in lower case
    vocabulary : the 2,000 commonest words of the first
    size : numbers in a word vector and in a state
    """

    text: corpora.Corpus
    size: int = 64
    train: list[Words] = field(init=False)
    held_out: list[Words] = field(init=False)
    vocabulary: Vocabulary = field(init=False)

    def __post_init__(self) -> None:
        self.train = list(itertools.islice(self._sentences("train"), 9_000))
        self.held_out = list(itertools.islice(self._sentences("dev"), 1_500))
        self.vocabulary = word_vocabulary(self.train, max_size=2_000)

    def _sentences(self, part: Part) -> Any:
        every = self.text.split(part).sentences(lower=True)
        return (sentence for sentence in every if 5 <= len(sentence) <= 25)

    @property
    def large(self) -> bool:
        """Whether there is text enough; a small one is read more often."""
        return len(self.held_out) > 800

    @property
    def labels(self) -> int:
        """How many labelled sentences are drawn."""
        return 100 if self.large else 40

    @cached_property
    def stream(self) -> Tensor:
        """The training text as one row of ids (N,)."""
        return text_stream(self.train, self.vocabulary)

    @cached_property
    def held_out_third(self) -> Tensor:
        """The last third of the held-out text, (N,)."""
        row = text_stream(self.held_out, self.vocabulary)
        return row[-len(row) // 3 :]

    def language_model(self) -> LSTMLanguageModel:
        """The language model of lesson 03, trained once more."""
        return self._model_of(self.stream)

    @cached_property
    def telegram_stream(self) -> Tensor:
        """The training text's telegrams as one row of ids (N,)."""
        return text_stream(map(telegram, self.train), self.vocabulary)

    def telegram_model(self) -> LSTMLanguageModel:
        """A language model of the training text's telegrams."""
        return self._model_of(self.telegram_stream)

    def _model_of(self, stream: Tensor) -> LSTMLanguageModel:
        torch.manual_seed(0)
        model = LSTMLanguageModel(len(self.vocabulary), self.size, self.size)
        passes = 1 if self.large else 4
        options = TrainingOptions(passes, batch_size=16, learning_rate=1e-2, progress=True)
        train_language_model(model, stream, options)
        return model

    # In order, or shuffled?

    @cached_property
    def examples(self) -> Labelled:
        """Held-out sentences; of every second one the words but the last are shuffled."""
        random = np.random.default_rng(0)
        found: Labelled = []
        for number, sentence in enumerate(self.held_out):
            ids = self.vocabulary.encode(sentence)
            label = SHUFFLED if number % 2 else IN_ORDER
            found.append((_mixed(ids, random) if label == SHUFFLED else ids, label))
        return found

    def drawn(self, draw: int, count: int = 0) -> Labelled:
        """The labelled sentences of a draw; no two draws share one."""
        count = count or self.labels
        return self.examples[draw * count : (draw + 1) * count]

    @cached_property
    def unseen(self) -> Labelled:
        """The examples that are in no draw."""
        return self.examples[DRAWS * self.labels :]

    def batches(
        self, train: Labelled, epochs: int, seed: int, size: int = 8
    ) -> WithProgress[Batch]:
        """Ids (B, T), lengths (B,) and labels (B,) of batches of like length, for some epochs."""
        shuffle = np.random.default_rng(seed).shuffle
        lengths = [len(sentence) for sentence, _ in train]
        found = []
        for _ in range(epochs):
            for rows in shuffled_batches(lengths, size, shuffle, pool=50):
                ids, mask = pad([train[row][0] for row in rows], device="cpu")
                labels = torch.tensor([train[row][1] for row in rows])
                found.append((ids, mask.sum(1), labels))
        return WithProgress(found)

    @cached_property
    def exchanged(self) -> list[tuple[Tensor, Tensor]]:
        """Two held-out sentences, a boundary between them, and both with their ends exchanged.

        The sentences share a word, and what stands behind it changes places: (T,) ids each, with
        the same pairs of neighbours. No sentence is in two of them.
        """
        random = np.random.default_rng(2)
        more = itertools.islice(self._sentences("dev"), len(self.held_out), 4_000)
        sentences = [self.vocabulary.encode(sentence) for sentence in (*self.held_out, *more)]
        waiting: dict[int, list[tuple[Ids, int]]] = {}
        found = []
        for number in random.permutation(len(sentences)).tolist():
            one = sentences[number]
            ends = random.permutation(np.arange(3, max(3, len(one) - 4))).tolist()
            known = [end for end in ends if one[end] != UNKNOWN]
            partner = next((end for end in known if waiting.get(one[end])), None)
            if partner is None:
                for end in known:
                    waiting.setdefault(one[end], []).append((one, end))
                continue
            other, cut = waiting[one[partner]][0]
            for row in waiting.values():
                row[:] = [(waits, end) for waits, end in row if waits is not other]
            mixed = [*one[: partner + 1], *other[cut + 1 :], BOUNDARY]
            mixed += [*other[: cut + 1], *one[partner + 1 :]]
            if mixed != (whole := [*one, BOUNDARY, *other]):  # they may end alike
                found.append((torch.tensor(whole), torch.tensor(mixed)))
        return found

    @cached_property
    def test(self) -> Batch:
        """Ids (N, T), lengths (N,) and labels (N,) of the unseen examples."""
        ids, mask = pad([sentence for sentence, _ in self.unseen], device="cpu")
        return ids, mask.sum(1), torch.tensor([label for _, label in self.unseen])

    def by_counting(self, train: Labelled, ends_alone: bool) -> Right:
        """(N,) 1 where naive Bayes is right: on all words, or on which come first and last."""

        def features(sentence: Ids) -> set[tuple[str, int]]:
            if ends_alone:  # the very last is a sign, which stays
                return {("first", sentence[0]), ("last", sentence[-2])}
            return {("any", word) for word in sentence}

        seen = {feature for sentence, _ in train for feature in features(sentence)}
        numbers = {feature: number for number, feature in enumerate(sorted(seen))}

        def table(rows: Labelled) -> NDArray[np.float64]:
            found = np.zeros((len(rows), len(numbers)))
            for row, (sentence, _) in enumerate(rows):
                found[row, [numbers[f] for f in features(sentence) if f in numbers]] = 1
            return found

        classifier = BernoulliNB().fit(table(train), [label for _, label in train])
        predicted = classifier.predict(table(self.unseen))
        return (predicted == [label for _, label in self.unseen]).astype(float)

    # Telegrams made whole

    def _pairs(self, part: Part, skip: int = 0) -> list[Pair]:
        longest, unknown = (9, 1) if self.large else (25, 6)  # a small text has few short ones
        return [
            (self.vocabulary.encode(telegram(sentence)), self.vocabulary.encode(sentence))
            for sentence in itertools.islice(self._sentences(part), skip, None)
            if len(sentence) <= longest
            and len(telegram(sentence)) >= 2
            and sum(word not in self.vocabulary for word in sentence) <= unknown
        ]

    @cached_property
    def pairs(self) -> list[Pair]:
        """2,000 pairs that no language model has read; a small text has none such, and shares."""
        unread = self._pairs("train", skip=len(self.train)) or self._pairs("train")
        return [unread[row] for row in np.random.default_rng(0).permutation(len(unread))[:2_000]]

    @cached_property
    def dev_pairs(self) -> list[Pair]:
        """300 pairs held out for development."""
        return self._pairs("dev")[:300]

    @cached_property
    def test_pairs(self) -> list[Pair]:
        """300 pairs held out for the test."""
        return self._pairs("test")[:300]

    def recitals(self, steps_of: StepsOf, how_many: int, size: int = 16) -> WithProgress[Recital]:
        """Batches for a sequence autoencoder: what is read, what is said, what counts, (B, T) each.

        Parameters
        ----------
        steps_of : gives the three lists of a sentence and the boundary
        how_many : sentences of the training text
        """
        rows = [
            steps_of(self.vocabulary.encode(sentence), BOUNDARY)
            for sentence in self.train[:how_many]
        ]
        shuffle = np.random.default_rng(0).shuffle
        found = []
        for _ in range(1 if self.large else 4):
            for chosen in shuffled_batches([len(row[0]) for row in rows], size, shuffle, pool=50):
                inputs, targets, counts = (
                    pad([rows[row][part] for row in chosen], device="cpu")[0] for part in range(3)
                )
                found.append((inputs, targets, counts.bool()))
        return WithProgress(found)

    def pair_batches(
        self, pairs: Sequence[Pair], epochs: int, size: int, seed: int = 0
    ) -> WithProgress[list[Pair]]:
        """Batches of pairs of like length, for some epochs."""
        shuffle = np.random.default_rng(seed).shuffle
        lengths = [len(target) for _, target in pairs]
        batches = [
            [pairs[row] for row in rows]
            for _ in range(epochs)
            for rows in shuffled_batches(lengths, size, shuffle, pool=50)
        ]
        return WithProgress(batches)


def padded_pairs(pairs: Sequence[Pair]) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Telegrams (B, S) and their mask; what the decoder reads, must say (B, T), and their mask."""
    sources, source_mask = pad([source for source, _ in pairs], device="cpu")
    read, mask = pad([[BOUNDARY, *target] for _, target in pairs], device="cpu")
    said, _ = pad([[*target, BOUNDARY] for _, target in pairs], device="cpu")
    return sources, source_mask, read, said, mask


def _mixed(ids: Ids, random: np.random.Generator) -> Ids:
    """All ids but the last in another order."""
    return [*random.permutation(ids[:-1]).tolist(), ids[-1]]


@lru_cache(maxsize=1)
def transfer_setup() -> TransferSetup:
    """The setup on the course's text."""
    return TransferSetup(corpora.course_text())
