"""The experiments of lesson 02: what the command stores and refuses."""

import json
from pathlib import Path
from types import SimpleNamespace

import nltk.data
import pytest

from course.results.stored import stored_result
from course.static_limits import experiments as static
from course.static_limits.experiments import GLOVE, main
from course.static_limits.figures import mixtures, near_less_far
from course.static_limits.senseval_readers import NEAR_LESS_FAR, REACHES
from elmo_mini import corpora
from elmo_mini.word_vectors.word2vec_options import COURSE_EPOCHS


@pytest.mark.by_reach("stored results of 02", seconds=12)
def test_the_command_stores_what_a_lesson_can_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(COURSE_EPOCHS, "lee", 1)
    monkeypatch.setitem(GLOVE, "epochs", 1)
    monkeypatch.setattr(static, "PASSES", (1, 2))
    monkeypatch.setattr(corpora, "course_text", corpora.lee)
    names = ["pseudo-words", "plain-skip-gram"]
    assert main([*names, "--seeds", "2", "--results", str(tmp_path)]) == 0
    assert f"stored in {tmp_path / 'static_pseudo_words.json'}" in capsys.readouterr().out
    result = stored_result("static_pseudo_words", tmp_path)
    assert result.command == "python -m course.static_limits.experiments pseudo-words --seeds 2"
    assert len(result.numbers["pairs"]) == 24
    assert result.numbers["seeds"] == [1, 2]
    assert 0.5 < result.numbers["summary"]["majority"]["mean"] < 1
    plain = stored_result("static_plain_skip_gram", tmp_path)
    assert plain.command == "python -m course.static_limits.experiments plain-skip-gram --seeds 2"
    for other in (result.numbers["GloVe"], *plain.numbers["passes"].values()):
        assert [row["words"] for row in other["pairs"]] == [
            row["words"] for row in result.numbers["pairs"]
        ]
        assert set(other["summary"]) == set(result.numbers["summary"])
    once, twice = (by["pairs"] for by in plain.numbers["passes"].values())
    assert once != twice
    said = mixtures(result.numbers, plain.numbers).description
    for kind in ("skip-gram", "plain loop, 1 pass", "plain loop, 2 passes", "GloVe"):
        assert said.count(f"{kind} ") >= 4
    assert "2 seeds" in said


def test_without_senseval_the_command_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setattr(
        corpora,
        "course_text",
        lambda: SimpleNamespace(name="lee", sentences=lambda lower: iter([["a"]])),
    )
    assert main(["senseval", "--results", str(tmp_path / "results")]) == 2
    assert "senseval" in capsys.readouterr().err
    assert not list(tmp_path.glob("results/*"))


@pytest.mark.parametrize(
    "name", ["static_pseudo_words", "static_plain_skip_gram", "static_senseval", "static_variance"]
)
def test_the_stored_results_are_those_of_brown_with_intervals(name: str) -> None:
    numbers = stored_result(name).numbers
    assert numbers["corpus"] == "brown"
    assert len(numbers["seeds"]) >= 3
    assert "95 %" in numbers["interval"]
    assert '"low"' in json.dumps(numbers)


def test_merged_vectors_are_mixtures_by_share_in_skip_gram_more_closely_than_in_glove() -> None:
    stored = stored_result("static_pseudo_words").numbers
    kinds = {"skip-gram": stored["summary"], "GloVe": stored["GloVe"]["summary"]}
    for of in kinds.values():
        assert of["cosine with its mixture"]["low"] > of["cosine with another pair's"]["high"]
    raw, unit = (
        {kind: of[f"correlation of share and {key}"] for kind, of in kinds.items()}
        for key in ("position", "position, vectors of length 1")
    )
    assert raw["skip-gram"]["low"] > raw["GloVe"]["high"]
    assert raw["GloVe"]["low"] > 0.5
    assert raw["GloVe"]["mean"] > unit["GloVe"]["mean"] > unit["GloVe"]["low"] > 0


def test_every_reader_passes_the_ceiling_and_none_the_bag_of_words() -> None:
    for word in stored_result("static_senseval").numbers["words"].values():
        by = word["words on each side"]["10"]
        assert by["right"]["trained vectors"]["low"] > word["ceiling of its forms"]
        assert by["right"]["bag of words"]["low"] > by["right"]["trained vectors"]["high"]
        assert by["lead of trained vectors"]["random vectors"]["low"] > 0
        for bag in ("bag of words", "bag of the words with vectors"):
            assert by["lead of trained vectors"][bag]["high"] < 0
        assert by["lead of trained vectors"]["the ceiling, as spelt"]["low"] > 0


def test_random_vectors_pass_the_ceiling_for_three_of_the_four_words() -> None:
    words = stored_result("static_senseval").numbers["words"]
    far = {word: by["words on each side"]["10"] for word, by in words.items()}
    ahead = {w: by["lead of random vectors"]["the ceiling, as spelt"] for w, by in far.items()}
    assert [word for word, lead in ahead.items() if lead["low"] > 0] == ["hard", "line", "serve"]


def test_the_plain_loop_needs_three_passes_to_place_them_as_closely() -> None:
    key = "correlation of share and position"
    passes = stored_result("static_plain_skip_gram").numbers["passes"]
    once, thrice = (passes[number]["summary"] for number in ("1", "3"))
    assert thrice[key]["low"] > 0.8
    assert min(once[key]["values"]) < 0.5 < 0.9 < max(once[key]["values"])  # "on the seed"
    for of in (once, thrice):
        assert of["cosine with its mixture"]["low"] > of["cosine with another pair's"]["high"]


def test_the_bag_of_words_beats_both_at_every_reach() -> None:
    for word in stored_result("static_senseval").numbers["words"].values():
        assert list(word["words on each side"]) == [str(reach) for reach in REACHES]
        for by in word["words on each side"].values():
            right = by["right"]
            for bag in ("bag of words", "bag of the words with vectors"):
                assert by["lead of trained vectors"][bag]["high"] < 0
                assert right[bag]["low"] > right["random vectors"]["high"]


def test_how_far_to_look_depends_on_the_word_and_is_drawn() -> None:
    numbers = stored_result("static_senseval").numbers
    next_door = {
        kind: {w: by[NEAR_LESS_FAR][kind] for w, by in numbers["words"].items()}
        for kind in ("trained vectors", "bag of words")
    }
    better = {
        kind: [word for word, lead in found.items() if lead["low"] > 0]
        for kind, found in next_door.items()
    }
    assert better == {"trained vectors": ["hard", "interest"], "bag of words": ["hard"]}
    for kind, found in next_door.items():
        assert all(found[w]["high"] < 0 for w in found if w not in better[kind])
    assert numbers["seeds"] == [1, 2, 3]  # as the lesson says
    said = near_less_far(numbers["words"]).description
    assert all(kind in said for kind in next_door)
