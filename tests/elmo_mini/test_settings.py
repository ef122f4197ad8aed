"""A setting of another kind is refused in a sentence that names it."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from elmo_mini import Elmo, ElmoEmbedder, Word2Vec, embed_file, load_pretrained
from elmo_mini.errors import ConfigurationError
from elmo_mini.settings import finite, share, truth, whole_number
from elmo_mini.tagging.training import TaggerTrainingOptions
from elmo_mini.training.steps import TrainingOptions

BILM = load_pretrained()
ELMO_SWITCHES = ("requires_grad", "do_layer_norm", "keep_sentence_boundaries")
FILE_SWITCHES = ("overwrite", "resume", "split_words")


def _elmo(name: str, value: Any) -> Elmo:
    return Elmo(None, None, 1, module=BILM, **{name: value})


def _file(name: str, value: Any) -> object:
    return embed_file(BILM, "nowhere.txt", "never.hdf5", **{name: value})


CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "batch_size": (
        lambda x: list(ElmoEmbedder(module=BILM).embed_sentences([["a"]], x)),
        (0, "2", None, 2.0, True),
    ),
    "cache_tokens": (
        lambda x: ElmoEmbedder(module=BILM, cache_tokens=x),
        (-1, 10.5, "10", None, True),
    ),
    "stateful": (lambda x: ElmoEmbedder(module=BILM, stateful=x), ("no", None, 1)),
    "dropout": (
        lambda x: Elmo(None, None, 1, module=BILM, dropout=x),
        (None, "0.5", float("nan"), 2, True),
    ),
    "num_output_representations": (
        lambda x: Elmo(None, None, x, module=BILM),
        (0, True, 1.0, "1", None),
    ),
    "initial weights": (
        lambda x: Elmo(None, None, 1, module=BILM, scalar_mix_parameters=x),
        (3, "abc", "123", [1, None, 2], [1, 2]),
    ),
    **{name: (partial(_elmo, name), ("no", None, 1)) for name in ELMO_SWITCHES},
    **{name: (partial(_file, name), ("no", None, 1)) for name in FILE_SWITCHES},
    "overwrite=": (
        lambda x: ElmoEmbedder(module=BILM).embed_file(["a"], "never.hdf5", overwrite=x),
        ("no", None, 1),
    ),
    "shrink_windows": (
        lambda x: Word2Vec([["a", "b"]], min_count=1, shrink_windows=x),
        ("no", None, 1),
    ),
    "epochs": (lambda x: TrainingOptions(epochs=x), (0, 2.5, "3", None)),
    "patience": (lambda x: TaggerTrainingOptions(patience=x), (0, 1.5, "3", None)),
    "decay": (lambda x: TaggerTrainingOptions(decay=x), (0, 1.1, "x", None, float("nan"))),
    "Elmo cache_tokens": (lambda x: Elmo(None, None, 1, module=BILM, cache_tokens=x), (None, "")),
    "learning_rate": (
        lambda x: TrainingOptions(learning_rate=x),
        (-1.0, "0.1", None, float("nan"), float("inf"), 1e300, 10**400),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_setting_of_another_kind_is_named(name: str) -> None:
    call, wrong = CALLS[name]
    for value in wrong:
        with pytest.raises(ConfigurationError, match=name.removeprefix("Elmo ").strip("=")):
            call(value)


def test_numbers_of_numpy_are_numbers() -> None:
    assert whole_number("n", np.int64(3)) == 3
    assert share("p", np.float32(0.5)) == 0.5
    assert finite("r", np.float64(2.0)) == 2.0
    assert truth("t", np.bool_(True)) is True
    assert Elmo(None, None, 1, module=BILM, scalar_mix_parameters=np.ones(3))  # type: ignore[arg-type]
