"""``python -m course.bilm_from_scratch.counted_text triples``: trigrams of the biLM's own text.

Three words in a row are counted in the text that the course's checkpoint was trained on. How far
does counting come that has read as much?
"""

import argparse
from collections.abc import Callable, Sequence

import numpy as np

from course.bilm_from_scratch.frozen_softmax import Answered, by_counts, perplexity
from course.command import Prepared, Result, run_experiments
from course.results.stored import stored_result
from course.texts.small_text import Sentences, small_text
from elmo_mini.training.pretraining.sources import course_text

FEW, STOP = 256, 320


def triples() -> tuple[str, Result]:
    """What each word of lesson 07's stop sentences and held-out ones costs, in nats."""
    text = small_text(train=6_400, held_out=200, words=1_000, prefer=("brown",))
    read, asked = list(course_text()), [*text.train[FEW:STOP], *text.held_out]
    answered = by_counts(text, read, asked, 3)
    mean, low, high = perplexity(answered.since(STOP - FEW))
    return "counts of triples in the checkpoint's own text", {
        "words": sum(map(len, read)),
        "perplexity": {"mean": mean, "low": low, "high": high},
        "interval": "95 %, bootstrap over sentences",
        "nats": " ".join(f"{nats:.3f}" for nats in answered.nats),
        "words asked": [len(sentence) + 1 for sentence in asked],
    }


def stored_triples(asked: Sentences) -> Answered | None:
    """What the counts pay for the words of these sentences; None if others were stored."""
    stored = stored_result("counted_text_triples").numbers
    words = np.array(stored["words asked"])
    if [len(sentence) + 1 for sentence in asked] != words.tolist():
        return None
    nats = np.array(stored["nats"].split(), dtype=float)
    return Answered(nats, np.repeat(np.arange(len(words)), 2 * words))


EXPERIMENTS: dict[str, Callable[..., tuple[str, Result]]] = {"triples": triples}


def _prepare(args: argparse.Namespace) -> Prepared:
    return (), {}


def main(argv: Sequence[str] | None = None) -> int:
    """Count and store."""
    return run_experiments(
        "bilm_from_scratch.counted_text", "counted_text_", __doc__, EXPERIMENTS, _prepare, argv
    )


if __name__ == "__main__":
    raise SystemExit(main())
