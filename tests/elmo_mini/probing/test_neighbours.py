"""Neighbours in context, against a plain search over all vectors."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.embedding.cache import CacheForeign, VectorCache, write_cache
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.probing.neighbours import (
    Neighbour,
    context_neighbours,
    in_brackets,
    same_label_share,
)
from tests.elmo_mini import official_files

CORPUS = [
    ["A", "new", "play", "opened", "at", "the", "theatre"],
    [],
    ["They", "play", "in", "the", "garden"],
    ["Nothing", "of", "the", "kind"],
    ["Play", "after", "play", "was", "written"],
    ["He", "plays", "and", "she", "played"],
    ["We", "saw", "a", "play"],
    ["They", "play", "in", "the", "street"],
]
QUERY = ["They", "play", "in", "the", "park"]


@pytest.fixture
def bilm(tmp_path: Path) -> FastBiLM:
    files = official_files.random_model(tmp_path, scale=2.0)
    return load_bilm(files.options_file, files.weight_file)


def searched(bilm: FastBiLM, layer: int, forms: set[str] | None) -> list[tuple[float, int, int]]:
    """Every (similarity, sentence, position) by falling similarity, the slow way."""
    embedder = ElmoEmbedder(module=bilm)
    query = embedder.embed_sentence(QUERY)[layer, 1]
    found = []
    for number, sentence in enumerate(CORPUS):
        for place, vector in enumerate(embedder.embed_sentence(sentence)[layer]):
            if forms is None or sentence[place].lower() in forms:
                cosine = vector @ query / np.linalg.norm(vector) / np.linalg.norm(query)
                found.append((float(cosine), number, place))
    return sorted(found, key=lambda entry: (-entry[0], entry[1:]))


def agree(neighbours: list[Neighbour], right: list[tuple[float, int, int]]) -> None:
    assert [(n.number, n.position) for n in neighbours] == [entry[1:] for entry in right]
    np.testing.assert_allclose(
        [n.similarity for n in neighbours], [entry[0] for entry in right], rtol=0, atol=1e-5
    )
    assert all(n.sentence == tuple(CORPUS[n.number]) for n in neighbours)


@pytest.mark.parametrize("topn", [1, 3, 100])
def test_same_word_by_layer(bilm: FastBiLM, topn: int) -> None:
    found = context_neighbours(bilm, QUERY, 1, CORPUS, topn=topn, progress=False)
    assert list(found) == [0, 1, 2]
    for layer in (1, 2):
        agree(found[layer], searched(bilm, layer, {"play"})[:topn])
    assert all(n.word in {"play", "Play"} for n in found[1])


def test_layer_zero_cannot_tell_occurrences_apart(bilm: FastBiLM) -> None:
    found = context_neighbours(bilm, QUERY, 1, CORPUS, topn=3, layers=[0], progress=False)
    assert [n.similarity for n in found[0]] == pytest.approx([1, 1, 1], abs=1e-6)


def test_forms_and_any_word(bilm: FastBiLM) -> None:
    forms = ["PLAY", "plays", "played"]
    found = context_neighbours(bilm, QUERY, 1, CORPUS, forms=forms, layers=[2], progress=False)
    agree(found[2], searched(bilm, 2, {"play", "plays", "played"})[:10])
    found = context_neighbours(bilm, QUERY, 1, CORPUS, any_word=True, layers=[1], progress=False)
    agree(found[1], searched(bilm, 1, None)[:10])


def test_only_sentences_with_the_word_are_embedded(
    bilm: FastBiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = 0
    forward = bilm.forward

    def watched(ids, **rest):  # type: ignore[no-untyped-def]
        nonlocal rows
        rows += len(ids)
        return forward(ids, **rest)

    monkeypatch.setattr(bilm, "forward", watched)
    context_neighbours(bilm, QUERY, 1, lambda: iter(CORPUS), progress=False)
    assert rows == 1 + 5


def test_the_query_itself_is_left_out(bilm: FastBiLM) -> None:
    found = context_neighbours(bilm, QUERY, 1, [QUERY, *CORPUS, QUERY], topn=99, progress=False)
    assert all(n.sentence != tuple(QUERY) for n in found[1])
    assert {n.number for n in found[1]} == {1, 3, 5, 7, 8}


def test_a_cache_gives_the_same(bilm: FastBiLM, tmp_path: Path) -> None:
    cache = write_cache(bilm, CORPUS, tmp_path / "cache", progress=False)
    streamed = context_neighbours(bilm, QUERY, 1, CORPUS, progress=False)
    stored = context_neighbours(bilm, QUERY, 1, VectorCache(cache.path), progress=False)
    for layer in (1, 2):
        agree(stored[layer], [(n.similarity, n.number, n.position) for n in streamed[layer]])
    bilm.layers[0].bias.data += 1
    with pytest.raises(CacheForeign, match="another model"):
        context_neighbours(bilm, QUERY, 1, cache, progress=False)


def test_the_corpus_is_streamed(bilm: FastBiLM) -> None:
    def sentences() -> Iterator[list[str]]:
        for number in range(3_000):
            yield ["They", "play", f"w{number}"]

    found = context_neighbours(bilm, QUERY, 1, sentences, topn=2, layers=[1], progress=False)
    assert len(found[1]) == 2
    assert found[1][0].similarity >= found[1][1].similarity


def test_word_that_is_not_there_and_errors(bilm: FastBiLM) -> None:
    assert context_neighbours(bilm, QUERY, 4, CORPUS, layers=[1], progress=False) == {1: []}
    with pytest.raises(ValueError, match="position 5 is outside the sentence, which has 5 words"):
        context_neighbours(bilm, QUERY, 5, CORPUS)
    with pytest.raises(ValueError, match="no layer 7"):
        context_neighbours(bilm, QUERY, 1, CORPUS, layers=[7])
    with pytest.raises(ValueError, match="topn is 0"):
        context_neighbours(bilm, QUERY, 1, CORPUS, topn=0)
    for given in (
        {"sentence": "the play"},
        {"sentence": QUERY, "forms": "plays"},
        {"sentence": QUERY, "corpus": ["I play a game"], "any_word": True},
    ):
        with pytest.raises(TypeError):
            context_neighbours(bilm, **{"position": 1, "corpus": CORPUS, **given})


def test_brackets() -> None:
    sentence = [str(k) for k in range(12)]
    assert in_brackets(sentence, 0, 2) == "[0] 1 2 ..."
    assert in_brackets(sentence, 5, 2) == "... 3 4 [5] 6 7 ..."
    assert in_brackets(sentence, 11, 20) == " ".join(sentence[:11]) + " [11]"
    assert str(Neighbour(0.5, ("a", "b"), 1, 0)) == " 0.500  a [b]"


def test_the_share_of_the_nearest_with_the_same_label() -> None:
    angles = np.radians([0, 10, 20, 90, 100, 110, 40])
    vectors = np.stack([np.cos(angles), np.sin(angles)], 1) * np.arange(1, 8)[:, None]
    share = same_label_share(vectors, list("aaabbbb"), nearest=2)
    assert share.tolist() == [1, 1, 0.75, 1, 1, 1, 0]  # 20 degrees lie between two equals


def test_where_all_are_equally_near_the_share_is_that_of_all_others() -> None:
    share = same_label_share(np.ones((7, 3)), list("aaabbbb"))
    assert np.allclose(share, [2 / 6] * 3 + [3 / 6] * 4)


def test_only_vectors_of_one_group_are_compared() -> None:
    rng = np.random.default_rng(0)
    vectors, labels = rng.standard_normal((16, 4)), list("aabb" * 4)
    groups = [*"xxxxxxyyyyyy", None, None, "z", "z"]  # of z there are two, and both are b
    share = same_label_share(vectors, labels, groups=groups)
    assert share[:6].tolist() == same_label_share(vectors[:6], labels[:6]).tolist()
    assert share[6:12].tolist() == same_label_share(vectors[6:12], labels[6:12]).tolist()
    assert np.isnan(share[12:]).all()


def test_a_vector_of_zeros_is_near_nobody_and_nan_is_refused() -> None:
    vectors = np.array([[1, 0], [1, 0.1], [1, 0.2], [0, 1], [0.1, 1], [0.2, 1]])
    shares = same_label_share(vectors, list("abaabb"), 2)
    beside = same_label_share(np.vstack([vectors, [[0, 0]]]), list("abaabbb"), 2)
    assert beside[:-1].tolist() == shares.tolist()
    vectors[2, 0] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        same_label_share(vectors, list("abaabb"), 2)


def test_fewer_vectors_than_neighbours_are_refused() -> None:
    with pytest.raises(ValueError, match="there are 5 vectors"):
        same_label_share(np.eye(5), list("aabbb"))
    with pytest.raises(ValueError, match="there are 2 vectors"):
        same_label_share(np.eye(9), list("abababaab"), groups=list("xxyyyyyyy"))


def test_a_stateful_model_has_no_neighbours_of_its_own(bilm: FastBiLM) -> None:
    bilm.stateful = True
    with pytest.raises(ConfigurationError, match="the model is stateful"):
        context_neighbours(bilm, ["a", "play"], 1, [["a", "play"]])


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"position": 1.0}, "position 1.0 is outside"),
        ({"topn": 1.5}, "topn is 1.5"),
        ({"layers": [1.0]}, "no layer 1.0"),
    ],
)
def test_what_is_no_whole_number_is_named(
    bilm: FastBiLM, setting: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        context_neighbours(bilm, ["a", "play"], **{"position": 1, "corpus": [["b"]]} | setting)


def test_shares_that_there_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="nearest is 0"):
        same_label_share(np.eye(3), list("aab"), 0)
    with pytest.raises(ValueError, match="there are 2 labels"):
        same_label_share(np.eye(3), list("ab"), 1)
    with pytest.raises(ValueError, match="3 labels and 2 groups"):
        same_label_share(np.eye(3), list("aab"), 1, groups=list("xy"))
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        same_label_share(np.ones(3), list("aab"), 1)
