"""ULMFiT's stages on a task, and the baselines, for the measurements of lesson 11.

A seed draws the labels, the start values of the head, the dropout and the order of the batches.
Whatever is compared shares it, so differences are taken draw by draw and text by text.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from course.results.accuracy import right_of
from course.texts import labelled_tasks as tasks
from course.texts.labelled_tasks import Labelled, Task
from course.ulmfit import baselines
from elmo_mini import corpora
from elmo_mini.awd_lstm.awd_lstm_file import course_file, load_awd_lstm, read_awd_lstm_record
from elmo_mini.models.awd_lstm import AWDLSTM
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.ulmfit.merged_vocabulary import restore_rows, task_vocabulary, with_words, words_of
from elmo_mini.ulmfit.stages import Stage3, fresh, stage_2, stage_3
from elmo_mini.ulmfit.task_text import Window, text_perplexity, text_windows
from elmo_mini.ulmfit.text_classifier import TextClassifier, class_probabilities, in_ids

Floats = NDArray[np.float32]
GENERAL_SENTENCES = 120
FEW, MANY = 100, 1_000
DRAWS, ALL_DRAWS = {50: 5, 100: 5, 500: 5}, 5
AGAIN = 1_000
"""What a second run on the same labels adds to its seed."""
PLAIN_RATE = 0.004
"""Chosen on dev for everything at once."""
OFTEN = 3
"""In how many texts a word or pair must stand for EM to count it, chosen on dev (lesson 15)."""

Watch = Literal["never", "at the end", "every epoch"]


def schedule_for(labels: int) -> Stage3:
    """How long and in what batches the whole recipe trains on so many labels.

    With all labels of a task a run would take many minutes, so it has fewer and larger steps.
    """
    if labels <= FEW:
        return Stage3()
    if labels <= MANY:
        return Stage3(batch_size=16)
    return (
        Stage3(batch_size=32, epochs=6) if labels <= 5 * MANY else Stage3(batch_size=64, epochs=4)
    )


def single_rate(how: Stage3) -> Stage3:
    """The same with nothing frozen from the start, at one rate for all layers."""
    return replace(how, unfreezing="all at once", factor=1.0, rate=PLAIN_RATE)


def from_nothing(how: Stage3, labels: int, longer: int = 2) -> Stage3:
    """For a network that has read nothing: plain, and with more epochs.

    Parameters
    ----------
    longer : how many times the epochs, up to 100 labels; it is 2 up to 1,000 labels, then 1
    """
    if labels > FEW:
        longer = 2 if labels <= MANY else 1
    return replace(single_rate(how), epochs=how.epochs * longer)


class Run(NamedTuple):
    """What is kept of a trained classifier.

    Attributes
    ----------
    probabilities : (N, C), of the classes of each test text
    general : perplexity of general text, as often as it was asked for: never, at the end, or
        before stage 3 and after each epoch
    """

    probabilities: Floats
    general: list[float]


@dataclass
class ULMFiTSetup:
    """One task, and everything that is trained on it.

    `draws` is how many draws of labels there are for comparisons, by the number of labels;
    `longer` as in `from_nothing`.
    """

    task: Task
    draws: dict[int, int]
    passes: int = 2
    longer: int = 2
    language_models: dict[tuple[str, bool], AWDLSTM] = field(default_factory=dict)
    runs: dict[tuple[int, Stage3, int, bool, str, bool], Run] = field(default_factory=dict)

    @cached_property
    def words(self) -> tuple[Vocabulary, int]:
        """The task's words and the checkpoint's, and how many are the task's."""
        return task_vocabulary(self.task.text, load_awd_lstm()[1])

    @cached_property
    def general(self) -> list[Window]:
        """General text that no checkpoint has read: news of the Lee corpus."""
        sentences = list(corpora.lee().sentences(lower=True))[:GENERAL_SENTENCES]
        return text_windows(sentences, self.words[0], rows=8)

    def language_model(self, *, tuned: bool, direction: str = "forward") -> AWDLSTM:
        """The language model after stage 1, or after stage 2 as well if it is `tuned`."""
        key = (direction, tuned)
        if key not in self.language_models:
            vocabulary, own = self.words
            if tuned:
                before = self.language_model(tuned=False, direction=direction)
                self.language_models[key] = stage_2(
                    before, vocabulary, own, self.task.text, epochs=self.passes
                )
            else:
                model, known = load_awd_lstm(direction=direction)
                self.language_models[key] = with_words(model, known, vocabulary)
        return self.language_models[key]

    def trained(
        self,
        count: int,
        how: Stage3,
        seed: int,
        *,
        tuned: bool = True,
        direction: str = "forward",
        watch: Watch = "never",
        again: bool = False,
    ) -> Run:
        """A classifier from so many labels, trained once and kept.

        Parameters
        ----------
        tuned : it starts from stage 2, not from stage 1
        watch : when to ask what is forgotten; a run that was watched less is made anew
        again : the same labels, but another head, dropout and order of the batches
        """
        key = (count, how, seed, tuned, direction, again)
        noted = {"never": 0, "at the end": 1, "every epoch": how.epochs + 1}[watch]
        if key not in self.runs or len(self.runs[key].general) < noted:
            reader = self.language_model(tuned=tuned, direction=direction)
            self.runs[key] = self._run(reader, count, how, seed, watch, again)
        return self.runs[key]

    def from_scratch(self, count: int, how: Stage3, seed: int) -> Run:
        """The same network, whose layers have read nothing."""
        reader = fresh(self.language_model(tuned=False), seed)
        return self._run(reader, count, from_nothing(how, count, self.longer), seed)

    def _run(
        self,
        reader: AWDLSTM,
        count: int,
        how: Stage3,
        seed: int,
        watch: Watch = "never",
        again: bool = False,
    ) -> Run:
        vocabulary, train = self.words[0], self.task.train.drawn(count, seed)
        # A row whose word does not occur never moves. Without those, a step is twice as quick.
        words = words_of([*train.texts, *self.task.test.texts], vocabulary)
        general: list[float] = []

        def note(epoch: int, model: TextClassifier) -> None:
            if watch == "every epoch" or (watch == "at the end" and epoch == how.epochs):
                whole = restore_rows(model.reader, words, reader, vocabulary)
                general.append(text_perplexity(whole, self.general))

        model = stage_3(
            with_words(reader, vocabulary, words),
            words,
            train,
            len(self.task.classes),
            how,
            seed + AGAIN if again else seed,
            after_epoch=note,
        )
        model.eval()
        test = in_ids(self.task.test.texts, words, reader.options.direction)
        return Run(class_probabilities(model, test).numpy(), general)

    def correct(self, answers: Iterable[Any]) -> NDArray[np.float64]:
        """(draws, N) whether each answer for the test is right."""
        return right_of(list(answers), self.task.test.labels)

    @property
    def guessing(self) -> float:
        """The share of the test that has the most frequent class of the training part."""
        task = self.task
        often = int(np.bincount(task.train.labels).argmax())
        return float(np.mean(np.array(task.test.labels) == often))

    def general_perplexity(self, reader: AWDLSTM) -> float:
        """Of a forward reader on `general`, among all words."""
        return text_perplexity(reader, self.general)

    def by_bag_of_words(self, train: Labelled) -> NDArray[np.int64]:
        """Answers for the test."""
        return baselines.bag_of_words(train.texts, train.labels, self.task.test.texts)

    def by_naive_bayes_svm(self, train: Labelled) -> NDArray[np.int64]:
        """Answers for the test."""
        return baselines.naive_bayes_svm(train.texts, train.labels, self.task.test.texts)

    def by_naive_bayes_em(self, train: Labelled) -> NDArray[np.int64]:
        """Answers for the test, from the labels and from the text that stage 2 reads."""
        texts = train.texts, train.labels, self.task.test.texts, self.task.text
        return baselines.naive_bayes_em(*texts, pairs=True, often=OFTEN)

    def by_static_vectors(self, train: Labelled) -> NDArray[np.int64]:
        """Answers for the test, from mean and largest numbers of stage 1's word vectors."""
        return baselines.linear_on(
            self._static(train.texts), train.labels, self._static(self.task.test.texts)
        )

    def by_elmo(self, train: Labelled) -> NDArray[np.int64]:
        """Answers for the test, from the mean vector of each layer of the course's biLM."""
        return baselines.elmo_features(train.texts, train.labels, self.task.test.texts)

    def _static(self, texts: list[list[str]]) -> Floats:
        vocabulary, table = (
            self.words[0],
            self.language_model(tuned=False).embedding.weight.detach(),
        )
        rows = [table[torch.tensor(vocabulary.encode(text))] for text in texts]
        return np.stack([torch.cat([row.mean(0), row.amax(0)]).numpy() for row in rows])


def setups() -> dict[str, ULMFiTSetup]:
    """One for each of the two tasks.

    From scratch, up to 100 questions get 48 epochs, all else 16: a trial, of which nothing is
    stored. With 500 labels more than 16 were not tried.
    """
    found = {
        "questions": ULMFiTSetup(tasks.questions(), DRAWS, longer=6),
        "opinions": ULMFiTSetup(tasks.opinions(), DRAWS, passes=1),
    }
    for setup in found.values():
        setup.draws = {**DRAWS, len(setup.task.train.texts): ALL_DRAWS}
    return found


def checkpoints() -> dict[str, Any]:
    """What the checkpoints say of themselves."""
    found = {}
    for direction in ("forward", "backward"):
        path = course_file(direction)
        if path.exists():
            record = read_awd_lstm_record(path)
            found[direction] = {
                key: record[key] for key in ("perplexity", "tokens", "command") if key in record
            }
    return found
