"""What the text of lesson 06 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    rows = re.findall(r"^(.* less .*): [+-]\S+ \(.*\): (.*)$", printed, re.MULTILINE)
    verdicts = dict(rows)
    for how in ("as it is", "whitened"):  # "cannot tell, in either measure"
        said = verdicts[f"trained, {how} less untrained, {how}"]
        assert said == "no clear difference"
    assert verdicts["untrained, whitened less untrained, as it is"] == "behind"
    assert verdicts["trained, as it is less letters to change"] == "behind"
    again = dict(re.findall(r"same class, whitened, trained against (.*): .*: (.*)", printed))
    assert again == ({"untrained": "ahead", "common ending": "behind"} if corpora else {})
    shut, half_open, more = numbers(
        r"measured: (\S+) %.*\nwith bias 0: (\S+) %\nwith bias 1: (\S+) %", printed
    )
    assert shut > 50 * half_open > 50 * more, "a start nearly shut keeps the way back open"
    assert "  <S>: 259 257 260 261" in printed
