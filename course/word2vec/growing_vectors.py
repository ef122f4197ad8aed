"""Nearest neighbours and word classes of vectors in training, and of gensim's for comparison."""

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


def n_frequent(vocabulary: Vocabulary) -> int:
    """How many words occur at least `OFTEN` times; they come first."""
    return int((vocabulary.counts >= OFTEN).sum())


def nearest_words(
    vectors: Tensor, vocabulary: Vocabulary, nearest: Nearest, word: str
) -> list[str]:
    """The six nearest neighbours of a frequent word among the frequent ones."""
    ids = nearest(vectors[: n_frequent(vocabulary)], vocabulary.id(word), 6)
    return [vocabulary.word(int(i)) for i in ids]


def frequent(words: Sequence[str], vocabulary: Vocabulary) -> list[str]:
    """Those of the words that occur at least `OFTEN` times."""
    often = set(vocabulary.words[: n_frequent(vocabulary)])
    return [word for word in words if word in often]


@contextmanager
def neighbours_in_training(
    vocabulary: Vocabulary, nearest: Nearest, words: Sequence[str], steps: int
) -> Iterator[Look]:
    """A bar for a training loop, and what prints neighbours after its first, middle and last step.

    Yields
    ------
    what the loop calls after each step, with the number of steps taken and the vectors (V, D)
    """
    followed = frequent(words, vocabulary)
    if left_out := [word for word in words if word not in followed]:
        print(f"fewer than {OFTEN} occurrences, not asked: {', '.join(left_out)}")
    with progress_bar(total=steps, what="training") as bar:

        def look(number: int, vectors: Tensor) -> None:
            bar.update()
            if followed and number in (1, steps // 2, steps):
                bar.write(f"after step {number:,}")
                for word in followed:
                    neighbours = ", ".join(nearest_words(vectors, vocabulary, nearest, word))
                    bar.write(f"  {word:>10}: {neighbours}")

        yield look


def same_class_share(
    vectors: Tensor, vocabulary: Vocabulary, nearest: Nearest
) -> NDArray[np.float64]:
    """(N,) for each word, the share of its neighbours that are of its own part of speech.

    Nouns, verbs, adjectives and adverbs each have five nearest neighbours among themselves:
    the words of the task of lesson 14 that are frequent here.
    """
    classes = content_words()
    frequent_words = frequent(list(classes), vocabulary)
    table = vectors[[vocabulary.id(word) for word in frequent_words]]
    return np.array(
        [
            np.mean(
                [classes[frequent_words[int(n)]] == classes[word] for n in nearest(table, row, 5)]
            )
            for row, word in enumerate(frequent_words)
        ]
    )


def other_trainers(
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
