"""What a biLM is made of when a check draws it: letters for words, and weights by their names."""

import torch
from torch import Tensor, nn

from autograde.checking.answers import AnswerRefused

CHARACTERS = 6
OTHERS = (
    "char_embed",
    *(f"CNN/{kind}_cnn_{width}" for width in range(3) for kind in "Wb"),
    *(f"CNN_high_0/{kind}_{gate}" for gate in ("carry", "transform") for kind in "Wb"),
    "CNN_proj/W_proj",
    "CNN_proj/b_proj",
)
"""Names of the official files that are no weights of the two readers."""
CELL = "RNN_{}/RNN/MultiRNNCell/Cell{}/LSTMCell"


class Letters(nn.Module):
    """In place of the character CNN: takes words as rows of letters, (N, letters), and no batch."""

    def __init__(self, hidden: int, generator: torch.Generator) -> None:
        super().__init__()
        self.letters = nn.Parameter(torch.randn(262, hidden, generator=generator))

    def forward(self, ids: Tensor) -> Tensor:
        """(N, letters) to (N, H); a row of zeros has a vector, too, as in the real one."""
        if ids.ndim != 2:
            raise AnswerRefused(
                f"`self.char_cnn` was given a tensor of shape {tuple(ids.shape)}. It takes a list "
                "of words, (N, letters): `ids.flatten(0, 1)`, and `.unflatten(0, ids.shape[:2])` "
                "on what comes."
            )
        return self.letters[ids].mean(1)


def weights_of(
    layers: int, hidden: int, cells: int, generator: torch.Generator
) -> dict[str, Tensor]:
    """Weights of both directions under the names of the official files, and others of a file."""
    shapes = {"W_0": (2 * hidden, 4 * cells), "B": (4 * cells,), "W_P_0": (cells, hidden)}
    return {
        f"{CELL.format(direction, layer)}/{name}": torch.randn(shape, generator=generator)
        for direction in (0, 1)
        for layer in range(layers)
        for name, shape in shapes.items()
    } | {name: torch.zeros(1) for name in OTHERS}
