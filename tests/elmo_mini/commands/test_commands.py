"""The commands as a reader meets them: help that can be read, errors in one sentence."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from course.results.stored import stored_result
from elmo_mini.__main__ import COMMANDS, main
from elmo_mini.embedding.cache import VectorCache
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec
from tests.elmo_mini import official_files

OURS = ("embed", "neighbours", "probe")


@pytest.fixture
def model(tmp_path: Path) -> list[str]:
    folder = tmp_path / "model"
    folder.mkdir()
    files = official_files.random_model(folder, scale=2.0)
    return ["--model", str(files.options_file), "--weights", str(files.weight_file)]


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("They play outside .\nA play in two acts .\nHe plays well .\n" * 4)
    return path


def help_of(*command: str, capsys: pytest.CaptureFixture[str], columns: int = 96) -> str:
    with pytest.raises(SystemExit) as left:
        main([*command, "--help"])
    assert left.value.code == 0
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "96")


def test_help_lists_every_command_with_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    shown = help_of(capsys=capsys)
    for name, (_, summary) in COMMANDS.items():
        assert name in shown
        assert " ".join(summary.split()) in " ".join(shown.split())
    assert set(OURS) <= set(COMMANDS)


@pytest.mark.parametrize("command", OURS)
def test_help_fits_the_screen_and_explains_every_option(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = help_of(command, capsys=capsys)
    assert max(map(len, shown.splitlines())) <= 96
    assert len(shown.splitlines()) <= 75
    assert "example:" in shown
    lines = shown[shown.index("positional arguments:") :].splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("  -"):
            same_line = len(line.strip().split("  ")) > 1
            assert same_line or after.startswith(" " * 20), f"{line!r} is not explained"


@pytest.mark.parametrize("command", OURS)
def test_the_example_in_the_help_is_understood(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = help_of(command, capsys=capsys)
    example = shown[shown.index("example:") + 8 :].replace("\\\n", " ")
    words = shlex.split(example)
    assert words[:4] == ["python", "-m", "elmo_mini", command]
    seen = []
    monkeypatch.setattr(f"{COMMANDS[command][0]}.run", seen.append)
    assert main(words[3:]) == 0
    assert len(seen) == 1


def complaint(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith(f"python -m elmo_mini {arguments[0]}: ")
    assert shown.err.count("\n") == 1
    assert "Traceback" not in shown.err
    return shown.err


def test_errors_are_one_sentence(
    model: list[str], text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out.hdf5")
    nowhere = str(tmp_path / "nowhere")
    blank = str(tmp_path / "blank.txt")
    Path(blank).write_text("\n \n")
    for arguments, words in (
        (["embed", nowhere, out, *model], "there is no text file"),
        (["embed", str(text), out, "--model", nowhere], "there is no model"),
        (["embed", str(text), "out.npz", *model], "names no format"),
        (["embed", str(text), blank, *model, "--format", "hdf5"], "is there already"),
        (["embed", str(text), nowhere, *model], "or .vectors (a cache)"),
        (["embed", str(text), nowhere + ".vectors", *model, "--stateful"], "the model is stateful"),
        (["embed", str(text), out, *model, "--warm-up", nowhere], "there is no text file"),
        (["embed", str(text), out, *model, "--warm-up", blank], "holds no word"),
        (["neighbours", "A play.", "bank", *model], "'bank' is no word of the sentence"),
        (["neighbours", "A play.", "play", "--occurrence", "2", *model], "stands there 1 times"),
        (["neighbours", "A play.", "play", "--cache", nowhere, *model], "no vector cache"),
        (["neighbours", "A play.", "play", "--corpus", "latin", *model], "no corpus 'latin'"),
        (["neighbours", "A play.", "play", "--text", nowhere, *model], "There is no file"),
        (["neighbours", "A play.", "play", "--layers", "9", *model], "no layer 9"),
        (["probe", "ner", *model], "no task 'ner'"),
        (["probe", "senses", "--layers", "5", *model], "no layer 5"),
        (["probe", "senses", "--static", nowhere, *model], "there is no file"),
        (["probe", "senses", "--weights", model[3]], "need the options file"),
    ):
        assert words in complaint(arguments, capsys)


def test_a_missing_corpus_is_named_with_the_way_out(
    model: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from elmo_mini import corpora

    def missing(name: str) -> corpora.Corpus:
        raise corpora.CorpusMissing(f"{name} is not here; fetch it with ...")

    monkeypatch.setattr(corpora, "load", missing)
    assert "senseval is not here" in complaint(["probe", "senseval", *model], capsys)
    ask = ["neighbours", "A play.", "play", "--corpus", "brown", *model]
    assert "brown is not here" in complaint(ask, capsys)


def test_embed(
    model: list[str], text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.h5"
    assert main(["embed", str(text), str(target), *model, "--layers", "top"]) == 0
    shown = capsys.readouterr()
    assert "12 sentences, 56 tokens" in shown.out
    with h5py.File(target, "r") as file:
        assert file["1"].shape == (6, 12)
    assert (
        main(["embed", str(text), str(tmp_path / "c.vectors"), *model, "--dtype", "float16"]) == 0
    )
    cache = VectorCache(tmp_path / "c.vectors")
    assert (len(cache), cache.manifest["dtype"]) == (12, "float16")


def test_embed_after_a_warm_up(model: list[str], text: Path, tmp_path: Path) -> None:
    earlier = [["She", "wrote", "a", "play", "."], ["Nobody", "came", "."]]
    (tmp_path / "earlier.txt").write_text("She wrote a play .\n\nNobody came .\n")
    warm = ["--warm-up", str(tmp_path / "earlier.txt")]
    assert main(["embed", str(text), str(tmp_path / "cold.hdf5"), *model]) == 0
    assert main(["embed", str(text), str(tmp_path / "warm.hdf5"), *model, *warm]) == 0
    assert main(["embed", str(text), str(tmp_path / "cache.vectors"), *model, *warm]) == 0
    embedder = ElmoEmbedder(model[1], model[3], warm_up=earlier)
    expected = embedder.embed_sentence(["A", "play", "in", "two", "acts", "."])
    with h5py.File(tmp_path / "warm.hdf5") as file:
        np.testing.assert_allclose(file["1"], expected, rtol=0, atol=1e-6)
        np.testing.assert_allclose(file["4"], file["1"], rtol=0, atol=1e-6)  # the same line again
    with h5py.File(tmp_path / "cold.hdf5") as file:
        assert np.abs(file["1"] - expected)[1:].max() > 1e-3
    np.testing.assert_allclose(
        VectorCache(tmp_path / "cache.vectors")[1], expected, rtol=0, atol=1e-6
    )


def test_neighbours(
    model: list[str], text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["embed", str(text), str(tmp_path / "cache.vectors"), *model]) == 0
    ask = ["neighbours", "We saw a play there.", "play", *model, "--top", "2"]
    for where in (["--text", str(text)], ["--cache", str(tmp_path / "cache.vectors")]):
        capsys.readouterr()
        assert main([*ask, *where, "--forms", "play", "plays", "--layers", "0", "2"]) == 0
        shown = capsys.readouterr().out
        assert "Nearest to: We saw a [play] there ." in shown
        assert "layer 0 (no context)" in shown
        blocks = shown.split("layer 2\n")
        assert len(blocks[1].strip().splitlines()) == 2
        assert "[play" in blocks[1]
    assert main([*ask, "--text", str(text), "--forms", "zebra"]) == 0
    assert "no such word in another sentence of this text" in capsys.readouterr().out
    text.write_text("We saw a play there .\n" * 2, "utf-8")  # copies of the sentence are left out
    assert main([*ask, "--text", str(text), "--one-sentence-per-line"]) == 0
    assert "no such word in another sentence of this text" in capsys.readouterr().out


def test_neighbours_in_a_text_of_lines(
    model: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "titles.txt").write_text("a play of hers\nthey play at home", "utf-8")
    ask = ["neighbours", "We saw a play.", "play", *model, "--one-sentence-per-line"]
    assert main([*ask, "--text", str(tmp_path / "titles.txt"), "--layers", "0"]) == 0
    shown = capsys.readouterr().out
    assert shown.rstrip().endswith(("a [play] of hers", "they [play] at home"))
    assert main([*ask, "--corpus", "lee"]) == 2
    assert "name one with --text FILE" in capsys.readouterr().err


def test_probe_and_its_stored_result(
    model: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    static = Word2Vec([["the", "bank", "was"]] * 9, vector_size=4, min_count=1)
    static.save(tmp_path / "static.safetensors")
    command = ["probe", "senses", *model, "--layers", "0", "1", "--train-size", "9"]
    command += ["--static", str(tmp_path / "static.safetensors"), "--draws", "2"]
    assert main([*command, "--output", str(tmp_path / "senses.json")]) == 0
    shown = capsys.readouterr().out
    assert "senses of 28 English words" in shown
    for row in ("majority", "static vector", "mean of static vectors", "layer 0", "layer 1"):
        assert f"\n  {row}" in shown
    stored = stored_result("senses", tmp_path)
    assert stored.numbers["rows"]["layer 1"]["by_word"].keys() >= {"bank", "play"}
    assert str(tmp_path) not in json.dumps(stored.numbers) + str(stored)
    assert stored.command == (
        "python -m elmo_mini probe senses --model options.json --weights weights.hdf5 "
        "--static static.safetensors --layers 0 1 --train-size 9 --draws 2"
    )


def test_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "elmo_mini", "embed", "nowhere.txt", "out", "--model", "nowhere"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "python -m elmo_mini embed: there is no model nowhere\n"


def test_a_result_is_shown_though_it_cannot_be_stored(
    model: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "x.json")

    monkeypatch.setattr("elmo_mini.commands.probe.write_record", full)
    command = ["probe", "senses", *model, "--layers", "0", "--train-size", "9", "--draws", "1"]
    assert main([*command, f"--output={tmp_path / 'x.json'}"]) == 2
    shown = capsys.readouterr()
    assert "x.json cannot be used: no space left" in shown.err
    assert "\n  layer 0" in shown.out


def test_the_text_is_named_that_neighbours_are_of(
    model: list[str], text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = ["neighbours", "We saw a play there.", "play", *model]
    assert main([*ask, "--text", str(text)]) == 0
    assert f"in {text}" in capsys.readouterr().out
    assert main([*ask, "--corpus", "lee"]) == 0
    assert "in lee" in capsys.readouterr().out
