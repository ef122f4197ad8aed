"""Word vectors kept between calls."""

import pytest
import torch

from elmo_mini.bilm.options import BiLMOptions
from elmo_mini.characters.cnn import CharacterCNN
from elmo_mini.characters.ids import batch_to_ids
from elmo_mini.characters.token_cache import TokenCache

OPTIONS = BiLMOptions(projection_dim=4, dim=8, filters=((1, 3), (2, 4)))


class Counting:
    def __init__(self, encoder: CharacterCNN) -> None:
        self.encoder, self.words = encoder, 0

    def __call__(self, ids: torch.Tensor) -> torch.Tensor:
        self.words += len(ids)
        return self.encoder.encode_types(ids)


@pytest.fixture
def encoder() -> CharacterCNN:
    torch.manual_seed(4)
    return CharacterCNN(OPTIONS).requires_grad_(False)


def ids_of(text: str) -> torch.Tensor:
    return batch_to_ids([text.split()])[0]


def same(cache: TokenCache, encode: Counting, text: str) -> None:
    vectors, places = cache.encode(ids_of(text), encode)
    torch.testing.assert_close(vectors[places], encode.encoder(ids_of(text)))


def test_every_word_is_encoded_once(encoder: CharacterCNN) -> None:
    cache, encode = TokenCache(encoder, 100), Counting(encoder)
    same(cache, encode, "a b a c")
    assert encode.words == 3
    same(cache, encode, "c d b")
    assert encode.words == 4
    assert len(cache) == 4


def test_capacity_is_never_passed(encoder: CharacterCNN) -> None:
    cache, encode = TokenCache(encoder, 3), Counting(encoder)
    for text in ("a b", "c a", "d e", "a b c d e f", "a"):
        same(cache, encode, text)
        assert len(cache) <= 3
    with pytest.raises(ValueError, match="at least one"):
        TokenCache(encoder, 0)


def test_a_full_cache_still_serves_what_it_holds(encoder: CharacterCNN) -> None:
    cache, encode = TokenCache(encoder, 3), Counting(encoder)
    same(cache, encode, "a b c")
    same(cache, encode, "c b a")
    assert encode.words == 3


def test_grows_past_its_first_block(encoder: CharacterCNN) -> None:
    cache, encode = TokenCache(encoder, 10_000), Counting(encoder)
    for first in range(0, 3000, 600):
        same(cache, encode, " ".join(f"w{k}" for k in range(first, first + 700)))
    assert len(cache) == 3100
    same(cache, encode, "w0 w1500 w3099")
    assert encode.words == 3100


def test_changed_weights_empty_the_cache(encoder: CharacterCNN) -> None:
    cache, encode = TokenCache(encoder, 100), Counting(encoder)
    same(cache, encode, "a b")
    with torch.no_grad():
        encoder.embedding.weight.mul_(2)
    same(cache, encode, "a b")
    encoder.load_state_dict(CharacterCNN(OPTIONS).state_dict())
    same(cache, encode, "a b")
    encoder.double()
    same(cache, encode, "a b")
