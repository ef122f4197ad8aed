"""The glossary's words are in order, short, and taught in the lesson that they name."""

import re
from pathlib import Path

import pytest

from tests.lesson_text import for_learners

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "GLOSSARY.md").read_text("utf-8")
ENTRIES = [
    (word, number, " ".join(said.split()))
    for word, number, said in re.findall(
        r"^- \*\*(.+?)\*\* \((\d\d)\): (.+?)(?=^- |\Z)", PAGE, re.MULTILINE | re.DOTALL
    )
]


def test_every_line_is_read_and_words_stand_in_their_order() -> None:
    assert len(ENTRIES) == PAGE.count("\n- ") > 60
    words = [word.lower() for word, _, _ in ENTRIES]
    assert words == sorted(words)


@pytest.mark.parametrize(("word", "number", "said"), ENTRIES, ids=[entry[0] for entry in ENTRIES])
def test_the_named_lesson_exists_and_speaks_of_the_word(word: str, number: str, said: str) -> None:
    (source,) = ROOT.glob(f"solutions/{number}_*/*.py")
    text = re.sub(r"\s+#?\s*|[*_`-]", " ", for_learners(source).lower())
    first, *more = word.lower().replace("-", " ").split(", ")
    assert any(name.rstrip("s") in text for name in (first, *more)), (
        f"{source.parent.name} does not speak of {word!r}"
    )
    assert said.endswith((".", "?"))
    assert len(said) < 200
