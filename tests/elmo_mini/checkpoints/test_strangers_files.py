"""Files of strangers: whatever is in them, our own error in a sentence, or a model."""

import copy
import json
import os
import re
import resource
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import save_file

from elmo_mini.awd_lstm.awd_lstm_file import load_awd_lstm, save_awd_lstm
from elmo_mini.awd_lstm.awd_lstm_options import AWDLSTMOptions
from elmo_mini.checkpoints.official import load_bilm, official_file, read_options, save_bilm
from elmo_mini.checkpoints.pretrained import load_pretrained, read_record, save_pretrained
from elmo_mini.embedding.stream import fingerprint
from elmo_mini.errors import ConfigurationError, ElmoFileError
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.models.awd_lstm import AWDLSTM
from elmo_mini.models.fine_tuning import CausalLM
from elmo_mini.models.masked_lm import MaskedLM, MaskedLMOptions
from elmo_mini.models.taglm import TaggerOptions
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.files import (
    load_causal_lm,
    load_masked_lm,
    save_causal_lm,
    save_masked_lm,
)
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec
from tests.elmo_mini import official_files

FEW = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def files(tmp_path: Path) -> official_files.Files:
    return official_files.random_model(tmp_path)


def content_of(files: official_files.Files) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(Path(files.options_file).read_text())
    return content


ODD_OPTIONS = [
    (("lstm", "cell_clip"), float("nan"), "lstm.cell_clip is nan"),
    (("lstm", "proj_clip"), float("inf"), "lstm.proj_clip is inf"),
    (("lstm", "cell_clip"), True, "lstm.cell_clip is True"),
    (("lstm", "cell_clip"), "3", "lstm.cell_clip is '3'"),
    (("lstm", "cell_clip"), [], r"lstm.cell_clip is \[\]"),
    (("lstm", "n_layers"), 1_000_000, "lstm.n_layers is 1000000; it must be at most 128"),
    (("lstm", "dim"), 10**9, "lstm.dim is 1000000000; it must be at most 65,536"),
    (("lstm", "dim"), 4096.5, "lstm.dim is 4096.5; it must be a whole number"),
    (("lstm", "use_skip_connections"), "no", "use_skip_connections is 'no'"),
    (("char_cnn", "n_highway"), 10**9, "n_highway is 1000000000"),
    (("char_cnn", "n_highway"), False, "n_highway is False"),
    (("char_cnn", "n_characters"), 300, "n_characters is 300: a model of another alphabet"),
    (("char_cnn", "filters"), [[1, 2]] * 999, "filters has 999 widths"),
    (("char_cnn", "filters"), [[1, 60_000]] * 200, "weights; lower"),
    (("char_cnn", "max_characters_per_token"), 10**7, "it must be at most 65,536"),
    (("char_cnn", "activation"), "x" * 10_000, r"activation is 'x+\.\.\.x+'; known are"),
    (("lstm", "cell_clip"), 10**400, "lstm.cell_clip is 1000"),
    (("lstm", "cell_clip"), 1e-300, "cell_clip is 1e-300; it must be a number from 1e-30"),
    (("char_cnn", "filters"), None, "filters is None; it must be a list of pairs"),
    (
        ("char_cnn", "filters"),
        [[1, 2, 3]],
        r"filters is \[\[1, 2, 3\]\]; it must be a list of pairs",
    ),
    (("char_cnn", "filters"), "12", "filters is '12'; it must be a list of pairs"),
    (("char_cnn", "embedding"), 4, "embedding is 4; it must be a table"),
    (("lstm", "use_skip_connections"), "", "use_skip_connections is ''"),
    (("lstm", "use_skip_connections"), [], r"use_skip_connections is \[\]"),
    (("lstm", "use_skip_connections"), 2, "use_skip_connections is 2"),
    (("lstm",), 5, 'the part "lstm" is 5'),
    (("char_cnn",), [1], r'the part "char_cnn" is \[1\]'),
]


@pytest.mark.parametrize(("place", "value", "message"), ODD_OPTIONS)
def test_an_odd_entry_is_named(
    files: official_files.Files, place: tuple[str, ...], value: object, message: str
) -> None:
    content = part = content_of(files)
    for name in place[:-1]:
        part = part[name]
    part[place[-1]] = value
    Path(files.options_file).write_text(json.dumps(content))
    with pytest.raises(ElmoFileError, match=message) as refused:
        load_bilm(files.options_file, files.weight_file)
    assert len(str(refused.value)) < 600


@pytest.mark.parametrize(
    "content",
    [b"[" * 100_000, b"9" * 5_000, b'{"lstm": 1' + b" " * 2_000_000, b"\xff\xfe{\x00", b"\0", b""],
)
def test_what_is_no_json_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "options.json").write_bytes(content)
    with pytest.raises(ElmoFileError, match="JSON options file"):
        read_options(tmp_path / "options.json")


def test_options_may_be_as_other_programs_write_them(files: official_files.Files) -> None:
    wanted = read_options(files.options_file)
    content = content_of(files)
    content["char_cnn"]["n_characters"] = 261
    content["lstm"] |= {"use_skip_connections": int(wanted.use_skip_connections)}
    text = "\ufeff" + json.dumps(content, indent=1).replace("\n", "\r\n")
    Path(files.options_file).write_bytes(text.encode())
    assert read_options(files.options_file) == wanted


def test_an_activation_is_not_guessed(files: official_files.Files) -> None:
    content = content_of(files)
    del content["char_cnn"]["activation"]
    Path(files.options_file).write_text(json.dumps(content))
    with pytest.raises(ElmoFileError, match="lack the entry 'activation'"):
        read_options(files.options_file)


@pytest.mark.parametrize(
    ("spoil", "dtype"),
    [
        (lambda weight: weight.fill_(torch.nan), torch.float32),
        (lambda weight: weight.fill_(1e5), torch.float16),
    ],
)
def test_no_file_is_written_that_could_not_be_read_back(
    files: official_files.Files, tmp_path: Path, spoil: Any, dtype: torch.dtype
) -> None:
    bilm = load_bilm(*files[:2])
    spoil(bilm.layers[0].bias.data)
    target = tmp_path / "new" / "model.safetensors"
    says = r"layers.0.bias holds .* not finite as torch.fl"
    with pytest.raises(ConfigurationError, match=says) as refused:
        save_pretrained(bilm, target, dtype=dtype)
    assert ("store it as float32" in str(refused.value)) == (dtype is torch.float16)
    if dtype is torch.float32:
        with pytest.raises(ConfigurationError, match="holds numbers that are not finite, so the"):
            save_bilm(bilm, target.with_name("o.json"), target.with_name("w.hdf5"))
    assert not target.parent.exists()


@pytest.mark.parametrize("dtype", [torch.int8, torch.float8_e4m3fn, torch.complex64])
def test_weights_are_stored_as_what_is_read_back(
    files: official_files.Files, tmp_path: Path, dtype: torch.dtype
) -> None:
    with pytest.raises(ConfigurationError, match=f"dtype is {dtype}"):
        save_pretrained(load_bilm(*files[:2]), tmp_path / "model.safetensors", dtype=dtype)


@pytest.mark.skipif(os.name == "nt", reason="names of files are no bytes there")
def test_a_name_that_is_no_utf_8_is_refused_before_another_file_is_written(
    files: official_files.Files, tmp_path: Path
) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    for act in (
        lambda: save_pretrained(load_bilm(*files[:2]), folder / "model.safetensors"),
        lambda: load_pretrained(folder / "model.safetensors"),
        lambda: Word2Vec([["a", "b"] * 9] * 9, min_count=1).save(folder / "words.safetensors"),
        lambda: Word2Vec.load(folder / "words.safetensors"),
    ):
        with pytest.raises(ConfigurationError, match=r"caf\\xe9.* is no UTF-8"):
            act()
    assert not list(folder.iterdir())
    assert {path.suffix for path in tmp_path.iterdir()} <= {"", ".json", ".hdf5"}


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@FEW
@given(data=st.data())
def test_any_options_are_read_or_refused(files: official_files.Files, data: st.DataObject) -> None:
    content = copy.deepcopy(content_of(files))
    for _ in range(data.draw(st.integers(1, 3))):
        part = content
        while True:
            name = data.draw(st.sampled_from(sorted(part)))
            if isinstance(part[name], dict) and part[name] and data.draw(st.booleans()):
                part = part[name]
                continue
            part[name] = data.draw(ANY_JSON)
            break
        if not all(isinstance(content.get(name), dict) for name in ("lstm", "char_cnn")):
            break
    odd = Path(files.options_file).with_name("odd.json")
    odd.write_text(json.dumps(content))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    refused: Exception | None = None
    try:
        load_bilm(odd, files.weight_file)
    except ConfigurationError as error:
        refused = error
    assert "\n" not in str(refused)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


@FEW
@given(data=st.data())
def test_any_damage_to_the_weights_is_read_or_refused(
    files: official_files.Files, data: st.DataObject
) -> None:
    whole = Path(files.weight_file).read_bytes()
    content = bytearray(whole)
    for _ in range(data.draw(st.integers(0, 8))):
        content[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(0, len(whole)) | st.just(len(whole)))]
    odd = Path(files.weight_file).with_name("odd.hdf5")
    odd.write_bytes(content)
    found: list[torch.Tensor] = []
    refused: Exception | None = None
    try:
        found = list(load_bilm(files.options_file, odd).parameters())
    except ConfigurationError as error:
        refused = error
    assert "\n" not in str(refused)
    assert all(bool(weight.isfinite().all()) for weight in found)


def refusal_of(read: Callable[[], object]) -> str:
    """What a refusal of ours says, or nothing."""
    try:
        read()
    except (ConfigurationError, ValueError) as refused:
        return str(refused)
    return ""


WORTH = st.sampled_from([b"\0", b"\xff", b"\xff" * 8, b"\x7f" * 8, b"\0" * 64, b"TREE", b"OHDR"])


@FEW
@given(data=st.data())
def test_any_damage_to_the_structure_is_read_or_refused(
    files: official_files.Files, data: st.DataObject
) -> None:
    """Whole words of what is no number: sizes, addresses and types, whichever file is read."""
    source = Path(files.weight_file)
    whole = source.read_bytes()
    with h5py.File(source) as file:
        held: list[tuple[int, int]] = []
        file.visititems(
            lambda _, item: (
                held.append((item.id.get_offset(), item.nbytes))
                if isinstance(item, h5py.Dataset)
                else None
            )
        )
    inside = np.zeros(len(whole), bool)
    for start, size in held:
        inside[start : start + size] = True
    places = np.flatnonzero(~inside)
    content = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = int(places[data.draw(st.integers(0, len(places) - 1))])
        written = data.draw(WORTH)
        content[place : place + len(written)] = written
    odd = source.with_name("odd.hdf5")
    odd.write_bytes(content)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for read in (lambda: load_bilm(files.options_file, odd), lambda: official_file(odd)):
        assert "\n" not in refusal_of(read)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


@FEW
@given(data=st.data())
def test_any_damage_to_a_checkpoint_is_read_or_refused(
    files: official_files.Files, data: st.DataObject
) -> None:
    path = Path(files.weight_file).with_name("m.safetensors")
    save_pretrained(load_bilm(*files[:2]), path)
    whole = path.read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    content = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, header - 1) | st.integers(0, len(whole) - 1))
        content[place] = data.draw(st.integers(0, 255) | st.sampled_from(b'0919"{}[],:'))
    path.write_bytes(content)
    for read in (load_pretrained, read_record, Word2Vec.load, Tagger.load):
        assert "\n" not in refusal_of(partial(read, path))


def test_big_endian_half_and_double_numbers_are_read(files: official_files.Files) -> None:
    wanted = load_bilm(*files[:2]).state_dict()
    for kind, apart in ((">f4", 0), (">f8", 0), ("<f2", 1e-3), (">f2", 1e-3)):
        rewrite(files, lambda array, kind=kind: {"data": array.astype(kind)})
        for name, weight in load_bilm(*files[:2]).state_dict().items():
            torch.testing.assert_close(weight, wanted[name], rtol=0, atol=apart)


def rewrite(files: official_files.Files, change: Any) -> None:
    """The same file with each dataset made by the keywords that `change` gives."""
    old = Path(files.weight_file)
    with h5py.File(old) as source, h5py.File(old.with_suffix(".new"), "w") as target:

        def write(name: str, item: object) -> None:
            if isinstance(item, h5py.Dataset):
                target.create_dataset(name, **change(item[()]))

        source.visititems(write)
    old.with_suffix(".new").replace(old)


def test_what_is_not_in_the_file_is_not_taken_for_zeros(
    files: official_files.Files, tmp_path: Path
) -> None:
    shutil.copy(files.weight_file, tmp_path / "good.hdf5")
    outside = tmp_path / "outside.bin"
    outside.write_bytes(bytes(10**6))
    for change, message in (
        (lambda a: {"shape": a.shape, "dtype": "f4"}, "was not written to its end"),
        (
            lambda a: {"shape": a.shape, "dtype": "f4", "chunks": tuple(1 for _ in a.shape)},
            "was not written to its end",
        ),
        (
            lambda a: {"shape": a.shape, "dtype": "f4", "external": [(str(outside), 0, a.nbytes)]},
            "is kept in other files",
        ),
        (lambda a: {"data": np.full(a.shape, 1e300)}, "not finite"),
        (lambda a: {"data": np.full(a.shape, np.nan, "f4")}, "not finite"),
        (lambda a: {"data": np.ones(a.shape, "i4")}, "no array of floating-point numbers"),
        (lambda a: {"data": np.ones(a.shape, "c8")}, "no array of floating-point numbers"),
        (lambda a: {"data": a.astype(np.longdouble)}, "no array of floating-point numbers"),
        (lambda a: {"shape": a.shape, "dtype": h5py.vlen_dtype("f4")}, "is object, no array"),
        (lambda a: {"data": a[..., None]}, "has shape"),
    ):
        shutil.copy(tmp_path / "good.hdf5", files.weight_file)
        rewrite(files, change)
        with pytest.raises(ElmoFileError, match=message):
            load_bilm(*files[:2])


def test_an_array_may_have_another_name_in_the_same_file_alone(
    files: official_files.Files, tmp_path: Path
) -> None:
    expected = fingerprint(load_bilm(*files[:2]))
    name = "CNN_proj/W_proj"
    with h5py.File(files.weight_file, "r+") as file:
        file.move(name, "kept/here")
        file[name] = h5py.SoftLink("/kept/here")
        file["kept/too"] = file["CNN_proj/b_proj"]  # two names of one array
    assert fingerprint(load_bilm(*files[:2])) == expected
    shutil.copy(files.weight_file, tmp_path / "other.hdf5")
    for link in (name, "CNN_proj"):
        with h5py.File(files.weight_file, "r+") as file:
            del file[link]
            file[link] = h5py.ExternalLink("other.hdf5", f"/{link}")
        with pytest.raises(ElmoFileError, match=r"W_proj is kept in another file, other\.hdf5"):
            load_bilm(*files[:2])


def test_a_file_that_is_being_written_is_not_called_damaged(
    files: official_files.Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl", reason="this system locks files in another way")
    monkeypatch.setenv("HDF5_USE_FILE_LOCKING", "TRUE")
    with Path(files.weight_file).open("r+b") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        with pytest.raises(ElmoFileError, match="is locked: another program has it open"):
            load_bilm(*files[:2])
    load_bilm(*files[:2])


def test_arrays_far_larger_than_their_file_are_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "bomb.hdf5", "w") as file:
        file.create_dataset(
            "char_embed", data=np.zeros((4_000, 1_000), "f4"), chunks=(400, 1_000), compression=9
        )
    with pytest.raises(ElmoFileError, match="no trained weights"):
        official_file(tmp_path / "bomb.hdf5")


def test_a_checkpoint_is_held_to_its_options_before_anything_is_allocated(
    files: official_files.Files, tmp_path: Path
) -> None:
    path = tmp_path / "model.safetensors"
    save_pretrained(load_bilm(*files[:2]), path)
    with safe_open(path, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        record = json.loads(file.metadata()["record"])

    def refused(message: str, **changes: torch.Tensor) -> None:
        save_file({**tensors, **changes}, path, metadata={"record": json.dumps(record)})
        with pytest.raises(ConfigurationError, match=message):
            load_pretrained(path)

    first = next(iter(tensors))
    refused("not finite", **{first: torch.full_like(tensors[first], torch.nan)})
    refused("no array of floating-point", **{first: tensors[first].int()})
    refused("is no part of this model", stranger=torch.zeros(1))
    record["options"]["lstm"]["dim"] = 60_000
    refused("has shape")
    record["options"]["lstm"]["dim"] = 10**9
    refused(f"{path}: lstm.dim is 1000000000")


def test_the_bounds_leave_room_for_models_of_ten_times_as_many_weights() -> None:
    sizes = ((1, 128), (2, 128), (3, 256), (4, 512), (5, 1024), (6, 2048), (7, 4096))
    options = BiLMOptions(projection_dim=2048, dim=16384, filters=sizes, n_highway=2)
    assert options.weights > 940_000_000


def _awd_lstm(path: Path) -> Callable[[Path], object]:
    words = Vocabulary(["<unk>", "</s>", "the"], unknown="<unk>")
    options = AWDLSTMOptions(vocabulary_size=3, dim=6, hidden_dim=5, tied=False)
    save_awd_lstm(AWDLSTM(options), path, words)
    return load_awd_lstm


def _masked_lm(path: Path) -> Callable[[Path], object]:
    words = Vocabulary(["[UNK]", "the"], unknown="[UNK]")
    options = MaskedLMOptions(words=2, dim=4, heads=2, layers=1, longest=6)
    save_masked_lm(MaskedLM(options), words, path)
    return load_masked_lm


def _causal_lm(path: Path) -> Callable[[Path], object]:
    words = Vocabulary(["[UNK]", "the"], unknown="[UNK]")
    sizes = {"dim": 4, "heads": 2, "layers": 1, "longest": 6}
    save_causal_lm(CausalLM(2, dim=4, heads=2, layers=1, longest=6), sizes, words, path, {})
    return load_causal_lm


def _tagger(path: Path) -> Callable[[Path], object]:
    options = TaggerOptions(lm_position="none", hidden=4, word_dim=3)
    Tagger(["the", "dog"], ["O"], options).save(path)
    return Tagger.load


def _word2vec(path: Path) -> Callable[[Path], object]:
    Word2Vec([["the", "dog", "barks"]] * 50, vector_size=4, min_count=1, sample=0).save(path)
    return Word2Vec.load


SMALL_MODELS = [_awd_lstm, _masked_lm, _causal_lm, _tagger, _word2vec]


@pytest.mark.filterwarnings("ignore:next to nothing was learnt")
def test_a_good_file_is_not_replaced_by_one_that_cannot_be_read_back(tmp_path: Path) -> None:
    tagger = Tagger(["the", "dog"], ["O"], TaggerOptions(lm_position="none", hidden=4))
    vectors = Word2Vec([["the", "dog"]] * 50, vector_size=4, min_count=1, sample=0)
    for model, weight in ((tagger, tagger.dense.weight), (vectors, vectors._input)):
        path = tmp_path / "model.safetensors"
        model.save(path)  # type: ignore[attr-defined]
        good = path.read_bytes()
        weight.detach()[0, 0] = torch.nan
        with pytest.raises(ConfigurationError, match="holds numbers that are not finite, so the"):
            model.save(path)  # type: ignore[attr-defined]
        assert path.read_bytes() == good
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.filterwarnings("ignore:next to nothing was learnt")
@pytest.mark.parametrize("make", SMALL_MODELS, ids=lambda make: make.__name__.strip("_"))
def test_every_kind_of_model_is_held_to_its_sizes_before_anything_is_allocated(
    make: Callable[[Path], Callable[[Path], object]], tmp_path: Path
) -> None:
    path = tmp_path / "model.safetensors"
    load = make(path)
    with safe_open(path, "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        said = file.metadata()
    load(path)
    first = max(tensors, key=lambda name: tensors[name].numel())

    def refused(message: str, weight: torch.Tensor, metadata: dict[str, str] = said) -> None:
        save_file({**tensors, first: weight}, path, metadata=metadata)
        with pytest.raises(ValueError, match=message) as refusal:
            load(path)
        assert "\n" not in str(refusal.value)

    weight = tensors[first]
    spoilt = weight.clone()
    spoilt[-1, -1] = torch.inf
    refused("not finite", spoilt)
    for kind in (torch.int8, torch.bool, torch.complex64):
        refused("no array of floating-point", weight.to(kind))
    refused("has shape", weight[:-1])
    for name in ("layers", "dim", "hidden", "hidden_dim", "vector_size"):
        # Of the sizes that a file names, each far beyond what any machine could hold.
        whole, times = re.subn(rf'("{name}\\?": )\d+', r"\g<1>1000000000", json.dumps(said))
        if times:
            refused("does not|must be", weight, json.loads(whole))
