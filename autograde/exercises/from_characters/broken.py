"""Eight ways to break a character encoder. Three of them are planted in lesson 06.

Each fault is one slip of the kind that gives no error, or gives one only far away.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from elmo_mini.models import elmo as plain
from elmo_mini.text.character_ids import word_to_ids

Encoder = Callable[..., dict[str, Tensor]]
FAULTS = (
    "bytes are not shifted by one",
    "padding is read as id 0",
    "characters, not bytes",
    "no end mark",
    "lower case first",
    "mean over the positions",
    "the gate the other way round",
    "no relu in the highway",
)
PLANTED = {"A": 1, "B": 2, "C": 6}  # places in FAULTS


def broken_ids(words: Sequence[str], fault: str) -> Tensor:
    """(N, 50) ids, with the fault if it is one of ids."""
    rows = []
    for word in words:
        row = list(word_to_ids(word.lower() if fault == "lower case first" else word))
        if fault == "bytes are not shifted by one":
            row = [code - 1 if code < 257 else code for code in row]
        if fault == "padding is read as id 0":
            row = [0 if code == 261 else code for code in row]
        if fault == "no end mark":
            row = [code for code in row if code != 260]
        if fault == "characters, not bytes":
            row = [259, *(ord(letter) + 1 for letter in word[:48]), 260]
        rows.append(row + [261] * (50 - len(row)))
    return torch.tensor(rows)


def encoder_with(fault: str, weights: Mapping[str, Tensor]) -> Encoder:
    """An encoder with one fault, or with none if `fault` is empty.

    It takes words, and `shut=True` to shut the gate of its first highway, and gives the tensors
    after each stage: ``letters``, ``filters``, ``highway`` and ``vectors``.
    """
    cnn = plain.CharCNN(weights).requires_grad_(False)
    gate = cast(plain.Highway, cnn.highways[0])

    def encode(words: Sequence[str], shut: bool = False) -> dict[str, Tensor]:
        ids = broken_ids(words, fault)
        table = functional.pad(cnn.char_embed, (0, 0, 1, 0))
        letters = table[ids]
        matches = [
            functional.conv1d(letters.transpose(1, 2), W, b)
            for W, b in zip(cnn.W_cnn, cnn.b_cnn, strict=True)
        ]
        averaged = fault == "mean over the positions"
        found = [part.mean(-1) if averaged else part.amax(-1) for part in matches]
        x = torch.relu(torch.cat(found, -1))
        new = x @ gate.W_transform + gate.b_transform
        if fault != "no relu in the highway":
            new = torch.relu(new)
        g = torch.sigmoid(x @ gate.W_carry + (-50.0 if shut else gate.b_carry))
        if fault == "the gate the other way round":
            g = 1 - g
        y = g * new + (1 - g) * x
        return {
            "letters": letters,
            "filters": x,
            "highway": y,
            "vectors": y @ cnn.W_proj + cnn.b_proj,
        }

    return encode


LONG = "taumata" * 9  # more than 48 bytes: its row has no padding
PROBES = ("a", "cat", "Wednesday", "counterrevolutionary", LONG, "naïve", "café")
FOLLOWED = "Wednesday"
STAGES = {
    f"{FOLLOWED}:\nletters": ("letters", False),
    "filters": ("filters", False),
    "highway": ("highway", False),
    "gate shut": ("highway", True),
}


def off(
    broken: Encoder, sound: Encoder, word: str, stage: str = "vectors", *, shut: bool = False
) -> float:
    """Distance of a word from the sound encoder, as a percentage of the sound one's length."""
    right, wrong = sound([word], shut=shut)[stage], broken([word], shut=shut)[stage]
    return float(100 * (wrong - right).norm() / right.norm())


def symptoms(weights: Mapping[str, Tensor]) -> tuple[NDArray[np.float64], list[str], list[str]]:
    """The table of the lesson: distances (3, 11), names of the encoders, names of the columns."""
    sound, encoders = encoder_with("", weights), planted(weights)
    rows = [
        [off(broken, sound, word) for word in PROBES]
        + [off(broken, sound, FOLLOWED, stage, shut=shut) for stage, shut in STAGES.values()]
        for broken in encoders.values()
    ]
    words = [word if word != LONG else "63 letters" for word in PROBES]
    return np.array(rows), list(encoders), [*words, *STAGES]


def planted(weights: Mapping[str, Tensor]) -> dict[str, Encoder]:
    """The three encoders of the lesson, A, B and C."""
    return {name: encoder_with(FAULTS[place], weights) for name, place in PLANTED.items()}
