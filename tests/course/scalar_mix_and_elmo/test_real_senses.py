"""The readers beside ELMo, the marked words of Brown, and what lesson 08 says of the results."""

import numpy as np
import pytest

from course.results.stored import stored_result
from course.scalar_mix_and_elmo.brown_senses import brown_senses, noun_or_verb
from course.scalar_mix_and_elmo.real_senses import (
    _draw_by_draw,
    clues,
    linear_probe,
    random_around,
)
from elmo_mini import corpora
from elmo_mini.probing.probing_tasks import Occurrence


def occurrence(text: str, label: str = "") -> Occurrence:
    words = text.replace("*", "").split()
    place = next(n for n, word in enumerate(text.split()) if word.startswith("*"))
    return Occurrence(tuple(words), place, label, "bank")


def test_random_vectors_are_those_of_three_words_on_either_side() -> None:
    near, far, other = random_around(
        [
            occurrence("a b c d *bank e f g h"),
            occurrence("z b c d *bank e f g x"),
            occurrence("a b c y *bank e f g h"),
        ],
        seed=0,
    )
    assert np.allclose(near, far)
    assert not np.allclose(near, other)


def test_clues_are_words_and_places() -> None:
    found = clues(occurrence("The *bank of the river"))
    assert found.count("the") == 2
    assert {"-1:the", "1:of", "-2:-", "+1+2:of the", "-1+1:the of"} < set(found)
    assert "bank" not in found


def test_a_linear_probe_gives_the_senses_in_the_same_order() -> None:
    known = np.array([[0.0, 1.0], [0.2, 1.1], [3.0, 1.0]])
    likely = linear_probe(known, ["money", "money", "river"], np.array([[0.1, 1.0], [2.9, 1.0]]))
    assert likely[0, 0] - likely[0, 1] > likely[1, 0] - likely[1, 1]
    assert linear_probe(known, ["money"] * 3, known).shape == (3, 1)


def test_a_lead_is_taken_draw_by_draw() -> None:
    ours, theirs = [[1, 0], [1, 1]], [[0, 0], [1, 0]]
    assert _draw_by_draw(ours, theirs).tolist() == [[1, 0], [0, 1]]
    seeds = [*theirs, [1, 0], [1, 0]]  # two seeds of two draws each
    assert _draw_by_draw(ours, seeds).tolist() == [[0.5, 0], [0, 1]]


def test_the_marked_words_of_brown_are_there() -> None:
    try:
        corpora.load("brown")
    except corpora.CorpusMissing:
        pytest.skip("Brown is not here")
    for word, senses in (("bank", {"money": 43, "river": 24}), ("play", {"drama": 56, "game": 11})):
        found = brown_senses(word)
        assert {sense: sum(o.label == sense for o in found) for sense in senses} == senses
        assert {o.form for o in found} <= {word, f"{word}s"}
    assert {o.label for o in noun_or_verb("play")} == {"noun", "verb"}


def test_the_claims_about_brown() -> None:
    numbers = stored_result("real_senses_brown").numbers
    ahead = {name: q["layer 2 ahead of"] for name, q in numbers["questions"].items()}
    grammar, bank, play = (
        ahead[name]
        for name in ("play: noun or verb", "bank: money or river", "the noun play: drama or game")
    )
    controls = {name: lead for name, lead in grammar.items() if name != "layer 1"}
    best = min(controls, key=lambda name: controls[name]["mean"])
    assert best == "layer 0, word before"
    assert round(100 * controls[best]["mean"]) == 6  # "six points behind layer 2; layer 1 is two"
    assert controls[best]["low"] > 0
    assert round(100 * grammar["layer 1"]["mean"]) == 2
    for meaning in (bank, play):
        assert meaning["layer 2, untrained"]["low"] > 0  # "clearly ahead of itself before training"
        around = meaning["random vectors around"]
        assert around["low"] > 0  # "and of random vectors"
        for other in ("layer 0 around, in order", "layer 1"):  # "cannot be told"
            assert meaning[other]["low"] < 0 < meaning[other]["high"]
    ruiz, broadway, edge, works = numbers["shown"]
    for stage, text in zip(("directed", "write a", "Broadway"), ruiz["layer 2"], strict=True):
        assert stage in text  # "finds the theatre next to baseball"
    assert "spectacular [play]" in broadway["layer 2"][1]
    assert all("[bank]" in text for row in (edge, works) for text in row["layer 2"])


def test_the_claims_about_examples() -> None:
    numbers = stored_result("real_senses_examples").numbers
    assert numbers["examples of a word"] == [10, 30, 100, 300, 1000]
    linear, nearest = (numbers["ahead of"][name] for name in ("layer 2, linear", "layer 2"))
    *few, many = linear["naive Bayes"]
    assert all(p["low"] < 0 < p["high"] for p in few)  # "cannot be told apart"
    assert many["high"] < 0
    means = [p["mean"] for p in linear["naive Bayes"]]
    assert means == sorted(means, reverse=True)  # "falls all the way"
    assert round(-100 * many["mean"]) == 3  # "by three points"
    assert all(p["high"] < 0 for p in nearest["naive Bayes"])
    assert round(-100 * nearest["naive Bayes"][-1]["mean"]) == 8  # "eight points behind"
    together = numbers["ahead of"]["naive Bayes with layer 2"]["naive Bayes"]
    assert together[-1]["low"] > 0  # "ahead of naive Bayes alone"
    reading = numbers["ahead of"]["naive Bayes with layer 2"]["naive Bayes with layer 0 around"]
    assert all(p["low"] < 0 < p["high"] for p in reading)  # "at no number of examples"
    in_order = linear["layer 0 around, linear"]
    assert [p["low"] > 0 for p in in_order] == [False, True, True, True, False]  # "from 30 to 300"
    assert {round(100 * p["mean"]) for p in in_order} == {3, 4, 5}  # "three to five points"
