"""The sizes of a biLM, as the official options file spells them.

The file is JSON with two parts, ``lstm`` and ``char_cnn``. Pretraining files carry further keys
(learning rate, vocabulary size and so on); they are kept apart and ignored here.
"""

from dataclasses import dataclass
from typing import Any

from elmo_mini.errors import ElmoFileError
from elmo_mini.fast.character_options import (
    MOST_LAYERS,
    CharacterCNNOptions,
    require_whole_numbers,
    shown,
)
from elmo_mini.text.character_ids import MAX_CHARACTERS

MOST_WORDS = 1 << 24  # sixteen million; the largest table of the published models has 0.8
SMALLEST_CLIP, LARGEST_CLIP = 1e-30, 1e30  # a float32 holds both
MOST_WEIGHTS = 1 << 32  # 17 GB; the largest published model has 94 million weights


@dataclass(frozen=True, kw_only=True)
class BiLMOptions(CharacterCNNOptions):
    """Sizes and settings of a biLM (NAACL ELMo paper, section 3.4).

    `dim` is the size of a cell state, `projection_dim` that of an output in one direction.
    `cell_clip` and `proj_clip` of 0 or None mean no clipping. The published models clip at 3,
    have two layers and skip connections. `CharacterCNNOptions` has the sizes of the token layer.
    `n_words` makes a model over whole words: so many rows of a table, and no character CNN.
    """

    dim: int
    filters: tuple[tuple[int, int], ...] = ()
    n_words: int | None = None
    n_layers: int = 2
    cell_clip: float | None = 3.0
    proj_clip: float | None = 3.0
    use_skip_connections: bool = True

    def __post_init__(self) -> None:
        if self.n_words is None:
            super().__post_init__()
        else:
            require_whole_numbers({"n_tokens_vocab": self.n_words}, MOST_WORDS)
            require_whole_numbers({"lstm.projection_dim": self.projection_dim})
            require_whole_numbers({"max_characters_per_token": self.max_characters})
        require_whole_numbers({"lstm.dim": self.dim})
        require_whole_numbers({"lstm.n_layers": self.n_layers}, MOST_LAYERS)
        for name, clip in (("cell_clip", self.cell_clip), ("proj_clip", self.proj_clip)):
            if clip is not None and not _is_clip(clip):
                raise ElmoFileError(
                    f"lstm.{name} is {shown(clip)}; it must be a number from "
                    f"{SMALLEST_CLIP:g} to {LARGEST_CLIP:g}, or 0 for none"
                )
        if not isinstance(self.use_skip_connections, bool):
            raise ElmoFileError(
                f"lstm.use_skip_connections is {shown(self.use_skip_connections)}; it must be true "
                "or false"
            )
        if self.weights > MOST_WEIGHTS:
            raise ElmoFileError(
                f"these options make a model of {self.weights:,} weights; lower lstm.dim, "
                f"lstm.projection_dim or char_cnn.filters: {MOST_WEIGHTS:,} is the most"
            )

    @property
    def weights(self) -> int:
        """How many numbers the model has, to within a thousandth."""
        layer = 2 * (2 * self.projection_dim * 4 + 4 + self.projection_dim) * self.dim
        if self.n_words is not None:
            return self.n_layers * layer + self.n_words * self.projection_dim
        letters = sum(width * count for width, count in self.filters) * self.character_dim
        highways = self.n_highway * 2 * self.n_filters**2
        return self.n_layers * layer + letters + highways + self.n_filters * self.projection_dim

    @property
    def output_dim(self) -> int:
        """Length of a representation: forward and backward together."""
        return 2 * self.projection_dim

    @classmethod
    def from_dict(cls, options: Any) -> "BiLMOptions":
        """Read the content of an options file.

        Without the part ``char_cnn`` it describes a model over whole words, whose number stands
        under ``n_tokens_vocab``.

        Raises
        ------
        ElmoFileError
            If a part or an entry is missing, or no model can have what it says.
        """
        if not isinstance(options, dict) or "lstm" not in options:
            raise ElmoFileError('these are no ELMo options: the part "lstm" is missing')
        if not isinstance(options["lstm"], dict):
            raise ElmoFileError(f'the part "lstm" is {shown(options["lstm"])}, no table of entries')
        if "char_cnn" not in options and "n_tokens_vocab" not in options:
            raise ElmoFileError(
                'the options have no part "char_cnn", so this is a model over whole words, and the '
                'entry "n_tokens_vocab", the number of its words, is missing'
            )
        lstm, cnn = options["lstm"], options.get("char_cnn", {})
        if not isinstance(cnn, dict):
            raise ElmoFileError(f'the part "char_cnn" is {shown(cnn)}, no table of entries')
        if cnn.get("n_characters", 262) not in (261, 262):
            raise ElmoFileError(
                f"char_cnn.n_characters is {shown(cnn['n_characters'])}: a model of another "
                "alphabet. bilm-tf writes 261 for training and 262 after it; both are read"
            )
        try:
            stack = {
                "projection_dim": lstm["projection_dim"],
                "dim": lstm["dim"],
                "n_layers": lstm["n_layers"],
                "cell_clip": _none_for_zero(lstm.get("cell_clip")),
                "proj_clip": _none_for_zero(lstm.get("proj_clip")),
                "use_skip_connections": _as_bool(lstm.get("use_skip_connections")),
            }
            if "char_cnn" not in options:
                width = options.get("max_characters_per_token", MAX_CHARACTERS)
                return cls(**stack, n_words=options["n_tokens_vocab"], max_characters=width)
            return cls(
                **stack,
                filters=_pairs(cnn["filters"]),
                character_dim=_table(cnn["embedding"])["dim"],
                n_highway=0 if cnn.get("n_highway") is None else cnn["n_highway"],
                activation=cnn["activation"],
                max_characters=cnn.get("max_characters_per_token", MAX_CHARACTERS),
            )
        except KeyError as missing:
            raise ElmoFileError(f"the options lack the entry {missing}") from missing
        except (TypeError, ValueError, AttributeError, OverflowError) as wrong:
            if isinstance(wrong, ElmoFileError):
                raise
            raise ElmoFileError(f"the options cannot be read: {wrong}") from wrong

    def to_dict(self) -> dict[str, Any]:
        """The content of an official options file for inference (``n_characters`` 262)."""
        lstm = {
            "cell_clip": self.cell_clip or 0,
            "use_skip_connections": self.use_skip_connections,
            "n_layers": self.n_layers,
            "proj_clip": self.proj_clip or 0,
            "projection_dim": self.projection_dim,
            "dim": self.dim,
        }
        if self.n_words is not None:
            width = self.max_characters
            return {"lstm": lstm, "n_tokens_vocab": self.n_words, "max_characters_per_token": width}
        return {
            "lstm": lstm,
            "char_cnn": {
                "embedding": {"dim": self.character_dim},
                "filters": [list(pair) for pair in self.filters],
                "n_highway": self.n_highway,
                "n_characters": 262,
                "max_characters_per_token": self.max_characters,
                "activation": self.activation,
            },
        }


def _is_clip(value: object) -> bool:
    """Whether it is a number that a value can be clipped at, or 0 for none."""
    if type(value) not in (int, float) or (type(value) is int and value >= 2**63):
        return False  # PyTorch takes no larger whole number
    return value == 0 or SMALLEST_CLIP <= value <= LARGEST_CLIP  # type: ignore[operator]


def _pairs(filters: Any) -> tuple[tuple[Any, Any], ...]:
    """The filters as pairs; what stands in them is checked later."""
    pairs = isinstance(filters, list) and all(isinstance(f, list) and len(f) == 2 for f in filters)
    if not pairs:
        raise ElmoFileError(
            f"char_cnn.filters is {shown(filters)}; it must be a list of pairs, [width, number]"
        )
    return tuple((width, count) for width, count in filters)


def _table(embedding: Any) -> dict[str, Any]:
    if not isinstance(embedding, dict):
        raise ElmoFileError(
            f'char_cnn.embedding is {shown(embedding)}; it must be a table with the entry "dim"'
        )
    return embedding


def _as_bool(value: Any) -> Any:
    """False in place of None, true and false in place of 1 and 0; everything else as it is."""
    return bool(value) if value is None or (type(value) is int and value in (0, 1)) else value


def _none_for_zero(value: Any) -> Any:
    """None in place of 0, and everything else as it is."""
    return None if type(value) in (int, float) and value == 0 else value
