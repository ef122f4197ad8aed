"""Exercise `embed`: from words to ELMo's vectors, put together from the learner's parts."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.from_characters.character_ids import reference as character_ids
from autograde.exercises.scalar_mix_and_elmo import LESSON
from autograde.exercises.scalar_mix_and_elmo.small_elmo import small_elmo
from elmo_mini.models.elmo import BiLM, CharCNN, ScalarMix, without_boundaries

Sentences = Sequence[Sequence[str]]
Vectors = list[Any]
Part = Callable[..., nn.Module]
START = [259, 257, 260, *[261] * 47]
END = [259, 258, 260, *[261] * 47]
NOTHING = [0] * 50


@torch.no_grad()
def reference(
    sentences: Sentences, weights: dict[str, Tensor], CharCNN: Part, BiLM: Part, ScalarMix: Part
) -> Vectors:
    """The vectors of each sentence's words, (words, 2 H): the average of the layers."""
    longest = max(len(sentence) for sentence in sentences)
    rows = []
    for words in sentences:
        row = [START, *(list(character_ids(word)) for word in words), END]
        rows.append(row + [NOTHING] * (longest - len(words)))
    layers, mask = BiLM(CharCNN(weights), weights)(torch.tensor(rows))
    mixed = ScalarMix(len(layers))(layers, mask)
    vectors, kept = without_boundaries(mixed, mask)
    return [row[there] for row, there in zip(vectors, kept, strict=True)]


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """A list of arrays, one for each sentence."""
    sentences = [list(words) for words in inputs["sentences"]]
    weights = {name: part.float() for name, part in small_elmo(**inputs["elmo"]).items()}
    mix = _UnequalMix if inputs["shares"] == "unequal" else ScalarMix
    came = returned(answer(sentences, weights, CharCNN, BiLM, mix))
    refuse_changed(inputs, {"sentences": sentences})
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


@Case.drawn
def _case(rng: Random, *sentences: str, layers: int = 2, shares: str = "equal") -> Inputs:
    return {
        "sentences": [sentence.split() for sentence in sentences],
        "elmo": {"seed": int(rng.integers(1_000_000)), "layers": layers},
        "shares": shares,
    }


def _by_slices(
    sentences: Sentences, weights: dict[str, Tensor], CharCNN: Part, BiLM: Part, ScalarMix: Part
) -> Vectors:
    longest = max(len(words) for words in sentences)
    rows = []
    for words in sentences:
        row = [START, *(list(character_ids(word)) for word in words), END]
        rows.append(row + [NOTHING] * (longest - len(words)))
    layers, mask = BiLM(CharCNN(weights), weights)(torch.tensor(rows))
    mixed = ScalarMix(len(layers))(layers, mask).detach()
    return [row[1 : 1 + len(words)] for row, words in zip(mixed, sentences, strict=True)]


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
    sentences: Sentences, weights: dict[str, Tensor], CharCNN: Part, BiLM: Part, ScalarMix: Part
) -> Vectors:
    lengths = [len(words) for words in sentences]
    ids = torch.zeros(len(sentences), max(lengths) + 2, 50, dtype=torch.long)
    for row, words in zip(ids, sentences, strict=True):
        row[0] = torch.tensor(START)
        for place, word in enumerate(words, start=1):
            row[place] = torch.tensor(character_ids(word))
        row[len(words) + 1] = torch.tensor(END)
    layers, mask = BiLM(char_cnn=CharCNN(weights), weights=weights)(ids)
    vectors = ScalarMix(n_layers=len(layers))(layers, mask)
    return [row[1 : length + 1].detach() for row, length in zip(vectors, lengths, strict=True)]


def _of_one_kind(
    sentences: Sentences, weights: dict[str, Tensor], CharCNN: Part, BiLM: Part, ScalarMix: Part
) -> Vectors:
    """As the lesson writes it: the boundaries are words to `character_ids`."""
    longest = max(len(words) for words in sentences)
    rows = []
    for words in sentences:
        row = [list(character_ids(word)) for word in ("<S>", *words, "</S>")]
        rows.append(row + [NOTHING] * (longest - len(words)))
    layers, mask = BiLM(CharCNN(weights), weights)(torch.tensor(rows))
    vectors, kept = without_boundaries(ScalarMix(len(layers))(layers, mask), mask)
    return [row[there].detach() for row, there in zip(vectors, kept, strict=True)]


SLIPS = """
--- hint 1
no boundaries: START, -> && , END] -> ] && 1 : 1 + len(words) -> : len(words)
    No sentence has its boundaries, so the biLM reads what it never saw in training. Put `<S>`
    before the words and `</S>` after them.
no end of the sentence: , END] -> ]
    `</S>` is missing: every sentence was read with it in training.
no start of the sentence: START, -> && 1 : 1 + len(words) -> : len(words)
    `<S>` is missing: every sentence was read with it in training.
padding is an empty word: NOTHING -> list(character_ids(""))
    You pad with an empty word, which is a word: it has a begin and an end, and the biLM reads it.
    No word is a row of fifty zeros.
padding is the mark 261: NOTHING -> [261] * 50
    You pad with rows of 261. That mark fills a word's row. No word is a row of fifty zeros.
padding is the mark 260: NOTHING -> [260] * 50
    You pad with rows of 260. That number fills up a word's row; a row of it alone is a word to the
    biLM. No word is a row of fifty zeros.
padding is the id 1: NOTHING -> [1] * 50
    You pad with ones, which are letters. No word is a row of fifty zeros.
padded with END: NOTHING -> END
    You fill short sentences with `</S>`, and the biLM reads it. No word is a row of fifty zeros.
--- hint 2
boundaries without the shift: START, -> [c - 1 for c in START], && , END] -> , [c - 1 for c in END]]
    Your boundaries lack the 1 that is added to every number: `<S>` is 259, 257, 260, and then 261.
the letter of the boundaries without its 1: START, -> [259, 256, 260, *[261] * 47], \
        && , END] -> , [259, 257, 260, *[261] * 47]]
    The letters of your boundaries are 256 and 257 as they are. 1 is added to every number: 257 for
    `<S>`, 258 for `</S>`.
boundaries filled with zeros: START, -> [259, 257, 260, *[0] * 47], \
        && , END] -> , [259, 258, 260, *[0] * 47]]
    You fill the rows of the boundaries with zeros. A word is filled up with 260, and with the 1
    that is 261.
boundaries without the marks of a word: START, -> [257, *[261] * 49], \
        && , END] -> , [258, *[261] * 49]]
    Your boundaries are a letter alone. As in any word, 258 stands before it and 259 after it; with
    the 1 that is 259 and 260.
boundaries without the end of a word: START, -> [259, 257, *[261] * 48], \
        && , END] -> , [259, 258, *[261] * 48]]
    The rows of your boundaries lack the end of the word: after the letter comes 260.
boundaries without the begin of a word: START, -> [257, 260, *[261] * 48], \
        && , END] -> , [258, 260, *[261] * 48]]
    The rows of your boundaries lack the begin of the word: before the letter comes 259.
begin and end of a word are swapped in the boundaries: START, -> [260, 257, 259, *[261] * 47], \
        && , END] -> , [260, 258, 259, *[261] * 47]]
    In your boundaries the end of the word stands first: 259 begins a word, 260 ends it.
start and end are swapped: START, -> END, && , END] -> , START]
    Your sentences begin with `</S>` and end with `<S>`.
START at both ends: , END] -> , START]
    `<S>` stands at both ends. The sentence is closed by `</S>`.
END at both ends: START, -> END,
    `</S>` stands at both ends. The sentence is opened by `<S>`.
the boundaries are spelled: START, -> [259, *(c + 1 for c in b"<S>"), 260, *[261] * 45], \
        && , END] -> , [259, *(c + 1 for c in b"</S>"), 260, *[261] * 44]]
    You spell the boundaries, as three letters and four. They have a letter of their own each, byte
    256 and byte 257.
the first word over START: START, ->
    The first word stands where `<S>` should be. The words begin at position 1.
the boundaries stay: 1 : 1 + len(words) -> : len(words) + 2
    The vectors of the boundaries are still there: two too many. `without_boundaries(vectors, mask)`
    takes them out.
--- hint 3
the start stays: 1 : 1 + len(words) -> : len(words)
    Your vectors begin with that of `<S>`: each word gets the vector of the token before it.
one place late: 1 : 1 + len(words) -> 2 : 2 + len(words)
    Your vectors begin with the second word, and end with `</S>`.
two words too few: 1 + len(words) -> len(words) - 1
    Your vectors end two words before the sentence does. Count: the words stand at 1 to n, so the
    slice ends at n + 1.
the top layer: ScalarMix(len(layers))(layers, mask) -> layers[-1]
    You return the top layer. Mix all layers: `ScalarMix(len(layers))(layers, mask)`.
the token layer: ScalarMix(len(layers))(layers, mask) -> layers[0]
    You return the token layer, which knows no context. Mix all layers:
    `ScalarMix(len(layers))(layers, mask)`.
the sum of the layers: ScalarMix(len(layers))(layers, mask) -> torch.stack(layers).sum(0)
    The layers are all there. You add them up. A fresh `ScalarMix` gives their average.
the layers side by side: ScalarMix(len(layers))(layers, mask) -> torch.cat(layers, -1)
    The layers are all there. You put them side by side. `ScalarMix` makes one vector of 2 H
    numbers.
without the {which} layer: ScalarMix(len(layers))(layers, mask) -> \
        ScalarMix(len(layers) - 1)(layers[{kept}], mask) | which kept = token 1:, top :-1
without the {which} layer, averaged: ScalarMix(len(layers))(layers, mask) -> \
        torch.stack(layers[{kept}]).mean(0) | which kept = token 1:, top :-1
    You leave out the {which} layer. All L + 1 layers go into the mix.
the plain average, without ScalarMix: \
        ScalarMix(len(layers))(layers, mask) -> torch.stack(layers).mean(0)
    You take the plain average of the layers. A fresh `ScalarMix` gives the same, and one that has
    learned other shares does not. Use the class that comes as an argument:
    `ScalarMix(len(layers))(layers, mask)`.
with layer norm: ScalarMix(len(layers)) -> ScalarMix(len(layers), True)
    You switch the layer norm on. Leave it off: then a sentence has the same vectors whoever stands
    beside it.
--- hint 2
the end after the padding: , END] -> ] && [NOTHING] * (longest - len(words)) -> \
        [NOTHING] * (longest - len(words)) + [END]
    In a short sentence `</S>` stands behind the padding. It belongs right after the last word; the
    padding comes after it.
the last word is lost: for word in words) -> for word in words[:-1])
    The last word of each sentence is not read.
--- no hint
the longest sentence first: \
        longest = -> sentences = sorted(sentences, key=len, reverse=True)⏎longest =
    You sort the sentences by length and leave them sorted. Return the vectors in the order of the
    sentences.
the ids are shifted twice: \
        list(character_ids(word)) -> [min(code + 1, 261) for code in character_ids(word)]
    The ids of your words are shifted once more. `character_ids` has added the 1 already.
the ids lose their 1: list(character_ids(word)) -> [code - 1 for code in character_ids(word)]
    You subtract 1 from the ids of your words. Use what `character_ids` gives.
the words in reverse: for word in words) -> for word in reversed(words))
the words in reverse, the vectors turned back: for word in words) -> for word in reversed(words)) \
        && row[1 : 1 + len(words)] -> row[1 : 1 + len(words)].flip(0)
    You give `BiLM` the words of a sentence in reverse. It turns them round by itself for its
    backward reader: give them in their order.
lower case: character_ids(word) -> character_ids(word.lower())
    You make the words small. The biLM was trained with capitals.
"""

SLIPS_BY_MASK = """
--- hint 1
no boundaries, and two words cut off: START, -> && , END] -> ]
    No sentence has its boundaries, so `without_boundaries` takes the first and the last word away.
    Put `<S>` before the words and `</S>` after them.
padding is the mark 261, and counts as words: NOTHING -> [261] * 50
    You pad with rows of 261. That mark fills a word's row, so the mask takes your padding for
    words. No word is a row of fifty zeros.
padding is the mark 260, and counts as words: NOTHING -> [260] * 50
    You pad with rows of 260. That number fills up a word's row, so the mask takes your padding for
    words. No word is a row of fifty zeros.
--- hint 2
END after the padding, by the mask: , END] -> ] && [NOTHING] * (longest - len(words)) -> \
        [NOTHING] * (longest - len(words)) + [END]
END after the padding, by the mask and the length: , END] -> ] \
        && [NOTHING] * (longest - len(words)) -> [NOTHING] * (longest - len(words)) + [END] \
        && row[there] for row, there in zip(vectors, kept -> \
        row[: len(words)] for row, words in zip(vectors, sentences
    In short sentences `</S>` stands behind the padding. It follows the last word, and the padding
    comes after it.
--- hint 3
the rows are not trimmed: row[there] -> row
    Each sentence still has the rows of the longest one. Keep its own words: the second result of
    `without_boundaries` says which they are.
"""

SLIPS_OF_FILLING = """
--- hint 2
the words begin at place 0: start=1 -> start=0
    Your words begin at position 0, where `<S>` stands, and leave an empty position before `</S>`.
    They begin at position 1.
the words begin at place 2: start=1 -> start=2
    Your words begin at position 2, and the last of them lies under `</S>`. `<S>` stands at position
    0: they begin at position 1.
END over the last word: row[len(words) + 1] -> row[len(words)]
    `</S>` stands where the last word was. The words stand at 1 to n, so `</S>` comes at n + 1.
--- no hint
the last word is never filled in: enumerate(words, start=1) -> enumerate(words[:-1], start=1)
    The row of a sentence's last word is never filled in, and stays a row of zeros. Look at where
    your loop ends.
the last sentence is never filled in: zip(ids, sentences -> zip(ids[:-1], sentences[:-1]
    The rows of the last sentence are never filled in, and stay zeros. Look at where your loop ends.
the first sentence is never filled in: zip(ids, sentences -> zip(ids[1:], sentences[1:]
    The rows of the first sentence are never filled in, and stay zeros. Look at where your loop
    begins.
"""

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
            asks="The `ScalarMix` that comes as an argument starts with unequal shares.",
        ),
    ),
    mistakes=(
        *slips(_by_slices, SLIPS),
        *slips(reference, SLIPS_BY_MASK),
        *slips(_by_filling, SLIPS_OF_FILLING),
    ),
    right_answers={
        "slices": _by_slices,
        "the boundaries by their names": _of_one_kind,
        "one sentence at a time": _one_at_a_time,
        "filling a tensor": _by_filling,
    },
    atol=1e-5,
)
