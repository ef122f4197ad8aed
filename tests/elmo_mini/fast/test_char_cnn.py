"""The token layer: definition, short cuts, and upstream behaviours 11, 32 and 33."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.fast import packed_product
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.fast.char_cnn import CharacterCNN, Highway
from elmo_mini.fast.char_cnn_types import encode_tokens, encode_types
from elmo_mini.fast.packed_product import PackedProduct
from elmo_mini.text.character_ids import batch_to_ids
from tests.elmo_mini import numpy_elmo, official_files

WORDS = ["a", "", "cat", "x" * 60, "naïve", "<S>", "</S>", "y" * 44, "z" * 47, "w" * 48, "cat"]


def ids_of(words: list[str]) -> torch.Tensor:
    return batch_to_ids([words], allow_boundary_tokens=True)[0]


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("n_highway", [None, 0, 1, 2])
@pytest.mark.parametrize("filters", [[[1, 4], [2, 5], [5, 7]], [[7, 3], [1, 2]], [[3, 6]]])
def test_equals_numpy(
    tmp_path: Path, activation: str, n_highway: int | None, filters: list[list[int]]
) -> None:
    # [[3, 6]] sums up to the projection size: no projection in the file
    files = official_files.random_model(
        tmp_path, activation=activation, n_highway=n_highway, filters=filters
    )
    encoder = load_bilm(*files[:2]).double().token_encoder
    expected = np.array(
        [numpy_elmo.token_vector(word, files.weights, files.options) for word in WORDS]
    )
    ids = ids_of(WORDS)
    assert (encoder.projection is None) == (filters == [[3, 6]])
    for vectors in (encoder(ids), encode_types(encoder, ids), encode_tokens(encoder, ids)):
        np.testing.assert_allclose(vectors.numpy(), expected, rtol=0, atol=1e-12)


def test_training_path_equals_the_definition_and_its_gradients(tmp_path: Path) -> None:
    files = official_files.random_model(tmp_path)
    encoder = load_bilm(*files[:2]).double().token_encoder.requires_grad_(True)
    ids = ids_of(WORDS)
    target = torch.randn(len(WORDS), 6, dtype=torch.float64)
    gradients = []
    for encode in (encoder, partial(encode_types, encoder), partial(encode_tokens, encoder)):
        vectors = encode(ids)
        gradients.append(torch.autograd.grad((vectors * target).sum(), list(encoder.parameters())))
    for short_cut in gradients[1:]:
        for ours, expected in zip(short_cut, gradients[0], strict=True):
            torch.testing.assert_close(ours, expected, rtol=0, atol=1e-12)
    embedding = gradients[0][0]
    assert (embedding[0] == 0).all()  # "no token" never learns
    assert (embedding[261] != 0).any()  # the padding inside a word does


def test_short_cut_agrees_on_any_ids(tmp_path: Path) -> None:
    """Rows that no word gives, such as padding followed by a letter."""
    files = official_files.random_model(tmp_path)
    encoder = load_bilm(*files[:2]).double().token_encoder
    ids = torch.randint(0, 262, (40, 50), generator=torch.Generator().manual_seed(0))
    ids[:20, 10:] = 261
    ids[5, 30] = 7
    torch.testing.assert_close(encode_types(encoder, ids), encoder(ids), rtol=0, atol=1e-12)


@pytest.mark.precision
@pytest.mark.parametrize("packed", [True, False])
def test_without_gradients_autocast_changes_nothing(
    packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_product, "can_pack", lambda weight: packed)
    options = BiLMOptions(projection_dim=4, dim=8, filters=((1, 3), (2, 4)), n_highway=1)
    encoder = CharacterCNN(options).requires_grad_(False)
    exact = encoder(ids_of(WORDS))
    with torch.autocast("cpu", torch.bfloat16):
        vectors = encode_types(encoder, ids_of(WORDS))
    torch.testing.assert_close(vectors, exact)


def test_shape_is_kept_for_further_dimensions() -> None:
    encoder = CharacterCNN(BiLMOptions(projection_dim=4, dim=8, filters=((1, 3), (2, 4))))
    ids = batch_to_ids([["a", "b"], ["c", "d"]])
    assert encoder(ids).shape == (2, 2, 4)
    assert encode_tokens(encoder, ids.view(2, 1, 2, 50)).shape == (2, 1, 2, 4)


def test_highway_by_hand() -> None:  # 32: the formula worked out on paper
    highway = Highway(2)
    with torch.no_grad():
        highway.transform.weight.copy_(torch.tensor([[1.0, 2.0], [-1.0, 0.0]]))
        highway.transform.bias.copy_(torch.tensor([0.5, 0.0]))
        highway.carry.weight.zero_()
        highway.carry.bias.copy_(torch.tensor([0.0, np.log(3.0)]))
        x = torch.tensor([[2.0, -1.0], [-3.0, 1.0]])
        # gates 1/2 and 3/4; transforms relu([[0.5, -2.0], [-0.5, 3.0]])
        expected = torch.tensor([[1.25, -0.25], [-1.5, 2.5]])
        torch.testing.assert_close(highway(x), expected)
        assert highway(x.view(2, 1, 1, 2)).shape == (2, 1, 1, 2)  # 33


def test_new_highways_carry_their_input() -> None:
    highway = Highway(64)
    x = torch.randn(10, 64)
    assert torch.cosine_similarity(highway(x), x).min() > 0.8


def test_products_are_of_few_sizes_however_many_words_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """oneDNN keeps a program for each number of rows, two thirds of a megabyte each."""
    encoder = load_pretrained().token_encoder
    rows: set[int] = set()
    product = PackedProduct.__call__

    def noted(self: PackedProduct, x: Tensor, *settings: Any) -> Tensor:
        rows.add(len(x))
        return product(self, x, *settings)

    monkeypatch.setattr(PackedProduct, "__call__", noted)
    words = [f"{'x' * (number % 60)}{number}" for number in range(600)]
    ids = batch_to_ids([[word] for word in words])[:, 0]
    for count in (*range(1, 300, 7), 600):
        with torch.no_grad():
            found = encode_types(encoder, ids[:count])
            assert len(found) == count
    assert len(rows) <= 24
    assert max(rows) == 256
    torch.testing.assert_close(found, encoder(ids), rtol=0, atol=1e-5)
