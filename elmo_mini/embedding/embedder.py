"""Sentences in, arrays out: the interface of AllenNLP's old ElmoEmbedder.

AllenNLP removed the class in April 2020. Every biLM layer is given unmixed, without sentence
boundaries.
"""

import copy
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from elmo_mini.checkpoints.device import usable_device
from elmo_mini.checkpoints.find import load_model
from elmo_mini.embedding.stream import embed_batch, embed_stream
from elmo_mini.errors import ConfigurationError, PathLike
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.text.character_ids import batch_to_ids, remove_boundaries
from elmo_mini.text.sentences import Sentence, checked


class ElmoEmbedder:
    """All layers of tokenised sentences, by default with the course's own model.

    A `module` shares its weights with the embedder and is never changed. The embedder has carried
    states, a start state and a token cache of its own, so any number of embedders may use one
    module, in several threads too. Only an embedder with ``stateful=True`` is for one thread.

    Parameters
    ----------
    options_file, weight_file : official files, both or none
    cuda_device : GPU number, or -1 for the CPU; by default the CPU, or where `module` is. On
        another device than that, the embedder has a copy of the module.
    module : a `FastBiLM` to use in place of files
    stateful : carry LSTM states from batch to batch, as the old class did. Off by default: a
        sentence then has the same vectors whatever came before it.
    warm_up : sentences to read first; the state they lead to becomes every sentence's start
    cache_tokens : how many words' token-layer vectors to keep; 0 for none

    Raises
    ------
    ConfigurationError
        If only one of the files is given, or files and a module, or there is no such GPU.
    FileNotFoundError, ElmoFileError
        As `load_bilm`.
    """

    def __init__(
        self,
        options_file: PathLike | None = None,
        weight_file: PathLike | None = None,
        cuda_device: int | None = None,
        *,
        module: FastBiLM | None = None,
        stateful: bool = False,
        warm_up: Iterable[Sentence] | None = None,
        cache_tokens: int = 100_000,
    ) -> None:
        files = (options_file, weight_file)
        if files.count(None) == 1:
            missing = "options" if options_file is None else "weight"
            raise ConfigurationError(
                f"the {missing} file is missing; pass both files, or neither for the course's own "
                "model"
            )
        if module is not None and files != (None, None):
            raise ConfigurationError("pass either the two files or a module, not both")
        device = None
        if cuda_device is not None:
            name = "cpu" if cuda_device < 0 else f"cuda:{cuda_device}"
            device = usable_device(name, "use cuda_device=-1 for the CPU")
        bilm = load_model(*files) if module is None else module.sharing_weights()
        if device not in (None, bilm.device):
            bilm = copy.deepcopy(bilm).to(device)
        bilm.stateful = stateful
        bilm.cache_tokens(cache_tokens)
        if warm_up is not None:
            bilm.warm_up(checked(warm_up))
        self.bilm = bilm

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.bilm.device

    @torch.no_grad()
    def batch_to_embeddings(self, batch: Sequence[Sentence]) -> tuple[Tensor, Tensor]:
        """Vectors (B, layers, T, 2 * projection_dim) and mask (B, T) of one batch.

        Raises
        ------
        TypeError, ValueError
            As `batch_to_ids`; the message names row, position and type.
        """
        bilm = self.bilm
        ids = batch_to_ids(batch, max_characters=bilm.options.max_characters)
        output = bilm(ids.to(self.device))
        layers = [remove_boundaries(layer, output["mask"]) for layer in output["activations"]]
        return torch.stack([vectors for vectors, _ in layers], 1), layers[0][1]

    def embed_sentence(self, sentence: Sentence) -> np.ndarray:
        """(layers, words, 2 * projection_dim) of one sentence, float32."""
        return self.embed_batch([sentence])[0]

    def embed_batch(self, batch: Sequence[Sentence]) -> list[np.ndarray]:
        """One (layers, words, 2 * projection_dim) array per sentence, float32.

        An empty sentence gives an array of no words.

        Raises
        ------
        TypeError, ValueError
            As `batch_to_ids`; the message names row, position and type.
        """
        return [embedded.every_layer() for embedded in embed_batch(self.bilm, batch)]

    def embed_sentences(
        self, sentences: Iterable[Sentence], batch_size: int = 64
    ) -> Iterator[np.ndarray]:
        """Arrays of a stream of sentences, in order, in bounded memory; see `embed_stream`."""
        for embedded in embed_stream(self.bilm, sentences, batch_size=batch_size):
            yield embedded.every_layer()
