"""What the text of lesson 06 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    few, many = re.split(r"^128 as people|^600 made", printed, flags=re.MULTILINE)[1:]
    pattern = re.compile(r"^  (.* less .*): [+-]\S+ \((\S+) to (\S+)\): (.*)$", re.MULTILINE)
    short, long = ({row[0]: row[1:] for row in pattern.findall(part)} for part in (few, many))
    for how in ("as it is", "whitened"):  # "The 128 cannot tell"
        assert short[f"trained, {how} less untrained, {how}"][2] == "no clear difference"
    for verdicts in (short, long):
        assert verdicts["untrained, whitened less untrained, as it is"][2] == "behind"
        assert verdicts["trained, as it is less letters to change"][2] == "behind"
    assert float(long["trained, as it is less untrained, as it is"][1]) < -4  # "clearly fewer"
    low, high = map(float, long["trained, whitened less untrained, whitened"][:2])
    assert -6 < low < high < 6, "whitened, about level"
    again = dict(re.findall(r"same class, whitened, trained against (.*): .*: (.*)", printed))
    ends = dict.fromkeys(("untrained, last four letters", "common ending"), "behind")
    assert again == ({"untrained": "ahead", **ends} if corpora else {})
    shut, half_open, more = numbers(
        r"measured: (\S+) %.*\nwith bias 0: (\S+) %\nwith bias 1: (\S+) %", printed
    )
    assert shut > 50 * half_open > 50 * more, "a start nearly shut keeps the way back open"
    assert "  <S>: 259 257 260 261" in printed
