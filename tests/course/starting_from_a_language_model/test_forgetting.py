import math

import pytest
import torch

from course.starting_from_a_language_model.forgetting import (
    ForgettingCurve,
    fine_tune_and_watch,
    forgotten,
    language_model_of,
)
from elmo_mini.recurrent.classifier import LSTMClassifier, accuracy, start_from
from elmo_mini.recurrent.language_model import (
    LSTMLanguageModel,
    stream_perplexity,
    train_language_model,
)
from elmo_mini.recurrent.training import TrainingOptions
from tests.elmo_mini.devices import DevicesNamed, computes_on_meta

TEXT = torch.tensor([2, 3, 4, 5]).repeat(200)
HELD_OUT = torch.tensor([2, 3, 4, 5]).repeat(20)
SENTENCES = [[2, 4, 2], [3, 5, 5, 3], [4, 2], [5, 3, 3]] * 10
LABELS = [0, 1, 0, 1] * 10


def trained() -> LSTMLanguageModel:
    torch.manual_seed(0)
    model = LSTMLanguageModel(6, 8, 8)
    options = TrainingOptions(epochs=4, batch_size=4, learning_rate=3e-2)
    train_language_model(model, TEXT, options, bptt=10)
    return model


def test_forgotten_is_in_nats() -> None:
    assert forgotten(10, 10 * math.e) == pytest.approx(1)
    curve = ForgettingCurve((0, 5, 9), (20.0, 30.0, 10.0))
    assert (curve.before, curve.after) == (20, 10)
    assert curve.forgotten == pytest.approx(-math.log(2))


def test_a_classifier_just_started_is_still_that_language_model() -> None:
    model, classifier = trained(), LSTMClassifier(6, 2, 8, 8)
    start_from(classifier, model)
    watched = language_model_of(classifier, model)
    assert stream_perplexity(watched, HELD_OUT) == pytest.approx(stream_perplexity(model, HELD_OUT))
    classifier.embedding.weight.data.zero_()
    assert watched.embedding.weight.abs().sum() == 0, "it must see the classifier's own weights"
    assert model.embedding.weight.abs().sum() > 0


def test_fine_tuning_forgets_and_the_joint_loss_keeps() -> None:
    model = trained()
    before = {key: value.clone() for key, value in model.state_dict().items()}
    curves = {}
    for joint in (False, True):
        torch.manual_seed(1)
        classifier = LSTMClassifier(6, 2, 8, 8)
        curves[joint] = fine_tune_and_watch(
            classifier,
            model,
            SENTENCES,
            LABELS,
            HELD_OUT,
            TrainingOptions(epochs=10, learning_rate=3e-2),
            text=TEXT if joint else None,
            looks=5,
        )
        assert accuracy(classifier, SENTENCES, LABELS) == 1
        assert curves[joint].steps == (0, 6, 12, 18, 24, 30)
        assert curves[joint].before == pytest.approx(stream_perplexity(model, HELD_OUT))
    assert curves[False].forgotten > 0.3
    assert abs(curves[True].forgotten) < 0.1
    for key, value in model.state_dict().items():
        assert torch.equal(before[key], value), f"{key} of the language model has moved"


def test_it_runs_where_its_parameters_are() -> None:
    model, classifier = LSTMLanguageModel(6, 8, 8).double(), LSTMClassifier(6, 2, 8, 8).double()
    with DevicesNamed():
        fine_tune_and_watch(classifier, model, SENTENCES, LABELS, HELD_OUT, text=TEXT, bptt=4)
    watched = language_model_of(classifier.to("meta"), model)
    assert {parameter.device.type for parameter in watched.parameters()} == {"meta"}
    computes_on_meta(lambda: stream_perplexity(watched, HELD_OUT))
