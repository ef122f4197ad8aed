"""A model as a folder: ``config.json``, ``model.safetensors`` and a model card, ``README.md``."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import torch

from elmo_mini._version import __version__
from elmo_mini.checkpoints.pretrained import as_entries, save_pretrained, weight_dtype, with_record
from elmo_mini.errors import ConfigurationError, ElmoFileError, PathLike
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.files import as_path, make_folder, write_text, written_whole
from elmo_mini.plain_text import NotPlainText, text_of

CONFIG, WEIGHTS, CARD = "config.json", "model.safetensors", "README.md"
_SAVE = "folder_save"  # in both files: which save they are of


def save_folder(
    bilm: FastBiLM,
    folder: PathLike,
    record: Mapping[str, Any] | None = None,
    dtype: torch.dtype | None = None,
    own: Mapping[str, Any] | None = None,
) -> None:
    """Write the three files; settings and errors as in `save_pretrained`.

    An ELMo that is in the folder is replaced; one of another kind is refused with
    ConfigurationError. A ``README.md`` that is there stays as it is.
    `own` are further entries of the configuration, JSON values, for `with_config`.
    """
    path, save = as_path(folder), {_SAVE: uuid4().hex}
    if (path / CONFIG).is_file():
        with suppress(ElmoFileError):  # what cannot be read is no model
            other = _table(path / CONFIG).get("model_type")
            if other != "elmo":
                raise ConfigurationError(
                    f"{path} holds a model of another kind, {other!r}, which would be lost; name "
                    "another folder"
                )
    make_folder(path)
    config = {"model_type": "elmo", "elmo_mini_version": __version__, **bilm.options.to_dict()}
    config |= {**(own or {}), **save}
    with written_whole(path / CONFIG) as part:  # no weights without it beside another's mixes
        part.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
        save_pretrained(bilm, path / WEIGHTS, {**as_entries(record), **save}, dtype)
    if not (path / CARD).exists():
        write_text(path / CARD, _card(bilm, record or {}, dtype or weight_dtype(bilm)))


def load_folder(folder: PathLike, *, stateful: bool = False) -> FastBiLM:
    """The model of a folder of `save_folder`, without gradients; raises as `with_config`."""
    return with_config(folder, stateful=stateful)[0]


def with_config(folder: PathLike, *, stateful: bool = False) -> tuple[FastBiLM, dict[str, Any]]:
    """The model of `load_folder` and the content of ``config.json``, of one save.

    Raises
    ------
    FileNotFoundError
        If the folder or one of the two files is missing; the message says what it holds.
    ElmoFileError, CheckpointDamaged
        If a file is damaged, or they are of two models, or of two saves of one.
    """
    config = _config(folder)
    path = as_path(folder)
    try:
        options = BiLMOptions.from_dict(config)
    except ElmoFileError as wrong:
        raise ElmoFileError(f"{path / CONFIG} cannot be read: {wrong}") from wrong
    bilm, record = with_record(path / WEIGHTS, stateful=stateful)
    if bilm.options != options:
        raise ElmoFileError(
            f"{path / CONFIG} describes another model than {path / WEIGHTS}; both files must come "
            "from one model"
        )
    if record.get(_SAVE) not in (None, config.get(_SAVE)):  # none: stored anew, or long ago
        raise ElmoFileError(f"{CONFIG} and {WEIGHTS} in {path} are of two saves; save it again")
    return bilm, config


def _config(folder: PathLike) -> dict[str, Any]:
    path = as_path(folder)
    if not path.is_dir():
        raise FileNotFoundError(
            f"there is no folder {path}; nothing is fetched from a hub. Name a folder with "
            f"{CONFIG} and {WEIGHTS}"
        )
    for name in (CONFIG, WEIGHTS):
        if not (path / name).is_file():
            held = ", ".join(sorted(item.name for item in path.iterdir())[:8]) or "nothing"
            raise FileNotFoundError(f"{path} has no {name}; it holds {held}")
    return _table(path / CONFIG)


def _table(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(text_of(path))
    except (NotPlainText, ValueError, RecursionError) as wrong:
        raise ElmoFileError(f"{path} cannot be read: {wrong}") from wrong
    if not isinstance(config, dict):
        raise ElmoFileError(f"{path} cannot be read: it holds no table of entries")
    return config


def _card(bilm: FastBiLM, record: Mapping[str, Any], dtype: torch.dtype) -> str:
    options = bilm.options
    if options.n_words is None:
        reads = f"characters, {options.n_filters} filters, {options.n_highway} highway layer(s)"
    else:
        reads = f"whole words, a vocabulary of {options.n_words:,}"
    weights = sum(p.numel() for p in bilm.parameters())
    said = [f"- {name}: {json.dumps(value)}" for name, value in record.items()]
    return "\n".join(
        [
            "---",
            "library_name: elmo_mini",
            "tags: [elmo, word-embeddings]",
            "---",
            "",
            "# A bidirectional language model",
            "",
            f"ELMo (Peters et al., 2018) with {weights:,} weights, stored as {dtype}: reads "
            f"{reads}; {options.n_layers} LSTM layers of {options.dim} cells, "
            f"{options.projection_dim} numbers in each direction.",
            "",
            "```python",
            "from elmo_mini import ElmoEmbedder",
            "",
            'embedder = ElmoEmbedder.from_pretrained("this folder")',
            'embedder.embed_sentence(["She", "plays"])',
            "```",
            "",
            "## Where it comes from",
            "",
            *(said or ["Its author has not said: texts, licence and training belong here."]),
            "",
        ]
    )
