"""What lesson 12 shows: agreement, the planted faults, blanks from one side and from both."""

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from autograde.exercises.both_sides_at_once.corrupt import corrupt
from autograde.exercises.both_sides_at_once.train_blanks import train_blanks
from course.both_sides_at_once import broken_blanks
from course.both_sides_at_once import experiments as both_sides
from course.both_sides_at_once.agreement import agreement
from course.both_sides_at_once.figures import SIDES
from course.results.intervals import verdict_twice
from course.results.stored import stored_result
from course.texts.small_text import small_text


def test_half_of_the_sentences_agree_and_no_noun_is_in_both_parts() -> None:
    learnt, asked = agreement()
    assert learnt.agree.mean() == asked.agree.mean() == 0.5
    assert not {s[1] for s in learnt.sentences} & {s[1] for s in asked.sentences}


class OneBlock(nn.Module):
    """What a planted run needs of a masked model: embeddings, a block, tied scores."""

    def __init__(self, words: int, dim: int = 48) -> None:
        super().__init__()
        self.word, self.position = nn.Embedding(words, dim), nn.Embedding(64, dim)
        for table in (self.word, self.position):
            nn.init.normal_(table.weight, std=0.1)
        self.block = nn.TransformerEncoderLayer(dim, 4, 96, 0.0, batch_first=True)

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        entered = self.word(ids) + self.position.weight[: ids.shape[1]] + 0 * segments[..., None]
        states: Tensor = self.block(entered, src_key_padding_mask=~mask)
        return states

    def scores(self, states: Tensor) -> Tensor:
        return states @ self.word.weight.T


@pytest.mark.by_reach("trained again", seconds=6)
def test_planted_faults_show_as_the_lesson_says() -> None:
    text = small_text(600, 60, 300)
    vocabulary = both_sides.masked_vocabulary(text, 300)
    ids, mask, positions, words = both_sides.one_blank_each(text.held_out, vocabulary)
    told, blanks, shown = {}, {}, {}
    for name in broken_blanks.RUNS:
        torch.manual_seed(0)
        model = OneBlock(len(vocabulary))
        asks = broken_blanks.plant(name, model, lambda ids: corrupt(ids, 300))
        batches = (both_sides.rows_of(some, vocabulary) for some in text.batches(32, 0))
        optimizer = torch.optim.Adam(model.parameters(), 3e-3)
        told[name] = np.mean(train_blanks(model, islice(batches, 150), asks, optimizer)[-20:])
        with torch.no_grad():
            scores = model.scores(model(ids, mask, torch.zeros_like(ids)))
        blanks[name] = cross_entropy(scores[torch.arange(len(ids)), positions], words)
        shown[name] = broken_blanks.symptoms(model, ids, mask, positions)
    assert max(told["A"], told["C"]) < 0.7 * told["sound"]
    assert blanks["C"] > blanks["sound"] + 0.5
    assert abs(blanks["A"] - blanks["sound"]) < 0.7
    assert shown["B"].moved < 1e-4 < shown["sound"].moved
    assert shown["A"].own > shown["sound"].own + 0.1
    with pytest.raises(KeyError):
        broken_blanks.plant("D", OneBlock(10), lambda ids: (ids, ids))


def test_one_blank_stands_at_a_known_word_and_bets_are_chances() -> None:
    text = small_text(300, 40, 200)
    vocabulary = both_sides.masked_vocabulary(text, 200)
    ids, mask, positions, words = both_sides.one_blank_each(text.held_out, vocabulary)
    row = torch.arange(len(ids))
    assert bool((ids[row, positions] == 4).all())
    assert bool((words >= 5).all())
    assert bool(mask[row, positions].all())
    single, following = both_sides.pair_counts(text, vocabulary)
    torch.testing.assert_close(single.exp().sum(), torch.tensor(1.0, dtype=torch.double))
    sums = following.exp().sum(1)
    torch.testing.assert_close(sums, torch.ones_like(sums))
    bets = both_sides.normalised(following[ids[row, positions - 1]])
    assert bool(torch.isinf(bets[:, :5]).all())
    torch.testing.assert_close(bets.exp().sum(1), torch.ones(len(ids), dtype=torch.double))


def test_a_sentence_may_have_several_blanks_and_its_interval_draws_it_whole() -> None:
    text = small_text(300, 40, 200)
    vocabulary = both_sides.masked_vocabulary(text, 200)
    ids, _, positions, words = both_sides.one_blank_each(text.held_out, vocabulary, 3)
    back = ids.scatter(1, positions[:, None], words[:, None]).view(-1, 3, ids.shape[1])
    assert bool((back == back[:, :1]).all())
    counts = both_sides.counting_bets(text, vocabulary, ids, positions)
    assert len(counts) == 3
    assert all(bet.shape == (len(ids), len(vocabulary)) for bet in counts.values())
    three = both_sides.over_groups([0.0, 0.0, 0.0, 1.0, 1.0, 1.0] * 20, np.arange(120) // 3)
    one = both_sides.over_groups([0.0, 0.0, 0.0, 1.0, 1.0, 1.0] * 20, np.arange(120))
    assert three["mean"] == one["mean"] == 0.5
    assert three["high"] - three["low"] > 1.4 * (one["high"] - one["low"])


def test_a_mixture_and_a_product_take_what_is_best_on_their_first_part() -> None:
    words = [torch.tensor([5, 6, 7]), torch.tensor([5, 5, 6])]
    knows = torch.full((3, 8), 0.01).double()
    knows[torch.arange(3), words[0]] = 0.95
    even = torch.full((3, 8), 1 / 3).double()
    parts = [[x.log(), x.roll(1, 0).log()] for x in (knows, even)]
    weighed = both_sides._mixture(parts[0], parts[1], words)
    torch.testing.assert_close(weighed[0], (0.95 * knows + 0.05 * even).log())
    multiplied = both_sides._product(parts[0], parts[1], even[0].log(), words)
    assert float(multiplied[0][torch.arange(3), words[0]].exp().min()) > 0.97
    sums = multiplied[1].exp().sum(1)
    torch.testing.assert_close(sums, torch.ones_like(sums))


def test_the_command_stores_blanks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, few in (("STEPS", 6), ("SENTENCES", 200), ("HELD_OUT", 30), ("WORDS", 100)):
        monkeypatch.setattr(both_sides, name, few)
    assert both_sides.main(["blanks", "--seeds", "2", "--results", str(tmp_path)]) == 0
    stored = json.loads((tmp_path / "both_sides_blanks.json").read_text(encoding="utf-8"))
    product = "product of language models"
    assert set(stored["nats"]) >= set(SIDES)
    found = stored["differences"][f"both less {product}"]
    means = (stored["nats"][name]["mean"] for name in ("both", product))
    assert found["mean"] == pytest.approx(next(means) - next(means))
    assert len(found["values"]) == 2


LEVEL = (
    "product, asked at blanks less both",
    "two of both less product of language models",
    "both and counts less product of language models and counts",
    "two of both and counts less product of language models and counts",
)


def test_what_lesson_12_says_of_its_stored_results() -> None:
    gains = stored_result("both_sides_blanks").numbers["differences"]
    for name, found in gains.items():
        assert len(found["values"]) == 5
        assert (found["low"] > 0) == (name not in LEVEL), name
        assert name not in LEVEL or found["high"] > 0
    product = gains["both less product of language models"]
    assert gains["right less both"]["mean"] > 5 * product["mean"] > 0
    leak = stored_result("both_sides_leak").numbers
    assert leak["nats"]["meet, 2 layers"]["high"] < leak["nats"]["never meet"]["low"] - 0.9
    assert leak["nats"]["meet, 2 layers"]["high"] < leak["nats"]["meet, 3 layers"]["low"]
    for name in ("meet, 2 layers", "never meet"):
        assert leak["tags"][name]["high"] < leak["tags"]["untrained"]["low"]
    masked = leak["tags"]["masked"]
    assert masked["low"] < leak["tags"]["untrained"]["mean"] < masked["high"]


def test_what_lesson_12_says_of_the_masked_models_states() -> None:
    tags, known = (
        stored_result(f"masked_layers_{task}").numbers["differences"]
        for task in ("pos", "pos_known")
    )
    gap = "masked, layer 3 less biLM, layer 2"
    assert len(known[gap]["values"]) == 5
    assert tags[gap]["high"] < known[gap]["mean"] < known[gap]["high"] < 0
    for task in (tags, known):
        assert verdict_twice(task["biLM, layer 0 less masked, layer 3"]) == "ahead"
        assert verdict_twice(task["masked, layer 3 less masked, layer 0"]) == "ahead"
