"""Inference mode, and another default type of numbers, leave nothing behind that spoils a call."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from elmo_mini import Elmo, ElmoEmbedder, batch_to_ids
from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.fast.bilm import FastBiLM
from tests.elmo_mini import official_files

FIRST, SECOND = [["She", "plays"]], [["They", "never", "met"], ["plays"]]
NO_WORDS = torch.tensor([[1, 2]])


@pytest.fixture
def files(tmp_path: Path) -> official_files.Files:
    return official_files.random_model(tmp_path)


@pytest.fixture
def bilm(files: official_files.Files) -> FastBiLM:
    return load_bilm(*files[:2])


def _cached(bilm: FastBiLM) -> Elmo:
    return Elmo(None, None, 1, module=bilm, dropout=0.0, cache_tokens=1000)


def _stateful(bilm: FastBiLM) -> Elmo:
    return Elmo(None, None, 1, module=bilm, dropout=0.0, stateful=True)


def _vocabulary(bilm: FastBiLM) -> Elmo:
    return Elmo(None, None, 1, module=bilm, dropout=0.0, vocab_to_cache=["", "She", "plays"])


def _warm(bilm: FastBiLM) -> Elmo:
    elmo = Elmo(None, None, 1, module=bilm, dropout=0.0)
    with torch.inference_mode():
        elmo.bilm.warm_up(FIRST)
    return elmo


MAKERS = (_cached, _stateful, _vocabulary, _warm)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("frozen", [True, False])
def test_training_goes_on_after_a_validation_in_inference_mode(
    bilm: FastBiLM, make: object, frozen: bool
) -> None:
    assert callable(make)
    bilm.requires_grad_(not frozen)
    read, untouched = make(bilm), make(bilm)
    words = (NO_WORDS,) if make is _vocabulary else ()
    with torch.inference_mode():
        read.eval()(batch_to_ids(FIRST), *words)
    with torch.no_grad():
        untouched.eval()(batch_to_ids(FIRST), *words)
    for elmo in (read, untouched):
        elmo.train().zero_grad()
    ours, wanted = (
        elmo(batch_to_ids(SECOND))["elmo_representations"][0] for elmo in (read, untouched)
    )
    torch.testing.assert_close(ours, wanted, rtol=0, atol=1e-6)
    ours.sum().backward()
    assert all(mix.gamma.grad is not None for mix in read.scalar_mixes)
    if words:
        read(torch.zeros_like(batch_to_ids(FIRST)), *words)["elmo_representations"][
            0
        ].sum().backward()
    read.reset_states()
    read(batch_to_ids(FIRST))["elmo_representations"][0].sum().backward()


@pytest.mark.parametrize("stateful", [True, False])
def test_an_embedder_gives_the_same_vectors_after_inference_mode(
    bilm: FastBiLM, stateful: bool
) -> None:
    usual, mixed = (ElmoEmbedder(module=bilm, stateful=stateful) for _ in range(2))
    usual.embed_batch(FIRST)
    with torch.inference_mode():
        mixed.embed_batch(FIRST)
    for batch in (SECOND, FIRST, SECOND):
        for ours, wanted in zip(mixed.embed_batch(batch), usual.embed_batch(batch), strict=True):
            np.testing.assert_allclose(ours, wanted, rtol=0, atol=1e-6)


@pytest.fixture
def double_by_default() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def test_a_double_default_changes_no_vector(
    files: official_files.Files, request: pytest.FixtureRequest
) -> None:
    wanted = ElmoEmbedder(*files[:2]).embed_batch(SECOND)
    request.getfixturevalue("double_by_default")
    for ours, before in zip(ElmoEmbedder(*files[:2]).embed_batch(SECOND), wanted, strict=True):
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, before, rtol=0, atol=1e-5)
