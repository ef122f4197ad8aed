"""Slips are read, made from a right answer, and refused with the line that is wrong."""

from collections.abc import Sequence

import pytest

from autograde.checking.slips import NotASlip, slips


def halved(value: float) -> float:
    return value / 2


def mean(
    values: Sequence[float],
    start: float = 0.0,
) -> float:
    """The mean: total / count."""
    total = start  # total / count is what is wanted
    for value in values:
        total = total + value
    return halved(2 * total) / len(
        values,
    )


class Scale:
    """Multiplies."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def __call__(self, value: float) -> float:
        """The product."""
        return self.factor * value


def test_a_slip_is_the_answer_with_its_edit() -> None:
    (slip,) = slips(mean, "the sum: / len(values) ->\n    Divide by the number\n    of values.")
    assert (slip.name, slip.says, slip.hint) == ("the sum", "Divide by the number of values.", None)
    assert slip.answer([1.0, 2.0, 6.0]) == 9
    assert slip.answer is slip.answer
    assert mean([1.0, 2.0, 6.0]) == 3


def test_spaces_line_breaks_docstrings_and_comments_do_not_count() -> None:
    (slip,) = slips(mean, "one too many: /len( values ) -> / (len(values) + 1)\n    One too many.")
    assert slip.answer([1.0, 2.0, 6.0]) == 9 / 4


def test_edits_join_and_change_every_place_where_that_is_said() -> None:
    joined, every = slips(
        mean,
        """
two edits: total + value -> total - value && start: float = 0.0 -> start: float = 9.0
    Two.
renamed: every total -> summed
    Renamed.
""",
    )
    assert joined.answer([1.0, 2.0, 6.0]) == 0
    assert every.answer([1.0, 2.0, 6.0]) == 3


def test_a_new_line_of_code_stands_as_far_in_as_the_one_it_begins_in() -> None:
    (slip,) = slips(mean, "stops: total = total + value -> total += value⏎break\n    It stops.")
    assert slip.answer([4.0, 2.0]) == 2


def test_values_make_one_slip_each() -> None:
    made = slips(
        mean,
        """
--- hint 2
{n} too many: len(values) -> (len(values) + {n}) | n = 1, 3
    You divide by {n} too many.
--- no hint
plus {name}: start: float = 0.0 -> start: float = {x} | name x = one 1.0, five 5.0
    You begin with {name}.
""",
    )
    assert [slip.name for slip in made] == ["1 too many", "3 too many", "plus one", "plus five"]
    assert [slip.hint for slip in made] == [2, 2, None, None]
    assert made[1].says == "You divide by 3 too many."
    assert [slip.answer([3.0, 3.0, 3.0]) for slip in made] == [9 / 4, 9 / 6, 10 / 3, 14 / 3]


def test_names_share_the_sentence_below_them() -> None:
    made = slips(
        mean,
        "a: value -> 0\nb: total + value -> total\n    None is added.".replace(
            "value -> 0", "+ value -> + 0"
        ),
    )
    assert {slip.says for slip in made} == {"None is added."}


def test_what_the_answer_calls_is_edited_with_it() -> None:
    (slip,) = slips(mean, "not halved: value / 2 -> value\n    Halve it.", halved)
    assert slip.answer([1.0, 2.0, 6.0]) == 6


def test_a_class_is_made_anew() -> None:
    (slip,) = slips(Scale, "the sum: self.factor * value -> self.factor + value\n    A product.")
    assert slip.answer(3.0)(4.0) == 7
    assert Scale(3.0)(4.0) == 12


def test_two_slips_stand_beside_each_other_unless_they_meet() -> None:
    total, count, other = slips(
        mean,
        """
minus: total + value -> total - value
    A.
count: len(values) -> 2
    B.
instead: + value -> + 1
    C.
""",
    )
    both = total.beside(count)
    assert both is not None
    assert both([1.0, 2.0, 3.0]) == -3
    assert total.beside(other) is None
    (elsewhere,) = slips(halved, "a: value / 2 -> value\n    A.")
    assert total.beside(elsewhere) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: total / 3 -> 1\n    A.", "`total / 3` stands 0 times"),
        ("a: value -> 1\n    A.", r"`value` stands 2 times"),
        ("a: + value -> + (\n    A.", "no Python"),
        ("a: total + value -> 1 && + value -> 2\n    A.", "change the same place"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused_by_name(text: str, said: str) -> None:
    (slip,) = slips(mean, text)
    with pytest.raises(NotASlip, match=rf'the slip "a": .*({said})'):
        _ = slip.answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: x -> y\n", "'a' has no sentence"),
        ("    A sentence.\n", "'A sentence.' has no slip"),
        ("a x -> y\n    A.", "should read"),
        ("a: x to y\n    A.", "should read"),
        ("a: x -> y -> z\n    A.", "should read"),
        ("--- hint 4\na: x -> y\n    A.", "hint 1"),
        ("a: x -> y\n    A.\na: x -> z\n    B.", "two slips are called 'a'"),
        ("a {n}: x -> y | n m = 1\n    A.", "sets 2 words"),
        ("a: x -> y\n--- hint 1\nb: x -> z\n    B.", "'a' has no sentence"),
    ],
)
def test_a_line_that_cannot_be_read_is_refused(text: str, said: str) -> None:
    with pytest.raises(NotASlip, match=said):
        slips(mean, text)
