"""Fine-tuning: the rates, the pull, and what scrambling keeps."""

import pytest
import torch

from course.why_bert.scrambling import scrambled
from elmo_mini.models.fine_tuning import Batch, CausalLM, Classifier, tune


def small() -> Classifier:
    torch.manual_seed(0)
    return Classifier(CausalLM(9, dim=8, heads=2, layers=1, longest=6), 3)


def batches(steps: int) -> list[Batch]:
    ids = torch.randint(1, 9, (steps, 2, 5), generator=torch.Generator().manual_seed(1))
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]).bool()
    return [(row * mask, mask, torch.tensor([0, 2])) for row in ids]


def test_the_classifier_reads_the_state_of_the_last_token() -> None:
    model, (ids, mask, _) = small(), batches(1)[0]
    states = model.body.states(ids, mask)
    wanted = model.head(torch.stack([states[0, 4], states[1, 2]]))
    assert torch.allclose(model(ids, mask), wanted)


def test_rates_rise_and_fall_from_those_of_each_group() -> None:
    model, seen = small(), []

    class Noted(torch.optim.SGD):
        def step(self, closure: object = None) -> None:  # type: ignore[override]
            seen.append([group["lr"] for group in self.param_groups])

    groups = [{"params": model.body.parameters(), "lr": 0.3}, {"params": model.head.parameters()}]
    tune(model, batches(5), Noted(groups, lr=3.0), 2, 0.0)
    assert [body for body, _ in seen] == pytest.approx([0.15, 0.3, 0.3, 0.2, 0.1])
    assert [head for _, head in seen] == pytest.approx([1.5, 3.0, 3.0, 2.0, 1.0])


def test_a_strong_pull_holds_the_body_and_not_the_head() -> None:
    moved = {}
    for pull in (0.0, 20.0):
        model = small()
        body, head = (torch.cat([w.detach().flatten() for w in part.parameters()]).clone()
                      for part in (model.body, model.head))  # fmt: skip
        losses = tune(model, batches(20), torch.optim.SGD(model.parameters(), lr=0.05), 1, pull)
        assert len(losses) == 20
        assert not model.training
        now = [torch.cat([w.detach().flatten() for w in p.parameters()])
               for p in (model.body, model.head)]  # fmt: skip
        moved[pull] = float((now[0] - body).norm()), float((now[1] - head).norm())
    assert moved[20.0][0] < 0.3 * moved[0.0][0]
    assert moved[20.0][1] > 0.5 * moved[0.0][1]


def test_scrambling_keeps_the_numbers_and_loses_the_places() -> None:
    weights = {"a": torch.arange(40.0).view(5, 8), "b": torch.arange(40.0).view(5, 8)}
    mixed = scrambled(weights, torch.Generator().manual_seed(0))
    for name, tensor in mixed.items():
        assert tensor.shape == (5, 8)
        assert torch.equal(tensor.flatten().sort().values, weights[name].flatten())
    assert not torch.equal(mixed["a"], mixed["b"])
    assert torch.equal(weights["a"], torch.arange(40.0).view(5, 8))


def test_a_text_without_tokens_is_refused() -> None:
    mask = torch.tensor([[True, True], [False, False]])
    with pytest.raises(ValueError, match="a text without tokens has no last state"):
        small()(torch.ones(2, 2, dtype=torch.long), mask)
