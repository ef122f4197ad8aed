"""A CRF constrained by the labelling scheme, BIO or BIOES: which label may follow which.

In BIO, ``I-NP`` continues a span and needs ``B-NP`` or ``I-NP`` before it. BIOES (Ratinov and
Roth, 2009) also marks the last word of a span (``E-``) and a span of one word (``S-``); the
TagLM paper labels so (Peters et al., 2017, section 3).
"""

from collections.abc import Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn

from elmo_mini.divergence import check_scores
from elmo_mini.models.crf import Path, negative_log_likelihood, viterbi
from elmo_mini.tagging.spans import split_label

Scheme = Literal["BIO", "BIOES"]
START, END = "<start>", "<end>"
FORBIDDEN = -10_000.0
"""Finite, so that no gradient becomes nan; AllenNLP uses the same number."""

_OPENING = {"BIO": "B", "BIOES": "BS"}
_CONTINUING = {"BIO": "I", "BIOES": "IE"}
_MAY_GO_ON = {"BIO": "BI", "BIOES": "BI"}
_MUST_GO_ON = {"BIO": "", "BIOES": "BI"}


def may_follow(before: str, after: str, scheme: Scheme = "BIOES") -> bool:
    """Whether label `after` may stand right after label `before`.

    ``START`` as `before` and ``END`` as `after` ask about the first and the last label.

    Raises
    ------
    ValueError
        If a label does not belong to the scheme.
    """
    for label in (before, after):
        _check(label, scheme)
    open_letter, open_kind = ("O", "") if before == START else split_label(before)
    letter, kind = ("O", "") if after == END else split_label(after)
    if letter in _CONTINUING[scheme]:
        return open_letter in _MAY_GO_ON[scheme] and open_kind == kind
    return open_letter not in _MUST_GO_ON[scheme]


class Allowed(NamedTuple):
    """What `may_follow` says for K labels: between (K, K), first (K,), last (K,), all bool."""

    between: Tensor
    first: Tensor
    last: Tensor


def allowed(labels: Sequence[str], scheme: Scheme = "BIOES", device: str | None = None) -> Allowed:
    """`may_follow` for every pair of labels, for the first label and for the last."""
    between = [[may_follow(before, after, scheme) for after in labels] for before in labels]
    first = [may_follow(START, label, scheme) for label in labels]
    last = [may_follow(label, END, scheme) for label in labels]
    return Allowed(*(torch.tensor(x, device=device) for x in (between, first, last)))


def forbid(scores: Tensor, permitted: Tensor) -> Tensor:
    """`scores` with `FORBIDDEN` wherever `permitted`, of the same shape, is False."""
    return scores.masked_fill(~permitted, FORBIDDEN)


class LinearChainCRF(nn.Module):
    """The learned transition scores of a CRF over named labels.

    Parameters
    ----------
    labels : the K labels, in the order of the emissions' last dimension
    scheme : ``"BIO"`` or ``"BIOES"`` to rule out what the scheme rules out, in training and in
        decoding; None for no rules
    """

    def __init__(self, labels: Sequence[str], scheme: Scheme | None = "BIOES") -> None:
        super().__init__()
        self.labels, self.scheme = tuple(labels), scheme
        k = len(self.labels)
        self.transitions = nn.Parameter(torch.zeros(k, k))
        self.start = nn.Parameter(torch.zeros(k))
        self.end = nn.Parameter(torch.zeros(k))
        # No buffers: no checkpoint holds them, and `to_empty` would leave them unset. On the CPU
        # even where the parameters are on the meta device, which has no numbers.
        self._permitted = None if scheme is None else allowed(self.labels, scheme, "cpu")

    @property
    def permitted(self) -> Allowed | None:
        """What the scheme permits, if there is one; it follows from the labels alone."""
        if self._permitted is None:
            return None
        return Allowed(*(permitted.to(self.start.device) for permitted in self._permitted))

    def scores(self) -> tuple[Tensor, Tensor, Tensor]:
        """Transitions (K, K), start (K,) and end (K,), with what is ruled out at `FORBIDDEN`."""
        learned = (self.transitions, self.start, self.end)
        permitted = self.permitted
        if permitted is None:
            return learned
        transitions, start, end = map(forbid, learned, permitted)
        return transitions, start, end

    def check(self, sentences: Sequence[Sequence[str]]) -> None:
        """Raise ValueError for labels that the scheme rules out: no loss could be made small."""
        if self.scheme is None:
            return
        follows = cache(partial(may_follow, scheme=self.scheme))
        for number, labels in enumerate(sentences):
            for before, after in pairwise([START, *labels, END] if labels else []):
                if not follows(before, after):
                    raise ValueError(
                        f"sentence {number} has {after} after {before}, against {self.scheme}; "
                        "elmo_mini.tagging.spans has to_bioes and to_bio, and crf= takes "
                        'partial(LinearChainCRF, scheme="BIO")'
                    )

    def loss(self, emissions: Tensor, labels: Tensor, mask: Tensor) -> Tensor:
        """Mean negative log-likelihood of a sentence, a scalar.

        Parameters
        ----------
        emissions : (B, T, K)
        labels : (B, T), int64
        mask : (B, T), bool
        """
        return negative_log_likelihood(emissions, labels, mask, *self.scores()).mean()

    def decode(self, emissions: Tensor, mask: Tensor) -> list[Path]:
        """The best label numbers of each sentence; raises as `divergence.argmax`."""
        paths, scores = viterbi(emissions, mask, *self.scores())
        check_scores(scores)
        return paths


def _check(label: str, scheme: str) -> None:
    if scheme not in _OPENING:
        raise ValueError(f"there is no scheme {scheme!r}: choose one of {', '.join(_OPENING)}")
    if label not in (START, END, "O"):
        letter, _ = split_label(label)
        if letter not in _OPENING[scheme] + _CONTINUING[scheme]:
            raise ValueError(f"the label {label!r} is not of the scheme {scheme}")
