"""Print decks to PDF, a page a slide, with the Chromium that is on the machine."""

import shutil
from pathlib import Path

from playwright.sync_api import Error, sync_playwright

from autograde.marking.course_folder import Refused

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")


def print_decks(pages: list[Path]) -> None:
    """Write a PDF beside each page."""
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        except Error as error:
            raise Refused(
                "No Chromium was found. Install one (`playwright install chromium`), or open the "
                "deck with ?print-pdf behind its address and print it from your browser."
            ) from error
        for path in pages:
            page = chromium.new_page(viewport={"width": 1280, "height": 720})
            page.goto(f"{path.absolute().as_uri()}?print-pdf")
            page.wait_for_function("document.querySelector('.pdf-page') && Reveal.isReady()")
            page.wait_for_function("document.fonts.status === 'loaded'")
            page.pdf(
                path=path.with_suffix(".pdf"), prefer_css_page_size=True, print_background=True
            )
            page.close()
        chromium.close()
