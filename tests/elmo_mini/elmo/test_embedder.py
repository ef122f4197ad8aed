"""The old ElmoEmbedder's interface."""

from pathlib import Path

import numpy as np
import pytest

from elmo_mini.elmo.embedder import ElmoEmbedder
from elmo_mini.errors import ConfigurationError
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
    with pytest.raises(ValueError, match="no sentence"):
        embedder.embed_batch([])


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
    with pytest.raises(ConfigurationError, match="or a module"):
        ElmoEmbedder()


@published_model.needs_model
def test_published_model_through_the_embedder() -> None:
    embedder = ElmoEmbedder(published_model.OPTIONS, published_model.WEIGHTS, stateful=True)
    tops = published_model.expected_top_layer()
    for batch, top in zip(published_model.batches(), tops, strict=True):
        ours = embedder.embed_batch(batch)[0]
        np.testing.assert_allclose(ours[-1], top, rtol=0, atol=1e-5)
