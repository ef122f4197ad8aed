"""Models of bilm-tf over whole words: a table, a vocabulary file, and no characters."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from elmo_mini import Elmo, ElmoEmbedder, load_bilm, load_pretrained, save_bilm, save_pretrained
from elmo_mini.__main__ import main
from elmo_mini.checkpoints.find import load_model
from elmo_mini.embedding.stream import fingerprint
from elmo_mini.errors import ConfigurationError, ElmoFileError
from elmo_mini.text.character_ids import batch_to_ids
from tests.elmo_mini import numpy_elmo, official_files

WORDS = ["<S>", "</S>", "<UNK>", "，", "我们", "喜欢", "violin", "the", "n" * 47, "n" * 48]
KNOWN = ["我们", "喜欢", "the", "violin"]


class WordFiles(NamedTuple):
    options: Path
    weights: Path
    vocabulary: Path
    arrays: dict[str, np.ndarray]
    content: dict[str, Any]

    def load(self, **settings: Any) -> ElmoEmbedder:
        return ElmoEmbedder(self.options, self.weights, vocabulary_file=self.vocabulary, **settings)


def word_model(folder: Path, words: list[str] = WORDS, **entries: Any) -> WordFiles:
    """A model as bilm-tf writes it where the options have no char_cnn."""
    content: dict[str, Any] = official_files.options()
    weights = official_files.random_weights(content, 1.0, 3)
    arrays = {name: array for name, array in weights.items() if name.startswith("RNN")}
    random = np.random.default_rng(4)
    arrays["embedding"] = random.normal(size=(len(words), 6)).astype(np.float32)
    content = {"lstm": content["lstm"], "n_tokens_vocab": len(words), **entries}
    files = official_files.write(folder, content, arrays)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    return WordFiles(files.options_file, files.weight_file, vocabulary, arrays, content)


def by_hand(
    monkeypatch: pytest.MonkeyPatch, files: WordFiles, sentence: list[str], words: list[str] = WORDS
) -> np.ndarray:
    def row(word: str, weights: numpy_elmo.Weights, options: dict[str, Any]) -> np.ndarray:
        place = words.index(word) if word in words else words.index("<UNK>")
        return weights["embedding"][place].astype(np.float64)

    monkeypatch.setattr(numpy_elmo, "token_vector", row)
    return numpy_elmo.sentence_layers(sentence, files.arrays, files.content)[0][:, 1:-1]


@pytest.mark.parametrize(
    "sentence",
    [KNOWN, ["never", "met", "我们", "我"], ["n" * 47, "n" * 48, "n" * 49, "n" * 90], ["", "，"]],
    ids=["known", "unknown", "long", "empty word"],
)
def test_vectors_are_those_of_the_table_and_the_lstms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sentence: list[str]
) -> None:
    files = word_model(tmp_path)
    found = files.load().embed_sentence(sentence)
    np.testing.assert_allclose(found, by_hand(monkeypatch, files, sentence), atol=2e-6)


def test_a_character_model_gives_its_own_vectors_from_the_table_of_its_words(
    tmp_path: Path,
) -> None:
    """What bilm-tf's `dump_token_embeddings` is for."""
    letters = official_files.random_model(tmp_path)
    characters = ElmoEmbedder(letters.options_file, letters.weight_file)
    sentence = ["She", "plays", "the", "violin"]
    words = ["<S>", "</S>", "<UNK>", *sentence]
    ids = batch_to_ids([words], allow_boundary_tokens=True)[0]
    table = characters.bilm.token_encoder(ids).detach().numpy()
    (tmp_path / "words").mkdir()
    files = word_model(tmp_path / "words", words)
    kept = {name: array for name, array in letters.weights.items() if name.startswith("RNN")}
    official_files.write(tmp_path / "words", files.content, {**kept, "embedding": table})
    np.testing.assert_allclose(
        files.load().embed_sentence(sentence), characters.embed_sentence(sentence), atol=2e-6
    )


def test_every_way_in_gives_the_same(tmp_path: Path) -> None:
    files = word_model(tmp_path)
    embedder = files.load()
    expected = embedder.embed_sentence(KNOWN)
    assert fingerprint(load_model(tmp_path)) == fingerprint(embedder.bilm)  # vocab.txt is found
    (stream,) = embedder.embed_sentences([KNOWN])
    np.testing.assert_allclose(stream, expected, atol=1e-6)
    elmo = Elmo(
        files.options,
        files.weights,
        1,
        scalar_mix_parameters=[-1e4, -1e4, 0.0],
        vocabulary_file=files.vocabulary,
    ).eval()
    width = elmo.bilm.options.max_characters
    top = elmo(batch_to_ids([KNOWN], max_characters=width))["elmo_representations"][0][0]
    np.testing.assert_allclose(top.detach(), expected[-1], atol=1e-6)
    (tmp_path / "text.txt").write_text(" ".join(KNOWN), encoding="utf-8")
    out = tmp_path / "out.hdf5"
    call = ["embed", str(tmp_path / "text.txt"), str(out), "--model", str(files.options)]
    call += ["--weights", str(files.weights), "--vocabulary", str(files.vocabulary)]
    assert main(call) == 0
    assert out.exists()


def test_it_is_written_and_read_again(tmp_path: Path) -> None:
    bilm = word_model(tmp_path).load().bilm
    mark = fingerprint(bilm)
    save_pretrained(bilm, tmp_path / "one.safetensors")
    assert fingerprint(load_pretrained(tmp_path / "one.safetensors")) == mark
    again = tmp_path / "o.json", tmp_path / "w.hdf5", tmp_path / "v.txt"
    save_bilm(bilm, *again)
    assert fingerprint(load_bilm(again[0], again[1], vocabulary_file=again[2])) == mark
    with pytest.raises(ConfigurationError, match="reads whole words; name a vocabulary_file"):
        save_bilm(bilm, *again[:2])


@pytest.mark.parametrize("word", ["a\r", "a\rb", "a\nb", "c\x85", " c", "a\0", "!!!MAXTERMID"])
def test_a_word_that_its_file_would_lose_is_not_written(tmp_path: Path, word: str) -> None:
    bilm = word_model(tmp_path).load().bilm
    words = [*WORDS[:-1], word]
    bilm.token_encoder.set_words(words)
    written = tmp_path / "written"
    with pytest.raises(ConfigurationError, match="cannot stand in a vocabulary file"):
        save_bilm(bilm, written / "o.json", written / "w.hdf5", written / "v.txt")
    assert not list(written.iterdir())
    save_pretrained(bilm, tmp_path / "m.safetensors")
    assert load_pretrained(tmp_path / "m.safetensors").token_encoder.words == words


def test_the_table_is_trained_where_that_is_asked_for(tmp_path: Path) -> None:
    files = word_model(tmp_path)
    elmo = Elmo(
        files.options, files.weights, 1, requires_grad=True, vocabulary_file=files.vocabulary
    )
    ids = batch_to_ids([["the"]], max_characters=elmo.bilm.options.max_characters)
    elmo(ids)["elmo_representations"][0].sum().backward()
    grad = elmo.bilm.token_encoder.embedding.weight.grad
    assert grad is not None
    assert {WORDS[row] for row in grad.any(1).nonzero()[:, 0].tolist()} == {"<S>", "</S>", "the"}


def test_two_vocabularies_are_two_models(tmp_path: Path) -> None:
    files = word_model(tmp_path)
    mark = fingerprint(files.load().bilm)
    swapped = [*WORDS[:3], WORDS[4], WORDS[3], *WORDS[5:]]
    files.vocabulary.write_text("\n".join(swapped), encoding="utf-8")
    assert fingerprint(files.load().bilm) != mark


def test_a_line_that_bilm_tf_passes_over_has_no_row(tmp_path: Path) -> None:
    files = word_model(tmp_path)
    expected = files.load().embed_sentence(KNOWN)
    files.vocabulary.write_text("!!!MAXTERMID\r\n" + "\r\n".join(WORDS), encoding="utf-8")
    np.testing.assert_array_equal(files.load().embed_sentence(KNOWN), expected)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    files = word_model(tmp_path)
    with pytest.raises(ElmoFileError, match=r"over whole words, and its vocabulary is missing"):
        load_bilm(files.options, files.weights)
    with pytest.raises(FileNotFoundError, match="no vocabulary file"):
        load_bilm(files.options, files.weights, vocabulary_file=tmp_path / "none.txt")
    short = tmp_path / "short.txt"
    short.write_text("\n".join(WORDS[:-1]), encoding="utf-8")
    with pytest.raises(ElmoFileError, match=r"has 9 words, but .* says n_tokens_vocab 10"):
        load_bilm(files.options, files.weights, vocabulary_file=short)
    short.write_text("\n".join(["<S>", "<unk>", *WORDS[2:]]), encoding="utf-8")
    with pytest.raises(ElmoFileError, match="lacks </S>"):
        load_bilm(files.options, files.weights, vocabulary_file=short)
    short.write_bytes(b"\xff\xfe<\0S\0")
    with pytest.raises(ElmoFileError, match="save it as UTF-8"):
        load_bilm(files.options, files.weights, vocabulary_file=short)
    del files.content["n_tokens_vocab"]
    files.options.write_text(json.dumps(files.content), encoding="utf-8")
    with pytest.raises(ElmoFileError, match='"n_tokens_vocab", the number of its words'):
        files.load()


def test_files_of_two_kinds_are_not_mixed(tmp_path: Path) -> None:
    words = word_model(tmp_path)
    (tmp_path / "letters").mkdir()
    letters = official_files.random_model(tmp_path / "letters")
    with pytest.raises(ElmoFileError, match="over characters, but its options have no char_cnn"):
        load_bilm(words.options, letters.weight_file, vocabulary_file=words.vocabulary)
    with pytest.raises(ElmoFileError, match="belongs to a model over whole words"):
        load_bilm(letters.options_file, words.weights)
    with pytest.raises(ConfigurationError, match="needs no vocabulary"):
        load_bilm(letters.options_file, letters.weight_file, vocabulary_file=words.vocabulary)


def test_a_table_without_numbers_takes_no_memory(tmp_path: Path) -> None:
    files = word_model(tmp_path, n_tokens_vocab=1_000_000_000)
    with pytest.raises(ElmoFileError, match=r"n_tokens_vocab is 1000000000; it must be at most"):
        files.load()


def test_it_computes_in_double_and_in_inference_mode(tmp_path: Path) -> None:
    bilm = word_model(tmp_path).load().bilm.double()
    with torch.inference_mode():
        vectors = ElmoEmbedder(module=bilm).embed_sentence(KNOWN)
    assert np.isfinite(vectors).all()
