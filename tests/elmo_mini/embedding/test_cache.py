"""The disk cache of frozen vectors: exact, small, bounded, and never half there."""

import pickle
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch

from elmo_mini import corpora
from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.embedding.cache import (
    CacheDamaged,
    CacheError,
    CacheForeign,
    CacheIncomplete,
    CacheMissing,
    VectorCache,
    cached_vectors,
    naive_bytes,
    stored_bytes,
    write_cache,
)
from elmo_mini.embedding.cache.writing import CHUNK_BYTES
from elmo_mini.embedding.embed_file import embed_file
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.embedding.stream import embed_stream, fingerprint
from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from tests.elmo_mini import official_files, published_model

SENTENCES = [
    ["The", "bank", "was", "steep", "."],
    [],
    ["Banks", "lend", "the", "money", "."],
    ["The", "bank", "lends", "the", "bank", "money"],
    ["x" * 60, "line\nbreak", "café", "\u2028"],
]
OFFICIAL_FILTERS = ((1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024))
ORIGINAL = BiLMOptions(projection_dim=512, dim=4096, filters=OFFICIAL_FILTERS, n_highway=2)


@pytest.fixture
def bilm(tmp_path: Path) -> FastBiLM:
    folder = tmp_path / "model"
    folder.mkdir()
    files = official_files.random_model(folder)
    return load_bilm(files.options_file, files.weight_file)


@pytest.fixture
def cache(bilm: FastBiLM, tmp_path: Path) -> VectorCache:
    return write_cache(bilm, SENTENCES, tmp_path / "cache", progress=False)


def narrow(projection_dim: int = 512, seed: int = 0) -> FastBiLM:
    """Vectors as long as asked for, from few cells, so that a test has them quickly."""
    torch.manual_seed(seed)
    options = BiLMOptions(projection_dim=projection_dim, dim=8, filters=((1, 8), (2, 8)))
    return FastBiLM(options).requires_grad_(False)


def test_float32_reads_back_what_the_model_gave(bilm: FastBiLM, cache: VectorCache) -> None:
    assert len(cache) == 5
    assert (cache.num_layers, cache.size) == (3, 12)
    for number, embedded in enumerate(embed_stream(bilm, SENTENCES)):
        array = cache[number]
        assert array.dtype == np.float32
        np.testing.assert_array_equal(array, embedded.every_layer())
        assert cache.sentence(number) == SENTENCES[number]
    embedder = ElmoEmbedder(module=bilm)
    for array, sentence in zip(cache, SENTENCES, strict=True):
        np.testing.assert_allclose(array, embedder.embed_sentence(sentence), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(cache[-1], cache[4])
    with pytest.raises(IndexError, match="no sentence 5; the cache holds 5"):
        cache[5]


def test_float16_is_the_nearest_float16(bilm: FastBiLM, tmp_path: Path) -> None:
    small = write_cache(bilm, SENTENCES, tmp_path / "small", dtype="float16", progress=False)
    for array, embedded in zip(small, embed_stream(bilm, SENTENCES), strict=True):
        rounded = embedded.every_layer().astype(np.float16).astype(np.float32)
        np.testing.assert_array_equal(array, rounded)


@published_model.needs_model
def test_published_model(tmp_path: Path) -> None:
    bilm = load_bilm(published_model.OPTIONS, published_model.WEIGHTS)
    sentences = [sentence for batch in published_model.batches() for sentence in batch]
    cache = write_cache(bilm, sentences, tmp_path / "cache", progress=False)
    embedder = ElmoEmbedder(module=bilm)
    for array, sentence in zip(cache, sentences, strict=True):
        np.testing.assert_allclose(array, embedder.embed_sentence(sentence), rtol=0, atol=1e-5)


def test_rows_across_chunks(
    monkeypatch: pytest.MonkeyPatch, bilm: FastBiLM, tmp_path: Path
) -> None:
    monkeypatch.setattr("elmo_mini.embedding.cache.writing.CHUNK_BYTES", 100)
    cache = write_cache(bilm, SENTENCES * 3, tmp_path / "cache", progress=False)
    for array, embedded in zip(cache, embed_stream(bilm, SENTENCES * 3), strict=True):
        np.testing.assert_array_equal(array, embedded.every_layer())
    cache.check()
    chosen = np.array([17, 0, 59, 17])
    whole = np.concatenate([array[2] for array in cache])
    np.testing.assert_array_equal(cache.vectors(2, chosen), whole[chosen])
    np.testing.assert_array_equal(cache.vectors(2, slice(5, 55)), whole[5:55])
    assert cache.vectors(2, chosen[:0]).shape == (0, 12)
    with pytest.raises(IndexError, match="no layer 3"):
        cache.vectors(3, chosen)


@pytest.mark.parametrize("layer", [0, 1])
def test_tokens_are_named_as_numpy_names_them(cache: VectorCache, layer: int) -> None:
    every = cache.vectors(layer, slice(None))
    last = len(every) - 1
    mask = np.arange(len(every)) % 3 == 1
    for tokens in (mask, [last, 0], [-1, 2, last], np.array([], dtype=int), [], slice(9, 2, -2)):
        np.testing.assert_array_equal(cache.vectors(layer, tokens), every[tokens])
    for wrong in ([last + 1], [-last - 2], mask[1:]):
        with pytest.raises(IndexError, match="the text has 20"):
            cache.vectors(layer, wrong)
    with pytest.raises(TypeError, match="asked for by its number, and this is slice"):
        cache[1:3]
    with pytest.raises(ValueError, match="the batch holds no sentence"):
        cache.batch([])


def test_batch_is_that_of_the_embedder(bilm: FastBiLM, cache: VectorCache) -> None:
    vectors, mask = cache.batch([3, 1, 0])
    expected, expected_mask = ElmoEmbedder(module=bilm).batch_to_embeddings(
        [SENTENCES[3], SENTENCES[1], SENTENCES[0]]
    )
    torch.testing.assert_close(vectors, expected, rtol=0, atol=1e-6)
    assert torch.equal(mask, expected_mask)


def test_token_layer_is_stored_once_per_word_type(cache: VectorCache) -> None:
    types = {word for sentence in SENTENCES for word in sentence}
    assert sorted(cache.words) == sorted(types)
    with h5py.File(cache.path) as file:
        assert file["token_layer"].shape == (len(types), 6)


def test_plain_numbers_all_under_a_checksum(cache: VectorCache) -> None:
    with h5py.File(cache.path) as file:
        assert set(file) == {"token_layer", "layer_1", "layer_2", "word_ids", "starts", "words"}
        for dataset in file.values():
            assert dataset.dtype.kind in "fiu"
            assert dataset.fletcher32


def test_a_cache_goes_to_another_process_by_its_name(cache: VectorCache) -> None:
    sent = pickle.dumps(cache)
    assert len(sent) < 1_000
    np.testing.assert_array_equal(pickle.loads(sent)[0], cache[0])


def test_an_empty_text(bilm: FastBiLM, tmp_path: Path) -> None:
    cache = write_cache(bilm, [], tmp_path / "cache", progress=False)
    assert len(cache) == 0
    assert list(cache) == []
    blank = write_cache(bilm, [[], []], tmp_path / "blank", progress=False)
    assert [array.shape for array in blank] == [(3, 0, 12)] * 2


def test_arithmetic_at_the_published_sizes() -> None:
    assert naive_bytes(ORIGINAL, 1) == 12_288
    assert stored_bytes(ORIGINAL, tokens=1, types=0) == 8_192
    assert stored_bytes(ORIGINAL, tokens=0, types=1) == 2_048
    assert stored_bytes(ORIGINAL, tokens=1, types=0, dtype="float16") == 4_096
    # A million words of Brown have 56,057 types: two thirds and a little more.
    share = stored_bytes(ORIGINAL, 1_161_192, 56_057) / naive_bytes(ORIGINAL, 1_161_192)
    assert share == pytest.approx(2 / 3 + 56_057 * 2_048 / (1_161_192 * 12_288))


@pytest.mark.parametrize(("dtype", "at_most"), [("float32", 0.73), ("float16", 0.37)])
def test_measured_size_against_the_naive_file(tmp_path: Path, dtype: str, at_most: float) -> None:
    bilm = narrow(projection_dim=512)
    sentences = [s for s, _ in zip(corpora.lee().sentences(), range(150), strict=False)]
    tokens = sum(map(len, sentences))
    types = len({word for sentence in sentences for word in sentence})
    cache = write_cache(bilm, sentences, tmp_path / "cache", dtype=dtype, progress=False)  # type: ignore[arg-type]
    naive = tmp_path / "naive.npy"
    np.save(naive, np.concatenate(list(cache), 1))
    assert naive.stat().st_size == pytest.approx(12_288 * tokens, abs=200)
    # Beside the vectors there are words and index, and the last chunk of a dataset is not full.
    more = cache.nbytes - stored_bytes(bilm.options, tokens, types, dtype)
    assert 0 < more < 20 * tokens + 6 * CHUNK_BYTES
    # Lee's first 150 sentences have many types for their length; long texts come nearer 2/3.
    assert cache.nbytes / naive.stat().st_size < at_most + types / tokens * 0.17


def test_same_model_and_text_are_found_again(bilm: FastBiLM, tmp_path: Path) -> None:
    first = cached_vectors(bilm, SENTENCES, tmp_path / "store", progress=False)
    stamp = first.path.stat().st_mtime_ns
    again = cached_vectors(bilm, lambda: iter(SENTENCES), tmp_path / "store", progress=False)
    assert again.path == first.path
    assert again.path.stat().st_mtime_ns == stamp
    other_text = cached_vectors(bilm, SENTENCES[::-1], tmp_path / "store", progress=False)
    half = cached_vectors(bilm, SENTENCES, tmp_path / "store", dtype="float16", progress=False)
    bilm.layers[0].weight.data[0, 0, 0] += 1e-3
    other_model = cached_vectors(bilm, SENTENCES, tmp_path / "store", progress=False)
    assert len({c.path for c in (first, other_text, half, other_model)}) == 4
    with pytest.raises(TypeError, match=r"corpus\.sentences"):
        cached_vectors(bilm, iter(SENTENCES), tmp_path / "store")


def test_fingerprint_sees_what_changes_vectors(bilm: FastBiLM, tmp_path: Path) -> None:
    base = fingerprint(bilm)
    files = official_files.random_model(tmp_path)
    assert fingerprint(load_bilm(files.options_file, files.weight_file)) == base
    bilm.layers[0].cell_clip = 0.05
    assert fingerprint(bilm) != base
    with pytest.raises(ConfigurationError, match=r"layers.0 ProjectedLSTM with cell_clip=0.05"):
        ElmoEmbedder(module=bilm).save_pretrained(tmp_path / "clipped")
    bilm.layers[0].cell_clip = bilm.options.cell_clip
    assert fingerprint(bilm) == base
    bilm.warm_up(SENTENCES)
    assert fingerprint(bilm) != base
    files = official_files.random_model(tmp_path, cell_clip=2)
    assert fingerprint(load_bilm(files.options_file, files.weight_file)) != base


def test_foreign_model_and_foreign_text(bilm: FastBiLM, cache: VectorCache) -> None:
    cache.check_model(bilm)
    cache.check_text(SENTENCES)
    bilm.layers[1].bias.data += 1
    with pytest.raises(CacheForeign, match="another model"):
        cache.check_model(bilm)
    for other in (SENTENCES[1:], [[*SENTENCES[0], *SENTENCES[1]], *SENTENCES[2:]], SENTENCES[::-1]):
        with pytest.raises(CacheForeign, match="another text"):
            cache.check_text(other)


def changed(cache: VectorCache, place: int, *, name: str = "changed") -> Path:
    """A copy of the cache in which one bit of this byte has changed."""
    content = bytearray(cache.path.read_bytes())
    content[place] ^= 1
    copy = cache.path.with_name(name)
    copy.write_bytes(content)
    return copy


def first_chunk(cache: VectorCache, name: str) -> int:
    """Where the rows of this dataset begin in the file."""
    with h5py.File(cache.path) as file:
        return int(file[name].id.get_chunk_info(0).byte_offset)


@pytest.mark.parametrize("name", ["token_layer", "layer_1", "layer_2"])
def test_a_changed_byte_is_found_when_it_is_read(cache: VectorCache, name: str) -> None:
    damaged = VectorCache(changed(cache, first_chunk(cache, name) + 3))
    with pytest.raises(CacheDamaged, match=rf"{name} cannot be read .* delete it and write it"):
        damaged[0]
    with pytest.raises(CacheDamaged, match=name):
        damaged.check()


@pytest.mark.parametrize("name", ["starts", "word_ids", "words"])
def test_a_changed_index_is_found_at_once(cache: VectorCache, name: str) -> None:
    path = changed(cache, first_chunk(cache, name) + 3)
    with pytest.raises(CacheDamaged, match=name):
        VectorCache(path)


def test_a_changed_byte_anywhere_is_found(cache: VectorCache) -> None:
    """Headers and indices have their checksums too; no change goes by unnoticed."""
    size = cache.nbytes
    with h5py.File(cache.path) as file:
        begins = min(first_chunk(cache, name) for name in file)
    for place in (*range(0, begins, 31), *range(begins, size, 9_973), size - 1):
        with pytest.raises(CacheError):
            VectorCache(changed(cache, place, name=f"changed at {place}")).check()


def test_truncated_files_and_missing_datasets(cache: VectorCache, tmp_path: Path) -> None:
    content = cache.path.read_bytes()
    for length in (12, 100, 5_000, len(content) // 2, len(content) - 1):
        cut = tmp_path / f"cut at {length}"
        cut.write_bytes(content[:length])
        with pytest.raises(CacheDamaged, match="its header cannot be read"):
            VectorCache(cut)
    for name in ("layer_2", "words", "token_layer"):
        less = tmp_path / f"without {name}"
        less.write_bytes(content)
        with h5py.File(less, "r+", libver="latest") as file:
            del file[name]
        with pytest.raises(CacheDamaged, match=f"'{name}' doesn't exist"):
            VectorCache(less)
    with h5py.File(less, "r+", libver="latest") as file:
        file["token_layer"] = np.zeros((3, 6), np.float32)
    with pytest.raises(CacheDamaged, match=r"token_layer is \(3, 6\), but \(14, 6\) was written"):
        VectorCache(less)


def test_what_is_no_cache(bilm: FastBiLM, cache: VectorCache, tmp_path: Path) -> None:
    with pytest.raises(CacheMissing, match="there is no vector cache"):
        VectorCache(tmp_path / "nowhere")
    with pytest.raises(CacheForeign, match="is a folder; a vector cache is a file"):
        VectorCache(tmp_path)
    text = tmp_path / "text"
    text.write_text("A bank.\n")
    for content in (b"", b"A bank.\n", b"\x89HDF"):
        text.write_bytes(content)
        with pytest.raises(CacheForeign, match="it is no HDF5 file"):
            VectorCache(text)
    text.write_text("A bank.\n")
    embed_file(bilm, text, tmp_path / "arrays.hdf5", progress=False)
    with pytest.raises(CacheForeign, match=r"an HDF5 file, but no vector cache.* \.vectors"):
        VectorCache(tmp_path / "arrays.hdf5")
    other = tmp_path / "other"
    for stored, complaint in (
        (np.bytes_("elmo_mini vectors 9"), "has the format 'elmo_mini vectors 9'"),
        (np.arange(3), "no vector cache"),
    ):
        other.write_bytes(cache.path.read_bytes())
        with h5py.File(other, "r+", libver="latest") as file:
            file.attrs["format"] = stored
        with pytest.raises(CacheForeign, match=complaint):
            VectorCache(other)


def test_only_a_cache_is_ever_replaced(bilm: FastBiLM, cache: VectorCache, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError, match="overwrite=True replaces it"):
        write_cache(bilm, SENTENCES[:1], cache.path, progress=False)
    assert len(VectorCache(cache.path)) == 5
    assert len(write_cache(bilm, SENTENCES[:1], cache.path, progress=False, overwrite=True)) == 1
    precious = tmp_path / "thesis"
    precious.mkdir()
    (precious / "chapter.txt").write_text("years of work")
    for path, refusal in (
        (precious, "is a folder; name a file to write"),
        (precious / "chapter.txt", "Nothing but a whole cache is ever replaced"),
    ):
        with pytest.raises(OSError, match=refusal):
            write_cache(bilm, SENTENCES, path, progress=False, overwrite=True)
    assert (precious / "chapter.txt").read_text() == "years of work"
    assert not list(tmp_path.glob("*.part-*"))


def test_an_error_while_writing_leaves_nothing(bilm: FastBiLM, tmp_path: Path) -> None:
    def broken() -> Iterator[list[str]]:
        yield from SENTENCES * 1_000
        raise RuntimeError("the disk with the text went away")

    with pytest.raises(RuntimeError, match="went away"):
        write_cache(bilm, broken(), tmp_path / "cache", progress=False)
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]


def test_what_cannot_be_stored(bilm: FastBiLM, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="stored as float32 or float16"):
        write_cache(bilm, SENTENCES, tmp_path / "cache", dtype="int8")  # type: ignore[arg-type]
    bilm.stateful = True
    with pytest.raises(ValueError, match="stateful"):
        write_cache(bilm, SENTENCES, tmp_path / "cache")
    bilm.stateful = False
    written = cached_vectors(bilm, SENTENCES, tmp_path / "kept", progress=False)
    bilm.stateful = True
    with pytest.raises(ValueError, match="stateful"):
        cached_vectors(bilm, SENTENCES, tmp_path / "kept", progress=False)
    with pytest.raises(ValueError, match="stateful"):
        written.check_model(bilm)
    bilm.stateful = False
    assert bilm.token_encoder.projection is not None
    bilm.token_encoder.projection.bias.data[0] = 70_000.0
    with pytest.raises(ValueError, match="do not fit float16"):
        write_cache(bilm, SENTENCES, tmp_path / "cache", dtype="float16", progress=False)
    assert not (tmp_path / "cache").exists()


# Where the writer is killed: while vectors come in, before the manifest, before the renaming.
KILL = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
LATER = ("manifest", "renaming")
STAGES = {
    "vectors": "stop_after = 1500",
    "manifest": f"writing.fingerprint = lambda *_: exec({KILL!r})",
    "renaming": f"Path.replace = lambda *_: exec({KILL!r})",
}
CHILD = """
    import sys
    from pathlib import Path
    from elmo_mini.checkpoints.official import load_bilm
    from elmo_mini.embedding.cache import writing
    stop_after = None
    {stage}
    def sentences():
        for number in range(2000):
            if number == stop_after:
                {kill}
            yield ["a", "bank", "of", f"number{{number % 50}}"]
    folder = Path(sys.argv[1])
    bilm = load_bilm(folder / "model/options.json", folder / "model/weights.hdf5")
    writing.write_cache(bilm, sentences(), folder / "cache", progress=False, overwrite=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("before", [False, True], ids=["new", "replacing"])
@pytest.mark.parametrize(
    "stage", ["vectors", *(pytest.param(stage, marks=pytest.mark.slow) for stage in LATER)]
)
def test_a_kill_never_leaves_a_cache_that_reads_as_complete(
    bilm: FastBiLM, tmp_path: Path, stage: str, before: bool
) -> None:
    target = tmp_path / "cache"
    if before:
        write_cache(bilm, SENTENCES, target, progress=False)
    code = textwrap.dedent(CHILD).format(stage=STAGES[stage], kill=KILL)
    child = subprocess.run([sys.executable, "-c", code, str(tmp_path)], timeout=1800, check=False)
    assert child.returncode == -signal.SIGKILL
    (leftover,) = tmp_path.glob("cache.part-*")
    assert leftover.stat().st_size > 0
    if before:
        assert len(VectorCache(target)) == len(SENTENCES)
    else:
        with pytest.raises(CacheMissing, match="interrupted"):
            VectorCache(target)
    if stage != "renaming":
        with pytest.raises(CacheIncomplete, match="interrupted"):
            VectorCache(leftover)
    again = write_cache(bilm, SENTENCES, target, progress=False, overwrite=True)
    assert len(again) == len(SENTENCES)
    assert not leftover.exists()


# Each writes another text, again and again, when all have started.
WRITER = """
    import sys, time
    from pathlib import Path
    from elmo_mini.checkpoints.official import load_bilm
    from elmo_mini.embedding.cache import write_cache
    folder, own = Path(sys.argv[1]), int(sys.argv[2])
    bilm = load_bilm(folder / "model/options.json", folder / "model/weights.hdf5")
    (folder / f"started{own}").touch()
    while len(list(folder.glob("started*"))) < 3:
        time.sleep(0.001)
    for _ in range(4):
        sentences = [[f"writer{own}", "was", f"here{k}"] for k in range(20 + 20 * own)]
        write_cache(bilm, sentences, folder / "cache", progress=False, overwrite=True)
"""


def test_of_several_writers_one_wins_whole(bilm: FastBiLM, tmp_path: Path) -> None:
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(tmp_path)]
    writers = [subprocess.Popen([*command, str(own)]) for own in range(3)]

    def read() -> None:
        cache = VectorCache(tmp_path / "cache")
        cache.check()
        own = int(cache.words[0].removeprefix("writer"))
        assert len(cache) == 20 + 20 * own
        assert cache.sentence(len(cache) - 1) == [f"writer{own}", "was", f"here{len(cache) - 1}"]

    while any(writer.poll() is None for writer in writers):
        if (tmp_path / "cache").exists():
            read()
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    read()
    assert not list(tmp_path.glob("cache.part-*"))


def test_the_progress_bar_is_on_standard_output(
    bilm: FastBiLM, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_cache(bilm, SENTENCES, tmp_path / "cache")
    shown = capsys.readouterr()
    assert "5/5" in shown.out
    assert shown.err == ""


MEASURE = """
    import resource, sys
    from pathlib import Path
    import torch
    torch.set_num_threads(1)
    from elmo_mini.embedding.cache import write_cache
    from tests.elmo_mini.embedding.test_cache import narrow
    count = int(sys.argv[2])
    sentences = (["the", "bank", "of"] * 5 + [f"w{k % 999}"] for k in range(count))
    cache = write_cache(narrow(128), sentences, Path(sys.argv[1]), progress=False)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, cache.nbytes)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_text(tmp_path: Path) -> None:
    """Four times the text makes 110 MB more of vectors, and the writer no larger."""

    def measure(count: int) -> tuple[int, int]:
        arguments = [sys.executable, "-c", textwrap.dedent(MEASURE), str(tmp_path / f"{count}")]
        root = Path(__file__).resolve().parents[3]
        done = subprocess.run(
            [*arguments, str(count)], capture_output=True, text=True, check=True, cwd=root
        )
        peak, written = map(int, done.stdout.split())
        return peak * (1 if sys.platform == "darwin" else 1024), written

    small_peak, small = measure(1_200)
    large_peak, large = measure(4_800)
    assert large - small > 110e6
    assert large_peak - small_peak < 25e6


@pytest.mark.parametrize("dtype", [np.dtype("float16"), np.float16, "f2", "<f4", np.dtype(">f4")])
def test_a_type_may_be_named_as_numpy_names_it(bilm: FastBiLM, tmp_path: Path, dtype: Any) -> None:
    (tmp_path / "t.txt").write_text("She plays\n")
    embed_file(bilm, tmp_path / "t.txt", tmp_path / "file.vectors", dtype=dtype, progress=False)
    write_cache(bilm, SENTENCES, tmp_path / "c.vectors", dtype=dtype, progress=False)
    kept = cached_vectors(bilm, SENTENCES, tmp_path / "kept", dtype=dtype, progress=False)
    name = np.dtype(dtype).name
    assert kept.path.name.endswith(f"-{name}.vectors")
    for path in (tmp_path / "file.vectors", tmp_path / "c.vectors", kept.path):
        assert VectorCache(path).manifest["dtype"] == name
    with pytest.raises(ValueError, match="stored as float32 or float16"):
        cached_vectors(bilm, SENTENCES, tmp_path / "kept", dtype="int8")  # type: ignore[arg-type]


@pytest.mark.parametrize("layer", [1.0, True, "1", None])
def test_a_layer_that_is_no_number_says_nothing_against_the_cache(
    cache: VectorCache, layer: Any
) -> None:
    with pytest.raises(TypeError, match="a layer is asked for by its number, and this is"):
        cache.vectors(layer, slice(2))
    for tokens in ([0.5], ["a"], [None], np.array([1.0])):
        for number in (0, 1):
            with pytest.raises(TypeError, match="tokens are numbers, a slice or a mask, and these"):
                cache.vectors(number, tokens)  # type: ignore[arg-type]
