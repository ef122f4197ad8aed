"""The stream: order, batches within bounds, and the model left as it was."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.embedding.stream import CACHED_WORDS, TextHash, embed_stream, fingerprint
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.token_cache import TokenCache
from elmo_mini.text import character_ids
from tests.elmo_mini import numpy_elmo, official_files


@pytest.fixture
def files(tmp_path: Path) -> official_files.Files:
    return official_files.random_model(tmp_path)


@pytest.fixture
def bilm(files: official_files.Files) -> FastBiLM:
    return load_bilm(files.options_file, files.weight_file)


def test_order_and_vectors(bilm: FastBiLM, files: official_files.Files) -> None:
    lengths = np.random.default_rng(0).integers(0, 9, 40)
    sentences = [[f"w{k % 5}" for k in range(n)] for n in lengths]
    for sentence, embedded in zip(sentences, embed_stream(bilm, sentences), strict=True):
        assert embedded.words == sentence
        right, _ = numpy_elmo.sentence_layers(sentence, files.weights, files.options)
        assert embedded.token_layer.shape == (len(sentence), 6)
        np.testing.assert_allclose(embedded.every_layer(), right[:, 1:-1], rtol=0, atol=1e-5)


def test_reading_ahead_and_batches_are_bounded_in_tokens(
    bilm: FastBiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elmo_mini.embedding.stream.AHEAD_TOKENS", 100)
    monkeypatch.setattr("elmo_mini.embedding.stream.BATCH_TOKENS", 50)
    shapes: list[tuple[int, int]] = []
    forward = bilm.forward

    def watched(ids, **rest):  # type: ignore[no-untyped-def]
        shapes.append(tuple(ids.shape[:2]))
        return forward(ids, **rest)

    monkeypatch.setattr(bilm, "forward", watched)
    lengths = [3, 70, 1, 12, 5, 30, 8] * 5
    taken = 0

    def stream() -> Iterator[list[str]]:
        nonlocal taken
        for n in lengths:
            taken += n + 2
            yield ["w"] * n

    given = 0
    for embedded in embed_stream(bilm, stream(), batch_size=4):
        assert taken - given <= 100 + 72
        given += len(embedded.words) + 2
    assert max(rows for rows, _ in shapes) == 4
    assert all(rows * (width + 2) <= 50 or rows == 1 for rows, width in shapes)
    assert (1, 70) in shapes


def test_a_stateful_model_keeps_order_and_batch_size(
    bilm: FastBiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elmo_mini.embedding.stream.BATCH_TOKENS", 10)
    bilm.stateful = True
    sentences = [["a"] * n for n in (5, 1, 4, 2, 3)]
    streamed = [e.layers for e in embed_stream(bilm, sentences, batch_size=2)]
    bilm.reset_states()
    by_hand = [e.layers for k in (0, 2, 4) for e in embed_stream(bilm, sentences[k : k + 2])]
    for one, other in zip(streamed, by_hand, strict=True):
        np.testing.assert_array_equal(one, other)
    bilm.reset_states()
    fresh = [e.layers for e in embed_stream(bilm, sentences[2:])]
    assert np.abs(fresh[0] - streamed[2]).max() > 1e-3


def test_a_model_without_a_token_cache_gets_none_while_the_stream_lasts(bilm: FastBiLM) -> None:
    before = list(bilm.named_buffers())
    for _ in embed_stream(bilm, [["a"], ["b"]]):
        assert bilm.token_cache is None
    for (name, buffer), (_, old) in zip(bilm.named_buffers(), before, strict=True):
        assert buffer is old, name


def test_what_is_kept_of_words_is_bounded_as_the_page_says(
    bilm: FastBiLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/package.md names both bounds where it tells the memory of a million words."""
    assert character_ids._cached_row.cache_info().maxsize == 65_536
    assert character_ids._cached_row("word", 50).nbytes == 400
    assert CACHED_WORDS == 50_000
    monkeypatch.setattr("elmo_mini.embedding.stream.CACHED_WORDS", 20)
    monkeypatch.setattr("elmo_mini.embedding.stream.AHEAD_TOKENS", 30)
    caches: list[TokenCache] = []

    class Noted(TokenCache):
        def __init__(self, *settings: Any) -> None:
            super().__init__(*settings)
            caches.append(self)

    monkeypatch.setattr("elmo_mini.embedding.stream.TokenCache", Noted)
    most = 0
    for _ in embed_stream(bilm, ([f"word{k}", f"other{k}"] for k in range(100))):
        most = max(most, len(caches[0]))
    assert len(caches) == 1
    assert 0 < most <= 20


def test_the_models_own_token_cache_is_used(bilm: FastBiLM) -> None:
    bilm.cache_tokens(10)
    mine = bilm.token_cache
    list(embed_stream(bilm, [["a"]]))
    assert bilm.token_cache is mine
    assert mine is not None
    assert len(mine) == 3  # with both boundaries


def test_errors(bilm: FastBiLM) -> None:
    with pytest.raises(ValueError, match="batch_size is 0"):
        next(embed_stream(bilm, [["a"]], batch_size=0))
    with pytest.raises(TypeError, match="split the text first"):
        next(embed_stream(bilm, ["a string"]))


def test_an_error_names_the_sentence_by_its_number_in_the_stream(bilm: FastBiLM) -> None:
    text: list[Any] = [["w"] * n for n in (9, 8, 7, 6)]
    for wrong, message in (
        (["a", 5], r"token 1 of sentence 4 is 5 \(int\)"),
        (["</S>"], "token 0 of sentence 4 is '</S>'"),
        (None, "sentence 4 is None"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            list(embed_stream(bilm, [*text, wrong]))
    with pytest.raises(TypeError, match="the text is None, not a list of sentences"):
        list(embed_stream(bilm, None))  # type: ignore[arg-type]


@pytest.mark.precision
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_model_of_half_precision_gives_float32(bilm: FastBiLM, dtype: torch.dtype) -> None:
    exact = [e.every_layer() for e in embed_stream(bilm, [["a", "cat"]])]
    rough = [e.every_layer() for e in embed_stream(bilm.to(dtype), [["a", "cat"]])]
    assert rough[0].dtype == np.float32
    np.testing.assert_allclose(rough[0], exact[0], rtol=0, atol=0.05)


def test_the_fingerprint_tells_models_and_number_types_apart(bilm: FastBiLM) -> None:
    marks = {fingerprint(bilm)}
    marks |= {fingerprint(bilm.to(dtype)) for dtype in (torch.bfloat16, torch.float16)}
    assert len(marks) == 3


def test_text_hash_sees_words_order_and_cuts() -> None:
    texts = [[["a", "b"]], [["a"], ["b"]], [["b", "a"]], [["ab"]], [["a", "b"], []], [["a b"]]]
    assert len({TextHash(text).hexdigest() for text in texts}) == len(texts)
    assert TextHash([("a", "b")]).hexdigest() == TextHash([["a", "b"]]).hexdigest()
    with pytest.raises(TypeError, match=r"token 0 of sentence 1 is b'b' \(bytes\)"):
        TextHash([["a"], [b"b"]])  # type: ignore[list-item]
