"""What AllenNLP's own code gives for a pair of official files: recorded vectors to compare with.

`data/official_pair` holds a small model in the official format, and the vectors that AllenNLP
2.10.1, run from its wheel, gives for a few texts. The model that AllenNLP tests itself with can be
read as well, where its files are: name their folder in the environment variable ELMO_FIXTURE.
"""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from elmo_mini.errors import ElmoFileError

FOLDER = Path(str(files("elmo_mini") / "data" / "official_pair"))
NOT_HERE = (
    "The files are not here. With the course's parts, the largest distance is 9.5e-07 at the first "
    "sentence\n"
    "and 1.8 to 2.4 at the others; with the states carried it is at most 9.5e-07 at all ten."
)
Sentence = list[str]
Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Recorded:
    """A model in the official format, and somebody else's vectors of a few texts.

    Attributes
    ----------
    options, weights : the two files
    texts : each a list of sentences; all have the same number of them
    vectors : of each text, (words, 2H) of each sentence. There may be fewer texts here
    about : what computed them
    """

    options: Path
    weights: Path
    texts: list[list[Sentence]]
    vectors: list[list[Vectors]]
    about: str

    def __str__(self) -> str:
        return self.about

    def distances(
        self, read: Callable[[list[Sentence]], Sequence[ArrayLike]]
    ) -> NDArray[np.float64]:
        """How far the vectors of another reader are from the recorded ones, (texts, sentences).

        Parameters
        ----------
        read : a batch, one sentence of each text, to the (words, 2H) of each. It is called with
            the first sentences, then the second ones, and so on: a row of the batch is a text

        Returns
        -------
        The largest distance of a number from the recorded one, for each sentence

        Raises
        ------
        ValueError
            If the shapes are others.
        """
        rows = []
        for number, batch in enumerate(zip(*self.texts, strict=True)):
            came = [np.asarray(vectors) for vectors in read([list(s) for s in batch])]
            row = []
            for text, vectors in zip(self.vectors, came, strict=False):
                if vectors.shape != text[number].shape:
                    raise ValueError(
                        f"sentence {number + 1} has vectors of shape {vectors.shape}; the "
                        f"recorded ones are {text[number].shape}"
                    )
                row.append(float(np.abs(vectors - text[number]).max()))
            rows.append(row)
        return np.array(rows).T


def recorded_by_allennlp(folder: Path = FOLDER) -> Recorded:
    """The course's small model, and AllenNLP's vectors: the average of the layers."""
    record = json.loads((folder / "record.json").read_text("utf-8"))
    with h5py.File(folder / "allennlp.hdf5", "r") as file:
        vectors = [
            [file[f"{t}/{s}"][()] for s in range(len(text))]
            for t, text in enumerate(record["texts"])
        ]
    said = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    return Recorded(
        folder / "options.json",
        folder / "weights.hdf5",
        record["texts"],
        vectors,
        f"{record['title']}\n  made with: {record['command']}\n  {record['date']}, {said}",
    )


def published_test_model() -> Recorded | None:
    """The model that AllenNLP and bilm-tf test themselves with, and its top layer; or None.

    Its vectors were made by the authors' TensorFlow program, for the first of three texts.

    Raises
    ------
    ElmoFileError
        If ELMO_FIXTURE names a folder without these files.
    """
    named = os.environ.get("ELMO_FIXTURE")
    if not named:
        return None
    folder = Path(named)
    names = ("options.json", "lm_weights.hdf5", "sentences.json", "lm_embeddings_0.hdf5")
    options, weights, sentences, expected = (folder / name for name in names)
    if missing := [name for name in names if not (folder / name).exists()]:
        raise ElmoFileError(f"ELMO_FIXTURE is {folder}, where there is no {', '.join(missing)}")
    texts: Any = json.loads(sentences.read_text("utf-8"))
    with h5py.File(expected, "r") as file:
        first = [np.concatenate(list(file[str(n)][()]), -1) for n in range(len(file))]
    texts = [[line.split() for line in text[: len(first)]] for text in texts]
    about = (
        "the test model of AllenNLP and bilm-tf; its top layer by the authors' TensorFlow program"
    )
    return Recorded(options, weights, texts, [first], about)


class TopLayer(nn.Module):
    """In the place of a `ScalarMix`: the top layer alone, as the published vectors have it."""

    def __init__(self, n_layers: int) -> None:
        super().__init__()

    def forward(self, layers: Sequence[Tensor], mask: Tensor) -> Tensor:
        """L + 1 of (B, T, 2H) to the last of them."""
        return layers[-1]
