"""Answers, results and kept parts of an earlier release count under the present ids."""

import json
from datetime import datetime
from pathlib import Path

import pytest
import torch

from autograde.checking import catalogue
from autograde.checking.check import check, or_reference
from autograde.checking.mine import mine
from autograde.checking.progress import progress
from autograde.workspace import parts, results
from autograde.workspace.renamed import NEW_ID, every_id, present_id
from elmo_mini.transformer.files import load_causal_lm
from tests.autograde.learners_workspace import at_a_workspace, written

# Cells of lesson 13 as release 0.1.0 had them, with the answers of a learner.
ONLY_BACK = '''
def only_back(mask):
    """(B, T, T): a place may look at the tokens up to itself."""
    places = mask.shape[1]
    back = torch.ones(places, places, dtype=torch.bool).tril()
    return mask[:, None, :] & back
'''
CAUSAL_LM = '''
from torch import nn
from torch.nn import functional


class CausalLM(nn.Module):
    """Words and places, blocks, and a softmax that shares the table of words."""

    def __init__(self, words, dim, heads, layers, longest, block):
        super().__init__()
        self.word, self.place = nn.Embedding(words, dim), nn.Embedding(longest, dim)
        nn.init.normal_(self.word.weight, std=0.02)
        nn.init.normal_(self.place.weight, std=0.02)
        self.norm = nn.LayerNorm(dim)
        self.blocks = nn.ModuleList(block(dim, heads) for _ in range(layers))
        self.bias = nn.Parameter(torch.zeros(words))

    def forward(self, ids, mask=None):
        """Word numbers (B, T) to scores of the next word (B, T, V); no mask: all are tokens."""
        mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        x = self.norm(self.word(ids) + self.place(torch.arange(ids.shape[1])))
        for block in self.blocks:
            x = block(x, mask)
        return x @ self.word.weight.T + self.bias

    def loss(self, ids, mask):
        """Mean of -log p(next word), in nats, over the tokens that have one."""
        scores = self(ids, mask)[:, :-1]
        there = mask[:, 1:]
        return functional.cross_entropy(scores[there], ids[:, 1:][there])
'''


def test_every_old_id_leads_to_an_exercise_and_is_none_itself() -> None:
    for old, new in NEW_ID.items():
        assert new in catalogue.places()
        assert old not in catalogue.places()
        assert catalogue.find(old) is catalogue.find(new)
        assert present_id(old) == new
        assert old in every_id(new)


def test_a_cell_of_an_earlier_release_is_checked_kept_and_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with at_a_workspace(tmp_path, monkeypatch) as workspace:
        answer = written(ONLY_BACK, "only_back", tmp_path / "cell.py", {"torch": torch})
        assert or_reference("only_back", answer) is answer
        score = check("only_back", answer)
        assert score == catalogue.find("causal_mask").points
        assert "Kept for later lessons: `work/my_parts/causal_mask.py`" in score.report.note
        own = mine("only_back")
        assert own is mine("causal_mask")
        mask = torch.tensor([[True, True, False]])
        assert torch.equal(own(mask), answer(mask))
        assert "`causal_mask` is yours" in capsys.readouterr().out
        assert results.results(workspace)["causal_mask"].passed


def test_what_an_earlier_release_kept_is_found_and_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with at_a_workspace(tmp_path, monkeypatch) as workspace:
        text = parts.with_head(
            "only_back", "13_attention", f"import torch\n\n{ONLY_BACK}", datetime.now()
        )
        old = workspace / "my_elmo/only_back.py"
        parts.write(old, text)
        line = results.Entry("only_back", 2, 2, "2026-05-03T10:00:00", parts.digest(text))
        (workspace / results.FILE).write_text(f"{json.dumps(vars(line))}\n")
        assert progress().passed(catalogue.find("causal_mask"))
        own = mine("causal_mask")
        assert own is not catalogue.find("causal_mask").reference
        assert own.__name__ == "only_back"
        assert "`causal_mask` is yours, kept on 3 May" in capsys.readouterr().out
        assert old.exists()


def test_a_network_whose_parts_bear_earlier_names_passes_and_takes_the_courses_weights(
    tmp_path: Path,
) -> None:
    answer = written(CAUSAL_LM, "CausalLM", tmp_path / "cell.py", {"torch": torch})
    assert check("CausalLM", answer) == catalogue.find("CausalLM").points
    own, _ = load_causal_lm(model=answer)
    course, _ = load_causal_lm()
    ids = torch.tensor([[3, 5, 2, 7]])
    torch.testing.assert_close(own(ids), course(ids))
