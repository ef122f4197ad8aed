"""Word vectors kept between calls."""

import copy
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import torch

from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.fast.char_cnn import CharacterCNN
from elmo_mini.fast.char_cnn_types import encode_types
from elmo_mini.fast.token_cache import TokenCache
from elmo_mini.text.character_ids import batch_to_ids

OPTIONS = BiLMOptions(projection_dim=4, dim=8, filters=((1, 3), (2, 4)))


class Counting:
    """`encode_types`, and how many words it was asked for."""

    def __init__(self) -> None:
        self.words = 0

    def __call__(self, encoder: CharacterCNN, ids: torch.Tensor) -> torch.Tensor:
        self.words += len(ids)
        return encode_types(encoder, ids)


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> Counting:
    counting = Counting()
    monkeypatch.setattr("elmo_mini.fast.token_cache.encode_types", counting)
    return counting


@pytest.fixture
def encoder() -> CharacterCNN:
    torch.manual_seed(4)
    return CharacterCNN(OPTIONS).requires_grad_(False)


def ids_of(text: str) -> torch.Tensor:
    return batch_to_ids([text.split()])[0]


def same(cache: TokenCache, text: str) -> None:
    vectors, places = cache.encode(ids_of(text))
    torch.testing.assert_close(vectors[places], cache.encoder(ids_of(text)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("locked", [False, True])
def test_a_forked_child_does_not_wait_for_a_thread_of_its_parent(
    encoder: CharacterCNN, locked: bool
) -> None:
    cache = TokenCache(encoder, 100)
    same(cache, "a b")
    if locked:
        cache._lock.acquire()
    child = os.fork()
    if child == 0:
        free = cache._lock.acquire(timeout=10)
        os._exit(len(cache) if free else 99)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == (0 if locked else 2)


def test_every_word_is_encoded_once(encoder: CharacterCNN, encoded: Counting) -> None:
    cache = TokenCache(encoder, 100)
    same(cache, "a b a c")
    assert encoded.words == 3
    same(cache, "c d b")
    assert encoded.words == 4
    assert len(cache) == 4


def test_capacity_is_never_passed(encoder: CharacterCNN) -> None:
    cache = TokenCache(encoder, 3)
    for text in ("a b", "c a", "d e", "a b c d e f", "a"):
        same(cache, text)
        assert len(cache) <= 3
    with pytest.raises(ValueError, match="at least one"):
        TokenCache(encoder, 0)


def test_a_full_cache_still_serves_what_it_holds(encoder: CharacterCNN, encoded: Counting) -> None:
    cache = TokenCache(encoder, 3)
    same(cache, "a b c")
    same(cache, "c b a")
    assert encoded.words == 3


def test_grows_past_its_first_block(encoder: CharacterCNN, encoded: Counting) -> None:
    cache = TokenCache(encoder, 10_000)
    for first in range(0, 3000, 600):
        same(cache, " ".join(f"w{k}" for k in range(first, first + 700)))
    assert len(cache) == 3100
    same(cache, "w0 w1500 w3099")
    assert encoded.words == 3100


def test_changed_weights_empty_the_cache(encoder: CharacterCNN) -> None:
    cache = TokenCache(encoder, 100)
    same(cache, "a b")
    with torch.no_grad():
        encoder.embedding.weight.mul_(2)
    same(cache, "a b")
    encoder.load_state_dict(CharacterCNN(OPTIONS).state_dict())
    same(cache, "a b")
    encoder.double()
    same(cache, "a b")


def test_a_copy_starts_empty_and_keeps_its_own_words(encoder: CharacterCNN) -> None:
    cache = TokenCache(encoder, 100)
    same(cache, "a b")
    for other in (copy.deepcopy(cache), pickle.loads(pickle.dumps(cache))):
        assert len(other) == 0
        same(other, "a c d")
    assert len(cache) == 2


def test_threads_that_fill_it_together_get_their_own_words() -> None:
    """Eight threads, first calls together, a hundred rounds (house fault F1)."""
    torch.manual_seed(4)
    encoder = CharacterCNN(OPTIONS).requires_grad_(False)
    texts = [" ".join(f"w{k}" for k in range(n, n + 40)) for n in range(8)]
    expected = [encoder(ids_of(text)) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        for round_ in range(100):
            cache, start = TokenCache(encoder, 30 if round_ % 2 else 1000), Barrier(8)

            def ask(
                text: str, cache: TokenCache = cache, start: Barrier = start
            ) -> tuple[torch.Tensor, torch.Tensor]:
                start.wait()
                return cache.encode(ids_of(text))

            for (vectors, places), right in zip(pool.map(ask, texts), expected, strict=True):
                torch.testing.assert_close(vectors[places], right)
