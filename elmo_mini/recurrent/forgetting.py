"""Catastrophic forgetting, measured: a language model's perplexity while it is fine-tuned.

McCloskey & Cohen 1989 named it; Goodfellow et al. 2013 (arXiv:1312.6211) measured it in modern
networks. A model that was trained on one task and then on another loses the first. Here the first
task is the language model that a classifier (Dai & Le 2015) started from. Its softmax stays beside
the classifier as it was, so it can be asked at any time what it still knows of the language.
Ramachandran, Liu & Le 2017 go on with the language-model loss while they fine-tune.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional as F

from elmo_mini.recurrent.classifier import LSTMClassifier, start_from, train_classifier
from elmo_mini.recurrent.language_model import LSTMLanguageModel, stream_perplexity
from elmo_mini.recurrent.seq2seq import windows_without_end


@dataclass(frozen=True)
class ForgettingCurve:
    """Perplexity on held-out text of the first task, at some steps of the second.

    Attributes:
        steps: training steps of the second task done, the first 0.
        perplexities: one for each.
    """

    steps: tuple[int, ...]
    perplexities: tuple[float, ...]

    @property
    def before(self) -> float:
        """Perplexity before fine-tuning."""
        return self.perplexities[0]

    @property
    def after(self) -> float:
        """Perplexity at the end."""
        return self.perplexities[-1]

    @property
    def forgotten(self) -> float:
        """Nats a token that fine-tuning has cost the language model; negative if it gained."""
        return forgotten(self.before, self.after)


def forgotten(before: float, after: float) -> float:
    """What a token costs more after fine-tuning, in nats: log(after) - log(before).

    Args:
        before, after: perplexities on the same text.
    """
    return math.log(after) - math.log(before)


def language_model_of(
    classifier: LSTMClassifier, language_model: LSTMLanguageModel
) -> LSTMLanguageModel:
    """The classifier's embedding and LSTM under the softmax of the model it started from.

    Embedding and LSTM are the classifier's own, not copies; the softmax is a copy.
    """
    words, size = language_model.embedding.weight.shape
    both = LSTMLanguageModel(words, size, language_model.lstm.hidden_size)
    both.embedding, both.lstm = classifier.embedding, classifier.lstm
    both.softmax.load_state_dict(language_model.softmax.state_dict())
    for parameter in both.softmax.parameters():
        parameter.requires_grad_(False)
    return both.eval()


def fine_tune_and_watch(
    classifier: LSTMClassifier,
    language_model: LSTMLanguageModel,
    sentences: Sequence[Sequence[int]],
    labels: Sequence[int],
    held_out: Tensor,
    *,
    text: Tensor | None = None,
    weight: float = 1.0,
    epochs: int = 5,
    batch: int = 16,
    learning_rate: float = 3e-3,
    looks: int = 10,
    rows: int = 8,
    width: int = 16,
    seed: int = 0,
) -> ForgettingCurve:
    """Start the classifier from the language model, train it, and keep asking what is forgotten.

    Args:
        held_out: (N,) running text that the language model was not trained on.
        text: (N,) running text it was trained on. With it, each step also reads a window of
            `rows` times `width` tokens and adds `weight` times the language-model loss.
        looks: how often to measure while training, in even steps.

    Returns:
        The curve; the classifier is trained in place, the language model stays as it was.
    """
    start_from(classifier, language_model)
    watched = language_model_of(classifier, language_model)
    windows = None if text is None else windows_without_end(text, rows, width)

    def language_model_loss() -> Tensor:
        assert windows is not None
        inputs, targets = next(windows)
        logits, _ = watched(inputs)
        return weight * F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    steps = epochs * -(-len(sentences) // batch)
    wanted = {round(steps * look / looks) for look in range(1, looks + 1)}
    seen, perplexities = [0], [stream_perplexity(watched, held_out)]

    def look(step: int) -> None:
        if step in wanted:
            seen.append(step)
            perplexities.append(stream_perplexity(watched, held_out))
            classifier.train()

    train_classifier(
        classifier,
        sentences,
        labels,
        epochs=epochs,
        batch=batch,
        learning_rate=learning_rate,
        seed=seed,
        extra_loss=language_model_loss if windows is not None else None,
        after_step=look,
    )
    return ForgettingCurve(tuple(seen), tuple(perplexities))
