"""The mixes and settings of an `Elmo` among the entries of its folder's ``config.json``."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from torch import nn

from elmo_mini.embedding.scalar_mix import AllenNLPScalarMix
from elmo_mini.errors import ConfigurationError, ElmoFileError
from elmo_mini.settings import finite, share, truth

ENTRY = "elmo"


@dataclass(frozen=True)
class StoredMixes:
    """What an `Elmo` has beside its biLM.

    settings : keyword arguments of `Elmo`
    mixes : for each output representation, the weights before the softmax, and gamma last
    trainable : whether the mixes ask for gradients, each
    """

    settings: dict[str, Any]
    mixes: list[list[float]]
    trainable: list[bool]

    def fill(self, mixes: Iterable[nn.Module]) -> None:
        """Put the numbers into mixes of these sizes."""
        for mix, values, trainable in zip(mixes, self.mixes, self.trainable, strict=True):
            for parameter, value in zip(_parameters(mix), values, strict=True):
                parameter.data.fill_(value)
                parameter.requires_grad_(trainable)


def to_store(
    mixes: Sequence[nn.Module], dropout: float, keep_sentence_boundaries: bool, stateful: bool
) -> dict[str, Any]:
    """The entries of the configuration; read back by `stored_mixes`.

    Raises
    ------
    ConfigurationError
        If a mix is not finite, was replaced by a module of another class, or differs from the
        others in its layer norm.
    """
    for number, mix in enumerate(mixes):
        if type(mix) is not AllenNLPScalarMix:
            raise ConfigurationError(
                f"scalar mix {number} is a {type(mix).__name__}, of which the folder would hold "
                "nothing; keep the model's state_dict together with your own code"
            )
        if mix.do_layer_norm != mixes[0].do_layer_norm:
            raise ConfigurationError(
                f"do_layer_norm of scalar mix {number} is not that of mix 0, and the folder has one"
            )
        for parameter in _parameters(mix):
            finite(f"a weight of scalar mix {number}", parameter.item())
    return {
        "dropout": dropout,
        "do_layer_norm": bool(mixes[0].do_layer_norm),
        "keep_sentence_boundaries": bool(keep_sentence_boundaries),
        "stateful": stateful,
        "trainable_mixes": [any(p.requires_grad for p in mix.parameters()) for mix in mixes],
        "scalar_mixes": [[p.item() for p in _parameters(mix)] for mix in mixes],
    }


def stored_mixes(config: Mapping[str, Any], layers: int, path: Path) -> StoredMixes | None:
    """What `to_store` gave, or None where a biLM was stored alone.

    Parameters
    ----------
    config : the content of the file `path`
    layers : of the model

    Raises
    ------
    ElmoFileError
        If an entry is missing, of another kind, or not of so many layers.
    """
    if ENTRY not in config:
        return None
    own = config[ENTRY]
    try:
        mixes = [[finite("a weight of a mix", x) for x in values] for values in own["scalar_mixes"]]
        if not mixes or any(len(values) != layers + 1 for values in mixes):
            raise ElmoFileError(f"each mix must have {layers} weights and gamma")
        switches = ("do_layer_norm", "keep_sentence_boundaries")
        settings: dict[str, Any] = {name: truth(name, own[name]) for name in switches}
        settings["dropout"] = share("dropout", own["dropout"])
        settings["stateful"] = truth("stateful", own.get("stateful", False))  # not in older files
        each = own["trainable_mixes"]
        each = each if isinstance(each, list) else [each] * len(mixes)
        trainable = [truth("trainable_mixes", one) for one in each]
        if len(trainable) != len(mixes):
            raise ElmoFileError(f"trainable_mixes says {len(trainable)} for {len(mixes)} mixes")
        return StoredMixes(settings, mixes, trainable)
    except KeyError as missing:
        raise ElmoFileError(f"{path}: its part {ENTRY!r} lacks the entry {missing}") from missing
    except (TypeError, ValueError, OverflowError) as wrong:
        raise ElmoFileError(f"{path}: its part {ENTRY!r} cannot be read: {wrong}") from wrong


def _parameters(mix: nn.Module) -> list[nn.Parameter]:
    own = cast(AllenNLPScalarMix, mix)
    return [*own.scalar_parameters, own.gamma]
