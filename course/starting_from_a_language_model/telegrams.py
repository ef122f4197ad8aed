"""A sequence-to-sequence task made of real text: a sentence without its small words, made whole.

The source is a sentence without function words and punctuation, as in a telegram; the target is
the sentence. Nobody has to annotate anything, so any amount of pairs could be had. To ask what
pretraining does when pairs are few, only a few are given out as pairs. The rest of the text is
given out as two texts that are not parallel: telegrams of one half, sentences of the other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from elmo_mini.text.running_text import word_vocabulary
from elmo_mini.text.vocabulary import Vocabulary

_WORDS = """
    a an the this that these those some any no every each all both either neither such
    and or but nor so yet if because although though while when where as than then that whether
    of in on at by for with from to into onto upon about over under between among through during
    before after since until against without within toward towards around off out up down
    i you he she it we they me him her us them my your his its our their mine yours hers ours
    theirs who whom whose which what there here
    am is are was were be been being do does did done have has had having will would shall should
    can could may might must not n't 's 're 've 'll 'd 'm
"""
FUNCTION_WORDS = frozenset(_WORDS.split())

Words = list[str]
Pair = tuple[list[int], list[int]]


def telegram(words: Sequence[str]) -> Words:
    """The sentence without function words and without tokens that hold no letter or figure."""
    return [
        word
        for word in words
        if word.lower() not in FUNCTION_WORDS and any(sign.isalnum() for sign in word)
    ]


@dataclass(frozen=True)
class TelegramTask:
    """Pairs of ids (telegram, sentence), and unlabelled text of both kinds.

    Attributes
    ----------
    vocabulary : of both sides, ``<unk>`` and ``</s>`` first
    train, dev, test : pairs without boundaries
    source_text : telegrams
    target_text : sentences, of other places of the text than the telegrams
    """

    vocabulary: Vocabulary
    train: list[Pair]
    dev: list[Pair]
    test: list[Pair]
    source_text: list[Words]
    target_text: list[Words]


def telegram_task(
    train: Iterable[Sequence[str]],
    test: Iterable[Sequence[str]],
    *,
    pairs: int,
    dev: int = 200,
    tests: int = 500,
    words: int = 5_000,
    shortest: int = 5,
    longest: int = 14,
    unknown: int = 0,
    seed: int = 0,
) -> TelegramTask:
    """Draw pairs from a text and give the rest of it out as unlabelled text.

    Parameters
    ----------
    train : sentences for pairs, dev and unlabelled text
    test : sentences for test pairs
    pairs : how many to train on
    dev, tests : how many at most for the other parts
    words : size of the vocabulary
    shortest, longest : words of a sentence that becomes a pair. Its telegram has two or more.
    unknown : how many of its words may be outside the vocabulary; they become ``<unk>`` on both
        sides. The unlabelled text is not chosen like that.

    Raises
    ------
    ValueError
        If the text has too few such sentences.
    """
    text = [[word.lower() for word in sentence] for sentence in train]
    vocabulary = word_vocabulary(text, max_size=words)

    def fits(sentence: Words) -> bool:
        return (
            shortest <= len(sentence) <= longest
            and len(telegram(sentence)) >= 2
            and sum(word not in vocabulary for word in sentence) <= unknown
        )

    def pair(sentence: Words) -> Pair:
        return vocabulary.encode(telegram(sentence)), vocabulary.encode(sentence)

    random = np.random.default_rng(seed)
    pool = [number for number, sentence in enumerate(text) if fits(sentence)]
    held_out = [lowered for s in test if fits(lowered := [word.lower() for word in s])]
    if len(pool) < pairs + dev or not held_out:
        raise ValueError(
            f"the text has {len(pool)} sentences that fit, and the test text {len(held_out)}; "
            f"{pairs} pairs and {dev} for dev are asked"
        )
    drawn = random.permutation(pool)[: pairs + dev].tolist()
    taken = set(drawn)
    rest = [number for number in random.permutation(len(text)).tolist() if number not in taken]
    first, second = sorted(rest[: len(rest) // 2]), sorted(rest[len(rest) // 2 :])
    chosen = sorted(random.permutation(len(held_out))[:tests].tolist())
    return TelegramTask(
        vocabulary,
        train=[pair(text[number]) for number in drawn[:pairs]],
        dev=[pair(text[number]) for number in drawn[pairs:]],
        test=[pair(held_out[number]) for number in chosen],
        source_text=[short for number in first if (short := telegram(text[number]))],
        target_text=[text[number] for number in second],
    )
