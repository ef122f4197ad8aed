"""Greedy decoding and teacher forcing of a translator, by a decoder step that is an argument.

The translator is `Seq2Seq`, from Ramachandran, Liu & Le 2017 (D17-1039). Here its decoder is
written as one step, which the caller may replace by a step of their own.

Letters in the shape comments: B sentences, S source steps, T target steps, H size, V words.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from elmo_mini.divergence import argmax
from elmo_mini.models.lstm_language_model import perplexity
from elmo_mini.settings import whole_number
from elmo_mini.tasks.seq2seq import Pair, Seq2Seq, attend, padded_sources
from elmo_mini.text.batches import in_batches, pad
from elmo_mini.text.running_text import shifted
from elmo_mini.training.steps import device_of, evaluating

State = Any
"""What a step hands to the next: the states of both LSTMs; None before the first word."""
Stepped = tuple[Tensor, State, Tensor]
Step = Callable[[Seq2Seq, Tensor, State, Tensor, Tensor, Tensor], Stepped]


def decode_step(
    model: Seq2Seq, words: Tensor, state: State, first: Tensor, top: Tensor, mask: Tensor
) -> Stepped:
    """One decoder step: read a target word, and score the next.

    Parameters
    ----------
    words : (B,), the word before; the boundary at the beginning
    state : of both decoder layers, as the step before returned it; None at the beginning
    first, top : (B, S, H), the encoder's layers
    mask : (B, S) bool, True at real source words

    Returns
    -------
    logits (B, V) of the next word, the new state, and the attention weights (B, S)
    """
    below, above = state or (None, None)
    lower, below = model.decoder_first(model.target_embedding(words).unsqueeze(1), below)
    upper, above = model.decoder_top(lower, above)  # (B, 1, H)
    weights = attend(upper, top, mask)  # (B, 1, S)
    heard = torch.cat([weights @ first, weights @ top, upper], -1)  # (B, 1, 3H)
    scores = model.softmax(lower + torch.tanh(model.combine(heard)))
    return scores[:, 0], (below, above), weights[:, 0]


def encoded(model: Seq2Seq, sources: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor, Tensor]:
    """Both layers of the encoder (B, S, H), and the mask (B, S).

    Raises ValueError for a translator that leaves out what the paper's has, and steps read.
    """
    if not (model.residual and model.both_layers):
        raise ValueError(
            "a decoder step reads both layers and adds the lower one; this translator was made "
            "with residual=False or both_layers=False: use translate and seq2seq_perplexity"
        )
    ids, mask = padded_sources(sources, device_of(model))
    first, _ = model.encoder_first(model.source_embedding(ids))
    top, _ = model.encoder_top(first)
    return first, top, mask


def stepped_losses(
    model: Seq2Seq,
    step: Step,
    pairs: Sequence[Pair],
    *,
    boundary: int = 1,
    read_ahead: bool = False,
) -> Tensor:
    """-log p of every target token, given its source and the true words before it, in nats.

    Parameters
    ----------
    read_ahead : a fault to be shown: each step reads the word that it must say

    Returns
    -------
    (B, T), 0 at padding
    """
    layers = encoded(model, [source for source, _ in pairs])
    read = [shifted(target, boundary) for _, target in pairs]
    inputs, mask = pad([inputs for inputs, _ in read], device=device_of(model))
    targets, _ = pad([targets for _, targets in read], device=device_of(model))
    state, scores = None, []
    for words in (targets if read_ahead else inputs).unbind(1):
        logits, state, _ = step(model, words, state, *layers)
        scores.append(logits)
    losses = F.cross_entropy(torch.stack(scores, 2), targets, reduction="none")
    return losses * mask


def pair_loss(
    model: Seq2Seq, step: Step, pairs: Sequence[Pair], *, read_ahead: bool = False
) -> Tensor:
    """Mean nats a target token of some pairs, boundary included."""
    tokens = sum(len(target) + 1 for _, target in pairs)
    return stepped_losses(model, step, pairs, read_ahead=read_ahead).sum() / tokens


def stepped_perplexity(
    model: Seq2Seq,
    step: Step,
    pairs: Sequence[Pair],
    *,
    batch_size: int = 100,
    read_ahead: bool = False,
) -> float:
    """exp of mean nats a target token, given the source and the true words before it."""
    batches = list(in_batches(pairs, batch_size))
    with evaluating(model):
        losses = [float(pair_loss(model, step, some, read_ahead=read_ahead)) for some in batches]
    return perplexity(losses, [sum(len(target) + 1 for _, target in batch) for batch in batches])


def swapped(pairs: Sequence[Pair]) -> list[Pair]:
    """Each target with the source of the pair before it."""
    return [(pairs[number - 1][0], target) for number, (_, target) in enumerate(pairs)]


def greedy_decode(
    model: Seq2Seq, step: Step, source: Sequence[int], *, longest: int = 20, boundary: int = 1
) -> tuple[list[int], Tensor]:
    """Greedy decoding: the likeliest word at each step, until the boundary or `longest` words.

    Returns
    -------
    the words without the boundary, and the attention weights (T, S), the last step's too

    Raises
    ------
    ConfigurationError
        If `longest` is below 1.
    """
    whole_number("longest", longest)
    predicted: list[int] = []
    weights_of_steps: list[Tensor] = []
    word, state = boundary, None
    with evaluating(model):
        layers = encoded(model, [source])
        for _ in range(longest):
            last = torch.tensor([word], device=device_of(model))
            scores, state, weights = step(model, last, state, *layers)
            weights_of_steps.append(weights[0])
            word = int(argmax(scores[0]))
            if word == boundary:
                break
            predicted.append(word)
    return predicted, torch.stack(weights_of_steps)


def go_on(
    step: Callable[[int, Any], tuple[Tensor, Any]],
    start: Sequence[int],
    choose: Callable[[Tensor], int],
    boundary: int,
    longest: int,
) -> list[int]:
    """Autoregressive generation: each chosen word is read before the next is chosen.

    Parameters
    ----------
    step : a word and the state before it (None at first) to scores (V,) of the next word and the
        state after it
    start : words that are read first, one or more
    choose : scores (V,) to a word; the argmax makes it greedy decoding, a draw sampling

    Returns
    -------
    the chosen words, at most `longest`, without the boundary that ends them
    """
    state = None
    for word in start:
        scores, state = step(word, state)
    said: list[int] = []
    while len(said) < longest:
        word = choose(scores)
        if word == boundary:
            return said
        said.append(word)
        scores, state = step(word, state)
    return said
