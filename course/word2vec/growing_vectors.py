"""Vectors that are asked while they grow, and the same question to other people's trainers."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from course.texts.word_classes import content_words
from elmo_mini.extras import brought_by
from elmo_mini.progress import WithProgress, progress_bar
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec

with brought_by("experiments"):
    from gensim.models import Word2Vec as GensimWord2Vec

OFTEN = 50
SETTINGS = {"vector_size": 50, "window": 5, "negative": 5, "min_count": 5, "alpha": 0.05, "seed": 1}

Nearest = Callable[[Tensor, int, int], Sequence[int]]
Look = Callable[[int, Tensor], None]


def usual(vocabulary: Vocabulary) -> int:
    """How many words occur often enough to be asked, and to answer; they come first."""
    return int((vocabulary.counts >= OFTEN).sum())


def near(vectors: Tensor, vocabulary: Vocabulary, nearest: Nearest, word: str) -> list[str]:
    """The six usual words nearest to a usual word."""
    ids = nearest(vectors[: usual(vocabulary)], vocabulary.id(word), 6)
    return [vocabulary.word(int(i)) for i in ids]


def known(words: Sequence[str], vocabulary: Vocabulary) -> list[str]:
    """Those of the words that occur often enough to be asked."""
    often = set(vocabulary.words[: usual(vocabulary)])
    return [word for word in words if word in often]


@contextmanager
def asked_three_times(
    vocabulary: Vocabulary, nearest: Nearest, words: Sequence[str], steps: int
) -> Iterator[Look]:
    """A bar for a training loop, and what prints neighbours after its first, middle and last step.

    Yields
    ------
    what the loop calls after each step, with the number of steps taken and the vectors (V, D)
    """
    asked = known(words, vocabulary)
    if left_out := [word for word in words if word not in asked]:
        print(f"fewer than {OFTEN} occurrences, not asked: {', '.join(left_out)}")
    with progress_bar(total=steps, what="training") as bar:

        def look(number: int, vectors: Tensor) -> None:
            bar.update()
            if asked and number in (1, steps // 2, steps):
                bar.write(f"after step {number:,}")
                for word in asked:
                    said = ", ".join(near(vectors, vocabulary, nearest, word))
                    bar.write(f"  {word:>10}: {said}")

        yield look


def of_one_class(vectors: Tensor, vocabulary: Vocabulary, nearest: Nearest) -> NDArray[np.float64]:
    """(N,) for each word, the share of its neighbours that are of its own part of speech.

    Nouns, verbs, adjectives and adverbs are asked for their five nearest among themselves: those of
    the task of lesson 14 that are usual here.
    """
    classes = content_words()
    asked = known(list(classes), vocabulary)
    table = vectors[[vocabulary.id(word) for word in asked]]
    return np.array(
        [
            np.mean([classes[asked[int(n)]] == classes[word] for n in nearest(table, row, 5)])
            for row, word in enumerate(asked)
        ]
    )


def professionals(
    sentences: Sequence[Sequence[str]], vocabulary: Vocabulary, epochs: int
) -> dict[str, Tensor]:
    """Vectors (V, D) of gensim's skip-gram, the course's skip-gram and its CBOW, on one text."""
    told: dict[str, Any] = SETTINGS | {"sample": 1e-3, "epochs": epochs}
    gensim = GensimWord2Vec(WithProgress(sentences, "gensim"), sg=1, workers=1, **told)
    tables = {
        "gensim": gensim.wv,
        "ours": Word2Vec(sentences, sg=1, progress=True, **told),
        "our CBOW": Word2Vec(sentences, sg=0, progress=True, **told),
    }
    return {
        name: torch.from_numpy(np.stack([table[word] for word in vocabulary.words]))
        for name, table in tables.items()
    }


def gensims_chances(
    sentences: Sequence[Sequence[str]], words: Sequence[str], threshold: float
) -> list[float]:
    """The probability with which gensim keeps an occurrence of each word; 1 is the most it says."""
    model = GensimWord2Vec(min_count=SETTINGS["min_count"], sample=threshold)
    model.build_vocab(sentences)
    return [model.wv.get_vecattr(word, "sample_int") / 2**32 for word in words]
