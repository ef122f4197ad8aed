"""Each planted fault shows what lesson 13 says it shows."""

import torch

from course.attention import broken_attention as broken
from elmo_mini.models.fine_tuning import CausalLM

WORDS, IDS = 30, torch.arange(3, 11)


def model_with(fault: str) -> CausalLM:
    torch.manual_seed(0)
    return CausalLM(WORDS, 64, longest=8, block=broken.faulty_block(fault)).eval()


@torch.no_grad()
def reach(model: CausalLM) -> torch.Tensor:
    """Row s: at which positions the scores move when word s is another; as the lesson has it."""
    texts = IDS.repeat(1 + len(IDS), 1)
    texts[1:].fill_diagonal_(20)
    scores = model(texts)
    return (scores[1:] - scores[0]).abs().amax(-1) > 1e-4


def seen(fault: str) -> tuple[int, int, float, float]:
    """States that move and may, that move and must not; largest weight and sum of a row."""
    model, ids = model_with(fault), IDS[None]
    table = reach(model)
    may = torch.ones(8, 8).triu().bool()
    first = broken.first_weights(model, ids, torch.ones_like(ids, dtype=torch.bool))
    return int((table & may).sum()), int((table & ~may).sum()), *first


def test_a_sound_model_moves_all_it_may_and_nothing_else() -> None:
    moved, leaked, _, total = seen("")
    assert (moved, leaked) == (36, 0)
    assert abs(total - 1) < 1e-4


def test_heads_cut_with_reshape_have_holes() -> None:
    moved, leaked, _, _ = seen(broken.STRETCHES)
    assert moved < 20
    assert leaked == 0


def test_closing_too_late_leaks_and_rows_do_not_add_up() -> None:
    _, leaked, _, total = seen(broken.LATE)
    assert leaked > 20
    assert total < 0.8


def test_both_sides_leak_and_rows_add_up() -> None:
    _, leaked, _, total = seen(broken.AHEAD)
    assert leaked == 28
    assert abs(total - 1) < 1e-4


def test_undivided_scores_are_sharp_from_the_start() -> None:
    moved, leaked, largest, _ = seen(broken.LARGE)
    assert leaked == 0
    assert moved > 20
    assert largest > 1.3 * seen("")[2]


def test_the_planted_runs_have_the_faults_that_the_exercise_asks_for() -> None:
    for name, fault in broken.RUNS.items():
        block = broken.broken_lm(name, WORDS, 16, 8).blocks[0]
        assert block.attention.fault == fault
