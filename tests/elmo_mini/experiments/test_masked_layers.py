"""The masked model's states beside the biLM's, and the control that reads nothing."""

import json
from pathlib import Path

import numpy as np
import pytest

from elmo_mini.experiments import masked_layers
from elmo_mini.probing.tasks import Occurrence, Task
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.corruption import SPECIALS, UNKNOWN


def occurrences(words: list[str]) -> tuple[Occurrence, ...]:
    return tuple(Occurrence(("The", word, "is", "here"), 1, word[-1], "g") for word in words)


def test_neighbours_know_words_and_distances_and_no_case() -> None:
    one, same, moved = masked_layers.neighbours(
        [
            Occurrence(("The", "dog", "ran"), 1, ""),
            Occurrence(("the", "Dog", "ran"), 1, ""),
            Occurrence(("dog", "the", "ran"), 0, ""),
        ]
    )
    assert one.shape == (7 * masked_layers.SIZE,)
    np.testing.assert_array_equal(one, same)
    middle = slice(3 * masked_layers.SIZE, 4 * masked_layers.SIZE)
    np.testing.assert_array_equal(one[middle], moved[middle])
    assert (one != moved).any()
    assert not one[: 2 * masked_layers.SIZE].any()  # beyond the sentence there is nothing


def test_the_command_stores_both_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["dog", "cats", "dogs", "king", "kings", "ship", "ships", "song", "songs", "tree"]
    task = Task("senses", "made up", occurrences(words), occurrences(words[:4]))
    monkeypatch.setattr(masked_layers, "load_task", lambda name: task)
    assert masked_layers.main(["senses", "--results", str(tmp_path)]) == 0
    stored = json.loads((tmp_path / "masked_layers_senses.json").read_text(encoding="utf-8"))
    assert {"neighbours", "masked, layer 2", "biLM, layer 2"} <= set(stored["rows"])
    assert "masked, layer 2 less biLM, layer 2" in stored["differences"]


def test_known_words_are_in_the_vocabulary_and_in_lower_case() -> None:
    vocabulary = Vocabulary([*SPECIALS, "the", "dog"], unknown=UNKNOWN)
    words = ("the", "The", "dog", "zebra")
    task = Task("pos", "tags", *[tuple(Occurrence(words, at, "t") for at in range(4))] * 2)
    known = masked_layers._known(task, vocabulary)
    assert [o.form for o in known.train] == [o.form for o in known.test] == ["the", "dog"]
