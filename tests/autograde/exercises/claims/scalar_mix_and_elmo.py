"""What the text of lesson 08 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    (learned,) = numbers(r"learned minus average, in points: (\S+) \(", printed)
    top = re.search(r"top layer alone minus average, in points: .*: (.*)", printed)
    assert top is not None
    assert abs(learned) < 1, "the average does nearly as well"
    assert (top[1] == "behind") is corpora
    assert re.search(r"layer 0 alone minus average, in points: .*: behind", printed)
    lone, beside = numbers(
        r"layer 0 alone minus average, in points: (\S+) \([^\n]*\n"
        r"layer 0 and neighbours' minus average, in points: (\S+) \([^\n]*: behind",
        printed,
    )
    assert lone < beside - 1, "not for all of it"
    assert -4 < beside < -2, "about three points behind"
    free, held = numbers(r"layer 1: (\S+) % with γ free, (\S+) % with γ held", printed)
    assert abs(free - 70) < 1, "the truth comes out"
    assert held < 20, "less than a fifth"
    before = numbers(r"as it was: shares \[ *(\S+) +(\S+) +(\S+) *\]", printed)
    assert before[2] > before[1] + 10, "layer 2 takes the lead"
    less, normed = numbers(r"layer 2 less layer 1: (\S+) points of share, (\S+) with", printed)
    assert normed < min(8, less - 5), "gone, or nearly"
    swapped = numbers(r"volumes swapped: shares \[ *(\S+) +(\S+) +(\S+) *\]", printed)
    assert max(swapped) == swapped[1], "the lead goes with the loudness"
    pulled = numbers(r"λ = 1: shares \[ *(\S+) +(\S+) +(\S+) *\]", printed)
    assert max(abs(share - 100 / 3) for share in pulled) < 2, "is the plain average"
    boxes = "(?:[ABCD]|yours|Elmo, stateful|Elmo, do_layer_norm)"
    said = re.findall(rf"^ *{boxes}: (.*)", printed, re.MULTILINE)
    faults = ["remembers", "depends on its company", "wrong number", "shifted"]
    assert said == [*faults, "sound", "remembers", "depends on its company"]
    assert "This is ELMo." in printed
    (carried,) = numbers(r"states carried, largest distance of all twelve: (\S+)", printed)
    assert carried < 1e-4, "all twelve sentences"
    unclear = "no clear difference"
    for rival, verdicts in {
        "naive Bayes": [unclear] * 4 + ["behind"],
        "layer 0 around, linear": [unclear, "ahead", "ahead", "ahead", unclear],
    }.items():
        _, _, block = printed.partition(f"layer 2, linear minus {rival}:\n")
        assert re.findall(r"^ *[\d,]+ examples: .*: (.*)$", block, re.MULTILINE)[:5] == verdicts
