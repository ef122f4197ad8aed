"""The recorded vectors are AllenNLP's, and the package gives them when it carries its states.

`pip download allennlp==2.10.1 --no-deps` and ALLENNLP_WHEEL let AllenNLP compute them again.
"""

import hashlib
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from benchmarks.allennlp_vectors import recorded
from course.bilm_from_scratch.allennlp_record import (
    FOLDER,
    TopLayer,
    published_test_model,
    recorded_by_allennlp,
)
from elmo_mini.checkpoints.official import load_bilm, official_file, official_weights
from elmo_mini.embedding.elmo import Elmo, as_black_box
from elmo_mini.embedding.stream import embed_batch
from elmo_mini.errors import ElmoFileError
from elmo_mini.models import elmo as plain
from elmo_mini.text.character_ids import batch_to_ids
from tests.elmo_mini import published_model


def reader(bilm: torch.nn.Module, mix: Any = plain.ScalarMix) -> Any:
    """Sentences to their vectors, by plain parts."""

    @torch.no_grad()
    def read(batch: list[list[str]]) -> list[np.ndarray]:
        framed = [["<S>", *sentence, "</S>"] for sentence in batch]
        layers, mask = bilm(batch_to_ids(framed, allow_boundary_tokens=True))
        vectors, kept = plain.without_boundaries(mix(len(layers))(layers, mask), mask)
        return [row[there].numpy() for row, there in zip(vectors, kept, strict=True)]

    return read


@pytest.mark.parametrize("stateful", [False, True])
def test_the_package_agrees_from_the_second_sentence_on_if_it_is_stateful(stateful: bool) -> None:
    there = recorded_by_allennlp()
    elmo = Elmo(there.options, there.weights, 1, dropout=0.0, stateful=stateful)
    far = there.distances(as_black_box(elmo))
    assert far.shape == (3, 4)
    assert far[:, 0].max() < 1e-5
    if stateful:
        assert far.max() < 1e-5
    else:
        assert far[:, 1:].min() > 0.1  # "worlds apart"


def test_the_plain_reader_agrees_on_first_sentences() -> None:
    there = recorded_by_allennlp()
    weights = official_file(there.weights)
    fresh = plain.BiLM(plain.CharCNN(weights), weights)
    far = there.distances(reader(fresh))
    assert far[:, 0].max() < 1e-5
    assert far[:, 1:].min() > 0.1


def test_the_same_sentence_moves_less_and_less() -> None:
    readings = recorded_by_allennlp().vectors[2]
    steps = [np.linalg.norm(b - a) for a, b in pairwise(readings)]
    assert steps[0] > 2 * steps[1] > 4 * steps[2] > 0


def test_the_record_belongs_to_the_weights() -> None:
    about = json.loads((FOLDER / "record.json").read_text("utf-8"))
    weights = (FOLDER / "weights.hdf5").read_bytes()
    assert about["sha256 of the weights"] == hashlib.sha256(weights).hexdigest()
    assert len(weights) < 2_000_000
    expected = official_weights(load_bilm(FOLDER / "options.json", FOLDER / "weights.hdf5"))
    found = official_file(FOLDER / "weights.hdf5")
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], part) for name, part in expected.items())


def test_allennlp_gives_these_vectors_again() -> None:
    wheel = os.environ.get("ALLENNLP_WHEEL")
    if not wheel:
        pytest.skip("no ALLENNLP_WHEEL")
    for text, again in zip(recorded_by_allennlp().vectors, recorded(Path(wheel)), strict=True):
        for one, other in zip(text, again, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5)


@published_model.needs_model
def test_the_published_test_model_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELMO_FIXTURE", str(published_model.FOLDER))
    there = published_test_model()
    assert there is not None
    weights = official_file(there.weights)
    carrying = load_bilm(there.options, there.weights, stateful=True)
    (row,) = there.distances(lambda batch: [e.layers[-1] for e in embed_batch(carrying, batch)])
    assert len(row) == 10
    assert row.max() < 1e-5
    (row,) = there.distances(reader(plain.BiLM(plain.CharCNN(weights), weights), TopLayer))
    assert row[0] < 1e-5
    assert row[1:].min() > 1.7
    assert row[1:].max() < 2.45  # "1.8 to 2.4"


def test_a_folder_without_the_files_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ELMO_FIXTURE", str(tmp_path))
    with pytest.raises(ElmoFileError, match=r"there is no options\.json"):
        published_test_model()
    monkeypatch.delenv("ELMO_FIXTURE")
    assert published_test_model() is None


def test_vectors_of_another_shape_are_refused() -> None:
    there = recorded_by_allennlp()
    with pytest.raises(ValueError, match=r"sentence 1 has vectors of shape \(2, 3\)"):
        there.distances(lambda batch: [np.zeros((2, 3))] * len(batch))
