"""The experiments of lesson 02: what the command stores and refuses."""

import json
from pathlib import Path
from types import SimpleNamespace

import nltk.data
import pytest

from elmo_mini import corpora
from elmo_mini.experiments.static import GLOVE, main
from elmo_mini.results.stored import stored_result
from elmo_mini.word_vectors.word2vec_options import COURSE_EPOCHS


def test_the_command_stores_what_a_lesson_can_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(COURSE_EPOCHS, "lee", 1)
    monkeypatch.setitem(GLOVE, "epochs", 1)
    monkeypatch.setattr(corpora, "course_text", corpora.lee)
    assert main(["pseudo-words", "--seeds", "2", "--results", str(tmp_path)]) == 0
    assert f"stored in {tmp_path / 'static_pseudo_words.json'}" in capsys.readouterr().out
    result = stored_result("static_pseudo_words", tmp_path)
    assert result.command == "python -m elmo_mini.experiments.static pseudo-words --seeds 2"
    assert len(result.numbers["pairs"]) == 24
    assert result.numbers["seeds"] == [1, 2]
    assert 0.5 < result.numbers["summary"]["majority"]["mean"] < 1
    counted = result.numbers["GloVe"]
    assert [row["words"] for row in counted["pairs"]] == [
        row["words"] for row in result.numbers["pairs"]
    ]
    assert set(counted["summary"]) == set(result.numbers["summary"])


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


@pytest.mark.parametrize("name", ["static_pseudo_words", "static_senseval", "static_variance"])
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
    for by in stored_result("static_senseval").numbers["words"].values():
        assert by["right"]["trained vectors"]["low"] > by["ceiling of its forms"]
        assert by["right"]["bag of words"]["low"] > by["right"]["trained vectors"]["high"]
        assert by["lead of trained vectors"]["random vectors"]["low"] > 0
        for bag in ("bag of words", "bag of the words with vectors"):
            assert by["lead of trained vectors"][bag]["high"] < 0
        assert by["lead of trained vectors"]["the ceiling, as spelt"]["low"] > 0


def test_random_vectors_pass_the_ceiling_for_three_of_the_four_words() -> None:
    words = stored_result("static_senseval").numbers["words"]
    ahead = {w: by["lead of random vectors"]["the ceiling, as spelt"] for w, by in words.items()}
    assert [word for word, lead in ahead.items() if lead["low"] > 0] == ["hard", "line", "serve"]
