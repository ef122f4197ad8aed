"""A small BiLSTM tagger with a scalar mix of a frozen biLM: at its input, its output, or both.

NAACL ELMo paper, section 3.3. The layers are computed once and kept. The tagger mixes them with
weights of its own and puts the mix beside its word vectors, and, where it helps, beside what its
RNN gives, with a second set of weights. One bidirectional LSTM and a softmax for each word: small
enough to be trained while one watches.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from elmo_mini.divergence import argmax
from elmo_mini.embedding.stream import embed_stream
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.models import elmo as plain
from elmo_mini.models.taglm import BiLSTM
from elmo_mini.tagging.spans import to_bio
from elmo_mini.tagging.tagged_sentences import PADDING, UNKNOWN, TaggedSentence, normalise
from elmo_mini.text.batches import in_batches, pad
from elmo_mini.training.steps import TrainingOptions, evaluating, train_on_sentences

Where = Literal["none", "input", "output", "both"]
Mix = Callable[[Tensor, Tensor, Tensor], Tensor]
Mixed = Callable[[Sequence[Tensor]], Tensor]
Join = Callable[[Tensor, Sequence[Tensor], Mixed, Mixed, Callable[[Tensor], Tensor], str], Tensor]


class LayeredSentence(NamedTuple):
    """A sentence of T words, its BIO labels, and all layers of a frozen biLM, (L + 1, T, 2H)."""

    words: tuple[str, ...]
    labels: list[str]
    layers: NDArray[np.float32]


def with_layers(
    bilm: FastBiLM, sentences: Sequence[TaggedSentence], *, progress: bool = False
) -> list[LayeredSentence]:
    """Embed each sentence once; its labels become BIO."""
    stream = embed_stream(bilm, [s.words for s in sentences], progress=progress)
    return [
        LayeredSentence(sentence.words, to_bio(sentence.labels), embedded.every_layer())
        for sentence, embedded in zip(sentences, stream, strict=True)
    ]


def with_elmo(
    x: Tensor,
    layers: Sequence[Tensor],
    mix_in: Mixed,
    mix_out: Mixed,
    rnn: Callable[[Tensor], Tensor],
    where: str,
) -> Tensor:
    """The task's RNN with the mixed layers at its input, its output, at both, or nowhere.

    ``input`` gives the RNN [x ; ELMo], ``output`` makes [RNN(x) ; ELMo'], each with weights of its
    own. No gradient goes to the layers: the biLM is frozen.

    Parameters
    ----------
    x : (B, T, D), the task's own word vectors
    layers : L + 1 of (B, T, 2H)
    mix_in, mix_out : the layers to one (B, T, 2H)
    rnn : (B, T, in) to (B, T, out)

    Raises
    ------
    ValueError
        If there is no such place.
    """
    if where not in get_args(Where):
        raise ValueError(f"where is {where!r}; choose one of {get_args(Where)}")
    layers = [h.detach() for h in layers]
    if where in ("input", "both"):
        x = torch.cat([x, mix_in(layers)], -1)
    h = rnn(x)
    if where in ("output", "both"):
        h = torch.cat([h, mix_out(layers)], -1)
    return h


class LearnedMix(nn.Module):
    """The w and gamma of one place, for a function that mixes layers."""

    def __init__(self, n_layers: int, mix: Mix = plain.scalar_mix) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.ones(()))
        self.mix = mix

    def forward(self, layers: Sequence[Tensor]) -> Tensor:
        """L + 1 layers (..., 2H) to one (..., 2H)."""
        return self.mix(torch.stack(list(layers)), self.w, self.gamma)


class ElmoTagger(nn.Module):
    """Word vectors, one BiLSTM, a softmax for each word; and the layers, where they are wanted.

    Parameters
    ----------
    train : sentences whose words and labels it knows
    where : where the layers join
    join : joins them, as `with_elmo` does
    mix : mixes them, (L + 1, B, T, 2H) and their w and gamma, as `plain.scalar_mix` does
    """

    def __init__(
        self,
        train: Sequence[LayeredSentence],
        where: Where,
        *,
        join: Join = with_elmo,
        mix: Mix = plain.scalar_mix,
        word_dim: int = 32,
        hidden: int = 48,
        dropout: float = 0.4,
    ) -> None:
        super().__init__()
        known = dict.fromkeys(normalise(word) for s in train for word in s.words)
        self.words = {word: number for number, word in enumerate(known, start=2)}
        self.labels = sorted({label for s in train for label in s.labels})
        self.where, self.join = where, join
        n_layers, width = train[0].layers.shape[0], train[0].layers.shape[2]
        at = {place: width * (where in (place, "both")) for place in ("input", "output")}
        self.embedding = nn.Embedding(len(self.words) + 2, word_dim, PADDING)
        self.rnn = BiLSTM(word_dim + at["input"], hidden)
        self.mix_in, self.mix_out = LearnedMix(n_layers, mix), LearnedMix(n_layers, mix)
        self.dense = nn.Linear(2 * hidden + at["output"], len(self.labels))
        self.dropout = nn.Dropout(dropout)

    def forward(self, sentences: Sequence[LayeredSentence]) -> tuple[Tensor, Tensor]:
        """Label scores (B, T, K) and the mask (B, T)."""
        ids, mask = pad(
            [[self.words.get(normalise(word), UNKNOWN) for word in s.words] for s in sentences],
            PADDING,
            device="cpu",
        )
        if self.training:  # so that UNKNOWN is learned
            ids = ids.masked_fill((torch.rand(ids.shape, device=ids.device) < 0.2) & mask, UNKNOWN)
        stacks = [torch.from_numpy(s.layers).transpose(0, 1) for s in sentences]
        layers = pad_sequence(stacks, batch_first=True).unbind(2)  # each (B, T, 2H)
        rnn = partial(self._read, mask)
        x = self.dropout(self.embedding(ids))
        mix_in, mix_out = partial(self._mixed, self.mix_in), partial(self._mixed, self.mix_out)
        return self.dense(self.join(x, layers, mix_in, mix_out, rnn, self.where)), mask

    def loss(self, sentences: Sequence[LayeredSentence]) -> Tensor:
        """Mean cross-entropy of the words, in nats."""
        number = {label: i for i, label in enumerate(self.labels)}
        gold, _ = pad([[number[x] for x in s.labels] for s in sentences], device="cpu")
        scores, mask = self(sentences)
        return nn.functional.cross_entropy(scores[mask], gold[mask])

    def predict(self, sentences: Sequence[LayeredSentence]) -> list[list[str]]:
        """BIO labels, word by word the most probable; raises as `argmax`."""
        found: list[list[str]] = []
        with evaluating(self):
            for part in in_batches(sentences, 32):
                scores, mask = self(part)
                found += [
                    [self.labels[k] for k in row[: len(s.words)]]
                    for row, s in zip(argmax(scores, mask).tolist(), part, strict=True)
                ]
        return found

    def _mixed(self, mix: LearnedMix, layers: Sequence[Tensor]) -> Tensor:
        return self.dropout(mix(layers))

    def _read(self, mask: Tensor, x: Tensor) -> Tensor:
        return self.dropout(self.rnn(x, mask))


def train_elmo_tagger(
    train: Sequence[LayeredSentence],
    where: Where,
    options: TrainingOptions,
    *,
    join: Join = with_elmo,
    mix: Mix = plain.scalar_mix,
    after_epoch: Callable[[ElmoTagger], None] | None = None,
) -> ElmoTagger:
    """A tagger trained on these sentences; `options` has the seed of all that is drawn.

    Parameters
    ----------
    after_epoch : called with the tagger after each pass over the sentences
    """
    with torch.random.fork_rng([]):
        torch.manual_seed(options.seed)
        tagger = ElmoTagger(train, where, join=join, mix=mix)
    steps = -(-len(train) // options.batch_size)

    def note(done: int) -> None:
        if after_epoch is not None and done % steps == 0:
            after_epoch(tagger)
            tagger.train()

    train_on_sentences(
        tagger,
        [len(s.words) for s in train],
        lambda rows: tagger.loss([train[row] for row in rows]),
        options,
        after_step=note,
    )
    return tagger
