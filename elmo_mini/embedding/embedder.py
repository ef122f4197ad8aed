"""Sentences in, arrays out: the interface of AllenNLP's old ElmoEmbedder.

AllenNLP removed the class in April 2020. Every biLM layer is given unmixed, without sentence
boundaries.
"""

import copy
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import torch
from torch import Tensor

from elmo_mini.checkpoints.device import usable_device
from elmo_mini.checkpoints.find import load_model
from elmo_mini.checkpoints.model_folder import load_folder, save_folder
from elmo_mini.embedding.array_files import write_hdf5
from elmo_mini.embedding.embed_file import Layers, chosen_layers
from elmo_mini.embedding.stream import BATCH_TOKENS, embed_batch, embed_stream
from elmo_mini.errors import ConfigurationError, PathLike
from elmo_mini.fast.bilm import FastBiLM, as_bilm
from elmo_mini.files import check_not_read, ready_to_write, written_whole
from elmo_mini.settings import truth
from elmo_mini.text.character_ids import batch_to_ids, remove_boundaries
from elmo_mini.text.sentences import Sentence, check_batch, half_character, is_table

LARGEST_PADDED = 8_192  # words with padding that one run may have
MOST_PADDING = 3  # times as many words as without it; above, runs of like lengths cost less


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
    vocabulary_file : of a model over whole words; see `load_bilm`

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
        vocabulary_file: PathLike | None = None,
    ) -> None:
        files = (options_file, weight_file)
        if files.count(None) == 1:
            missing = "options" if options_file is None else "weight"
            raise ConfigurationError(
                f"the {missing} file is missing; pass both files, or neither for the course's own "
                "model"
            )
        if module is not None and (*files, vocabulary_file) != (None, None, None):
            raise ConfigurationError("pass either the files or a module, not both")
        device = None
        if cuda_device is not None:
            if isinstance(cuda_device, bool) or not isinstance(cuda_device, int | np.integer):
                raise ConfigurationError(
                    f"cuda_device is {cuda_device!r}; it must be a GPU's number, or -1 for the CPU"
                )
            name = "cpu" if cuda_device < 0 else f"cuda:{cuda_device}"
            device = usable_device(name, "use cuda_device=-1 for the CPU")
        if module is not None:
            bilm = as_bilm(module).sharing_weights()
            bilm.check_numbers()
        else:
            bilm = load_model(*files, vocabulary_file)
        if device not in (None, bilm.device):
            bilm = copy.deepcopy(bilm).to(device)
        bilm.stateful = truth("stateful", stateful)
        bilm.cache_tokens(cache_tokens)
        if warm_up is not None:
            bilm.warm_up(warm_up)
        self.bilm = bilm

    @classmethod
    def from_pretrained(cls, folder: PathLike, **settings: Any) -> "ElmoEmbedder":
        """An embedder with the model of a folder of `save_pretrained`.

        Parameters
        ----------
        folder : with ``config.json`` and ``model.safetensors``
        settings : of the embedder, such as ``warm_up``
        """
        return cls(module=load_folder(folder), **settings)

    def save_pretrained(self, folder: PathLike, record: Mapping[str, Any] | None = None) -> None:
        """Write the model and its start state as such a folder; see `save_folder`."""
        save_folder(self.bilm, folder, record)

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

        An empty sentence gives an array of no words, an empty batch an empty list. Where one
        sentence is much longer than the others, they are run apart.

        Raises
        ------
        TypeError, ValueError
            As `batch_to_ids`; the message names row, position and type.
        """
        check_batch(batch, may_be_empty=True)
        lengths = [len(sentence) + 2 for sentence in batch]
        padded = len(batch) * max(lengths, default=0)
        together = padded <= min(LARGEST_PADDED, max(BATCH_TOKENS, MOST_PADDING * sum(lengths)))
        if self.bilm.stateful or together:
            found = embed_batch(self.bilm, batch) if len(batch) else []
        else:
            found = list(embed_stream(self.bilm, batch, batch_size=len(batch)))
        return [embedded.every_layer() for embedded in found]

    def embed_sentences(
        self, sentences: Iterable[Sentence], batch_size: int = 64
    ) -> Iterator[np.ndarray]:
        """Arrays of a stream of sentences, in order, in bounded memory; see `embed_stream`."""
        for embedded in embed_stream(self.bilm, sentences, batch_size=batch_size):
            yield embedded.every_layer()

    def embed_file(
        self,
        input_file: Iterable[str],
        output_file_path: PathLike,
        output_format: Layers = "all",
        batch_size: int = 64,
        forget_sentences: bool = False,
        use_sentence_keys: bool = False,
        *,
        overwrite: bool = False,
    ) -> None:
        """Write the vectors of an open text file, one sentence a line, as AllenNLP's class did.

        `elmo_mini.embed_file` takes a path, and writes other formats, too.

        Parameters
        ----------
        input_file : an open text file, or other lines
        output_file_path : an HDF5 file; appears whole or not at all
        output_format : "all" layers, the "top" one, or their "average"
        forget_sentences : leave out ``sentence_to_index``
        use_sentence_keys : refused; HDF5 would take a stroke in a sentence for a folder
        overwrite : replace a file that is there

        Raises
        ------
        FileExistsError
            If the file is there and `overwrite` is not set. Where it came to be while the vectors
            were made, they are kept under another name, which is said.
        ConfigurationError
            If a setting is unknown, or the file that is read would be overwritten.
        ValueError
            If a line holds ``<S>`` or ``</S>``, or half a character.
        TypeError
            If `input_file` is a path, or opened without an encoding.
        """
        if use_sentence_keys:
            raise ConfigurationError(
                "use_sentence_keys is not supported, since HDF5 takes a '/' in a sentence for a "
                "folder; leave it out, and find a sentence's number in sentence_to_index"
            )
        if isinstance(input_file, str | bytes | os.PathLike) or is_table(input_file):
            shown = type(input_file).__name__ if is_table(input_file) else repr(input_file)
            raise TypeError(
                f"input_file is {shown}, and not an open text file or other lines; "
                "elmo_mini.embed_file takes a path"
            )
        name, opened = getattr(input_file, "name", None), None
        with suppress(AttributeError, OSError, ValueError):  # lines that are in no open file
            opened = input_file.fileno()  # type: ignore[attr-defined]
        check_not_read(output_file_path, [opened, name if isinstance(name, str) else None])
        target = ready_to_write(output_file_path, overwrite=overwrite)
        forget = truth("forget_sentences", forget_sentences)
        lines = list(_stripped(input_file))
        index = None if forget else {line: str(n) for n, line in enumerate(lines)}
        stream = embed_stream(self.bilm, map(str.split, lines), batch_size=batch_size)
        with written_whole(target, overwrite=overwrite) as part:
            write_hdf5(part, (chosen_layers(e, output_format) for e in stream), index)


def _stripped(lines: Iterable[str]) -> Iterator[str]:
    """The lines of an open file without the white space around them."""
    for number, line in enumerate(lines, start=1):
        if not isinstance(line, str):
            raise TypeError(
                f"line {number} is {type(line).__name__}, not text; open the file with "
                "open(path, encoding='utf-8')"
            )
        if half := half_character(line):  # a byte that was no UTF-8, as surrogateescape has it
            raise ValueError(
                f"line {number} holds half a character, {half!r}; read the file with "
                "its own encoding, and without errors='surrogateescape'"
            )
        yield (line.removeprefix("\ufeff") if number == 1 else line).strip()
