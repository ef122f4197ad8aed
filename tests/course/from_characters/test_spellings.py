"""Slips that are made by chance."""

from course.from_characters.edit_distance import edit_distances
from course.from_characters.experiments import known_words
from course.from_characters.spellings import MADE, made_slips


def test_a_made_slip_is_one_slip_away_and_no_word() -> None:
    known = known_words()
    pairs = made_slips(known)
    assert len(pairs) == 4 * MADE
    assert pairs == made_slips(known)
    for kind, distance in enumerate((2, 1, 1, 1)):
        some = pairs[kind * MADE : (kind + 1) * MADE]
        assert len({word for _, word in some}) == MADE
        assert {int(edit_distances([slip], [word])[0, 0]) for slip, word in some} == {distance}
    assert not {slip for slip, _ in pairs} & set(known)
    assert all(slip[0] == word[0] for slip, word in pairs)
