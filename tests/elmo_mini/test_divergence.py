"""Training that has diverged says so, and what to change."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from elmo_mini.awd_lstm.awd_lstm_options import AWDLSTMOptions
from elmo_mini.awd_lstm.run import AWDRun
from elmo_mini.awd_lstm.training_options import AWDTraining, awd_perplexity
from elmo_mini.divergence import FEWEST, check_better_than_labels, check_finite, check_history
from elmo_mini.errors import ConfigurationError
from elmo_mini.models.awd_lstm import AWDLSTM
from elmo_mini.models.masked_lm import MaskedLM, MaskedLMOptions
from elmo_mini.models.taglm import TaggerOptions
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.tagging.training import TaggerTrainingOptions, train_tagger
from elmo_mini.tasks.decoding import decode_step, greedy_decode
from elmo_mini.tasks.lstm_classifier import LSTMClassifier, predict, train_classifier
from elmo_mini.tasks.seq2seq import Seq2Seq, translate
from elmo_mini.training.run import Run
from elmo_mini.training.steps import TrainingOptions, train
from elmo_mini.transformer.heads import best_span
from elmo_mini.transformer.masked_lm_training import train_masked_lm
from elmo_mini.word_vectors.glove_trainer import Glove


def test_numbers_that_are_none_are_refused_by_name() -> None:
    check_finite("lower it", loss=3.0, gradient=0.0)
    with pytest.raises(FloatingPointError, match="the loss is nan, the gradient is 1; lower it"):
        check_finite("lower it", loss=math.nan, gradient=1.0)


def test_a_history_that_rises_is_told(recwarn: pytest.WarningsRecorder) -> None:
    check_history([], "lower it")
    check_history([4.0, 9.0, 3.0, 2.0], "lower it")
    assert not recwarn.list
    with pytest.warns(UserWarning, match="the loss rose from 4 to 50: training has diverged; low"):
        check_history([4.0] + [50.0] * 30, "lower it")
    with pytest.raises(FloatingPointError, match="the loss is inf"):
        check_history([4.0, math.inf], "lower it")


def test_a_history_that_does_not_fall_is_told(recwarn: pytest.WarningsRecorder) -> None:
    check_history([3.0] * (FEWEST - 1), "lower it")
    check_history(list(np.linspace(3.0, 2.9, FEWEST)), "lower it")
    assert not recwarn.list
    with pytest.warns(UserWarning, match="the loss was 3 at the .* nothing was learnt; lower it"):
        check_history([3.0] * FEWEST, "lower it")


def classified(rate: float) -> None:
    sentences, labels = [[1, 2], [3, 4]] * 60, [0, 1] * 60
    torch.manual_seed(0)
    train_classifier(
        LSTMClassifier(5, 2, 4, 4),
        sentences,
        labels,
        TrainingOptions(epochs=4, batch_size=8, learning_rate=rate),
    )


def test_a_classifier_that_knows_the_labels_frequencies_alone_says_so(
    recwarn: pytest.WarningsRecorder,
) -> None:
    classified(0.03)
    assert not recwarn.list
    with pytest.warns(UserWarning, match="alone give 0.6931: nothing was learnt; lower learning_"):
        classified(0.0)
    check_better_than_labels([0.0] * FEWEST, [1] * FEWEST, "lower it")  # one class: none to learn


def test_nothing_is_chosen_by_scores_that_are_no_numbers() -> None:
    classifier, translator = LSTMClassifier(3, 4, 4, 2), Seq2Seq(3, 3, 4)
    for model in (classifier, translator):
        for parameter in model.parameters():
            nn.init.constant_(parameter, math.nan)
    for choose in (
        lambda: predict(classifier, [[1, 2]]),
        lambda: translate(translator, [[1, 2]]),
        lambda: greedy_decode(translator, decode_step, [1, 2]),
        lambda: best_span(torch.tensor([0.0, math.nan]), torch.zeros(2)),
    ):
        with pytest.raises(FloatingPointError, match=r"the scores are no numbers \(nan\)"):
            choose()


def test_a_tagger_that_finds_no_span_says_so() -> None:
    sentences = [TaggedSentence(("a", "b"), ("S-X", "O"))] * 8
    options = TaggerOptions(word_dim=4, hidden=4, character_dim=2, character_filters=2)
    with pytest.warns(
        UserWarning, match=r"not one span of the dev sentences .* learning_rate=0\.0"
    ):
        train_tagger(
            sentences,
            sentences,
            replace(options, lm_position="none"),
            TaggerTrainingOptions(epochs=2, learning_rate=0.0),
        )


def masked(rate: float) -> None:
    torch.manual_seed(0)
    model = MaskedLM(MaskedLMOptions(words=9, dim=4, heads=1, layers=1, longest=4))
    mask = torch.ones(2, 3, dtype=torch.bool)
    ids = torch.full((2, 3), 7)
    train_masked_lm(model, [(ids, ids, mask, None)] * FEWEST, FEWEST, learning_rate=rate)


def test_a_masked_model_that_learns_nothing_says_so(recwarn: pytest.WarningsRecorder) -> None:
    masked(0.01)
    assert not recwarn.list
    with pytest.warns(UserWarning, match="nothing was learnt; lower learning_rate=0.0"):
        masked(0.0)


class Counting(Run):
    """A run whose losses are given."""

    def __init__(self, losses: list[float]) -> None:
        super().__init__(nn.Linear(1, 1), torch.optim.SGD([torch.zeros(1)], lr=1.0))
        self.losses, self.steps = losses, len(losses)

    def learn(self) -> tuple[float]:
        return (self.losses[self.step],)

    def validate(self) -> None: ...
    def belongs_to(self) -> dict[str, Any]:
        return {}

    def record(self) -> dict[str, Any]:
        return {}

    def restore(self, tensors: Any, record: Any) -> None: ...


def test_a_run_that_learns_nothing_says_so_at_its_end(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    assert Counting(list(np.linspace(3, 2, FEWEST))).run()
    early = Counting([3.0] * FEWEST)
    assert not early.run(lambda run: run.step == 5)
    early.save(tmp_path / "run.safetensors")
    gone_on = Counting([3.0] * 2 * FEWEST)
    gone_on.resume(tmp_path / "run.safetensors")
    assert gone_on.run()  # it has not seen its beginning
    assert not recwarn.list
    with pytest.warns(UserWarning, match="nothing was learnt; lower the learning rate"):
        early.run()


def test_an_awd_lstm_that_diverges_keeps_its_weights() -> None:
    model = AWDLSTM(AWDLSTMOptions(vocabulary_size=4, dim=3, hidden_dim=3, layers=1))
    text = torch.arange(4).repeat(20)
    run = AWDRun(model, text, text, AWDTraining(batch_size=2, alpha=3e38))
    before = [weight.detach().clone() for weight in model.parameters()]
    with pytest.raises(FloatingPointError, match=r"the loss is .*(nan|inf).* lower learning_rate="):
        run.run()
    assert all(map(torch.equal, before, model.parameters()))


@pytest.mark.parametrize(("value", "said"), [(1e30, "inf"), (math.nan, "nan")])
def test_a_perplexity_that_is_no_number_ends_the_run(value: float, said: str) -> None:
    model = AWDLSTM(AWDLSTMOptions(vocabulary_size=4, dim=3, hidden_dim=3, layers=1))
    text = torch.arange(4).repeat(20)
    run = AWDRun(model, text, text, AWDTraining(batch_size=2, epochs=1))
    run.train_step()
    with torch.no_grad():
        model.decoder.bias[0] = value
    with pytest.raises(FloatingPointError, match=f"the perplexity is {said}; lower learning_rate"):
        run.validate()


def test_words_too_few_to_validate_on_are_told_before_the_training() -> None:
    model = AWDLSTM(AWDLSTMOptions(vocabulary_size=4, dim=3, hidden_dim=3, layers=1))
    text = torch.arange(4).repeat(20)
    with pytest.raises(ConfigurationError, match="1 words are held out; two are the fewest"):
        AWDRun(model, text, text[:1], AWDTraining(batch_size=2))
    assert math.isfinite(awd_perplexity(model, text[:5]))


def test_a_step_that_is_no_number_leaves_the_weights_alone() -> None:
    model = nn.Linear(2, 1)
    before = model.weight.detach().clone()
    bad = torch.tensor([[1.0, math.inf]])
    with pytest.raises(FloatingPointError, match="lower learning_rate"):
        train(model, (model(bad).square().mean() for _ in range(2)), 2, TrainingOptions())
    assert torch.equal(model.weight, before)


@pytest.mark.parametrize("rate", [math.nan, math.inf, -1.0])
def test_a_learning_rate_is_a_finite_number(rate: float) -> None:
    with pytest.raises(ConfigurationError, match="learning_rate"):
        TrainingOptions(learning_rate=rate)


def test_glove_says_when_it_diverges() -> None:
    text = [["the", "cat", "sat"], ["the", "dog", "sat"]] * 20
    with pytest.raises(FloatingPointError, match="lower learning_rate=1e"):
        Glove(text, min_count=1, learning_rate=1e30, epochs=3)
