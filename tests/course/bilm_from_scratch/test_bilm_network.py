"""The network of the biLM says in words who hears from whom."""

from course.bilm_from_scratch.bilm_network import bilm_network


def test_no_reader_hears_from_the_other_and_a_layer_is_added_to_the_next() -> None:
    said = bilm_network(["<S>", "dogs", "</S>"]).description
    arrows = dict(part.split(" to ", 1) for part in said.split("Arrows: ")[1].split("; "))
    assert arrows["x of dogs"] == (
        "forward reader layer 1 of dogs and backward reader layer 1 of dogs"
    )
    assert arrows["backward reader layer 1 of dogs"] == (
        "backward reader layer 2 of dogs and backward reader sum of dogs "
        "and backward reader layer 1 of <S>"
    )
    for start, ends in arrows.items():
        if not start.startswith("x of"):
            assert ("forward" in start) is ("forward" in ends) is not ("backward" in ends)
