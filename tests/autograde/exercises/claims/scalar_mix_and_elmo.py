"""What the text of lesson 08 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    (learned,) = numbers(r"learned minus average, in points: (\S+) \(", printed)
    top = re.search(r"top layer alone minus average, in points: .*: (.*)", printed)
    assert top is not None
    assert abs(learned) < 1, "the average does nearly as well"
    assert (top[1] == "behind") is corpora
    swapped = numbers(r"volumes swapped: shares \[ *(\S+) +(\S+) +(\S+)\]", printed)
    assert max(swapped) == swapped[1], "the lead goes with the loudness"
    pulled = numbers(r"λ = 1: shares \[ *(\S+) +(\S+) +(\S+)\]", printed)
    assert max(abs(share - 100 / 3) for share in pulled) < 2, "is the plain average"
    boxes = "(?:[ABCD]|yours|Elmo, stateful|Elmo, do_layer_norm)"
    said = re.findall(rf"^ *{boxes}: (.*)", printed, re.MULTILINE)
    faults = ["remembers", "depends on its company", "wrong number", "shifted"]
    assert said == [*faults, "sound", "remembers", "depends on its company"]
    assert "This is ELMo." in printed
    bayes = printed[printed.index("layer 2, linear minus naive Bayes") :]
    verdicts = re.findall(r"(\d+) examples: .*: (.*)", bayes)[:5]
    assert [said for _, said in verdicts] == ["no clear difference"] * 4 + ["behind"]
