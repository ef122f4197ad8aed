"""Figures take the theme of their page, whatever the reader's system has."""

import io

import pytest
from PIL import Image
from playwright.sync_api import Browser

from autograde.grading.clean_html import clean_html
from course.figures import plots
from course.figures.palette import GROUND, on_dark

LIGHT_PAGE, DARK_PAGE = "<body>", '<body data-jp-theme-light="false">'
# As JupyterLab shows an untrusted notebook: without style sheets and this property.
UNTRUSTED = "<body style='color-scheme:dark'>"


@pytest.mark.parametrize("system", ["light", "dark"])
def test_a_figure_takes_the_theme_of_its_page(browser: Browser, system: str) -> None:
    picture = plots.road("01")._repr_mimebundle_()[0]["text/html"]
    plain = picture[picture.index("<img") :].replace(";color-scheme:light", "")
    expected = {
        LIGHT_PAGE + picture: GROUND,
        DARK_PAGE + picture: on_dark(GROUND),
        LIGHT_PAGE + clean_html(picture): GROUND,
        UNTRUSTED + plain: on_dark(GROUND),
    }
    context = browser.new_context(color_scheme=system)
    page = context.new_page()
    for content, ground in expected.items():
        page.set_content(content)
        page.wait_for_function("document.querySelector('img').complete")
        seen = Image.open(io.BytesIO(page.locator("img").screenshot())).convert("RGB")
        assert "#{:02x}{:02x}{:02x}".format(*seen.getpixel((20, 20))) == ground, content[:60]
    context.close()
