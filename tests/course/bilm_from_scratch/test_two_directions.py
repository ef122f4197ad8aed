"""The two readers say what each has read and expects; a slider goes through them."""

import pytest

from course.bilm_from_scratch.two_directions import step_through, two_readers
from course.figures.legibility import unreadable
from course.figures.picture import Picture

WORDS = ["<S>", "dogs", "bark", "</S>"]


def step(number: int) -> Picture:
    bets = [("bark", 0.25), ("run", 0.1)]
    return two_readers(WORDS, number, bets if number < 4 else (), bets[:1], title="T")


def test_each_reader_says_what_it_has_read_and_expects() -> None:
    said = step(2).description
    assert (
        "The forward reader has read: <S> dogs. It is asked for 'bark' and says "
        "'bark' 25%, 'run' 10%." in said
    )
    assert (
        "The backward reader has read: bark </S>. It is asked for 'dogs' and says 'bark' 25%."
        in said
    )
    assert unreadable(step(2).figure) == []


def test_at_the_end_everything_has_been_read() -> None:
    assert step(4).description.count("has read everything") == 2


@pytest.mark.parametrize("number", [0, 5])
def test_a_step_that_is_not_there_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="the steps 1 to 4"):
        step(number)


def test_stepping_through_asks_each_reader_for_its_own_part() -> None:
    asked: list[tuple[list[str], str]] = []

    def bets(part: list[str], direction: str) -> list[tuple[str, float]]:
        asked.append((part, direction))
        return [("x", 0.5)]

    stepper = step_through(WORDS, bets)  # type: ignore[arg-type]
    assert asked == [(["<S>", "dogs"], "forward"), (["bark", "</S>"], "backward")]
    assert "has read everything" in stepper.draw(4).description
