"""What lesson 04 runs on: a text, a language model of it, shuffled sentences, and telegrams."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from course.starting_from_a_language_model.telegrams import telegram
from elmo_mini import corpora
from elmo_mini.corpora.splits import Part
from elmo_mini.extras import brought_by
from elmo_mini.progress import WithProgress
from elmo_mini.recurrent.language_model import LSTMLanguageModel, train_language_model
from elmo_mini.recurrent.seq2seq import Pair
from elmo_mini.recurrent.training import TrainingOptions, evaluating
from elmo_mini.text.batches import pad, shuffled_batches
from elmo_mini.text.running_text import endless_windows, text_stream, word_vocabulary
from elmo_mini.text.vocabulary import Vocabulary

with brought_by("experiments"):
    from sklearn.naive_bayes import BernoulliNB

Words = list[str]
Ids = list[int]
Labelled = list[tuple[Ids, int]]
Batch = tuple[Tensor, Tensor, Tensor]
Recital = tuple[Tensor, Tensor, Tensor]
StepsOf = Callable[[Ids, int], Sequence[Any]]
Right = NDArray[np.float64]
BOUNDARY = 1
IN_ORDER, SHUFFLED = 0, 1
DRAWS = 3


@dataclass
class StartsBench:
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

    def telegram_model(self) -> LSTMLanguageModel:
        """A language model of the training text's telegrams."""
        return self._model_of(text_stream(map(telegram, self.train), self.vocabulary))

    def _model_of(self, stream: Tensor) -> LSTMLanguageModel:
        torch.manual_seed(0)
        model = LSTMLanguageModel(len(self.vocabulary), self.size, self.size)
        passes = 1 if self.large else 4
        options = TrainingOptions(passes, batch_size=16, learning_rate=1e-2, progress=True)
        train_language_model(model, stream, options)
        return model

    def windows(self) -> Callable[[], tuple[Tensor, Tensor]]:
        """Inputs and targets (8, 16) of the training text, another window at each call."""
        return endless_windows(self.stream, 8, 16).__next__

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
        self, known: Labelled, epochs: int, seed: int, size: int = 8
    ) -> WithProgress[Batch]:
        """Ids (B, T), lengths (B,) and labels (B,) of batches of like length, for some epochs."""
        shuffle = np.random.default_rng(seed).shuffle
        lengths = [len(sentence) for sentence, _ in known]
        found = []
        for _ in range(epochs):
            for rows in shuffled_batches(lengths, size, shuffle, pool=50):
                ids, mask = pad([known[row][0] for row in rows], device="cpu")
                labels = torch.tensor([known[row][1] for row in rows])
                found.append((ids, mask.sum(1), labels))
        return WithProgress(found)

    def right(self, classifier: nn.Module) -> Right:
        """(N,) 1 where a classifier is right about an unseen example."""
        found: list[int] = []
        with evaluating(classifier):
            for ids, lengths, labels in self._in_turn(self.unseen):
                found += (classifier(ids, lengths).argmax(-1) == labels).long().tolist()
        return np.array(found, float)

    def _in_turn(self, examples: Labelled) -> list[Batch]:
        found = []
        for start in range(0, len(examples), 128):
            some = examples[start : start + 128]
            ids, mask = pad([sentence for sentence, _ in some], device="cpu")
            found.append((ids, mask.sum(1), torch.tensor([label for _, label in some])))
        return found

    def by_surprise(
        self, model: LSTMLanguageModel, how_many: int | None = None, shuffles: int = 5
    ) -> Right:
        """(N,) 1 where the language model alone is right about an unseen example, with no label.

        It says *in order* if none of some shuffles of the sentence surprises it less.

        Parameters
        ----------
        how_many : of the unseen examples; all by default
        """
        random = np.random.default_rng(1)
        sentences = [sentence for sentence, _ in self.unseen[:how_many]]
        own = surprises(model, sentences)
        least = np.min(
            [
                surprises(model, [_mixed(sentence, random) for sentence in sentences])
                for _ in range(shuffles)
            ],
            0,
        )
        said = np.where(own > least, SHUFFLED, IN_ORDER)
        return (said == [label for _, label in self.unseen[:how_many]]).astype(float)

    def by_threshold(self, model: LSTMLanguageModel, known: Labelled) -> Right:
        """(N,) 1 where one number of an unseen example is on the right side of a threshold.

        The number is the surprise a word, less what the words surprise by their counts alone.
        The threshold is the one that is right about most of the labelled sentences.
        """
        counts = torch.bincount(self.stream, minlength=len(self.vocabulary)).numpy() + 0.5
        alone = -np.log(counts / counts.sum())

        def numbers(examples: Labelled) -> Right:
            sentences = [sentence for sentence, _ in examples]
            expected = np.array([alone[sentence].sum() for sentence in sentences])
            lengths = np.array([len(sentence) for sentence in sentences])
            return (surprises(model, sentences) - expected) / lengths

        labels = np.array([label for _, label in known])
        found = numbers(known)
        places = np.sort(found)
        between = (places[1:] + places[:-1]) / 2
        right = [np.mean((found > place) == (labels == SHUFFLED)) for place in between]
        said = numbers(self.unseen) > between[int(np.argmax(right))]
        shuffled = np.array([label == SHUFFLED for _, label in self.unseen])
        return (said == shuffled).astype(float)

    def by_counting(self, known: Labelled, ends_alone: bool) -> Right:
        """(N,) 1 where naive Bayes is right: on all words, or on which come first and last."""

        def features(sentence: Ids) -> set[tuple[str, int]]:
            if ends_alone:  # the very last is a sign, which stays
                return {("first", sentence[0]), ("last", sentence[-2])}
            return {("any", word) for word in sentence}

        seen = {feature for sentence, _ in known for feature in features(sentence)}
        numbers = {feature: number for number, feature in enumerate(sorted(seen))}

        def table(rows: Labelled) -> NDArray[np.float64]:
            found = np.zeros((len(rows), len(numbers)))
            for row, (sentence, _) in enumerate(rows):
                found[row, [numbers[f] for f in features(sentence) if f in numbers]] = 1
            return found

        said = BernoulliNB().fit(table(known), [label for _, label in known])
        answers = said.predict(table(self.unseen))
        return (answers == [label for _, label in self.unseen]).astype(float)

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
    def asked(self) -> list[Pair]:
        """300 held-out pairs."""
        return self._pairs("dev")[:300]

    @cached_property
    def asked_too(self) -> list[Pair]:
        """300 more."""
        return self._pairs("test")[:300]

    def without_telegram(self, model: LSTMLanguageModel) -> float:
        """Perplexity of a language model on the held-out targets, which it reads one by one."""
        targets = [target for _, target in self.asked]
        tokens = sum(len(target) + 1 for target in targets)
        return float(np.exp(surprises(model, targets).sum() / tokens))

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
                read, said, counts = (
                    pad([rows[row][part] for row in chosen], device="cpu")[0] for part in range(3)
                )
                found.append((read, said, counts.bool()))
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


def _mixed(ids: Ids, random: np.random.Generator) -> Ids:
    """All ids but the last in another order."""
    return [*random.permutation(ids[:-1]).tolist(), ids[-1]]


def surprises(model: LSTMLanguageModel, sentences: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """-log p (N,) of each sentence, its end included, in nats."""
    found: list[float] = []
    with evaluating(model):
        for start in range(0, len(sentences), 200):
            some = sentences[start : start + 200]
            inputs, mask = pad([[BOUNDARY, *sentence] for sentence in some], device="cpu")
            targets, _ = pad([[*sentence, BOUNDARY] for sentence in some], device="cpu")
            scores, _ = model(inputs)
            losses = F.cross_entropy(scores.transpose(1, 2), targets, reduction="none")
            found += (losses * mask).sum(1).tolist()
    return np.array(found)


@lru_cache(maxsize=1)
def starts_bench() -> StartsBench:
    """The bench on the course's text."""
    return StartsBench(corpora.course_text())
