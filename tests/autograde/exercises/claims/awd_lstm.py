"""What the text of lesson 10 says of its live runs."""

from tests.autograde.exercises.claims import numbers


def hold(printed: str, corpora: bool) -> None:
    page, elsewhere = numbers(
        r"stand so in the page: (\d+)%\nThe same with prompts from other text: (\d+)%", printed
    )
    assert page > 80 > 20 > elsewhere
    (bare, bare_last), (best, last) = (
        numbers(rf"{name}: dev (\S+) at its best epoch, (\S+) at the last", printed)
        for name in ("no remedy", "all of it")
    )
    assert bare_last > 1.3 * bare, "without a remedy it turns back"
    assert last < 1.1 * best, "with all of them it stays down"
    alone, mixed = (
        {
            name: numbers(rf"{name}: alone (\S+), mixed (\S+)\n", printed)[column]
            for name in ("no remedy", "ordinary dropout", "all of it")
        }
        for column in (0, 1)
    )
    pairs, triples = numbers(r"counts: pairs (\S+), triples (\S+)\n", printed)
    if corpora:
        assert all(mixed[name] < min(alone[name], triples) for name in mixed), "each adds"
        assert 0.9 < alone["no remedy"] / min(pairs, triples) < 1.1, "about as good as counts"
        assert mixed["no remedy"] < alone["all of it"], "counts bring more than all remedies"
        lead = {how: of["no remedy"] / of["all of it"] for how, of in (("a", alone), ("m", mixed))}
        assert lead["m"] - 1 < 0.8 * (lead["a"] - 1), "the distance shrinks"
        walked, averaged = numbers(r"Best with the last weights (\S+), averaged (\S+)\n", printed)
        assert averaged > 0.98 * walked, "averaging brings no better best epoch"
