"""The sizes of a biLM, as the official options file spells them.

The file is JSON with two parts, ``lstm`` and ``char_cnn``. Pretraining files carry further keys
(learning rate, vocabulary size and so on); they are kept apart and ignored here.
"""

from dataclasses import dataclass
from typing import Any

from elmo_mini.characters import MAX_CHARACTERS
from elmo_mini.errors import ElmoFileError

ACTIVATIONS = ("relu", "tanh")


@dataclass(frozen=True)
class BiLMOptions:
    """Sizes and settings of a character biLM (NAACL ELMo paper, section 3.4).

    `filters` holds (width, number of filters). `cell_clip` and `proj_clip` of 0 or None mean no
    clipping. `n_highway` may be 0. The published models use widths 1 to 7 with 2048 filters in
    all, 16-dimensional characters, clips of 3, two layers and skip connections.
    """

    projection_dim: int
    dim: int
    filters: tuple[tuple[int, int], ...]
    n_layers: int = 2
    character_dim: int = 16
    n_highway: int = 1
    activation: str = "relu"
    cell_clip: float | None = 3.0
    proj_clip: float | None = 3.0
    use_skip_connections: bool = True
    max_characters: int = MAX_CHARACTERS

    def __post_init__(self) -> None:
        sizes = {
            "lstm.projection_dim": self.projection_dim,
            "lstm.dim": self.dim,
            "lstm.n_layers": self.n_layers,
            "char_cnn.embedding.dim": self.character_dim,
            "char_cnn.max_characters_per_token": self.max_characters,
            **{f"char_cnn.filters[{i}][0]": w for i, (w, _) in enumerate(self.filters)},
            **{f"char_cnn.filters[{i}][1]": n for i, (_, n) in enumerate(self.filters)},
        }
        for name, value in sizes.items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ElmoFileError(f"{name} is {value!r}; it must be a whole number above 0")
        if not self.filters:
            raise ElmoFileError("char_cnn.filters is empty; the model needs at least one filter")
        if not isinstance(self.n_highway, int) or self.n_highway < 0:
            raise ElmoFileError(f"char_cnn.n_highway is {self.n_highway!r}; it must be 0 or more")
        widest = max(width for width, _ in self.filters)
        if widest > self.max_characters:
            raise ElmoFileError(
                f"a filter spans {widest} characters but tokens have {self.max_characters}; "
                "lower the width in char_cnn.filters or raise max_characters_per_token"
            )
        if self.activation not in ACTIVATIONS:
            raise ElmoFileError(
                f"char_cnn.activation is {self.activation!r}; known are {', '.join(ACTIVATIONS)}"
            )
        for name, clip in (("cell_clip", self.cell_clip), ("proj_clip", self.proj_clip)):
            if clip and clip < 0:
                raise ElmoFileError(f"lstm.{name} is {clip}; it must be positive, or 0 for none")

    @property
    def n_filters(self) -> int:
        """Length of the vector that the character CNN gives before its projection."""
        return sum(count for _, count in self.filters)

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
