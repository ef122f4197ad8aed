"""Masked language models that train in seconds, sound or with one planted fault, and symptoms."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from course.both_sides_at_once.experiments import ROWS, rows_of
from course.texts.small_text import SmallText
from elmo_mini.progress import progress_bar
from elmo_mini.recurrent.training import evaluating, seeded
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.corruption import corrupt
from elmo_mini.transformer.masked_lm import NOT_ASKED, MaskedLM, MaskedLMOptions, masked_lm_loss
from elmo_mini.transformer.training import Batch, train_masked_lm

SEEN, PLACES, EVERYWHERE = "nothing is hidden", "no places", "every word is asked for"
RUNS = {"sound": "", "A": EVERYWHERE, "B": PLACES, "C": SEEN}
LAST, MASKED = 20, 4

Text = tuple[Tensor, Tensor, Tensor]
"""Word numbers, mask and segments, (B, T) each."""


@dataclass(frozen=True)
class Symptoms:
    """What can be seen of a run without its code.

    Attributes
    ----------
    training : the loss that the run reports, mean of its last batches, in nats
    blanks : the loss of hidden words of held-out sentences, in nats
    moved : how far the state of a blank moves when the other words of its sentence change places
    own : share of the held-out words that stand unhidden before the model and that it answers with
    mask : share of the blanks that it answers with the mark of a blank
    """

    training: float
    blanks: float
    moved: float
    own: float
    mask: float


def every_run(text: SmallText, vocabulary: Vocabulary, steps: int) -> dict[str, Symptoms]:
    """The `symptoms` of all `RUNS` on the same text; blanks are those of its held-out sentences."""

    def batches(seed: int) -> Iterator[Text]:
        return (rows_of(sentences, vocabulary) for sentences in text.batches(ROWS, seed))

    held = rows_of(text.held_out, vocabulary)
    return {
        name: symptoms(name, len(vocabulary), batches, held, steps)
        for name in progress_bar(list(RUNS))
    }


def symptoms(
    name: str, words: int, batches: Callable[[int], Iterator[Text]], held_out: Text, steps: int
) -> Symptoms:
    """Train the run `name`, and look.

    Parameters
    ----------
    words : V
    batches : from a seed, sentences without end

    Raises
    ------
    KeyError
        There is no such run.
    """
    fault = RUNS[name]
    with seeded(0, torch.device("cpu")):
        model = MaskedLM(MaskedLMOptions(words, dim=48, heads=4, layers=2, longest=32))
    if fault == PLACES:
        model.place.weight.data.zero_()
        model.place.weight.requires_grad_(False)

    def asked(text: Text, chance: torch.Generator) -> Batch:
        ids, mask, segments = text
        read, target = corrupt(ids, words, chance)
        if fault == EVERYWHERE:
            target = torch.where(mask, ids, NOT_ASKED)
        return ids if fault == SEEN else read, target, mask, segments

    chance = torch.Generator().manual_seed(0)
    history = train_masked_lm(
        model, (asked(text, chance) for text in batches(0)), steps, learning_rate=3e-3
    )
    ids, mask, segments = held_out
    read, target = corrupt(ids, words, torch.Generator().manual_seed(1), masked=1.0, replaced=0.0)
    with evaluating(model):
        blanks = masked_lm_loss(model, read, target, mask, segments)
        row = ids[:1, : int(mask[0].sum())].clone()
        blank = row.shape[1] // 2
        row[0, blank] = MASKED
        others = [place for place in range(1, row.shape[1] - 1) if place != blank]
        turned = row.clone()
        turned[0, others] = row[0, others[::-1]]
        seen = [model(x, torch.ones_like(x, dtype=torch.bool))[0, blank] for x in (row, turned)]
        unhidden = mask & (target == NOT_ASKED) & (ids > 4)
        said = model.scores(model(read, mask, segments)).argmax(-1)  # (B, T)
    return Symptoms(
        training=sum(history[-LAST:]) / LAST,
        blanks=float(blanks),
        moved=float((seen[0] - seen[1]).abs().max()),
        own=float((said == ids)[unhidden].double().mean()),
        mask=float((said == MASKED)[target != NOT_ASKED].double().mean()),
    )
