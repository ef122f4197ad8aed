"""LSTM classifier pretrained as a language model or as a sequence autoencoder (Dai & Le 2015).

Dai & Le 2015 (NIPS), "Semi-supervised Sequence Learning". Unlabelled text trains an LSTM either
to predict the next word or to reconstruct the sequence that it has read. The classifier's
embedding and LSTM start from those weights, and then all weights are trained on the labels.

Letters in the shape comments: B sentences, T steps, H hidden size.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_mini.divergence import argmax, check_better_than_labels
from elmo_mini.models.lstm_language_model import LSTMLanguageModel
from elmo_mini.text.batches import class_numbers, in_batches, pad
from elmo_mini.training.steps import TrainingOptions, device_of, evaluating, train_on_sentences


def autoencoder_steps(
    sentence: Sequence[int], boundary: int
) -> tuple[list[int], list[int], list[bool]]:
    """Inputs and targets of a sequence autoencoder for n words, 2n + 1 steps (figure 1).

    One LSTM reads ``w1 ... wn </s> w1 ... wn``. After the boundary it has to predict
    ``w1 ... wn </s>``; its predictions before count nothing.

    Returns
    -------
    inputs, targets (the boundary where no loss is taken), and whether a step counts
    """
    words = list(sentence)
    inputs = [*words, boundary, *words]
    targets = [boundary] * len(words) + [*words, boundary]
    counted = [False] * len(words) + [True] * (len(words) + 1)
    return inputs, targets, counted


def last_real(outputs: Tensor, lengths: Tensor) -> Tensor:
    """The state after the last real word of each row.

    Parameters
    ----------
    outputs : (B, T, H), padding at the end
    lengths : (B,), each from 1 to T

    Returns
    -------
    (B, H)
    """
    return outputs[torch.arange(len(outputs), device=outputs.device), lengths - 1]


class LSTMClassifier(nn.Module):
    """Embedding, one LSTM layer, and a linear layer on the state after the last word.

    Parameters
    ----------
    words : V
    classes : C
    embedding : E
    hidden : H
    dropout : on the LSTM's input and on its last state, in training
    """

    def __init__(
        self,
        words: int,
        classes: int,
        embedding: int = 100,
        hidden: int = 100,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, embedding)
        self.lstm = nn.LSTM(embedding, hidden, batch_first=True)
        self.output = nn.Linear(hidden, classes)
        self.dropout = nn.Dropout(dropout)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """Scores (B, C) of sentences (B, T) with padding at the end; lengths (B,)."""
        outputs, _ = self.lstm(self.dropout(self.embedding(ids)))
        scores: Tensor = self.output(self.dropout(last_real(outputs, lengths)))
        return scores


def start_from(classifier: LSTMClassifier, language_model: LSTMLanguageModel) -> None:
    """Copy embedding and LSTM of a trained language model; the output layer stays as drawn.

    The weights are copied, so training the classifier leaves the language model as it is.

    Raises
    ------
    ValueError
        If the sizes differ.
    """
    for name in ("embedding", "lstm"):
        theirs = getattr(language_model, name).state_dict()
        ours = getattr(classifier, name).state_dict()
        for key, value in theirs.items():
            if ours[key].shape != value.shape:
                raise ValueError(
                    f"{name}.{key} has shape {tuple(value.shape)} in the language model and "
                    f"{tuple(ours[key].shape)} in the classifier; build both with the same sizes"
                )
    classifier.embedding.load_state_dict(language_model.embedding.state_dict())
    classifier.lstm.load_state_dict(language_model.lstm.state_dict())


def train_autoencoder(
    model: LSTMLanguageModel,
    sentences: Sequence[Sequence[int]],
    options: TrainingOptions | None = None,
    *,
    boundary: int = 1,
) -> list[float]:
    """Train the weights of a language model as a sequence autoencoder instead.

    Parameters
    ----------
    sentences : ids of each sentence; empty ones are left out

    Returns
    -------
    The loss of each batch, in nats a target word

    Raises
    ------
    ValueError
        If there is no sentence.
    """
    rows = [autoencoder_steps(sentence, boundary) for sentence in sentences if len(sentence)]
    device = device_of(model)

    def loss(chosen: list[int]) -> Tensor:
        ids, _ = pad([rows[row][0] for row in chosen], device=device)
        targets, _ = pad([rows[row][1] for row in chosen], device=device)
        counted = pad([rows[row][2] for row in chosen], device=device)[0].bool()
        outputs, _ = model.states(ids)
        return F.cross_entropy(model.softmax(model.dropout(outputs[counted])), targets[counted])

    lengths = [len(inputs) for inputs, _, _ in rows]
    return train_on_sentences(model, lengths, loss, options or TrainingOptions())


def train_classifier(
    classifier: LSTMClassifier,
    sentences: Sequence[Sequence[int]],
    labels: Sequence[int],
    options: TrainingOptions | None = None,
    *,
    extra_loss: Callable[[], Tensor] | None = None,
    after_step: Callable[[int], Any] | None = None,
) -> list[float]:
    """Train all weights on labelled sentences with Adam; the rate falls to zero.

    Parameters
    ----------
    sentences : ids of each sentence, none empty
    labels : class of each
    extra_loss : added at each step, for instance a language-model loss
    after_step : called with the number of steps done

    Returns
    -------
    The classification loss of each batch, without `extra_loss`

    Raises
    ------
    ValueError
        If the lengths differ, a sentence is empty, or a label is no number of a class.
    """
    if len(sentences) != len(labels) or not all(map(len, sentences)):
        raise ValueError(
            f"need a label for each sentence and a word in each; got {len(sentences)} sentences, "
            f"{len(labels)} labels"
        )
    device = device_of(classifier)
    labels = class_numbers(labels, classifier.output.out_features)
    gold = torch.tensor(labels, device=device)

    def loss(chosen: list[int]) -> Tensor:
        ids, mask = pad([sentences[row] for row in chosen], device=device)
        return F.cross_entropy(classifier(ids, mask.sum(1)), gold[chosen])

    options = options or TrainingOptions()
    history = train_on_sentences(
        classifier,
        list(map(len, sentences)),
        loss,
        options,
        minimised=None if extra_loss is None else lambda own: own + extra_loss(),
        after_step=after_step,
    )
    check_better_than_labels(history, labels, f"lower learning_rate={options.learning_rate}")
    return history


def predict(
    classifier: LSTMClassifier, sentences: Sequence[Sequence[int]], *, batch_size: int = 128
) -> list[int]:
    """The class with the highest score, of each sentence; raises ValueError for an empty one."""
    if not all(map(len, sentences)):
        raise ValueError("a sentence has no word, so it has no class")
    device = device_of(classifier)
    found: list[int] = []
    with evaluating(classifier):
        for some in in_batches(sentences, batch_size):
            ids, mask = pad(some, device=device)
            found += argmax(classifier(ids, mask.sum(1))).tolist()
    return found


def accuracy(
    classifier: LSTMClassifier,
    sentences: Sequence[Sequence[int]],
    labels: Sequence[int],
    *,
    batch_size: int = 128,
) -> float:
    """Accuracy: the share of sentences whose highest score is that of their label."""
    predicted = predict(classifier, sentences, batch_size=batch_size)
    if not predicted:
        raise ValueError("there is no sentence, so there is no accuracy")
    return sum(a == b for a, b in zip(predicted, labels, strict=True)) / len(sentences)
