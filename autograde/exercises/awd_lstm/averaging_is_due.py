"""Exercise `averaging_is_due`: the trigger of NT-ASGD."""

from collections.abc import Sequence

from autograde.checking.answers import Answer, AnswerRefused, Plain, call
from autograde.checking.exercise import Case, Exercise, Inputs, Make, Random
from autograde.checking.slips import slips
from autograde.exercises.awd_lstm import LESSON
from elmo_mini.models import awd_lstm

FALLING = (90.0, 70.0, 60.0, 55.0, 52.0, 50.0, 49.0, 48.5, 48.2)


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The answer after each epoch."""
    losses, n = inputs["validation"], inputs["n"]
    said = [call(answer, {"validation": losses[:k], "n": n}) for k in range(1, len(losses) + 1)]
    for word in said:
        if word is None:
            raise AnswerRefused("Your function returned None. Is there a `return` at the end?")
        if not isinstance(word, bool):
            raise AnswerRefused(f"Your answer is {word!r}. Return True or False.")
    return {f"after epoch {k}": bool(word) for k, word in enumerate(said, 1)}


def _history(*losses: float, n: int = 5) -> Make:
    return lambda rng: {"validation": [*losses], "n": n}


def _noisy(rng: Random) -> Inputs:
    return {"validation": [float(x) for x in 50 + rng.permutation(14)], "n": 3}


def _natural(validation: Sequence[float], n: int) -> bool:
    if len(validation) <= n:
        return False
    older = validation[: len(validation) - n]
    return validation[-1] > min(older)


def _by_loop(validation: Sequence[float], n: int) -> bool:
    return any(old < validation[-1] for old in validation[:-n])


SLIPS = """
--- hint 1
any rise: min(older) -> validation[-2]
    You compare with the epoch before. One bad epoch is noise; compare with the best of those that
    are older than n.
the best of all: min(older) -> min(validation)
    You compare with the best of all epochs, the newest among them. The last n are left out.
the best of the last n: min(older) -> min(validation[-n:])
    You compare with the last n epochs. They are the ones that are left out: compare with those
    before them.
the n before the newest: len(validation) - n] -> -1][-n:]
    You compare with the n epochs before the newest. Compare with the best of those that are older.
the oldest alone: min(older) -> older[0]
    You compare with the first epoch. Compare with the best of those older than n.
all after the first n: min(older) -> min(validation[n:])
    You leave out the first n epochs. The last n are left out: `validation[:-n]`.
the first n epochs: min(older) -> min(validation[:n])
    You compare with the first n epochs. Compare with all but the last n: `validation[:-n]`.
the newest of the older: min(older) -> older[-1]
    You compare with one epoch, n back. Compare with the best of all that are as old or older.
the worst of the older: min(older) -> max(older)
    You compare with the worst old epoch. Training has stalled when the newest is worse than the
    *best* of them.
the mean of the older: min(older) -> sum(older) / len(older)
    You compare with the mean of the old epochs. Compare with the best of them.
--- hint 2
the sign reversed: validation[-1] > min(older) -> validation[-1] < min(older)
    You answer yes while it still gets better. A lower loss is better.
no worse: validation[-1] > min(older) -> validation[-1] >= min(older)
    An epoch as good as the best old one is not worse: compare with `>`.
a margin is allowed: validation[-1] > min(older) -> validation[-1] > min(older) + 0.1
a large margin is allowed: validation[-1] > min(older) -> validation[-1] > min(older) + 1
    Worse by a little is worse, too. Compare with the best old loss itself: nothing is added, and
    nothing rounded.
the best of the last n has to be worse: validation[-1] > min(older) \
        -> min(validation[-n:]) > min(older)
    You ask whether *all* of the last n are worse than the old best. The trigger looks at the newest
    epoch alone.
the mean of the last n has to be worse: validation[-1] > min(older) \
        -> sum(validation[-n:]) / n > min(older)
    You take the mean of the last n epochs. The trigger looks at the newest epoch alone.
the first of the last n: validation[-1] > min(older) -> validation[-n] > min(older)
    You look at the epoch n from the end. The trigger looks at the newest, `validation[-1]`.
the epoch before the newest: validation[-1] > min(older) -> validation[-2] > min(older)
    You look at the last epoch but one. The trigger looks at the newest, `validation[-1]`.
the answer is turned round: return validation[-1] > min(older) \
        -> return not validation[-1] > min(older)
    Your yes is a no. Averaging is due when the newest epoch is *worse*.
one left out too few: len(validation) - n] -> len(validation) - n + 1]
    You leave out n - 1 epochs. The newest n are left out, the newest itself among them.
one left out too many: len(validation) - n] -> max(1, len(validation) - n - 1)]
    You leave out n + 1 epochs. The newest n are left out, the newest itself among them.
too early: if len(validation) <= n -> if len(validation) < 2 && - n] -> - n] or validation[:1]
    You answer before there is anything to compare with. While there are n epochs or fewer, the
    answer is no.
yes while nothing is old enough: return False -> return True
    You answer yes while nothing is old enough to compare with. Then the answer is no.
yes after exactly n epochs: if len(validation) <= n -> if len(validation) < n \
        && min(older) -> min(older, default=0)
    After n epochs you answer yes: nothing is old enough yet, and that is no loss of 0. While there
    are n epochs or fewer, the answer is no.
once yes, always yes: return validation[-1] > min(older) -> return any(loss \
        > min(validation[: k + 1 - n]) for k, loss in enumerate(validation) if k >= n)
    Once an epoch was worse, you go on saying yes. Each call asks about the newest epoch alone.
--- hint 3
never: return validation[-1] > min(older) -> return False
    You never answer yes.
"""

EXERCISE = Exercise(
    id="averaging_is_due",
    title="When has training stalled?",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=3,
    minutes=6,
    reference=awd_lstm.averaging_is_due,
    run=_run,
    cases=(
        Case("nine epochs, each better than the one before", _history(*FALLING)),
        Case(
            "it falls, and then it rises",
            _history(90, 70, 60, 55, 54, 56, 57, 55.5, 54.5, 54.2, 58, 59),
            weight=2,
        ),
        Case("up and down", _history(60, 90, 50, 70, 58, 65, 75, 95, 55, n=2), weight=2),
        Case("noise of fourteen epochs", _noisy, weight=2),
        Case(
            "losses that differ by less than a thousandth",
            _history(4.31, 4.204, 4.2042, 4.2041, 4.2045, 4.2043, n=2),
            edge=True,
            asks="Worse by a little is worse.",
        ),
        Case(
            "a plateau",
            _history(60, 50, 50, 50, 50, n=2),
            edge=True,
            asks="All epochs are equally good from the second on. None is worse than another.",
        ),
        Case(
            "the first epochs are bad",
            _history(50, 80, 90, 70, n=3),
            edge=True,
            asks="While there are n epochs or fewer, nothing is old enough to compare with.",
        ),
    ),
    mistakes=slips(_natural, SLIPS),
    right_answers={"a loop": _by_loop},
)
