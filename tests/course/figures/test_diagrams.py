"""Diagrams: every part and every arrow is also said in words."""

import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

from course.figures.diagrams import FROM_A_LANGUAGE_MODEL as LM
from course.figures.diagrams import Arrow, Box, boxes_and_arrows
from course.figures.legibility import unreadable

BOXES = (
    Box("word", 0, 0),
    Box("layer 1", 0, 1, "pretrained"),
    Box("layer 2", 0, 2, "at random"),
    Box("softmax", 0, 3, "pretrained"),
)
ARROWS = (
    Arrow("word", "layer 1"),
    Arrow("layer 1", "layer 2"),
    Arrow("layer 2", "softmax"),
    Arrow("layer 1", "softmax", bend=0.5, kind="residual"),
)


def test_the_description_names_every_part_and_every_arrow() -> None:
    said = boxes_and_arrows(BOXES, ARROWS, title="A small network").description
    assert said == (
        "Diagram, A small network. pretrained: layer 1, softmax. at random: layer 2. "
        "Arrows: word to layer 1; layer 1 to layer 2; layer 2 to softmax; "
        "layer 1 to softmax (residual)."
    )


def test_it_draws() -> None:
    picture = boxes_and_arrows(BOXES, ARROWS, title="A small network")
    assert unreadable(picture.figure) == []
    assert all(f">{name}</text>" in picture.svg() for name in ("word", "layer 1", "pretrained"))


def test_what_comes_from_a_language_model_has_a_colour_of_its_own() -> None:
    looks = []
    for kinds in (["a", LM, "b"], [f"{LM}, frozen", "a", "b"], ["a", "b"]):
        boxes = [Box(kind, place, 0, kind) for place, kind in enumerate(kinds)]
        (axes,) = boxes_and_arrows(boxes, [], title="x").figure.axes
        frames = [to_hex(patch.get_edgecolor()) for patch in axes.patches]
        looks.append(dict(zip((kind[:4] for kind in kinds), frames, strict=True)))
    first, second, third = looks
    assert first == second
    assert third == {kind: first[kind] for kind in "ab"}


def test_an_arrow_to_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="'layer 3'"):
        boxes_and_arrows(BOXES, [Arrow("word", "layer 3")], title="x")


def test_two_boxes_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="same name"):
        boxes_and_arrows([Box("a", 0, 0), Box("a", 1, 0)], [], title="x")


def test_an_arrow_over_a_row_passes_above_its_boxes() -> None:
    row = [Box(name, place, 0, "part") for place, name in enumerate("abc")]
    arrow = Arrow("a", "c", kind="past it", over=0.6)
    (axes,) = boxes_and_arrows(row, [arrow], title="x").figure.axes
    (drawn,) = (patch for patch in axes.patches if isinstance(patch, FancyArrowPatch))
    high = drawn.get_path().vertices[1:-1, 1]
    assert high.max() == pytest.approx(0.6)
    assert axes.get_ylim()[1] > 0.6
