"""The three hints of an exercise: written as paragraphs, shown as folded blocks."""

import re

KINDS = {"nudge": "a nudge", "idea": "the idea", "outline": "an outline"}
START = re.compile(rf"^({'|'.join(KINDS)}):[ \t]*", re.MULTILINE | re.IGNORECASE)


def read_hints(source: str) -> dict[str, str]:
    """The text of each hint by its kind. A hint may hold several paragraphs and code."""
    pieces = START.split(source)
    kinds, texts = pieces[1::2], pieces[2::2]
    return {kind.lower(): text.strip() for kind, text in zip(kinds, texts, strict=True)}


def folded_hints(source: str) -> str:
    """Markdown with one folded ``<details>`` block for each hint, from nudge to outline.

    The blank lines make Markdown inside the block render as Markdown.
    """
    texts = read_hints(source)
    return "\n\n".join(
        f"<details><summary>Hint {number}: {title}</summary>\n\n{texts[kind]}\n\n</details>"
        for number, (kind, title) in enumerate(KINDS.items(), start=1)
    )
