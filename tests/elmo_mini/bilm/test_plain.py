"""The fast biLM is held to the plain one: values, gradients and loss, in float64."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from elmo_mini.bilm import plain
from elmo_mini.bilm.model import BiLM
from elmo_mini.characters.ids import add_boundaries, batch_to_ids, boundary_ids, check_ids
from elmo_mini.checkpoints.official import load_bilm
from tests.elmo_mini import official_files

SENTENCES = [
    ["The", "cat", "sat", "on", "the", "mat", "."],
    ["Stop"],
    ["A", "naïve", "x" * 60, "café"],
]

SETTINGS: dict[str, dict[str, Any]] = {
    "as published": {},
    "three layers": {"n_layers": 3},
    "no projection": {"dim": 8, "projection_dim": 8},
    "no residual": {"use_skip_connections": False},
    "clips that bind": {"cell_clip": 0.1, "proj_clip": 0.05},
}


@pytest.fixture(params=SETTINGS)
def bilm(tmp_path: Path, request: pytest.FixtureRequest) -> BiLM:
    files = official_files.random_model(tmp_path, **SETTINGS[request.param])[:2]
    return load_bilm(*files).double()


def bounded(bilm: BiLM) -> Tensor:
    """(B, T + 2, characters) ids of the sentences with their boundaries."""
    ids = batch_to_ids(SENTENCES)
    characters = bilm.options.max_characters
    return add_boundaries(ids, check_ids(ids, characters), *boundary_ids(characters))[0]


def close(left: Tensor, right: Tensor) -> None:
    torch.testing.assert_close(left, right, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("gradient", [False, True], ids=["inference", "training"])
def test_every_layer_is_the_plain_one(bilm: BiLM, gradient: bool) -> None:
    bilm.requires_grad_(gradient)
    expected, mask = plain.plain_copy(bilm)(bounded(bilm))
    came: Any = bilm(batch_to_ids(SENTENCES))
    torch.testing.assert_close(came["mask"], mask)
    assert len(came["activations"]) == len(expected)
    for left, right in zip(came["activations"], expected, strict=True):
        close(left, right * mask.unsqueeze(-1))


def test_every_gradient_is_the_plain_one(bilm: BiLM) -> None:
    bilm.requires_grad_(True)
    reference = plain.plain_copy(bilm)
    expected, mask = reference(bounded(bilm))
    came: Any = bilm(batch_to_ids(SENTENCES))
    probe = torch.randn(mask.shape[0], mask.shape[1], expected[0].shape[-1]).double()
    probe = probe * mask.unsqueeze(-1)
    for layers in (expected, came["activations"]):
        sum((probe * (j + 1) * layer).sum() for j, layer in enumerate(layers)).backward()

    for ours, theirs in zip(
        bilm.token_encoder.parameters(), reference.token_layer.parameters(), strict=True
    ):
        close(ours.grad, theirs.grad)
    for j, layer in enumerate(bilm.layers):
        pairs = (reference.forward_lstms[j], reference.backward_lstms[j])
        for direction, lstm in enumerate(pairs):
            close(layer.weight.grad[direction].T, lstm.cell.gates.weight.grad)
            close(layer.bias.grad[direction], lstm.cell.gates.bias.grad)
            if layer.projection is not None:
                close(layer.projection.grad[direction].T, lstm.cell.projection.weight.grad)


def test_the_loss_is_the_mean_over_predicted_tokens(bilm: BiLM) -> None:
    ids = bounded(bilm)
    words = torch.randint(0, 7, ids.shape[:2])
    loss = plain.BiLMLoss(plain.plain_copy(bilm), bilm.options.projection_dim, 7).double()
    layers, _ = loss.bilm(ids)
    surprises: dict[int, list[Tensor]] = {+1: [], -1: []}
    for row, sentence in enumerate(SENTENCES):
        for k in range(len(sentence) + 2):
            for step, state in zip((+1, -1), layers[-1][row, k].chunk(2), strict=True):
                if 0 <= k + step < len(sentence) + 2:
                    log_p = functional.log_softmax(loss.softmax(state), -1)
                    surprises[step].append(-log_p[words[row, k + step]])
    close(loss(ids, words), torch.stack([torch.stack(s).mean() for s in surprises.values()]))


def test_no_later_word_reaches_a_forward_state(bilm: BiLM) -> None:
    """Token 3 of a sentence is changed: ahead of it, only backward halves may move."""
    reference = plain.plain_copy(bilm)
    ids = bounded(bilm)[:1]
    changed = ids.clone()
    changed[0, 3] = ids[0, 2]
    for before, after in zip(reference(ids)[0][1:], reference(changed)[0][1:], strict=True):
        moved = (before != after).any(-1)[0].tolist()
        ahead, behind = (
            (b != a).any(-1)[0]
            for b, a in zip(before.chunk(2, -1), after.chunk(2, -1), strict=True)
        )
        assert any(moved)
        assert not ahead[:3].any()
        assert ahead[3:].all()
        assert not behind[4:].any()
        assert behind[:4].all()
