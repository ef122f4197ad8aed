"""What the text of lesson 05 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    assert numbers(r"largest distance to autograd: (\S+)", printed)[0] < 1e-4
    row = r"(\S.*): F1 \S+, rules broken in (\d+) of (\d+) sentences"
    broken = {name: int(few) / int(all_of) for name, few, all_of in re.findall(row, printed)}
    for without in ("each word's favourite", "learnt numbers, no rules"):
        assert broken[without] > 0.5, "most sentences come out broken"
    assert broken["your CRF"] == broken["rules, no learnt numbers"] == 0
    assert broken["decoded with them"] == 0
    assert broken["trained without rules"] < 0.5 * broken["learnt numbers, no rules"]
    words, alone = numbers(r"layer 0, no context: F1 (\S+) on .* \(no LM: (\S+)\)", printed)
    (top,) = numbers(r"top layer: F1 (\S+) on \d+ sentences", printed)
    assert alone < min(words, top)
