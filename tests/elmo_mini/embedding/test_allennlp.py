"""AllenNLP's own names and layout, written here from the official arrays as its loader does."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from elmo_mini.checkpoints.official import read_options
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.embedding.allennlp import load_allennlp_state
from elmo_mini.embedding.elmo import Elmo, batch_to_ids
from elmo_mini.errors import ElmoFileError
from elmo_mini.fast.bilm import FastBiLM
from tests.elmo_mini import official_files

IDS = batch_to_ids([["She", "plays", "the", "violin", "."], ["打", "it"]])
MIXES = (([0.3, -1.0, 2.0], 1.7), ([0.0, 0.5, -0.5], 0.4))
CELL = "_elmo_lstm._elmo_lstm.backward_layer_1"


def allennlp_state(files: official_files.Files) -> dict[str, Tensor]:
    """The official arrays as AllenNLP keeps them, and two trained mixes."""
    arrays, state = files.weights, {}
    lstm, cnn = files.options["lstm"], files.options["char_cnn"]
    size, cells = lstm["projection_dim"], lstm["dim"]
    order = np.concatenate([np.arange(cells) + k * cells for k in (0, 2, 1, 3)])
    words = "_elmo_lstm._token_embedder."
    state[f"{words}_char_embedding_weights"] = np.vstack(
        [np.zeros((1, cnn["embedding"]["dim"])), arrays["char_embed"]]
    )
    for k in range(len(cnn["filters"])):
        state[f"{words}char_conv_{k}.weight"] = arrays[f"CNN/W_cnn_{k}"][0].transpose(2, 1, 0)
        state[f"{words}char_conv_{k}.bias"] = arrays[f"CNN/b_cnn_{k}"]
    for k in range(cnn["n_highway"]):
        high = {part: arrays[f"CNN_high_{k}/{part}"] for part in ("W_transform", "W_carry")}
        bias = [arrays[f"CNN_high_{k}/b_transform"], -arrays[f"CNN_high_{k}/b_carry"]]
        state[f"{words}_highways._layers.{k}.weight"] = np.concatenate(
            [high["W_transform"].T, -high["W_carry"].T]
        )
        state[f"{words}_highways._layers.{k}.bias"] = np.concatenate(bias)
    state[f"{words}_projection.weight"] = arrays["CNN_proj/W_proj"].T
    state[f"{words}_projection.bias"] = arrays["CNN_proj/b_proj"]
    for direction, called in enumerate(("forward", "backward")):
        for k in range(lstm["n_layers"]):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{k}/LSTMCell/"
            weight, bias = arrays[f"{cell}W_0"].T, arrays[f"{cell}B"].copy()
            bias[2 * cells : 3 * cells] += 1
            layer = f"_elmo_lstm._elmo_lstm.{called}_layer_{k}."
            state[f"{layer}input_linearity.weight"] = weight[order, :size]
            state[f"{layer}state_linearity.weight"] = weight[order, size:]
            state[f"{layer}state_linearity.bias"] = bias[order]
            state[f"{layer}state_projection.weight"] = arrays[f"{cell}W_P_0"].T
    tensors = {name: torch.tensor(np.float32(array)) for name, array in state.items()}
    for k, (weights, gamma) in enumerate(MIXES):
        for j, weight in enumerate(weights):
            tensors[f"scalar_mix_{k}.scalar_parameters.{j}"] = torch.tensor([weight])
        tensors[f"scalar_mix_{k}.gamma"] = torch.tensor([gamma])
    return tensors


@pytest.fixture
def files(tmp_path: Path) -> official_files.Files:
    return official_files.random_model(tmp_path, scale=2.0)


def empty(files: official_files.Files, mixes: int = 2) -> Elmo:
    return Elmo(None, None, mixes, module=FastBiLM(read_options(files.options_file))).eval()


def outputs(elmo: Elmo) -> list[Tensor]:
    representations: list[Tensor] = elmo.eval()(IDS)["elmo_representations"]
    return [vectors.detach() for vectors in representations]


def expected(files: official_files.Files) -> list[Tensor]:
    """The same model from the official files, with the mixes set one by one."""
    elmo = Elmo(files.options_file, files.weight_file, 2)
    with torch.no_grad():
        for mix, (weights, gamma) in zip(elmo.scalar_mixes, MIXES, strict=True):
            for parameter, weight in zip(mix.scalar_parameters, weights, strict=True):
                parameter.fill_(weight)
            mix.gamma.fill_(gamma)
    return outputs(elmo)


@pytest.mark.parametrize("prefix", ["", "text_field_embedder.token_embedder_elmo._elmo."])
def test_allennlps_weights_give_the_vectors_of_the_official_files(
    files: official_files.Files, prefix: str
) -> None:
    state = {prefix + name: tensor for name, tensor in allennlp_state(files).items()}
    if prefix:
        state["tagger.weight"] = torch.zeros(3)
    elmo = empty(files)
    load_allennlp_state(elmo, state, prefix)
    for ours, theirs in zip(outputs(elmo), expected(files), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-6)


def test_a_cached_vocabulary_of_allennlp_is_left_out_and_ours_made_anew(
    files: official_files.Files,
) -> None:
    state = allennlp_state(files)
    state["_elmo_lstm._word_embedding.weight"] = torch.zeros(9, 6)
    elmo = empty(files).eval()
    elmo.bilm.cache_vocabulary(["", "it"])
    words, ids = torch.tensor([[1]]), batch_to_ids([["it"]])
    with torch.no_grad():
        before = elmo(ids, words)["elmo_representations"][0]
        load_allennlp_state(elmo, state)
        by_word, by_letter = elmo(ids, words), elmo(ids)
    by_word, by_letter = (x["elmo_representations"][0] for x in (by_word, by_letter))
    torch.testing.assert_close(by_word, by_letter, rtol=0, atol=1e-6)
    assert float((before - by_word).abs().max()) > 1e-3


def test_vectors_kept_from_before_are_not_used_again(files: official_files.Files) -> None:
    elmo = empty(files)
    elmo.bilm.cache_tokens()
    outputs(elmo)
    load_allennlp_state(elmo, allennlp_state(files))
    torch.testing.assert_close(outputs(elmo)[0], expected(files)[0], rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        (f"{CELL}.state_projection.weight", None, r"weight \(6, 10\) is missing"),
        ("_elmo_lstm._elmo_lstm.forward_layer_2.x", torch.zeros(1), "forward_layer_2.x is no part"),
        ("scalar_mix_2.gamma", torch.ones(1), "scalar_mix_2.gamma is no part"),
        (f"{CELL}.state_linearity.bias", torch.zeros(4), r"shape \(4,\), not \(40,\)"),
        (f"{CELL}.state_linearity.bias", torch.full((40,), torch.nan), "not finite"),
        (
            f"{CELL}.state_linearity.bias",
            torch.zeros(40).int(),
            "is torch.int32, no array of floating-point",
        ),
        ("scalar_mix_0.gamma", 1.0, "gamma is float, no array"),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_is_changed(
    files: official_files.Files, name: str, value: Tensor | None, says: str
) -> None:
    state = allennlp_state(files)
    state.pop(name, None)
    if value is not None:
        state[name] = value
    elmo = empty(files)
    before = {key: tensor.clone() for key, tensor in elmo.state_dict().items()}
    with pytest.raises(ElmoFileError, match=says):
        load_allennlp_state(elmo, state)
    for key, tensor in elmo.state_dict().items():
        assert torch.equal(tensor, before[key]), key


def test_too_many_representations_lack_their_mix(files: official_files.Files) -> None:
    with pytest.raises(ElmoFileError, match=r"scalar_mix_2.gamma \(1,\) is missing"):
        load_allennlp_state(empty(files, mixes=3), allennlp_state(files))


def test_names_with_a_prefix_and_names_of_something_else(files: official_files.Files) -> None:
    state = {f"model._elmo.{name}": tensor for name, tensor in allennlp_state(files).items()}
    with pytest.raises(ElmoFileError, match=r"pass prefix='model\._elmo\.'"):
        load_allennlp_state(empty(files), state)
    with pytest.raises(ElmoFileError, match=r"no weights of AllenNLP's Elmo.*bert\.weight"):
        load_allennlp_state(empty(files), {"bert.weight": torch.zeros(1)})


def test_what_is_no_elmo_is_named() -> None:
    bilm: Any = load_pretrained()
    with pytest.raises(TypeError, match="go into an Elmo, and this is FastBiLM"):
        load_allennlp_state(bilm, {})
    odd: Any
    for odd in ("weights.th", [1, 2], None):
        with pytest.raises(TypeError, match="and not names and tensors; pass a module's"):
            load_allennlp_state(Elmo(None, None, 1, module=bilm), odd)
    with pytest.raises(TypeError, match="options is dict, and not BiLMOptions"):
        FastBiLM(bilm.options.to_dict())
