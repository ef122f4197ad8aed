"""Fine-tuning on few labels, from weights of several kinds, for lesson 14.

A seed draws the labels, the head's start, the order of the batches and, where there are any, the
fresh or scrambled weights. Whatever is compared shares it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from course.texts.labelled_tasks import Labelled
from course.texts.word_classes import WordClasses, word_classes
from course.why_bert.scrambling import scrambled
from elmo_mini.extras import brought_by
from elmo_mini.models.fine_tuning import Batch, CausalLM, Classifier, next_word_loss, tune
from elmo_mini.text.batches import pad
from elmo_mini.text.running_text import BOUNDARY
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.steps import evaluating
from elmo_mini.transformer.files import load_causal_lm

with brought_by("experiments"):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

Weights = Mapping[str, Tensor]
Tune = Callable[[Classifier, Sequence[Batch], torch.optim.Optimizer, int, float], list[float]]
Scramble = Callable[[Weights, torch.Generator], dict[str, Tensor]]
Correct = NDArray[np.float64]

BODY_RATE, HEAD_RATE, SIZE, STEPS, WARM = 1e-3, 1e-2, 10, 100, 0.1
SIZES = {"dim": 96, "heads": 4, "layers": 3, "longest": 32}
KINDS = ("pretrained", "scrambled", "fresh")
NORMAL, ENLARGED = CONTROLS = ("normal", "enlarged")
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

    def normal(self, seed: int) -> dict[str, Tensor]:
        """Normal random numbers with the mean and the spread of each pretrained tensor."""
        lots = torch.Generator().manual_seed(seed)
        return {
            name: torch.randn(tensor.shape, generator=lots) * tensor.std() + tensor.mean()
            for name, tensor in self.pretrained.items()
        }

    def enlarged(self, seed: int) -> dict[str, Tensor]:
        """Fresh weights whose word vectors alone have the spread of the pretrained ones."""
        weights, words = self.fresh(seed), "word.weight"
        larger = self.pretrained[words].std() / weights[words].std()
        return {**weights, words: larger * weights[words]}

    def weights(self, kind: str, seed: int, scramble: Scramble = scrambled) -> Weights:
        """Of the kind ``pretrained``, ``scrambled``, ``normal``, ``enlarged`` or ``fresh``."""
        if kind == "pretrained":
            return self.pretrained
        if kind == NORMAL:
            return self.normal(seed)
        if kind == ENLARGED:
            return self.enlarged(seed)
        if kind == "scrambled":
            return scramble(self.pretrained, torch.Generator().manual_seed(seed))
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
        pull: float = 0.0,
        body_rate: float = BODY_RATE,
        decay: float = 0.0,
        tune: Tune = tune,
        classes: int | None = None,
    ) -> Classifier:
        """A classifier that has learnt from so many labels.

        Parameters
        ----------
        pull : of the body to its start
        body_rate : 0 freezes the body
        decay : pull of the body to 0
        """
        model = self.classifier(weights, seed, classes)
        tune(
            model,
            self.batches(train, steps, seed),
            optimizer_of(model, body_rate, decay),
            max(1, int(WARM * steps)),
            pull,
        )
        return model.eval()

    def mixed(self, pretrained: str, seed: int) -> dict[str, Tensor]:
        """Pretrained weights from the bottom up to a part, scrambled ones above it.

        Parameters
        ----------
        pretrained : ``nothing``, ``words``, ``block 1``, ..., the highest part that is pretrained
        """
        blocks = (f"block {n + 1}" for n in range(self.sizes["layers"]))
        height = ("nothing", "words", *blocks).index(pretrained)
        other = scrambled(self.pretrained, torch.Generator().manual_seed(seed))
        return {
            name: tensor if _height(name) <= height else other[name]
            for name, tensor in self.pretrained.items()
        }

    def loss(self, model: Classifier, test: Labelled) -> float:
        """Mean of -log p(label), in nats."""
        with evaluating(model):
            scores = model(*self.numbers(test.texts))
            return float(functional.cross_entropy(scores, torch.tensor(test.labels)))

    def correct(self, model: Classifier, test: Labelled) -> Correct:
        """(N,) 1 where the answer is right."""
        return correct_answers(model, self.numbers(test.texts), test.labels)

    def by_last_vector(self, train: Labelled, test: Labelled) -> Correct:
        """(N,) 1 where a logistic regression on the pretrained last word's vector is right."""
        table = self.pretrained["word.weight"].numpy()

        def last(part: Labelled) -> NDArray[np.float32]:
            vectors: NDArray[np.float32] = table[
                [self.vocabulary.encode([text[-1]])[0] for text in part.texts]
            ]
            return vectors

        classifier = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
        classifier.fit(last(train), train.labels)
        return np.asarray(classifier.predict(last(test)) == np.asarray(test.labels), float)

    def perplexity(self, body: CausalLM, texts: Sequence[list[str]]) -> float:
        """Of a body as a model of the next word."""
        with evaluating(body):
            return float(next_word_loss(body, *self.numbers(texts)).exp())


def course_setup() -> FineTuningSetup:
    """With the course's checkpoint and task."""
    model, vocabulary = load_causal_lm()
    weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    return FineTuningSetup(word_classes(), weights, vocabulary)


def _height(name: str) -> int:
    """1 for word and place vectors, 2 for the lowest block, and so on."""
    return 2 + int(name.split(".")[1]) if name.startswith("blocks.") else 1


def optimizer_of(
    model: Classifier, body_rate: float = BODY_RATE, decay: float = 0.0
) -> torch.optim.Optimizer:
    """Adam, with one rate for the body and one for the head."""
    return torch.optim.Adam(
        [
            {"params": list(model.body.parameters()), "lr": body_rate, "weight_decay": decay},
            {"params": list(model.head.parameters()), "lr": HEAD_RATE},
        ],
        fused=True,  # the same steps, a third faster
    )


def correct_answers(
    model: Classifier, numbers: tuple[Tensor, Tensor], labels: Sequence[int]
) -> Correct:
    """(N,) 1 where the answer is right."""
    with evaluating(model):
        predicted = model(*numbers).argmax(-1).numpy()
    return (predicted == np.asarray(labels)).astype(float)


def _words(text: list[str]) -> list[str]:
    return text


def _spelling(text: list[str]) -> list[str]:
    """The last word, its endings, and the word before with its."""
    last, before = text[-1], text[-2] if len(text) > 1 else "<s>"
    return [f"last {last}", f"before {before}", f"ending before {before[-2:]}"] + [
        f"ending {last[-size:]}" for size in (1, 2, 3)
    ]


def baselines(train: Labelled, test: Labelled) -> dict[str, Correct]:
    """Who needs no network: (N,) 1 where each is right."""
    makers: dict[str, tuple[Callable[[list[str]], list[str]], Any]] = {
        "bag of words": (_words, LogisticRegression(C=3.0, max_iter=1_000)),
        "naive Bayes": (_words, MultinomialNB()),
        "two words and endings": (_spelling, LogisticRegression(C=3.0, max_iter=1_000)),
    }
    found = {}
    for name, (features, classifier) in makers.items():
        counts = CountVectorizer(analyzer=features)
        classifier.fit(counts.fit_transform(train.texts), train.labels)
        predicted = classifier.predict(counts.transform(test.texts))
        found[name] = (predicted == np.asarray(test.labels)).astype(float)
    return found
