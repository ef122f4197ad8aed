"""What all wrong cases of an answer have in common, said as an observation.

No list of mistakes is complete. But that every number has the wrong sign, or that only the last row
is off, can be seen in any exercise, and it says where to look. An observation is made only if it
holds in every case that is wrong and gave a result, and on enough numbers to be no accident.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any, TypeVar

import numpy as np

from autograde.checking.case_inputs import case_inputs
from autograde.checking.exercise import Answer, Exercise, Inputs
from autograde.checking.judge import NUMBER
from autograde.checking.observing.as_if import as_if
from autograde.checking.observing.labels import labels, no_such_label
from autograde.checking.observing.pairs import GRADIENT, Pair, is_or_are, listed
from autograde.checking.observing.parts import leaves
from autograde.checking.observing.places import where_it_is_wrong
from autograde.checking.observing.relations import relation
from autograde.checking.observing.sequences import relation_of_lists, what_is_left
from autograde.checking.observing.trends import (
    INFINITE,
    beyond_a_bound,
    one_sided,
    property_lost,
    trend,
)
from autograde.checking.observing.unread import unread_argument
from autograde.checking.outcomes import Outcome, alike

MOST_NAMED = 3
FINE = 1e-3  # where the tolerance is coarser, many a relation of numbers would hold by accident
T = TypeVar("T")


def observation(
    exercise: Exercise,
    answer: Answer,
    expected: tuple[Outcome, ...],
    came: tuple[Outcome, ...],
    seed: int,
) -> str:
    """One or two sentences for the learner, or none; the more telling ones are tried first."""
    wrong = [
        index
        for index, (right, mine) in enumerate(zip(expected, came, strict=True))
        if not alike(exercise, right, mine)
    ]
    ran = [index for index in wrong if not came[index].failure]
    if not ran or came[wrong[0]].failure:
        return ""
    cases = range(len(exercise.cases))
    inputs = [case_inputs(exercise, index, seed) for index in cases]
    views = [(inputs[i], expected[i].view, came[i].view) for i in ran]
    ignored = unread_argument(exercise, answer)
    if ignored:
        return ignored
    said = labels([outcome.view for outcome in expected])
    if said and (none_such := no_such_label(said, [came[i].view for i in ran])):
        return none_such
    returned = [index for index in cases if not came[index].failure]
    every_result = _picked(returned, inputs), _picked(returned, expected), _picked(returned, came)

    def of_parts(*, weak: bool) -> str:
        found = "" if said else _of_parts(exercise, views, weak=weak)
        where = _where(len(ran), len(returned), len(wrong))
        return _after(where, found) if where and found else found

    found = (
        of_parts(weak=False)
        or as_if(exercise, *every_result, _texts(inputs))
        or of_parts(weak=True)
    )
    if INFINITE in found and any(_holds_infinity(outcome.view) for outcome in expected):
        found = ""  # it may be one that the learner returns on purpose
    return found or _what_the_cases_ask(exercise, wrong)


def _holds_infinity(view: Any) -> bool:
    numbers = (part for _, part, _ in leaves("", view, view) if isinstance(part, NUMBER))
    return any(bool(np.isinf(part).any()) for part in numbers)


def _picked(places: list[int], values: Sequence[T]) -> list[T]:
    return [values[place] for place in places]


def _where(ran: int, returned: int, wrong: int) -> str:
    """The cases that an observation speaks of, where these are not all."""
    if ran < wrong:
        return "Where your function returns something wrong"
    if ran == returned:
        return ""
    return "In the wrong case" if ran == 1 else "In the wrong cases"


def _after(lead: str, found: str) -> str:
    return f"{lead}: {found[0].lower()}{found[1:]}"


def _texts(inputs: list[Inputs]) -> dict[str, set[str]]:
    texts: defaultdict[str, set[str]] = defaultdict(set)
    for case in inputs:
        for name, value in case.items():
            if isinstance(value, str):
                texts[name].add(value)
    return texts


def _what_the_cases_ask(exercise: Exercise, wrong: list[int]) -> str:
    """What the wrong cases ask, where these are one or two corners, and all else is right."""
    asked = dict.fromkeys(exercise.cases[index].asks for index in wrong)
    if "" in asked or len(asked) > 2 or len(wrong) == len(exercise.cases):
        return ""
    return f"Every other case is right. {' '.join(asked)}"


def _of_parts(exercise: Exercise, views: list[tuple[Inputs, Any, Any]], *, weak: bool) -> str:
    """An observation of all that is wrong, or of one part in all cases where it is wrong."""
    wrong: dict[str, list[Pair]] = {}
    names: dict[str, None] = {}
    gradients_alone = False  # wrong where the result is right
    for inputs, right_view, mine_view in views:
        amounts = dict(exercise.on_the_way(inputs))
        arguments = {name: inputs[name] for name in exercise.parameters() if name in inputs}
        here = set()
        both = _lists_of_codes(right_view, mine_view) if exercise.codes else (right_view, mine_view)
        for name, right, mine in leaves("", *both):
            names[name] = None
            near = exercise.rtol, exercise.atol
            pair = Pair(arguments, right, mine, *near, amounts, exercise.codes)
            if not pair.alike:
                here.add(name)
                wrong.setdefault(name, []).append(pair)
        gradients_alone |= bool(here) and all(GRADIENT in name for name in here)
    if not wrong:
        return ""
    results = [name for name in names if GRADIENT not in name]
    lead, state = "", _state(wrong, names)
    if results and not set(results) & set(wrong):
        gradients = len(names) - len(results)
        learnt = (
            "its gradient is" if len(wrong) == gradients else _named_or_counted(wrong, gradients)
        )
        lead, state = f"The result is right, and {learnt} not", ""
    elif results and not gradients_alone:  # what is learnt from a wrong result is wrong
        wrong = {name: pairs for name, pairs in wrong.items() if name in results}
        names, state = dict.fromkeys(results), _state(wrong, results)
    parts = len(wrong) if lead else len(names)
    found = _said_of(wrong, parts, weak=weak, state=state)
    if lead and (found or weak):
        return _after(lead, found) if found else f"{lead}."
    return found


def _named_or_counted(wrong: Collection[str], of: int) -> str:
    if len(wrong) > MOST_NAMED:
        return f"{len(wrong)} of its {of} gradients are"
    return f"{listed(wrong)} {is_or_are(wrong)}"


def _state(wrong: Collection[str], names: Collection[str]) -> str:
    """Which part is wrong, and which are right, where that is one of several."""
    right = [name for name in names if name not in wrong]
    if len(wrong) != 1 or not right:
        return ""
    (part,) = wrong
    if len(right) > MOST_NAMED:
        return f"Of {len(names)} parts only {part} is wrong"
    return f"{listed(right)} {is_or_are(right)} right, and {part} is not"


def _lists_of_codes(right: Any, mine: Any) -> tuple[Any, Any]:
    """A row of codes is one thing, not a thing of many parts."""
    whole = [list(value) if isinstance(value, tuple) else value for value in (right, mine)]
    return whole[0], whole[1]


def _said_of(wrong: dict[str, list[Pair]], parts: int, *, weak: bool, state: str) -> str:
    """What is said of all that is wrong, or of one part; ``state`` says which part that is."""
    found = _one_text_too_often(wrong) if weak else ""
    if not found and (parts == 1 or len(wrong) > 1):
        found = _of_pairs([pair for part in wrong.values() for pair in part], weak=weak)
    if found:
        return found
    for name, pairs in wrong.items():
        found = _of_pairs(pairs, weak=weak) if parts > 1 else ""
        if found:
            return _after(state or f"In {name}", found)
    return f"{state}." if weak and state else ""


def _one_text_too_often(wrong: dict[str, list[Pair]]) -> str:
    """The same text at every wrong place, where a text is expected at many."""
    pairs = [pair for found in wrong.values() for pair in found]
    said = {pair.mine for pair in pairs if isinstance(pair.mine, str)}
    if len(wrong) < 2 or len(said) != 1 or not all(isinstance(p.mine, str) for p in pairs):
        return ""
    return f"Wherever your answer is off it says {next(iter(said))!r}, as for {next(iter(wrong))}."


def _of_pairs(pairs: list[Pair], *, weak: bool) -> str:
    coarse = any(max(pair.rtol, pair.atol) > FINE for pair in pairs)
    if not weak:
        return ("" if coarse else relation(pairs)) or relation_of_lists(pairs)
    found = where_it_is_wrong(pairs) or what_is_left(pairs)
    both = [pair.arrays for pair in pairs if pair.arrays is not None]
    if found or coarse or pairs[0].codes or len(both) < len(pairs):
        return found
    if any(right.shape != mine.shape for right, mine in both):
        return found
    with np.errstate(all="ignore"):
        return (
            property_lost(both)
            or beyond_a_bound(pairs, both)
            or trend(pairs, both)
            or one_sided(pairs, both)
        )
