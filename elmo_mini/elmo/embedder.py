"""Sentences in, arrays out: the interface of AllenNLP's old ElmoEmbedder.

AllenNLP removed the class in April 2020. Every biLM layer is given unmixed, without sentence
boundaries.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from elmo_mini.bilm.model import BiLM
from elmo_mini.characters.ids import batch_to_ids, remove_boundaries
from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.errors import ConfigurationError, PathLike
from elmo_mini.vectors.stream import embed_stream

Sentence = Sequence[str]


class ElmoEmbedder:
    """All layers of tokenised sentences.

    Parameters
    ----------
    options_file, weight_file : official files; or None for both, with `module`
    cuda_device : GPU number, or -1 for the CPU
    module : a `BiLM` to use in place of files
    stateful : carry LSTM states from batch to batch, as the old class did. Off by default: a
        sentence then has the same vectors whatever came before it.
    warm_up : sentences to read first; the state they lead to becomes every sentence's start
    cache_tokens : how many words' token-layer vectors to keep; 0 for none
    """

    def __init__(
        self,
        options_file: PathLike | None = None,
        weight_file: PathLike | None = None,
        cuda_device: int = -1,
        *,
        module: BiLM | None = None,
        stateful: bool = False,
        warm_up: Iterable[Sentence] | None = None,
        cache_tokens: int = 100_000,
    ) -> None:
        if module is None:
            if options_file is None or weight_file is None:
                raise ConfigurationError("pass an options file and a weight file, or a module")
            module = load_bilm(options_file, weight_file)
        self.device = torch.device("cpu" if cuda_device < 0 else f"cuda:{cuda_device}")
        self.bilm = module.sharing_weights().to(self.device)
        self.bilm.stateful = stateful
        if cache_tokens:
            self.bilm.cache_tokens(cache_tokens)
        if warm_up is not None:
            self.bilm.warm_up(warm_up)

    @torch.no_grad()
    def batch_to_embeddings(self, batch: Sequence[Sentence]) -> tuple[Tensor, Tensor]:
        """Vectors (B, layers, T, 2 * projection_dim) and mask (B, T) of one batch."""
        ids = batch_to_ids(batch, max_characters=self.bilm.options.max_characters)
        output = self.bilm(ids.to(self.device))
        layers = [remove_boundaries(layer, output["mask"]) for layer in output["activations"]]
        return torch.stack([vectors for vectors, _ in layers], 1), layers[0][1]

    def embed_sentence(self, sentence: Sentence) -> np.ndarray:
        """(layers, words, 2 * projection_dim) of one sentence."""
        return self.embed_batch([sentence])[0]

    def embed_batch(self, batch: Sequence[Sentence]) -> list[np.ndarray]:
        """One (layers, words, 2 * projection_dim) array per sentence, float32.

        An empty sentence gives an array of no words.
        """
        if len(batch) == 0:
            raise ValueError("the batch holds no sentence; give at least one list of words")
        if not any(len(sentence) for sentence in batch):
            shape = (self.bilm.num_layers, 0, self.bilm.get_output_dim())
            return [np.zeros(shape, dtype=np.float32) for _ in batch]
        vectors, _ = self.batch_to_embeddings(batch)
        arrays = vectors.cpu().numpy()
        return [
            array[:, : len(sentence)].copy() for array, sentence in zip(arrays, batch, strict=True)
        ]

    def embed_sentences(
        self, sentences: Iterable[Sentence], batch_size: int = 64
    ) -> Iterator[np.ndarray]:
        """Arrays of a stream of sentences, in order, in bounded memory; see `embed_stream`."""
        for embedded in embed_stream(self.bilm, sentences, batch_size=batch_size):
            yield embedded.every_layer()
