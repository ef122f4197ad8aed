"""``python -m course.bilm_from_scratch.counted_text pairs``: the checkpoint's own text, counted.

Pairs of neighbours are counted in the text that the course's checkpoint was trained on and in the
256 sentences that lesson 07 gives to its softmax. How far does counting come that has read as much?
"""

import argparse
from collections.abc import Callable, Sequence

import numpy as np

from course.bilm_from_scratch.frozen_softmax import Answered, by_counts, perplexity
from course.command import Prepared, Result, run_experiments
from course.results.stored import stored_result
from course.texts.small_text import SmallText, small_text
from elmo_mini.pretraining.sources import course_text

FEW = 256


def pairs() -> tuple[str, Result]:
    """Perplexity on the held-out sentences of lesson 07, and what each of them costs."""
    text = small_text(train=6_400, held_out=200, words=1_000, prefer=("brown",))
    read = list(course_text())
    answered = by_counts(text, [*read, *text.train[:FEW]], text.held_out, 2)
    mean, low, high = perplexity(answered)
    nats, words = answered.sums(len(text.held_out))
    return "counts of pairs in the checkpoint's own text", {
        "words": sum(map(len, read)),
        "perplexity": {"mean": mean, "low": low, "high": high},
        "interval": "95 %, bootstrap over sentences",
        "nats": nats.tolist(),
        "words asked": words.astype(int).tolist(),
    }


def stored_pairs(text: SmallText) -> Answered | None:
    """What the counts pay for the held-out sentences, as stored; None if it was asked of others.

    Each word of a sentence has the sentence's mean.
    """
    stored = stored_result("counted_text_pairs").numbers
    words = np.array(stored["words asked"])
    if [len(sentence) + 1 for sentence in text.held_out] != words.tolist():
        return None
    sentence = np.repeat(np.arange(len(words)), words)
    return Answered((np.array(stored["nats"]) / words)[sentence], sentence)


EXPERIMENTS: dict[str, Callable[..., tuple[str, Result]]] = {"pairs": pairs}


def _prepare(args: argparse.Namespace) -> Prepared:
    return (), {}


def main(argv: Sequence[str] | None = None) -> int:
    """Count and store."""
    return run_experiments(
        "bilm_from_scratch.counted_text", "counted_text_", __doc__, EXPERIMENTS, _prepare, argv
    )


if __name__ == "__main__":
    raise SystemExit(main())
