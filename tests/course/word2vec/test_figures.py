"""The pictures of lesson 01 say in words what was counted, drawn and measured."""

import numpy as np

from course.results.stored import stored_result
from course.word2vec import figures as skip_gram
from elmo_mini.models.skip_gram import keep_probability, noise_distribution

SENTENCES = [["the", "school", "board", "met"], ["a", "board", "of", "the", "school", "board"]]


def test_company_is_counted_once_a_place_and_on_both_sides() -> None:
    said = skip_gram.company(SENTENCES, "school", ["the"]).description
    assert "times: board 2, met 1, of 1." in said


def test_noise_is_drawn_for_four_powers() -> None:
    said = skip_gram.noise(noise_distribution, np.array([8, 4, 2, 2])).description
    assert "power 0: all alike stays level from 0.25 at 1" in said
    assert "power 1: as in the text falls from 0.5 at 1" in said


def test_a_score_of_0_costs_log_2_either_way() -> None:
    said = skip_gram.costs().description
    assert "true pair falls from 12 at -12" in said
    assert "noise rises" in said


def test_runs_are_drawn_in_means_and_cut_off_above() -> None:
    learnt = skip_gram.learning([4.0] * 50 + [2.0] * 60, 1000, 5).description
    assert "loss falls from 4 at 50 to 2 at 100" in learnt
    assert "nothing learnt: 6 log 2 stays level from 4.16" in learnt
    said = skip_gram.runs({"A": np.array([4.0, 2.0] * 10), "B": np.full(20, np.inf)}).description
    assert "A stays level from 3 at 2" in said
    assert "B stays level from 9 at 2" in said


def test_scores_on_the_diagonal_correlate() -> None:
    target = np.arange(9.0).reshape(3, 3)
    assert "correlation 1.00" in skip_gram.optimum(target, {"all": 2 * target}, 5).description


def test_the_title_of_runs_names_what_their_losses_do() -> None:
    losses = {"A": np.full(20, 2.0), "B": np.full(20, np.inf), "C": np.full(20, 3.0)}
    assert "Line chart, B leaves the figure; A ends lowest." in skip_gram.runs(losses).description
    del losses["B"]
    assert "Line chart, A ends lowest." in skip_gram.runs(losses).description


def test_words_are_marked_at_their_frequencies() -> None:
    assert "marks board at 0.3" in skip_gram.kept(keep_probability, {"board": 0.3}).description


def test_the_title_says_what_the_network_adds_to_its_rival() -> None:
    low, high = np.tile([0.2, 0.4], 40), np.tile([0.6, 0.4], 40)
    for network, rival, said in (
        (high, low, "is ahead of its best rival: +20.0"),
        (low, high, "is behind its best rival: -20.0"),
        (low, low, "is not clearly apart from its best rival: +0.0"),
    ):
        found = {"network: one": network, "counts: one": rival, "both: all": high}
        shown = skip_gram.kinds(found, low, "network: one", "counts: one").description
        assert said in shown
        assert "random vectors at 30" in shown


def test_the_tuned_rivals_are_titled_by_their_leads() -> None:
    numbers = stored_result("word2vec_against_counts").numbers
    leads = {
        label: numbers["measures"][key]["less counts"]["skip-gram"]
        for label, key in skip_gram.MEASURES.items()
    }
    said = skip_gram.rivals(numbers).description
    for label, lead in leads.items():
        if lead["low"] > 0:
            assert f"ahead in {label}" in said
        if lead["high"] < 0:
            assert f"behind in {label}" in said
    if all(lead["low"] <= 0 <= lead["high"] for lead in leads.values()):
        assert "the network is not clearly apart from counts" in said
