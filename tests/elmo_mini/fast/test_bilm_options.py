"""Reading the options file's content."""

from typing import Any

import pytest

from elmo_mini.errors import ElmoFileError
from elmo_mini.fast.bilm_options import BiLMOptions
from tests.elmo_mini import official_files


def test_there_and_back() -> None:
    options = BiLMOptions.from_dict(official_files.options())
    assert options == BiLMOptions(
        projection_dim=6,
        dim=10,
        filters=((1, 4), (2, 5), (5, 7)),
        character_dim=4,
        n_highway=2,
        cell_clip=3,
        proj_clip=3,
    )
    assert BiLMOptions.from_dict(options.to_dict()) == options
    assert options.to_dict() == official_files.options()
    assert options.n_filters == 16
    assert options.output_dim == 12


def test_training_keys_are_ignored() -> None:
    content = official_files.options() | {"n_tokens_vocab": 793471, "dropout": 0.1}
    assert BiLMOptions.from_dict(content) == BiLMOptions.from_dict(official_files.options())


@pytest.mark.parametrize("clip", [0, None])
def test_falsy_clips_mean_none(clip: float | None) -> None:
    options = BiLMOptions.from_dict(official_files.options(cell_clip=clip, proj_clip=clip))
    assert options.cell_clip is None
    assert options.proj_clip is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dim": 0}, "lstm.dim is 0"),
        ({"projection_dim": "6"}, "lstm.projection_dim is '6'"),
        ({"filters": []}, "filters is empty"),
        ({"filters": [[1, 4], [2]]}, "must be a list of pairs"),
        ({"filters": [[60, 4]]}, "spans 60 characters but tokens have 50"),
        ({"activation": "gelu"}, "'gelu'; known are relu, tanh"),
        ({"cell_clip": -1}, "cell_clip is -1"),
        ({"proj_clip": 2**63}, "proj_clip is 9223372036854775808"),
        ({"n_highway": -1}, "n_highway is -1"),
    ],
)
def test_wrong_entries_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ElmoFileError, match=message):
        BiLMOptions.from_dict(official_files.options(**changes))


def test_missing_parts_are_named() -> None:
    content = official_files.options()
    with pytest.raises(ElmoFileError, match='"lstm" is missing'):
        BiLMOptions.from_dict({"model": "bert"})
    with pytest.raises(ElmoFileError, match="over whole words"):
        BiLMOptions.from_dict({"lstm": content["lstm"]})
    del content["lstm"]["projection_dim"]
    with pytest.raises(ElmoFileError, match="lack the entry 'projection_dim'"):
        BiLMOptions.from_dict(content)
