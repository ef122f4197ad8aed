"""A linear-chain conditional random field (CRF): forward algorithm, likelihood, Viterbi decoding.

Taught in lesson 05, sections 2 to 4. It scores whole label sequences, not single labels. The score
of labels y for a sentence is s(y) = start[y_1] + sum_t emissions[t, y_t] +
sum_t transitions[y_{t-1}, y_t] + end[y_T], and p(y | x) = exp(s(y)) / Z, where Z sums over all
K^T sequences (Lafferty et al., 2001; equation 1 of Lample et al., 2016, has the same form). The
TagLM paper puts this layer on top of its tagger (Peters et al., 2017, section 2.2).

Shapes: B sentences, T words in the longest, K labels. `emissions` (B, T, K) and `mask` (B, T),
bool, padding on the right. `transitions` (K, K): row the label before, column the label after.
`start` and `end` (K,). Every function works in log space, in float32 and float64.
"""

import torch
from torch import Tensor

Path = list[int]


def path_score(
    emissions: Tensor, labels: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    """The score s(y) of one given label sequence for each sentence, (B,).

    Taught in lesson 05, section 2 (Labels depend on labels).

    Parameters
    ----------
    labels : (B, T), int64. What stands at padding does not matter.

    Raises
    ------
    ValueError
        If a sentence has no word, or padding stands before a word.
    """
    _check(emissions, mask)
    lengths = mask.sum(1)  # (B,)
    labels = labels * mask  # any label will do at padding
    chosen = emissions.gather(2, labels.unsqueeze(2)).squeeze(2)  # (B, T)
    moves = transitions[labels[:, :-1], labels[:, 1:]]  # (B, T - 1)
    last = labels.gather(1, (lengths - 1).unsqueeze(1)).squeeze(1)  # (B,)
    return (
        start[labels[:, 0]]
        + chosen.where(mask, 0).sum(1)
        + moves.where(mask[:, 1:], 0).sum(1)
        + end[last]
    )


def forward_step(log_alpha: Tensor, emissions: Tensor, transitions: Tensor) -> Tensor:
    """One step of the forward algorithm, (B, K) to (B, K).

    Taught in lesson 05, section 3 (The sum over all paths).
    log_alpha[b, i] is the log of the summed exp(score) of all label sequences up to the word
    before that end in label i. The new one is log sum_i exp(log_alpha[b, i] +
    transitions[i, j]) + emissions[b, j].

    Parameters
    ----------
    log_alpha : (B, K)
    emissions : (B, K), of the word to step on
    """
    arriving = log_alpha.unsqueeze(2) + transitions  # (B, K before, K after)
    return torch.logsumexp(arriving, 1) + emissions


def log_partition(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    """log Z, the log partition function of each sentence, (B,), by the forward algorithm.

    Taught in lesson 05, section 3 (The sum over all paths): T K^2 steps instead of K^T.

    Raises
    ------
    ValueError
        If a sentence has no word, or padding stands before a word.
    """
    _check(emissions, mask)
    log_alpha = start + emissions[:, 0]  # (B, K)
    for t in range(1, emissions.shape[1]):
        moved = forward_step(log_alpha, emissions[:, t], transitions)
        log_alpha = torch.where(mask[:, t].unsqueeze(1), moved, log_alpha)  # ended ones stand still
    return torch.logsumexp(log_alpha + end, 1)  # (B,)


def negative_log_likelihood(
    emissions: Tensor, labels: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> Tensor:
    """Negative log-likelihood -log p(y | x) = log Z - s(y) of each sentence, (B,); never below 0.

    Taught in lesson 05, section 4 (The best path, and a CRF of your own).

    Raises
    ------
    ValueError
        If a sentence has no word, or padding stands before a word.
    """
    all_paths = log_partition(emissions, mask, transitions, start, end)
    return all_paths - path_score(emissions, labels, mask, transitions, start, end)


def viterbi_step(best: Tensor, emissions: Tensor, transitions: Tensor) -> tuple[Tensor, Tensor]:
    """One step of Viterbi's algorithm: `forward_step` with max in place of the sum.

    Taught in lesson 05, section 4 (The best path, and a CRF of your own).

    Parameters
    ----------
    best : (B, K), the score of the best sequence that ends in each label
    emissions : (B, K), of the word to step on

    Returns
    -------
    The new (B, K), and for each label the one before it on its best sequence, (B, K), int64;
    of equally good ones the smallest
    """
    arriving, back = (best.unsqueeze(2) + transitions).max(1)  # (B, K) each
    return arriving + emissions, back


@torch.no_grad()
def viterbi(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> tuple[list[Path], Tensor]:
    """Viterbi decoding: the best label sequence of each sentence, and its score (B,).

    Taught in lesson 05, section 4 (The best path, and a CRF of your own). A path is as long as its
    sentence. Of equally good sequences the one with the smallest last label is taken; if these are
    equal, with the smallest last but one, and so on.

    Raises
    ------
    ValueError
        If a sentence has no word, or padding stands before a word.
    """
    _check(emissions, mask)
    best = start + emissions[:, 0]  # (B, K)
    stand_still = torch.arange(len(start), device=best.device).expand_as(best)
    pointers = []
    for t in range(1, emissions.shape[1]):
        moved, back = viterbi_step(best, emissions[:, t], transitions)
        here = mask[:, t].unsqueeze(1)
        best = torch.where(here, moved, best)
        pointers.append(torch.where(here, back, stand_still))
    scores, label = (best + end).max(1)  # (B,)
    labels = [label]
    for back in reversed(pointers):
        label = back.gather(1, label.unsqueeze(1)).squeeze(1)  # (B,)
        labels.append(label)
    rows = torch.stack(labels[::-1], 1).tolist()  # (B, T)
    return [row[:n] for row, n in zip(rows, mask.sum(1).tolist(), strict=True)], scores


def _check(emissions: Tensor, mask: Tensor) -> None:
    if mask.dtype != torch.bool or mask.shape != emissions.shape[:2]:
        raise ValueError(
            f"the mask is {mask.dtype} {tuple(mask.shape)}; emissions of "
            f"{tuple(emissions.shape)} need bool {tuple(emissions.shape[:2])}"
        )
    if not mask[:, :1].any(1).all() or (mask[:, 1:] & ~mask[:, :-1]).any():
        raise ValueError(
            "a sentence has no word, or padding before a word: leave empty sentences out and "
            "pad on the right"
        )
