"""What all wrong cases have in common is said, and nothing that does not hold in all of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograde.checking.catalogue import find
from autograde.checking.check import examine
from autograde.checking.exercise import Case, Mistake
from autograde.checking.observing.as_if import ARRAYS
from tests.autograde.checking.made_up import exercise

Answer = Callable[[np.ndarray], Any]


def drawn(*shape: int) -> Case:
    return Case(f"drawn {shape}", lambda rng: {"values": rng.standard_normal(shape)})


def observed(answer: Any, *cases: Case, **changes: Any) -> str:
    made = exercise(cases=cases or (drawn(5), drawn(7)), **changes)
    return examine(made, answer).observed


def table(answer: Answer) -> str:
    return observed(answer, drawn(4, 3), drawn(5, 3))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda v: -2 * v, "with its sign reversed"),
        (lambda v: 3 * v, "times 1.5"),
        (lambda v: 2 * v / 3, "divided by 3"),
        (lambda v: 2 * v / np.log(2), "times 1.4427, which is 1 / log(2)."),
        (lambda v: 2 * v + 1, "1 more than"),
        (lambda v: 1 - 2 * v, "1 minus the expected one"),
        (lambda v: np.exp(2 * v), "the exponential of"),
        (lambda v: 2 * v / len(v), "divided by the length of `values` along axis 0"),
        (lambda v: 2 * v / v.sum(), "times one factor"),
        (lambda v: (2 * v)[::-1], "in reverse order along axis 0"),
        (lambda v: np.sort(2 * v), "in another order"),
        (lambda v: np.append(0, 2 * v[:-1]), "one place too late"),
        (lambda v: np.append(2 * v[:-1], 9), "Only the last part is off"),
        (lambda v: np.append(9, 2 * v[1:]), "Only the first part is off"),
        (lambda v: (2 * v).sum(), "added up over axis 0"),
        (lambda v: 2 * v[:-2], "only the beginning"),
        (lambda v: np.where(v > 0, 2 * v, 7), "Wherever your result is off, it is 7"),
        (
            lambda v: np.full_like(v, 3),
            "Every number of yours is 3, though different ones are expected.",
        ),
        (lambda v: np.where(v > 0, 2 * v, np.nan), "it is nan"),
        (lambda v: np.tanh(2 * v), "rise where the expected ones rise"),
        (lambda v: np.zeros(5), "never uses its argument `values`"),
    ],
)
def test_a_relation_is_said(answer: Answer, says: str) -> None:
    assert says.lower() in observed(answer).lower()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda v: float(np.prod(2 * v)), "multiplied together to a single number"),
        (lambda v: float(np.mean(2 * v)) if len(v) else 0.0, "averaged to a single number"),
        (lambda v: float(np.max(2 * v, initial=-9)), "cut down to its largest to a single number"),
    ],
)
def test_a_part_without_numbers_does_not_hide_what_became_of_the_others(
    answer: Answer, says: str
) -> None:
    """NumPy refuses the largest of nothing, and warns of its mean: the report is the learner's."""
    report = examine(exercise(cases=(drawn(0), drawn(5), drawn(6))), answer)
    assert says in report.observed
    assert report.printed == ""


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda v: 2 * v * v.sum(1, keepdims=True), "Each row of yours"),
        (lambda v: 2 * v / v.sum(0), "Each column of yours"),
        (lambda v: (2 * v).T, "two axes swapped"),
        (lambda v: (2 * v).mean(1), "averaged over axis 1"),
        (lambda v: (2 * v)[:, 0], "first part of the expected one along axis 1"),
        (lambda v: np.ones((3, *v.shape)), "one axis more than expected"),
    ],
)
def test_a_relation_of_tables_is_said(answer: Answer, says: str) -> None:
    assert says in table(answer)


def test_a_relation_that_fails_in_one_wrong_case_is_not_said() -> None:
    noise = np.random.default_rng(1)
    assert observed(lambda v: -2 * v if len(v) == 5 else noise.random(len(v))) == ""
    assert observed(lambda v: noise.random(len(v))) == ""


def test_a_coarse_tolerance_allows_no_relation_of_numbers() -> None:
    assert "times 1.5" in observed(lambda v: 3 * v, rtol=1e-4)
    assert observed(lambda v: 3 * v, rtol=0.05, atol=0.05) == ""


def test_a_case_that_stops_is_left_out_and_that_is_said() -> None:
    def stops_on_seven(values: np.ndarray) -> np.ndarray:
        return -2 * values if len(values) < 7 else values[9:][0]

    says = observed(stops_on_seven, drawn(5), drawn(6), drawn(7))
    assert says.startswith("Where your function returns something wrong: every number of yours")


def test_a_single_number_is_no_relation() -> None:
    assert observed(lambda v: 3 * v, drawn(1)) == ""


def power(values: np.ndarray, exponent: int) -> np.ndarray:
    return values**exponent + exponent


def powers(*exponents: int) -> tuple[Case, ...]:
    return tuple(
        Case(str(n), lambda rng, n=n: {"values": rng.uniform(1, 2, 6), "exponent": n})  # type: ignore[misc]
        for n in exponents
    )


def test_an_answer_that_is_right_for_another_argument_is_told_so() -> None:
    made = {"reference": power, "mistakes": (), "right_answers": {}}
    says = observed(lambda v, n: v ** (n + 1) + n + 1, *powers(2, 3), **made)
    assert says == "Your result is what would be right if `exponent` were larger by 1."
    assert "`values` were squared" in observed(lambda v, n: v ** (2 * n) + n, *powers(2, 3), **made)


def test_an_amount_on_the_way_is_known_by_its_name() -> None:
    total = {"on_the_way": lambda inputs: {"the sum": inputs["values"].sum()}}
    assert "plus the sum" in observed(lambda v: 2 * v + v.sum(), **total)
    cases = (drawn(5), drawn(7))
    made = exercise(cases=cases, reference=lambda values: float(values.max()), **total)
    assert "Your number is the sum" in examine(made, lambda values: float(values.sum())).observed


def test_parts_that_are_missing_or_too_many_are_shown() -> None:
    made = {"reference": lambda values: [str(round(v, 3)) for v in values]}
    assert "some are missing" in observed(
        lambda v: [str(round(x, 3)) for x in np.delete(v, 2)], **made
    )
    assert "others beside them" in observed(
        lambda v: [*(str(round(x, 3)) for x in v), "0.123", "0.246"], **made
    )
    assert "in reverse order" in observed(lambda v: [str(round(x, 3)) for x in v][::-1], **made)


def test_what_a_corner_asks_is_said_when_all_else_is_right() -> None:
    def one_for_nothing(tokens: list[str], word: str) -> float:
        return tokens.count(word) / len(tokens) if tokens else 1.0

    report = examine(find("relative_frequency"), one_for_nothing)
    assert "Every other case is right. This text has no tokens." in report.advice


def test_a_mistake_in_all_wrong_cases_is_said_to_be_one() -> None:
    report = examine(exercise(cases=(drawn(5), drawn(7))), lambda v: v**2 if len(v) == 5 else 2 * v)
    assert report.mistake is not None
    assert not report.certain
    assert "In each wrong case your result is the one that this mistake gives." in report.advice
    assert "it may be another one that looks alike there" in report.advice


def test_sizes_can_be_too_small_throughout() -> None:
    sizes = {"reference": lambda v: np.abs(v), "mistakes": ()}
    said = observed(lambda v: np.abs(v) * (1 - 0.1 * np.arange(len(v))), **sizes)
    assert said == "No number of yours is too large, and some are too small."


def test_a_number_that_comes_as_an_array_can_be_changed() -> None:
    assert [made(np.array(0.5)).shape for made in ARRAYS] == [()] * len(ARRAYS)


def test_a_named_mistake_needs_no_observation() -> None:
    made = exercise(mistakes=(Mistake("turned", lambda values: -2 * values, "You turn it."),))
    assert examine(made, lambda values: -2 * values).observed == ""


SIZES = ("a small dog", "a large dog")


def label(values: np.ndarray) -> str:
    return SIZES[len(values) > 6]


def test_labels_are_no_texts_to_be_cut() -> None:
    made = {"reference": label, "mistakes": (), "right_answers": {}}
    cases = (drawn(5), drawn(7), drawn(4), drawn(9))
    says = observed(lambda v: label(v).removeprefix("a "), *cases, **made)
    assert says == (
        "Your answer says 'small dog', and there is no such answer. It is one of 'a large dog' and "
        "'a small dog'."
    )
    assert observed(lambda v: SIZES[len(v) < 6], *cases, **made) == ""


def with_gradient(values: np.ndarray) -> dict[str, np.ndarray]:
    return {"the result": 2 * values, "the gradient reaches": np.abs(values)}


def test_gradients_are_spoken_of_only_when_the_result_is_right() -> None:
    noise = np.random.default_rng(1)
    made = {"reference": with_gradient, "mistakes": (), "right_answers": {}}

    def all_wrong(v: np.ndarray) -> dict[str, np.ndarray]:
        return {"the result": noise.standard_normal(len(v)), "the gradient reaches": -np.abs(v)}

    assert observed(all_wrong, **made) == ""
    says = observed(lambda v: with_gradient(v) | {"the gradient reaches": -np.abs(v)}, **made)
    assert says.startswith("The result is right, and its gradient is not: every number of yours is")
    drawn_anew = {5: noise.random(5), 7: noise.random(7)}
    off = observed(
        lambda v: with_gradient(v) | {"the gradient reaches": drawn_anew[len(v)]}, **made
    )
    assert off == "The result is right, and its gradient is not."


def test_no_part_is_the_only_wrong_one_where_a_gradient_is_wrong_beside_a_right_result() -> None:
    def counted(v: np.ndarray) -> dict[str, Any]:
        return with_gradient(v) | {"the calls": np.arange(4)}

    def both(v: np.ndarray) -> dict[str, Any]:
        calls = np.arange(4) + 1 if len(v) == 5 else np.arange(4)
        return with_gradient(v) | {"the gradient reaches": 0 * v, "the calls": calls}

    says = observed(both, reference=counted, mistakes=(), right_answers={})
    assert says.startswith("In `the gradient reaches`: ")
    assert "Only" not in says


def test_a_clamp_on_one_side_is_no_power() -> None:
    many = drawn(30), drawn(40)
    off = "Yours are off only where the {} numbers are expected."
    assert off.format("largest") in observed(lambda v: np.where(v > 1, 2 * v + v / 9, 2 * v), *many)
    assert off.format("smallest") in observed(lambda v: np.where(v < -1, v, 2 * v), *many)
    assert "their sizes are off" in observed(lambda v: np.tanh(2 * v), *many)


def test_numbers_that_are_all_alike_have_no_property_to_lose() -> None:
    made = {"reference": lambda values: 0 * values[:1], "mistakes": (), "right_answers": {}}
    noise = np.random.default_rng(1)
    assert "above 1" not in observed(lambda v: 1 + noise.random(v[:1].shape), **made)


def test_a_single_wrong_case_is_not_each_wrong_case() -> None:
    says = observed(lambda v: np.full_like(v, 3) if len(v) == 7 else 2 * v)
    assert says == (
        "In the wrong case: every number of yours is 3, though different ones are expected."
    )


def test_wrong_cases_are_spoken_of_where_another_is_right() -> None:
    cases = drawn(5), drawn(6), drawn(7)
    says = observed(lambda v: 2 * v if len(v) == 7 else np.full_like(v, 3), *cases)
    assert says == (
        "In the wrong cases: every number of yours is 3, though different ones are expected."
    )


def ids(values: np.ndarray) -> tuple[int, ...]:
    return tuple(1 + round(100 * value) for value in values)


def test_nothing_is_said_of_the_size_of_one_code() -> None:
    def one_is_larger(values: np.ndarray) -> tuple[int, ...]:
        return (*ids(values)[:2], ids(values)[2] + 64, *ids(values)[3:])

    made = {"reference": ids, "mistakes": (), "right_answers": {}}
    assert "64 more than" in observed(one_is_larger, **made)
    assert observed(one_is_larger, **made, codes=True) == ""


def test_codes_can_all_be_shifted_or_stand_in_another_place() -> None:
    made = {"reference": ids, "mistakes": (), "right_answers": {}, "codes": True}
    assert "1 more than" in observed(lambda v: tuple(code + 1 for code in ids(v)), **made)
    assert "reverse order" in observed(lambda v: ids(v)[::-1], **made)
    assert "last part is off" in observed(lambda v: (*ids(v)[:-1], 999), **made)


def test_a_gradient_that_is_wrong_with_its_result_is_not_called_right() -> None:
    def both(answer: Answer, inputs: dict[str, np.ndarray]) -> dict[str, Any]:
        values = inputs["values"]
        rest = {"beside": np.zeros(3), "gradient": np.arange(len(values)) + answer(values)[0]}
        return {"result": answer(values)} | rest

    def without_gradient(answer: Answer, inputs: dict[str, np.ndarray]) -> dict[str, Any]:
        return {"result": answer(inputs["values"]), "beside": np.zeros(3)}

    def strange(values: np.ndarray) -> np.ndarray:
        return np.sin(values * np.arange(len(values)) + 1)

    assert observed(strange, run=without_gradient) == "`beside` is right, and `result` is not."
    assert observed(strange, run=both) == "`beside` is right, and `result` is not."


def test_exchanged_axes_are_no_missing_parts() -> None:
    assert "too few" not in table(lambda v: np.stack([2 * v, 3 * v]).max(0).T)


def test_as_if_for_another_argument_must_hold_where_the_answer_is_right_as_well() -> None:
    made = {"reference": power, "mistakes": (), "right_answers": {}}

    def one_too_many_below_4(values: np.ndarray, exponent: int) -> np.ndarray:
        return power(values, exponent + (exponent < 4))

    assert "larger by 1" in observed(one_too_many_below_4, *powers(2, 3), **made)
    assert "larger by 1" not in observed(one_too_many_below_4, *powers(2, 3, 4), **made)


def noisy(values: np.ndarray) -> np.ndarray:
    return np.arange(len(values)) * 1.0 + 1e-15 * values


@pytest.mark.parametrize("noise", [-1e-15, 1e-15])
def test_no_observation_hangs_on_rounding(noise: float) -> None:
    made = {"reference": noisy, "mistakes": (), "right_answers": {}}
    places = {n: np.arange(n) for n in (8, 9)}
    rng = np.random.default_rng(2)
    off = {n: rng.uniform(1, 2, n) * (places[n] > 3) for n in places}
    cases = drawn(8), drawn(9)
    says = observed(lambda v: noisy(v) + off[len(v)] + noise * (places[len(v)] < 4), *cases, **made)
    assert says == "No number of yours is too small, and some are too large."
    says = observed(lambda v: np.where(places[len(v)] > 3, noise, noisy(v)), *cases, **made)
    assert says == "Wherever your result is off, it is about 0."
    says = observed(lambda v: np.full(len(v), 3 + noise * v), *cases, **made)
    assert says == "Every number of yours is 3, though different ones are expected."
    says = observed(lambda v: np.square(noisy(v)) + noise - 3, *cases, **made)
    assert "negative" in says
    says = observed(lambda v: np.square(noisy(v) + noise) + noise, *cases, **made)
    assert "negative" not in says


def best_places(values: np.ndarray, table: np.ndarray) -> list[str]:
    scores = table @ values
    return [f"best {scores.argmax()}", f"worst {scores.argmin()}", f"{values.sum():.2f} in all"]


def test_a_choice_among_equals_is_no_relation() -> None:
    cases = tuple(
        Case(
            str(n),
            lambda rng, n=n: {"values": rng.standard_normal(n), "table": rng.random((50, n))},  # type: ignore[misc]
        )
        for n in (4, 5)
    )

    def first_of_the_table(values: np.ndarray, table: np.ndarray) -> list[str]:
        return best_places(values, np.ones_like(table))

    made = {"reference": best_places, "mistakes": (), "right_answers": {}}
    assert "everywhere" not in observed(first_of_the_table, *cases, **made)


def test_squeezing_a_batch_of_one_is_no_sum() -> None:
    """Adding up an axis of length 1 gives the same numbers, and says something else."""
    said = observed(lambda v: (2 * v).squeeze(), drawn(1, 3), drawn(1, 4), drawn(2, 3))
    assert "an axis of length 1 is gone" in said, said
    assert "added up" not in said


def test_two_texts_that_differ_are_no_lists_of_longer_or_fewer_parts() -> None:
    made = exercise(
        cases=(drawn(5), drawn(7)),
        run=lambda answer, inputs: {"a part": answer(**inputs)},
        reference=lambda values: "as it was",
        mistakes=(),
        right_answers={},
    )
    said = examine(made, lambda values: "something else").observed
    assert "fewer" not in said, said
    assert "longer" not in said, said


def test_an_infinity_is_not_explained_where_infinity_may_be_right() -> None:
    def first_above(level: float) -> Any:
        return lambda values: next((v for v in values.tolist() if v > level), float("inf"))

    cases = [
        Case("from 1", lambda rng: {"values": np.arange(1.0, 7.0)}),
        Case("from 1.5", lambda rng: {"values": np.arange(1.5, 8.0)}),
    ]
    never = Case("never", lambda rng: {"values": np.arange(2.0)})
    explained = observed(first_above(9.0), *cases, reference=first_above(4.0))
    assert "the logarithm of 0" in explained
    assert observed(first_above(9.0), *cases, never, reference=first_above(4.0)) == ""
