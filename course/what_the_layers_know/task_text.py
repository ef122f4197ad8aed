"""``python -m course.what_the_layers_know.task_text pos``: domain adaptation of the biLM, probed.

The course's biLM goes on as a language model on newspaper sentences (the treebank's, without their
labels), once with all its weights and once with its softmax alone. How much lower is the perplexity
on other sentences of the paper, and does a probe for parts of speech find more?
"""

import argparse
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from course.bilm_from_scratch.quantised_softmax import course_softmax
from course.command import Prepared, Result, run_experiments
from course.results.intervals import interval
from elmo_mini import corpora
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.probing.linear_probe import linear_probe
from elmo_mini.probing.probe import occurrence_vectors
from elmo_mini.probing.probing_tasks import Task, parts_of_speech
from elmo_mini.text.character_ids import BOS_TOKEN, EOS_TOKEN, batch_to_ids

SENTENCES, JUDGED, BATCH, RATE = 1_200, 400, 16, 1e-3
WORDS, LAYERS = 2_000, (1, 2)
LONGEST = 50
Sentences = Sequence[Sequence[str]]


class Speaking(nn.Module):
    """The course's biLM with the softmax that is kept with it."""

    def __init__(self) -> None:
        super().__init__()
        kept = course_softmax()
        self.bilm, self.vocabulary = load_pretrained(), kept.vocabulary
        self.weight, self.bias = nn.Parameter(kept.weight), nn.Parameter(kept.bias)

    def loss(self, sentences: Sentences) -> Tensor:
        """Nats a token of both directions: their sum over all, and how many there are, (2,)."""
        output = self.bilm(batch_to_ids(sentences))
        mask = output["mask"].bool()
        words = torch.zeros(mask.shape, dtype=torch.long)
        for row, sentence in enumerate(sentences):
            ids = self.vocabulary.encode([BOS_TOKEN, *sentence, EOS_TOKEN])
            words[row, : len(ids)] = torch.tensor(ids)
        ahead, behind = output["activations"][-1].chunk(2, -1)
        pair = mask[:, 1:]
        states = torch.cat([ahead[:, :-1][pair], behind[:, 1:][pair]])
        targets = torch.cat([words[:, 1:][pair], words[:, :-1][pair]])
        nats = functional.cross_entropy(
            states @ self.weight.T + self.bias, targets, reduction="sum"
        )
        return torch.stack([nats, torch.tensor(float(len(targets)))])


def measure(seeds: Sequence[int]) -> tuple[str, Result]:
    """Perplexity and a probe's accuracy, before and after; the differences seed by seed."""
    corpus = corpora.load("treebank")
    learn = _some(corpus.split("train").sentences(), SENTENCES)
    judge = _some(corpus.split("test").sentences(), JUDGED)
    task = parts_of_speech("treebank", WORDS, WORDS)
    before = Speaking()
    start, found = perplexity(before, judge), accuracy(before.bilm, task)
    print(f"before: {start:.1f}, {found}", flush=True)
    alone, whole, gains = [], [], []
    for seed in seeds:
        alone.append(perplexity(read_on(learn, seed, frozen=True), judge))
        model = read_on(learn, seed, frozen=False)
        whole.append(perplexity(model, judge))
        gains.append(accuracy(model.bilm, task) - found)
        print(f"{seed}: {alone[-1]:.1f}, {whole[-1]:.1f}, {gains[-1]}", flush=True)
    return "the biLM reads the task's text first", {
        "sentences": len(learn),
        "words": sum(map(len, learn)),
        "perplexity": {
            "before": start,
            "softmax alone": interval(alone),
            "all weights": interval(whole),
        },
        "accuracy": {f"layer {j}": float(found[j - 1]) for j in LAYERS},
        "gains": {f"layer {j}": interval([gain[j - 1] for gain in gains]) for j in LAYERS},
    }


def _some(sentences: Iterable[Sequence[str]], most: int) -> list[Sequence[str]]:
    return list(islice((s for s in sentences if 0 < len(s) <= LONGEST), most))


def read_on(sentences: Sentences, seed: int, *, frozen: bool) -> Speaking:
    """One pass as a language model; `frozen` keeps the biLM as it is."""
    torch.manual_seed(seed)
    model = Speaking()
    model.bilm.requires_grad_(not frozen)
    trained = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.Adam(trained, lr=RATE)
    batches = torch.randperm(len(sentences)).split(BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 1 - n / (len(batches) + 1))
    for rows in batches:
        nats, tokens = model.loss([sentences[row] for row in rows.tolist()])
        optimizer.zero_grad()
        (nats / tokens).backward()
        optimizer.step()
        schedule.step()
    return model


@torch.no_grad()
def perplexity(model: Speaking, sentences: Sentences) -> float:
    """Of both directions, each sentence read alone."""
    parts = [model.loss(sentences[i : i + 50]) for i in range(0, len(sentences), 50)]
    nats, tokens = torch.stack(parts).sum(0).tolist()
    return float(np.exp(nats / tokens))


def accuracy(bilm: FastBiLM, task: Task) -> NDArray[np.float64]:
    """(L,): of a linear probe on each LSTM layer."""
    places = (*task.train, *task.test)
    layers = occurrence_vectors(bilm.requires_grad_(False), places, LAYERS, progress=False)
    labels, known = np.array([o.label for o in places]), len(task.train)
    found = [
        linear_probe(layers[:known, j], labels[:known].tolist(), layers[known:, j])
        for j in range(len(LAYERS))
    ]
    return np.mean(np.array(found) == labels[known:], axis=1)


EXPERIMENTS: dict[str, Callable[..., tuple[str, Result]]] = {"pos": measure}


def _prepare(args: argparse.Namespace) -> Prepared:
    return (args.seeds,), {}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and store."""
    return run_experiments(
        "what_the_layers_know.task_text",
        "task_text_",
        __doc__,
        EXPERIMENTS,
        _prepare,
        argv,
        seeds=3,
    )


if __name__ == "__main__":
    raise SystemExit(main())
