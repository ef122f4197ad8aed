"""Embedding a long text goes on after a kill, and gives the same file."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from elmo_mini import VectorCache, embed_file, load_bilm
from elmo_mini.embedding import resuming
from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm import FastBiLM
from tests.elmo_mini import official_files

LINES = [
    f"the bank of number{number % 30} closed {'today ' * (number % 5)}" for number in range(90)
]


class Killed(BaseException):
    """What nothing catches."""


@pytest.fixture
def bilm(tmp_path: Path) -> FastBiLM:
    return load_bilm(*official_files.random_model(tmp_path)[:2])


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "t.txt").write_text("\n".join(LINES) + "\n\n", encoding="utf-8")
    return tmp_path / "t.txt"


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many sentences each run computes; the run stops after `stop[0]` of them."""
    counts: list[int] = []
    real = resuming.embed_stream

    def counting(bilm: FastBiLM, sentences: Any, **settings: Any) -> Iterator[Any]:
        counts.append(0)
        for found in real(bilm, sentences, **settings):
            if counts[-1] == stop[0]:
                raise Killed
            counts[-1] += 1
            yield found

    monkeypatch.setattr(resuming, "embed_stream", counting)
    return counts


stop = [-1]


def run(bilm: FastBiLM, text: Path, target: Path, stop_after: int = -1, **settings: Any) -> None:
    stop[0] = stop_after
    embed_file(bilm, text, target, progress=False, resume=True, **settings)


def arrays(path: Path, number: int) -> list[Any]:
    if path.suffix == ".vectors":
        return list(VectorCache(path))
    with h5py.File(path) as file:
        return [file[str(n)][()] for n in range(number)]


@pytest.mark.parametrize("name", ["v.hdf5", "v.vectors"])
def test_a_run_goes_on_where_it_was_killed(
    bilm: FastBiLM, text: Path, embedded: list[int], tmp_path: Path, name: str
) -> None:
    target, kept = tmp_path / name, tmp_path / f"{name}.resume"
    for stop_after in (40, 0, 20):
        with pytest.raises(Killed):
            run(bilm, text, target, stop_after)
        assert kept.exists()
        assert not target.exists()
    content = kept.read_bytes()
    kept.write_bytes(content[:-7])  # the kill came in the middle of a sentence
    run(bilm, text, target)
    assert embedded == [40, 0, 20, 32]
    assert not kept.exists()
    embed_file(bilm, text, tmp_path / f"whole{target.suffix}", progress=False)
    whole = arrays(tmp_path / f"whole{target.suffix}", 91)
    found = arrays(target, 91)
    assert len(found) == len(whole) == 91
    for first, second in zip(found, whole, strict=True):
        np.testing.assert_allclose(first, second, atol=1e-5)


def test_damaged_records_are_computed_again(
    bilm: FastBiLM, text: Path, embedded: list[int], tmp_path: Path
) -> None:
    target, kept = tmp_path / "v.vectors", tmp_path / "v.vectors.resume"
    with pytest.raises(Killed):
        run(bilm, text, target, 60)
    content = bytearray(kept.read_bytes())
    content[len(content) // 2] ^= 1
    kept.write_bytes(content)
    run(bilm, text, target)
    assert 91 - 60 < embedded[1] < 91
    embed_file(bilm, text, tmp_path / "whole.vectors", progress=False)
    for first, second in zip(
        VectorCache(target), VectorCache(tmp_path / "whole.vectors"), strict=True
    ):
        np.testing.assert_allclose(first, second, atol=1e-5)


@pytest.mark.parametrize("change", ["text", "model"])
def test_what_is_kept_of_another_run_is_not_taken_and_not_lost(
    bilm: FastBiLM, text: Path, embedded: list[int], tmp_path: Path, change: str
) -> None:
    target, kept = tmp_path / "v.vectors", tmp_path / "v.vectors.resume"
    with pytest.raises(Killed):
        run(bilm, text, target, 60)
    content = kept.read_bytes()
    if change == "text":
        text.write_text("\n".join(["another", *LINES]), encoding="utf-8")
    else:
        bilm.layers[0].bias.data += 0.1
    with pytest.raises(FileExistsError, match="of another model or another text"):
        run(bilm, text, target)
    assert kept.read_bytes() == content
    kept.unlink()
    run(bilm, text, target)
    assert embedded[-1] == 91
    assert not kept.exists()


def test_a_file_of_that_name_is_not_lost(bilm: FastBiLM, text: Path, tmp_path: Path) -> None:
    notes = tmp_path / "v.hdf5.resume"
    notes.write_text("mine")
    with pytest.raises(FileExistsError, match=r"v\.hdf5\.resume is there and holds no vectors"):
        run(bilm, text, tmp_path / "v.hdf5")
    assert notes.read_text() == "mine"
    assert not (tmp_path / "v.hdf5").exists()


def test_a_stateful_model_cannot_go_on(bilm: FastBiLM, text: Path, tmp_path: Path) -> None:
    bilm.stateful = True
    with pytest.raises(ConfigurationError, match=r"the model is stateful.* leave resume out"):
        run(bilm, text, tmp_path / "v.hdf5")


def test_a_long_name_can_be_resumed(
    bilm: FastBiLM, text: Path, embedded: list[int], tmp_path: Path
) -> None:
    target = tmp_path / "out" / ("v" * 250 + ".hdf5")
    with pytest.raises(Killed):
        run(bilm, text, target, 40)
    assert [path.suffix for path in target.parent.iterdir()] == [".resume"]
    run(bilm, text, target)
    assert embedded == [40, 51]
    assert list(target.parent.iterdir()) == [target]


def test_the_file_under_way_is_an_ordinary_one(bilm: FastBiLM, text: Path, tmp_path: Path) -> None:
    kept = tmp_path / "v.hdf5.resume"
    kept.mkdir()
    with pytest.raises(IsADirectoryError, match=r"v\.hdf5\.resume is a folder"):
        run(bilm, text, tmp_path / "v.hdf5")


def test_records_under_another_models_head_are_not_taken(
    bilm: FastBiLM, embedded: list[int], text: Path, tmp_path: Path
) -> None:
    """As where two that write one file begin at the same moment."""
    target, other_target = tmp_path / "v.hdf5", tmp_path / "other.hdf5"
    other = copy.deepcopy(bilm)
    other.layers[0].bias.data += 0.1
    for model, begun in ((bilm, target), (other, other_target)):
        with pytest.raises(Killed):
            run(model, text, begun, 60)
    kept, head = tmp_path / "v.hdf5.resume", tmp_path / "other.hdf5.resume"
    kept.write_bytes(
        head.read_bytes().split(b"\n", 1)[0] + b"\n" + kept.read_bytes().split(b"\n", 1)[1]
    )
    run(other, text, target)
    assert embedded[-1] == 91
    embed_file(other, text, tmp_path / "whole.hdf5", progress=False)
    for one, wanted in zip(arrays(target, 91), arrays(tmp_path / "whole.hdf5", 91), strict=True):
        np.testing.assert_allclose(one, wanted, atol=1e-5)


def test_records_have_their_place(
    bilm: FastBiLM, embedded: list[int], text: Path, tmp_path: Path
) -> None:
    """Of two sentences of the same length, the one's numbers do not stand for the other's."""
    target, kept = tmp_path / "v.hdf5", tmp_path / "v.hdf5.resume"
    text.write_text("one two\nthree four\nfive six\n", encoding="utf-8")
    with pytest.raises(Killed):
        run(bilm, text, target, 2)
    head, rest = kept.read_bytes().split(b"\n", 1)
    half = len(rest) // 2
    kept.write_bytes(head + b"\n" + rest[half:] + rest[:half])
    run(bilm, text, target)
    assert embedded == [2, 3]


def test_one_output_is_written_by_one_run_at_a_time(
    bilm: FastBiLM, text: Path, tmp_path: Path, embedded: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    target, said = tmp_path / "v.hdf5", []
    real = resuming.embed_stream

    def meanwhile(*given: Any, **settings: Any) -> Any:
        with pytest.raises(FileExistsError) as refused:
            run(bilm, text, target)
        said.append(str(refused.value))
        return real(*given, **settings)

    monkeypatch.setattr(resuming, "embed_stream", meanwhile)
    run(bilm, text, target)
    assert "v.hdf5.resume just now; wait until it has ended, or name another" in said[0]
    assert len(arrays(target, 91)) == 91
    assert not list(tmp_path.glob("v.hdf5.*"))
