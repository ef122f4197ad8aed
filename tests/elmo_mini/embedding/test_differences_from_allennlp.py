"""Each row of the table of docs/package.md, *Where it differs from AllenNLP's classes*, is so."""

import io
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch

import elmo_mini
from elmo_mini import Elmo, ElmoEmbedder, batch_to_ids, load_bilm
from elmo_mini.checkpoints.pretrained import COURSE_CHECKPOINT, load_pretrained
from elmo_mini.embedding.stream import fingerprint
from elmo_mini.errors import ConfigurationError, ElmoFileError
from tests.elmo_mini import official_files
from tests.elmo_mini.checkpoints.test_word_models import word_model

PAGE = Path(__file__).resolve().parents[3] / "docs" / "package.md"
SENTENCES = [["The", "sentence", "."], ["ELMo", "."]]


def states(folder: Path) -> None:
    files = official_files.random_model(folder)
    plain, stateful = (
        ElmoEmbedder(files.options_file, files.weight_file, stateful=carried)
        for carried in (False, True)
    )
    first, again = plain.embed_batch(SENTENCES), plain.embed_batch(SENTENCES)
    np.testing.assert_array_equal(first[0], again[0])
    first, again = stateful.embed_batch(SENTENCES), stateful.embed_batch(SENTENCES)
    assert np.abs(first[0] - again[0])[1:].max() > 1e-4


def cached_vocabulary(folder: Path) -> None:
    files = official_files.random_model(folder)
    words = ["@@PADDING@@", "The", "sentence", "."]
    elmo = Elmo(files.options_file, files.weight_file, 1, dropout=0.0, vocab_to_cache=words)
    ids, rows = batch_to_ids(SENTENCES[:1]), [[1, 2, 3]]
    for _ in range(2):
        by_row = elmo(ids, np.array(rows))["elmo_representations"][0]
        by_letter = elmo(ids)["elmo_representations"][0]
        torch.testing.assert_close(by_row, by_letter)
        torch.testing.assert_close(elmo(ids.tolist(), rows)["elmo_representations"][0], by_row)
        with torch.no_grad():
            elmo.bilm.token_encoder.embedding.weight.mul_(0.5)


def own_model(folder: Path) -> None:
    assert fingerprint(ElmoEmbedder().bilm) == fingerprint(load_pretrained(COURSE_CHECKPOINT))
    with pytest.raises(FileNotFoundError, match="is an address; fetch the file"):
        ElmoEmbedder("https://example.org/options.json", "https://example.org/weights.hdf5")


def written_file(folder: Path) -> None:
    files = official_files.random_model(folder)
    embedder, target = ElmoEmbedder(files.options_file, files.weight_file), folder / "v.hdf5"
    target.write_text("somebody's")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        embedder.embed_file(["one two"], target)
    with pytest.raises(ValueError, match="boundary"):
        embedder.embed_file(["one", "<S>"], target, overwrite=True)
    assert target.read_text() == "somebody's"
    embedder.embed_file(["one two"], target, overwrite=True)
    with h5py.File(target) as file:
        assert file["0"].shape == (3, 2, 12)


def empty_line(folder: Path) -> None:
    files = official_files.random_model(folder)
    embedder = ElmoEmbedder(files.options_file, files.weight_file)
    embedder.embed_file(io.StringIO("one\n\ntwo\n"), folder / "v.hdf5")
    with h5py.File(folder / "v.hdf5") as file:
        assert [file[str(n)].shape[1] for n in range(3)] == [1, 0, 1]


def sentence_keys(folder: Path) -> None:
    files = official_files.random_model(folder)
    embedder = ElmoEmbedder(files.options_file, files.weight_file)
    with pytest.raises(ConfigurationError, match="sentence_to_index"):
        embedder.embed_file(["one"], folder / "v.hdf5", use_sentence_keys=True)


def nothing_to_embed(folder: Path) -> None:
    files = official_files.random_model(folder)
    for stateful in (False, True):
        embedder = ElmoEmbedder(files.options_file, files.weight_file, stateful=stateful)
        assert embedder.embed_batch([]) == list(embedder.embed_sentences([])) == []
        assert list(embedder.embed_sentences(iter([]))) == []


def whole_words(folder: Path) -> None:
    assert word_model(folder).load().embed_sentence(["the"]).shape == (3, 1, 12)


def characters_in_training(folder: Path) -> None:
    files = official_files.random_model(folder, n_characters=261)
    load_bilm(files.options_file, files.weight_file)
    files = official_files.random_model(folder, n_characters=300)
    with pytest.raises(ElmoFileError, match=r"300.*261 for training and 262 after it"):
        load_bilm(files.options_file, files.weight_file)


def checked_weights(folder: Path) -> None:
    files = official_files.random_model(folder)
    files.weights["CNN_proj/b_proj"][0] = np.inf
    official_files.write(folder, files.options, files.weights)
    with pytest.raises(ElmoFileError, match="b_proj holds numbers that are not finite"):
        load_bilm(files.options_file, files.weight_file)


def half_characters(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"token 1 of sentence 0 is 'a\\udc80b', which holds half"):
        batch_to_ids([["the", "a\udc80b"]])


def boundaries(folder: Path) -> None:
    vectors = torch.arange(1.0, 9.0).view(1, 4, 2)
    mask = torch.tensor([[True, True, True, False]])
    kept, kept_mask = elmo_mini.remove_sentence_boundaries(vectors, mask)
    assert kept.tolist() == [[[3.0, 4.0], [0.0, 0.0]]]
    assert kept_mask.tolist() == [[True, False]]


ROWS: dict[str, Callable[[Path], None]] = {
    "states are carried": states,
    "`vocab_to_cache`": cached_vocabulary,
    "`ElmoEmbedder()` fetches": own_model,
    "`embed_file` replaces": written_file,
    "`embed_file` refuses empty lines": empty_line,
    "`use_sentence_keys=True`": sentence_keys,
    "`embed_batch([])` fails": nothing_to_embed,
    "models over whole words": whole_words,
    "`n_characters` must be 262": characters_in_training,
    "a weight file is read as it comes": checked_weights,
    "half a character": half_characters,
    "`allennlp.nn.util.remove_sentence_boundaries`": boundaries,
}


def test_every_row_of_the_table_is_held_here() -> None:
    table = PAGE.read_text(encoding="utf-8").split("| AllenNLP | here |\n|---|---|\n")[1]
    rows = table.split("\n\n")[0].splitlines()
    held = [[key for key in ROWS if key in row] for row in rows]
    assert [len(keys) for keys in held] == [1] * len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: ROWS[row].__name__)
def test_the_table_of_differences(row: str, tmp_path: Path) -> None:
    ROWS[row](tmp_path)


def test_a_tilde_is_the_home_folder_in_every_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    word_model(tmp_path)
    files = {"options_file": "~/options.json", "weight_file": "~/weights.hdf5"}
    embedder = ElmoEmbedder(**files, vocabulary_file="~/vocab.txt")
    Elmo(**files, num_output_representations=1, vocabulary_file="~/vocab.txt")
    elmo_mini.save_bilm(embedder.bilm, "~/o.json", "~/w.hdf5", "~/v.txt")
    elmo_mini.save_pretrained(embedder.bilm, "~/m.safetensors")
    elmo_mini.load_pretrained("~/m.safetensors")
    embedder.embed_file(["one"], "~/out.hdf5")
    (tmp_path / "text.txt").write_text("one two\n")
    elmo_mini.embed_file(embedder.bilm, "~/text.txt", "~/cache.vectors", progress=False)
    elmo_mini.VectorCache("~/cache.vectors")
    assert not Path("~").exists()
    assert {"o.json", "w.hdf5", "v.txt", "out.hdf5", "cache.vectors"} <= {
        path.name for path in tmp_path.iterdir()
    }
