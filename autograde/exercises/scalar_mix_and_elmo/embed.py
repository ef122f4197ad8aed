"""Exercise `embed`: from words to ELMo's vectors, put together from the learner's parts."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.exercise import (
    Answer,
    AnswerRefused,
    Case,
    Exercise,
    Inputs,
    Mistake,
    Plain,
    plain,
    returned,
)
from autograde.exercises.from_characters.character_ids import reference as character_ids
from autograde.exercises.scalar_mix_and_elmo import LESSON
from autograde.exercises.scalar_mix_and_elmo.small_elmo import small_elmo
from elmo_mini.bilm.plain import BiLM, CharCNN, ScalarMix, without_boundaries

Sentences = Sequence[Sequence[str]]
Vectors = list[Any]
Part = Callable[..., nn.Module]
Mix = Callable[[list[Tensor]], Tensor]
START = [259, 257, 260, *[261] * 47]
END = [259, 258, 260, *[261] * 47]
NOTHING = [0] * 50


def reference(
    sentences: Sentences, weights: dict[str, Tensor], CharCNN: Part, BiLM: Part, ScalarMix: Part
) -> Vectors:
    """The vectors of each sentence's words, (words, 2 H): the average of the layers."""
    longest = max(len(sentence) for sentence in sentences)
    rows = []
    for words in sentences:
        row = [START, *(list(character_ids(word)) for word in words), END]
        rows.append(row + [NOTHING] * (longest - len(words)))
    with torch.no_grad():
        layers, mask = BiLM(CharCNN(weights), weights)(torch.tensor(rows))
        mixed = ScalarMix(len(layers))(layers, mask)
    vectors, kept = without_boundaries(mixed, mask)
    return [row[there] for row, there in zip(vectors, kept, strict=True)]


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """A list of arrays, one for each sentence."""
    sentences = [list(words) for words in inputs["sentences"]]
    weights = small_elmo(**inputs["elmo"])
    mix = _UnequalMix if inputs["shares"] == "unequal" else ScalarMix
    came = returned(answer(sentences, weights, CharCNN, BiLM, mix))
    if sentences != inputs["sentences"]:
        raise AnswerRefused("Your function changed its argument `sentences`. Work on a copy.")
    if isinstance(came, Tensor | np.ndarray) and came.ndim == 3:
        raise AnswerRefused(
            "Return a list with one tensor (words, 2 H) for each sentence. You return one tensor "
            "for the whole batch, in which short sentences have padding."
        )
    if not isinstance(came, list | tuple) or len(came) != len(sentences):
        raise AnswerRefused("Return a list with one tensor for each sentence, in their order.")
    return [plain(vectors) for vectors in came]


class _UnequalMix(ScalarMix):
    """A mix that starts with unequal shares."""

    def __init__(self, n_layers: int, do_layer_norm: bool = False) -> None:
        super().__init__(n_layers, do_layer_norm)
        self.w = nn.Parameter(torch.linspace(0.0, 1.0, n_layers))


def _case(
    *sentences: str, layers: int = 2, shares: str = "equal"
) -> Callable[[np.random.Generator], Inputs]:
    def make(rng: np.random.Generator) -> Inputs:
        return {
            "sentences": [sentence.split() for sentence in sentences],
            "elmo": {"seed": int(rng.integers(1_000_000)), "layers": layers},
            "shares": shares,
        }

    return make


@torch.no_grad()
def _embed(
    sentences: Sentences,
    weights: dict[str, Tensor],
    CharCNN: Part,
    BiLM: Part,
    ScalarMix: Part,
    *,
    start: list[int] | None = START,
    end: list[int] | None = END,
    word: Callable[[str], Sequence[int]] = character_ids,
    nothing: list[int] = NOTHING,
    end_last: bool = False,
    mixed: Callable[[list[Tensor], Mix], Tensor] | None = None,
    norm: bool = False,
    first: int = 1,
    more: int = 0,
    sort: bool = False,
    words_from: int = 1,
    last_word: bool = True,
    by_mask: bool = False,
    trimmed: bool = True,
    cut: bool = False,
) -> Vectors:
    """The same with one thing done otherwise.

    `first` is where a sentence's vectors begin, unless they are found `by_mask`, and then `cut`
    at its length.
    """
    if sort:
        sentences = sorted(sentences, key=len, reverse=True)
    longest = max(len(words) for words in sentences)
    rows = []
    for words in sentences:
        row = [start] if start else []
        kept = words if last_word else words[:-1]
        row = row[:words_from] + [list(word(w)) for w in kept]
        padding = [nothing] * (longest - len(words))
        closing = [end] if end else []
        rows.append(row + padding + closing if end_last else row + closing + padding)
    layers, mask = BiLM(CharCNN(weights), weights)(torch.tensor(rows))

    def fresh(some: list[Tensor]) -> Tensor:
        return ScalarMix(len(some), norm)(some, mask)

    vectors = fresh(layers) if mixed is None else mixed(layers, fresh)
    if by_mask:
        vectors, there = without_boundaries(vectors, mask)
        if cut:
            return [row[: len(words)] for row, words in zip(vectors, sentences, strict=True)]
        found = zip(vectors, there, strict=True)
        return [row[kept] if trimmed else row for row, kept in found]
    pairs = zip(vectors, sentences, strict=True)
    return [row[first : first + len(words) + more] for row, words in pairs]


def _otherwise(**changes: Any) -> Answer:
    return lambda *arguments: _embed(*arguments, **changes)


def _in_reverse(sentences: Sentences, *parts: Any) -> Vectors:
    return _embed([words[::-1] for words in sentences], *parts)


def _shift_again(word: str) -> list[int]:
    return [min(code + 1, 261) for code in character_ids(word)]


def _no_shift(word: str) -> list[int]:
    return [code - 1 for code in character_ids(word)]


def _spelled(word: str) -> list[int]:
    codes = [byte + 1 for byte in word.encode()]
    row = [259, *codes, 260]
    return row + [261] * (50 - len(row))


def _one_at_a_time(
    sentences: Sentences, weights: dict[str, Tensor], CharCNN: Part, BiLM: Part, ScalarMix: Part
) -> Vectors:
    reader = BiLM(CharCNN(weights), weights)
    found = []
    for words in sentences:
        ids = torch.tensor([[START, *map(list, map(character_ids, words)), END]])
        layers, mask = reader(ids)
        vectors = ScalarMix(len(layers)).forward(layers, mask)
        found.append(vectors[0, 1:-1].detach().numpy())
    return found


def _by_filling(
    sentences: Sentences,
    weights: dict[str, Tensor],
    CharCNN: Part,
    BiLM: Part,
    ScalarMix: Part,
    letters: int = 50,
) -> Vectors:
    lengths = [len(words) for words in sentences]
    ids = torch.zeros(len(sentences), max(lengths) + 2, letters, dtype=torch.long)
    for row, words in zip(ids, sentences, strict=True):
        row[0] = torch.tensor(START)
        for place, word in enumerate(words, start=1):
            row[place] = torch.tensor(character_ids(word))
        row[len(words) + 1] = torch.tensor(END)
    layers, mask = BiLM(char_cnn=CharCNN(weights), weights=weights)(ids)
    vectors = ScalarMix(n_layers=len(layers))(layers, mask)
    return [row[1 : length + 1].detach() for row, length in zip(vectors, lengths, strict=True)]


LAYERS = "The layers are all there. "
EXERCISE = Exercise(
    id="embed",
    title="Your ELMo",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=15,
    reference=reference,
    run=_run,
    cases=(
        Case("one sentence", _case("dogs bark")),
        Case("two sentences of one length", _case("dogs bark", "naïve cats"), weight=2),
        Case("a short sentence beside longer ones", _case("Go", "dogs bark at cats", "we go")),
        Case("three layers of LSTMs", _case("dogs bark", "no", layers=3), weight=2),
        Case("one layer of LSTMs", _case("dogs bark", layers=1), edge=True),
        Case("a word of 60 letters", _case("a " + "x" * 60, "b c d"), edge=True),
        Case("the same sentence twice", _case("we go", "we go on", "we go"), edge=True),
        Case(
            "an empty sentence beside another",
            _case("", "dogs bark"),
            edge=True,
            asks="A sentence of no words gives a tensor of no rows, (0, 2 H).",
        ),
        Case(
            "a ScalarMix with other shares comes as the argument",
            _case("dogs bark", "we go on", shares="unequal"),
            edge=True,
            asks="The `ScalarMix` that comes as an argument starts with unequal shares. Let it do "
            "the mixing, whatever its shares are.",
        ),
    ),
    mistakes=(
        Mistake(
            "no boundaries",
            _otherwise(start=None, end=None, first=0),
            "No sentence has its boundaries, so the biLM reads what it never saw in training. "
            "Put `START` before the words and `END` after them.",
            hint=1,
        ),
        Mistake(
            "no boundaries, and two words cut off",
            _otherwise(start=None, end=None, by_mask=True),
            "No sentence has its boundaries, so `without_boundaries` takes the first and the last "
            "word away. Put `START` before the words and `END` after them.",
            hint=1,
        ),
        Mistake(
            "no end of the sentence",
            _otherwise(end=None),
            "`END` is missing: every sentence was read with it in training.",
            hint=1,
        ),
        Mistake(
            "no start of the sentence",
            _otherwise(start=None, first=0),
            "`START` is missing: every sentence was read with it in training.",
            hint=1,
        ),
        Mistake(
            "start and end are swapped",
            _otherwise(start=END, end=START),
            "Your sentences begin with `END` and end with `START`.",
            hint=1,
        ),
        Mistake(
            "START at both ends",
            _otherwise(end=START),
            "`START` stands at both ends. The sentence is closed by `END`.",
            hint=1,
        ),
        Mistake(
            "END at both ends",
            _otherwise(start=END),
            "`END` stands at both ends. The sentence is opened by `START`.",
            hint=1,
        ),
        Mistake(
            "the boundaries are spelled",
            _otherwise(start=_spelled("<S>"), end=_spelled("</S>")),
            "You spell the boundaries: `character_ids` reads *<S>* as three letters. They have ids "
            "of their own, `START` and `END`.",
            hint=1,
        ),
        Mistake(
            "the boundaries stay",
            _otherwise(first=0, more=2),
            "The vectors of the boundaries are still there: two too many. "
            "`without_boundaries(vectors, mask)` takes them out.",
            hint=3,
        ),
        Mistake(
            "the start stays",
            _otherwise(first=0),
            "Your vectors begin with that of `START`: each word gets the vector of the token "
            "before it.",
            hint=3,
        ),
        Mistake(
            "one place late",
            _otherwise(first=2),
            "Your vectors begin with the second word, and end with `END`.",
            hint=3,
        ),
        Mistake(
            "the end after the padding",
            _otherwise(end_last=True),
            "In a short sentence `END` stands behind the padding. It belongs right after the last "
            "word; the padding comes after it.",
            hint=2,
        ),
        Mistake(
            "padding is an empty word",
            _otherwise(nothing=list(character_ids(""))),
            "You pad with an empty word, which is a word: it has a begin and an end, and the biLM "
            "reads it. No word is a row of fifty zeros.",
            hint=2,
        ),
        Mistake(
            "padding is the mark 261",
            _otherwise(nothing=[261] * 50),
            "You pad with rows of 261. That mark fills a word's row. No word is a row of fifty "
            "zeros.",
            hint=2,
        ),
        Mistake(
            "padding is the mark 261, and counts as words",
            _otherwise(nothing=[261] * 50, by_mask=True),
            "You pad with rows of 261. That mark fills a word's row, so the mask takes your "
            "padding for words. No word is a row of fifty zeros.",
            hint=2,
        ),
        Mistake(
            "the rows are not trimmed",
            _otherwise(by_mask=True, trimmed=False),
            "Each sentence still has the rows of the longest one. Keep its own words: the second "
            "result of `without_boundaries` says which they are.",
            hint=3,
        ),
        Mistake(
            "END after the padding, by the mask",
            _otherwise(end_last=True, by_mask=True),
            "In short sentences `END` stands behind the padding. It follows the last word, and the "
            "padding comes after it.",
            hint=2,
        ),
        Mistake(
            "END after the padding, by the mask and the length",
            _otherwise(end_last=True, by_mask=True, cut=True),
            "In short sentences `END` stands behind the padding. It follows the last word, and the "
            "padding comes after it.",
            hint=2,
        ),
        Mistake(
            "two words too few",
            _otherwise(more=-2),
            "Your vectors end two words before the sentence does. Count: the words stand at 1 to "
            "n, so the slice ends at n + 1.",
            hint=3,
        ),
        Mistake(
            "padding is the id 1",
            _otherwise(nothing=[1] * 50),
            "You pad with ones, which are letters. No word is a row of fifty zeros.",
            hint=2,
        ),
        Mistake(
            "the first word over START",
            _otherwise(words_from=0, first=1),
            "The first word stands where `START` should be. The words begin at place 1.",
            hint=1,
        ),
        Mistake(
            "the last word is lost",
            _otherwise(last_word=False),
            "The last word of each sentence is not read.",
            hint=2,
        ),
        Mistake(
            "padded with END",
            _otherwise(nothing=END),
            "You fill short sentences with `END`, and the biLM reads it. No word is a row of fifty "
            "zeros.",
            hint=2,
        ),
        Mistake(
            "the ids are shifted twice",
            _otherwise(word=_shift_again),
            "The ids of your words are shifted once more. `character_ids` has added the 1 already.",
            hint=2,
        ),
        Mistake(
            "the ids lose their 1",
            _otherwise(word=_no_shift),
            "You subtract 1 from the ids of your words. Use what `character_ids` gives.",
            hint=2,
        ),
        Mistake(
            "boundaries without the shift",
            _otherwise(start=[c - 1 for c in START], end=[c - 1 for c in END]),
            "Your boundaries lack the 1 that is added to every id. Use `START` and `END` as given.",
            hint=1,
        ),
        Mistake(
            "the top layer",
            _otherwise(mixed=lambda layers, mix: layers[-1]),
            "You return the top layer. Mix all layers: `ScalarMix(len(layers))(layers, mask)`.",
            hint=3,
        ),
        Mistake(
            "the token layer",
            _otherwise(mixed=lambda layers, mix: layers[0]),
            "You return the token layer, which knows no context. Mix all layers: "
            "`ScalarMix(len(layers))(layers, mask)`.",
            hint=3,
        ),
        Mistake(
            "the sum of the layers",
            _otherwise(mixed=lambda layers, mix: torch.stack(layers).sum(0)),
            LAYERS + "You add them up. A fresh `ScalarMix` gives their average.",
            hint=3,
        ),
        Mistake(
            "the layers side by side",
            _otherwise(mixed=lambda layers, mix: torch.cat(layers, -1)),
            LAYERS + "You put them side by side. `ScalarMix` makes one vector of 2 H numbers.",
            hint=3,
        ),
        *(
            Mistake(
                f"without the {which} layer{how}",
                _otherwise(mixed=mixed),
                f"You leave out the {which} layer. All L + 1 layers go into the mix.",
                hint=3,
            )
            for which, how, mixed in (
                ("token", "", lambda layers, mix: mix(layers[1:])),
                ("token", ", averaged", lambda layers, mix: torch.stack(layers[1:]).mean(0)),
                ("top", "", lambda layers, mix: mix(layers[:-1])),
                ("top", ", averaged", lambda layers, mix: torch.stack(layers[:-1]).mean(0)),
            )
        ),
        Mistake(
            "no boundaries, and without the token layer",
            _otherwise(start=None, end=None, first=0, mixed=lambda layers, mix: mix(layers[1:])),
            "Two things. No sentence has its boundaries: put `START` before the words and `END` "
            "after them. And you leave out the token layer: all L + 1 layers go into the mix.",
            hint=1,
        ),
        Mistake(
            "with layer norm, and the boundaries stay",
            _otherwise(norm=True, first=0, more=2),
            "Two things. You switch the layer norm on: leave it off. And the vectors of the "
            "boundaries are still there: `without_boundaries(vectors, mask)` takes them out.",
            hint=3,
        ),
        Mistake(
            "the plain average, without ScalarMix",
            _otherwise(mixed=lambda layers, mix: torch.stack(layers).mean(0)),
            "You take the plain average of the layers. A fresh `ScalarMix` gives the same, and "
            "one that has learned other shares does not. Use the class that comes as an "
            "argument: `ScalarMix(len(layers))(layers, mask)`.",
            hint=3,
        ),
        *(
            Mistake(
                name,
                answer,
                "You give `BiLM` the words of a sentence in reverse. It turns them round by "
                "itself for its backward reader: give them in their order.",
                hint=2,
            )
            for name, answer in (
                ("the words in reverse", _in_reverse),
                (
                    "the words in reverse, the vectors turned back",
                    lambda *a: [vectors.flip(0) for vectors in _in_reverse(*a)],
                ),
            )
        ),
        Mistake(
            "with layer norm",
            _otherwise(norm=True),
            "You switch the layer norm on. Leave it off: then a sentence has the same vectors "
            "whoever stands beside it.",
            hint=3,
        ),
        Mistake(
            "the longest sentence first",
            _otherwise(sort=True),
            "You sort the sentences by length and leave them sorted. Return the vectors in the "
            "order of the sentences.",
            hint=3,
        ),
        Mistake(
            "lower case",
            _otherwise(word=lambda w: character_ids(w.lower())),
            "You make the words small. The biLM was trained with capitals.",
            hint=2,
        ),
    ),
    right_answers={
        "one sentence at a time": _one_at_a_time,
        "filling a tensor": _by_filling,
        "slices": _embed,
    },
    rtol=1e-5,
    atol=1e-7,
)
