"""Sequence-to-sequence model with attention, pretrained by two language models.

Ramachandran, Liu & Le 2017 (EMNLP, D17-1039), "Unsupervised Pretraining for Sequence to Sequence
Learning". A language model of the source language gives the encoder's embedding and first LSTM
layer; one of the target language gives the decoder's, and its softmax. Three things protect what
was learned: language-model losses go on beside the task, the decoder's first layer reaches the
softmax past the new random layer, and attention reads the encoder's first layer too.

Letters in the shape comments: B sentences, S source steps, T target steps, H size, V words.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from elmo_mini.divergence import argmax
from elmo_mini.models.lstm_language_model import LSTMLanguageModel, masked_cross_entropy, perplexity
from elmo_mini.text.batches import in_batches, pad
from elmo_mini.text.running_text import endless_windows, shifted
from elmo_mini.training.steps import TrainingOptions, device_of, evaluating, train_on_sentences

Pair = tuple[Sequence[int], Sequence[int]]


def attend(queries: Tensor, keys: Tensor, mask: Tensor) -> Tensor:
    """Dot-product attention weights of each target step over the source steps.

    Parameters
    ----------
    queries : (B, T, H)
    keys : (B, S, H)
    mask : (B, S) bool, True at real source words

    Returns
    -------
    (B, T, S), each row sums to 1 and is exactly 0 at padding
    """
    scores = queries @ keys.transpose(1, 2)  # (B, T, S)
    return scores.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(-1)


def attend_to_layers(weights: Tensor, first: Tensor, top: Tensor) -> Tensor:
    """Read both layers of the encoder with the same weights.

    Parameters
    ----------
    weights : (B, T, S)
    first, top : (B, S, H)

    Returns
    -------
    (B, T, 2H)
    """
    return torch.cat([weights @ first, weights @ top], -1)


def softmax_input(first: Tensor, upper: Tensor, *, residual: bool = True) -> Tensor:
    """What the decoder's softmax reads, (B, T, H).

    Parameters
    ----------
    first : output of the pretrained first layer
    upper : of the new layer with attention
    residual : add the first. Without it, a random layer stands between what was pretrained.
    """
    return first + upper if residual else upper


def joint_loss(task: Tensor, source: Tensor, target: Tensor) -> Tensor:
    """Mean of the task's loss and both language models' losses, equally weighted."""
    return (task + source + target) / 3


class Seq2Seq(nn.Module):
    """Two LSTM layers on each side, attention, and a softmax over the target words.

    Parameters
    ----------
    source_words, target_words : sizes of the vocabularies
    size : H, of embeddings and states; that of the language models it starts from
    residual, both_layers : see `softmax_input` and `attend_to_layers`
    dropout : on embeddings and on what the softmax reads, in training
    """

    def __init__(
        self,
        source_words: int,
        target_words: int,
        size: int = 100,
        *,
        residual: bool = True,
        both_layers: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.residual, self.both_layers = residual, both_layers
        self.source_embedding = nn.Embedding(source_words, size)
        self.encoder_first = nn.LSTM(size, size, batch_first=True)
        self.encoder_top = nn.LSTM(size, size, batch_first=True)
        self.source_softmax = nn.Linear(size, source_words)
        self.target_embedding = nn.Embedding(target_words, size)
        self.decoder_first = nn.LSTM(size, size, batch_first=True)
        self.decoder_top = nn.LSTM(size, size, batch_first=True)
        self.combine = nn.Linear((3 if both_layers else 2) * size, size)
        self.softmax = nn.Linear(size, target_words)
        self.dropout = nn.Dropout(dropout)
        for table in (self.source_embedding, self.target_embedding):
            nn.init.uniform_(table.weight, -0.1, 0.1)

    def forward(self, source: Tensor, source_mask: Tensor, inputs: Tensor) -> Tensor:
        """Scores of the next target word.

        Parameters
        ----------
        source : (B, S)
        source_mask : (B, S) bool
        inputs : (B, T), ``</s> w1 ... wn``.

        Returns
        -------
        (B, T, V)
        """
        _, first, upper = self.read(source, source_mask, inputs)
        scores: Tensor = self.softmax(
            self.dropout(softmax_input(first, upper, residual=self.residual))
        )
        return scores

    def read(
        self, source: Tensor, source_mask: Tensor, inputs: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Attention weights (B, T, S), the decoder's first layer and its upper part (B, T, H)."""
        encoder_first, _ = self.encoder_first(self.dropout(self.source_embedding(source)))
        encoder_top, _ = self.encoder_top(encoder_first)
        first, _ = self.decoder_first(self.dropout(self.target_embedding(inputs)))
        top, _ = self.decoder_top(first)
        weights = attend(top, encoder_top, source_mask)
        if self.both_layers:
            context = attend_to_layers(weights, encoder_first, encoder_top)
        else:
            context = weights @ encoder_top
        return weights, first, torch.tanh(self.combine(torch.cat([context, top], -1)))

    def source_lm(self, ids: Tensor) -> Tensor:
        """Scores of the next source word (B, S, V) from the encoder's first layer alone."""
        states, _ = self.encoder_first(self.dropout(self.source_embedding(ids)))
        scores: Tensor = self.source_softmax(self.dropout(states))
        return scores

    def target_lm(self, ids: Tensor) -> Tensor:
        """Scores of the next target word (B, T, V) from the decoder's first layer alone."""
        states, _ = self.decoder_first(self.dropout(self.target_embedding(ids)))
        scores: Tensor = self.softmax(self.dropout(states))
        return scores


def _copy(parts: Sequence[tuple[nn.Module, nn.Module]], side: str) -> None:
    for ours, theirs in parts:
        wanted = {key: value.shape for key, value in ours.state_dict().items()}
        given = {key: value.shape for key, value in theirs.state_dict().items()}
        if wanted != given:
            raise ValueError(
                f"the {side} has {type(ours).__name__} of {_sizes(wanted)}, the language model of "
                f"{_sizes(given)}; build both with the same words and sizes"
            )
    for ours, theirs in parts:
        ours.load_state_dict(theirs.state_dict())


def _sizes(shapes: dict[str, torch.Size]) -> str:
    return ", ".join(f"{key} {tuple(shape)}" for key, shape in shapes.items())


def start_encoder(model: Seq2Seq, language_model: LSTMLanguageModel) -> None:
    """Copy a source language model into embedding, first encoder layer and source softmax.

    Raises
    ------
    ValueError
        If the sizes differ; nothing is copied then.
    """
    parts = [
        (model.source_embedding, language_model.embedding),
        (model.encoder_first, language_model.lstm),
        (model.source_softmax, language_model.softmax),
    ]
    _copy(parts, "encoder")


def start_decoder(
    model: Seq2Seq, language_model: LSTMLanguageModel, *, softmax: bool = True
) -> None:
    """Copy a target language model into embedding, first decoder layer and, by default, softmax.

    Raises
    ------
    ValueError
        If the sizes differ; nothing is copied then.
    """
    parts: list[tuple[nn.Module, nn.Module]] = [
        (model.target_embedding, language_model.embedding),
        (model.decoder_first, language_model.lstm),
    ]
    if softmax:
        parts.append((model.softmax, language_model.softmax))
    _copy(parts, "decoder")


def padded_sources(
    sources: Sequence[Sequence[int]], device: torch.device | str
) -> tuple[Tensor, Tensor]:
    """Sources as `pad` makes them, (B, S) each; raises ValueError for one without a word."""
    if not all(map(len, sources)):
        raise ValueError("a source has no word, so there is nothing to translate")
    return pad(sources, device=device)


def pair_loss(model: Seq2Seq, pairs: Sequence[Pair], *, boundary: int = 1) -> tuple[Tensor, int]:
    """Mean nats a target token of some pairs, boundary included, and how many tokens."""
    device = device_of(model)
    source, source_mask = padded_sources([source for source, _ in pairs], device)
    steps = [shifted(target, boundary) for _, target in pairs]
    inputs, mask = pad([inputs for inputs, _ in steps], device=device)
    targets, _ = pad([targets for _, targets in steps], device=device)
    return masked_cross_entropy(model(source, source_mask, inputs), targets, mask), int(mask.sum())


def train_seq2seq(
    model: Seq2Seq,
    pairs: Sequence[Pair],
    options: TrainingOptions | None = None,
    *,
    source_text: Tensor | None = None,
    target_text: Tensor | None = None,
    text_batch_size: int = 8,
    bptt: int = 16,
    after_step: Callable[[int], Any] | None = None,
) -> list[float]:
    """Train all weights on pairs with Adam; the rate falls in a straight line to zero.

    Parameters
    ----------
    pairs : ids of source and target, without boundaries
    source_text, target_text : running text (N,). With both, each step also reads a window of
        each, `text_batch_size` rows of `bptt` words, and minimises `joint_loss`
    after_step : called with the number of steps done

    Returns
    -------
    The task's loss at each step, in nats a target token

    Raises
    ------
    ValueError
        If there is only one of the two texts, or no pair.
    """
    if (source_text is None) != (target_text is None):
        raise ValueError("the joint loss needs both texts, source and target")
    texts = [
        endless_windows(text.to(device_of(model)), text_batch_size, bptt)
        for text in (source_text, target_text)
        if text is not None
    ]

    def with_language_models(task: Tensor) -> Tensor:
        read = zip((model.source_lm, model.target_lm), map(next, texts), strict=True)
        return joint_loss(
            task, *(F.cross_entropy(lm(x).flatten(0, 1), y.flatten()) for lm, (x, y) in read)
        )

    return train_on_sentences(
        model,
        [len(target) for _, target in pairs],
        lambda rows: pair_loss(model, [pairs[row] for row in rows])[0],
        options or TrainingOptions(),
        minimised=with_language_models if texts else None,
        after_step=after_step,
    )


def seq2seq_perplexity(model: Seq2Seq, pairs: Sequence[Pair], *, batch_size: int = 100) -> float:
    """exp of mean nats a target token, given the source and the true words before it."""
    with evaluating(model):
        found = [pair_loss(model, some) for some in in_batches(pairs, batch_size)]
    return perplexity([loss.item() for loss, _ in found], [tokens for _, tokens in found])


def translate(
    model: Seq2Seq, sources: Sequence[Sequence[int]], *, longest: int = 20, boundary: int = 1
) -> list[list[int]]:
    """Greedy decoding of a batch: the likeliest word at each step, at most `longest`."""
    source, mask = padded_sources(sources, device_of(model))
    predicted = torch.full((len(sources), 1), boundary, device=source.device)
    with evaluating(model):
        for _ in range(longest):
            best = argmax(model(source, mask, predicted)[:, -1:])
            predicted = torch.cat([predicted, best], 1)
            if (predicted[:, 1:] == boundary).any(1).all():
                break
    words = [row[1:] for row in predicted.tolist()]
    return [row[: row.index(boundary)] if boundary in row else row for row in words]
