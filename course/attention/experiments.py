"""``python -m course.attention.experiments NAME ...``: what lesson 13 measures, full-size.

``distance``: four readers that learn to answer a question about a fact, by how far back it stands.
``longer``: the plain sum of all words, trained four and sixteen times as long.
``rates``: the four readers at four learning rates.
``language-model``: blocks that look back, post-norm and pre-norm, against an LSTM, equal in
weights, text and steps.
``beside-counts``: what either adds to counts of triples; with 6,400 sentences, at its best rate.
``window``: the same for blocks that may look back at two or three words only.
``president``: the course's next-word model of speeches beside counts, and mixed with them.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice

import numpy as np
import torch
from torch import Tensor, nn

from course.attention.pre_norm import LastNorm, PreNormBlock
from course.attention.recall import (
    RATE,
    AttentionRecaller,
    RecurrentRecaller,
    SumRecaller,
    recall_accuracy,
    train_to_recall,
)
from course.attention.recurrent_lm import RecurrentLM
from course.baselines.kneser_ney import KneserNey
from course.command import Prepared, Result, run_experiments
from course.results.intervals import interval
from course.results.stored import stored_result
from course.texts.small_text import Sentences, SmallText, small_text
from elmo_mini import corpora
from elmo_mini.models.attention import Block, causal_mask
from elmo_mini.models.fine_tuning import CausalLM, next_word_loss
from elmo_mini.text.running_text import next_word_windows, stream_rows, text_stream
from elmo_mini.training.steps import TrainingOptions, evaluating, train
from elmo_mini.transformer.files import load_causal_lm

DISTANCES = (1, 4, 16, 32, 64)
STEPS, LONGER = 600, 4
READERS: dict[str, Callable[[], nn.Module]] = {
    "attention": AttentionRecaller,
    "LSTM": RecurrentRecaller,
    "LSTM, forget gate open": lambda: RecurrentRecaller(open_gate=3.0),
    "sum of all tokens": SumRecaller,
}


def distance(seeds: Sequence[int]) -> tuple[str, Result]:
    """Accuracy by distance, and of the LSTMs when they train longer at one distance."""
    accuracy = {
        name: {
            str(far): interval([_accuracy(make, far, STEPS, seed) for seed in seeds])
            for far in DISTANCES
        }
        for name, make in READERS.items()
    }
    longer = {
        name: interval([_accuracy(READERS[name], 16, LONGER * STEPS, seed) for seed in seeds])
        for name in ("LSTM", "LSTM, forget gate open")
    }
    return "A question about a fact, by the tokens of chatter in between", {
        "training": f"{STEPS} batches of 64 fresh texts, Adam at 0.003 falling to 0",
        "weights": {n: sum(p.numel() for p in make().parameters()) for n, make in READERS.items()},
        "test": "1,000 fresh texts; the share of right answers; 1 in 8 by chance",
        "accuracy": accuracy,
        f"trained {LONGER} times as long, distance 16": longer,
    }


TIMES = (1, 4, 16)


def longer(seeds: Sequence[int]) -> tuple[str, Result]:
    """The sum's accuracy by the number of batches: does it fail, or has it not finished?"""
    make = READERS["sum of all tokens"]
    return "A question about a fact: the sum of all tokens, by the number of batches", {
        "training": f"{STEPS} batches of 64 fresh texts, or 4 or 16 times as many; Adam at 0.003 "
        "falling to 0",
        "test": "1,000 fresh texts; the share of right answers; 1 in 8 by chance",
        "accuracy": {
            str(far): {
                str(times * STEPS): interval(
                    [_accuracy(make, far, times * STEPS, seed) for seed in seeds]
                )
                for times in TIMES
            }
            for far in (16, 64)
        },
    }


RECALL_RATES = (1e-3, 3e-3, 1e-2, 3e-2)


def rates(seeds: Sequence[int]) -> tuple[str, Result]:
    """Each reader's accuracy with 16 tokens of chatter, by its learning rate."""
    return "A question about a fact, by the learning rate", {
        "training": f"{STEPS} batches of 64 fresh texts, 16 tokens of chatter; Adam, falling to 0",
        "test": "1,000 fresh texts; the share of right answers; 1 in 8 by chance",
        "accuracy": {
            name: {
                f"{rate:g}": interval([_accuracy(make, 16, STEPS, seed, rate) for seed in seeds])
                for rate in RECALL_RATES
            }
            for name, make in READERS.items()
        },
    }


def _accuracy(
    make: Callable[[], nn.Module], far: int, steps: int, seed: int, rate: float = RATE
) -> float:
    torch.manual_seed(seed)
    model = make()
    train_to_recall(model, far, steps, seed=seed, rate=rate)
    return recall_accuracy(model, far)


SENTENCES = (1_600, 6_400)
EPOCHS, BATCH = 3, 32


def _pre_norm(words: int) -> CausalLM:
    model = CausalLM(
        words, longest=24, block=lambda dim, heads: PreNormBlock(dim, heads, causal_mask, 0.0)
    )
    model.blocks.append(LastNorm(model.word.embedding_dim))
    return model


MODELS: dict[str, Callable[[int], nn.Module]] = {
    "blocks that look back": lambda words: CausalLM(words, longest=24),
    "pre-norm blocks": _pre_norm,
    "LSTM": RecurrentLM,
}
RATES = {
    "blocks that look back": (1e-3, 2e-3, 4e-3, 8e-3),
    "pre-norm blocks": (1e-3, 2e-3, 4e-3, 8e-3),
    "LSTM": (6e-3, 1.2e-2, 2.4e-2, 4.8e-2),
}
"""Of each model, around the best one."""
COUNTED = (("words", 1), ("pairs", 2), ("triples", 3))


def language_model(seeds: Sequence[int]) -> tuple[str, Result]:
    """Held-out perplexity by the number of sentences read, each model at its best rate."""
    found: dict[str, dict[str, Result]] = {name: {} for name in MODELS}
    chosen: dict[str, dict[str, float]] = {name: {} for name in MODELS}
    choosing: dict[str, dict[str, dict[str, float]]] = {name: {} for name in MODELS}
    counts = {}
    for sentences in SENTENCES:
        text = small_text(sentences, held_out=800, words=1_000)
        choose, judge = text.held_out[:400], text.held_out[400:]
        counts[str(sentences)] = {name: text.ngram(judge, order) for name, order in COUNTED}
        for name, make in MODELS.items():
            tried = {rate: _perplexity(make, text, choose, rate, 0) for rate in RATES[name]}
            best = min(tried, key=lambda rate: tried[rate])
            choosing[name][str(sentences)] = {f"{r:g}": p for r, p in tried.items()}
            runs = [_perplexity(make, text, judge, best, seed) for seed in seeds]
            found[name][str(sentences)] = interval(runs)
            chosen[name][str(sentences)] = best
    weights = {
        name: sum(part.numel() for part in make(len(text.vocabulary)).parameters())
        for name, make in MODELS.items()
    }
    return "A language model of blocks and one of LSTMs, by the sentences that it reads", {
        "training": f"{EPOCHS} epochs, batches of {BATCH}; the best of four rates by 400 "
        "held-out sentences and another seed",
        "test": "perplexity on 400 other held-out sentences, 1,000 words",
        "weights": weights,
        "perplexity": found,
        "rate": chosen,
        "choosing": choosing,
        "counts": counts,
    }


def _beside(
    models: Mapping[str, tuple[Callable[[int], nn.Module], float]], seeds: Sequence[int]
) -> tuple[float, dict[str, list[float]], dict[str, list[float]]]:
    """Perplexity of triples, and by model, alone and with half of each probability the triples'.

    Parameters
    ----------
    models : makes a model of so many words; and its rate
    """
    text = small_text(SENTENCES[-1], held_out=800, words=1_000)
    judge = text.held_out[400:]
    stream, (ids, mask) = text.running(judge), text.numbers(judge)
    counts = KneserNey(text.running(text.train), len(text.vocabulary), 3)
    triples = torch.tensor(counts.probabilities(stream))
    alone: dict[str, list[float]] = {name: [] for name in models}
    mixed: dict[str, list[float]] = {name: [] for name in models}
    for name, (make, rate) in models.items():
        for seed in seeds:
            model = _trained(make, text, rate, seed)
            with evaluating(model):
                logits = model(ids, mask)[:, :-1].log_softmax(-1)
            own = logits.gather(-1, ids[:, 1:, None])[..., 0][mask[:, 1:]].exp()
            alone[name].append(_mean_perplexity(own))
            mixed[name].append(_mean_perplexity((own + triples) / 2))
            print(f"{name}: {alone[name][-1]:.2f}, mixed {mixed[name][-1]:.2f}", flush=True)
    return _mean_perplexity(triples), alone, mixed


def beside_counts(seeds: Sequence[int]) -> tuple[str, Result]:
    """Held-out perplexity of `MODELS` when each word gets the mean of theirs and the triples'."""
    rates = stored_result("attention_language_model").numbers["rate"]
    models = {name: (make, rates[name][str(SENTENCES[-1])]) for name, make in MODELS.items()}
    triples, _, found = _beside(models, seeds)
    lstms = found["LSTM"]
    return "A language model of blocks and one of LSTMs, each mixed with counts of triples", {
        "training": f"{SENTENCES[-1]:,} sentences, {EPOCHS} epochs, the rates of language-model",
        "test": "perplexity on 400 held-out sentences; half of a probability is the triples'",
        "triples": triples,
        "perplexity": {name: interval(values) for name, values in found.items()},
        "less LSTM": {
            name: interval(np.array(values) - lstms)
            for name, values in found.items()
            if name != "LSTM"
        },
    }


WINDOWS = {"three words": (2, 2), "two words": (2, 1)}
"""How many words a position may look at, itself the first, in each of two blocks."""


def window(seeds: Sequence[int]) -> tuple[str, Result]:
    """What blocks add to triples when they may look back at few words, as triples do."""
    blocks = next(iter(MODELS))
    whole = stored_result("attention_beside_counts").numbers
    rate = stored_result("attention_language_model").numbers["rate"][blocks]
    far = [whole["perplexity"][blocks]["values"][whole["seeds"].index(seed)] for seed in seeds]
    models = {
        name: (partial(_windowed, widths), rate[str(SENTENCES[-1])])
        for name, widths in WINDOWS.items()
    }
    triples, alone, mixed = _beside(models, seeds)
    return "Blocks that may look back at few words, alone and mixed with counts of triples", {
        "training": f"{SENTENCES[-1]:,} sentences, {EPOCHS} epochs, the rate of language-model",
        "test": "perplexity on 400 held-out sentences; half of a probability is the triples'",
        "triples": triples,
        "alone": {name: interval(values) for name, values in alone.items()},
        "mixed": {name: interval(values) for name, values in mixed.items()},
        "mixed, less blocks that see all words before": {
            name: interval(np.array(values) - far) for name, values in mixed.items()
        },
    }


def _windowed(widths: Sequence[int], words: int) -> CausalLM:
    """Blocks of which each may look at so many words, itself the first."""
    masks = iter(partial(_back, width) for width in widths)
    return CausalLM(words, longest=24, block=lambda dim, heads: Block(dim, heads, next(masks)))


def _back(width: int, mask: Tensor) -> Tensor:
    """(B, T, T) who may look at whom; padding stands behind, so no token looks at it."""
    T = mask.shape[1]
    return torch.ones(T, T, dtype=torch.bool).tril().triu(1 - width).expand(len(mask), -1, -1)


def _mean_perplexity(chances: Tensor) -> float:
    return float((-chances.double().log().mean()).exp())


def _trained(
    make: Callable[[int], nn.Module], text: SmallText, rate: float, seed: int
) -> nn.Module:
    torch.manual_seed(seed)
    model = make(len(text.vocabulary))
    steps = EPOCHS * len(text.train) // BATCH
    batches = islice(text.batches(BATCH, seed), steps)
    losses = (next_word_loss(model, *text.numbers(some)) for some in batches)
    train(model, losses, steps, TrainingOptions(learning_rate=rate, seed=seed))
    return model


def _perplexity(
    make: Callable[[int], nn.Module],
    text: SmallText,
    held_out: Sentences,
    rate: float,
    seed: int,
) -> float:
    model = _trained(make, text, rate, seed)
    with evaluating(model):
        return float(np.exp(float(next_word_loss(model, *text.numbers(held_out)))))


def president(seeds: Sequence[int]) -> tuple[str, Result]:
    """Held-out perplexity of the course's model of speeches, of counts, and of both mixed."""
    model, vocabulary = load_causal_lm()
    text = corpora.load("state_union")
    stream, held_out = (
        text_stream(list(text.split(part).sentences(lower=True)), vocabulary)
        for part in ("train", "dev")
    )
    rows, longest = 32, model.position_embedding.num_embeddings
    places = next_word_windows(stream_rows(torch.arange(len(held_out)), rows), longest)
    chances = []
    with evaluating(model):
        for x, _ in next_word_windows(stream_rows(held_out, rows), longest):
            chances.append(model(x).softmax(-1))
    asked = torch.cat([targets for _, targets in places], 1)  # (rows, N)
    said = held_out[asked]
    blocks = torch.cat(chances, 1).gather(-1, said[..., None])[..., 0].double().numpy()
    nats = {"blocks": -np.log(blocks)}
    for name, order in COUNTED:
        counts = KneserNey(stream.tolist(), len(vocabulary), order)
        found = torch.tensor(counts.probabilities(held_out.tolist()), dtype=torch.float64)
        nats[f"counts of {name}"] = -np.log(found[asked - 1].numpy())
    triples = nats["counts of triples"]
    nats["triples and blocks, half and half"] = -np.log((blocks + np.exp(-triples)) / 2)
    less = (triples - nats["triples and blocks, half and half"]).mean(1)
    return "The course's model of speeches beside counts of the same speeches", {
        "test": f"held-out addresses in {rows} stretches, {said.numel():,} words; the model reads "
        f"windows of {longest}; counts smoothed after Kneser and Ney",
        "interval": f"95 %, Student's t over {rows} stretches of the text; one model, one start",
        "perplexity": {name: float(np.exp(values.mean())) for name, values in nats.items()},
        "nats the blocks add to triples, over the stretches": interval(less),
    }


EXPERIMENTS: dict[str, Callable[[Sequence[int]], tuple[str, Result]]] = {
    "distance": distance,
    "longer": longer,
    "rates": rates,
    "language-model": language_model,
    "beside-counts": beside_counts,
    "window": window,
    "president": president,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the named experiments and store each."""
    return run_experiments(
        "attention.experiments", "attention_", __doc__, EXPERIMENTS, _prepare, argv, seeds=5
    )


def _prepare(args: argparse.Namespace) -> Prepared:
    return (args.seeds,), {}


if __name__ == "__main__":
    raise SystemExit(main())
