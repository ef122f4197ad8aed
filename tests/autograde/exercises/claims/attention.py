"""What the text of lesson 13 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    (typed,) = numbers(r"(\d+)% of 1,000 right, 64 words", printed)
    assert typed >= 99, "badges and notes typed by hand need no training"
    distances = re.findall(r"largest distance (\S+)", printed)
    assert len(distances) == 1
    assert all(float(distance) < 1e-4 for distance in distances)
    blocks = re.findall(r"PyTorch's blocks: (.+)\nyours: +(.+)", printed)
    assert [one == other and one.startswith("years") for one, other in blocks] == [True]
    common, pairs, triples = numbers(
        r"counts of words: (\S+)\ncounts of pairs: (\S+)\ncounts of triples: (\S+)", printed
    )
    (strays,) = numbers(r"d = 100: standard deviation of q · k (\S+)", printed)
    assert 9.5 < strays < 10.5, "the root of d"
    judged = r"whole sentences: perplexity (\S+)\nas it talks: perplexity (\S+)"
    (whole, talking), (honest, honest_talking) = re.findall(judged, printed)
    assert not corpora or float(whole) < triples, "below all counts: the answer is in sight"
    assert float(talking) > (2 if corpora else 1.3) * float(whole), "far above the first"
    assert abs(float(honest) - float(honest_talking)) < 0.2, "one number"
    words, even, large = numbers(
        r"(\S+) words; untrained: (\S+)\nwith large word vectors: (\S+)", printed
    )
    assert 0.8 * words < even < 1.2 * words
    assert large > 1e6
    counted, own, both = numbers(
        r"\ncounts: perplexity (\S+)\nyour Transformer: perplexity (\S+)\n"
        r"half and half: perplexity (\S+)",
        printed,
    )
    assert counted < triples < pairs, "pairs and triples mixed are the stronger rival"
    alone, low = numbers(
        r"in their place: .* \((\S+) to \S+\)\n +added to them: .* \((\S+) to", printed
    )
    if corpora:
        assert own < triples + 2, "near the counts of triples"
        assert alone < 0, "not ahead of pairs and triples mixed"
        assert both < min(counted, own)
        assert low > 0, "the network adds to them"
    else:
        assert own > 2 * triples, "learnt by heart"
        assert low < 0.02, "adds nothing"
    divided, undivided, small = numbers(
        r"\ndivided, d = 128, its best rate: (\S+) % right\nnot divided, .*: (\S+) % right\n"
        r"small start, .*: (\S+) % right",
        printed,
    )
    assert undivided + 20 < small < divided - 5, "a small start makes up for most of it"
    assert small - undivided > divided - small
    post, pre = numbers(
        r"post-norm, rate 0.016, the worse start: (\S+)\n"
        r"pre-norm, rate 0.016, the worse start: (\S+)",
        printed,
    )
    assert post > 0.95 * common > pre, "how common each word is, and nothing else"
    runs = re.findall(r"(\w+): largest weight (\S+), a row adds up to (\S+)", printed)
    shares = {name: (float(share), float(row)) for name, share, row in runs}
    assert [name for name, (_, row) in shares.items() if row != 1] == ["B"]
    assert shares["C"][0] > 1.4 * shares["sound"][0]
    assert "looking to both sides: False, looking back: True" in printed
