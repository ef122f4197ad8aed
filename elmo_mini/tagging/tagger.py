"""The BiLSTM-CRF tagger for programs: sentences to labels, its loss, and its file."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, Self, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from elmo_mini.checkpoints.device import usable_device
from elmo_mini.checkpoints.safetensors_file import (
    CheckpointDamaged,
    read_checkpoint,
    with_weights,
    write_checkpoint,
)
from elmo_mini.divergence import argmax
from elmo_mini.errors import ConfigurationError, PathLike
from elmo_mini.fast.char_cnn import CharacterCNN
from elmo_mini.fast.char_cnn_types import encode_tokens
from elmo_mini.fast.character_options import CharacterCNNOptions
from elmo_mini.models.taglm import BiLSTM, Join, Position, TaggerOptions, lm_part, with_lm
from elmo_mini.tagging.constrained_crf import LinearChainCRF
from elmo_mini.tagging.tagged_sentences import (
    PADDING,
    UNKNOWN,
    Batch,
    TaggedSentence,
    check_labels,
    check_lm,
    check_sentences,
    normalise,
    padded,
)
from elmo_mini.text.batches import batches_of_like_length, pad
from elmo_mini.text.sentences import check_words
from elmo_mini.training.steps import evaluating
from elmo_mini.word_vectors.table import WordVectors

FORMAT = "elmo_mini tagger 1"
_OWN = "of which the file would hold nothing; keep the state_dict with your own code"


class Tagger(nn.Module):
    """Sentences to label scores, a loss, and predicted labels; on the device of its parameters.

    `for_sentences` makes one from training sentences, `load` reads a saved one.

    Parameters
    ----------
    words : the words it knows, as `normalise` spells them
    labels : the K labels
    options : what it is built of
    lm_dim : length of a sentence's LM vectors as stored, both directions; 0 without an LM
    crf : makes the CRF of the K labels, a module with `loss` and `decode`
    join : puts the LM vectors beside the layers, as `with_lm` does

    Raises
    ------
    ValueError
        If the options ask for LM vectors and `lm_dim` is 0.
    """

    singletons: Tensor

    def __init__(
        self,
        words: Iterable[str],
        labels: Iterable[str],
        options: TaggerOptions,
        lm_dim: int = 0,
        *,
        crf: Callable[[list[str]], nn.Module] = LinearChainCRF,
        join: Join = with_lm,
    ) -> None:
        super().__init__()
        check_words("words", words)
        check_words("labels", labels)
        if options.lm_position != "none" and not lm_dim:
            raise ValueError(
                f"lm_position is {options.lm_position!r}, but there are no LM vectors: add them "
                "with elmo_mini.tagging.data.with_lm_vectors, or choose 'none'"
            )
        self.options = options
        self.lm_dim = 0 if options.lm_position == "none" else lm_dim
        self.labels = list(labels)
        self.words = {word: number for number, word in enumerate(dict.fromkeys(words), start=2)}
        self.register_buffer("singletons", torch.zeros(len(self.words) + 2, dtype=torch.bool))

        lm_size = lm_dim // 2 if options.lm_direction == "forward" else lm_dim
        at = {name: lm_size * (options.lm_position == name) for name in get_args(Position)}
        if options.task_rnn:
            self.embedding = nn.Embedding(len(self.words) + 2, options.word_dim, PADDING)
            nn.init.uniform_(self.embedding.weight[1:].detach(), -0.3, 0.3)
            self.characters = CharacterCNN(_character_options(options))
            inputs = options.word_dim + options.character_filters
            self.first = BiLSTM(inputs + at["input"], options.hidden)
            self.second = BiLSTM(2 * options.hidden + at["after_first"], options.hidden)
            dense = 2 * options.hidden + at["after_second"]
        else:
            dense = lm_size
        self.dropout = nn.Dropout(options.dropout)
        self.dense = nn.Linear(dense, len(self.labels))
        self.crf: Any = crf(self.labels) if options.crf else None
        self.join = join

    @classmethod
    def for_sentences(
        cls,
        sentences: Sequence[TaggedSentence],
        options: TaggerOptions,
        lm_dim: int = 0,
        word_vectors: WordVectors | None = None,
        **parts: Any,
    ) -> Self:
        """An untrained tagger that knows the words and labels of the training sentences.

        Parameters
        ----------
        word_vectors : start values of the word vectors; drawn otherwise. All its words are known to
            the tagger, as `normalise` spells them; of two that it spells alike, the first counts
        parts : `crf` and `join`, where others than the package's are wanted

        Raises
        ------
        ValueError
            If there is no sentence, a sentence has not one label for each word, its labels
            contradict the CRF's scheme, or the word vectors are not of `word_dim` numbers.
        """
        sentences = list(sentences)
        if not sentences:
            raise ValueError("a tagger needs at least one training sentence")
        check_labels(sentences)
        counts = Counter(normalise(word) for sentence in sentences for word in sentence.words)
        given: dict[str, int] = {}  # the row of each word's vector
        for row, word in enumerate(word_vectors.vocabulary.words if word_vectors else ()):
            given.setdefault(normalise(word), row)
        labels = sorted({label for sentence in sentences for label in sentence.labels})
        tagger = cls(given | dict.fromkeys(counts), labels, options, lm_dim, **parts)
        if isinstance(tagger.crf, LinearChainCRF):
            tagger.crf.check([sentence.labels for sentence in sentences])
        once = [tagger.words[w] for w, count in counts.items() if count == 1 and w not in given]
        tagger.singletons[once] = True
        if word_vectors is not None and options.task_rnn:
            tagger._start_from(word_vectors.vectors[list(given.values())])
        return tagger

    def forward(self, batch: Batch) -> Tensor:
        """Label scores (B, T, K)."""
        lm = self.dense.weight.new_zeros((*batch.mask.shape, 0))
        if batch.lm is not None:
            lm = self.dropout(lm_part(batch.lm, self.options.lm_direction))
        if not self.options.task_rnn:
            return self.dense(lm)
        ids = batch.words
        if self.training:  # so that UNKNOWN is learned; Lample et al. (2016, section 4.1) do so
            hidden = self.singletons[ids] & (torch.rand(ids.shape, device=ids.device) < 0.5)
            ids = ids.masked_fill(hidden, UNKNOWN)
        letters = encode_tokens(self.characters, batch.characters)
        x = self.dropout(torch.cat([letters, self.embedding(ids)], -1))
        first = partial(self._read, self.first, batch.mask)
        second = partial(self._read, self.second, batch.mask)
        return self.dense(self.join(x, lm, first, second, self.options.lm_position))

    def loss(self, sentences: Sequence[TaggedSentence]) -> Tensor:
        """The loss to minimise, a scalar: mean over sentences (CRF) or over words (softmax).

        Sentences without a word are left out.

        Raises
        ------
        ValueError
            If a sentence has not one label for each word, a label is unknown, LM vectors are
            missing, or no sentence has a word.
        """
        sentences = list(sentences)
        check_labels(sentences)
        if self.lm_dim:
            check_lm(sentences, self.lm_dim)
        sentences = [sentence for sentence in sentences if sentence.words]
        number = {label: i for i, label in enumerate(self.labels)}
        unknown = {label for s in sentences for label in s.labels} - number.keys()
        if unknown:
            raise ValueError(
                f"the tagger has no label {min(unknown)!r}; it was made for {self.labels}"
            )
        if not sentences:
            raise ValueError("no sentence has a word, so there is no loss")
        batch = self.batch(sentences)
        gold, _ = pad([[number[x] for x in s.labels] for s in sentences], device=batch.mask.device)
        scores = self(batch)
        if self.crf is not None:
            loss: Tensor = self.crf.loss(scores, gold, batch.mask)
            return loss
        return nn.functional.cross_entropy(scores[batch.mask], gold[batch.mask])

    def predict(self, sentences: Sequence[TaggedSentence], batch_size: int = 64) -> list[list[str]]:
        """Labels of each sentence, in order; none for a sentence without a word.

        Raises
        ------
        ValueError, TypeError
            If something is no `TaggedSentence` of words, or has not the LM vectors that are read.
        FloatingPointError
            As `argmax`.
        """
        sentences = list(sentences)
        check_sentences(sentences)
        if self.lm_dim:
            check_lm(sentences, self.lm_dim)
        found: list[list[str]] = [[] for _ in sentences]
        lengths = [len(sentence.words) for sentence in sentences]
        order = [row for row, length in enumerate(lengths) if length]
        with evaluating(self):
            for rows in batches_of_like_length(lengths, batch_size, order):
                batch = self.batch([sentences[row] for row in rows])
                for row, path in zip(rows, self._decode(self(batch), batch.mask), strict=True):
                    found[row] = [self.labels[number] for number in path]
        return found

    def batch(self, sentences: Sequence[TaggedSentence]) -> Batch:
        """Sentences as padded tensors on the device of the tagger.

        Raises
        ------
        ValueError
            If the tagger reads LM vectors and a sentence has none.
        """
        return padded(sentences, self.words, self.lm_dim, self.dense.weight)

    def save(self, path: PathLike) -> None:
        """Write the tagger to one safetensors file, and make the file's folder if need be.

        Raises
        ------
        ConfigurationError
            If it has another `crf` or `join` than the package's, of which the file holds nothing.
        """
        if self.crf is not None and type(self.crf) is not LinearChainCRF:
            raise ConfigurationError(f"the CRF is a {type(self.crf).__name__}, {_OWN}")
        if self.join is not with_lm:
            raise ConfigurationError(f"the tagger has a join of its own, {_OWN}")
        record = {
            "format": FORMAT,
            "options": asdict(self.options),
            "lm_dim": self.lm_dim,
            "scheme": None if self.crf is None else self.crf.scheme,
            "labels": self.labels,
            "words": list(self.words),
        }
        write_checkpoint(path, self.state_dict(), record)

    @classmethod
    def load(cls, path: PathLike, device: torch.device | str = "cpu") -> Self:
        """Read what `save` wrote, in evaluation mode.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        CheckpointDamaged
            If the file is truncated or holds something else; the message names it.
        ConfigurationError
            If there is no such device.
        """
        device = usable_device(device, "leave device out to use the CPU")
        tensors, record = read_checkpoint(path)
        if record.get("format") != FORMAT:
            raise CheckpointDamaged(f"{path} does not hold a saved tagger")
        try:
            options = TaggerOptions(**record["options"])
            words, labels, lm_dim = record["words"], record["labels"], record["lm_dim"]
            crf = partial(LinearChainCRF, scheme=record.get("scheme", "BIOES"))
            weights = {**tensors, "singletons": tensors["singletons"].float()}
            dtype = tensors["dense.weight"].dtype
        except (KeyError, TypeError, ValueError) as wrong:
            raise CheckpointDamaged(f"{path} does not hold a saved tagger: {wrong}") from wrong
        tagger: Self = with_weights(
            lambda: cls(words, labels, options, lm_dim, crf=crf), weights, path, dtype
        )
        return tagger.to(device)

    def _decode(self, scores: Tensor, mask: Tensor) -> list[list[int]]:
        if self.crf is not None:
            paths: list[list[int]] = self.crf.decode(scores, mask)
            return paths
        best = argmax(scores, mask).tolist()
        return [row[:length] for row, length in zip(best, mask.sum(1).tolist(), strict=True)]

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


def _character_options(options: TaggerOptions) -> CharacterCNNOptions:
    return CharacterCNNOptions(
        projection_dim=options.character_filters,
        filters=((3, options.character_filters),),
        character_dim=options.character_dim,
        n_highway=0,
    )
