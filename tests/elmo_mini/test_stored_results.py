"""Every stored result says how it was made."""

import json
from pathlib import Path

import pytest

from elmo_mini.stored_results import FOLDER, stored_result


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda p: p.stem)
def test_every_stored_result_says_how_it_was_made(path: Path) -> None:
    result = stored_result(path.stem)
    assert "python -m" in result.command
    assert result.numbers
    assert result.title in str(result)


def test_an_unknown_result_and_one_without_circumstances_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="no stored result 'none'"):
        stored_result("none", tmp_path)
    (tmp_path / "bare.json").write_text(json.dumps({"title": "Bare", "ratio": 2}))
    with pytest.raises(ValueError, match="does not say its command, date"):
        stored_result("bare", tmp_path)
