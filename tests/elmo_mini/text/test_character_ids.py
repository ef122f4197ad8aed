"""Upstream behaviours 12 to 17 and the boundary rules."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from elmo_mini.text.character_ids import (
    add_boundaries,
    batch_to_ids,
    boundary_ids,
    check_ids,
    check_word_ids,
    remove_boundaries,
    unique_rows,
    word_to_ids,
)


def test_bos_and_eos_rows() -> None:  # 12, 13
    assert word_to_ids("<S>") == (259, 257, 260, *[261] * 47)
    assert word_to_ids("</S>") == (259, 258, 260, *[261] * 47)
    assert torch.equal(boundary_ids(), torch.tensor([word_to_ids("<S>"), word_to_ids("</S>")]))


def test_a_character_of_two_bytes() -> None:  # 14
    assert word_to_ids(chr(256) + "t") == (259, 197, 129, 117, 260, *[261] * 45)


def test_padding_tokens_are_zeros_on_the_right() -> None:  # 15
    ids = batch_to_ids([["one"], ["one", "two", "three"]])
    assert ids.shape == (2, 3, 50)
    assert ids.dtype == torch.int64
    assert (ids[0, 1:] == 0).all()
    assert (ids[1] > 0).all()


def test_tokens_to_add() -> None:  # 16
    assert word_to_ids("<X>", {"<X>": 260})[:4] == (259, 261, 260, 261)
    ids = batch_to_ids([["a", "<X>"]], tokens_to_add={"<X>": 1})
    assert ids[0, 1, :4].tolist() == [259, 2, 260, 261]
    assert ids[0, 0, :4].tolist() == [259, 98, 260, 261]


def test_empty_sentence_in_a_batch_is_all_zeros() -> None:  # 17
    ids = batch_to_ids([["a", "b"], []])
    assert (ids[1] == 0).all()
    assert batch_to_ids([[]]).shape == (1, 0, 50)


def test_empty_word_and_long_word() -> None:
    assert word_to_ids("")[:3] == (259, 260, 261)
    long = word_to_ids("x" * 60)
    assert len(long) == 50
    assert long[48:] == (ord("x") + 1, 260)
    # 47 bytes and half of a two-byte character
    assert word_to_ids("x" * 47 + "é")[48] == "é".encode()[0] + 1


def test_a_lone_surrogate_is_refused_and_its_word_named() -> None:
    with pytest.raises(ValueError, match=r"a word is 'a\\ud800b', which holds half a character"):
        word_to_ids("a\ud800b")


@given(st.text(max_size=60))
def test_every_word_is_fifty_known_ids(word: str) -> None:
    ids = word_to_ids(word)
    assert len(ids) == 50
    assert all(0 < i < 262 for i in ids)


def test_clear_errors() -> None:
    with pytest.raises(ValueError, match="no sentence"):
        batch_to_ids([])
    with pytest.raises(ValueError, match=r"token 1 of sentence 0 is '</S>'.*remove the token"):
        batch_to_ids([["a", "</S>"]])
    assert batch_to_ids([["<S>"]], allow_boundary_tokens=True)[0, 0, 1] == 257
    ids = batch_to_ids([["a", "b", "c"]])
    for bad, message in (
        (ids - 300, "run from -202 to -39"),
        (ids + 1, "0 to 261"),
        (ids.float(), "whole numbers"),
        (ids[:, :0], "at least one sentence"),
        (ids[0], "expected"),
        (ids * 1j, "whole numbers, not torch.complex64"),
    ):
        with pytest.raises(ValueError, match=message):
            check_ids(bad)
    ids = torch.cat([ids, ids])
    ids[1, 1] = 0
    with pytest.raises(ValueError, match=r"sentence 1 .* padding must be on the right"):
        check_ids(ids)


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (["a sentence"], "sentence 0 is the string 'a sentence', not a list .* split the text"),
        ([["a"], None], "sentence 1 is None, not a list of words"),
        ([["a"], b"ab"], r"sentence 1 is b'ab' \(bytes\), not a list of words"),
        ([["a"], 3], r"sentence 1 is 3 \(int\), not a list of words"),
        ([{"a", "b"}], r"sentence 0 is .*\(set\), not a list of words"),
        ([["a"], ["b", 3]], r"token 1 of sentence 1 is 3 \(int\), not a string: .*str\(token\)"),
        ([["a", None]], "token 1 of sentence 0 is None, not a string: leave it out"),
        ([["a", b"b"]], r"token 1 of sentence 0 is b'b' \(bytes\), not a string: decode"),
        ([[["a"], ["b"]]], r"token 0 of sentence 0 is \['a'\] \(list\).*nested no deeper"),
        ("a sentence", r"the batch is 'a sentence' \(str\), not a list of sentences"),
        (None, "the batch is None, not a list of sentences"),
        ((words for words in [["a"]]), r"the batch is .*\(generator\), not a list of sentences"),
        (torch.ones(1, 1, 50), r"token 0 of sentence 0 is .*\(Tensor\), not a string"),
    ],
)
def test_what_is_no_sentence_is_named_by_row_position_and_type(batch: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message) as refused:
        batch_to_ids(batch)
    assert "\n" not in str(refused.value)


def test_words_may_come_in_tuples_and_arrays() -> None:
    right = batch_to_ids([["a", "bc"]])
    assert torch.equal(batch_to_ids((("a", "bc"),)), right)
    assert torch.equal(batch_to_ids(np.array([["a", "bc"]])), right)


def test_a_word_needs_room_for_its_ends() -> None:
    assert word_to_ids("ab", max_characters=3) == (259, 98, 260)
    with pytest.raises(ValueError, match="max_characters is 2; a word needs at least 3"):
        batch_to_ids([["a"]], max_characters=2)


def test_rows_of_another_width_than_the_models_are_refused() -> None:
    narrow = batch_to_ids([["a"]], max_characters=40)
    assert check_ids(narrow).tolist() == [[True]]
    assert check_ids(narrow, 40).tolist() == [[True]]
    with pytest.raises(ValueError, match=r"have 40 characters.*reads 50; .*max_characters=50\)"):
        check_ids(narrow, 50)


def test_word_ids() -> None:
    assert check_word_ids(torch.tensor([[3, 1], [2, 0]])).tolist() == [[True, True], [True, False]]
    for bad, message in (
        ([[1, 2], [0, 5]], "sentence 1 has padding before a token; padding must be on the right"),
        ([[1, -1]], "start at -1"),
        ([[1.0]], "whole numbers, not torch.float32"),
        ([1, 2], "expected .sentences, tokens."),
        ([[]], "whole numbers, not torch.float32"),
    ):
        with pytest.raises(ValueError, match=message):
            check_word_ids(torch.tensor(bad))
    with pytest.raises(ValueError, match="at least one sentence and one token"):
        check_word_ids(torch.zeros(1, 0, dtype=torch.long))


@pytest.mark.parametrize("shape", [(2, 1, 3), (2, 0, 3), (2, 4, 3), (3, 5, 3), (2,)])
def test_what_has_no_two_boundaries_is_refused(shape: tuple[int, ...]) -> None:
    mask = torch.ones(2, 5 if shape[1:2] != (1,) else 1, dtype=torch.bool)
    with pytest.raises(ValueError, match="two boundaries each"):
        remove_boundaries(torch.zeros(shape), mask)


def test_boundaries_go_in_and_out() -> None:
    ids = batch_to_ids([["a", "b", "c"], ["d"], []])
    bos, eos = boundary_ids()
    longer, mask = add_boundaries(ids, check_ids(ids), bos, eos)
    assert mask.sum(1).tolist() == [5, 3, 2]
    assert torch.equal(longer[1, :3], torch.stack([bos, ids[1, 0], eos]))
    assert (longer[1, 3:] == 0).all()
    shorter, kept = remove_boundaries(longer, mask)
    assert torch.equal(shorter, ids)
    assert kept.sum(1).tolist() == [3, 1, 0]


def test_unique_rows_keep_first_sight_order() -> None:
    ids = batch_to_ids([["b", "a", "b", "c", "a"]])[0]
    rows, inverse = unique_rows(ids)
    assert torch.equal(rows, ids[[0, 1, 3]])
    assert inverse.tolist() == [0, 1, 0, 2, 1]
