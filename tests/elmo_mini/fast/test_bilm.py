"""The biLM against numpy and the published model; state, determinism and causality."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch

from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.text.character_ids import batch_to_ids
from tests.elmo_mini import numpy_elmo, official_files, published_model

SENTENCES = [
    ["The", "cat", "sat", "on", "the", "mat", "."],
    ["A", "naïve", "café"],
    ["Supercalifragilisticexpialidociously", "x" * 60, "", "word", "cat"],
    ["Stop"],
]


PATHS = pytest.mark.parametrize("path", ["definition", "inference", "training"])


@contextmanager
def taking(path: str, bilm: FastBiLM) -> Iterator[None]:
    """The way that is asked for: as the modules define it, without or with gradients."""
    training = path == "training"
    bilm.requires_grad_(training)
    plain = path != "definition"
    with (
        torch.set_grad_enabled(training),
        patch("elmo_mini.fast.read_layer.is_plain", return_value=plain),
        patch("elmo_mini.fast.char_cnn_types.is_plain", return_value=plain),
    ):
        yield


def run(bilm: FastBiLM, sentences: list[list[str]]) -> tuple[list[np.ndarray], np.ndarray]:
    output: Any = bilm(batch_to_ids(sentences))
    return [layer.detach().numpy() for layer in output["activations"]], output["mask"].numpy()


def alone(bilm: FastBiLM, sentences: list[list[str]]) -> list[np.ndarray]:
    """(layers, words + 2, size) of each sentence, from one batch."""
    layers, mask = run(bilm, sentences)
    stacked = np.stack(layers)
    return [stacked[:, row, : mask[row].sum()] for row in range(len(sentences))]


@pytest.fixture
def bilm(tmp_path: Path) -> FastBiLM:
    return load_bilm(*official_files.random_model(tmp_path)[:2]).double()


SETTINGS: dict[str, dict[str, Any]] = {
    "as published": {},
    "one layer": {"n_layers": 1},
    "three layers": {"n_layers": 3},
    "no skip connections": {"use_skip_connections": False},
    "three layers, no skip connections": {"n_layers": 3, "use_skip_connections": False},
    "no clips": {"cell_clip": 0, "proj_clip": None},
    "no recurrent projection": {"dim": 6},
    "no character projection": {"filters": [[1, 2], [3, 4]]},
    "no highway": {"n_highway": None},
    "tanh": {"activation": "tanh"},
    "short words": {"max_characters_per_token": 12},
}


@PATHS
@pytest.mark.parametrize("setting", SETTINGS)
def test_equals_numpy(tmp_path: Path, setting: str, path: str) -> None:
    files = official_files.random_model(tmp_path, **SETTINGS[setting])
    model = load_bilm(*files[:2]).double()
    ids = batch_to_ids(SENTENCES, max_characters=model.options.max_characters)
    with taking(path, model):
        output: Any = model(ids)
    layers = torch.stack(output["activations"]).detach().numpy()
    for row, sentence in enumerate(SENTENCES):
        expected, _ = numpy_elmo.sentence_layers(sentence, files.weights, files.options)
        np.testing.assert_allclose(
            layers[:, row, : len(sentence) + 2], expected, rtol=0, atol=1e-12
        )
        assert (layers[:, row, len(sentence) + 2 :] == 0).all()
    assert output["mask"].sum(1).tolist() == [len(s) + 2 for s in SENTENCES]


@PATHS
def test_equals_numpy_where_the_clips_act(tmp_path: Path, path: str) -> None:
    files = official_files.random_model(tmp_path, scale=6.0, dim=40, projection_dim=8)
    model = load_bilm(*files[:2]).double()
    clipped = [0, 0]
    with taking(path, model):
        vectors = alone(model, SENTENCES)
    for sentence, ours in zip(SENTENCES, vectors, strict=True):
        expected, _ = numpy_elmo.sentence_layers(
            sentence, files.weights, files.options, clipped=clipped
        )
        np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)
    assert min(clipped) > 20


@PATHS
def test_carried_state_equals_numpy(tmp_path: Path, path: str) -> None:
    """Three calls: a batch, a smaller one, a larger one."""
    files = official_files.random_model(tmp_path)
    model = load_bilm(*files[:2], stateful=True).double()
    states: dict[int, numpy_elmo.Row] = {}
    for batch in (SENTENCES[:3], SENTENCES[1:3][::-1], SENTENCES):
        with taking(path, model):
            vectors = alone(model, batch)
        for row, sentence in enumerate(batch):
            expected, states[row] = numpy_elmo.sentence_layers(
                sentence, files.weights, files.options, states.get(row)
            )
            np.testing.assert_allclose(vectors[row], expected, rtol=0, atol=1e-12)


@published_model.needs_model
@PATHS
@pytest.mark.parametrize("cache", [0, 1000])
def test_published_model_agrees_with_tensorflow(path: str, cache: int) -> None:  # 1, 57
    model = load_bilm(published_model.OPTIONS, published_model.WEIGHTS, stateful=True)
    assert not any(p.requires_grad for p in model.parameters())
    model.cache_tokens(cache)
    expected = published_model.expected_top_layer()
    for batch, top in zip(published_model.batches(), expected, strict=True):
        with taking(path, model):
            layers, mask = run(model, batch)
        assert mask.sum(1).tolist() == [len(s) + 2 for s in batch]
        np.testing.assert_allclose(layers[-1][0, 1 : len(top) + 1], top, rtol=0, atol=1e-5)


@published_model.needs_model
def test_float32_is_close_to_float64() -> None:
    single = load_bilm(published_model.OPTIONS, published_model.WEIGHTS)
    double = load_bilm(published_model.OPTIONS, published_model.WEIGHTS).double()
    for batch in published_model.batches()[:3]:
        for ours, exact in zip(run(single, batch)[0], run(double, batch)[0], strict=True):
            np.testing.assert_allclose(ours, exact, rtol=0, atol=1e-5)


# State and determinism


def test_same_vectors_in_every_batch_and_after_anything(bilm: FastBiLM) -> None:
    first = alone(bilm, SENTENCES)
    for order in ([3, 1, 0, 2], [2, 0], [1, 1, 1]):
        for row, vectors in zip(order, alone(bilm, [SENTENCES[k] for k in order]), strict=True):
            np.testing.assert_allclose(vectors, first[row], rtol=0, atol=1e-13)
    assert bilm.carried.rows == 0


def test_stateful_second_call_differs_and_reset_brings_the_first_back(bilm: FastBiLM) -> None:
    bilm.stateful = True
    first, _ = run(bilm, SENTENCES)
    second, _ = run(bilm, SENTENCES)
    np.testing.assert_array_equal(second[0], first[0])  # the token layer has no state
    assert np.abs(second[1] - first[1]).max() > 1e-3
    bilm.reset_states()
    again, _ = run(bilm, SENTENCES)
    np.testing.assert_array_equal(np.stack(again), np.stack(first))


def test_a_model_that_was_stateful_is_steady_again(bilm: FastBiLM) -> None:
    first, _ = run(bilm, SENTENCES)
    bilm.stateful = True
    run(bilm, SENTENCES)
    bilm.stateful = False
    np.testing.assert_array_equal(np.stack(run(bilm, SENTENCES)[0]), np.stack(first))


def test_reset_of_chosen_rows(bilm: FastBiLM) -> None:
    bilm.stateful = True
    first = alone(bilm, SENTENCES)
    bilm.reset_states(torch.tensor([True, False, True, False]))
    second = alone(bilm, SENTENCES)
    for row, same in enumerate([True, False, True, False]):
        assert np.allclose(first[row], second[row], rtol=0, atol=1e-13) == same
    with pytest.raises(ValueError, match="4 rows"):
        bilm.reset_states(torch.tensor([True]))


def test_state_of_unused_rows_stays(bilm: FastBiLM) -> None:  # 58
    bilm.stateful = True
    run(bilm, SENTENCES[:3])
    assert (bilm.carried.read(4)[0][:, :, 3] == 0).all()
    before = bilm.carried.read(3)[0][:, :, 2].clone()
    run(bilm, SENTENCES[:2])
    assert torch.equal(bilm.carried.read(3)[0][:, :, 2], before)


def test_an_empty_row_reads_its_boundaries_and_moves_its_state(bilm: FastBiLM) -> None:
    bilm.stateful = True
    layers, mask = run(bilm, [SENTENCES[0], []])
    assert mask[1].sum() == 2
    assert (np.stack(layers)[:, 1, :2] != 0).any()
    assert (bilm.carried.read(2)[0][:, :, 1] != 0).any()


def test_state_is_kept_in_training_and_carries_no_gradient(bilm: FastBiLM) -> None:
    bilm.stateful = True
    for _ in range(2):
        with taking("training", bilm.train()):
            output: Any = bilm(batch_to_ids(SENTENCES))
            output["activations"][-1].sum().backward()
    assert bilm.carried.rows == 4
    assert not bilm.carried.h.requires_grad


def test_state_is_not_saved(bilm: FastBiLM) -> None:
    names = set(bilm.state_dict())
    bilm.stateful = True
    run(bilm, SENTENCES)
    bilm.warm_up(SENTENCES)
    assert set(bilm.state_dict()) == names


def test_warm_start_is_fixed_and_reproducible(tmp_path: Path) -> None:
    files = official_files.random_model(tmp_path)
    model = load_bilm(*files[:2]).double()
    cold = alone(model, SENTENCES)
    model.warm_up(SENTENCES[:2])
    state = None
    for sentence in SENTENCES[:2]:
        _, state = numpy_elmo.sentence_layers(sentence, files.weights, files.options, state)
    for _ in range(2):
        warm = alone(model, SENTENCES)
        for sentence, vectors in zip(SENTENCES, warm, strict=True):
            expected, _ = numpy_elmo.sentence_layers(sentence, files.weights, files.options, state)
            np.testing.assert_allclose(vectors, expected, rtol=0, atol=1e-12)
    assert np.abs(warm[0][1] - cold[0][1]).max() > 1e-3
    model.warm_up(SENTENCES[:2])  # from zeros again, not from the last start
    np.testing.assert_array_equal(alone(model, SENTENCES)[0], warm[0])
    model.warm_up([np.array(sentence) for sentence in SENTENCES[:2]])
    np.testing.assert_array_equal(alone(model, SENTENCES)[0], warm[0])


# Causality: what each half of a vector may know


@PATHS
@pytest.mark.parametrize("layers", [2, 3])
def test_no_half_sees_past_its_own_token(tmp_path: Path, layers: int, path: str) -> None:
    files = official_files.random_model(tmp_path, n_layers=layers)
    model = load_bilm(*files[:2]).double()
    half = model.options.projection_dim
    changed_row, place = 1, 2
    sentences = [["w"] * 9, ["a", "b", "c", "d", "e"], ["u", "v"]]
    other = [list(s) for s in sentences]
    other[changed_row][place] = "zebra"
    with taking(path, model):
        before, _ = run(model, sentences)
        after, _ = run(model, other)
    position = place + 1  # the sentence starts with a boundary
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        moved = np.abs(new - old) > 1e-12
        assert not moved[[0, 2]].any(), "another sentence of the batch has changed"
        forward, backward = moved[changed_row, :, :half], moved[changed_row, :, half:]
        assert forward[position].all()
        assert backward[position].all()
        assert not forward[:position].any(), f"layer {number}: forward saw a later token"
        assert not backward[position + 1 :].any(), f"layer {number}: backward saw an earlier one"
        length = len(sentences[changed_row]) + 2
        if number:
            assert forward[position:length].any(1).all(), "forward lost its left context"
            assert backward[: position + 1].any(1).all(), "backward lost its right context"
        else:
            assert moved[changed_row].any(1).sum() == 1, "the token layer looked at a neighbour"


@PATHS
def test_outputs_are_zero_at_padding(bilm: FastBiLM, path: str) -> None:  # 26
    with taking(path, bilm):
        layers, mask = run(bilm, SENTENCES)
    for layer in layers:
        assert (layer[~mask] == 0).all()
        assert (layer[mask] != 0).any(-1).all()


# Vocabulary and token cache


def test_added_boundaries_equal_the_boundary_tokens(bilm: FastBiLM) -> None:  # 11
    ids = batch_to_ids([["<S>", "</S>"]], allow_boundary_tokens=True)
    vectors = bilm.token_encoder(ids)[0].numpy()
    token_layer = run(bilm, [["a", "b"]])[0][0][0]
    half = bilm.options.projection_dim
    for row, expected in ((0, vectors[0]), (3, vectors[1])):
        np.testing.assert_allclose(token_layer[row, :half], expected, rtol=0, atol=1e-13)
        np.testing.assert_allclose(token_layer[row, half:], expected, rtol=0, atol=1e-13)


def test_vocabulary_gives_the_vectors_of_its_words(bilm: FastBiLM) -> None:  # 3
    vocabulary = ["@@PADDING@@", "@@UNKNOWN@@", "cat", "the", "mat"]
    sentences = [["the", "cat", "the"], ["mat"]]
    ids = batch_to_ids(sentences)
    words = torch.tensor([[3, 2, 3], [4, 0, 0]])
    with pytest.raises(ValueError, match="cache_vocabulary"):
        bilm(ids, words)
    expected, mask = run(bilm, sentences)
    bilm.cache_vocabulary(vocabulary, chunk=2)
    with torch.no_grad():
        output: Any = bilm(torch.zeros_like(ids), words)
    assert np.array_equal(output["mask"].numpy(), mask)
    for ours, layer in zip(output["activations"], expected, strict=True):
        np.testing.assert_allclose(ours.numpy(), layer, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="0 or more"):
        bilm(ids, words - 1)
    with pytest.raises(ValueError, match="empty"):
        bilm.cache_vocabulary([])


def test_padding_before_a_word_id_is_refused_and_drops_no_token(bilm: FastBiLM) -> None:
    bilm.cache_vocabulary(["@@PADDING@@", "cat", "the"])
    words = torch.tensor([[1, 2, 1], [1, 0, 2]])
    with pytest.raises(ValueError, match="sentence 1 has padding before a token"):
        bilm(torch.zeros(2, 3, 50, dtype=torch.long), words)


def test_ids_of_another_width_are_refused_with_both_widths(bilm: FastBiLM) -> None:
    for width in (40, 60):
        ids = batch_to_ids([["a", "cat"]], max_characters=width)
        with pytest.raises(ValueError, match=f"have {width} characters a token, .* reads 50"):
            bilm(ids)


def test_unknown_word_id_falls_back_to_characters(bilm: FastBiLM) -> None:  # 2
    bilm.cache_vocabulary(["@@PADDING@@", "cat"])
    sentences = [["the", "cat"]]
    expected, _ = run(bilm, sentences)
    output: Any = bilm(batch_to_ids(sentences), torch.tensor([[99, 1]]))
    np.testing.assert_array_equal(torch.stack(output["activations"]).numpy(), np.stack(expected))


def test_token_cache_changes_no_vector(bilm: FastBiLM) -> None:
    expected = alone(bilm, SENTENCES)
    bilm.cache_tokens(50)
    for order in ([0, 1], [1, 2, 3], [3, 0]):
        for row, vectors in zip(order, alone(bilm, [SENTENCES[k] for k in order]), strict=True):
            np.testing.assert_allclose(vectors, expected[row], rtol=0, atol=1e-13)
    assert bilm.token_cache is not None
    assert 10 < len(bilm.token_cache) <= 50


def test_token_cache_keeps_out_of_training(bilm: FastBiLM) -> None:
    bilm.cache_tokens(50)
    run(bilm, SENTENCES)
    with taking("training", bilm):
        output: Any = bilm(batch_to_ids(SENTENCES))
        output["activations"][-1].sum().backward()
    assert all(p.grad is not None for p in bilm.parameters())


# Errors


def test_bad_ids_are_refused(bilm: FastBiLM) -> None:
    ids = batch_to_ids([["a", "b"]])
    with pytest.raises(ValueError, match="0 to 261"):
        bilm(ids + 1)
    with pytest.raises(ValueError, match="Elmo further leading dimensions"):
        bilm(batch_to_ids([["a"]])[None])
    with pytest.raises(ValueError, match="at least one sentence and one token"):
        bilm(batch_to_ids([[]]))
    with pytest.raises(ValueError, match="whole numbers"):
        bilm(ids.double())
