"""The biLM that reads on: what is trained moves, what is frozen does not."""

import torch

from course.what_the_layers_know.task_text import Speaking, perplexity, read_on

SENTENCES = [["The", "old", "man", "said", "no", "."], ["Prices", "rose", "."]]


def test_one_pass_moves_what_it_may() -> None:
    before = Speaking()
    alone, whole = (read_on(SENTENCES * 8, 1, frozen=frozen) for frozen in (True, False))
    for name, weight in before.bilm.state_dict().items():
        assert torch.equal(alone.bilm.state_dict()[name], weight)
    moved = [
        not torch.equal(one, other)
        for one, other in zip(before.bilm.parameters(), whole.bilm.parameters(), strict=True)
    ]
    assert all(moved)
    start, after, further = (perplexity(m, SENTENCES) for m in (before, alone, whole))
    assert further < after < start
