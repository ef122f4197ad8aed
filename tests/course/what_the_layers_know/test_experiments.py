"""The measuring instrument of the stored neighbours, on cases with known answers."""

import json
from pathlib import Path

import nltk.data
import numpy as np
import pytest

from course.what_the_layers_know import experiments as layer_experiments
from course.what_the_layers_know.experiments import main, same_sense_share
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.probing.tasks import Occurrence, Task
from elmo_mini.text.senses import sense_sentences

PLAY = [s for s in sense_sentences() if s.word == "play"]


@pytest.fixture
def bilm() -> FastBiLM:
    return FastBiLM(BiLMOptions(projection_dim=4, dim=6, filters=((1, 4), (2, 4)), character_dim=3))


def test_the_share_is_that_of_the_five_nearest(
    bilm: FastBiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((len(PLAY), 1, 8)).astype(np.float32)
    monkeypatch.setattr(layer_experiments, "occurrence_vectors", lambda *_, **__: vectors)
    (shares,) = same_sense_share(bilm, PLAY, [1])
    for row, sentence in enumerate(PLAY):
        near = sorted(
            (other for other in range(len(PLAY)) if other != row),
            key=lambda other: (
                -float(
                    vectors[row, 0]
                    @ vectors[other, 0]
                    / np.linalg.norm(vectors[row])
                    / np.linalg.norm(vectors[other])
                )
            ),
        )[:5]
        expected = np.mean([PLAY[other].sense == sentence.sense for other in near])
        assert shares[row] == pytest.approx(expected)


def test_where_all_are_equally_near_the_share_is_chance(
    bilm: FastBiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    same = np.ones((len(PLAY), 1, 8), dtype=np.float32)
    monkeypatch.setattr(layer_experiments, "occurrence_vectors", lambda *_, **__: same)
    (shares,) = same_sense_share(bilm, PLAY, [0])
    for sentence, share in zip(PLAY, shares, strict=True):
        others = sum(s.sense == sentence.sense for s in PLAY) - 1
        assert share == pytest.approx(others / (len(PLAY) - 1))


def test_vectors_that_know_the_sense_get_everything(
    bilm: FastBiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    senses = sorted({s.sense for s in PLAY})
    known = np.eye(8, dtype=np.float32)[[senses.index(s.sense) for s in PLAY]][:, None]
    monkeypatch.setattr(layer_experiments, "occurrence_vectors", lambda *_, **__: known)
    (shares,) = same_sense_share(bilm, PLAY, [2])
    assert shares == pytest.approx(1)


def test_beside_the_senses_of_senseval_stands_the_network_before_training(
    bilm: FastBiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [Occurrence(s.tokens, s.position, s.sense, s.word) for s in PLAY]
    task = Task("senseval", "a small task", tuple(places[::2]), tuple(places[1::2]))
    static = {word: np.ones(2, np.float32) for words in places for word in words.words}
    monkeypatch.setattr(layer_experiments, "load_task", lambda name: task)
    monkeypatch.setattr(layer_experiments, "_static_vectors", lambda: static)
    _, result = layer_experiments.senseval(bilm)
    for layer in ("layer 1", "layer 2"):
        before = result["rows"][f"{layer}, untrained"]["accuracy"]
        gain = result["differences"][f"{layer} less {layer}, untrained"]["mean"]
        assert gain == pytest.approx(result["rows"][layer]["accuracy"] - before, abs=1e-4)
    assert layer_experiments.senseval(bilm)[1] == result  # the same random weights each time


def test_an_unknown_name_is_answered_with_those_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["layers_taste"])
    assert "layers_senseval" in capsys.readouterr().err


def test_without_its_corpus_the_command_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setattr(nltk.data, "path", [])
    assert main(["layers_pos", "--results", str(tmp_path / "results")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("python -m course.what_the_layers_know.experiments: ")
    assert "treebank" in said
    assert "Traceback" not in said
    assert not list(tmp_path.glob("results/*"))
    assert main(["layers_senses", "--model", "nowhere.safetensors"]) == 2
    assert "nowhere.safetensors" in capsys.readouterr().err


def test_without_a_name_all_are_stored_and_another_model_only_printed(
    bilm: FastBiLM,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = sorted(layer_experiments.EXPERIMENTS)
    monkeypatch.setattr(layer_experiments, "load_pretrained", lambda path: bilm)
    for name in names:
        monkeypatch.setitem(
            layer_experiments.EXPERIMENTS, name, lambda module: ("a title", {"vectors": 12})
        )
    assert main(["--model", "other.safetensors", "--results", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("a title") == len(names)
    assert not list(tmp_path.iterdir())
    assert main(["--results", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("stored in") == len(names)
    stored = {path.stem: json.loads(path.read_text("utf-8")) for path in tmp_path.iterdir()}
    assert sorted(stored) == names
    for name, content in stored.items():
        assert content["command"] == f"python -m course.what_the_layers_know.experiments {name}"
        assert content["vectors"] == 12
        assert "seeds" not in content
