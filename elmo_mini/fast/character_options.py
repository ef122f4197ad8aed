"""The sizes of a character CNN, the part ``char_cnn`` of an official options file."""

import reprlib
from dataclasses import dataclass
from typing import Any

from elmo_mini.errors import ElmoFileError
from elmo_mini.text.character_ids import MAX_CHARACTERS

ACTIVATIONS = ("relu", "tanh")
MOST = 1 << 16  # sizes, sixteen times those of the published models
MOST_FILTERS, MOST_LAYERS = 256, 128


@dataclass(frozen=True, kw_only=True)
class CharacterCNNOptions:
    """Sizes and settings of the token layer (NAACL ELMo paper, section 3.4).

    `filters` holds (width, number of filters). `n_highway` may be 0. `projection_dim` is the
    length of a token's vector. The published models use widths 1 to 7 with 2048 filters in all,
    16-dimensional characters, and one or two highway layers.
    """

    projection_dim: int
    filters: tuple[tuple[int, int], ...]
    character_dim: int = 16
    n_highway: int = 1
    activation: str = "relu"
    max_characters: int = MAX_CHARACTERS

    def __post_init__(self) -> None:
        require_whole_numbers(
            {
                "lstm.projection_dim": self.projection_dim,
                "char_cnn.embedding.dim": self.character_dim,
                "char_cnn.max_characters_per_token": self.max_characters,
                **{f"char_cnn.filters[{i}][0]": w for i, (w, _) in enumerate(self.filters)},
                **{f"char_cnn.filters[{i}][1]": n for i, (_, n) in enumerate(self.filters)},
            }
        )
        if len(self.filters) > MOST_FILTERS:
            raise ElmoFileError(
                f"char_cnn.filters has {len(self.filters)} widths; there may be {MOST_FILTERS}"
            )
        if not self.filters:
            raise ElmoFileError("char_cnn.filters is empty; the model needs at least one filter")
        if type(self.n_highway) is not int or not 0 <= self.n_highway <= MOST_LAYERS:
            raise ElmoFileError(
                f"char_cnn.n_highway is {shown(self.n_highway)}; it must be a whole number from 0 "
                f"to {MOST_LAYERS}"
            )
        if self.widest_filter > self.max_characters:
            raise ElmoFileError(
                f"a filter spans {self.widest_filter} characters but tokens have "
                f"{self.max_characters}; lower the width in char_cnn.filters or raise "
                "max_characters_per_token"
            )
        if self.activation not in ACTIVATIONS:
            raise ElmoFileError(
                f"char_cnn.activation is {shown(self.activation)}; "
                f"known are {', '.join(ACTIVATIONS)}"
            )

    @property
    def n_filters(self) -> int:
        """Length of the vector that the character CNN gives before its projection."""
        return sum(count for _, count in self.filters)

    @property
    def widest_filter(self) -> int:
        """Characters that the widest filter spans."""
        return max(width for width, _ in self.filters)


def shown(value: object) -> str:
    """A value of a file for a message, cut where it is long."""
    return reprlib.repr(value)


def require_whole_numbers(sizes: dict[str, Any], most: int = MOST) -> None:
    """Every size is a whole number above 0, and none that no model has.

    Raises
    ------
    ElmoFileError
        Naming the first that is not.
    """
    for name, value in sizes.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ElmoFileError(f"{name} is {shown(value)}; it must be a whole number above 0")
        if value > most:
            raise ElmoFileError(f"{name} is {shown(value)}; it must be at most {most:,}")
