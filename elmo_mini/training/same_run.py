"""Whether a saved run is the one that somebody wants to go on with."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from elmo_mini.checkpoints.safetensors_file import CheckpointDamaged
from elmo_mini.errors import ConfigurationError

Record = Mapping[str, Any]
PRECISION = {"precision", "bfloat16"}


def check_same_run(path: Path, record: Record, mine: Record) -> None:
    """Refuse to go on with a run of other settings or another text.

    Parameters
    ----------
    record : what the file at `path` says of its run
    mine : what this run would say; settings, grouped or not, and perhaps the digest of its "text".
        The precision of products may differ: not every processor has every precision.

    Raises
    ------
    CheckpointDamaged
        If the record lacks what a run has.
    ConfigurationError
        If anything differs; the message names it, with both values.
    """
    if mine.keys() - record.keys() - {"text"}:
        raise CheckpointDamaged(f"{path} holds no run of this kind that can go on")
    differing: list[str] = []
    for part in mine.keys() - {"text"}:
        its, own = _flat(part, record[part]), _flat(part, mine[part])
        differing += [
            f"{name} is {its.get(name)} there and {own.get(name)} here"
            for name in (its.keys() | own.keys()) - PRECISION
            if its.get(name) != own.get(name)
        ]
    differing.sort()
    if record.get("text", mine.get("text")) != mine.get("text"):  # the oldest have none
        differing.append("the text or its vocabulary is another one")
    if differing:
        raise ConfigurationError(
            f"{path} belongs to another run: {'; '.join(differing)}. Use the same settings "
            "to go on, or another output folder to start anew"
        )


def _flat(name: str, value: Any) -> dict[str, Any]:
    """Settings by name; those within a group of settings have its name before theirs."""
    if not isinstance(value, dict):
        return {name: value}
    flat: dict[str, Any] = {}
    for inner, one in cast(dict[str, Any], value).items():
        flat |= {
            f"{inner}.{deeper}" if isinstance(one, dict) else deeper: leaf
            for deeper, leaf in _flat(inner, one).items()
        }
    return flat
