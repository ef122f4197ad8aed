"""What a masked language model reads in place of its text: some words hidden, and which.

Of the real words about 15 in 100 are chosen. Of these, 80 in 100 become ``[MASK]``, 10 in 100
become a random word, and 10 in 100 stay. Only the chosen ones are asked for.
Devlin et al. 2019 (arXiv:1810.04805), section 3.1 and appendix A.1.
"""

import torch
from torch import Tensor

from elmo_mini.transformer.masked_lm import NOT_ASKED

PADDING, UNKNOWN, CLS, SEP, MASK = SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""The first words of every vocabulary of a masked language model; ``[PAD]`` is word 0."""

CHOSEN, MASKED, REPLACED = 0.15, 0.8, 0.1


def corrupt(
    ids: Tensor,
    words: int,
    generator: torch.Generator | None = None,
    *,
    chosen: float = CHOSEN,
    masked: float = MASKED,
    replaced: float = REPLACED,
) -> tuple[Tensor, Tensor]:
    """Choose words, corrupt them, and say what they were.

    Parameters
    ----------
    ids : (B, T) word numbers; those below ``len(SPECIALS)`` are never chosen
    words : V; a random word is any of those that are not special, each as likely
    generator : of the random numbers
    chosen : share of the ordinary words that are asked for
    masked, replaced : shares of the chosen that become ``[MASK]`` and a random word

    Returns
    -------
    what the model reads (B, T), and what is asked (B, T): the word where one was chosen,
    `NOT_ASKED` elsewhere
    """
    ordinary = ids >= len(SPECIALS)
    asked_here = ordinary & (torch.rand(ids.shape, generator=generator) < chosen)
    lot = torch.rand(ids.shape, generator=generator)
    others = torch.randint(len(SPECIALS), words, ids.shape, generator=generator)
    read = torch.where(asked_here & (lot < masked), SPECIALS.index(MASK), ids)
    swapped = asked_here & (lot >= masked) & (lot < masked + replaced)
    read = torch.where(swapped, others, read)
    return read, torch.where(asked_here, ids, NOT_ASKED)
