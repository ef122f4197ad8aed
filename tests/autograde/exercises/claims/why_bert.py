"""What the text of lesson 14 says of its live run."""

import re

LEAD = r"(?P<one>.+): (?P<mean>\S+) points \(\S+ to \S+\) (?P<side>ahead of|behind) (?P<other>.+)"
UNCLEAR = r"(?P<one>.+) and (?P<other>.+): no clear difference \((?P<mean>\S+), .*\)"


def _verdicts(printed: str) -> dict[tuple[str, str], tuple[str, float]]:
    """Of every printed lead, what it says and by how many points."""
    found = {}
    for line in printed.splitlines():
        if match := re.fullmatch(LEAD, line.strip()):
            side = "ahead" if match["side"] == "ahead of" else "behind"
            found[match["one"], match["other"]] = side, float(match["mean"])
        elif match := re.fullmatch(UNCLEAR, line.strip()):
            found[match["one"], match["other"]] = "unclear", abs(float(match["mean"]))
    return found


def hold(printed: str, corpora: bool) -> None:
    said = _verdicts(printed)
    side, points = said["pretrained", "fresh"]
    assert side == "ahead"
    assert points > 12
    assert said["features", "fresh"][0] == "ahead", "features beat the fresh network"
    assert said["features and state", "features"][0] == "ahead", "the state adds to features"
    assert said["nothing", "fresh"][1] < 0.3 * points, "next to none of the lead"
    assert said["all", "nothing"][0] == "ahead"
    assert said["up to block 1", "words"][0] == "unclear", "the first block adds nothing to be seen"
    assert said["up to block 2", "up to block 1"][0] == "ahead", "the second about 12"
    assert said["all", "all but block 1"][0] == "ahead", "without the first, 8 points are gone"
    assert said["fine-tuned", "five lines"][0] == "unclear"
    assert said["fine-tuned", "both fast"][0] == "ahead", "the body must learn slowly"
    assert said["fine-tuned", "frozen, your loop"][0] != "behind"
    assert said["fine-tuned", "frozen, logistic regression"][0] != "ahead"
    assert "to answer  ->  verb" in printed
    assert "his vote  ->  noun" in printed
    draws = re.findall(r"training loss of 0.1: fresh (\S+), pretrained (\S+)", printed)
    assert len(draws) == 3
    assert all(float(one) > float(other) for one, other in draws), "in each draw"
    shares = re.search(r"pretrained: right answers after .* steps: (.+)%", printed)
    assert shares
    first, *_, last = (int(share) for share in shares[1].split("% "))
    assert last > 70, "right on more than 70 %"
    assert last >= first, "the right answers do not fall"
    by_labels = dict(re.findall(r"^(\d+) labels; (.*around 0.*)$", printed, re.MULTILINE))
    assert by_labels["5"].startswith("around the belief: ")
    assert "ahead of around 0" in by_labels["5"]
    assert "no clear difference" in by_labels["800"]
    alone = re.search(r"the belief alone, without a label: (\S+) % right", printed)
    assert alone
    assert float(alone[1]) > 72
    assert said["to 0", "no pull"][0] == "behind"
    assert said["to the start", "no pull"][0] == "unclear"
    for weak in ("table of last words", "last word's vector", "features"):
        assert said["frozen state", weak][0] == "ahead", "the frozen state leads all three"
    found = re.findall(
        r"(\w+): (\d+)% right; perplexity (\S+) before, (\S+) after; moved: body (\d+)%", printed
    )
    runs = {name: [int(number.replace(",", "")) for number in row] for name, *row in found}
    assert runs["A"][1] > 10 * runs["sound"][1], "a file of which nothing was loaded"
    assert runs["B"][3] > 100, "further than its own length"
    assert runs["B"][2] > 20 * runs["B"][1], "catastrophic forgetting"
    assert runs["sound"][2] < 1.5 * runs["sound"][1], "gentle steps cost little"
    assert runs["C"][3] == 0, "asleep"
    assert max(run[0] for run in runs.values()) - runs["C"][0] <= 8, "nobody looks"
