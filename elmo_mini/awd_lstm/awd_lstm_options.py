"""The sizes and dropouts of an AWD-LSTM, checked, scaled and written down."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from elmo_mini.errors import ConfigurationError
from elmo_mini.fast.bilm_options import MOST_WEIGHTS, MOST_WORDS
from elmo_mini.fast.character_options import MOST_LAYERS, require_whole_numbers
from elmo_mini.models.awd_lstm import AWDLSTMSizes
from elmo_mini.text.running_text import check_direction

DROPOUTS = ("embedding_dropout", "input_dropout", "hidden_dropout", "output_dropout", "weight_drop")


@dataclass(frozen=True, kw_only=True)
class AWDLSTMOptions(AWDLSTMSizes):
    """`AWDLSTMSizes` that are refused where they cannot be, as a command or a file gives them.

    The dropouts are the paper's for the Penn Treebank. They suit a text that is read very
    often; `scaled` turns all of them up or down, as fastai's ``drop_mult`` does.

    Raises
    ------
    ConfigurationError
        If a size is no whole number above 0 or too large, a dropout is outside 0 to below 1,
        or the direction is unknown.
    """

    def __post_init__(self) -> None:
        require_whole_numbers({"vocabulary_size": self.vocabulary_size}, MOST_WORDS)
        require_whole_numbers({"dim": self.dim, "hidden_dim": self.hidden_dim})
        require_whole_numbers({"layers": self.layers}, MOST_LAYERS)
        weights = sum(4 * gives * (reads + gives) for reads, gives in self.layer_sizes)
        if weights + self.vocabulary_size * self.dim > MOST_WEIGHTS:
            raise ConfigurationError(f"lower dim or hidden_dim: at most {MOST_WEIGHTS:,} weights")
        for name in DROPOUTS:
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 <= value < 1:
                raise ConfigurationError(f"{name} is {value!r}; it must be from 0 to below 1")
        check_direction(self.direction)

    def scaled(self, factor: float) -> Self:
        """The same model with every dropout times `factor`."""
        return replace(self, **{name: factor * getattr(self, name) for name in DROPOUTS})

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
