"""The second opinion says what is seen, and never why: held over every named mistake, taken out."""

import ast
import inspect
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from autograde.checking import observing
from autograde.checking.catalogue import catalogue
from autograde.checking.check import seed_of
from autograde.checking.exercise import Answer, Exercise
from autograde.checking.outcomes import alike, answer_outcomes
from tests.autograde.checking.taken_out import second_opinions

QUICK = (
    "relative_frequency",
    "softmax_cost",
    "noise_distribution",
    "shifted_pmi",
    "character_ngrams",
    "merge_words",
    "stream_rows",
    "perplexity",
    "spans_of",
    "without_boundaries",
)
every_exercise = pytest.mark.parametrize(
    "exercise",
    [
        pytest.param(
            exercise,
            id=name,
            marks=[]
            if name in QUICK
            else [pytest.mark.slow, pytest.mark.by_reach("second opinion", seconds=10)],
        )
        for name, exercise in catalogue().items()
    ],
)

CAUSE = re.compile(
    r"\b(look|loop|slice|range|mean where|because|should|forg[eo]t|missing step|step that|instead|"
    r"you (average|add|divide|multiply|take|sum|count|use|skip|cut|write|compute)|mend|try)\b|\?",
    re.IGNORECASE,
)
LEADS = (
    r"In the wrong cases?",
    r"Where your function returns something wrong",
    r"in .+?",
    r".+ (is|are) right, and .+ (is|are) not",
    r"of \d+ parts only .+ is wrong",
)
WHO = r"(every number of yours|your number|your result)"
PLACES = r"(diagonal|(first|last) (part|row)( along axis \d)?)"
RELATIONS = (
    rf"{WHO} is (?!only|the first|the last).+",  # the expected one, an amount, a number
    r"your numbers are the expected ones .+",
    r"each (row|column) of yours is the expected one (times a factor|plus a number) of its own\.",
    r"your result is (only the (beginning|end)|the (first|last) part) of the expected one .+",
    r"all the expected (numbers|parts) are there, (in another order|and others beside them.*)\.",
    r"the expected numbers stand one place too (late|early) along axis \d\.",
    r"your parts are the expected ones in reverse order\.",
    r"only the (first|last) part is missing\.",
    r"you return (the (first|last) part alone|a single number where many are expected)\.",
    r"you return (more|fewer) parts than expected\.",
    r"you return some parts more often than expected, such as .+",
    r"each part of yours is an expected one; some are missing, such as .+",
    r"the first two members of every part are exchanged\.",
    r"your list is empty\.",
    r"some of your texts are (empty|longer|shorter).+ expected .+",
    r"your result has (one axis|\d axes) (more|less) than expected\.",
    r"axis \d (is (longer|shorter|twice as long).*|has length \d.*)\.",
    rf"only the {PLACES} is off\.",
    r"only (places where .+|rows with(out)? padding) are off.*\.",
    r"full rows are right\.",
    r"your result is off exactly where .+ is expected\.",
    r"wherever your (result is off, it is|answer is off it says) .+",
    r"some numbers of yours are (nan|infinite|negative|above 1).*\.",
    r"that is what .+ gives?, .+",  # which sums are nan or infinite
    r"(the|each row of the) expected (numbers|result) (adds?|is) .+, and .+ (do|does|is|yours does)"
    r"( not)?\.",
    r"where the expected numbers rise, yours fall\.",
    r"your numbers rise where the expected ones rise, and their sizes are off\.",
    r"yours are off only where the (largest|smallest) numbers are expected\.",
    r"no number of yours is too (large|small), and some are too (large|small)\.",
    r".+ (is|are) what would be right (if|for) .+\.",
    r"your answer says .+, and there is no such answer\.",
    r"it is one of .+",
    r".+ (is|are) right, and .+ (is|are) not\.",
    r"of \d+ parts only .+ is wrong\.",
    r"your function never uses its argument `\w+`\.",
)


def strings_of(module: Any) -> list[str]:
    """The texts in a module's code; what docstrings say no learner reads."""
    tree = ast.parse(inspect.getsource(module))
    told = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in told
    ]


@pytest.mark.parametrize("name", [part.name for part in pkgutil.iter_modules(observing.__path__)])
def test_no_sentence_of_the_second_opinion_names_a_cause(name: str) -> None:
    module = import_module(f"{observing.__name__}.{name}")
    assert [text for text in strings_of(module) if CAUSE.search(text)] == []


def states_a_relation(sentence: str) -> bool:
    """Whether a sentence has a known form, behind what says the cases and parts it speaks of."""
    leads = "|".join(LEADS)
    pattern = rf"(({leads}): )*({'|'.join(RELATIONS)})"
    return re.fullmatch(pattern, sentence, re.IGNORECASE) is not None


def test_a_sentence_that_gives_advice_has_no_known_form() -> None:
    assert states_a_relation("In the wrong cases: every number of yours is 0.")
    for advice in ("Look at where your loop begins.", "You average the differences."):
        assert not states_a_relation(advice)
        assert not states_a_relation(f"In the wrong cases: {advice}")


@every_exercise
def test_a_mistake_without_a_name_is_told_what_is_seen(exercise: Exercise) -> None:
    assert set(sentences_of_no_known_form(exercise)) == set()
    assert list(mistakes_that_read_what_they_are_told_they_do_not(exercise)) == []


def sentences_of_no_known_form(exercise: Exercise) -> Iterator[str]:
    asked = tuple(f"Every other case is right. {case.asks}" for case in exercise.cases if case.asks)
    spoken = {mistake.says for mistake in exercise.mistakes}
    for _, report in second_opinions(exercise):
        said = report.observed.removeprefix("That is not all. ")
        if report.mistake or said.startswith((*asked, *spoken)):
            continue  # another mistake is named, or the exercise itself speaks
        if said.startswith("That is not all: the numbers are wrong, too."):
            continue
        sentences = re.split(r"(?<=\.) (?=[A-Z`])", said) if said else []
        yield from (sentence for sentence in sentences if not states_a_relation(sentence))


def mistakes_that_read_what_they_are_told_they_do_not(exercise: Exercise) -> Iterator[str]:
    """An argument that is said to be unused can be anything."""
    seed = seed_of(exercise.id)
    for mistake, report in second_opinions(exercise):
        unused = re.fullmatch(r"Your function never uses its argument `(\w+)`\.", report.observed)
        if unused is None:
            continue
        place = exercise.parameters().index(unused[1])
        before, after = (
            answer_outcomes(exercise, answer, seed)
            for answer in (mistake.answer, with_anything_at(place, mistake.answer))
        )
        if not all(alike(exercise, a, b) for a, b in zip(before, after, strict=True)):
            yield mistake.name


def with_anything_at(place: int, answer: Answer) -> Answer:
    """The answer, given an object of no use in place of one argument, wherever it is given."""

    def given(*arguments: Any, **named: Any) -> Any:
        bound = inspect.signature(answer).bind(*arguments, **named)
        name = list(bound.signature.parameters)[place]
        if name in bound.arguments:
            bound.arguments[name] = object()
        return answer(*bound.args, **bound.kwargs)

    return given
