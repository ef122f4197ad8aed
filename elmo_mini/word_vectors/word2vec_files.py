"""A trained word2vec model in one safetensors file: vectors, vocabulary, options and losses."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from elmo_mini.checkpoints.fitting import check_finite_weights, misfits
from elmo_mini.files import as_json, check_utf8, existing_file, written_whole
from elmo_mini.text.vocabulary import Vocabulary

FORMAT = "elmo_mini word2vec 1"


@dataclass(frozen=True)
class SavedWord2Vec:
    """What the file holds.

    Attributes
    ----------
    inputs, outputs : (V, D) float32
    vocabulary : V words with their counts
    settings : the options, as keyword arguments
    loss_history : as measured in training
    """

    inputs: Tensor
    outputs: Tensor
    vocabulary: Vocabulary
    settings: dict[str, Any]
    loss_history: list[float]


def write_word2vec(saved: SavedWord2Vec, path: str | Path) -> None:
    """Write one file, and make its folder if need be; a file that is there is replaced."""
    vocabulary = {"words": saved.vocabulary.words, "counts": saved.vocabulary.counts.tolist()}
    content = {
        "format": FORMAT,
        "settings": json.dumps(saved.settings),
        "vocabulary": as_json(vocabulary),
        "loss_history": json.dumps(saved.loss_history),
    }
    check_utf8(path)
    check_finite_weights({"input": saved.inputs, "output": saved.outputs})
    with written_whole(path) as part:
        tensors = {"input": saved.inputs, "output": saved.outputs}
        try:
            save_file(tensors, str(part), metadata=content)
        except SafetensorError as wrong:  # its name for a full disk, too
            raise OSError(f"{path} cannot be written: {wrong}") from wrong


def read_word2vec(path: str | Path) -> SavedWord2Vec:
    """Read what `write_word2vec` wrote.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is damaged or holds something else; the message names it.
    """
    check_utf8(path)
    path = existing_file(path)
    try:
        with safe_open(str(path), framework="pt") as file:
            content = file.metadata() or {}
            if content.get("format") != FORMAT:
                raise ValueError(f'its format is {content.get("format")!r}, not "{FORMAT}"')
            vocabulary = json.loads(content["vocabulary"])
            saved = SavedWord2Vec(
                file.get_tensor("input"),
                file.get_tensor("output"),
                Vocabulary(vocabulary["words"], vocabulary["counts"]),
                json.loads(content["settings"]),
                json.loads(content["loss_history"]),
            )
        wanted = (len(saved.vocabulary), saved.settings["vector_size"])
        tables = {"inputs": saved.inputs, "outputs": saved.outputs}
        if faults := misfits(tables, dict.fromkeys(tables, wanted)):
            raise ValueError(faults)
    except (SafetensorError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise not_a_model(path, error) from error
    return replace(saved, inputs=saved.inputs.float(), outputs=saved.outputs.float())


def not_a_model(path: str | Path, reason: Exception) -> ValueError:
    """The error for a file that is no saved model."""
    return ValueError(f"{path} does not hold a saved Word2Vec model: {reason}")
