"""What the text of lesson 09 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    def verdict(of: str) -> str:
        found = re.search(rf"{of}:? ([+-]\S+) \(.*\): (.*)", printed)
        assert found is not None, of
        return found[2]

    def points(of: str) -> float:
        return numbers(rf"{of} (\S+) \(", printed)[0]

    unclear = "no clear difference"
    around = "random vectors of words around"
    for layer in (1, 2):
        assert verdict(f"\n  trained layer {layer} minus {around}") == "ahead"
        in_order = f"trained layer {layer} minus layer 0 of words around, in order"
        assert verdict(f"\\n  {in_order}") == unclear
    # Examples of one form tie in layer 0, and how they are sorted depends on the processor.
    assert verdict(f"{around} minus untrained layer 0") in ("ahead", unclear)
    assert points(f"{around} minus untrained layer 0:") > 3
    assert verdict("untrained layer 1 minus untrained layer 0") == unclear  # senses
    assert verdict(r"\n  trained layer 2 minus trained layer 1") == unclear  # senses
    assert verdict(r"senseval, four words \(stored\): layer 2 minus layer 1") == "ahead"
    beside = verdict("trained layer 1 minus layer 0 of three words")
    assert beside == "ahead" or (beside == unclear and not corpora)
    if corpora:
        assert verdict("layer 0 of three words minus trained layer 0") == unclear
        assert verdict("trained layer 0 minus spelling alone") == "ahead"
    assert verdict("trained layer 1 minus trained layer 0") == "ahead"
    assert verdict(r"20,000 words to learn from \(stored\)") == unclear
    if corpora:
        assert re.search(r"untrained layer 1 minus untrained layer 0: -.*: behind", printed)
        assert verdict("words met").startswith("ahead")  # selectivity
        assert verdict("new words").startswith(unclear)
        draws = re.search(r"words met: .* \((.*)\)", printed)
        assert draws is not None
        assert all(float(points) > 0 for points in draws[1].split(", "))
    assert printed.count("trained layer 2 minus trained layer 1") == 2
    assert verdict("all layers at the input minus layer 0 alone at the input") == "ahead"
    assert verdict("(?:both|input|output) minus (?:both|input|output)") == unclear
    third = float(numbers(r"F1, pass by pass: \S+, \S+, (\d+)", printed)[0])
    assert third > 1.2 * numbers(r"without layers, after 48 passes: (\d+)", printed)[0]
    for task, least in (("senses", 4), ("words", 2)):  # "little depends on the weights"
        for pair in ("learned minus average", "layer 1 minus layer 2"):
            assert abs(points(f"{task}: {pair}")) < least
    assert verdict("words: γ learned minus γ 0.01") == "ahead"
    for other in ("γ 0.01, larger steps", "γ 1"):
        lost = abs(points(f"words: γ learned minus {other}"))
        assert lost < points("words: γ learned minus γ 0.01") / 3
    kept, arrays = numbers(r"your sum (\S+) bytes, the arrays (\S+)", printed)
    assert kept == arrays
    assert 480 / numbers(r"every layer of the published ELMo: (\d+) GB", printed)[0] > 8.5
