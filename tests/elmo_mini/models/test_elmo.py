"""The fast biLM and the mix are held to the plain ones: values, gradients and loss, in float64."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from elmo_mini.checkpoints.official import load_bilm, official_weights
from elmo_mini.embedding.scalar_mix import AllenNLPScalarMix
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.models import elmo as plain
from elmo_mini.text.character_ids import (
    add_boundaries,
    batch_to_ids,
    boundary_ids,
    check_ids,
    remove_boundaries,
)
from tests.elmo_mini import official_files

SENTENCES = [
    ["The", "cat", "sat", "on", "the", "mat", "."],
    ["Stop"],
    ["A", "naïve", "x" * 60, "café"],
]

SETTINGS: dict[str, dict[str, Any]] = {
    "as published": {},
    "three layers": {"n_layers": 3},
    "one layer, one highway": {"n_layers": 1, "n_highway": 1},
    "clips that bind": {"cell_clip": 0.05, "proj_clip": 0.05},
}


@pytest.fixture(params=SETTINGS)
def bilm(tmp_path: Path, request: pytest.FixtureRequest) -> FastBiLM:
    files = official_files.random_model(tmp_path, **SETTINGS[request.param])[:2]
    return load_bilm(*files).double()


def plain_bilm(bilm: FastBiLM) -> plain.BiLM:
    weights = official_weights(bilm)
    clip = bilm.options.cell_clip
    assert clip is not None
    return plain.BiLM(plain.CharCNN(weights), weights, clip)


def bounded(bilm: FastBiLM) -> Tensor:
    """(B, T + 2, characters) ids of the sentences with their boundaries."""
    ids = batch_to_ids(SENTENCES)
    characters = bilm.options.max_characters
    return add_boundaries(ids, check_ids(ids, characters), *boundary_ids(characters))[0]


def close(left: Tensor | None, right: Tensor | None) -> None:
    torch.testing.assert_close(left, right, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("gradient", [False, True], ids=["inference", "training"])
def test_every_layer_is_the_plain_one(bilm: FastBiLM, gradient: bool) -> None:
    bilm.requires_grad_(gradient)
    expected, mask = plain_bilm(bilm)(bounded(bilm))
    came: Any = bilm(batch_to_ids(SENTENCES))
    torch.testing.assert_close(came["mask"], mask)
    for left, right in zip(came["activations"], expected, strict=True):
        close(left, right * mask.unsqueeze(-1))


def test_every_gradient_is_the_plain_one(bilm: FastBiLM) -> None:
    reference = plain_bilm(bilm)
    expected, mask = reference(bounded(bilm))
    came: Any = bilm.requires_grad_(True)(batch_to_ids(SENTENCES))
    towards = torch.randn_like(expected[0]) * mask.unsqueeze(-1)
    for layers in (expected, came["activations"]):
        sum((j + 1) * (towards * layer).sum() for j, layer in enumerate(layers)).backward()

    gradients, wanted = gradients_of(bilm), plain_gradients(reference)
    assert gradients.keys() == wanted.keys()
    for name, gradient in wanted.items():
        close(gradients[name], gradient)


def gradients_of(bilm: FastBiLM) -> dict[str, Tensor]:
    """The gradients as the weights of a second model: so they get their official names."""
    other = FastBiLM(bilm.options).double()
    with torch.no_grad():
        for to, origin in zip(other.parameters(), bilm.parameters(), strict=True):
            assert origin.grad is not None
            to.copy_(origin.grad)
    return official_weights(other)


def plain_gradients(bilm: plain.BiLM) -> dict[str, Tensor]:
    cnn = bilm.char_cnn
    assert isinstance(cnn, plain.CharCNN)
    named: dict[str, Any] = {"char_embed": cnn.char_embed.grad}
    for k, (W, b) in enumerate(zip(cnn.W_cnn, cnn.b_cnn, strict=True)):
        assert W.grad is not None
        named[f"CNN/W_cnn_{k}"] = W.grad.permute(2, 1, 0).unsqueeze(0)
        named[f"CNN/b_cnn_{k}"] = b.grad
    for k, highway in enumerate(cnn.highways):
        named |= {f"CNN_high_{k}/{name}": p.grad for name, p in highway.named_parameters()}
    named |= {"CNN_proj/W_proj": cnn.W_proj.grad, "CNN_proj/b_proj": cnn.b_proj.grad}
    for direction, lstms in enumerate((bilm.forward_lstms, bilm.backward_lstms)):
        for j, lstm in enumerate(lstms):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{j}/LSTMCell"
            named |= {f"{cell}/{name}": p.grad for name, p in lstm.named_parameters()}
    return named


def test_the_loss_is_the_mean_over_predicted_tokens(bilm: FastBiLM) -> None:
    ids = bounded(bilm)
    words = torch.randint(0, 7, ids.shape[:2])
    W = torch.randn(7, bilm.options.projection_dim).double()
    b = torch.randn(7).double()
    layers, mask = plain_bilm(bilm)(ids)
    surprises: dict[int, list[Tensor]] = {+1: [], -1: []}
    for row, sentence in enumerate(SENTENCES):
        for k in range(len(sentence) + 2):
            for step, state in zip((+1, -1), layers[-1][row, k].chunk(2), strict=True):
                if 0 <= k + step < len(sentence) + 2:
                    surprise = -functional.log_softmax(W @ state + b, -1)
                    surprises[step].append(surprise[words[row, k + step]])
    expected = torch.stack([torch.stack(one).mean() for one in surprises.values()])
    close(plain.bilm_loss(layers, mask, words, W, b), expected)


def test_no_later_word_reaches_a_forward_state(bilm: FastBiLM) -> None:
    """Token 3 is changed: only forward halves from it on may move, and backward halves up to it."""
    reference = plain_bilm(bilm)
    ids = bounded(bilm)[:1]
    changed = ids.clone()
    changed[0, 3] = ids[0, 2]
    for before, after in zip(reference(ids)[0][1:], reference(changed)[0][1:], strict=True):
        ahead, behind = (before != after)[0].chunk(2, -1)
        ahead, behind = ahead.any(-1), behind.any(-1)
        assert ahead.tolist() == [False] * 3 + [True] * (len(ahead) - 3)
        assert behind.tolist() == [True] * 4 + [False] * (len(behind) - 4)


@pytest.mark.parametrize("norm", [False, True])
def test_the_mix_is_the_plain_one(norm: bool) -> None:
    layers = list(torch.randn(3, 2, 5, 4).double())
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    towards = torch.randn(2, 5, 4).double() * mask.unsqueeze(-1)
    fast, slow = (
        AllenNLPScalarMix(3, do_layer_norm=norm).double(),
        plain.ScalarMix(3, norm).double(),
    )
    with torch.no_grad():
        slow.w.copy_(torch.randn(3))
        slow.gamma.fill_(0.3)
        fast.gamma.fill_(0.3)
        for parameter, value in zip(fast.scalar_parameters, slow.w, strict=True):
            parameter.fill_(value)
    close(fast(layers, mask), slow(layers, mask))
    for mix in (fast, slow):
        (mix(layers, mask) * towards).sum().backward()
    close(torch.cat([p.grad for p in fast.scalar_parameters]), slow.w.grad)
    assert slow.gamma.grad is not None
    close(fast.gamma.grad, slow.gamma.grad.view(1))


def test_boundaries_go_as_in_the_fast_one() -> None:
    vectors = torch.randn(3, 6, 4).double()
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2, [True] * 3 + [False] * 3])
    for left, right in zip(
        remove_boundaries(vectors * mask.unsqueeze(-1), mask),
        plain.without_boundaries(vectors, mask),
        strict=True,
    ):
        torch.testing.assert_close(left, right)
