"""Catastrophic forgetting, measured: a language model's perplexity while it is fine-tuned.

McCloskey & Cohen 1989 named it; Goodfellow et al. 2013 (arXiv:1312.6211) measured it in modern
networks. A model that was trained on one task and then on another loses the first. Here the first
task is the language model that a classifier (Dai & Le 2015) started from. Its softmax stays beside
the classifier as it was, so it can be asked at any time what it still knows of the language.
Ramachandran, Liu & Le 2017 go on with the language-model loss while they fine-tune.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.nn import functional as F

from elmo_mini.models.lstm_language_model import LSTMLanguageModel
from elmo_mini.tasks.language_model_use import stream_perplexity
from elmo_mini.tasks.lstm_classifier import LSTMClassifier, start_from, train_classifier
from elmo_mini.text.running_text import endless_windows
from elmo_mini.training.steps import TrainingOptions, device_of


@dataclass(frozen=True)
class ForgettingCurve:
    """Perplexity on held-out text of the first task, at some steps of the second.

    Attributes
    ----------
    steps : training steps of the second task done, the first 0
    perplexities : one for each
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

    Parameters
    ----------
    before, after : perplexities on the same text
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
    both.softmax.to(classifier.embedding.weight)
    for parameter in both.softmax.parameters():
        parameter.requires_grad_(False)
    return both.eval()


def fine_tune_and_watch(
    classifier: LSTMClassifier,
    language_model: LSTMLanguageModel,
    sentences: Sequence[Sequence[int]],
    labels: Sequence[int],
    held_out: Tensor,
    options: TrainingOptions | None = None,
    *,
    text: Tensor | None = None,
    weight: float = 1.0,
    looks: int = 10,
    text_batch_size: int = 8,
    bptt: int = 16,
    at_look: Callable[[int], Any] | None = None,
) -> ForgettingCurve:
    """Start the classifier from the language model, train it, and keep asking what is forgotten.

    Parameters
    ----------
    held_out : (N,) running text that the language model was not trained on
    text : (N,) running text it was trained on. With it, each step also reads a window of
        `text_batch_size` rows of `bptt` words and adds `weight` times the language-model loss
    looks : how often to measure while training, in even steps
    at_look : called at each look but the first, with the number of steps done

    Returns
    -------
    The curve; the classifier is trained in place, the language model stays as it was
    """
    options = options or TrainingOptions()
    start_from(classifier, language_model)
    watched = language_model_of(classifier, language_model)
    windows: Iterator[tuple[Tensor, Tensor]] = iter(())
    if text is not None:
        windows = endless_windows(text.to(device_of(classifier)), text_batch_size, bptt)

    def language_model_loss() -> Tensor:
        inputs, targets = next(windows)
        logits, _ = watched(inputs)
        return weight * F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    steps = options.epochs * -(-len(sentences) // options.batch_size)
    wanted = {round(steps * look / looks) for look in range(1, looks + 1)}
    seen, perplexities = [0], [stream_perplexity(watched, held_out)]

    def look(step: int) -> None:
        if step in wanted:
            seen.append(step)
            perplexities.append(stream_perplexity(watched, held_out))
            if at_look is not None:
                at_look(step)
            classifier.train()

    train_classifier(
        classifier,
        sentences,
        labels,
        options,
        extra_loss=None if text is None else language_model_loss,
        after_step=look,
    )
    return ForgettingCurve(tuple(seen), tuple(perplexities))
