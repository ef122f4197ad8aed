"""Exercise `merge_words`: ambiguity with known answers."""

from collections.abc import Iterator
from typing import Any

from autograde.checking.answers import AnswerRefused, Plain, refusing, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.static_limits import LESSON
from course.static_limits import pseudo_words

ROUND_TABLE = ["the", "dog", "saw", "a", "category", "of", "cat", "and", "the", "Cat", "dog"]
QUIET = ["nothing", "happens", "here"]
GENERATOR = (
    "A result of yours is a generator, which is gone after one walk. The next cell counts the "
    "labels and looks at them: put `list(...)` round it."
)
ONE_LIST = "Your new text is one long list. Keep a list for each sentence."
ONE_THING = "Return two things, the new sentences and the labels: `return new, labels`."


def _text_with(rng: Random) -> Inputs:
    words = ["school", "money", "the", "a", "schools", "of", "her"]
    text = [[str(w) for w in rng.choice(words, size=8)] for _ in range(5)]
    text[2][:3] = ["money", "school", "money"]
    return {"sentences": text, "first": "school", "second": "money", "merged": "school|money"}


@Case.drawn
def _merge_case(rng: Random, *sentences: list[str]) -> Inputs:
    text = [list(sentence) for sentence in sentences]
    return {"sentences": text, "first": "cat", "second": "dog", "merged": "catdog"}


def _a_generator(result: Any) -> str | None:
    parts = result if isinstance(result, list | tuple) else [result]
    return GENERATOR if any(isinstance(part, Iterator) for part in parts) else None


def _two_results(inputs: Inputs, outputs: Plain) -> Plain:
    """Both results by name, so that a difference says which of the two it is in."""
    returned(outputs)
    if not isinstance(outputs, list | tuple) or len(outputs) != 2:
        raise AnswerRefused(ONE_THING)
    new, labels = outputs
    if any(isinstance(token, str) for token in _items(new)):
        flat = not any(isinstance(label, str) for label in _items(labels))
        raise AnswerRefused(ONE_LIST if flat else ONE_THING)
    return {"new": new, "labels": labels}


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


SLIPS = f"""
--- hint 1
the label is the merged word: (number, place, token) -> (number, place, merged)
the label is the merged word, wherever it stands: (first, second) -> (first, second, merged) \
        && (number, place, token) -> (number, place, merged)
    Your labels all hold the merged word. The point of the game is to remember which word stood
    there.
--- hint 2
the text itself is changed: new.append(list(sentence)) -> new.append(sentence)
    Your answer writes into the sentences that it was given, and the true words are lost. Build new
    sentences.
only one occurrence in a sentence: \
        in (first, second) -> in (first, second) and sentence.index(token) == place
    `list.index` finds a word's first position only. Walk over all tokens of the sentence.
parts of other words are replaced: new.append(list(sentence)) -> new.append([ \
        token.replace(first, merged) if first in token else token.replace(second, merged) \
        for token in sentence])
    You replace the letters inside longer words too (*cat* in *category*). Compare whole tokens.
words that contain the word: token in (first, second) -> first in token or second in token
    `first in token` also finds longer words (*cat* in *category*). Compare whole tokens.
places counted through the text: \
        (number, place, token) -> (number, sum(map(len, new[:-1])) + place, token)
    Your positions count on through the whole text. A position counts from the start of its own
    sentence.
one word after the other: return new, labels -> \
        return new, sorted(labels, key=lambda label: label[2] == second)
    All labels of the first word come before those of the second. Keep the order of the text: one
    walk that looks for both.
the place of a repeated word: (number, place, token) -> (number, sentence.index(token), token)
    `sentence.index(token)` finds the first position of a word, also when you are at its second.
    Take the position from `enumerate`.
counted from 1: (number, place, token) -> (number + 1, place + 1, token)
    You count sentences and positions from 1. Both begin at 0.
places counted from 1: (number, place, token) -> (number, place + 1, token)
    You count positions from 1. The first token of a sentence has position 0.
--- hint 3
only the first word is replaced: in (first, second) -> == first
    The second word stays as it was. Both become the merged word.
sentences without the words are dropped: enumerate(sentences) -> \
        enumerate(words for words in sentences if first in words or second in words)
    Your new text has lost the sentences in which neither word stands. All sentences stay, with
    their numbers.
place and number in each other's stead: (number, place, token) -> (place, number, token)
    Your labels begin with the position. First the number of the sentence, then the position.
labels without the word: (number, place, token) -> (number, place)
    Your labels have two parts. The third is the word that stood there.
all tokens in one list: \
        return new, labels -> return [token for sentence in new for token in sentence], labels
    {ONE_LIST}
the second word's labels are missing: labels.append( -> if token == first: labels.append(
    The labels of the second word are missing. Both words get labels.
the merged words are dropped: return new, labels -> return [[token for token in sentence \
        if token not in (first, second)] for sentence in sentences], labels
    The two words have vanished from your new sentences. Put `merged` in their place.
labels for every token: labels.append((number, place, token)) -> \
        && enumerate(sentence): -> enumerate(sentence):⏎    labels.append((number, place, token))
    You label every token. Only positions where the merged word stands get a label.
labels wherever the merged word stands: (first, second) -> (first, second, merged)
    You look for the merged word in the new text, and it may have stood there before. Only a
    position where `first` or `second` stood gets a label.
--- no hint
the labels come first: return new, labels -> return labels, new
    You return the labels first. The new sentences come first, then the labels.
labels from a generator: return new, labels -> return new, iter(labels)
    The right labels one by one, and gone after one walk. The next cell counts them and looks at
    them: put `list(...)` round them.
capitals are made small: if token in -> if token.lower() in
    You compare in small letters, so *Cat* is merged as well. Compare tokens as they are.
the labels are missing: return new, labels -> return new
    {ONE_THING}
every token is merged: token in (first, second) -> token == first or second
    Every token became the merged word. In Python `token == first or second` is always true, because
    a text that is not empty counts as true. Ask `token in (first, second)`.
"""

EXERCISE = Exercise(
    id="merge_words",
    title="Ambiguity with known answers",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=6,
    reference=pseudo_words.merge_words,
    run=refusing(_a_generator),
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
    mistakes=slips(pseudo_words.merge_words, SLIPS),
    right_answers={
        "two comprehensions": _merge_by_comprehension,
        "a tuple of labels": lambda t, a, b, m: (
            [[m if token in (a, b) else token for token in sentence] for sentence in t],
            tuple(map(tuple, _merge_by_comprehension(t, a, b, m)[1])),
        ),
    },
)
