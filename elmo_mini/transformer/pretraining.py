"""Pretraining a masked language model: pairs of sentences, a step, what checkpoints keep.

Sentences come in pairs; of one half of them the second sentence is false. The loss is that of the
hidden words plus that of the question whether the second sentence follows the first. Every random
number of a step comes from the seed and the step's number, so a checkpoint need not hold a
generator's state.
"""

import hashlib
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from elmo_mini.divergence import check_finite
from elmo_mini.errors import ConfigurationError
from elmo_mini.models.masked_lm import CHOSEN, IGNORED, MaskedLM, MaskedLMOptions, corrupt
from elmo_mini.settings import at_least_0, share, whole_number
from elmo_mini.text.batches import in_batches
from elmo_mini.training.processes import Processes
from elmo_mini.training.run import Run
from elmo_mini.training.steps import clipped_step, device_of, seeded
from elmo_mini.transformer.sentence_pairs import pack, padded

POOL = 50
NO_PAIR = -1

Row = tuple[list[int], list[int], int]
"""Word numbers, segments, and whether the second sentence follows: 1, 0, or `NO_PAIR`."""


@dataclass(frozen=True)
class NumberedText:
    """Sentences as numbers.

    Attributes
    ----------
    words : of all sentences, one after another, (N,)
    starts : where each sentence starts, and N at the end, (S + 1,)
    goes_on : whether the next sentence continues the text, (S,) bool
    """

    words: NDArray[np.int32]
    starts: NDArray[np.int64]
    goes_on: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, sentence: int) -> list[int]:
        found: list[int] = self.words[self.starts[sentence] : self.starts[sentence + 1]].tolist()
        return found

    def digest(self) -> str:
        """64 hexadecimal digits that another text does not have."""
        parts = (self.words, self.starts, self.goes_on)
        return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def epoch_rows(text: NumberedText, longest: int, lots: random.Random) -> list[Row]:
    """The text once: pairs of neighbours, of which one half get a false second sentence."""
    rows: list[Row] = []
    sentence = lots.randrange(2)
    while sentence < len(text):
        first = text[sentence]
        if not text.goes_on[sentence]:
            rows.append((*pack(first, longest=longest), NO_PAIR))
            sentence += 1
            continue
        follows = int(lots.random() < 0.5)
        second = text[sentence + 1 if follows else lots.randrange(len(text))]
        rows.append((*pack(first, second, longest), follows))
        sentence += 2
    return rows


@dataclass(eq=False)
class MaskedPretraining(Run):
    """One run of pretraining a masked language model.

    Attributes
    ----------
    options : sizes of the model
    text : what is read
    batch_size : rows of a step
    steps : of the whole run; the rate falls in the last `fall` of them
    learning_rate : the highest
    warm_up : steps in which it rises to that
    fall : share of the steps in which it falls
    seed : of the weights, the order, the corruption and the false pairs
    chosen : share of the words that are asked for
    half : compute products of matrices in bfloat16, where the device has kernels for it
    device : where the model computes; what is drawn is the same on every device
    held : rows to validate on

    Raises
    ------
    ConfigurationError
        If a number is out of its range; the message names it.
    """

    options: MaskedLMOptions
    text: NumberedText
    steps: int
    batch_size: int = 32
    learning_rate: float = 1e-3
    warm_up: int = 400
    fall: float = 0.5
    seed: int = 1
    chosen: float = CHOSEN
    half: bool = False
    device: str = "cpu"
    held: Sequence[Row] = ()
    model: MaskedLM = field(init=False, repr=False)
    words_read: int = field(default=0, init=False)
    history: list[dict[str, float]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "warm_up"):
            whole_number(name, getattr(self, name))
        whole_number("seed", self.seed, 0, 2**32 - 1)  # steps draw from a million times as much
        at_least_0("learning_rate", self.learning_rate)
        for name in ("fall", "chosen"):
            if not share(name, getattr(self, name)):
                raise ConfigurationError(f"{name} is {getattr(self, name)!r}; it must be above 0")
        with seeded(self.seed, torch.device("cpu")):
            model = MaskedLM(self.options).to(self.device)
        weights = [p for p in model.parameters() if p.ndim > 1]
        others = [p for p in model.parameters() if p.ndim <= 1]
        groups: list[dict[str, Any]] = [
            {"params": weights, "weight_decay": 0.01},
            {"params": others, "weight_decay": 0.0},
        ]
        optimiser = torch.optim.AdamW(groups, lr=self.learning_rate, betas=(0.9, 0.98))
        alone = Processes(0, 1, self.device)
        super().__init__(model, optimiser, "bfloat16" if self.half else "float32", alone)
        self.half = self.precision.now == "bfloat16"
        self.text_digest = self.text.digest()
        self._epoch, self._first = -1, 0
        self._batches: list[list[Row]] = []

    def rate(self, step: int) -> float:
        """The learning rate of `step`, counted from 0: it rises, stays, and falls to zero."""
        rising = (step + 1) / self.warm_up
        falling = (self.steps - step) / (self.fall * self.steps)
        return self.learning_rate * max(0.0, min(1.0, rising, falling))

    def learn(self) -> tuple[float, float]:
        """One step; the losses of the hidden words and of the pairs, in nats."""
        self.model.train()
        ids, mask, segments, follows = self._batch(self.step)
        chance = torch.Generator().manual_seed(self.seed * 1_000_003 + self.step)
        read, asked = corrupt(ids, self.options.words, chance, chosen=self.chosen)
        batch = (part.to(self.device) for part in (read, asked, mask, segments, follows))
        with self.precision.autocast():
            hidden, pairs = losses(self.model, *batch)
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate(self.step)
        clipped_step(self.model, self.optimiser, hidden + pairs)
        self.words_read += int(mask.sum())
        return hidden.item(), pairs.item()

    def validate(self) -> dict[str, float]:
        """What `validation_loss` finds in `held`."""
        entry = validation_loss(self.model, self.held, self.options.words)
        check_finite(f"lower learning_rate={self.learning_rate}", loss=entry["nats"])
        entry |= {"step": self.step, "words": self.words_read, "seconds": round(self.seconds)}
        self.history.append(entry)
        return entry

    def belongs_to(self) -> dict[str, Any]:
        """Settings and text; the number of steps may grow."""
        return {
            "options": asdict(self.options),
            "batch_size": self.batch_size,
            "learning_rate": self.learning_rate,
            "warm_up": self.warm_up,
            "fall": self.fall,
            "seed": self.seed,
            "chosen": self.chosen,
            "text": self.text_digest,
        }

    def record(self) -> dict[str, Any]:
        """What was read and found so far."""
        return {"words_read": self.words_read, "history": self.history}

    def restore(self, tensors: Mapping[str, Tensor], record: Mapping[str, Any]) -> None:
        """Take over what was read and found."""
        self.words_read, self.history = record["words_read"], record["history"]

    def _batch(self, step: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Ids, mask and segments (B, T) of a step, and (B,) whether the pair is a true one."""
        while step >= self._first + len(self._batches):
            self._next_epoch()
        rows = self._batches[step - self._first]
        ids, mask, segments = padded([(ids, segments) for ids, segments, _ in rows])
        return ids, mask, segments, torch.tensor([follows for *_, follows in rows])

    def _next_epoch(self) -> None:
        self._epoch, self._first = self._epoch + 1, self._first + len(self._batches)
        lots = random.Random(f"{self.seed} {self._epoch}")
        rows = epoch_rows(self.text, self.options.longest, lots)
        lots.shuffle(rows)
        self._batches = list(_of_like_length(rows, self.batch_size))
        lots.shuffle(self._batches)


def losses(
    model: MaskedLM, read: Tensor, asked: Tensor, mask: Tensor, segments: Tensor, follows: Tensor
) -> tuple[Tensor, Tensor]:
    """Mean nats of a hidden word, and of a pair's question; 0 where nothing is asked."""
    states = model(read, mask, segments)  # (B, T, D)
    chosen, paired = asked != IGNORED, follows != NO_PAIR
    hidden = functional.cross_entropy(model.scores(states[chosen]), asked[chosen], reduction="sum")
    score, right = model.next_score(states)[paired], follows[paired].float()
    pairs = functional.binary_cross_entropy_with_logits(score, right, reduction="sum")
    return hidden / chosen.sum().clamp(min=1), pairs / paired.sum().clamp(min=1)


def _of_like_length(rows: Sequence[Row], size: int) -> Iterator[list[Row]]:
    """Batches of rows of like length; within pools, so that the same rows seldom meet."""
    for pool in in_batches(rows, POOL * whole_number("batch_size", size)):
        yield from map(list, in_batches(sorted(pool, key=lambda row: len(row[0])), size))


def validation_loss(
    model: MaskedLM, rows: Sequence[Row], words: int, *, seed: int = 0, size: int = 64
) -> dict[str, float]:
    """Mean nats of a hidden word, and the share of pairs that are judged right."""
    chance = torch.Generator().manual_seed(seed)
    nats, asked_for, right, pairs = 0.0, 0, 0, 0
    device = device_of(model)
    model.eval()
    with torch.no_grad():
        for some in _of_like_length(rows, size):
            ids, mask, segments = padded([(ids, segments) for ids, segments, _ in some])
            follows = torch.tensor([follows for *_, follows in some])
            read, asked = corrupt(ids, words, chance)
            ids, read, asked, mask, segments, follows = (
                part.to(device) for part in (ids, read, asked, mask, segments, follows)
            )
            hidden, _ = losses(model, read, asked, mask, segments, follows)
            count = int((asked != IGNORED).sum())
            nats, asked_for = nats + hidden.item() * count, asked_for + count
            score = model.next_score(model(ids, mask, segments))
            paired = follows != NO_PAIR
            right += int(((score > 0).long() == follows)[paired].sum())
            pairs += int(paired.sum())
    if not asked_for and seed < 100:  # of a few short sentences, chance may have hidden no word
        return validation_loss(model, rows, words, seed=seed + 1, size=size)
    return {"nats": nats / asked_for, "pairs": right / max(1, pairs)}
