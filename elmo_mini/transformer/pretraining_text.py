"""The text of a masked language model's run: sentences in lower case, numbered, some held out."""

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from elmo_mini.models.masked_lm import SPECIALS, UNKNOWN
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.training.pretraining.sources import REVIEWS, Source, read_without
from elmo_mini.transformer.pretraining import NumberedText

BLOCK, EVERY = 50, 50
SMALLEST_BLOCK = 2  # a pair of sentences
SINGLE = REVIEWS[1:]
"""Corpora of sentences that stand alone: none continues the one before it."""

Sentence = list[str]


def read_sources(
    sources: Sequence[Source], left_out: frozenset[str], max_words: int
) -> tuple[NumberedText, NumberedText, Vocabulary]:
    """Training text, validation text and the vocabulary of the training text.

    Every fiftieth block of 50 sentences is held out, of smaller blocks where no source has as many;
    a sentence that also stands there is taken out of training.

    Raises
    ------
    ValueError
        If there are too few sentences to hold some out and learn from the others.
    """
    texts = [
        (source.name, [[w.lower() for w in words] for words in read_without(source, left_out)])
        for source in sources
    ]
    longest = max((len(sentences) for _, sentences in texts), default=0)
    block = min(BLOCK, max(SMALLEST_BLOCK, longest // EVERY))
    train: list[tuple[Sentence, bool]] = []
    held: list[tuple[Sentence, bool]] = []
    for name, sentences in texts:
        last = len(sentences) - 1
        for number, sentence in enumerate(sentences):
            block_ends = number % block == block - 1 and {
                number // block % EVERY,
                (number // block + 1) % EVERY,
            } & {EVERY - 1}
            goes_on = number < last and not block_ends and name not in SINGLE
            part = held if number // block % EVERY == EVERY - 1 else train
            part.append((sentence, goes_on))
    known = {tuple(sentence) for sentence, _ in held}
    kept = _without(train, known)
    for what, part in (("hold out for validation", held), ("learn from", kept)):
        if not any(sentence for sentence, _ in part):
            raise ValueError(
                f"the text has {longest:,} sentences, and none of them is left to {what}; give "
                f"at least {SMALLEST_BLOCK * EVERY} different sentences"
            )
    vocabulary = Vocabulary.from_sentences(
        (sentence for sentence, _ in kept), max_size=max_words, specials=SPECIALS, unknown=UNKNOWN
    )
    return numbered(kept, vocabulary), numbered(held, vocabulary), vocabulary


def numbered(sentences: Sequence[tuple[Sentence, bool]], vocabulary: Vocabulary) -> NumberedText:
    """Sentences, and whether each goes on, as numbers."""
    rows = [vocabulary.encode(sentence) for sentence, _ in sentences]
    starts = np.cumsum([0, *map(len, rows)])
    words = np.fromiter(chain.from_iterable(rows), np.int32, count=int(starts[-1]))
    return NumberedText(words, starts, np.array([goes_on for _, goes_on in sentences], dtype=bool))


def _without(
    sentences: Iterable[tuple[Sentence, bool]], left_out: set[tuple[str, ...]]
) -> list[tuple[Sentence, bool]]:
    """Without these sentences; the one before such a one does not go on."""
    kept: list[tuple[Sentence, bool]] = []
    for sentence, goes_on in sentences:
        if tuple(sentence) not in left_out:
            kept.append((sentence, goes_on))
        elif kept:
            kept[-1] = (kept[-1][0], False)
    return kept
