import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from elmo_mini.text.running_text import (
    endless_windows,
    next_word_windows,
    shifted,
    stream_rows,
    text_stream,
    word_vocabulary,
)

SENTENCES = [["the", "cat", "sat"], ["the", "dog"], ["a", "cat", "saw", "the", "dog"]]


def test_vocabulary_and_stream() -> None:
    vocabulary = word_vocabulary(SENTENCES, min_count=2)
    assert vocabulary.words == ["<unk>", "</s>", "the", "cat", "dog"]
    assert text_stream(SENTENCES, vocabulary).tolist() == [1, 2, 3, 0, 1, 2, 4, 1, 0, 3, 0, 2, 4, 1]
    with pytest.raises(ValueError, match="no sentence"):
        text_stream([], vocabulary)


@given(st.integers(2, 200), st.integers(1, 9), st.integers(1, 12))
def test_windows_are_the_stream_read_row_by_row(length: int, rows: int, width: int) -> None:
    stream = torch.arange(length) * 7
    if length // rows < 2:
        with pytest.raises(ValueError, match="cannot fill"):
            stream_rows(stream, rows)
        return
    windows = next_word_windows(stream_rows(stream, rows), width)
    read: list[list[int]] = [[] for _ in range(rows)]
    said: list[list[int]] = [[] for _ in range(rows)]
    for inputs, targets in windows:
        assert inputs.shape == targets.shape
        for row in range(rows):
            read[row] += inputs[row].tolist()
            said[row] += targets[row].tolist()
    assert all(inputs.shape[1] == width for inputs, _ in windows[:-1])
    assert 1 <= windows[-1][0].shape[1] <= width
    each = length // rows
    text = [7 * number for number in range(length)]
    for row in range(rows):
        piece = text[row * each : (row + 1) * each]
        assert read[row] == piece[:-1]
        assert said[row] == piece[1:]


def test_windows_need_a_width() -> None:
    with pytest.raises(ValueError, match="width"):
        next_word_windows(torch.zeros(2, 5), 0)


def test_shifted() -> None:
    assert shifted([5, 6, 7], 1) == ([1, 5, 6, 7], [5, 6, 7, 1])
    assert shifted([], 1) == ([1], [1])


def test_windows_begin_again() -> None:
    windows = endless_windows(torch.arange(13), 2, 3)
    firsts = [inputs[0, 0].item() for inputs, _ in itertools.islice(windows, 4)]
    assert firsts == [0, 3, 0, 3]
