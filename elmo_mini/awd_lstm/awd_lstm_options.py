"""The sizes and dropouts of an AWD-LSTM."""

from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Self

from elmo_mini.errors import ConfigurationError

DIRECTIONS = ("forward", "backward")
DROPOUTS = (
    "embedding_dropout",
    "input_dropout",
    "hidden_dropout",
    "output_dropout",
    "weight_drop",
)


@dataclass(frozen=True, kw_only=True)
class AWDLSTMOptions:
    """Sizes and dropouts of an AWD-LSTM (Merity, Keskar & Socher 2017, sections 2 and 4).

    The dropouts are the paper's for the Penn Treebank. They suit a text that is read very
    often; `scaled` turns all of them up or down, as fastai's ``drop_mult`` does.

    Attributes
    ----------
    vocabulary_size : V
    dim : E, the length of a word's vector, and of the last layer's state if `tied`
    hidden_dim : H, the state of the other layers
    layers : number of LSTM layers
    embedding_dropout : share of word types that a batch does without
    input_dropout : locked dropout on the vectors of the words
    hidden_dropout : locked dropout between two layers
    output_dropout : locked dropout before the softmax
    weight_drop : share of the recurrent weights that a batch does without
    tied : the softmax uses the word vectors as its weights
    direction : the order in which the model reads, ``forward`` or ``backward``

    Raises
    ------
    ConfigurationError
        If a size is no whole number above 0, a dropout is outside 0 to below 1, or the direction
        is unknown.
    """

    vocabulary_size: int
    dim: int = 200
    hidden_dim: int = 400
    layers: int = 2
    embedding_dropout: float = 0.1
    input_dropout: float = 0.4
    hidden_dropout: float = 0.25
    output_dropout: float = 0.4
    weight_drop: float = 0.5
    tied: bool = True
    direction: str = "forward"

    def __post_init__(self) -> None:
        for name in ("vocabulary_size", "dim", "hidden_dim", "layers"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ConfigurationError(f"{name} is {value!r}; it must be a whole number above 0")
        for name in DROPOUTS:
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 <= value < 1:
                raise ConfigurationError(f"{name} is {value!r}; it must be from 0 to below 1")
        if self.direction not in DIRECTIONS:
            raise ConfigurationError(
                f"direction is {self.direction!r}; it must be {' or '.join(DIRECTIONS)}"
            )

    def scaled(self, factor: float) -> Self:
        """The same model with every dropout times `factor`."""
        return replace(self, **{name: factor * getattr(self, name) for name in DROPOUTS})

    @property
    def layer_sizes(self) -> list[tuple[int, int]]:
        """What each layer reads and gives: (E, H), (H, H), ..., and last (H, E) if `tied`."""
        last = self.dim if self.tied else self.hidden_dim
        sizes = [self.dim, *[self.hidden_dim] * (self.layers - 1), last]
        return list(pairwise(sizes))

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, options: Any) -> Self:
        """Read what `to_dict` gave.

        Raises
        ------
        ConfigurationError
            If an entry is missing, unknown or out of its range.
        """
        try:
            return cls(**options)
        except TypeError as wrong:
            raise ConfigurationError(f"these are no options of an AWD-LSTM: {wrong}") from wrong
