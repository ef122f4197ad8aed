"""Exercise `merge_words`: ambiguity with known answers."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    call,
    returned,
)
from autograde.exercises.static_limits import LESSON
from elmo_mini.word_vectors import pseudo_words

ROUND_TABLE = ["the", "dog", "saw", "a", "category", "of", "cat", "and", "the", "Cat", "dog"]


QUIET = ["nothing", "happens", "here"]


def _text_with(rng: np.random.Generator) -> Inputs:
    words = ["school", "money", "the", "a", "schools", "of", "her"]
    text = [[str(w) for w in rng.choice(words, size=8)] for _ in range(5)]
    text[2][:3] = ["money", "school", "money"]
    return {"sentences": text, "first": "school", "second": "money", "merged": "school|money"}


def _merge_case(*sentences: list[str]) -> Any:
    def make(rng: np.random.Generator) -> Inputs:
        text = [list(sentence) for sentence in sentences]
        return {"sentences": text, "first": "cat", "second": "dog", "merged": "catdog"}

    return make


Merged = tuple[list[list[str]], list[Any]]


def _merge(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    return pseudo_words.merge_words(text, first, second, merged)


def _merge_in_place(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    labels = []
    for number, sentence in enumerate(text):
        for place, token in enumerate(sentence):
            if token in (first, second):
                sentence[place] = merged
                labels.append((number, place, token))
    return text, labels


def _merge_once(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    new, labels = [list(sentence) for sentence in text], []
    for number, sentence in enumerate(text):
        places = [sentence.index(word) for word in (first, second) if word in sentence]
        for place in sorted(places):
            new[number][place] = merged
            labels.append((number, place, sentence[place]))
    return new, labels


def _merge_parts(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    _, labels = _merge(text, first, second, merged)
    return [
        [
            token.replace(first, merged) if first in token else token.replace(second, merged)
            for token in sentence
        ]
        for sentence in text
    ], labels


def _merge_text_places(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    new, labels = _merge(text, first, second, merged)
    starts = np.cumsum([0, *map(len, text)])
    return new, [(n, int(starts[n]) + place, word) for n, place, word in labels]


def _merge_one_after_the_other(
    text: list[list[str]], first: str, second: str, merged: str
) -> Merged:
    new, labels = _merge(text, first, second, merged)
    return new, sorted(labels, key=lambda label: label[2] == second)


def _merge_only_hits(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    return _merge([s for s in text if first in s or second in s], first, second, merged)


def _merge_where(
    text: list[list[str]], merged: str, hit: Callable[[str], bool], *, index: bool = False
) -> Merged:
    """Merge by another test, or note the place that `list.index` finds."""
    labels = [
        (n, sentence.index(token) if index else place, token)
        for n, sentence in enumerate(text)
        for place, token in enumerate(sentence)
        if hit(token)
    ]
    return [[merged if hit(token) else token for token in s] for s in text], labels


def _relabelled(order: Callable[[int, int, str], tuple[Any, Any, Any]]) -> Answer:
    def answer(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
        new, labels = _merge(text, first, second, merged)
        return new, [order(*label) for label in labels]

    return answer


def _labels_at_merged_words(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    new, _ = _merge(text, first, second, merged)
    return new, [
        (n, place, text[n][place])
        for n, sentence in enumerate(new)
        for place, token in enumerate(sentence)
        if token == merged
    ]


ONE_LIST = "Your new text is one long list. Keep a list for each sentence."
ONE_THING = "Return two things, the new sentences and the labels: `return new, labels`."


def _run_merge(answer: Answer, inputs: Inputs) -> Plain:
    def listed(*arguments: Any) -> Any:
        result = answer(*arguments)
        parts = result if isinstance(result, list | tuple) else [result]
        if any(isinstance(part, Iterator) for part in parts):
            raise AnswerRefused(
                "A result of yours is a generator, which is gone after one walk. The next cell "
                "counts the labels and looks at them: put `list(...)` round it."
            )
        return result

    return call(listed, inputs)


def _two_results(inputs: Inputs, outputs: Plain) -> Plain:
    """Both results by name, so that a difference says which of the two it is in."""
    returned(outputs)
    pair = isinstance(outputs, list | tuple) and len(outputs) == 2
    if not pair:
        raise AnswerRefused(ONE_THING)
    if any(isinstance(token, str) for token in _items(outputs[0])):  # type: ignore[index]
        flat = not any(isinstance(label, str) for label in _items(outputs[1]))  # type: ignore[index]
        raise AnswerRefused(ONE_LIST if flat else ONE_THING)
    return {"new": outputs[0], "labels": outputs[1]}  # type: ignore[index]


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _merge_by_comprehension(text: list[list[str]], first: str, second: str, merged: str) -> Any:
    labels = [
        [n, place, token]
        for n, sentence in enumerate(text)
        for place, token in enumerate(sentence)
        if token in (first, second)
    ]
    new = [[merged if t in {first, second} else t for t in sentence] for sentence in text]
    return [new, labels]


def _relabelled_short(text: list[list[str]], first: str, second: str, merged: str) -> Merged:
    new, labels = _merge(text, first, second, merged)
    return new, [label[:2] for label in labels]


EXERCISE = Exercise(
    id="merge_words",
    title="Ambiguity with known answers",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=pseudo_words.merge_words,
    run=_run_merge,
    view=_two_results,
    cases=(
        Case("two sentences", _merge_case(ROUND_TABLE, ["a", "cat"])),
        Case("a drawn text", _text_with, weight=2),
        Case("a word twice in a sentence", _merge_case(["cat", "cat", "dog"], ["dog", "cat"])),
        Case("nothing to merge", _merge_case(QUIET, []), edge=True),
        Case(
            "the merged word stands in the text already",
            _merge_case(["the", "catdog", "saw", "a", "cat"]),
            edge=True,
        ),
    ),
    mistakes=(
        Mistake(
            "the text itself is changed",
            _merge_in_place,
            "Your answer writes into the sentences that it was given, and the true words are "
            "lost. Build new sentences.",
            hint=2,
        ),
        Mistake(
            "the label is the merged word",
            lambda t, a, b, m: (
                _merge(t, a, b, m)[0],
                [(n, place, m) for n, place, _ in _merge(t, a, b, m)[1]],
            ),
            "Your labels all hold the merged word. The point of the game is to remember which "
            "word stood there.",
            hint=1,
        ),
        Mistake(
            "only the first word is replaced",
            lambda t, a, b, m: _merge(t, a, a, m),
            "The second word stays as it was. Both become the merged word.",
            hint=3,
        ),
        Mistake(
            "only one occurrence in a sentence",
            _merge_once,
            "`list.index` finds a word's first place only. Walk over all tokens of the sentence.",
            hint=2,
        ),
        Mistake(
            "parts of other words are replaced",
            _merge_parts,
            "You replace the letters inside longer words too (*cat* in *category*). Compare whole "
            "tokens.",
            hint=2,
        ),
        Mistake(
            "places counted through the text",
            _merge_text_places,
            "Your places count on through the whole text. A place counts from the start of its "
            "own sentence.",
            hint=2,
        ),
        Mistake(
            "sentences without the words are dropped",
            _merge_only_hits,
            "Your new text has lost the sentences in which neither word stands. All sentences "
            "stay, with their numbers.",
            hint=3,
        ),
        Mistake(
            "one word after the other",
            _merge_one_after_the_other,
            "All labels of the first word come before those of the second. Keep the order of the "
            "text: one walk that looks for both.",
            hint=2,
        ),
        Mistake(
            "the labels are missing",
            lambda t, a, b, m: _merge(t, a, b, m)[0],
            ONE_THING,
            hint=3,
        ),
        Mistake(
            "the labels come first",
            lambda t, a, b, m: _merge(t, a, b, m)[::-1],
            "You return the labels first. The new sentences come first, then the labels.",
        ),
        Mistake(
            "every token is merged",
            lambda t, a, b, m: _merge_where(t, m, lambda token: True),
            "Every token became the merged word. In Python `token == first or second` is always "
            "true, because a text that is not empty counts as true. Ask "
            "`token in (first, second)`.",
            hint=3,
        ),
        Mistake(
            "words that contain the word",
            lambda t, a, b, m: _merge_where(t, m, lambda token: a in token or b in token),
            "`first in token` also finds longer words (*cat* in *category*). Compare whole tokens.",
            hint=2,
        ),
        Mistake(
            "the place of a repeated word",
            lambda t, a, b, m: _merge_where(t, m, lambda token: token in (a, b), index=True),
            "`sentence.index(token)` finds the first place of a word, also when you are at its "
            "second. Take the place from `enumerate`.",
            hint=2,
        ),
        Mistake(
            "place and number in each other's stead",
            _relabelled(lambda number, place, word: (place, number, word)),
            "Your labels begin with the place. First the number of the sentence, then the place.",
            hint=3,
        ),
        Mistake(
            "counted from 1",
            _relabelled(lambda number, place, word: (number + 1, place + 1, word)),
            "You count sentences and places from 1. Both begin at 0.",
            hint=2,
        ),
        Mistake(
            "places counted from 1",
            _relabelled(lambda number, place, word: (number, place + 1, word)),
            "You count places from 1. The first token of a sentence has place 0.",
            hint=2,
        ),
        Mistake(
            "labels from a generator",
            lambda t, a, b, m: (_merge(t, a, b, m)[0], iter(_merge(t, a, b, m)[1])),
            "The right labels one by one, and gone after one walk. The next cell counts "
            "them and looks at them: put `list(...)` round them.",
        ),
        Mistake(
            "labels without the word",
            _relabelled_short,
            "Your labels have two parts. The third is the word that stood there.",
            hint=3,
        ),
        Mistake(
            "all tokens in one list",
            lambda t, a, b, m: (
                [token for s in _merge(t, a, b, m)[0] for token in s],
                _merge(t, a, b, m)[1],
            ),
            ONE_LIST,
            hint=3,
        ),
        Mistake(
            "the second word's labels are missing",
            lambda t, a, b, m: (
                _merge(t, a, b, m)[0],
                [x for x in _merge(t, a, b, m)[1] if x[2] == a],
            ),
            "The labels of the second word are missing. Both words get labels.",
            hint=3,
        ),
        Mistake(
            "labels for every token",
            lambda t, a, b, m: (
                _merge(t, a, b, m)[0],
                [(n, p, token) for n, s in enumerate(t) for p, token in enumerate(s)],
            ),
            "You label every token. Only places where the merged word stands get a label.",
            hint=1,
        ),
        Mistake(
            "the merged words are dropped",
            lambda t, a, b, m: (
                [[x for x in s if x not in (a, b)] for s in t],
                _merge(t, a, b, m)[1],
            ),
            "The two words have vanished from your new sentences. Put `merged` in their place.",
            hint=3,
        ),
        Mistake(
            "capitals are made small",
            lambda t, a, b, m: _merge_where(t, m, lambda token: token.lower() in (a, b)),
            "You compare in small letters, so *Cat* is merged as well. Compare tokens as they are.",
            hint=2,
        ),
        Mistake(
            "labels wherever the merged word stands",
            _labels_at_merged_words,
            "You look for the merged word in the new text, and it may have stood there before. "
            "Only a place where `first` or `second` stood gets a label.",
            hint=2,
        ),
        Mistake(
            "the label is the merged word, wherever it stands",
            lambda t, a, b, m: (
                _merge(t, a, b, m)[0],
                _merge_where(_merge(t, a, b, m)[0], m, lambda token: token == m)[1],
            ),
            "Your labels all hold the merged word. The point of the game is to remember which "
            "word stood there.",
            hint=1,
        ),
    ),
    right_answers={
        "two comprehensions": _merge_by_comprehension,
        "a tuple of labels": lambda t, a, b, m: (
            [[m if token in (a, b) else token for token in sentence] for sentence in t],
            tuple(_merge(t, a, b, m)[1]),
        ),
    },
)
