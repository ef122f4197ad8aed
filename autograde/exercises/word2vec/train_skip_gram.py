"""Exercise `train_skip_gram`: the loop that trains word vectors."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.word2vec import LESSON
from autograde.exercises.word2vec.no_seed import SEED_IS_SET, no_seed
from elmo_mini.models.skip_gram import train_skip_gram

Step = Callable[..., float]
Look = Callable[[int, Tensor], object]
MUCH = 5  # standard deviations of a share
A_REST = (
    "Your loop takes a step for the rest, the pairs that fill no batch. A rest is left out: there "
    "are `len(pairs) // batch` steps."
)


def _in_numpy(
    pairs: Tensor,
    noise: Tensor,
    step: Step,
    dimension: int,
    negatives: int,
    batch: int,
    rate: float,
    look: Look,
) -> tuple[Tensor, Tensor, list[float]]:
    rng = np.random.default_rng(3)
    words, chances = len(noise), noise.numpy() / noise.numpy().sum()
    inputs = torch.empty(words, dimension).uniform_(-0.5 / dimension, 0.5 / dimension)
    outputs = torch.zeros_like(inputs)
    losses: list[float] = []
    batches = [part for part in pairs.split(batch) if len(part) == batch]
    for number, part in enumerate(batches):
        now = rate - rate * number / len(batches)
        drawn = torch.from_numpy(rng.choice(words, (batch, negatives), p=chances))
        losses += [step(inputs, outputs, part[:, 0], part[:, 1], drawn, now)]
        look(len(losses), inputs)
    return inputs, outputs, losses


@Case.drawn
def _text(rng: Random, pairs: int, batch: int, negatives: int = 3, even: bool = False) -> Inputs:
    words = 9
    noise = np.full(words, 1 / words)
    if not even:
        noise = np.array([0, 0.75, 0, 0, 0.2, 0.05, 0, 0, 0])
    return {
        "pairs": rng.integers(0, words - 1, (pairs, 2)),  # one word is noise only
        "noise": noise,
        "dimension": 40,
        "negatives": negatives,
        "batch": batch,
        "rate": 0.2,
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """What each step and each look was given, and what came back."""
    pairs, noise = torch.from_numpy(inputs["pairs"]), torch.from_numpy(inputs["noise"])
    size, noisy, batch = inputs["dimension"], inputs["negatives"], inputs["batch"]
    given: list[list[Any]] = []
    drawn: list[Tensor] = []
    tables: list[Tensor] = []
    looked: list[list[float]] = []
    start: dict[str, Plain] = {}

    def step(
        input_vectors: Tensor,
        output_vectors: Tensor,
        centers: Tensor,
        contexts: Tensor,
        negatives: Tensor,
        learning_rate: float,
    ) -> float:
        if not drawn:
            tables.extend((input_vectors, output_vectors))
            start["the input table at the start"] = _of_start(input_vectors, size)
            start["the output table at the start"] = _of_start(output_vectors, size)
        if len(centers) < batch and tuple(negatives.shape) == (len(centers), noisy):
            raise AnswerRefused(A_REST)
        if tuple(negatives.shape) != (batch, noisy):
            raise AnswerRefused(
                f"Your noise words have the shape {tuple(negatives.shape)}. Each pair has its own: "
                f"`step` takes (batch, negatives), here {(batch, noisy)}."
            )
        given.append([plain(centers), plain(contexts), float(learning_rate)])
        drawn.append(negatives.clone())
        input_vectors += 1
        output_vectors += 2
        return 4.0 - len(given) / 8

    def look(number: int, table: Tensor) -> None:
        looked.append([float(number), float(table[0, 0].round())])

    with no_seed(5):
        came = returned(answer(pairs, noise, step, size, noisy, batch, inputs["rate"], look))
    if not isinstance(came, tuple | list) or len(came) != 3:
        raise AnswerRefused("Return three things: the input table, the output table, the losses.")
    if not drawn:
        raise AnswerRefused("Your loop never calls `step`, the function that it is given.")
    first, second, losses = came
    again = [bool((a == b).all()) for a, b in pairwise(drawn)]
    return {
        **start,
        "centres of each step": [row[0] for row in given],
        "contexts of each step": [row[1] for row in given],
        "learning rate of each step": [row[2] for row in given],
        "how the noise words are drawn": _how_drawn(torch.cat(drawn).flatten(), noise),
        "a pair may meet a noise word twice": any(_has_twins(part) for part in drawn),
        "a pair has the noise words of the pair before": all(map(_passed_on, drawn)),
        "a step has the noise words of the step before": bool(again and all(again)),
        "what each look was told, and the first number of its table": looked,
        "the input table comes first": bool(tables) and _same(first, tables[0]),
        "the output table comes second": bool(tables) and _same(second, tables[1]),
        "losses": plain(losses),
    }


def _of_start(table: Tensor, size: int) -> Plain:
    shape = f"of the shape {tuple(table.shape)}"
    if not table.any():
        return f"zeros {shape}"
    if (table == table[0]).all() or (table == table[:, :1]).all():
        return f"all {'rows' if (table == table[0]).all() else 'columns'} alike, {shape}"
    low, high = (float(value * size) for value in (table.min(), table.max()))
    if -0.5001 <= low < -0.4 and 0.4 < high <= 0.5001:
        return f"from -1/2 to 1/2, over D, {shape}"
    if low >= 0:
        return f"nothing below 0, {shape}"
    if high <= 0:
        return f"nothing above 0, {shape}"
    if low + high > (high - low) / 3:
        return f"most of it above 0, {shape}"
    if high > 10:
        return f"not over D, {shape}"
    even = float(table.std()) * size > (high - low) / 4  # of even numbers, the 3.5th part
    return f"{'even' if even else 'not even'} numbers up to about {high:.1g} / D, {shape}"


def _how_drawn(words: Tensor, noise: Tensor) -> str:
    """By the power of `noise` that fits: so near that chance explains the rest."""
    shares = torch.bincount(words, minlength=len(noise)) / len(words)
    said = {1.0: "as `noise` says", 0.0: "evenly"}
    for power in (1.0, 0.0, 0.75, 0.5, 2.0):
        wanted = noise**power / (noise**power).sum()
        spread = (wanted * (1 - wanted) / len(words)).sqrt()
        if ((shares - wanted).abs() <= MUCH * spread).all():
            return said.get(power, f"as `noise` ** {power} says")
    return "otherwise than `noise` says"


def _has_twins(drawn: Tensor) -> bool:
    ordered = drawn.sort(1).values
    return bool((ordered[:, 1:] == ordered[:, :-1]).any())


def _passed_on(drawn: Tensor) -> bool:
    """Whether each pair has the words of the one before, in their places or moved on by one."""
    return bool((drawn[1:] == drawn[:-1]).all() or (drawn[1:, 1:] == drawn[:-1, :-1]).all())


def _same(one: Any, other: Tensor) -> bool:
    return isinstance(one, Tensor) and one.shape == other.shape and bool((one == other).all())


SLIPS = f"""
--- hint 1
the seed is set: losses = [] -> torch.manual_seed(0) ⏎losses = []
    {SEED_IS_SET}
the same noise words for all steps: losses = [] -> losses = [] \
        ⏎once = torch.multinomial(noise, batch * negatives, replacement=True) \
        && drawn = torch.multinomial(noise, batch * negatives, replacement=True) -> drawn = once
    Every step has the same noise words. Draw them anew, inside the loop.
the same noise words for a whole batch: \
        torch.multinomial(noise, batch * negatives, replacement=True) \
        -> torch.multinomial(noise, negatives, replacement=True).repeat(batch)
    All pairs of a batch share their noise words. Draw `negatives` for each: `batch * negatives`.
words are passed on from pair to pair: \
        torch.multinomial(noise, batch * negatives, replacement=True) -> \
        torch.multinomial(noise, batch, replacement=True) && drawn.view(batch, negatives) -> \
        torch.stack([drawn.roll(k) for k in range(negatives)], 1)
    A pair has the noise words of the pair before, moved on by one. Draw `negatives` for each anew:
    `batch * negatives`.
a table for the words of the pairs: torch.rand(len(noise), dimension) \
        -> torch.rand(int(pairs.max()) + 1, dimension) \
        && torch.zeros(len(noise), dimension) -> torch.zeros(int(pairs.max()) + 1, dimension)
    Your tables end with the largest id of the pairs. Noise words may have larger ones: there are
    `len(noise)` words.
the pairs are shuffled: losses = [] -> pairs = pairs[torch.randperm(len(pairs))] ⏎losses = []
    You shuffle the pairs. Go through them in their order.
every so many-th pair: pairs[number * batch : (number + 1) * batch] -> pairs[number::steps][:batch]
    Your batches take every so many-th pair. Step i has the pairs from i times `batch` on.
--- hint 2
the rate falls by pairs and not by steps: number / steps -> number / len(pairs)
    Your learning rate falls too slowly: you divide the number of the step by the number of pairs.
    Divide by the number of steps.
centre and context exchanged: step(inputs, outputs, centers, contexts \
        -> step(inputs, outputs, contexts, centers
    You hand the contexts over as centres. The first column of `pairs` has the centres.
both tables start at zero: (torch.rand(len(noise), dimension) - 0.5) / dimension \
        -> torch.zeros(len(noise), dimension)
    Both of your tables start with zeros. Then every gradient is zero, and nothing is ever learnt:
    the input table starts with small random numbers.
the start is not shifted: (torch.rand(len(noise), dimension) - 0.5) \
        -> torch.rand(len(noise), dimension)
    Your input table starts above 0 everywhere. `torch.rand` draws between 0 and 1: take 0.5 away.
the brackets of the start: (torch.rand(len(noise), dimension) - 0.5) / dimension \
        -> torch.rand(len(noise), dimension) / dimension - 0.5
the brackets of the start, the other way: (torch.rand(len(noise), dimension) - 0.5) / dimension \
        -> torch.rand(len(noise), dimension) - 0.5 / dimension
    Look at the brackets of your start: the dimension divides a part of it only. Take 0.5 away from
    the drawn numbers first, then divide all of it.
the start is not divided: - 0.5) / dimension -> - 0.5)
    Your input table starts with numbers up to one half. Divide them by the dimension.
a start from the normal distribution: (torch.rand(len(noise), dimension) - 0.5) \
        -> torch.randn(len(noise), dimension)
    Your input table starts with normal random numbers. Even ones are asked for, from -1/2 to 1/2,
    over the dimension.
a start twice as wide: torch.rand(len(noise), dimension) - 0.5 \
        -> torch.rand(len(noise), dimension) * 2 - 1
    Your start goes from -1 to 1, over the dimension. It goes from -1/2 to 1/2: `torch.rand` less
    0.5.
a start half as wide: - 0.5) / dimension -> - 0.5) / (2 * dimension)
    You divide by the dimension and by 2 once more. `torch.rand` less 0.5 goes from -1/2 to 1/2
    already.
divided by the root of the dimension: - 0.5) / dimension -> - 0.5) / dimension**0.5
    You divide the start by the root of the dimension. Divide by the dimension itself.
divided by the number of words: - 0.5) / dimension -> - 0.5) / len(noise)
    You divide the start by the number of words. Divide by the dimension, the length of a vector.
one row for all words: (torch.rand(len(noise), dimension) - 0.5) / dimension \
        -> ((torch.rand(dimension) - 0.5) / dimension).repeat(len(noise), 1)
    All words start with the same vector. Each has random numbers of its own: `torch.rand(V, D)`.
one number for each word: torch.rand(len(noise), dimension) \
        -> torch.rand(len(noise), 1).repeat(1, dimension)
    Each vector starts with one number, D times. Each place has a random number of its own:
    `torch.rand(V, D)`.
one step too few: range(steps) -> range(steps - 1)
    Your loop stops one batch early. There are `len(pairs) // batch` steps.
a step for the rest: len(pairs) // batch -> -(-len(pairs) // batch)
a step for the rest, with its own noise words: len(pairs) // batch -> -(-len(pairs) // batch) \
        && batch * negatives, -> len(centers) * negatives, \
        && .view(batch, negatives) -> .view(len(centers), negatives)
    Your loop takes a step for the rest, the pairs that fill no batch. A rest is left out: there are
    `len(pairs) // batch` steps.
one step: look(number + 1, inputs) -> look(number + 1, inputs) ⏎break
    You stop after the first batch. Go through all of them, and return after the loop.
--- hint 3
`look` is never called: look(number + 1, inputs) -> pass
    `look` is never called. Call it after each step, with the number of steps taken and the input
    table.
`look` comes before the step: look(number + 1, inputs) -> pass \
        && losses.append(step -> look(number + 1, inputs) ⏎losses.append(step
    You call `look` before the step. Call it after.
counted from 0: look(number + 1, inputs) -> look(number, inputs)
    You count the steps from 0. `look` is told how many have been taken: 1 after the first.
`look` sees the output table: look(number + 1, inputs) -> look(number + 1, outputs)
    You show `look` the output table. It looks at the input table.
the last loss alone: return inputs, outputs, losses -> return inputs, outputs, losses[-1]
    You return the last loss. Return the list of all of them.
the same batch in every step: pairs[number * batch : (number + 1) * batch] -> pairs[:batch]
    Every step has the first batch. Step i has the pairs from i times `batch` on.
the rate does not fall: rate * (1 - number / steps) -> rate
    Your learning rate stays what it is. It falls in a straight line, from `rate` to 0.
the rate rises: rate * (1 - number / steps) -> rate * (number / steps)
    Your learning rate rises from 0. It falls in a straight line, from `rate` to 0.
`look` sees an old copy: losses = [] -> losses = []⏎start = inputs.clone() \
        && look(number + 1, inputs) -> look(number + 1, start)
    You show `look` a copy from before the training. Show it the table that `step` changes.
the last step has no rate: number / steps -> number / max(1, steps - 1)
    Your learning rate is 0 in the last step, which learns nothing. At step i of n it is
    `rate * (1 - i / n)`: it would be 0 one step after the last.
the rest counts in the rate: number / steps -> number / (len(pairs) / batch)
    You divide by the number of batches with the rest in it, a fraction. n counts the steps that are
    taken, `len(pairs) // batch`.
--- no hint
both tables start at random: torch.zeros(len(noise), dimension) \
        -> (torch.rand(len(noise), dimension) - 0.5) / dimension
    Your output table starts with random numbers. It starts with zeros, so that every score is 0 at
    first and nobody is believed.
noise drawn evenly: torch.multinomial(noise, batch * negatives, replacement=True) \
        -> torch.randint(len(noise), (batch * negatives,))
    Your noise words come evenly from the vocabulary. `noise` says how often each comes:
    `torch.multinomial`.
the power of `noise` is taken again: losses = [] -> losses = []⏎noise = noise**0.75
    You raise `noise` to a power. That is done already: `noise` holds the probabilities themselves.
`noise` to the power {{power}}: losses = [] -> losses = []⏎noise = noise**{{power}} \
        | power = 0.5, 2
    You raise `noise` to a power. It holds the probabilities themselves.
drawn without replacement: torch.multinomial(noise, batch * negatives, replacement=True) \
        -> torch.rand(batch, len(noise)).log().div(noise).topk(negatives).indices
    No pair of yours meets a noise word twice. Draw each as if the others were not there:
    `replacement=True`.
the rate falls one step early: rate * (1 - number / steps) -> rate * (1 - (number + 1) / steps)
    Your learning rate is one step ahead: the last step has rate 0 and learns nothing. The first
    step has `rate` itself.
the rate falls by halves: rate * (1 - number / steps) -> rate / (1 + number)
    Your learning rate falls, but not in a straight line: at step i of n it is `rate * (1 - i / n)`.
batches overlap: pairs[number * batch : (number + 1) * batch] -> pairs[number : number + batch]
    Your batches overlap: each begins one pair after the last. Step i has the pairs from i times
    `batch` on.
the tables are exchanged: step(inputs, outputs, -> step(outputs, inputs,
    You hand the tables over the other way round: `step` takes the input table first.
the output table first: return inputs, outputs, losses -> return outputs, inputs, losses
    You return the output table first. The input table comes first.
"""

EXERCISE = Exercise(
    id="train_skip_gram",
    title="The loop",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=12,
    reference=train_skip_gram,
    run=_run,
    cases=(
        Case("eight batches", _text(1_600, 200), weight=2),
        Case("even noise, five for each pair", _text(1_200, 300, 5, True)),
        Case("a rest that fills no batch", _text(1_050, 250, 4), asks="A rest is left out."),
        Case("one batch", _text(700, 700, 2), edge=True, asks="One step, at the full rate."),
    ),
    mistakes=slips(train_skip_gram, SLIPS),
    right_answers={"in NumPy, by parts": _in_numpy},
)
