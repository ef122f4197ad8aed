"""Exercise `draw_word`: the next word is drawn, with a temperature."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import Answer, AnswerRefused, Plain, returned
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.context_enters import LESSON
from elmo_mini.models.lstm_language_model import draw_word

DRAWS = 600
SCORES = (2.2, 1.4, 0.5, -0.3, -1.2)
CHANGED = "Your answer changed its argument `scores`. Work on a copy: the model still needs it."


@Case.drawn
def _scores(
    rng: Random, temperature: float, *, shift: float = 0.0, never: bool = False, others: int = 0
) -> Inputs:
    scores = rng.permutation(np.array(SCORES)).astype(np.float32)
    if never:
        scores[rng.integers(len(SCORES) - 1)] = -np.inf  # others stand behind it
    scores = np.concatenate([scores, np.full(others, -np.inf, np.float32)])
    return {
        "scores": scores + np.float32(shift),
        "temperature": temperature,
        "seed": int(rng.integers(1_000_000)),
    }


@Case.drawn
def _many(rng: Random) -> Inputs:
    scores = rng.permutation(np.linspace(-0.5, 0.5, 200)).astype(np.float32)
    return {"scores": scores, "temperature": 1.0, "seed": int(rng.integers(1_000_000))}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """How often each word comes, or each half of many; whatever draws is seeded."""
    scores, seed = inputs["scores"], inputs["seed"]
    counts = np.zeros(len(scores))
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        given = torch.from_numpy(scores.copy())
        for _ in range(DRAWS):
            word = _number(answer(given, inputs["temperature"]), len(scores))
            if not np.array_equal(given.numpy(), scores):
                raise AnswerRefused(CHANGED)
            counts[word] += 1
    forbidden = bool(counts[np.isneginf(scores)].any())
    possible = np.isfinite(scores)
    if possible.sum() > len(SCORES):
        half = scores < np.median(scores)
        shares = np.array([counts[half].sum(), counts[~half].sum()]) / DRAWS
        return {"how often one of the unlikelier half comes, and of the likelier": shares}
    said = {"how often each word comes": counts / DRAWS}
    return said if possible.all() else said | {"a word comes that cannot come": forbidden}


def _number(word: Any, words: int) -> int:
    word = returned(word)
    if isinstance(word, Tensor) and (word.ndim or word.is_floating_point()):
        raise AnswerRefused(
            "Return one number, the id of the word that was drawn. `int(...)` makes one of a "
            "tensor with one number in it."
        )
    if not isinstance(word, int | np.integer | Tensor) or isinstance(word, bool):
        raise AnswerRefused(f"Return the id of a word, a whole number, not {word!r}.")
    if not 0 <= int(word) < words:
        raise AnswerRefused(f"There are {words} words, numbered from 0. You drew {int(word)}.")
    return int(word)


def _by_distribution(scores: Tensor, temperature: float) -> int:
    drawn: int = torch.distributions.Categorical(logits=scores / temperature).sample().item()
    return drawn


def _by_hand(scores: Tensor, temperature: float) -> int:
    powers = ((scores - scores.max()) / temperature).exp()
    return int(torch.multinomial(powers, 1))


SLIPS = """
--- hint 1
always the likeliest: int(torch.multinomial(chances, 1)) -> int(chances.argmax())
    You always take the likeliest word. Then it says the same every time, and soon turns in a
    circle. Draw: a word with a chance of 0.2 comes one time in five.
the last word of the order: int(torch.multinomial(chances, 1)) -> int(chances.argsort()[0])
    You always take the unlikeliest word. Draw, by the probabilities.
one of the two likeliest: int(torch.multinomial(chances, 1)) \
        -> int(chances.topk(2).indices[torch.multinomial(chances.topk(2).values, 1)])
    You draw among the likeliest words alone. Every word may come, each by its chance.
--- hint 2
the temperature multiplies: scores / temperature -> scores * temperature
    You multiply by the temperature. It divides: below 1, the likely words become likelier.
the temperature does nothing: scores / temperature -> scores
    The temperature has no effect on yours. It divides the *scores*, before the softmax. (Chances
    that are divided, or scores to which it is added, give the same words as before.)
upside down: scores / temperature -> temperature / scores
    You divide the temperature by the scores. It is the other way round: `scores / temperature`.
the temperature is squared: scores / temperature -> scores / temperature**2
    You divide by the temperature twice. Once is enough.
the fifty likeliest alone: int(torch.multinomial(chances, 1)) \
        -> int(chances.topk(min(50, len(chances))).indices[torch.multinomial(\
        chances.topk(min(50, len(chances))).values, 1)])
    You draw among the likeliest words alone. Every word may come, each by its chance.
one exponential number too few: int(torch.multinomial(chances, 1)) \
        -> int((scores / temperature - torch.rand(len(scores)).log()).argmax())
    -log u is exponential noise. The Gumbel trick adds -log(-log u) to the scores, and takes the
    largest: a logarithm is missing.
the temperature never below {least}: scores / temperature -> scores / max(temperature, {least}) \
        | least = 0.5, 1.0
    You let the temperature fall to {least} at most. Divide by what is given.
what never comes has a score of {low}: scores / temperature \
        -> scores.nan_to_num(neginf={low}) / temperature | low = -20.0
    You replace minus infinity by {low}. Leave it: the softmax makes a chance of exactly 0 of it.
the scores are cut off at {low}: scores / temperature -> scores.clamp(min={low}) / temperature \
        | low = -100
    You cut the scores off from below. All that lies under {low} becomes alike, and what never comes
    can come. The softmax bears every score.
all words alike: chances = (scores / temperature).softmax(-1) -> chances = torch.ones(len(scores))
    Your words all come alike. The scores say which are likelier.
what never comes is as likely as a score of 0: scores / temperature \
        -> scores.nan_to_num(neginf=0.0) / temperature
    You replace minus infinity by 0, a score like any other. Leave it: the softmax makes a chance of
    0 of it.
a little for every word: softmax(-1) -> softmax(-1) + 1e-4
    You add a little to every chance, so even a word that never comes can be drawn. Leave the
    chances as the softmax gives them.
the seed is set: chances = -> torch.manual_seed(0)⏎chances =
    You set the seed in each call, so the same word is drawn each time. Leave the seed to the
    caller.
scores in place of chances: \
        (scores / temperature).softmax(-1) -> (scores / temperature).clamp(min=0)
    You draw by the scores themselves. Take the softmax first: probabilities are positive and sum to
    1.
the logistic function in place of the softmax: softmax(-1) -> sigmoid()
    You put each score through a sigmoid on its own. The words compete: take the softmax over all.
squared scores: (scores / temperature).softmax(-1) -> (scores / temperature).square() + 1e-9
    You draw by the squares of the scores. The softmax makes probabilities of them.
the minus of a loss: scores / temperature -> -scores / temperature
    Your unlikely words are the likely ones: the sign is turned round.
the softmax twice: softmax(-1) -> softmax(-1).softmax(-1)
    You take the softmax twice. The second one makes all words nearly alike.
the logarithm of the chances: softmax(-1) -> log_softmax(-1).neg()
    You draw by -log p, the surprise. Draw by the chance itself.
always the same word: int(torch.multinomial(chances, 1)) -> 1
    You return the same word each time. Draw one.
--- hint 3
the chance in place of the word: int(torch.multinomial(chances, 1)) \
        -> float(chances[torch.multinomial(chances, 1)])
    You return a chance. Return the number of the word that was drawn.
the number among the words that can come: int(torch.multinomial(chances, 1)) \
        -> int(torch.multinomial(chances[chances > 0], 1))
    Your number counts only the words that can come. The id is the position among all scores.
a list: int(torch.multinomial(chances, 1)) -> torch.multinomial(chances, 1).tolist()
    You return a list with the word in it. Return its number.
--- no hint
whole numbers only: scores / temperature -> scores // temperature
    `//` cuts the scores down to whole numbers. Divide with `/`.
the next word: int(torch.multinomial(chances, 1)) \
        -> (int(torch.multinomial(chances, 1)) + 1) % len(scores)
    You return the word after the one that was drawn.
"""

SLIPS_BY_HAND = """
--- hint 2
exp of large scores: (scores - scores.max()) -> scores
    exp of a score of 300 is too large for a number: `inf`. `softmax` takes the largest score off
    first, which changes no chance.
exp of scores cut off: (scores - scores.max()) -> scores.clamp(max=80)
    You cut large scores off, so they become alike. Take the largest score off all of them
    in place of that, which changes no chance.
--- no hint
the smallest is taken off: scores.max() -> scores.min()
    Take the largest score off, not the smallest: then no exp is larger than 1.
"""

EXERCISE = Exercise(
    id="draw_word",
    title="A word is drawn",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=6,
    reference=draw_word,
    run=_run,
    atol=0.09,
    rtol=0.0,
    cases=(
        Case("temperature 1", _scores(1.0)),
        Case("temperature 0.3", _scores(0.3)),
        Case("temperature 0.5", _scores(0.5)),
        Case("temperature 2", _scores(2.0)),
        Case("two hundred words", _many(), edge=True),
        Case("scores of three hundred", _scores(1.0, shift=300.0), edge=True),
        Case("scores of minus three hundred", _scores(1.0, shift=-300.0), edge=True),
        Case("a word that cannot come", _scores(1.0, never=True), edge=True),
        Case("five words of a thousand can come, hot", _scores(5.0, others=995), edge=True),
    ),
    mistakes=(*slips(draw_word, SLIPS), *slips(_by_hand, SLIPS_BY_HAND)),
    right_answers={
        "torch.distributions": _by_distribution,
        "the softmax by hand": _by_hand,
    },
)
