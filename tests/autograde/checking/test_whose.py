"""Who wrote the parts of an ELMo is said only as far as it is true."""

import pytest

from autograde.checking.catalogue import find
from autograde.checking.whose import whose

COURSE = {name: find(name).reference for name in ("scalar_mix", "embed", "find_fault")}


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ([], "None of its 3 parts is yours yet: the course's stand in."),
        (["embed"], "1 of its 3 parts is yours. The course's: scalar_mix, find_fault."),
        (["scalar_mix", "embed"], "2 of its 3 parts are yours. The course's: find_fault."),
        (COURSE, "All its 3 parts are yours."),
    ],
)
def test_it_counts_the_parts_that_are_not_the_courses(own: list[str], said: str) -> None:
    assert whose(**(COURSE | {name: lambda: None for name in own})) == said


def test_a_part_that_is_no_exercise_is_refused() -> None:
    with pytest.raises(KeyError, match="there is no exercise 'mixer'"):
        whose(mixer=print)
