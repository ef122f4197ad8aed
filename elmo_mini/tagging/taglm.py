"""TagLM: a sequence tagger that also reads the states of a frozen language model.

Peters, Ammar, Bhagavatula & Power (ACL 2017), sections 2 and 3. A word is x_k = [c_k; w_k]: a
convolution over its letters (30 filters of width 3, as the paper has it for chunking) and a word
vector. Two bidirectional LSTM layers, one dense layer and a CRF give the labels. The top-layer
states of a biLM, h_LM = [forward; backward], which training never changes, are concatenated to
the output of the first layer (equation 3). Where they go, and whether there is a CRF or an LSTM
at all, can be chosen here, as in the paper's section 3.3.

Smaller than the paper's: 64 LSTM units a direction where its chunker has 200. The word vectors
are 50 numbers, as theirs are.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from elmo_mini.characters.cnn import CharacterCNN
from elmo_mini.characters.fast_cnn import encode_tokens
from elmo_mini.characters.ids import batch_to_ids
from elmo_mini.characters.options import CharacterCNNOptions
from elmo_mini.tagging.constrained_crf import LinearChainCRF
from elmo_mini.word_vectors.table import WordVectors

Layer = Callable[[Tensor], Tensor]
Position = Literal["none", "input", "after_first", "after_second"]
Direction = Literal["both", "forward"]

PADDING, UNKNOWN = 0, 1


class TaggedSentence(NamedTuple):
    """A sentence of T words, its BIOES labels, and its frozen LM vectors (T, L), if it has any."""

    words: tuple[str, ...]
    labels: tuple[str, ...]
    lm: NDArray[np.float16] | NDArray[np.float32] | None = None


def normalise(word: str) -> str:
    """Lower case, and every digit a zero: how the paper looks words up (section 3)."""
    return re.sub(r"\d", "0", word.lower())


def lm_part(vectors: Tensor, direction: Direction) -> Tensor:
    """Of LM vectors (..., 2H), forward half first, both halves or the forward one (..., H).

    Raises:
        ValueError: there is no such direction.
    """
    if direction not in get_args(Direction):
        raise ValueError(f"lm_direction is {direction!r}; choose one of {get_args(Direction)}")
    return vectors if direction == "both" else vectors[..., : vectors.shape[-1] // 2]


def with_lm(words: Tensor, lm: Tensor, first: Layer, second: Layer, position: Position) -> Tensor:
    """Two RNN layers with LM vectors at one of three places (paper, section 3.3 and Table 5).

    ``after_first`` is TagLM's equation 3: the second layer reads [first layer; LM]. ``input``
    gives them to the first layer, ``after_second`` to the dense layer; ``none`` leaves them out.

    Args:
        words: (B, T, D). lm: (B, T, L). first, second: the layers, each (B, T, in) to (B, T, out).

    Raises:
        ValueError: there is no such position.
    """
    if position not in get_args(Position):
        raise ValueError(f"lm_position is {position!r}; choose one of {get_args(Position)}")
    if position == "input":
        words = torch.cat([words, lm], -1)
    hidden = first(words)  # (B, T, 2H)
    if position == "after_first":
        hidden = torch.cat([hidden, lm], -1)  # (B, T, 2H + L)
    hidden = second(hidden)
    if position == "after_second":
        hidden = torch.cat([hidden, lm], -1)
    return hidden


@dataclass(frozen=True)
class TaggerOptions:
    """What a tagger is built of.

    `hidden` are the LSTM units of one direction. `crf` False puts a softmax over each word's
    labels in place of the CRF. `task_rnn` False leaves LM vectors, dense layer and CRF alone.
    """

    lm_position: Position = "after_first"
    lm_direction: Direction = "both"
    crf: bool = True
    task_rnn: bool = True
    word_dim: int = 50
    character_dim: int = 30
    character_filters: int = 30
    hidden: int = 64
    dropout: float = 0.4

    def __post_init__(self) -> None:
        for name, known in (("lm_position", Position), ("lm_direction", Direction)):
            if getattr(self, name) not in get_args(known):
                raise ValueError(
                    f"{name} is {getattr(self, name)!r}; choose one of {get_args(known)}"
                )
        if not self.task_rnn and self.lm_position == "none":
            raise ValueError("without a task RNN and without LM vectors nothing is left to read")


class Batch(NamedTuple):
    """Padded sentences: word ids (B, T), character ids (B, T, C), mask (B, T), LM (B, T, L)."""

    words: Tensor
    characters: Tensor
    mask: Tensor
    lm: Tensor | None


class BiLSTM(nn.Module):
    """One bidirectional LSTM layer that does not read padding: (B, T, D) to (B, T, 2H).

    Every sentence is turned round within its own length for the backward direction. That gives
    what PyTorch's packed sequences give, in less time on a CPU.
    """

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(size, hidden, batch_first=True)
        self.backwards = nn.LSTM(size, hidden, batch_first=True)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Read x (B, T, D) both ways; what stands at padding in the result means nothing."""
        steps = torch.arange(mask.shape[1], device=mask.device)
        turned = torch.where(mask, mask.sum(1, keepdim=True) - 1 - steps, steps)  # (B, T)
        rows = torch.arange(len(mask), device=mask.device).unsqueeze(1)
        backward = self.backwards(x[rows, turned])[0][rows, turned]
        return torch.cat([self.forwards(x)[0], backward], -1)


class Tagger(nn.Module):
    """Sentences to label scores, a loss, and predicted labels.

    Parameters
    ----------
    sentences : the training sentences; their words and labels are the ones the tagger knows
    options : what it is built of
    lm_dim : length of a sentence's LM vectors as stored, both directions; 0 without an LM
    word_vectors : start values of the word vectors, looked up by `normalise`; drawn otherwise.
        All its words are known to the tagger.
    """

    def __init__(
        self,
        sentences: Sequence[TaggedSentence],
        options: TaggerOptions,
        lm_dim: int = 0,
        word_vectors: WordVectors | None = None,
    ) -> None:
        super().__init__()
        if not sentences:
            raise ValueError("a tagger needs at least one training sentence")
        if options.lm_position != "none" and not lm_dim:
            raise ValueError(
                f"lm_position is {options.lm_position!r}, but there are no LM vectors: add them "
                "with tagging_data.with_lm_vectors, or choose 'none'"
            )
        self.options = options
        self.labels = sorted({label for sentence in sentences for label in sentence.labels})
        counts = Counter(normalise(word) for sentence in sentences for word in sentence.words)
        known = [] if word_vectors is None else word_vectors.vocabulary.words
        self.words = {word: i for i, word in enumerate(dict.fromkeys([*known, *counts]), start=2)}
        once = [i for w, i in self.words.items() if counts[w] == 1 and i >= len(known) + 2]
        self.register_buffer("once", _marked(once, len(self.words) + 2))

        lm_size = lm_dim // 2 if options.lm_direction == "forward" else lm_dim
        at = {name: lm_size * (options.lm_position == name) for name in get_args(Position)}
        if options.task_rnn:
            self.embedding = nn.Embedding(len(self.words) + 2, options.word_dim, PADDING)
            nn.init.uniform_(self.embedding.weight[1:].detach(), -0.3, 0.3)
            if word_vectors is not None:
                self._start_from(word_vectors.vectors)
            self.characters = CharacterCNN(_character_options(options))
            inputs = options.word_dim + options.character_filters
            self.first = BiLSTM(inputs + at["input"], options.hidden)
            self.second = BiLSTM(2 * options.hidden + at["after_first"], options.hidden)
            dense = 2 * options.hidden + at["after_second"]
        else:
            dense = lm_size
        self.dropout = nn.Dropout(options.dropout)
        self.dense = nn.Linear(dense, len(self.labels))
        self.crf = LinearChainCRF(self.labels) if options.crf else None

    def forward(self, batch: Batch) -> Tensor:
        """Label scores (B, T, K)."""
        lm = batch.mask.new_zeros((*batch.mask.shape, 0), dtype=torch.float32)
        if self.options.lm_position != "none":
            if batch.lm is None:
                raise ValueError("the tagger reads LM vectors, and the sentences have none")
            lm = self.dropout(lm_part(batch.lm, self.options.lm_direction))
        if not self.options.task_rnn:
            return self.dense(lm)
        ids = batch.words
        if self.training:  # words seen once are hidden half of the time, so UNKNOWN is learned
            hidden = self.get_buffer("once")[ids] & (torch.rand(ids.shape) < 0.5)
            ids = ids.masked_fill(hidden, UNKNOWN)
        letters = encode_tokens(self.characters, batch.characters)
        x = self.dropout(torch.cat([letters, self.embedding(ids)], -1))
        first = partial(self._read, self.first, batch.mask)
        second = partial(self._read, self.second, batch.mask)
        return self.dense(with_lm(x, lm, first, second, self.options.lm_position))

    def loss(self, sentences: Sequence[TaggedSentence]) -> Tensor:
        """The loss to minimise, a scalar: mean over sentences (CRF) or over words (softmax)."""
        batch = self.batch(sentences)
        number = {label: i for i, label in enumerate(self.labels)}
        gold = torch.zeros(batch.mask.shape, dtype=torch.int64)
        for row, sentence in zip(gold, sentences, strict=True):
            row[: len(sentence.labels)] = torch.tensor([number[x] for x in sentence.labels])
        scores = self(batch)
        if self.crf is not None:
            return self.crf.loss(scores, gold, batch.mask)
        return nn.functional.cross_entropy(scores[batch.mask], gold[batch.mask])

    @torch.no_grad()
    def predict(self, sentences: Sequence[TaggedSentence], size: int = 64) -> list[list[str]]:
        """Labels of each sentence, in order; `size` sentences of like length at a time."""
        was_training = self.training
        self.eval()
        found: dict[int, list[str]] = {}
        order = sorted(range(len(sentences)), key=lambda i: len(sentences[i].words))
        for start in range(0, len(order), size):
            rows = order[start : start + size]
            batch = self.batch([sentences[row] for row in rows])
            scores = self(batch)
            if self.crf is not None:
                paths: Iterable[list[int]] = self.crf.decode(scores, batch.mask)
            else:
                paths = (s[m].argmax(-1).tolist() for s, m in zip(scores, batch.mask, strict=True))
            for row, path in zip(rows, paths, strict=True):
                found[row] = [self.labels[i] for i in path]
        self.train(was_training)
        return [found[row] for row in range(len(sentences))]

    def batch(self, sentences: Sequence[TaggedSentence]) -> Batch:
        """Sentences as padded tensors."""
        lengths = [len(sentence.words) for sentence in sentences]
        mask = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
        ids = torch.zeros(mask.shape, dtype=torch.int64)
        for row, sentence in zip(ids, sentences, strict=True):
            known = [self.words.get(normalise(word), UNKNOWN) for word in sentence.words]
            row[: len(known)] = torch.tensor(known)
        letters = batch_to_ids([s.words for s in sentences], allow_boundary_tokens=True)
        vectors = [s.lm for s in sentences if s.lm is not None]
        if self.options.lm_position == "none" or len(vectors) < len(sentences):
            return Batch(ids, letters, mask, None)
        lm = torch.zeros(*mask.shape, vectors[0].shape[1])
        for place, array in zip(lm, vectors, strict=True):
            place[: len(array)] = torch.from_numpy(array)
        return Batch(ids, letters, mask, lm)

    def _read(self, layer: BiLSTM, mask: Tensor, x: Tensor) -> Tensor:
        return self.dropout(layer(x, mask))

    def _start_from(self, vectors: NDArray[np.float32]) -> None:
        if vectors.shape[1] != self.options.word_dim:
            raise ValueError(
                f"the word vectors have {vectors.shape[1]} numbers, word_dim is "
                f"{self.options.word_dim}; give both the same"
            )
        with torch.no_grad():
            self.embedding.weight[2 : 2 + len(vectors)] = torch.from_numpy(vectors)


def _marked(places: Sequence[int], size: int) -> Tensor:
    marks = torch.zeros(size, dtype=torch.bool)
    marks[list(places)] = True
    return marks


def _character_options(options: TaggerOptions) -> CharacterCNNOptions:
    return CharacterCNNOptions(
        projection_dim=options.character_filters,
        filters=((3, options.character_filters),),
        character_dim=options.character_dim,
        n_highway=0,
    )
