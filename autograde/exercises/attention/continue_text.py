"""Exercise `continue_text`: a model goes on writing."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.attention import LESSON
from elmo_mini.models.fine_tuning import continue_text

Draw = Callable[[Tensor], int]
STOP = 1


@Case.drawn
def _beginning(
    rng: Random,
    length: int,
    most: int,
    *,
    words: int = 12,
    longest: int = 8,
    temperature: float = 1.0,
    stop: int = STOP,
    stop_after: int = 0,
) -> Inputs:
    """A language of pairs and of places; with `stop_after` it ends after so many words."""
    scores = rng.normal(0, 1.2, (words, words)).astype(np.float32)
    scores[:, stop] = -30.0
    ids = rng.integers(2, words, length).tolist()
    drawn = rng.uniform(0.02, 0.98, 1 + most).tolist()
    places = rng.normal(0, 0.8, (longest, words)).astype(np.float32)
    places[:, stop] = 0.0
    if stop_after:
        places[length + stop_after - 2, stop] = 60.0
    return {
        "scores": scores,
        "places": places,
        "ids": ids,
        "most": most,
        "stop": stop,
        "longest": longest,
        "temperature": temperature,
        "drawn": drawn,
    }


class _Model:
    """Scores of the next word hang on the word and on its place among those that are read."""

    def __init__(self, inputs: Inputs) -> None:
        self.scores = torch.from_numpy(inputs["scores"])
        self.places = torch.from_numpy(inputs["places"])

    def __call__(self, ids: Any, *more: Any) -> Tensor:
        if not isinstance(ids, Tensor) or ids.ndim != 2 or ids.dtype != torch.long:
            raise AnswerRefused(
                "The model takes a batch of one text, a tensor of whole numbers (1, T): "
                "`torch.tensor([text])`."
            )
        if ids.shape[1] > len(self.places):
            raise AnswerRefused(
                f"The model was given {ids.shape[1]} words. It has places for {len(self.places)}: "
                "give it the last `longest` of a longer text."
            )
        return self.scores[ids] + self.places[: ids.shape[1]]


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The text, and the chances that each word was drawn from."""
    seen: list[Plain] = []
    left = iter(inputs["drawn"])

    def draw(chances: Any) -> int:
        if not isinstance(chances, Tensor) or chances.ndim != 1:
            raise AnswerRefused(
                "`draw` takes the probabilities of all words at one position, a tensor (V,)."
            )
        total = float(chances.sum())
        if float(chances.min()) < 0:
            raise AnswerRefused(
                f"`draw` was given numbers that add up to {total:.3g}, some below 0. It takes "
                "probabilities: the softmax of the scores."
            )
        if abs(total - 1) > 1e-3:
            raise AnswerRefused(
                f"`draw` was given numbers that add up to {total:.3g}. Probabilities add up to 1: "
                "divide the scores by the temperature first, take the softmax last, over all words."
            )
        lot = next(left, None)
        if lot is None:
            raise AnswerRefused(
                f"You draw more than {inputs['most']} words. `most` says how many at most."
            )
        seen.append(plain(chances))
        return int(torch.searchsorted(chances.double().cumsum(0), lot).clamp(max=len(chances) - 1))

    ids = list(inputs["ids"])
    model = _Model(inputs)
    came = returned(
        answer(
            model,
            ids,
            inputs["most"],
            int(inputs["stop"]),
            inputs["longest"],
            inputs["temperature"],
            draw,
        )
    )
    if ids != inputs["ids"]:
        raise AnswerRefused("Your answer changed its argument `ids`. Work on a copy: `list(ids)`.")
    if isinstance(came, Tensor):
        came = came.tolist()
    return {"text": plain(came), "chances": seen}


def _by_while(
    model: Callable[[Tensor], Tensor],
    ids: list[int],
    most: int,
    stop: int,
    longest: int,
    temperature: float,
    draw: Draw,
) -> list[int]:
    new: list[int] = []
    while len(new) < most and stop not in new:
        read = torch.as_tensor((ids + new)[-longest:]).unsqueeze(0)
        with torch.no_grad():
            scores = model(read)[:, -1, :].squeeze(0)
        powers = torch.exp((scores - scores.max()) / temperature)
        new = [*new, draw(powers / powers.sum())]
    return ids + new


def _by_tensor(
    model: Callable[[Tensor], Tensor],
    ids: list[int],
    most: int,
    stop: int,
    longest: int,
    temperature: float,
    draw: Draw,
) -> list[int]:
    text = torch.tensor([ids])
    for _ in range(most):
        chances = torch.softmax(model(text[:, -longest:])[0, -1] / temperature, 0)
        word = draw(chances)
        text = torch.cat([text, torch.tensor([[word]])], 1)
        if word == stop:
            return text[0].tolist()
    return text[0].tolist()


SLIPS = """
--- hint 1
the scores of the first place: [0, -1] -> [0, 0]
    You draw from the scores of the first position. The next word stands after the last position.
the scores of the place before the last: [0, -1] -> [0, -2 if len(text) > 1 else -1]
    You draw from the scores of the position before the last. The state at the last word has read
    the whole text.
nothing is added: text.append(draw((scores / temperature).softmax(-1))) \
        -> text = list(ids) + [draw((scores / temperature).softmax(-1))]
    Each round begins with `ids` again. What was drawn belongs to the text that the model reads
    next.
the model reads the beginning only: [text[-longest:]] -> [list(ids)[-longest:]]
    The model reads the beginning again in each round. Give it what it has written, too.
the model reads the last word only: text[-longest:] -> text[-1:]
    The model reads the last word only. Give it the text.
--- hint 2
the first words of a long text: text[-longest:] -> text[:longest]
    Of a long text you give the model the first `longest` words. It goes on from the last ones:
    `text[-longest:]`.
one word fewer: text[-longest:] -> text[-longest + 1:]
    Of a long text you give the model one word too few.
written until the places are full: scores = model -> if len(text) > longest: break \
        ⏎scores = model
written until the places are full, and no more: scores = model \
        -> if len(text) >= longest: break ⏎scores = model
    Your text ends when the model has no more positions. It goes on: the model reads the last
    `longest` words, `text[-longest:]`.
the window alone: scores = model -> text = text[-longest:] ⏎scores = model
    You return what the model has read last. Return all of the text, and cut only what it reads.
--- hint 3
the temperature multiplies: scores / temperature -> scores * temperature
    You multiply by the temperature. It divides: below 1, the likeliest words become likelier.
no temperature: scores / temperature -> scores
    `temperature` is never used. It divides the scores, before the softmax.
the chances are divided: (scores / temperature).softmax(-1) -> (scores.softmax(-1) / temperature)
    You divide the probabilities. The temperature divides the scores, before the softmax.
the scores are drawn from: (scores / temperature).softmax(-1) -> (scores / temperature)
    `draw` is given scores. It takes probabilities.
always the likeliest: draw((scores / temperature).softmax(-1)) -> int(scores.argmax())
    You take the likeliest word. Ask `draw`: it chooses by the probabilities.
the logarithm of the chances: softmax -> log_softmax
    `draw` is given logarithms. It takes probabilities: `softmax`.
nothing stops it: if text[-1] == stop: -> if False:
    You go on after `stop`. It ends the text.
compared by identity: text[-1] == stop -> text[-1] is stop
    You ask whether the drawn word `is` the stop. That compares objects, and holds for small numbers
    only by Python's thrift. Compare numbers with `==`.
stopped without the stop: text.append(draw((scores / temperature).softmax(-1))) \
        -> word = draw((scores / temperature).softmax(-1)) ⏎if word == stop: break \
        ⏎text.append(word)
    `stop` is missing at the end of the text. It is the last word then.
a stop in the beginning ends it: scores = model -> if text[-1] == stop: break ⏎scores = model
    Your text ends before it begins where the beginning ends with `stop`. Only a drawn word ends it.
any stop ends it: if text[-1] == stop: -> if stop in text:
    A `stop` in the beginning ends your text. Only a drawn word does: look at the last one.
a stop anywhere ends it before a draw: scores = model -> if stop in text: break ⏎scores = model
    A stop in the beginning ends your text. Only a drawn one does: look at the word that you have
    just drawn.
one word fewer at most: range(most) -> range(most - 1)
    You draw one word too few.
one word more: range(most) -> range(most + 1)
    You draw one word too many.
as many words in all: range(most) -> range(most - len(ids))
    `most` is the number of words to draw, without those of the beginning.
the new words alone: return text -> return text[len(ids):]
    You return the new words alone. Return the beginning with them.
the beginning is changed: text = list(ids) -> text = ids
    Your answer changed its argument `ids`. Work on a copy: `list(ids)`.
"""

EXERCISE = Exercise(
    id="continue_text",
    title="Let it write",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=4,
    minutes=12,
    reference=continue_text,
    run=_run,
    cases=(
        Case("three words after two", _beginning(2, 3)),
        Case("five words, temperature 0.5", _beginning(2, 5, temperature=0.5), weight=2),
        Case("longer than the model has places", _beginning(6, 6), weight=2),
        Case("the text ends on the way", _beginning(2, 5, stop_after=3)),
        Case(
            "a stop with a large number",
            _beginning(2, 4, words=302, stop=300, stop_after=2),
            edge=True,
        ),
        Case("a beginning that is too long", _beginning(11, 3, temperature=2.0), edge=True),
        Case("a beginning that holds the stop", lambda rng: _with_stop(rng), edge=True),
        Case(
            "a beginning that is the stop",
            lambda rng: {**_beginning(1, 3)(rng), "ids": [STOP]},
            edge=True,
            asks="Only a word that is drawn ends the text.",
        ),
    ),
    mistakes=slips(continue_text, SLIPS),
    right_answers={"while": _by_while, "a tensor that grows": _by_tensor},
)


def _with_stop(rng: Random) -> Inputs:
    """`<S>` and `</S>` are one word: a text may begin with what ends it."""
    inputs = _beginning(3, 3)(rng)
    ids: Sequence[int] = inputs["ids"]
    return {**inputs, "ids": [STOP, *ids[1:]]}
