"""What lesson 12 shows: agreement, the planted faults, blanks from one side and from both."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from course.both_sides_at_once import broken_blanks
from course.both_sides_at_once import experiments as both_sides
from course.both_sides_at_once.agreement import (
    agreement,
    hidden_reader,
    linear_reader,
    masked_reader,
    unread_reader,
)
from course.both_sides_at_once.directional_block import block_for
from course.both_sides_at_once.single_blanks import single_blanks
from course.results.intervals import verdict_twice
from course.results.stored import stored_result
from course.texts.small_text import small_text
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.models.masked_lm import MaskedLM, MaskedLMOptions
from elmo_mini.transformer.files import load_masked_lm


@pytest.mark.by_reach("trained again", seconds=6)
def test_a_linear_reader_knows_each_side_and_not_the_two_together() -> None:
    right = linear_reader(load_pretrained())
    assert right["left"] > 0.95
    assert right["right"] > 0.95
    assert 0.4 < right["agree"] < 0.6


@pytest.mark.by_reach("trained again", seconds=6)
def test_a_hidden_layer_joins_the_halves_and_the_masked_model_joins_them_carelessly() -> None:
    assert hidden_reader(load_pretrained())["agree"] > 0.95
    masked = masked_reader(*load_masked_lm())
    assert masked["agree, learnt sentences"] > 0.8
    assert 0.6 < masked["agree"] < 0.75
    assert masked["left"] < 0.9


@pytest.mark.by_reach("trained again", seconds=6)
def test_networks_that_have_read_nothing_join_nothing() -> None:
    unread = unread_reader(*load_masked_lm())
    assert 0.4 < unread["agree"] < 0.6
    assert 0.4 < unread["agree, learnt sentences"] < 0.6


def test_half_of_the_sentences_agree_and_no_noun_is_in_both_parts() -> None:
    learnt, asked = agreement()
    assert learnt.agree.mean() == asked.agree.mean() == 0.5
    assert not {s[1] for s in learnt.sentences} & {s[1] for s in asked.sentences}


@pytest.mark.by_reach("trained again", seconds=6)
def test_planted_faults_show_as_the_lesson_says() -> None:
    text = small_text(600, 60, 300)
    vocabulary = both_sides.masked_vocabulary(text, 300)
    seen = broken_blanks.every_run(text, vocabulary, 90)
    sound = seen["sound"]
    assert seen["A"].training < 0.7 * sound.training
    assert seen["C"].training < 0.7 * sound.training
    assert seen["C"].blanks > sound.blanks + 0.5
    assert abs(seen["A"].blanks - sound.blanks) < 0.5
    assert seen["B"].moved < 1e-4 < sound.moved
    assert seen["A"].own > sound.own + 0.3
    assert max(seen[name].mask for name in ("sound", "A", "B")) < 0.2
    with pytest.raises(KeyError):
        broken_blanks.symptoms("D", 10, lambda seed: iter(()), (), 1)  # type: ignore[arg-type]


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
    assert all(bet.shape == (len(ids), len(vocabulary)) for bet in counts.values())
    three = both_sides.over_groups([0.0, 0.0, 0.0, 1.0, 1.0, 1.0] * 20, np.arange(120) // 3)
    one = both_sides.over_groups([0.0, 0.0, 0.0, 1.0, 1.0, 1.0] * 20, np.arange(120))
    assert three["mean"] == one["mean"] == 0.5
    assert three["high"] - three["low"] > 1.4 * (one["high"] - one["low"])


def test_a_forward_reader_is_asked_for_the_next_word_and_hides_nothing() -> None:
    ids = torch.tensor([[2, 7, 8, 1, 9, 3, 0], [2, 9, 5, 6, 3, 0, 0]])
    inputs, targets = both_sides.next_words(ids)
    assert bool((inputs == ids).all())
    assert targets.tolist() == [[7, 8, -1, 9, -1, -1, -1], [9, 5, 6, -1, -1, -1, -1]]
    page = torch.randint(5, 90, (100, 100), generator=torch.Generator().manual_seed(0))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        _, few = both_sides.next_words(page, 0.15)
    assert 0.13 < (few != -1).double().mean() < 0.17
    assert bool((few == torch.where(few == -1, -1, both_sides.next_words(page)[1])).all())


def test_a_forward_reader_bets_before_the_blank_and_does_not_see_it() -> None:
    text = small_text(300, 40, 200)
    vocabulary = both_sides.masked_vocabulary(text, 200)
    blanks = single_blanks(text, vocabulary, 1)
    options = MaskedLMOptions(len(vocabulary), dim=16, heads=2, layers=1, longest=32)
    model = MaskedLM(options, block_for("left")).eval()
    whole = replace(blanks, rows=blanks.rows.scatter(1, blanks.positions[:, None], 9))
    np.testing.assert_allclose(blanks.nats(model, 1), whole.nats(model, 1), atol=1e-5)
    assert np.abs(blanks.nats(model) - whole.nats(model)).max() > 1e-3


def test_the_command_stores_blanks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, few in (("STEPS", 3), ("SENTENCES", 200), ("HELD_OUT", 30), ("WORDS", 100)):
        monkeypatch.setattr(both_sides, name, few)
    assert both_sides.main(["blanks", "--seeds", "2", "--results", str(tmp_path)]) == 0
    stored = json.loads((tmp_path / "both_sides_blanks.json").read_text(encoding="utf-8"))
    assert set(stored["nats"]) >= {"left", "right", "product", "both", "counts of words"}
    assert set(stored["less_both"]) == set(stored["nats"]) - {"both"}


def test_what_lesson_12_says_of_its_stored_results() -> None:
    blanks = stored_result("both_sides_blanks").numbers["less_both"]
    for name in ("counts of pairs, both sides", "left", "right", "product"):
        assert blanks[name]["over_sentences_and_seeds"]["low"] > 0
    assert blanks["product"]["over_seeds"]["mean"] < 0.2 < blanks["right"]["over_seeds"]["mean"]
    numbers = stored_result("both_sides_blanks").numbers
    twice, other = (
        numbers[name] for name in ("both_twice_as_sure_as_product", "product_twice_as_sure_as_both")
    )
    assert 1 / 6.5 < twice["mean"] < 1 / 5.5  # "one blank of six"
    assert 1 / 7.5 < other["mean"] < 1 / 6.5  # "one of seven"
    leak = stored_result("both_sides_leak").numbers
    assert leak["nats"]["meet, 2 layers"]["high"] < leak["nats"]["never meet"]["low"] - 0.9
    assert leak["nats"]["meet, 2 layers"]["high"] < leak["nats"]["meet, 3 layers"]["low"]
    for name in ("meet, 2 layers", "never meet"):
        assert leak["tags"][name]["high"] < leak["tags"]["untrained"]["low"]
    masked = leak["tags"]["masked"]
    assert masked["low"] < leak["tags"]["untrained"]["mean"] < masked["high"]


def test_what_lesson_12_says_of_the_masked_models_states() -> None:
    senses, tags, known = (
        stored_result(f"masked_layers_{task}").numbers["differences"]
        for task in ("senseval", "pos", "pos_known")
    )
    gap = "masked, layer 3 less biLM, layer 2"
    assert len(senses[gap]["values"]) == 5
    assert verdict_twice(senses[gap]) == "behind"
    for who, top in (("masked", 3), ("biLM", 2)):
        assert verdict_twice(senses[f"{who}, layer {top} less neighbours"]) == "ahead"
        read = senses[f"{who}, layer {top} less {who}, untrained, layer {top}"]
        assert verdict_twice(read) == "ahead"
        assert read["mean"] > 5 * -senses[gap]["mean"]  # "small beside what reading taught"
    assert tags[gap]["high"] < known[gap]["mean"] < known[gap]["high"] < 0
    for task in (tags, known):
        assert verdict_twice(task["biLM, layer 0 less masked, layer 3"]) == "ahead"
        assert verdict_twice(task["masked, layer 3 less masked, layer 0"]) == "ahead"
