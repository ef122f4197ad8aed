"""The pictures' SVG: the same bytes each time, small, text as text, two themes, nothing changed."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np

from course.figures import plots
from course.figures.palette import COLOURS, DARK, INK


def chart() -> plots.Picture:
    return plots.bars(
        ["one", "two"],
        {"gensim, 0.025": [0.7971, 2.0], "ours": [1.0, 2.0], "c": [1.0, 2.0], "d": [1.0, 2.0]},
        title="Share < all",
        ylabel="share",
    )


def test_two_drawings_have_the_same_bytes() -> None:
    assert chart().svg() == chart().svg()


def test_it_is_small_well_formed_and_keeps_its_words_and_numbers() -> None:
    svg = chart().svg()
    assert len(svg) < 14_000
    said = {text.text for text in ElementTree.fromstring(svg).iter() if text.tag.endswith("text")}
    assert {"one", "two", "gensim, 0.025", "0.797", "Share < all", "share"} <= said


def test_every_colour_of_the_palette_has_another_value_in_the_dark() -> None:
    svg = chart().svg()
    light, dark = re.findall(r":root\{(.*?)\}", svg)
    assert f"--{INK[1:]}:{INK}" in light.split(";")
    assert f"--{INK[1:]}:{DARK[INK]}" in dark.split(";")
    assert f"--{COLOURS[0][1:]}:{DARK[COLOURS[0]]}" in dark.split(";")
    outside = svg.replace(light, "").replace(dark, "")
    assert not re.search(r"(fill|stroke)[=:]\"?#", outside)


def test_the_readers_own_font_is_asked_for() -> None:
    fonts = set(re.findall(r"font(?:-family)?:([^;}]*)", chart().svg()))
    assert fonts
    assert all(font.endswith("sans-serif") and "DejaVu" not in font for font in fonts)


def test_a_large_cloud_is_drawn_in_pixels_and_its_words_are_not() -> None:
    many = np.random.default_rng(0).normal(size=(2, 2_000))
    cloud = plots.scatter({"many": (many[0], many[1])}, title="T", xlabel="x", ylabel="y").svg()
    assert len(cloud) < 60_000
    assert "data:image/png;base64," in cloud
    assert ">x</text>" in cloud
