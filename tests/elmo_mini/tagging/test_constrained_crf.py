"""Label rules: what they permit is what spans spell, and a CRF never breaks them."""

from itertools import product

import pytest
import torch

from elmo_mini.models.crf import log_partition
from elmo_mini.tagging.constrained_crf import (
    END,
    FORBIDDEN,
    START,
    LinearChainCRF,
    Scheme,
    allowed,
    forbid,
    may_follow,
)
from elmo_mini.tagging.spans import bio_of, bioes_of, spans_of

LABELS = {
    "BIO": ["O", "B-X", "I-X", "B-Y", "I-Y"],
    "BIOES": ["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y"],
}
SCHEMES: list[Scheme] = ["BIO", "BIOES"]


def permitted(path: tuple[str, ...], scheme: Scheme) -> bool:
    steps = zip((START, *path), (*path, END), strict=True)
    return all(may_follow(before, after, scheme) for before, after in steps)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_the_rules_permit_exactly_what_spans_spell(scheme: Scheme, length: int) -> None:
    """A sequence is permitted if writing its spans out again gives the sequence itself."""
    spell = bio_of if scheme == "BIO" else bioes_of
    seen = set()
    for path in product(LABELS[scheme], repeat=length):
        round_trip = spell(spans_of(path), length) == list(path)
        assert permitted(path, scheme) == round_trip, path
        seen.add(round_trip)
    assert seen == {True, False}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_table_is_the_rule(scheme: Scheme) -> None:
    labels = LABELS[scheme]
    rules = allowed(labels, scheme)
    for (i, before), (j, after) in product(enumerate(labels), repeat=2):
        assert rules.between[i, j] == may_follow(before, after, scheme)
    assert rules.first.tolist() == [may_follow(START, label, scheme) for label in labels]
    assert rules.last.tolist() == [may_follow(label, END, scheme) for label in labels]
    assert [rules.between.shape, rules.first.shape] == [(len(labels),) * 2, (len(labels),)]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_decoding_never_breaks_the_rules(scheme: Scheme) -> None:
    draw = torch.Generator().manual_seed(0)
    labels = LABELS[scheme]
    crf, free = LinearChainCRF(labels, scheme), LinearChainCRF(labels, None)
    lengths = torch.randint(1, 9, (200, 1), generator=draw)
    mask = torch.arange(8) < lengths
    emissions = 20 * torch.randn(200, 8, len(labels), generator=draw)
    decoded = [tuple(labels[i] for i in path) for path in crf.decode(emissions, mask)]
    assert all(permitted(path, scheme) for path in decoded)
    unruled = [tuple(labels[i] for i in path) for path in free.decode(emissions, mask)]
    assert not all(permitted(path, scheme) for path in unruled)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_forbidden_sequences_have_no_probability(scheme: Scheme) -> None:
    labels = LABELS[scheme]
    crf = LinearChainCRF(labels, scheme).double()
    draw = torch.Generator().manual_seed(1)
    emissions = torch.randn(1, 3, len(labels), generator=draw, dtype=torch.float64)
    mask = torch.ones(1, 3, dtype=torch.bool)
    legal = [
        sum(emissions[0, t, i] for t, i in enumerate(path))
        for path in product(range(len(labels)), repeat=3)
        if permitted(tuple(labels[i] for i in path), scheme)
    ]
    expected = torch.logsumexp(torch.stack(legal), 0)  # type: ignore[arg-type]
    found = log_partition(emissions, mask, *crf.scores())
    torch.testing.assert_close(found[0], expected, rtol=0.0, atol=1e-10)


def test_the_loss_is_a_mean_and_its_gradients_are_finite() -> None:
    labels = LABELS["BIOES"]
    crf = LinearChainCRF(labels)
    emissions = torch.zeros(2, 2, len(labels), requires_grad=True)
    gold = torch.tensor([[labels.index("B-X"), labels.index("E-X")], [0, 0]])
    mask = torch.tensor([[True, True], [True, False]])
    loss = crf.loss(emissions, gold, mask)
    # permitted: of two words (O, S-X, S-Y) squared and two pairs B E; of one word three
    torch.testing.assert_close(loss, (torch.tensor(11.0).log() + torch.tensor(3.0).log()) / 2)
    loss.backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in crf.parameters())
    assert emissions.grad is not None
    assert (emissions.grad[1, 1] == 0).all()


def test_scores_that_are_no_numbers_are_not_decoded() -> None:
    emissions = torch.zeros(2, 3, 3)
    emissions[1, 2] = torch.nan
    crf, mask = LinearChainCRF(["O", "B-X", "E-X"]), torch.ones(2, 3, dtype=torch.bool)
    with pytest.raises(FloatingPointError, match="no numbers"):
        crf.decode(emissions, mask)
    mask[1, 2] = False
    assert crf.decode(emissions, mask) == [[0, 0, 0], [0, 0]]


def test_forbid_keeps_what_is_permitted() -> None:
    scores = torch.tensor([1.0, 2.0])
    assert forbid(scores, torch.tensor([True, False])).tolist() == [1.0, FORBIDDEN]


@pytest.mark.parametrize(
    ("before", "after", "scheme"),
    [("O", "E-X", "BIO"), ("S-X", "O", "BIO"), ("O", "X", "BIOES"), ("O", "O", "IOB1")],
)
def test_foreign_labels_are_refused(before: str, after: str, scheme: Scheme) -> None:
    with pytest.raises(ValueError, match=r"not of the scheme|no label|no scheme"):
        may_follow(before, after, scheme)


def test_the_rules_go_where_the_scores_go_and_are_not_saved() -> None:
    crf = LinearChainCRF(["O", "B-X", "E-X"])
    assert set(crf.state_dict()) == {"transitions", "start", "end"}
    assert {scores.device.type for scores in crf.to("meta").scores()} == {"meta"}
    assert {scores.dtype for scores in crf.double().scores()} == {torch.float64}
    assert LinearChainCRF(["O"], scheme=None).permitted is None
