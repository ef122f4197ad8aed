"""What cannot be recorded or differentiated twice says so, and gives no other text's vectors."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from elmo_mini.embedding.elmo import Elmo
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.fast.refused_transforms import CannotTransform
from elmo_mini.text.character_ids import batch_to_ids

IDS = batch_to_ids([["a", "few", "words"], ["two", "words"]])


class Reader(nn.Module):
    """A stranger's model around ELMo that gives one tensor."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        bilm = FastBiLM(BiLMOptions(projection_dim=4, dim=6, filters=((1, 3), (2, 4))))
        self.elmo = Elmo(None, None, 1, module=bilm, dropout=0.0)

    def forward(self, ids: Tensor) -> Tensor:
        vectors: Tensor = self.elmo(ids)["elmo_representations"][0]
        return vectors


@pytest.mark.parametrize(
    ("name", "transform"),
    [
        ("torch.jit.trace", lambda model: torch.jit.trace(model, IDS)),
        ("torch.jit.script", torch.jit.script),
        ("torch.export", lambda model: torch.export.export(model, (IDS,), strict=False)),
        ("torch.fx", torch.fx.symbolic_trace),
        ("torch.func", lambda model: torch.func.vmap(model)(IDS[None])),
        (
            "torch.func",
            lambda model: torch.func.grad(lambda w: (model(IDS) * w).sum())(torch.ones(1)),
        ),
    ],
)
def test_a_recording_is_refused_in_one_sentence(
    name: str, transform: Callable[[nn.Module], object]
) -> None:
    with pytest.raises(CannotTransform, match=f"^{name} cannot record a biLM: what it") as refused:
        transform(Reader())
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("gradient_is_a_number", [True, False])
def test_a_second_derivative_is_refused_and_never_left_out(gradient_is_a_number: bool) -> None:
    model = Reader()
    vectors = model(IDS)
    loss = vectors.sum() if gradient_is_a_number else (vectors**2).sum()
    weight = model.elmo.bilm.layers[0].weight
    (slope,) = torch.autograd.grad(loss, weight, create_graph=True)
    with pytest.raises(CannotTransform, match="can be differentiated once only"):
        (slope**2).sum().backward()


def test_a_graph_of_the_gradient_alone_changes_no_number() -> None:
    model = Reader()
    weights = list(model.elmo.bilm.layers[1].parameters())
    plain = torch.autograd.grad(model(IDS).sum(), weights)
    graphed = torch.autograd.grad(model(IDS).sum(), weights, create_graph=True)
    for one, other in zip(plain, graphed, strict=True):
        assert torch.equal(one, other.detach())
