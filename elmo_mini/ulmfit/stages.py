"""ULMFiT's stages 2 and 3 (language model, classifier), with a switch for each of its methods.

Howard & Ruder 2018, section 3. The settings are the paper's where it gives any that fit a small
model; the others were chosen on dev with draws of labels that no result is measured with.
"""

import copy
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_mini.awd_lstm.awd_lstm_options import AWDLSTMOptions
from elmo_mini.errors import ConfigurationError
from elmo_mini.models.awd_lstm import AWDLSTM
from elmo_mini.models.ulmfit import (
    FACTOR,
    Group,
    Layers,
    chain_thaw,
    constant,
    fine_tune,
    parameter_groups,
    slanted_triangular,
)
from elmo_mini.settings import above_0, at_least_0, seed_number, truth, whole_number
from elmo_mini.text.batches import class_numbers
from elmo_mini.text.labelled import Labelled
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.steps import device_of, seeded
from elmo_mini.ulmfit.task_text import TextLoss, check_words_of, text_windows
from elmo_mini.ulmfit.text_classifier import (
    LabelledBatch,
    TextClassifier,
    in_ids,
    labelled_batches,
    language_model_layers,
)

UNFREEZING = ("gradual", "all at once", "top alone", "chain-thaw")


@dataclass(frozen=True, kw_only=True)
class Stage3:
    """How the classifier is fine-tuned.

    Attributes
    ----------
    unfreezing : one of `UNFREEZING`
    factor : between the rates of neighbouring layers; 1 for one rate
    slanted : the slanted triangle, or a constant rate
    rate : the highest, of the top layer
    epochs, batch_size : passes over the labels, and texts of a batch
    dropout : factor on the reader's dropouts; the head has its own. On dev, 0 was no worse than 1
        and takes two thirds of the time

    Raises
    ------
    ConfigurationError
        If one of them is out of its range; the message names it.
    """

    unfreezing: str = "gradual"
    factor: float = FACTOR
    slanted: bool = True
    rate: float = 0.01
    epochs: int = 8
    batch_size: int = 8
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.unfreezing not in UNFREEZING:
            raise ConfigurationError(
                f"unfreezing is {self.unfreezing!r}; it must be one of {', '.join(UNFREEZING)}"
            )
        truth("slanted", self.slanted)
        whole_number("epochs", self.epochs)
        whole_number("batch_size", self.batch_size, 2)  # batch norm needs two
        for name in ("factor", "rate"):
            above_0(name, getattr(self, name))
        at_least_0("dropout", self.dropout)

    def groups(self, layers: Layers, epoch: int) -> list[Group]:
        """The groups of an epoch."""
        everything = parameter_groups(layers, self.rate, len(layers), self.factor)
        if self.unfreezing == "gradual":
            return parameter_groups(layers, self.rate, epoch, self.factor)
        if self.unfreezing == "all at once":
            return everything
        if self.unfreezing == "top alone":
            return everything[-1:]
        return chain_thaw(everything, epoch)


def stage_2(
    reader: AWDLSTM,
    vocabulary: Vocabulary,
    words: int,
    text: list[list[str]],
    *,
    epochs: int = 2,
    rate: float = 0.004,
    seed: int = 0,
) -> AWDLSTM:
    """A copy of the language model that has read the task's text.

    Parameters
    ----------
    words : it bets among the first so many words of the vocabulary
    seed : of the dropout; the caller's random state is left as it was

    Raises
    ------
    ValueError
        If the reader and the vocabulary differ in size, or the text is too short.
    ConfigurationError
        If a number is out of its range.
    """
    check_words_of(reader, vocabulary)
    whole_number("words", words, 1, len(vocabulary))
    whole_number("epochs", epochs)
    seed_number(seed)
    above_0("rate", rate)
    model = copy.deepcopy(reader)
    layers = language_model_layers(model)
    pages = text_windows(text, vocabulary, model.options.direction)
    everybody = partial(parameter_groups, layers, rate, len(layers))
    with seeded(seed, device_of(model)):
        fine_tune(
            model,
            [pages] * epochs,
            TextLoss(model, words),
            lambda epoch: everybody(),
            slanted_triangular,
        )
    return model


def stage_3(
    reader: AWDLSTM,
    vocabulary: Vocabulary,
    labelled: Labelled,
    classes: int,
    how: Stage3,
    seed: int,
    *,
    after_epoch: Callable[[int, TextClassifier], object] | None = None,
) -> TextClassifier:
    """A classifier that starts from a copy of the reader.

    Parameters
    ----------
    labelled : two texts or more, with classes numbered from 0
    seed : of the head, the dropout and the batches; the caller's random state is left as it was
    after_epoch : called before each epoch and at the end, with the number of epochs done

    Raises
    ------
    ValueError
        If the reader and the vocabulary differ in size, a label is no number of a class, or there
        are fewer than two texts.
    """
    check_words_of(reader, vocabulary)
    seed_number(seed)
    texts = in_ids(labelled.texts, vocabulary, reader.options.direction)
    labels = class_numbers(labelled.labels, classes)
    batches = labelled_batches(texts, labels, how.epochs, size=how.batch_size, seed=seed)
    with seeded(seed, device_of(reader)):
        return _classifier(rescaled(reader, how.dropout), classes, batches, how, after_epoch)


def _classifier(
    reader: AWDLSTM,
    classes: int,
    batches: list[list[LabelledBatch]],
    how: Stage3,
    after_epoch: Callable[[int, TextClassifier], object] | None,
) -> TextClassifier:
    model = TextClassifier(reader, classes)
    layers = model.layers()

    def loss_of(batch: LabelledBatch) -> Tensor:
        return F.cross_entropy(model(batch.ids, batch.mask), batch.labels)

    def groups_of(epoch: int) -> list[Group]:
        if after_epoch is not None:
            after_epoch(epoch, model)
        return how.groups(layers, epoch)

    schedule = slanted_triangular if how.slanted else constant
    fine_tune(model, batches, loss_of, groups_of, schedule)
    if after_epoch is not None:
        after_epoch(how.epochs, model)
    return model


def rescaled(reader: AWDLSTM, factor: float) -> AWDLSTM:
    """A copy of the language model with its dropouts times `factor`."""
    with torch.random.fork_rng(devices=[]):  # the weights drawn here are overwritten
        options = AWDLSTMOptions(**asdict(reader.options))
        copied = AWDLSTM(options.scaled(factor))
    copied.load_state_dict(reader.state_dict())
    return copied.train(reader.training)


def fresh(reader: AWDLSTM, seed: int) -> AWDLSTM:
    """A language model of the same sizes that has read nothing."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return AWDLSTM(replace(reader.options)).eval()
