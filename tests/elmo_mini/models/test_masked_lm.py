"""The masked language model, its file, its loop and its blocks that see one side."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from course.both_sides_at_once.directional_block import block_for
from course.both_sides_at_once.fill import fill
from elmo_mini.checkpoints.safetensors_file import CheckpointDamaged, write_checkpoint
from elmo_mini.errors import ConfigurationError
from elmo_mini.models.masked_lm import (
    IGNORED,
    SMALL,
    SPECIALS,
    UNKNOWN,
    MaskedLM,
    MaskedLMOptions,
    TorchBlock,
    corrupt,
    masked_lm_loss,
    sinusoidal_positions,
)
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.files import load_masked_lm, save_masked_lm
from elmo_mini.transformer.heads import SentenceHead, SpanHead, TaggingHead, best_span
from elmo_mini.transformer.masked_lm_training import rate, train_masked_lm

WORDS = [*SPECIALS, "the", "dog", "barks", "at", "cat"]


def model_of(words: int = len(WORDS), side: str = "both") -> MaskedLM:
    torch.manual_seed(0)
    options = MaskedLMOptions(words, dim=16, heads=2, layers=2, longest=8)
    return MaskedLM(options, block_for(side)).eval()  # type: ignore[arg-type]


def page() -> tuple[Tensor, Tensor]:
    ids = torch.tensor([[2, 5, 6, 7, 3], [2, 9, 3, 0, 0]])
    return ids, ids > 0


def test_padding_changes_no_state() -> None:
    model, (ids, mask) = model_of(), page()
    with torch.no_grad():
        beside, alone = model(ids, mask)[1, :3], model(ids[1:, :3], mask[1:, :3])[0]
    torch.testing.assert_close(beside, alone, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("side", "before", "after"), [("left", 1, 0), ("right", 0, 1)])
def test_a_directional_state_reads_its_side_alone(side: str, before: int, after: int) -> None:
    model, (ids, mask) = model_of(side=side), page()
    moved = []
    for position in (1, 3):
        other = ids.clone()
        other[0, position] = 9
        with torch.no_grad():
            moved.append(bool((model(ids, mask)[0, 2] != model(other, mask)[0, 2]).any()))
    assert moved == [bool(before), bool(after)]


def test_positions_and_segments_matter() -> None:
    model, (ids, mask) = model_of(), page()
    with torch.no_grad():
        plain = model(ids, mask)
        turned = model(ids[:, [0, 2, 1, 3, 4]], mask)
        other = model(ids, mask, torch.ones_like(ids))
    assert not torch.allclose(plain[0, 3], turned[0, 3])
    assert not torch.allclose(plain, other)


def test_the_loss_asks_at_chosen_places_alone() -> None:
    model, (ids, mask) = model_of(), page()
    targets = torch.full_like(ids, IGNORED)
    targets[0, 2] = 6
    own = -model.scores(model(ids, mask))[0, 2].log_softmax(-1)[6]
    torch.testing.assert_close(masked_lm_loss(model, ids, targets, mask), own)
    with pytest.raises(ValueError, match="no position is asked for"):
        masked_lm_loss(model, ids, torch.full_like(ids, IGNORED), mask)


def test_any_block_will_do_and_too_long_a_text_is_refused() -> None:
    class Still(nn.Module):
        def __init__(self, dim: int, heads: int) -> None:
            super().__init__()

        def forward(self, x: Tensor, mask: Tensor) -> Tensor:
            return x

    model = MaskedLM(MaskedLMOptions(10, 4, 2, 3, 4), Still)
    assert len(model.layers(torch.tensor([[2, 3]]), torch.ones(1, 2, dtype=torch.bool))) == 4
    with pytest.raises(ValueError, match="4 positions"):
        model(torch.zeros(1, 5, dtype=torch.long), torch.ones(1, 5, dtype=torch.bool))
    with pytest.raises(ValueError, match="3 heads"):
        MaskedLMOptions(10, 4, 3)
    with pytest.raises(ValueError, match="layers is 0"):
        MaskedLMOptions(10, layers=0)


def test_a_file_gives_the_model_back(tmp_path: Path) -> None:
    model, (ids, mask) = model_of(), page()
    vocabulary = Vocabulary(WORDS, range(len(WORDS)), unknown=UNKNOWN)
    save_masked_lm(model, vocabulary, tmp_path / "m.safetensors", {"step": 3})
    with pytest.raises(ConfigurationError, match=r"dtype is torch.int8; weights are stored as"):
        save_masked_lm(model, vocabulary, tmp_path / "m.safetensors", dtype=torch.int8)
    again, words = load_masked_lm(tmp_path / "m.safetensors")
    assert words == vocabulary
    torch.testing.assert_close(again(ids, mask), model(ids, mask))
    with pytest.raises(ConfigurationError, match="vocabulary"):
        save_masked_lm(model, Vocabulary(["a"]), tmp_path / "n.safetensors")
    write_checkpoint(tmp_path / "other.safetensors", {}, {"step": 1})
    with pytest.raises(CheckpointDamaged, match="no masked language model"):
        load_masked_lm(tmp_path / "other.safetensors")


def test_the_loop_learns_one_sentence_and_fills_its_blank() -> None:
    model, vocabulary = model_of(), Vocabulary(WORDS, unknown=UNKNOWN)
    ids, mask = page()
    inputs, targets = ids.clone(), torch.full_like(ids, IGNORED)
    inputs[0, 2], targets[0, 2] = 4, 6
    losses = train_masked_lm(
        model, iter([(inputs, targets, mask, None)] * 40), 40, learning_rate=1e-2
    )
    assert losses[-1] < 0.3 * losses[0]
    assert fill(model, vocabulary, "The [MASK] barks", 2)[0].words[0] == "dog"
    with pytest.raises(ValueError, match="no blank"):
        fill(model, vocabulary, "the dog")
    with pytest.raises(ValueError, match="there were 1"):
        train_masked_lm(model, [(inputs, targets, mask, None)], 2)
    with pytest.raises(ValueError, match="steps is 0"):
        train_masked_lm(model, [], 0)
    with pytest.raises(ValueError, match="learning_rate is -1"):
        train_masked_lm(model, [], 1, learning_rate=-1)


def test_the_rate_rises_and_falls_to_zero() -> None:
    rates = [rate(step, 100) for step in range(100)]
    assert rates[0] == pytest.approx(0.1)
    assert max(rates) == rates[10] == 1.0
    assert rates[-1] == pytest.approx(1 / 90)


def test_heads_have_a_score_for_each_label() -> None:
    states = torch.randn(2, 5, 16)
    segments = torch.tensor([[0, 0, 0, 1, 1]] * 2)
    assert SentenceHead(16, 3)(states).shape == (2, 3)
    assert TaggingHead(16, 4)(states).shape == (2, 5, 4)
    start, end = SpanHead(16)(states, segments)
    assert torch.isinf(start[:, :3]).all()
    assert torch.isfinite(end[:, 3:]).all()
    first, last = best_span(start[0], end[0])
    assert 3 <= first <= last <= 4


def test_the_best_span_does_not_end_before_it_begins() -> None:
    assert best_span(torch.tensor([0.0, 0.0, 5.0]), torch.tensor([9.0, 0.0, 1.0])) == (0, 0)
    assert best_span(torch.tensor([0.0, 3.0, 0.0]), torch.tensor([0.0, 0.0, 2.0])) == (1, 2)
    with pytest.raises(ValueError, match="no position"):
        best_span(torch.full((2,), -torch.inf), torch.zeros(2))


def test_torch_block_leaves_nothing_to_chance() -> None:
    block = TorchBlock(8, 2).train()
    x, mask = torch.randn(1, 4, 8), torch.ones(1, 4, dtype=torch.bool)
    torch.testing.assert_close(block(x, mask), block(x, mask))


def test_corruption_has_its_shares() -> None:
    ids = torch.randint(5, 500, (400, 200), generator=torch.Generator().manual_seed(1))
    ids[:, 0], ids[:, -1] = 2, 0
    inputs, targets = corrupt(ids, 500, torch.Generator().manual_seed(0))
    chosen = targets != IGNORED
    assert float(chosen[:, 1:-1].double().mean()) == pytest.approx(0.15, abs=0.01)
    assert not chosen[:, [0, -1]].any()
    assert bool((inputs == ids)[~chosen].all())
    assert bool((targets == ids)[chosen].all())
    assert float((inputs == 4)[chosen].double().mean()) == pytest.approx(0.8, abs=0.02)
    assert float((inputs == ids)[chosen].double().mean()) == pytest.approx(0.1, abs=0.02)
    assert int(inputs[chosen].min()) == 4


def test_positions_begin_sinusoidal_and_turn_alike_everywhere() -> None:
    found = sinusoidal_positions(30, 16)
    steps = (found[1:] * found[:-1]).sum(1)
    torch.testing.assert_close(steps, steps[:1].expand(29))
    apart = (found[:1] * found).sum(1)
    assert bool((apart[0] > apart[1:]).all())
    assert sinusoidal_positions(5, 7).shape == (5, 7)
    model = model_of()
    torch.testing.assert_close(
        model.position_embedding.weight, sinusoidal_positions(8, 16) * SMALL * 2**0.5
    )
