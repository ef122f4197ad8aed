"""Exercise `subword_vector`: A vector for every spelling."""

import numpy as np
import torch

from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.static_limits import LESSON
from elmo_mini.models import fasttext

Table = np.ndarray


KNOWN = ["paper", "banana", "thing", "打", "other", "hers"]


@Case.drawn
def _spelling(rng: Random, word: str) -> Inputs:
    return {
        "word": word,
        "words": list(KNOWN),
        "word_vectors": rng.standard_normal((len(KNOWN), 5)),
        "ngram_vectors": rng.standard_normal((97, 5)),
    }


def _rows(word: str, table: Table) -> list[int]:
    return [fasttext.bucket(piece, len(table)) for piece in fasttext.character_ngrams(word)]


def _own(word: str, words: list[str], vectors: Table) -> Table:
    return vectors[words.index(word)] if word in words else np.zeros(vectors.shape[1])


def _sum_by_loop(word: str, words: list[str], own: Table, table: Table) -> Table:
    from gensim.models.fasttext import ft_ngram_hashes  # a second to load, and seldom asked

    total = np.zeros(table.shape[1])
    for row in ft_ngram_hashes(word, 3, 6, len(table)):
        total += table[row]
    for known, vector in zip(words, own, strict=True):
        if known == word:
            total += vector
    return total


def _on_the_way(inputs: Inputs) -> dict[str, Table]:
    table, rows = inputs["ngram_vectors"], _rows(inputs["word"], inputs["ngram_vectors"])
    own = inputs["word_vectors"]
    return {
        "the sum of the n-grams' vectors": table[rows].sum(0),
        "twice the sum of the n-grams' vectors": 2 * table[rows].sum(0),
        "the mean of the n-grams' vectors": table[rows].mean(0),
        "the vector of the first n-gram": table[rows[0]],
        "the vector of the last n-gram": table[rows[-1]],
        "the word's own vector": _own(inputs["word"], inputs["words"], own),
        "the sum of all words' own vectors": own.sum(0),
        "the sum of all other words' own vectors": (
            own.sum(0) - _own(inputs["word"], inputs["words"], own)
        ),
    }


SLIPS = """
--- hint 1
an unseen word gets zeros: return total -> return total if word in words else 0 * total
    A word that is not in the vocabulary has n-grams all the same. Add those up.
the word's own vector is forgotten: total + word_vectors[list(words).index(word)] -> total
    A word of the vocabulary also has a vector of its own. Add it.
a known word ignores its pieces: total + word_vectors -> word_vectors
    For a known word you return its own vector alone. The n-grams belong to it as well.
--- hint 2
each row once: ngram_vectors[rows] -> ngram_vectors[sorted(set(rows))]
    Two pieces may share a bucket, and then its row counts twice. You count it once.
the 20,000 of the example: len(ngram_vectors) -> 20_000
    The 20,000 buckets of the cell above are written into your code. This table has
    `len(ngram_vectors)` rows.
`bucket` without K: , len(ngram_vectors) ->
    `bucket(ngram)` alone takes the paper's two million buckets. Give it `len(ngram_vectors)` as its
    second argument.
one row too far: [rows] -> [[(row + 1) % len(ngram_vectors) for row in rows]]
    You read the row behind the bucket. Buckets count from 0, as rows do.
one row too early: [rows] -> [[row - 1 for row in rows]]
    You read the row before the bucket. Buckets count from 0, as rows do.
pieces of {shortest} to {longest}: in character_ngrams(word) \
        -> in character_ngrams(word, {shortest}, {longest}) \
        | shortest longest = 3 5, 2 6, 3 7, 4 6
    Your pieces have {shortest} to {longest} characters. fastText takes 3 to 6.
as many buckets as words: len(ngram_vectors) -> len(words)
    You number the n-grams by the number of *words*. There is a row of `ngram_vectors` for each
    bucket: `len(ngram_vectors)` of them.
as many buckets as a vector has numbers: len(ngram_vectors) -> ngram_vectors.shape[1]
    You ask for as many buckets as a vector has numbers. There is one bucket for each row:
    `len(ngram_vectors)`.
--- hint 3
the mean: return total -> return total / (len(rows) + (word in words))
    You average. The paper adds up; gensim divides by the number of pieces, which changes the length
    and not the direction. Here: the sum.
every word is looked up: if word in words: total = -> total =
    `words.index(word)` raises an error for a word that is not in the list. Ask `if word in words`
    first.
--- no hint
no boundary signs: in character_ngrams(word) -> \
        in [piece for piece in character_ngrams(word) if not {"<", ">"} & {*piece}]
    Your pieces come from the bare word. `character_ngrams` puts the boundary signs on.
each piece once: in character_ngrams(word) -> in set(character_ngrams(word))
    A piece that occurs twice counts twice.
looked up and cut in small letters: rows = -> word = word.lower()⏎rows =
    You make the word small, so *Paper* gets the n-grams and the vector of *paper*. A capital is
    another character: take the word as it is spelt.
known words inside the word: \
        if word in words: total = total + word_vectors[list(words).index(word)] -> \
        total = total + word_vectors[[known in word for known in words]].sum(0)
    `known in word` also finds known words *inside* the word, *paper* in *papery*. Only the word
    itself has a vector of its own: compare with `==`.
the word inside known words: \
        if word in words: total = total + word_vectors[list(words).index(word)] -> \
        total = total + word_vectors[[word in known for known in words]].sum(0)
the word at the start of known words: \
        if word in words: total = total + word_vectors[list(words).index(word)] -> \
        total = total + word_vectors[[known.startswith(word) for known in words]].sum(0)
the word inside the first known word that holds it: \
        if word in words: total = total + word_vectors[list(words).index(word)] -> \
        total = total + word_vectors[[word in known for known in words]][:1].sum(0)
    You also take known words that *hold* the word, *hers* for *her*. Only the word itself has a
    vector of its own: compare with `==`.
row 0 counts as no row: if word in words -> if word in words and list(words).index(word)
    `if row:` is false for row 0, so the first word of the vocabulary loses its own vector. Ask
    `if word in words`.
looked up in small letters: \
        if word in words -> if word.lower() in words && index(word) -> index(word.lower())
    You look the word up in small letters, so *Paper* gets the vector of *paper*. Look it up as it
    is spelt.
"""

EXERCISE = Exercise(
    id="subword_vector",
    title="A vector for every spelling",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=4,
    minutes=8,
    reference=fasttext.subword_vector,
    on_the_way=_on_the_way,
    cases=(
        Case("a word never seen", _spelling("papery")),
        Case("a word of the vocabulary", _spelling("hers")),
        Case("the first word of the vocabulary", _spelling("paper")),
        Case("a piece that occurs twice", _spelling("bananas"), edge=True),
        Case(
            "a known word holds it",
            _spelling("her"),
            edge=True,
            asks="*hers* is among `words`, and *her* is not.",
        ),
        Case("a word of one character", _spelling("打"), edge=True),
        Case(
            "a capital is another spelling",
            _spelling("Paper"),
            edge=True,
            asks="*paper* is among `words`, and *Paper* is not: it has n-grams alone.",
        ),
    ),
    mistakes=slips(fasttext.subword_vector, SLIPS),
    right_answers={
        "a loop with gensim's hashes": _sum_by_loop,
        "a count for each bucket": lambda w, words, own, table: (
            np.bincount(_rows(w, table), minlength=len(table)) @ table + _own(w, words, own)
        ),
        "a tensor": lambda w, words, own, table: torch.from_numpy(
            _sum_by_loop(w, words, own, table)
        ),
    },
)
