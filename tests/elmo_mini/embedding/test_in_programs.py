"""ELMo inside other people's programs: threads, fine-tuning, compilers, pruning, replicas.

The names F1 to F6 are those of the faults that these tests were written for.
"""

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrizations, parametrize, prune
from torch.optim.swa_utils import AveragedModel

from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.embedding.elmo import Elmo
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.text.character_ids import batch_to_ids
from tests.elmo_mini import official_files

SENTENCES = [
    ["The", "sentence", "."],
    ["ELMo", "helps", "disambiguate", "ELMo", "from", "Elmo", "."],
]
IDS = batch_to_ids(SENTENCES)


@pytest.fixture
def bilm(tmp_path: Path) -> FastBiLM:
    return load_bilm(*official_files.random_model(tmp_path)[:2])


def layers_of(bilm: FastBiLM) -> Tensor:
    output: Any = bilm(IDS)
    return torch.stack(output["activations"])


def definition(bilm: FastBiLM) -> Tensor:
    """The layers with every submodule called as it is defined, by a hook that does nothing."""
    hooked = copy.deepcopy(bilm)
    for module in hooked.modules():
        module.register_forward_hook(lambda *_: None)
    return layers_of(hooked)


# F1: threads


def test_threads_share_an_embedder(bilm: FastBiLM) -> None:
    """Eight threads, first calls together, a hundred rounds, no wrong vector."""
    texts = [[f"w{k}" for k in range(n, n + 12)] for n in range(0, 80, 10)]
    expected = [ElmoEmbedder(module=bilm).embed_sentence(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(100):
            embedder, start = ElmoEmbedder(module=bilm, cache_tokens=50), Barrier(8)

            def ask(
                text: list[str], embedder: ElmoEmbedder = embedder, start: Barrier = start
            ) -> np.ndarray:
                start.wait()
                return embedder.embed_sentence(text)

            for vectors, right in zip(pool.map(ask, texts), expected, strict=True):
                np.testing.assert_allclose(vectors, right, rtol=0, atol=1e-6)


# F2 and F3: what is frozen is the caller's affair


def test_what_is_unfrozen_later_is_trained(bilm: FastBiLM) -> None:
    elmo = Elmo(None, None, 1, module=bilm, dropout=0.0)
    top = elmo.bilm.layers[-1]
    elmo(IDS)["elmo_representations"][0].sum().backward()
    assert top.weight.grad is None
    top.requires_grad_(True)
    elmo(IDS)["elmo_representations"][0].sum().backward()
    assert top.weight.grad is not None
    assert elmo.bilm.layers[0].weight.grad is None
    elmo.bilm.requires_grad_(True)
    elmo(IDS)["elmo_representations"][0].sum().backward()
    assert all(p.grad is not None for p in elmo.bilm.parameters())


def test_gradual_unfreezing_by_parameter_groups_moves_what_was_unfrozen(bilm: FastBiLM) -> None:
    elmo = Elmo(None, None, 1, module=bilm, dropout=0.0)
    optimiser = torch.optim.SGD(elmo.scalar_mixes.parameters(), lr=0.1)
    before = copy.deepcopy(elmo.bilm.state_dict())
    for layer in reversed(elmo.bilm.layers):
        layer.requires_grad_(True)
        optimiser.add_param_group({"params": layer.parameters(), "lr": 0.01})
        optimiser.zero_grad()
        elmo(IDS)["elmo_representations"][0].square().sum().backward()
        optimiser.step()
    for name, value in elmo.bilm.state_dict().items():
        assert torch.equal(value, before[name]) == name.startswith("token_encoder"), name


def test_a_cache_is_kept_while_only_the_lstms_are_trained(bilm: FastBiLM) -> None:
    bilm.cache_tokens(50)
    for layer in bilm.layers:
        layer.requires_grad_(True)
    layers_of(bilm).sum().backward()
    assert bilm.token_cache is not None
    assert len(bilm.token_cache) > 5
    assert all(p.grad is not None for layer in bilm.layers for p in layer.parameters())


def test_constructors_leave_the_callers_model_alone(bilm: FastBiLM) -> None:
    bilm.requires_grad_(True)
    bilm.layers[0].requires_grad_(False)
    asked = [p.requires_grad for p in bilm.parameters()]
    first = Elmo(None, None, 1, module=bilm, stateful=True, cache_tokens=9)
    Elmo(None, None, 1, module=bilm, requires_grad=False, vocab_to_cache=["@@PADDING@@", "a"])
    ElmoEmbedder(module=bilm, stateful=True, warm_up=SENTENCES)
    first(IDS)
    assert [p.requires_grad for p in bilm.parameters()] == asked
    assert not bilm.stateful
    assert bilm.token_cache is None
    assert bilm._vocabulary is None
    assert bilm.carried.rows == 0
    assert (bilm.carried.start_h == 0).all()
    assert {id(p) for p in first.bilm.parameters()} == {id(p) for p in bilm.parameters()}


def test_two_that_share_weights_carry_states_of_their_own(bilm: FastBiLM) -> None:
    one, other = (Elmo(None, None, 1, module=bilm, stateful=True, dropout=0.0) for _ in range(2))
    first = one(IDS)["elmo_representations"][0]
    one(IDS)
    assert torch.equal(other(IDS)["elmo_representations"][0], first)


# F4: compilers


def test_a_compiled_model_around_elmo_gives_its_vectors(bilm: FastBiLM) -> None:
    elmo = Elmo(None, None, 1, module=bilm, dropout=0.0)

    class Classifier(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.elmo, self.head = elmo, nn.Linear(elmo.get_output_dim(), 2)

        def forward(self, ids: Tensor) -> Tensor:
            return self.head(self.elmo(ids)["elmo_representations"][0].mean(1)).relu()

    model = Classifier()
    torch.compiler.reset()
    compiled = torch.compile(model, backend="eager")
    for ids in (IDS, IDS[:1], IDS):
        torch.testing.assert_close(compiled(ids), model(ids))
    compiled(IDS).sum().backward()
    assert model.head.weight.grad is not None


# F5: weights that are made when they are read


class Halved(nn.Module):
    """A parametrization with a buffer that can be changed from outside."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("factor", torch.tensor(0.5))

    def forward(self, weight: Tensor) -> Tensor:
        return weight * self.factor


def pruned(bilm: FastBiLM) -> None:
    for convolution in bilm.token_encoder.convolutions:
        prune.random_unstructured(convolution, "weight", amount=0.3)
    prune.random_unstructured(bilm.layers[1], "weight", amount=0.3)


def parametrized(bilm: FastBiLM) -> None:
    encoder = bilm.token_encoder
    parametrize.register_parametrization(encoder.convolutions[0], "weight", Halved())
    parametrize.register_parametrization(bilm.layers[0], "weight", Halved())


def weight_normed(bilm: FastBiLM) -> None:
    parametrizations.weight_norm(bilm.token_encoder.highways[0].transform)


def factor_changed(bilm: FastBiLM) -> None:
    for module in bilm.modules():
        if isinstance(module, Halved):
            module.factor.fill_(2.0)


@pytest.mark.parametrize(
    ("change", "again"), [(pruned, pruned), (parametrized, factor_changed), (weight_normed, None)]
)
def test_changed_weights_are_read_as_the_modules_read_them(
    bilm: FastBiLM, change: Callable[[FastBiLM], None], again: Callable[[FastBiLM], None] | None
) -> None:
    bilm.requires_grad_(False)
    seen = [layers_of(bilm)]
    for step in filter(None, (change, again)):
        step(bilm)
        with torch.no_grad():
            seen.append(layers_of(bilm))
            torch.testing.assert_close(seen[-1], definition(bilm), rtol=0, atol=1e-5)
            assert change is weight_normed or (seen[-1] - seen[-2]).abs().max() > 1e-3
        bilm.requires_grad_(True)
        trained = layers_of(bilm)
        assert trained.requires_grad
        torch.testing.assert_close(trained.detach(), seen[-1], rtol=0, atol=1e-5)
        bilm.requires_grad_(False)


def test_hooks_on_parts_are_called_without_gradients(bilm: FastBiLM) -> None:
    called = []
    parts = [bilm.layers[0], bilm.token_encoder, bilm.token_encoder.convolutions[0]]
    for number, part in enumerate(parts):
        part.register_forward_hook(lambda *_, number=number: called.append(number))
    layers_of(bilm)
    assert sorted(called) == [0, 1, 2]


def test_averaged_weights_give_the_vectors_of_the_definition(bilm: FastBiLM) -> None:
    average = AveragedModel(bilm)
    for _ in range(3):
        with torch.no_grad():
            for parameter in bilm.parameters():
                parameter += 0.05 * torch.randn_like(parameter)
        average.update_parameters(bilm)
        torch.testing.assert_close(
            layers_of(average.module), definition(average.module), rtol=0, atol=1e-5
        )


# F6: replicas of DataParallel have tensors in place of parameters


def replica_of(module: nn.Module) -> Any:
    replica = module._replicate_for_data_parallel()
    for name, child in module._modules.items():
        replica._modules[name] = None if child is None else replica_of(child)
    for name, parameter in module._parameters.items():
        if parameter is not None:
            setattr(replica, name, parameter * 1.0)
    return replica


def test_a_replica_passes_gradients_to_the_weights_it_was_made_from(bilm: FastBiLM) -> None:
    bilm.cache_tokens(50)
    layers_of(bilm)
    bilm.requires_grad_(True)
    replica = replica_of(bilm)
    assert not list(replica.parameters())
    layers_of(replica).sum().backward()
    assert all(p.grad is not None for p in bilm.parameters())


def test_a_replica_reads_its_own_weights_and_no_cache_of_another_device(bilm: FastBiLM) -> None:
    bilm.cache_tokens(50)
    layers_of(bilm)
    with torch.no_grad():
        replica = replica_of(bilm)
        replica.token_encoder.projection.weight *= 1.5  # as the copy on another device may differ
        seen = layers_of(replica)
        replica.token_cache = None
        torch.testing.assert_close(seen, layers_of(replica), rtol=0, atol=0)
