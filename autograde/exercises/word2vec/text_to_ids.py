"""Exercise `text_to_ids`: a vocabulary, and a text in the numbers of its words."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.word2vec import LESSON

Sentences = Sequence[Sequence[str]]
COMMON = ("the", "a", "school", "of", "four", "water", "he")
RARE = ("zebra", "yacht", "quilt", "oboe", "moor", "jig", "inn", "elm")


def text_to_ids(
    sentences: Sentences, min_count: int
) -> tuple[list[str], list[int], list[list[int]]]:
    """The words by falling count, their counts, and each sentence in ids."""
    counter = Counter(word for sentence in sentences for word in sentence)
    kept = [word for word, n in counter.items() if n >= min_count]
    words = sorted(kept, key=lambda word: (-counter[word], word))
    ids = {word: row for row, word in enumerate(words)}
    texts = [[ids[word] for word in sentence if word in ids] for sentence in sentences]
    return words, [counter[word] for word in words], texts


def _in_two_sorts(sentences: Sentences, min_count: int) -> tuple[Any, ...]:
    found: dict[str, int] = defaultdict(int)
    for sentence in sentences:
        for word in sentence:
            found[word] += 1
    words = sorted(found)
    words.sort(key=found.__getitem__, reverse=True)
    words = [word for word in words if found[word] >= min_count]
    texts = []
    for sentence in sentences:
        texts.append([words.index(word) for word in sentence if word in words])
    return words, [found[word] for word in words], texts


def _by_numpy(sentences: Sentences, min_count: int) -> tuple[Any, ...]:
    words, counts = np.unique([word for s in sentences for word in s], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] >= min_count]
    row = {words[place]: number for number, place in enumerate(order)}
    return list(row), counts[order], [[row[w] for w in s if w in row] for s in sentences]


@Case.drawn
def _text(rng: Random, least: int, *lengths: int, rare_alone: bool = False) -> Inputs:
    """Sentences of common words and of rare ones.

    One word occurs exactly `least` times, three once less, and two have one count: the later one
    in the alphabet comes first. A common word stands in the first sentence twice.
    """
    exact, *twins, often, one, another, third = map(str, rng.permutation(COMMON))
    late, early = sorted(twins, reverse=True)
    wanted = Counter({exact: least, late: least + 1, early: least + 1, often: least + 6})
    wanted.update({one: least + 2, another: least + 3, third: least + 4})
    wanted.update({str(word): least - 1 for word in rng.permutation(RARE)[:3]})
    first = [late, often, early, often]
    wanted.subtract(first)
    tokens = [str(word) for word in rng.permutation(sorted(wanted.elements()))]
    sentences = [first]
    for length in lengths:
        sentences.append(tokens[:length])
        tokens = tokens[length:]
    sentences.append(tokens)
    if rare_alone:
        sentences.insert(1, ["Zebra"])
    return {"sentences": sentences, "min_count": least}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """Words, counts and sentences of ids, as lists."""
    sentences = [list(sentence) for sentence in inputs["sentences"]]
    came = returned(answer(sentences, inputs["min_count"]))
    refuse_changed(inputs, {"sentences": sentences})
    if not isinstance(came, tuple | list) or len(came) != 3:
        raise AnswerRefused("Return three things: the words, their counts, the sentences in ids.")
    words, counts, texts = (_as_list(part) for part in came)
    return {
        "words": words,
        "counts": counts,
        "sentences": [_as_list(ids) for ids in texts],
    }


def _as_list(part: Any) -> list[Any]:
    found = plain(part)
    if isinstance(found, dict):
        raise AnswerRefused("You return a dict. Return the words in a list, and so their counts.")
    if isinstance(found, np.ndarray):
        return list(found.tolist()) if found.ndim else [found.item()]
    return list(found) if isinstance(found, list | tuple) else [found]


SLIPS = """
--- hint 1
rare words are kept: [word for word, n in counter.items() if n >= min_count] -> list(counter)
    You keep every word. Those that occur less than `min_count` times are left out.
more than `min_count`: n >= min_count -> n > min_count
    A word that occurs exactly `min_count` times is kept: at least so often, not more often.
sentences are counted, not occurrences: for word in sentence) -> for word in set(sentence))
    You count in how many sentences a word stands. Count its occurrences: one sentence may have
    several.
words of letters alone: n >= min_count -> n >= min_count and word.isalpha()
    You leave out what is not made of letters. Every token that occurs often enough is kept, commas
    and numbers, too.
--- hint 2
ties in the order of the text: (-counter[word], word) -> -counter[word]
    Words of one count stand in the order in which the text has them. Let the alphabet decide, so
    that the same words always get the same numbers.
ties from the end of the alphabet: sorted(kept, key=lambda word: (-counter[word], word)) \
        -> sorted(kept, key=lambda word: (counter[word], word), reverse=True)
    Your order runs backwards through the alphabet where counts are equal. Only the counts fall:
    sort by minus the count and then by the word.
the rarest first: (-counter[word], word) -> (counter[word], word)
    Your rarest word has the number 0. The most frequent one comes first.
by the alphabet alone: sorted(kept, key=lambda word: (-counter[word], word)) -> sorted(kept)
    Your words stand by the alphabet. They stand by how often they occur, the most frequent first.
in the order of the text: sorted(kept, key=lambda word: (-counter[word], word)) -> kept
    Your words stand as the text has them. Sort them: the most frequent first.
--- hint 3
numbered from 1: enumerate(words) -> enumerate(words, 1)
    Your ids begin with 1. Word 0 is the first of `words`: an id is a row of a table.
an id for what is left out: [ids[word] for word in sentence if word in ids] \
        -> [ids.get(word, len(words)) for word in sentence]
    You give the words that were left out an id of their own. They are dropped: what stands around
    them moves together.
-1 for what is left out: [ids[word] for word in sentence if word in ids] \
        -> [ids.get(word, -1) for word in sentence]
    A word that was left out has -1, and -1 is the last row of a table. Drop it.
0 for what is left out: [ids[word] for word in sentence if word in ids] \
        -> [ids.get(word, 0) for word in sentence]
    A word that was left out has 0, the id of the most frequent word. Drop it.
None for what is left out: [ids[word] for word in sentence if word in ids] \
        -> [ids.get(word) for word in sentence]
    A word that was left out stands there as None. Drop it: what stands around it moves together.
words in place of ids: [ids[word] for word in sentence if word in ids] \
        -> [word for word in sentence if word in ids]
    Your sentences are still made of words. Put each word's id in its place.
one long list: [[ids[word] for word in sentence if word in ids] for sentence in sentences] \
        -> [ids[word] for sentence in sentences for word in sentence if word in ids]
    You put all ids in one list. Each sentence has a list of its own: no window crosses its end.
empty sentences are dropped: for word in sentence if word in ids] for sentence in sentences] \
        -> for word in sentence if word in ids] for sentence in sentences \
        if any(word in ids for word in sentence)]
    You drop a sentence of which nothing is left. It stays, as an empty list: sentence 7 is still
    sentence 7.
a word once in a sentence: for word in sentence if word in ids] \
        -> for word in dict.fromkeys(sentence) if word in ids]
    A word that stands in a sentence twice has one id there. Each occurrence has its own.
--- no hint
ids of another order: for row, word in enumerate(words) -> for row, word in enumerate(kept)
    Your ids follow the order of the text. The id of `words[i]` is i: number the sorted list.
counts of all words: [counter[word] for word in words] -> list(counter.values())
    You return the counts of all words, in the order of the text. Return those of `words`, in their
    order.
counts of other words: [counter[word] for word in words] -> [counter[word] for word in kept]
    Your counts stand in another order than your words. Count i belongs to word i.
shares, not counts: [counter[word] for word in words] \
        -> [counter[word] / sum(counter.values()) for word in words]
    You return shares. Return counts: noise and subsampling are computed from them.
the sentences first: return words, [counter[word] for word in words], texts \
        -> return texts, words, [counter[word] for word in words]
    You return the sentences first. The words come first, then their counts, then the sentences.
the counts first: return words, [counter[word] for word in words], texts \
        -> return [counter[word] for word in words], words, texts
    You return the counts first. The words come first, then their counts, then the sentences.
one sentence: for sentence in sentences] -> for sentence in sentences[:1]]
    You return the first sentence alone. Return a list for each.
small letters from the start: counter = Counter( \
        -> sentences = [[w.lower() for w in s] for s in sentences]⏎counter = Counter(
small letters: in sentence) -> in sentence) ⏎sentences = [[w.lower() for w in s] for s in sentences]
    You change letters to small ones. A word is what stands there: `US` is not `us`.
"""

EXERCISE = Exercise(
    id="text_to_ids",
    title="Text to ids",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=8,
    reference=text_to_ids,
    run=_run,
    rtol=0.0,
    atol=0.0,
    cases=(
        Case("at least twice", _text(2, 5, 4, 6), weight=2),
        Case("at least five times", _text(5, 9, 8, 12, 3), weight=2),
        Case(
            "a sentence of rare words alone",
            _text(3, 4, 7, rare_alone=True),
            edge=True,
            asks="It stays, as an empty list.",
        ),
        Case(
            "every word is kept",
            lambda rng: {
                "sentences": [["No", ",", "no", "no", "don't"], [], ["yes", ",", "no", "1951"]],
                "min_count": 1,
            },
            edge=True,
        ),
    ),
    mistakes=slips(text_to_ids, SLIPS),
    right_answers={"two sorts": _in_two_sorts, "in NumPy": _by_numpy},
)
