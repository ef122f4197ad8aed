"""Fine-tuning on few labels, from weights of several kinds, for lesson 14.

A seed draws the labels, the head's start, the order of the batches and, where there are any, the
fresh or scrambled weights. Whatever is compared shares it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from course.texts.noun_or_verb import noun_or_verb
from course.texts.word_classes import WordClasses
from course.why_bert.scrambling import scrambled
from elmo_mini.models.fine_tuning import Batch, CausalLM, Classifier, next_word_loss, tune
from elmo_mini.text.batches import pad
from elmo_mini.text.labelled import Labelled
from elmo_mini.text.running_text import BOUNDARY
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.steps import evaluating
from elmo_mini.transformer.files import load_causal_lm

Weights = Mapping[str, Tensor]
Correct = NDArray[np.float64]

BODY_RATE, HEAD_RATE, SIZE, STEPS, WARM = 1e-3, 1e-2, 10, 100, 0.1
SIZES = {"dim": 96, "heads": 4, "layers": 3, "longest": 32}
WITHOUT_MARK = "kind of question, ? taken off"


@dataclass(frozen=True)
class FineTuningSetup:
    """The task, the pretrained weights, the words that they know, and the sizes of the network."""

    task: WordClasses
    pretrained: Weights
    vocabulary: Vocabulary
    sizes: Mapping[str, int] = field(default_factory=lambda: SIZES)

    def body(self) -> CausalLM:
        """A network of these sizes, at random."""
        size = self.sizes
        return CausalLM(
            len(self.vocabulary), size["dim"], size["heads"], size["layers"], size["longest"]
        )

    def fresh(self, seed: int) -> dict[str, Tensor]:
        """Weights that have read nothing."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = self.body()
        return {name: tensor.detach() for name, tensor in model.state_dict().items()}

    def weights(self, kind: str, seed: int) -> Weights:
        """Of the kind ``pretrained``, ``scrambled`` or ``fresh``."""
        if kind == "pretrained":
            return self.pretrained
        if kind == "scrambled":
            return scrambled(self.pretrained, torch.Generator().manual_seed(seed))
        return self.fresh(seed)

    def classifier(self, weights: Weights, seed: int, classes: int | None = None) -> Classifier:
        """A body of these weights, and a fresh head."""
        body = self.body()
        body.load_state_dict(dict(weights))
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(1_000 + seed)
            return Classifier(body, classes or len(self.task.classes))

    def numbers(self, texts: Sequence[list[str]]) -> tuple[Tensor, Tensor]:
        """Word numbers (B, T), a boundary in front, and the mask of tokens."""
        longest = self.sizes["longest"]
        rows = [self.vocabulary.encode([BOUNDARY, *text])[:longest] for text in texts]
        return pad(rows, device="cpu")

    def batches(self, train: Labelled, steps: int, seed: int, size: int = SIZE) -> list[Batch]:
        """So many batches of labelled texts; each text comes once before one comes twice."""
        ids, mask = self.numbers(train.texts)
        labels = torch.tensor(train.labels)
        lots = torch.Generator().manual_seed(seed)
        rows: list[int] = []
        while len(rows) < steps * size:
            rows += torch.randperm(len(labels), generator=lots).tolist()
        found = []
        for step in range(steps):
            some = torch.tensor(rows[step * size : (step + 1) * size])
            width = int(mask[some].sum(1).max())
            found.append((ids[some, :width], mask[some, :width], labels[some]))
        return found

    def tuned(
        self,
        weights: Weights,
        train: Labelled,
        seed: int,
        *,
        steps: int = STEPS,
        body_rate: float = BODY_RATE,
        classes: int | None = None,
    ) -> Classifier:
        """A classifier that has learnt from so many labels.

        Parameters
        ----------
        body_rate : 0 freezes the body
        """
        model = self.classifier(weights, seed, classes)
        tune(
            model,
            self.batches(train, steps, seed),
            optimizer_of(model, body_rate),
            max(1, int(WARM * steps)),
            0.0,
        )
        return model.eval()

    def correct(self, model: Classifier, test: Labelled) -> Correct:
        """(N,) 1 where the answer is right."""
        return correct_answers(model, self.numbers(test.texts), test.labels)

    def states(self, part: Labelled) -> Tensor:
        """(N, D) the pretrained body's state at the last word of each text."""
        body = self.body()
        body.load_state_dict(dict(self.pretrained))
        ids, mask = self.numbers(part.texts)
        with evaluating(body):
            return body.states(ids, mask)[torch.arange(len(ids)), mask.sum(1) - 1]

    def perplexity(self, body: CausalLM, texts: Sequence[list[str]]) -> float:
        """Of a body as a model of the next word."""
        with evaluating(body):
            return float(next_word_loss(body, *self.numbers(texts)).exp())


def course_setup() -> FineTuningSetup:
    """With the course's checkpoint and task."""
    model, vocabulary = load_causal_lm()
    weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    return FineTuningSetup(noun_or_verb(), weights, vocabulary)


def optimizer_of(model: Classifier, body_rate: float = BODY_RATE) -> torch.optim.Optimizer:
    """Adam, with one rate for the body and one for the head."""
    return torch.optim.Adam(model.groups(body_rate, HEAD_RATE), fused=True)  # a third faster


def correct_answers(
    model: Classifier, numbers: tuple[Tensor, Tensor], labels: Sequence[int]
) -> Correct:
    """(N,) 1 where the answer is right."""
    with evaluating(model):
        predicted = model(*numbers).argmax(-1).numpy()
    return (predicted == np.asarray(labels)).astype(float)
