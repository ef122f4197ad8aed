"""The old ElmoEmbedder's interface."""

import copy
import gzip
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch

from elmo_mini.checkpoints.official import load_bilm, save_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.embedding import embedder as embedder_module
from elmo_mini.embedding.cache import write_cache
from elmo_mini.embedding.embed_file import embed_file
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm import FastBiLM
from tests.elmo_mini import numpy_elmo, official_files, published_model

SENTENCES = [["One", "two", "three"], ["Four"], ["five", "six", "seven", "eight", "two"]]


@pytest.fixture
def files(tmp_path: Path) -> official_files.Files:
    return official_files.random_model(tmp_path)


def expected(files: official_files.Files, sentence: list[str]) -> np.ndarray:
    return numpy_elmo.sentence_layers(sentence, files.weights, files.options)[0][:, 1:-1]


def test_all_layers_without_boundaries(files: official_files.Files) -> None:
    embedder = ElmoEmbedder(files.options_file, files.weight_file)
    for sentence, array in zip(SENTENCES, embedder.embed_batch(SENTENCES), strict=True):
        assert array.shape == (3, len(sentence), 12)
        assert array.dtype == np.float32
        np.testing.assert_allclose(array, expected(files, sentence), rtol=0, atol=1e-5)
    vectors, mask = embedder.batch_to_embeddings(SENTENCES)
    assert vectors.shape == (3, 3, 5, 12)
    assert mask.sum(1).tolist() == [3, 1, 5]
    single = embedder.embed_sentence(SENTENCES[0])
    np.testing.assert_allclose(single, expected(files, SENTENCES[0]), rtol=0, atol=1e-5)


def test_empty_sentences(files: official_files.Files) -> None:
    embedder = ElmoEmbedder(files.options_file, files.weight_file)
    assert embedder.embed_sentence([]).shape == (3, 0, 12)
    assert [a.shape[1] for a in embedder.embed_batch([["a"], [], ["b", "c"]])] == [1, 0, 2]
    assert list(embedder.embed_sentences([])) == []
    assert embedder.embed_batch([]) == []
    with pytest.raises(TypeError, match="not a list of sentences"):
        embedder.embed_batch("")  # type: ignore[arg-type]


def test_a_long_sentence_among_short_ones_is_run_apart(
    files: official_files.Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = ElmoEmbedder(files.options_file, files.weight_file)
    sentences = [["one"], ["a", "b"] * 20, [], ["two", "three"]]
    whole = embedder.embed_batch(sentences)
    monkeypatch.setattr(embedder_module, "LARGEST_PADDED", 50)
    monkeypatch.setattr("elmo_mini.embedding.stream.BATCH_TOKENS", 50)
    monkeypatch.setattr(embedder_module, "embed_batch", None)
    for apart, before in zip(embedder.embed_batch(sentences), whole, strict=True):
        np.testing.assert_allclose(apart, before, rtol=0, atol=1e-6)


@pytest.mark.parametrize("length", [120, 1650])
def test_one_long_sentence_costs_no_more_than_by_sorted_lengths(
    files: official_files.Files, length: int
) -> None:
    """Positions that are computed, with padding and boundaries, of 63 sentences and a long one."""
    embedder = ElmoEmbedder(files.options_file, files.weight_file)
    computed: list[int] = []
    embedder.bilm.register_forward_hook(lambda *call: computed.append(call[2]["mask"].numel()))
    batch = [["short"] for _ in range(63)]
    batch.insert(20, ["long"] * length)
    found = embedder.embed_batch(batch)
    assert [array.shape[1] for array in found] == [len(sentence) for sentence in batch]
    assert sum(computed) == sum(len(sentence) + 2 for sentence in batch)


@pytest.mark.parametrize("output_format", ["all", "top", "average"])
def test_a_file_is_written_as_allennlps_class_wrote_it(
    files: official_files.Files, tmp_path: Path, output_format: Any
) -> None:
    embedder = ElmoEmbedder(files.options_file, files.weight_file)
    text, target = tmp_path / "t.txt", tmp_path / "v.hdf5"
    text.write_text("One two\n\n six \n")
    with text.open() as lines:
        embedder.embed_file(lines, target, output_format, batch_size=2)
    take = {"all": lambda x: x, "top": lambda x: x[-1], "average": lambda x: x.mean(0)}
    with h5py.File(target) as file:
        assert json.loads(file["sentence_to_index"][0]) == {"One two": "0", "": "1", "six": "2"}
        for number, words in enumerate((["One", "two"], [], ["six"])):
            wanted = take[output_format](embedder.embed_sentence(words))
            np.testing.assert_allclose(file[str(number)][()], wanted, rtol=0, atol=1e-6)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        embedder.embed_file(["two"], target)
    with text.open() as lines, pytest.raises(ConfigurationError, match="is to be written, but"):
        embedder.embed_file(lines, text, overwrite=True)
    with pytest.raises(ConfigurationError, match="sentence_to_index"):
        embedder.embed_file(["two"], tmp_path / "w.hdf5", use_sentence_keys=True)
    with pytest.raises(ValueError, match="choose all, top or average"):
        embedder.embed_file(["two"], tmp_path / "w.hdf5", "last")  # type: ignore[arg-type]
    embedder.embed_file(["two"], target, overwrite=True, forget_sentences=True)
    with h5py.File(target) as file:
        assert list(file) == ["0"]
    assert sorted(p.name for p in tmp_path.iterdir() if p.suffix != ".json") >= ["t.txt", "v.hdf5"]


def test_a_stream_keeps_its_order(files: official_files.Files) -> None:
    embedder = ElmoEmbedder(files.options_file, files.weight_file)
    random = np.random.default_rng(0)
    sentences = [[f"w{k % 7}"] * int(n) for k, n in enumerate(random.integers(0, 9, 101))]
    arrays = list(embedder.embed_sentences(iter(sentences), batch_size=2))
    for sentence, array in zip(sentences, arrays, strict=True):
        np.testing.assert_allclose(array, expected(files, sentence), rtol=0, atol=1e-5)
    with pytest.raises(ValueError, match="batch_size is 0"):
        next(embedder.embed_sentences(sentences, batch_size=0))


def test_stateful_stream_keeps_upstreams_batches(files: official_files.Files) -> None:
    embedder = ElmoEmbedder(files.options_file, files.weight_file, stateful=True)
    arrays = list(embedder.embed_sentences(SENTENCES * 2, batch_size=2))
    states: dict[int, numpy_elmo.Row] = {}
    for k, (sentence, array) in enumerate(zip(SENTENCES * 2, arrays, strict=True)):
        layers, states[k % 2] = numpy_elmo.sentence_layers(
            sentence, files.weights, files.options, states.get(k % 2)
        )
        np.testing.assert_allclose(array, layers[:, 1:-1], rtol=0, atol=1e-5)


def test_warm_up_and_module(files: official_files.Files) -> None:
    cold = ElmoEmbedder(files.options_file, files.weight_file)
    warm = ElmoEmbedder(files.options_file, files.weight_file, warm_up=SENTENCES)
    first = warm.embed_batch(SENTENCES)
    assert np.abs(first[0] - cold.embed_batch(SENTENCES)[0])[1:].max() > 1e-3
    same = ElmoEmbedder(module=warm.bilm).embed_batch(SENTENCES)
    np.testing.assert_allclose(same[2], first[2], rtol=0, atol=1e-6)


# What is given


def test_without_arguments_it_has_the_courses_own_model() -> None:
    array = ElmoEmbedder().embed_sentence(["She", "plays"])
    right = ElmoEmbedder(module=load_pretrained()).embed_sentence(["She", "plays"])
    assert array.shape == (3, 2, 512)
    np.testing.assert_array_equal(array, right)


def test_one_of_two_files_or_files_and_a_module_are_refused(files: official_files.Files) -> None:
    with pytest.raises(ConfigurationError, match="the weight file is missing; pass both"):
        ElmoEmbedder(files.options_file)
    with pytest.raises(ConfigurationError, match="the options file is missing; pass both"):
        ElmoEmbedder(None, files.weight_file)
    module = load_bilm(files.options_file, files.weight_file)
    with pytest.raises(ConfigurationError, match="either the files or a module, not both"):
        ElmoEmbedder(files.options_file, files.weight_file, module=module)


def test_a_gpu_that_is_not_there_is_said_before_anything_is_loaded(
    files: official_files.Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr(embedder_module, "load_model", None)
    with pytest.raises(ConfigurationError, match=r"no GPU here; use cuda_device=-1"):
        ElmoEmbedder(files.options_file, files.weight_file, 0)


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        (["a", 5], r"token 1 of sentence 0 is 5 \(int\)"),
        (["a", None], "token 1 of sentence 0 is None"),
        ([b"a"], r"token 0 of sentence 0 is b'a' \(bytes\)"),
        ([["a", "b"]], r"token 0 of sentence 0 is \['a', 'b'\] \(list\)"),
        ("a sentence", "sentence 0 is the string 'a sentence'"),
        ("", "sentence 0 is the string ''"),
        (None, "sentence 0 is None"),
    ],
)
def test_what_is_no_sentence_is_refused(
    files: official_files.Files, sentence: Any, message: str
) -> None:
    embedder = ElmoEmbedder(files.options_file, files.weight_file)
    for embed in (
        embedder.embed_sentence,
        lambda s: embedder.embed_batch([s]),
        lambda s: list(embedder.embed_sentences([s])),
        lambda s: embedder.batch_to_embeddings([s]),
        lambda s: ElmoEmbedder(module=embedder.bilm, warm_up=[s]),
    ):
        with pytest.raises(TypeError, match=message):
            embed(sentence)


@pytest.mark.precision
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_model_of_half_precision_gives_float32(
    files: official_files.Files, dtype: torch.dtype
) -> None:
    embedder = ElmoEmbedder(module=load_bilm(files.options_file, files.weight_file).to(dtype))
    assert embedder.batch_to_embeddings(SENTENCES)[0].dtype == dtype
    for arrays in (embedder.embed_batch(SENTENCES), list(embedder.embed_sentences(SENTENCES))):
        for sentence, array in zip(SENTENCES, arrays, strict=True):
            assert array.dtype == np.float32
            np.testing.assert_allclose(array, expected(files, sentence), rtol=0, atol=0.05)


# A module that somebody else uses, too


@pytest.fixture
def module(files: official_files.Files) -> FastBiLM:
    return load_bilm(files.options_file, files.weight_file)


def everything(module: FastBiLM) -> dict[str, object]:
    """All of a module that an embedder might change, by identity."""
    return {
        **{
            f"{name} of {part}": value
            for part, m in module.named_modules()
            for name, value in vars(m).items()
            if not name.startswith("_")
        },
        **dict(module.named_parameters()),
        **dict(module.named_buffers()),
        **{f"{name} asks": p.requires_grad for name, p in module.named_parameters()},
    }


def test_the_callers_module_is_not_changed(module: FastBiLM) -> None:
    module.requires_grad_(True)
    before = everything(module)
    assert "carried.h" in before
    assert "token_cache of " in before
    for settings in ({}, {"stateful": True}, {"warm_up": SENTENCES}, {"cuda_device": -1}):
        embedder = ElmoEmbedder(module=module, **settings)  # type: ignore[arg-type]
        embedder.embed_batch(SENTENCES)
        list(embedder.embed_sentences(SENTENCES, batch_size=2))
        after = everything(module)
        assert after.keys() == before.keys()
        for name, value in before.items():
            assert after[name] is value, name


def test_on_another_device_the_embedder_has_a_copy(
    module: FastBiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedder_module, "usable_device", lambda *_: torch.device("meta"))
    module.cache_tokens()
    embedder = ElmoEmbedder(module=module, cuda_device=0, cache_tokens=0)
    assert embedder.device.type == "meta"
    assert {p.device.type for p in embedder.bilm.parameters()} == {"meta"}
    assert {p.device.type for p in module.parameters()} == {"cpu"}


def test_an_embedder_shares_the_weights_and_follows_them(module: FastBiLM) -> None:
    embedder = ElmoEmbedder(module=module, warm_up=SENTENCES)
    first = embedder.embed_batch(SENTENCES)
    assert all(
        ours is theirs
        for ours, theirs in zip(embedder.bilm.parameters(), module.parameters(), strict=True)
    )
    module.double()
    for array, again in zip(first, embedder.embed_batch(SENTENCES), strict=True):
        np.testing.assert_allclose(again, array, rtol=0, atol=1e-5)
    for parameter in module.parameters():
        parameter.data.mul_(0.5)
    assert np.abs(embedder.embed_batch(SENTENCES)[0] - first[0]).max() > 1e-3


def test_eight_threads_with_embedders_of_one_model_do_not_disturb_each_other(
    module: FastBiLM,
) -> None:
    random = np.random.default_rng(0)
    texts = [
        [[f"w{random.integers(60)}" for _ in range(n)] for n in random.integers(1, 9, 24)]
        for _ in range(8)
    ]

    def embedded(number: int, alone: bool) -> list[np.ndarray]:
        settings: dict[str, Any] = [
            {"stateful": True},
            {},
            {"warm_up": texts[number][:3]},
            {"cache_tokens": 0},
        ][number % 4]
        embedder = ElmoEmbedder(module=copy.deepcopy(module) if alone else module, **settings)
        arrays = [
            a for k in range(0, 24, 3) for a in embedder.embed_batch(texts[number][k : k + 3])
        ]
        return arrays + list(embedder.embed_sentences(texts[number], batch_size=4))

    right = [embedded(number, alone=True) for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda number: embedded(number, alone=False), range(8)))
    for ours, theirs in zip(found, right, strict=True):
        for array, expected_array in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(array, expected_array, rtol=0, atol=1e-5)


@published_model.needs_model
def test_published_model_through_the_embedder() -> None:
    embedder = ElmoEmbedder(published_model.OPTIONS, published_model.WEIGHTS, stateful=True)
    tops = published_model.expected_top_layer()
    for batch, top in zip(published_model.batches(), tops, strict=True):
        ours = embedder.embed_batch(batch)[0]
        np.testing.assert_allclose(ours[-1], top, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("lines", "error", "message"),
    [
        ("text.txt", TypeError, "input_file is 'text.txt', .* elmo_mini.embed_file takes a path"),
        (Path("text.txt"), TypeError, "elmo_mini.embed_file takes a path"),
        ([b"She plays"], TypeError, r"line 1 is bytes, .* open\(path, encoding='utf-8'\)"),
        (["one", ["She", "plays"]], TypeError, "line 2 is list, not text"),
        (["She \udc80 plays"], ValueError, "line 1 holds half a character"),
    ],
)
def test_embed_file_takes_lines_of_text_alone(
    lines: Any, error: type[Exception], message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message):
        ElmoEmbedder().embed_file(lines, tmp_path / "v.hdf5")
    assert not list(tmp_path.iterdir())


def test_a_byte_order_mark_is_no_part_of_the_first_word(tmp_path: Path) -> None:
    embedder = ElmoEmbedder()
    embedder.embed_file(["\ufeffShe plays"], tmp_path / "v.hdf5")
    with h5py.File(tmp_path / "v.hdf5") as file:
        np.testing.assert_allclose(file["0"], embedder.embed_sentence(["She", "plays"]), atol=1e-6)


@pytest.mark.parametrize("number", ["cuda", True, 1.0])
def test_a_device_that_is_no_number_is_named(number: Any) -> None:
    with pytest.raises(ConfigurationError, match="it must be a GPU's number, or -1"):
        ElmoEmbedder(cuda_device=number)


@pytest.mark.parametrize("use", [save_bilm, embed_file, write_cache])
def test_what_is_no_bilm_is_named(use: Any, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("She plays\n")
    names = [tmp_path / "t.txt", tmp_path / "v.vectors"]
    given = [[["a"]], names[1]] if use is write_cache else names
    with pytest.raises(TypeError, match=r"this is ElmoEmbedder; pass its \.bilm"):
        use(ElmoEmbedder(), *given)
    for odd in ("", "elmo", object()):
        with pytest.raises(TypeError, match="load_bilm and load_pretrained give one"):
            ElmoEmbedder(module=odd)  # type: ignore[arg-type]


OPENED: dict[str, tuple[Callable[[Any], Any], Callable[[Path], Any]]] = {
    "str": (open, str),
    "bytes": (open, os.fsencode),
    "descriptor": (os.fdopen, lambda path: os.open(path, os.O_RDONLY)),
    "gzip": (partial(gzip.open, mode="rt"), str),
}


@pytest.mark.parametrize("how", OPENED)
def test_an_open_file_is_not_written_whatever_its_name(tmp_path: Path, how: str) -> None:
    text = tmp_path / "notes.txt"
    text.write_bytes(gzip.compress(b"mine\n") if how == "gzip" else b"mine\n")
    before = text.read_bytes()
    opener, name = OPENED[how]
    with opener(name(text)) as lines:
        with pytest.raises(ConfigurationError, match=r"notes\.txt is to be written, but it is"):
            ElmoEmbedder().embed_file(lines, text, overwrite=True)
        assert text.read_bytes() == before
        ElmoEmbedder().embed_file(lines, tmp_path / "v.hdf5")
    ElmoEmbedder().embed_file(StringIO("mine"), text, overwrite=True)
    assert h5py.is_hdf5(text)
