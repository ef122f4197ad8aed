"""``python -m course.bilm_from_scratch.counted_text NAME``: n-grams of the biLM's own text.

They are counted in the text that the course's checkpoint was trained on. How far does counting come
that has read as much? ``triples`` knows the vocabulary's words alone, also of what stands before.
``pairs`` knows every word before, as a reader of letters does; it guesses the same words.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from course.baselines.kneser_ney import KneserNey
from course.command import Prepared, Result, run_experiments
from course.results.stored import stored_result
from course.texts.small_text import Sentences, SmallText, small_text
from elmo_mini.text.running_text import BOUNDARY
from elmo_mini.training.pretraining.sources import course_text

FEW, STOP, BOOTSTRAPS = 256, 320, 2000


def by_counts(
    text: SmallText,
    learn: Sentences,
    asked: Sentences,
    order: int,
    *,
    every_word: bool = False,
) -> NDArray[np.float64]:
    """-log p of each word asked, by n-grams of the sentences to learn from.

    One table for either direction. Of a sentence all words asked forward come first, from left to
    right, then all asked backward, from left to right, too.

    Parameters
    ----------
    every_word : what stands before is told apart by its word, in the vocabulary or not
    """
    words, said = len(text.vocabulary), text.running(learn)
    numbers, mask = text.numbers(asked)
    rows = [row[there].tolist() for row, there in zip(numbers, mask, strict=True)]
    running, befores = said, rows
    if every_word:
        number: dict[str, int] = {}
        running = [number.setdefault(word, len(number)) for word in _in_a_row(learn)]
        befores = [[number.get(word, -1) for word in _in_a_row([one])] for one in asked]
    paid: list[list[float]] = [[] for _ in rows]
    for step in (1, -1):  # to the right, to the left
        counts = KneserNey(running[::step], words, order, said[::step])
        for nats, row, before in zip(paid, rows, befores, strict=True):
            found = [-math.log(p) for p in counts.probabilities(before[::step], row[::step])]
            nats += found[::step]
    return np.concatenate(paid)


def _in_a_row(sentences: Sentences) -> Iterator[str]:
    yield BOUNDARY
    for sentence in sentences:
        yield from (*map(str.lower, sentence), BOUNDARY)


def triples() -> tuple[str, Result]:
    """What each word of lesson 07's stop sentences and held-out ones costs, in nats."""
    return _counted("triples", 3)


def pairs() -> tuple[str, Result]:
    """The same by pairs; the word before is any word."""
    return _counted("pairs, whatever the word before,", 2, every_word=True)


def _counted(what: str, order: int, *, every_word: bool = False) -> tuple[str, Result]:
    text = small_text(train=6_400, held_out=200, words=1_000, prefer=("brown",))
    read, asked = list(course_text()), [*text.train[FEW:STOP], *text.held_out]
    nats = by_counts(text, read, asked, order, every_word=every_word)
    lengths = np.array([len(sentence) + 1 for sentence in asked])
    mean, low, high = _perplexity(nats, lengths)
    return f"counts of {what} in the checkpoint's own text", {
        "words": sum(map(len, read)),
        "perplexity": {"mean": mean, "low": low, "high": high},
        "interval": "95 %, bootstrap over sentences",
        "nats": " ".join(f"{one:.3f}" for one in nats),
        "words asked": lengths.tolist(),
    }


def _perplexity(
    nats: NDArray[np.float64], lengths: NDArray[np.int64]
) -> tuple[float, float, float]:
    """It, and its interval, on the sentences that come after those to stop by."""
    sentence = np.repeat(np.arange(len(lengths)), 2 * lengths)
    paid, asked = (each[STOP - FEW :] for each in (np.bincount(sentence, nats), 2 * lengths))
    size = len(asked)
    drawn = np.random.default_rng(0).multinomial(size, np.full(size, 1 / size), BOOTSTRAPS)
    low, high = np.percentile(np.exp(drawn @ paid / (drawn @ asked)), [2.5, 97.5])
    return float(np.exp(paid.sum() / asked.sum())), float(low), float(high)


def stored_counts(name: str, asked: Sentences) -> NDArray[np.float64] | None:
    """What ``triples`` or ``pairs`` pay for the words of these; None if others were stored."""
    stored = stored_result(f"counted_text_{name}").numbers
    if [len(sentence) + 1 for sentence in asked] != stored["words asked"]:
        return None
    return np.array(stored["nats"].split(), dtype=float)


EXPERIMENTS: dict[str, Callable[..., tuple[str, Result]]] = {"triples": triples, "pairs": pairs}


def _prepare(args: argparse.Namespace) -> Prepared:
    return (), {}


def main(argv: Sequence[str] | None = None) -> int:
    """Count and store."""
    return run_experiments(
        "bilm_from_scratch.counted_text", "counted_text_", __doc__, EXPERIMENTS, _prepare, argv
    )


if __name__ == "__main__":
    raise SystemExit(main())
