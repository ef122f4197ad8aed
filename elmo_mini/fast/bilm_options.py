"""The sizes of a biLM, as the official options file spells them.

The file is JSON with two parts, ``lstm`` and ``char_cnn``. Pretraining files carry further keys
(learning rate, vocabulary size and so on); they are kept apart and ignored here.
"""

from dataclasses import dataclass
from typing import Any

from elmo_mini.errors import ElmoFileError
from elmo_mini.fast.character_options import CharacterCNNOptions, require_whole_numbers
from elmo_mini.text.character_ids import MAX_CHARACTERS


@dataclass(frozen=True, kw_only=True)
class BiLMOptions(CharacterCNNOptions):
    """Sizes and settings of a character biLM (NAACL ELMo paper, section 3.4).

    `dim` is the size of a cell state, `projection_dim` that of an output in one direction.
    `cell_clip` and `proj_clip` of 0 or None mean no clipping. The published models clip at 3,
    have two layers and skip connections. `CharacterCNNOptions` has the sizes of the token layer.
    """

    dim: int
    n_layers: int = 2
    cell_clip: float | None = 3.0
    proj_clip: float | None = 3.0
    use_skip_connections: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_whole_numbers({"lstm.dim": self.dim, "lstm.n_layers": self.n_layers})
        for name, clip in (("cell_clip", self.cell_clip), ("proj_clip", self.proj_clip)):
            if clip and clip < 0:
                raise ElmoFileError(f"lstm.{name} is {clip}; it must be positive, or 0 for none")

    @property
    def output_dim(self) -> int:
        """Length of a representation: forward and backward together."""
        return 2 * self.projection_dim

    @classmethod
    def from_dict(cls, options: Any) -> "BiLMOptions":
        """Read the content of an options file.

        Raises
        ------
        ElmoFileError
            If a part is missing, or the file describes a model that reads whole words.
        """
        if not isinstance(options, dict) or "lstm" not in options:
            raise ElmoFileError('these are no ELMo options: the part "lstm" is missing')
        if "char_cnn" not in options:
            raise ElmoFileError(
                'the options have no part "char_cnn": this is a model over whole words with a '
                "fixed vocabulary, not over characters. elmo_mini reads character models only"
            )
        lstm, cnn = options["lstm"], options["char_cnn"]
        try:
            return cls(
                projection_dim=lstm["projection_dim"],
                dim=lstm["dim"],
                n_layers=lstm["n_layers"],
                cell_clip=lstm.get("cell_clip") or None,
                proj_clip=lstm.get("proj_clip") or None,
                use_skip_connections=bool(lstm.get("use_skip_connections", False)),
                filters=tuple((width, count) for width, count in cnn["filters"]),
                character_dim=cnn["embedding"]["dim"],
                n_highway=cnn.get("n_highway") or 0,
                activation=cnn.get("activation", "relu"),
                max_characters=cnn.get("max_characters_per_token", MAX_CHARACTERS),
            )
        except KeyError as missing:
            raise ElmoFileError(f"the options lack the entry {missing}") from missing
        except (TypeError, ValueError, AttributeError) as wrong:
            if isinstance(wrong, ElmoFileError):
                raise
            raise ElmoFileError(f"the options cannot be read: {wrong}") from wrong

    def to_dict(self) -> dict[str, Any]:
        """The content of an official options file for inference (``n_characters`` 262)."""
        return {
            "lstm": {
                "cell_clip": self.cell_clip or 0,
                "use_skip_connections": self.use_skip_connections,
                "n_layers": self.n_layers,
                "proj_clip": self.proj_clip or 0,
                "projection_dim": self.projection_dim,
                "dim": self.dim,
            },
            "char_cnn": {
                "embedding": {"dim": self.character_dim},
                "filters": [list(pair) for pair in self.filters],
                "n_highway": self.n_highway,
                "n_characters": 262,
                "max_characters_per_token": self.max_characters,
                "activation": self.activation,
            },
        }
