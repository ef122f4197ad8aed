"""Training on running text, perplexity and hidden states of the LSTM language model."""

import math

import numpy as np
import pytest
import torch

from elmo_mini.models.lstm_language_model import LSTMLanguageModel
from elmo_mini.tasks.language_model_use import (
    hidden_states,
    stream_perplexity,
    train_language_model,
)
from elmo_mini.text.running_text import stream_rows, word_vocabulary
from elmo_mini.text.vocabulary import UnknownWord, Vocabulary
from elmo_mini.training.steps import TrainingOptions
from tests.elmo_mini.devices import DevicesNamed, computes_on_meta

SENTENCES = [["the", "cat", "sat"], ["the", "dog"], ["a", "cat", "saw", "the", "dog"]]


def model_of(words: int, hidden: int = 12, **options: float) -> LSTMLanguageModel:
    torch.manual_seed(3)
    return LSTMLanguageModel(words, 8, hidden, **options).eval()


def test_a_word_that_the_vocabulary_cannot_read_is_not_left_out() -> None:
    unread = Vocabulary(["</s>", "a", "b"])
    with pytest.raises(UnknownWord, match="'zzz' is not among the 3"):
        hidden_states(model_of(3), unread, [["a", "zzz", "b"]])


def test_a_model_that_knows_nothing_has_the_perplexity_of_its_vocabulary() -> None:
    model = model_of(37)
    torch.nn.init.zeros_(model.softmax.weight)
    torch.nn.init.zeros_(model.softmax.bias)
    assert stream_perplexity(model, torch.randint(37, (301,)), batch_size=3) == pytest.approx(
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
    for bptt in (1, 7, 500):
        found = stream_perplexity(model, stream, batch_size=4, bptt=bptt)
        assert found == pytest.approx(expected, rel=1e-5)


def test_training_carries_its_state_from_window_to_window() -> None:
    model, stream = model_of(11), torch.randint(11, (205,))
    options = TrainingOptions(batch_size=2, learning_rate=0.0)
    losses = train_language_model(model, stream, options, bptt=1)
    assert len(losses) == 101
    expected = stream_perplexity(model, stream, batch_size=2, bptt=500)
    assert math.exp(np.mean(losses)) == pytest.approx(expected, rel=1e-5)


def test_training_learns() -> None:
    stream = torch.tensor([2, 3, 2, 4, 5]).repeat(300)
    options = TrainingOptions(epochs=5, batch_size=4, learning_rate=2e-2)
    losses = train_language_model(model_of(6), stream, options, bptt=10)
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
        options = TrainingOptions(batch_size=4)
        losses = train_language_model(model, stream, options, bptt=10, after_step=steps.append)
        assert torch.equal(random, torch.get_rng_state()), "the caller's random numbers moved"
        assert steps == list(range(1, len(losses) + 1))
        assert all(not torch.equal(start[name], value) for name, value in model.named_parameters())
        assert not model.training
        runs.append(losses)
    assert runs[0] == runs[1]


def test_hidden_states_are_those_of_each_sentence_alone() -> None:
    vocabulary = word_vocabulary(SENTENCES)
    model = model_of(len(vocabulary)).train()
    found = hidden_states(model, vocabulary, SENTENCES, batch_size=2)
    assert model.training
    for sentence, vectors in zip(SENTENCES, found, strict=True):
        assert vectors.shape == (len(sentence), 12)
        ids = torch.tensor([[1, *vocabulary.encode(sentence)]])
        alone = model.states(ids)[0][0, 1:].detach().numpy()
        np.testing.assert_allclose(vectors, alone, atol=1e-6)


def test_it_runs_where_its_parameters_are() -> None:
    on_meta = model_of(7).to("meta")
    scores, _ = on_meta(torch.ones(2, 3, device="meta").long())
    assert (scores.device.type, scores.shape) == ("meta", (2, 3, 7))
    vocabulary = word_vocabulary(SENTENCES)
    model, stream = model_of(len(vocabulary)).double(), torch.arange(50) % 7
    with DevicesNamed():
        train_language_model(model, stream, bptt=2)
        stream_perplexity(model, stream)
        (states, *_) = hidden_states(model, vocabulary, SENTENCES)
    assert states.dtype == np.float32
    computes_on_meta(lambda: train_language_model(on_meta, stream, bptt=2))
    computes_on_meta(lambda: stream_perplexity(on_meta, stream))
    computes_on_meta(lambda: hidden_states(on_meta, vocabulary, SENTENCES))


def test_a_string_is_no_sentence() -> None:
    vocabulary = Vocabulary(["<unk>", "</s>", "a"], unknown="<unk>")
    with pytest.raises(TypeError, match="call tokenize"):
        hidden_states(LSTMLanguageModel(3, 4, 4), vocabulary, ["a a"])
