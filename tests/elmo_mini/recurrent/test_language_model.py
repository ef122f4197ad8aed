import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from elmo_mini.recurrent.language_model import (
    LSTMLanguageModel,
    hidden_states,
    masked_cross_entropy,
    next_word_windows,
    pad,
    perplexity,
    shifted,
    stream_perplexity,
    stream_rows,
    text_stream,
    train_language_model,
    word_vocabulary,
)

SENTENCES = [["the", "cat", "sat"], ["the", "dog"], ["a", "cat", "saw", "the", "dog"]]


def model_of(words: int, hidden: int = 12, **options: float) -> LSTMLanguageModel:
    torch.manual_seed(3)
    return LSTMLanguageModel(words, 8, hidden, **options).eval()


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


def test_pad() -> None:
    ids, mask = pad([[4, 5], [6], [7, 8, 9]], padding=2)
    assert ids.tolist() == [[4, 5, 2], [6, 2, 2], [7, 8, 9]]
    assert mask.tolist() == [[True, True, False], [True, False, False], [True, True, True]]
    with pytest.raises(ValueError, match="nothing to pad"):
        pad([])


def test_loss_of_a_table_computed_by_hand() -> None:
    # p = 1/2, 1/4, 1/4 and p = 1/8, 3/8, 1/2; the third place is padding.
    logits = torch.tensor([[[2.0, 1.0, 1.0], [1.0, 3.0, 4.0], [9.0, 9.0, 1.0]]]).log()
    targets = torch.tensor([[0, 2, 1]])
    mask = torch.tensor([[True, True, False]])
    assert masked_cross_entropy(logits, targets, mask).item() == pytest.approx(math.log(2))
    targets[0, 1] = 0
    by_hand = (math.log(2) + math.log(8)) / 2
    assert masked_cross_entropy(logits, targets, mask).item() == pytest.approx(by_hand)


def test_padding_is_worth_nothing_whatever_stands_there() -> None:
    logits = torch.randn(2, 4, 5)
    targets = torch.randint(5, (2, 4))
    mask = torch.tensor([[True] * 4, [True, False, False, False]])
    loss = masked_cross_entropy(logits, targets, mask)
    logits[1, 1:] = torch.nan
    assert masked_cross_entropy(logits, targets, mask).item() == loss.item()
    with pytest.raises(ValueError, match="no token"):
        masked_cross_entropy(logits, targets, torch.zeros(2, 4, dtype=torch.bool))


def test_perplexity() -> None:
    assert perplexity([math.log(7)] * 3, [2, 5, 1]) == pytest.approx(7)
    assert perplexity([math.log(2), math.log(32)], [3, 1]) == pytest.approx(4)
    for losses, tokens in (([1.0], [1, 2]), ([], []), ([1.0], [0])):
        with pytest.raises(ValueError, match="tokens"):
            perplexity(losses, tokens)


def test_a_model_that_knows_nothing_has_the_perplexity_of_its_vocabulary() -> None:
    model = model_of(37)
    torch.nn.init.zeros_(model.softmax.weight)
    torch.nn.init.zeros_(model.softmax.bias)
    assert stream_perplexity(model, torch.randint(37, (301,)), rows=3) == pytest.approx(
        37, rel=1e-5
    )


def test_stream_perplexity_is_that_of_each_row_read_at_once() -> None:
    model = model_of(11)
    stream = torch.randint(11, (203,))
    nats, count = 0.0, 0
    for row in stream_rows(stream, 4):
        scores = model(row[None, :-1])[0].detach().log_softmax(-1)[0]
        nats -= sum(float(scores[place, word]) for place, word in enumerate(row[1:]))
        count += len(row) - 1
    expected = math.exp(nats / count)
    for width in (1, 7, 500):
        found = stream_perplexity(model, stream, rows=4, width=width)
        assert found == pytest.approx(expected, rel=1e-5)


def test_no_state_knows_a_later_word() -> None:
    model = model_of(20)
    ids = torch.randint(20, (3, 9))
    before = model.states(ids)[0]
    ids[:, 5] = (ids[:, 5] + 1) % 20
    after = model.states(ids)[0]
    assert torch.equal(before[:, :5], after[:, :5])
    assert not torch.isclose(before[:, 5:], after[:, 5:]).all(-1).any()


def test_training_carries_its_state_from_window_to_window() -> None:
    model, stream = model_of(11), torch.randint(11, (205,))
    losses = train_language_model(model, stream, rows=2, width=1, learning_rate=0.0)
    assert len(losses) == 101
    expected = stream_perplexity(model, stream, rows=2, width=500)
    assert math.exp(np.mean(losses)) == pytest.approx(expected, rel=1e-5)


def test_training_learns() -> None:
    stream = torch.tensor([2, 3, 2, 4, 5]).repeat(300)
    losses = train_language_model(
        model_of(6), stream, rows=4, width=10, epochs=5, learning_rate=2e-2
    )
    assert losses[0] == pytest.approx(math.log(6), rel=0.1)
    assert losses[-1] < 0.1


def test_training_is_repeatable_and_changes_every_parameter() -> None:
    stream = torch.randint(30, (500,))
    runs = []
    for _ in range(2):
        model = model_of(30, dropout=0.3)
        start = {name: value.clone() for name, value in model.named_parameters()}
        random = torch.get_rng_state()
        steps: list[int] = []
        losses = train_language_model(model, stream, rows=4, width=10, after_window=steps.append)
        assert torch.equal(random, torch.get_rng_state()), "the caller's random numbers moved"
        assert steps == list(range(1, len(losses) + 1))
        assert all(not torch.equal(start[name], value) for name, value in model.named_parameters())
        assert not model.training
        runs.append(losses)
    assert runs[0] == runs[1]


def test_hidden_states_are_those_of_each_sentence_alone() -> None:
    vocabulary = word_vocabulary(SENTENCES)
    model = model_of(len(vocabulary)).train()
    found = hidden_states(model, vocabulary, SENTENCES, batch=2)
    assert model.training
    for sentence, vectors in zip(SENTENCES, found, strict=True):
        assert vectors.shape == (len(sentence), 12)
        ids = torch.tensor([[1, *vocabulary.encode(sentence)]])
        alone = model.states(ids)[0][0, 1:].detach().numpy()
        np.testing.assert_allclose(vectors, alone, atol=1e-6)
