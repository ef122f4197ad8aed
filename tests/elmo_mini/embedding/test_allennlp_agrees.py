"""AllenNLP's own ELMo reads our export and gives our vectors.

Its wheel is not a dependency: `pip download allennlp==2.10.1 --no-deps`, and name the file in
the environment variable ALLENNLP_WHEEL. Without it these tests are left out.
"""

import os
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.allennlp_elmo import AllenNLP
from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.text.character_ids import batch_to_ids
from tests.elmo_mini import official_files

SENTENCES = [
    ["The", "cat", "sat", "on", "the", "mat", "."],
    ["A", "naïve", "café", "打"],
    ["Supercalifragilisticexpialidociously", "x" * 60, "word"],
    ["Stop"],
]


@pytest.fixture(scope="module")
def allennlp() -> AllenNLP:
    wheel = os.environ.get("ALLENNLP_WHEEL")
    if not wheel:
        pytest.skip("no ALLENNLP_WHEEL")
    return AllenNLP(Path(wheel))


def model_in_float64(tmp_path: Path, *, stateful: bool = False, **changes: Any) -> FastBiLM:
    """A random model with biases to which AllenNLP's 1, added in float32, is added exactly."""
    files = official_files.random_model(tmp_path, **changes)
    bilm = load_bilm(*files[:2], stateful=stateful).double()
    with torch.no_grad():
        for layer in bilm.layers:
            layer.bias.mul_(1024).round_().div_(1024)
    return bilm


def agree(theirs: list[torch.Tensor], ours: Any, tolerance: float) -> None:
    layers = ours["activations"]
    assert len(theirs) == len(layers)
    for expected, layer in zip(theirs, layers, strict=True):
        assert layer.abs().max() > 0.1
        torch.testing.assert_close(layer, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("scale", [1.0, 6.0])  # with 6 the clips act
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_random_models_in_float64(
    allennlp: AllenNLP, tmp_path: Path, scale: float, activation: str
) -> None:
    bilm = model_in_float64(tmp_path, scale=scale, activation=activation)
    ids = batch_to_ids(SENTENCES)
    agree(allennlp.bilm(bilm)(ids), bilm(ids), 1e-12)


def test_carried_states(allennlp: AllenNLP, tmp_path: Path) -> None:
    bilm = model_in_float64(tmp_path, stateful=True)
    theirs = allennlp.bilm(bilm, stateful=True)
    for batch in (SENTENCES[:3], SENTENCES[1:3][::-1], SENTENCES, [SENTENCES[3]]):
        ids = batch_to_ids(batch)
        agree(theirs(ids), bilm(ids), 1e-12)


def test_the_course_checkpoint_in_float32(allennlp: AllenNLP) -> None:
    bilm = load_pretrained()
    ids = batch_to_ids(SENTENCES)
    with torch.no_grad():
        agree(allennlp.bilm(bilm)(ids), bilm(ids), 1e-5)


def test_gradients(allennlp: AllenNLP) -> None:
    torch.manual_seed(5)
    options = BiLMOptions(projection_dim=8, dim=16, filters=((1, 4), (3, 8)), n_highway=1)
    bilm = FastBiLM(options).double()
    theirs = allennlp.bilm(bilm, requires_grad=True)
    bilm.load_state_dict({k: v.float().double() for k, v in bilm.state_dict().items()})
    ids = batch_to_ids(SENTENCES)
    for layers in (theirs(ids), bilm(ids)["activations"]):
        layers[-1].square().sum().backward()
    letters = theirs.module._token_embedder._char_embedding_weights
    torch.testing.assert_close(bilm.token_encoder.embedding.weight.grad, letters.grad)
    first, second = bilm.layers
    for direction, name in enumerate(("forward", "backward")):
        lstm = getattr(theirs.module._elmo_lstm, f"{name}_layer_1").state_projection.weight
        assert second.projection is not None
        assert second.projection.grad is not None
        torch.testing.assert_close(second.projection.grad[direction].T, lstm.grad)
        lstm = getattr(theirs.module._elmo_lstm, f"{name}_layer_0").state_linearity.weight
        assert first.weight.grad is not None
        i, g, f, o = first.weight.grad[direction, 8:].T.chunk(4)
        torch.testing.assert_close(torch.cat([i, f, g, o]), lstm.grad)
