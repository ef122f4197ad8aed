"""The book: made by its command, and read in a browser without a network."""

import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest
from playwright.sync_api import Browser, Page

REPOSITORY = Path(__file__).resolve().parents[2]
LESSON = "lessons/01_word2vec/word2vec.html"
READ = (LESSON, "index.html", "CONCEPTS.html", "api/elmo_mini.models.html", "docs/installing.html")
WIDER_THAN_THE_WINDOW = "document.documentElement.scrollWidth > innerWidth"
CONTRAST = """() => {
  const channel = (c) => (c /= 255, c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const found = numbers(getComputedStyle(node).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const low = new Set();
  const walker = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !at.checkVisibility()) continue;
    const [a, b] = [numbers(getComputedStyle(at).color), behind(at)].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.add(`${ratio.toFixed(1)}: ${walker.currentNode.data.trim().slice(0, 40)}`);
  }
  return [...low];
}"""

# What is still on its way when the paper is drawn, and so is not on it.
FADES = "[...document.querySelectorAll('details *')].filter(e => e.getAnimations().length).length"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1200),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("book")
    made = subprocess.run(
        [sys.executable, "-m", "autograde", "book", "--output", str(output)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr[-4000:]
    return output / "site"


class _Read(HTMLParser):
    """What a page has that can be looked at without a browser."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.without_alt: list[str] = []
        self.headings: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids |= {value for name in ("id", "name") if (value := found.get(name))}
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        if tag == "img":
            self.links += [src for src in [found.get("src") or ""] if not src.startswith("data:")]
            if not (found.get("alt") or "").strip():
                self.without_alt.append(str(found.get("src"))[:60])
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.headings.append(int(tag[1]))


def _pages(site: Path) -> dict[Path, _Read]:
    pages = {}
    for path in site.rglob("*.html"):
        if "_modules" in path.parts:
            continue
        pages[path] = _Read()
        pages[path].feed(path.read_text(encoding="utf-8"))
    return pages


def _dead(pages: dict[Path, _Read]) -> Iterator[str]:
    for path, page in pages.items():
        for link in page.links:
            url, part = urldefrag(link)
            if urlsplit(url).scheme:
                continue
            target = (path.parent / unquote(url)).resolve() if url else path
            if not target.exists() or (part and target in pages and part not in pages[target].ids):
                yield f"{path.name}: {link}"


def test_no_link_is_dead_every_figure_is_described_and_headings_go_down_one_by_one(
    site: Path,
) -> None:
    pages = _pages(site)
    assert len(list(site.glob("lessons/*/*.html"))) == len(
        list(REPOSITORY.glob("lessons/*/*.ipynb"))
    )
    assert sorted(set(_dead(pages))) == []
    led_to = {link for link in pages[site / "index.html"].links if link.startswith("lessons/")}
    assert len(led_to) == len(list(site.glob("lessons/*/*.html")))
    assert {path.name: page.without_alt for path, page in pages.items() if page.without_alt} == {}
    for path, page in pages.items():
        steps = zip(page.headings, page.headings[1:], strict=False)
        assert page.headings[:1] == [1] or path.name == "search.html", path.name
        assert [pair for pair in steps if pair[1] > pair[0] + 1] == [], path.name


def test_nothing_comes_from_elsewhere_and_a_phone_needs_no_sideways_scrolling(
    site: Path, browser: Browser
) -> None:
    asked: list[str] = []
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.on("request", lambda request: asked.append(request.url))
    wide = []
    for path in sorted(site.rglob("*.html")):
        if "_modules" in path.parts:
            continue
        page.goto(path.as_uri())
        if page.evaluate(WIDER_THAN_THE_WINDOW):
            wide.append(path.name)
    assert [url for url in asked if urlsplit(url).scheme not in ("file", "data")] == []
    assert wide == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_text_stands_out_from_what_is_behind_it(
    site: Path, browser: Browser, scheme: str
) -> None:
    page = browser.new_page(color_scheme="dark" if scheme == "dark" else "light")
    for name in READ:
        page.goto((site / name).as_uri())
        assert page.evaluate(CONTRAST) == [], name


def test_answers_are_folded_and_the_search_finds_a_word_from_a_file(
    site: Path, browser: Browser
) -> None:
    page: Page = browser.new_page()
    page.goto((site / LESSON).as_uri())
    answer = page.locator("details", has_text="def sgns_loss").first
    assert answer.get_attribute("open") is None
    assert "SOLUTION" not in page.content()
    page.goto((site / "search.html").as_uri() + "?q=polysemous")
    page.locator("#search-results li a").first.wait_for(timeout=60_000)


def test_hints_and_answers_are_printed_open(site: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.emulate_media(media="print")
    page.goto((site / LESSON).as_uri())
    folded = "document.querySelectorAll('details:not([open])').length"
    before = page.evaluate(folded)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert before > 0 == page.evaluate(folded)
    assert page.evaluate(FADES) == 0
    assert not page.locator(".skip-to-content").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(folded) == before
