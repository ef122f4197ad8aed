"""Exercise `paired_interval`: how sure a lead is, over draws of labels and over test texts."""

import numpy as np
from numpy.typing import NDArray

from autograde.checking.answers import Answer, AnswerRefused, Plain, plain, refuse_changed
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.a_hundred_labels import LESSON
from course.a_hundred_labels.differences import paired_interval

Right = NDArray[np.bool_]
ROUNDS, MANY, FEW = 1_500, 8_000, 12
LONE = 0.55, 1.1
"""As far the ends lie where one text in eight has all the lead: chance is not symmetric."""
BELOW = "how far your low end lies below the lead (right: about {:g})"
ABOVE = "how far your high end lies above the lead (right: about {:g})"
SEEDS = 5  # by chance, two draws of a small table have the same ends
SHARPER = 2.5  # with many rounds, chance moves an end by less


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """How far the ends lie from the lead, in half widths of an exact interval: draws tremble."""
    given = {name: inputs[name].copy() for name in ("first", "second")}
    few, again = (
        [
            repr(plain(answer(*given.values(), np.random.default_rng(inputs["seed"] + more), FEW)))
            for more in range(SEEDS)
        ]
        for _ in range(2)
    )
    # Last, so that the numbers beside a refused form are those of many rounds.
    came = plain(answer(*given.values(), np.random.default_rng(inputs["seed"]), inputs["rounds"]))
    refuse_changed(inputs, given)
    if isinstance(came, np.ndarray):
        came = came.tolist()
    if (
        not isinstance(came, list | tuple)
        or len(came) != 2
        or not all(isinstance(end, int | float) for end in came)
    ):
        raise AnswerRefused("Return the two ends of the interval, as two numbers.")
    if few != again:
        raise AnswerRefused("The same `rng` gave two intervals. Draw with `rng` and nothing else.")
    lead = inputs["first"].astype(float) - inputs["second"]
    right = SHARPER if inputs["rounds"] == MANY else 1
    low, high = (right * (float(end) - lead.mean()) / _half_width(lead) for end in came)
    below, above = (right, right)
    if inputs["lone"]:
        below, above = LONE if lead.mean() > 0 else LONE[::-1]
    ends: dict[str, Plain] = {BELOW.format(below): -low, ABOVE.format(above): high}
    return ends | {"another rng gives other ends": len(set(few)) > 1}


def _half_width(lead: NDArray[np.float64]) -> float:
    """1.96 standard errors of a mean whose rows and columns are drawn anew, each on its own."""
    draws, texts = lead.shape
    rows, columns, every = lead.mean(1).var(), lead.mean(0).var(), lead.var()
    rest = every - rows - columns
    return 1.96 * float(np.sqrt(rows / draws + columns / texts + rest / (draws * texts)))


@Case.drawn
def _two(
    rng: Random,
    draws: int,
    texts: int,
    lead: float,
    luck: float,
    taste: float,
    together: float,
    rounds: int = ROUNDS,
) -> Inputs:
    """Two methods: `luck` moves their lead from draw to draw, and `taste` from text to text.

    Texts are hard for both by as much as `together`.
    """
    hard = together * rng.standard_normal((1, texts))
    own = taste * rng.standard_normal((2, 1, texts))
    drawn = luck * rng.standard_normal((2, draws, 1))
    noise = 0.4 * rng.standard_normal((2, draws, texts))
    ease = hard + own + drawn + noise + np.array([lead, -lead])[:, None, None] / 2 + 0.5
    right = ease > 0
    return {
        "first": right[0],
        "second": right[1],
        "seed": int(rng.integers(1_000_000)),
        "rounds": rounds,
        "lone": False,
    }


@Case.drawn
def _lone(rng: Random, better: str, place: int) -> Inputs:
    """Eight texts, and in each draw the two disagree about one alone.

    Of the others both have all right after one draw of labels, and none after the other.
    """
    alike = np.repeat(rng.permutation([True, False])[:, None], 8, 1)
    tables = {"first": alike, "second": alike.copy()}
    for name, right in tables.items():
        right[:, place] = name == better
    return {**tables, "seed": int(rng.integers(1_000_000)), "rounds": ROUNDS, "lone": True}


def _all_at_once(
    first: Right, second: Right, rng: Random, rounds: int = 1_000
) -> tuple[float, float]:
    lead = first.astype(int) - second.astype(int)
    draws, texts = lead.shape
    rows = rng.choice(draws, (rounds, draws))
    means = []
    for row in rows:
        columns = rng.choice(texts, texts)
        means.append(lead[np.ix_(row, columns)].mean())
    low, high = np.percentile(means, [2.5, 97.5])
    return low, high


def _right(first: Right, second: Right, rng: Random, rounds: int = 1_000) -> tuple[float, float]:
    lead = first.astype(float) - second.astype(float)
    draws, texts = lead.shape
    means = []
    for _ in range(rounds):
        rows = rng.integers(draws, size=draws)
        columns = rng.integers(texts, size=texts)
        means.append(lead[rows][:, columns].mean())
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


SLIPS = """
--- hint 1
over the draws alone: columns = rng.integers(texts, size=texts) -> columns = np.arange(texts)
    Your interval knows other draws of labels, and no other texts. Draw the columns anew, too: the
    test is a sample.
over the texts alone: rows = rng.integers(draws, size=draws) -> rows = np.arange(draws)
    Your interval knows other texts, and no other draws of labels. Draw the rows anew, too: with
    other labels the method would be another.
each cell on its own: lead[rows][:, columns].mean() -> rng.choice(lead.ravel(), lead.size).mean()
    You draw single cells, as if every one of them were an experiment of its own. All cells of a
    row share their labels, those of a column their text: draw whole rows and whole columns.
other texts in each row: lead[rows][:, columns].mean() \
        -> np.mean([lead[row, rng.integers(texts, size=texts)].mean() for row in rows])
    Your interval is as narrow as one that draws other texts for each row. One round has one set of
    texts, the same for all its rows.
the two methods apart: lead[rows][:, columns].mean() -> first[rows][:, columns].mean() \
        - second[rng.integers(draws, size=draws)][:, rng.integers(texts, size=texts)].mean()
    You draw other rows and texts for the second method. The two share labels and texts: draw once a
    round, and take the differences there.
the last text is never drawn: rng.integers(texts, size=texts) \
        -> rng.integers(texts - 1, size=texts)
    Your last text is never drawn. `rng.integers(n)` leaves n out already.
the first text is never drawn: rng.integers(texts, size=texts) \
        -> rng.integers(1, texts, size=texts)
    Your first text is never drawn. Columns are counted from 0.
the last draw is never drawn: rng.integers(draws, size=draws) \
        -> rng.integers(draws - 1, size=draws)
    Your last row is never drawn. `rng.integers(n)` leaves n out already.
one row a round: lead[rows] -> lead[rows[:1]]
    You use one row a round. As many as there are, with replacement.
other rows for each method: lead[rows][:, columns].mean() -> first[rows][:, columns].mean() \
        - second[rng.integers(draws, size=draws)][:, columns].mean()
    You draw other rows for the second method. The two have learnt from the same labels: draw once a
    round for both.
one draw and one text: rng.integers(draws, size=draws) -> rng.integers(draws, size=1) \
        && rng.integers(texts, size=texts) -> rng.integers(texts, size=1)
    You draw one row and one column a round. As many as there are, with replacement.
as many rows as there are columns: rng.integers(draws, size=draws) \
        -> rng.integers(draws, size=texts) \
        && rng.integers(texts, size=texts) -> rng.integers(texts, size=draws)
    You draw as many rows as there are columns, and as many columns as there are rows. A new
    experiment is as large as the old one: `first.shape` is (draws, texts).
the rows are drawn before the rounds: rows = rng.integers(draws, size=draws) -> rows = rows \
        && means = [] -> means, rows = [], rng.integers(draws, size=draws)
    You draw the rows once, before the rounds. Each round is a new experiment: draw both inside.
the columns are drawn before the rounds: columns = rng.integers(texts, size=texts) -> pass \
        && means = [] -> means, columns = [], rng.integers(texts, size=texts)
    You draw the columns once, before the rounds. Each round is a new experiment: draw both inside.
without replacement: rng.integers(draws, size=draws) -> rng.permutation(draws) \
        && rng.integers(texts, size=texts) -> rng.permutation(texts)
    You draw without replacement, so each round is the same table in another order. With
    replacement, some come twice, others not at all.
pairs of numbers in place of a table: lead[rows][:, columns].mean() \
        -> lead[rng.integers(draws, size=texts), columns].mean()
    Two lists of numbers in one bracket pick single cells. `lead[rows][:, columns]` or `np.ix_`
    picks the table of whole rows and columns.
--- hint 2
a generator of its own: means = [] -> means = [] ⏎rng = np.random.default_rng()
    You draw with a generator of your own, so nobody can repeat your interval. Draw with `rng`.
always the same generator: means = [] -> means = [] ⏎rng = np.random.default_rng(0)
    Your ends are the same whatever `rng` is: you draw with a generator of your own, or you draw
    nothing. Use the bootstrap, and draw with `rng`.
the second less the first: first.astype(float) - second.astype(float) \
        -> second.astype(float) - first.astype(float)
    Your sign is turned round: how much more often is the *first* right?
where the two differ, whoever is right: first.astype(float) - second.astype(float) \
        -> (first ^ second).astype(float)
    `^` is True wherever the two differ, whichever of them is right. Make numbers of both, and
    subtract.
only the first method: first.astype(float) - second.astype(float) -> first.astype(float)
    That is the interval of how often the first is right. Asked is its lead over the second.
nine in ten: [0.025, 0.975] -> [0.05, 0.95]
    You leave out 5 % at each end. A 95 % interval leaves out 2.5 % at each.
the middle half: [0.025, 0.975] -> [0.25, 0.75]
    Between your ends lies half of the means. A 95 % interval leaves out 2.5 % at each end: 0.025
    and 0.975.
shares for np.percentile: np.quantile(means, [0.025, 0.975]) \
        -> np.percentile(means, [0.025, 0.975])
    `np.percentile` takes per cents: 2.5 and 97.5. Your ends are those of 0.025 % and 0.975 %.
the ends that were met: np.quantile(means, [0.025, 0.975]) -> (min(means), max(means))
    You take the smallest and the largest mean. Take the quantiles 0.025 and 0.975.
one standard error: np.quantile(means, [0.025, 0.975]) \
        -> (lead.mean() - np.std(means), lead.mean() + np.std(means))
    You go one standard error to each side. That holds 68 %; take the quantiles, or 1.96 of them.
as far to both sides: np.quantile(means, [0.025, 0.975]) \
        -> (lead.mean() - 1.96 * np.std(means), lead.mean() + 1.96 * np.std(means))
    You go 1.96 standard errors to each side, as if the means were symmetric. Take their middle
    95 %: the quantiles 0.025 and 0.975.
reflected: return float(low), float(high) \
        -> return 2 * lead.mean() - float(high), 2 * lead.mean() - float(low)
    You reflect the ends at the lead. The middle 95 % of the means are the interval, as they are.
the standard error of the mean of the rounds: np.quantile(means, [0.025, 0.975]) \
        -> (lead.mean() - 1.96 * np.std(means) / rounds ** 0.5, \
        lead.mean() + 1.96 * np.std(means) / rounds ** 0.5)
    You divide by the root of `rounds`, so that more rounds make you surer. What the means spread is
    the standard error already. Take their quantiles.
high before low: return float(low), float(high) -> return float(high), float(low)
    You return the high end first.
--- hint 3
in points: return float(low), float(high) -> return 100 * float(low), 100 * float(high)
    You return percentage points. Return shares.
a single round: range(rounds) -> range(1)
    One round gives one mean. It takes `rounds` of them.
"""

EXERCISE = Exercise(
    id="paired_interval",
    title="How sure is the lead?",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=20,
    reference=paired_interval,
    run=_run,
    cases=(
        Case("texts that are hard for both", _two(4, 80, 0.6, 0.1, 0.5, 2.0), weight=2),
        Case("a lead that hangs on the draw", _two(8, 80, 0.3, 1.0, 0.3, 0.3), weight=2),
        Case("a lead that hangs on the texts", _two(6, 40, 0.5, 0.05, 1.0, 0.5), weight=2),
        Case("both matter, and many rounds", _two(4, 20, -0.4, 0.4, 0.6, 0.8, MANY)),
        Case("more draws than texts", _two(30, 12, 0.8, 0.8, 0.8, 0.5), edge=True),
        Case("the lead stands in the last text", _lone("first", 7), edge=True),
        Case("the lead of the second stands in the first text", _lone("second", 0), edge=True),
    ),
    mistakes=slips(_right, SLIPS),
    right_answers={
        "rows, then columns": _right,
        "with np.ix_": _all_at_once,
    },
    rtol=0.0,
    atol=0.22,
)
