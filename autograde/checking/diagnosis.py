"""Which named mistake an answer makes: the one whose outputs are the learner's.

A false diagnosis is worse than none.
"""

from autograde.checking.exercise import Exercise, Mistake
from autograde.checking.outcomes import Outcome, alike, expected_outcomes, known_outcomes


def named_mistake(
    exercise: Exercise, came: tuple[Outcome, ...], wrong: int, seed: int
) -> tuple[Mistake | None, bool]:
    """The mistake, and whether it explains all cases or only some.

    Where several mistakes explain all cases alike, none is named, unless they say the same. A guess
    must explain the first wrong case and half of all wrong ones, better than any other mistake.
    """
    expected = expected_outcomes(exercise, seed)
    missed = [not alike(exercise, a, b) for a, b in zip(expected, came, strict=True)]
    whole: list[Mistake] = []
    partly: list[tuple[int, Mistake]] = []
    for mistake in exercise.mistakes:
        outcomes = known_outcomes(exercise, mistake.answer, seed)
        same = [alike(exercise, a, b) for a, b in zip(outcomes, came, strict=True)]
        if all(same):
            whole.append(mistake)
        elif same[wrong] and not came[wrong].failure:
            partly.append((sum(a and b for a, b in zip(same, missed, strict=True)), mistake))
    if whole:
        return (whole[0], True) if len({mistake.says for mistake in whole}) == 1 else (None, False)
    most = max((number for number, _ in partly), default=0)
    best = [mistake for number, mistake in partly if number == most]
    return (best[0] if len(best) == 1 and 2 * most >= sum(missed) else None), False
