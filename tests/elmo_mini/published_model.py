"""The small model that AllenNLP and bilm-tf test with, where this machine has it."""

import json
import os
from pathlib import Path

import h5py
import numpy as np
import pytest

FOLDER = Path(
    os.environ.get("ELMO_FIXTURE")
    or Path(__file__).resolve().parents[2].parent / "shared" / "elmo_fixture"
)
OPTIONS = FOLDER / "options.json"
WEIGHTS = FOLDER / "lm_weights.hdf5"
needs_model = pytest.mark.skipif(
    not OPTIONS.exists(), reason="the published test model is not here; set ELMO_FIXTURE"
)


def batches() -> list[list[list[str]]]:
    """Ten batches of three sentences, in the order the expected vectors were made."""
    streams = json.loads((FOLDER / "sentences.json").read_text(encoding="utf-8"))
    return [[stream[i].split() for stream in streams] for i in range(10)]


def expected_top_layer() -> list[np.ndarray]:
    """Top layer of the first sentence of each batch, (words, 2 * projection_dim)."""
    with h5py.File(FOLDER / "lm_embeddings_0.hdf5", "r") as file:
        return [np.concatenate(list(file[str(i)][()]), -1) for i in range(10)]
