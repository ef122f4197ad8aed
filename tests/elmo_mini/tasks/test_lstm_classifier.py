import numpy as np
import pytest
import torch
from torch import Tensor

from elmo_mini.models.lstm_language_model import LSTMLanguageModel
from elmo_mini.tasks.lstm_classifier import (
    LSTMClassifier,
    accuracy,
    autoencoder_steps,
    last_real,
    start_from,
    train_autoencoder,
    train_classifier,
)
from elmo_mini.training.steps import TrainingOptions
from tests.elmo_mini.devices import DevicesNamed, computes_on_meta


def drawn(count: int, seed: int = 0) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(2, 20, rng.integers(2, 8)).tolist() for _ in range(count)]


def test_autoencoder_steps() -> None:
    inputs, targets, counted = autoencoder_steps([5, 6, 7], 1)
    assert inputs == [5, 6, 7, 1, 5, 6, 7]
    assert [t for t, c in zip(targets, counted, strict=True) if c] == [5, 6, 7, 1]
    assert counted == [False] * 3 + [True] * 4
    assert len(targets) == 7
    # where a step counts, the next input is the target, as in a language model
    assert targets[3:-1] == inputs[4:]


def test_last_real() -> None:
    outputs = torch.arange(24.0).view(3, 4, 2)
    assert last_real(outputs, torch.tensor([4, 1, 2])).tolist() == [[6, 7], [8, 9], [18, 19]]


def test_padding_does_not_reach_the_scores() -> None:
    torch.manual_seed(0)
    classifier = LSTMClassifier(20, 3, 4, 5)
    alone = classifier(torch.tensor([[3, 4]]), torch.tensor([2]))
    padded = classifier(torch.tensor([[3, 4, 9, 9], [5, 6, 7, 8]]), torch.tensor([2, 4]))
    torch.testing.assert_close(padded[:1], alone)


def test_a_start_is_a_copy_and_the_output_layer_stays() -> None:
    torch.manual_seed(0)
    language_model, classifier = LSTMLanguageModel(20, 6, 7), LSTMClassifier(20, 2, 6, 7)
    output = classifier.output.weight.clone()
    start_from(classifier, language_model)
    ids = torch.randint(20, (2, 5))
    states = language_model.states(ids)[0]
    scores = classifier(ids, torch.tensor([5, 3]))
    torch.testing.assert_close(scores, classifier.output(states[[0, 1], [4, 2]]))
    assert torch.equal(classifier.output.weight, output)
    before = {key: value.clone() for key, value in language_model.state_dict().items()}
    train_classifier(classifier, drawn(20), [0, 1] * 10)
    for key, value in language_model.state_dict().items():
        assert torch.equal(before[key], value), key
    assert not torch.equal(classifier.embedding.weight, language_model.embedding.weight)


def test_a_start_of_another_size_changes_nothing() -> None:
    classifier = LSTMClassifier(20, 2, 6, 7)
    before = classifier.embedding.weight.clone()
    with pytest.raises(ValueError, match=r"lstm.weight_ih_l0 has shape \(32, 6\)"):
        start_from(classifier, LSTMLanguageModel(20, 6, 8))
    assert torch.equal(classifier.embedding.weight, before)


def test_the_autoencoder_learns_to_say_a_sequence_again() -> None:
    rng = np.random.default_rng(0)
    sentences = [rng.integers(2, 6, 2).tolist() for _ in range(400)]
    torch.manual_seed(0)
    model = LSTMLanguageModel(6, 16, 32)
    losses = train_autoencoder(model, sentences, TrainingOptions(epochs=10, learning_rate=1e-2))
    # knowing all but the words: two of four, then the boundary
    assert losses[0] > 2 / 3 * np.log(4)
    assert np.mean(losses[-10:]) < 0.1


def test_the_loss_of_the_autoencoder_counts_the_second_half() -> None:
    torch.manual_seed(0)
    model = LSTMLanguageModel(20, 6, 7)
    words = [4, 9, 2]
    scores = model(torch.tensor([[4, 9, 2, 1, 4, 9, 2]]))[0].detach()[0].log_softmax(-1)
    by_hand = -np.mean([scores[3 + place, word] for place, word in enumerate([*words, 1])])
    (loss,) = train_autoencoder(model, [words], TrainingOptions(learning_rate=0.0))
    assert loss == pytest.approx(by_hand, rel=1e-5)


def test_training_is_repeatable_and_learns() -> None:
    sentences = drawn(300)
    labels = [int(7 in sentence) for sentence in sentences]
    runs = []
    for _ in range(2):
        torch.manual_seed(1)
        classifier = LSTMClassifier(20, 2, 8, 16, dropout=0.1)
        steps: list[int] = []
        runs.append(
            train_classifier(
                classifier,
                sentences,
                labels,
                TrainingOptions(epochs=15, learning_rate=1e-2),
                after_step=steps.append,
            )
        )
    assert runs[0] == runs[1]
    assert steps == list(range(1, len(runs[0]) + 1))
    new = drawn(300, seed=1)
    assert accuracy(classifier, new, [int(7 in sentence) for sentence in new]) > 0.95


def test_accuracy_counts() -> None:
    classifier = LSTMClassifier(20, 3, 4, 5)
    torch.nn.init.zeros_(classifier.output.weight)
    classifier.output.bias.data = torch.tensor([0.0, 1.0, 0.5])
    assert accuracy(classifier, drawn(10), [1, 1, 1, 0, 2, 2, 2, 1, 0, 0], batch_size=3) == 0.4


def test_an_extra_loss_is_learned_and_not_reported() -> None:
    torch.manual_seed(0)
    classifier = LSTMClassifier(20, 2, 4, 5)

    def extra() -> Tensor:
        return 100 * (classifier.embedding.weight[19] - 3).pow(2).sum()

    losses = train_classifier(
        classifier,
        [[2, 3], [4, 5]] * 20,
        [0, 1] * 20,
        TrainingOptions(epochs=80, learning_rate=5e-2),
        extra_loss=extra,
    )
    assert max(losses) < 5
    assert (classifier.embedding.weight[19] > 2).all()


def test_refusals() -> None:
    classifier = LSTMClassifier(20, 2, 4, 5)
    for sentences, labels in (([[3]], [0, 1]), ([[3], []], [0, 1])):
        with pytest.raises(ValueError, match="a label for each sentence"):
            train_classifier(classifier, sentences, labels)


def test_it_runs_where_its_parameters_are() -> None:
    ids, lengths = torch.ones(2, 3, device="meta").long(), torch.ones(2, device="meta").long()
    on_meta = LSTMClassifier(20, 3, 4, 5).to("meta")
    scores = on_meta(ids, lengths)
    assert (scores.device.type, scores.shape) == ("meta", (2, 3))
    classifier, model = LSTMClassifier(20, 2, 4, 5).double(), LSTMLanguageModel(20, 4, 5).double()
    with DevicesNamed():
        train_autoencoder(model, drawn(20))
        start_from(classifier, model)
        train_classifier(classifier, drawn(20), [0, 1] * 10)
        accuracy(classifier, drawn(20), [0, 1] * 10)
    assert classifier.output.weight.dtype == torch.float64
    computes_on_meta(lambda: train_classifier(on_meta, drawn(4), [0, 1, 2, 0]))
    computes_on_meta(lambda: accuracy(on_meta, drawn(4), [0, 1, 2, 0]))
    computes_on_meta(lambda: train_autoencoder(model.to("meta"), drawn(4)))


@pytest.mark.parametrize("wrong", ["pos", 2, -100, 0.0, None])
def test_a_label_that_numbers_no_class_is_refused(wrong: object) -> None:
    classifier = LSTMClassifier(9, 2, 4, 4)
    with pytest.raises(ValueError, match=r"2 classes, 0 to 1: number your classes from 0"):
        train_classifier(classifier, [[1], [2]], [1, wrong])  # type: ignore[list-item]


def test_true_and_false_are_classes() -> None:
    history = [
        _trained_on(labels)
        for labels in ([True, False], [1, 0], list(np.array([1, 0], dtype=np.int16)))
    ]
    assert history[0] == history[1] == history[2]


def _trained_on(labels: list[int]) -> list[float]:
    torch.manual_seed(0)
    return train_classifier(LSTMClassifier(9, 2, 4, 4), [[1], [2]], labels)


def test_no_sentence_has_no_accuracy() -> None:
    with pytest.raises(ValueError, match="no sentence"):
        accuracy(LSTMClassifier(9, 2, 4, 4), [], [])
