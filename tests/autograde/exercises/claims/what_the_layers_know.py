"""What the text of lesson 09 says of its live run."""

import re

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    def lead(of: str) -> tuple[float, str]:
        found = re.search(rf"^ *{of}:? ([+-]\S+) \(.*?\): (.*)$", printed, re.MULTILINE)
        assert found is not None, of
        return float(found[1]), found[2]

    unclear = "no clear difference"
    assert lead("layer 1 minus naive Bayes")[1] == unclear
    gains = {
        reader: lead(f"naive Bayes gains by {reader}")
        for reader in ("untrained layer 1", "layer 0", "layer 1", "layer 2")
    }
    assert gains["layer 1"][1] == gains["layer 2"][1] == "ahead"
    assert 5 < gains["layer 1"][0] < 9, "about seven points"
    assert gains["untrained layer 1"][1] != "ahead"
    assert gains["layer 0"][1] != "ahead"
    assert lead("naive Bayes gains by layer 0 of seven words, in order")[0] > 2
    assert lead("with naive Bayes, layer 1 minus layer 0 of seven words")[1] == unclear

    assert lead("layer 1 minus clues, no network")[1] == "ahead"
    if corpora:
        assert 5 < lead("layer 1 minus clues, no network")[0] < 9, "seven points"
        assert 14 < lead("layer 1 minus clues")[0] < 18, "sixteen points"
        for one, other in (
            ("layer 0 of three words", "layer 0"),
            ("layer 1", "layer 0 of three words"),
            ("three layers side by side", "layer 1"),
        ):
            assert lead(f"{one} minus {other}")[1] == "ahead"
        beside = lead("layer 0 beside untrained layer 1 minus layer 0")
        assert abs(beside[0]) < 1.5, "a point or so, if anything"
        assert lead("over sets and sentences")[1] == unclear
        assert lead("words met, layer 2 minus layer 1")[1] == "ahead"
        assert lead("new words, layer 2 minus layer 1")[1] == unclear

    if corpora:
        assert lead("LSTM, no layers minus clues and CRF alone")[1] == "behind"
        letters = lead("layer 0 minus clues and CRF alone")
        whole = lead("input minus clues and CRF alone")
        assert letters[1] == whole[1] == "ahead"
        assert 0.6 < letters[0] / whole[0] < 0.9, "three quarters before any sentence is read"
        assert lead("input minus layer 0")[1] == "ahead"
        assert lead("layers and 25 minus clues and 250, over test sentences")[0] > 0
    assert lead("input minus untrained layers")[1] == "ahead"

    for task, least in (("senses", 6), ("words", 2)):  # "little depends on the weights"
        for pair in ("learned minus average", "layer 1 minus layer 2"):
            points, said = lead(f"{task}: {pair}")
            assert abs(points) < least
            assert said == unclear or not corpora
    small = lead("γ learned minus γ 0.01")
    assert small[1] == "ahead"
    for other in ("γ 0.01, larger steps", "γ 1"):
        assert abs(lead(f"γ learned minus {other}")[0]) < small[0] / 3
    kept, arrays = numbers(r"your sum (\S+) bytes, the arrays (\S+)", printed)
    assert kept == arrays
    assert 480 / numbers(r"every layer of the published ELMo: (\d+) GB", printed)[0] > 8.5
