"""A text file to HDF5, safetensors or a cache, with the words of AllenNLP's command."""

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from safetensors import safe_open

from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.embedding import stream
from elmo_mini.embedding.cache import VectorCache, write_cache
from elmo_mini.embedding.embed_file import Layers, embed_file
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.fast.bilm import FastBiLM
from tests.elmo_mini import official_files, published_model

LINES = ["The bank was steep .", "", "  Banks lend money\t. ", "The bank was steep .", "Café !"]


@pytest.fixture
def bilm(tmp_path: Path) -> FastBiLM:
    files = official_files.random_model(tmp_path)
    return load_bilm(files.options_file, files.weight_file)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def expected(bilm: FastBiLM) -> list[np.ndarray]:
    return [ElmoEmbedder(module=bilm).embed_sentence(line.split()) for line in LINES]


@pytest.mark.parametrize("layers", ["all", "top", "average"])
def test_hdf5_has_the_names_and_shapes_of_allennlp(
    bilm: FastBiLM, text: Path, tmp_path: Path, layers: Layers
) -> None:
    target = tmp_path / "out" / "vectors.hdf5"
    written = embed_file(bilm, text, target, layers=layers, progress=False)
    assert (written.sentences, written.tokens, written.nbytes) == (5, 16, target.stat().st_size)
    with h5py.File(target, "r") as file:
        assert set(file) == {"0", "1", "2", "3", "4", "sentence_to_index"}
        assert file["sentence_to_index"].shape == (1,)
        assert json.loads(file["sentence_to_index"][0]) == {
            "The bank was steep .": "3",
            "": "1",
            "Banks lend money\t.": "2",
            "Café !": "4",
        }
        for number, array in enumerate(expected(bilm)):
            chosen = {"all": array, "top": array[-1], "average": array.mean(0)}[layers]
            stored = file[str(number)][()]
            assert stored.dtype == np.float32
            assert stored.shape == chosen.shape
            np.testing.assert_allclose(stored, chosen, rtol=0, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_safetensors_is_read_by_its_own_library(
    bilm: FastBiLM, text: Path, tmp_path: Path, dtype: str
) -> None:
    target = tmp_path / "vectors.safetensors"
    embed_file(bilm, text, target, dtype=dtype, progress=False)  # type: ignore[arg-type]
    header_bytes = int.from_bytes(target.read_bytes()[:8], "little")
    assert header_bytes % 8 == 0  # so that the numbers are aligned in memory
    tolerance = 1e-6 if dtype == "float32" else 1e-3
    with safe_open(target, framework="np") as file:
        assert set(file.keys()) == {"0", "1", "2", "3", "4"}
        assert json.loads(file.metadata()["sentence_to_index"])["Café !"] == "4"
        for number, array in enumerate(expected(bilm)):
            stored = file.get_tensor(str(number))
            assert stored.dtype == np.dtype(dtype)
            np.testing.assert_allclose(stored, array, rtol=0, atol=tolerance)


def test_cache(bilm: FastBiLM, text: Path, tmp_path: Path) -> None:
    embed_file(bilm, text, tmp_path / "v.vectors", progress=False)
    cache = VectorCache(tmp_path / "v.vectors")
    cache.check_model(bilm)
    assert cache.sentence(2) == ["Banks", "lend", "money", "."]
    for array, right in zip(cache, expected(bilm), strict=True):
        np.testing.assert_allclose(array, right, rtol=0, atol=1e-6)


def test_words_by_the_tokeniser(bilm: FastBiLM, tmp_path: Path) -> None:
    text = tmp_path / "plain.txt"
    text.write_bytes("\ufeffThey don't.\r\n".encode())
    embed_file(bilm, text, tmp_path / "split.vectors", split_words=True, progress=False)
    assert VectorCache(tmp_path / "split.vectors").sentence(0) == ["They", "do", "n't", "."]
    embed_file(bilm, text, tmp_path / "spaces.vectors", progress=False)
    assert VectorCache(tmp_path / "spaces.vectors").sentence(0) == ["They", "don't."]


@published_model.needs_model
def test_a_stateful_run_gives_the_published_vectors(tmp_path: Path) -> None:
    bilm = load_bilm(published_model.OPTIONS, published_model.WEIGHTS, stateful=True)
    text = tmp_path / "sentences.txt"
    lines = [" ".join(sentence) for batch in published_model.batches() for sentence in batch]
    text.write_text("\n".join(lines), encoding="utf-8")
    embed_file(bilm, text, tmp_path / "v.h5", layers="top", batch_size=3, progress=False)
    with h5py.File(tmp_path / "v.h5", "r") as file:
        for number, top in enumerate(published_model.expected_top_layer()):
            np.testing.assert_allclose(file[str(3 * number)][()], top, rtol=0, atol=1e-5)


def test_what_is_refused(bilm: FastBiLM, text: Path, tmp_path: Path) -> None:
    target = tmp_path / "v.hdf5"
    with pytest.raises(FileNotFoundError, match="no text file"):
        embed_file(bilm, tmp_path / "nowhere.txt", target)
    with pytest.raises(ValueError, match=r"names no format: end it with \.hdf5"):
        embed_file(bilm, text, tmp_path / "v.npz")
    with pytest.raises(ValueError, match=r"names no format: .* or \.vectors \(a cache\)"):
        embed_file(bilm, text, tmp_path / "v")
    with pytest.raises(ValueError, match="no format 'npz'"):
        embed_file(bilm, text, target, format="npz")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="choose all, top or average"):
        embed_file(bilm, text, target, layers="last")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="always holds all layers"):
        embed_file(bilm, text, tmp_path / "v.vectors", layers="top")
    for content, complaint in (
        (b"", "is empty"),
        (b"fine\n\xff\xfe\n", "line 2, byte 1 .* is not UTF-8"),
        (b"one\ntwo\n<S> three </S>", "line 3 of .* holds <S>"),
    ):
        text.write_bytes(content)
        with pytest.raises(ValueError, match=complaint):
            embed_file(bilm, text, target, progress=False)
    assert not target.exists()


def test_a_file_is_replaced_on_request_only_and_whole_or_not_at_all(
    bilm: FastBiLM, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "v.hdf5"
    target.write_text("of value")
    with pytest.raises(FileExistsError, match="is there already"):
        embed_file(bilm, text, target, progress=False)

    def broken(*_: object, **__: object) -> list[object]:
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr("elmo_mini.embedding.stream.embed_batch", broken)
        with pytest.raises(RuntimeError, match="power cut"):
            embed_file(bilm, text, target, progress=False, overwrite=True)
    assert target.read_text() == "of value"
    assert not list(tmp_path.glob("*.part-*"))
    embed_file(bilm, text, target, progress=False, overwrite=True)
    assert h5py.is_hdf5(target)


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("name", ["v.hdf5", "v.safetensors", "v.vectors"])
def test_a_file_that_comes_while_a_text_is_embedded_is_not_replaced(
    bilm: FastBiLM,
    text: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    resume: bool,
) -> None:
    folder = tmp_path / "out"
    target, real = folder / name, stream.embed_batch

    def meanwhile(*given: Any, **settings: Any) -> Any:
        target.write_text("of value")
        return real(*given, **settings)

    monkeypatch.setattr(stream, "embed_batch", meanwhile)
    with pytest.raises(
        FileExistsError, match=rf"what was written is whole, in .*v-2\{target.suffix}:"
    ):
        embed_file(bilm, text, target, progress=False, resume=resume)
    assert target.read_text() == "of value"
    kept = folder / f"v-2{target.suffix}"
    assert set(folder.iterdir()) == {target, kept}
    if target.suffix == ".vectors":
        VectorCache(kept).check()
        target.unlink()
        with pytest.raises(FileExistsError, match=r"whole, in .*v-3\.vectors"):  # it is no cache
            write_cache(bilm, [["a"]], target, progress=False, overwrite=True)
        assert target.read_text() == "of value"


def test_a_file_that_comes_while_lines_are_embedded_is_not_replaced(
    bilm: FastBiLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, real = tmp_path / "lines.hdf5", stream.embed_batch

    def meanwhile(*given: Any, **settings: Any) -> Any:
        target.write_text("of value")
        return real(*given, **settings)

    monkeypatch.setattr(stream, "embed_batch", meanwhile)
    with pytest.raises(FileExistsError, match=r"whole, in .*lines-2\.hdf5"):
        ElmoEmbedder(module=bilm).embed_file(["one"], target)
    assert target.read_text() == "of value"
    assert h5py.is_hdf5(tmp_path / "lines-2.hdf5")
    ElmoEmbedder(module=bilm).embed_file(["one"], target, overwrite=True)
    assert h5py.is_hdf5(target)


@pytest.mark.parametrize("later", [[*LINES, "One more ."], LINES[:3], LINES[::-1]])
@pytest.mark.parametrize("name", ["v.hdf5", "v.safetensors", "v.vectors"])
def test_a_text_that_changes_while_it_is_read_is_refused(
    bilm: FastBiLM,
    text: Path,
    tmp_path: Path,
    name: str,
    later: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a log that grows: the index would name sentences that are not there."""

    def changed(*given: Any, **settings: Any) -> Any:
        text.write_text("\n".join(later), encoding="utf-8")
        return stream.embed_stream(*given, **settings)

    monkeypatch.setattr("elmo_mini.embedding.embed_file.embed_stream", changed)
    with pytest.raises(ValueError, match=r"sentences\.txt has changed while it was read"):
        embed_file(bilm, text, tmp_path / name, progress=False)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("dtype", ["int32", "float64", "bool", np.int8, "half a float", None])
@pytest.mark.parametrize("name", ["v.hdf5", "v.safetensors", "v.vectors"])
def test_vectors_are_stored_as_numbers_that_keep_them(
    tmp_path: Path, dtype: Any, name: str
) -> None:
    (tmp_path / "t.txt").write_text("She plays\n")
    with pytest.raises(ValueError, match="vectors are stored as float32 or float16"):
        embed_file(load_pretrained(), tmp_path / "t.txt", tmp_path / name, dtype=dtype)
    assert not (tmp_path / name).exists()
