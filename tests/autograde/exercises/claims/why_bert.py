"""What the text of lesson 14 says of its live run."""

import re


def hold(printed: str, corpora: bool) -> None:
    verdicts = dict(re.findall(r"^(\S.* less .*): \S+ \(.*\): (.*)$", printed, re.MULTILINE))
    assert verdicts["pretrained less scrambled"] == "ahead"
    assert verdicts["scrambled less fresh"] == "ahead"
    assert verdicts["enlarged less fresh"] == "ahead"
    assert verdicts["scrambled less normal"] == "no clear difference"
    assert verdicts["all less words"] == "no clear difference"
    more = verdicts["fresh, 200 labels, 300 steps less 150 steps"]
    assert more != "ahead", "the fresh network is not short of steps"
    lines = re.findall(r"^ +(pretrained|scrambled|fresh): (\d.*\d)$", printed, re.MULTILINE)
    held = {name: [float(loss) for loss in row.split(", ")] for name, row in lines}
    others = zip(held["scrambled"], held["fresh"], strict=True)
    rivals = zip(held["pretrained"], others, strict=True)
    assert all(own < min(pair) - 0.3 for own, pair in rivals), "at equal training loss, each draw"
    assert verdicts["fine-tuned less frozen"] == "no clear difference"
    assert verdicts["to the start less to 0"] != "behind"
    assert "the can  ->  modal verb" in printed
    found = re.findall(r"(\w+): (\d+)% right; .* perplexity (\S+) before.* body (\d+)%", printed)
    runs = {name: [int(number.replace(",", "")) for number in row] for name, *row in found}
    assert runs["A"][1] > 10 * runs["sound"][1], "a file of which nothing was loaded"
    assert runs["B"][2] > 100, "further than its own length"
    assert runs["C"][2] == 0, "asleep"
    assert max(run[0] for run in runs.values()) == runs["sound"][0]
