"""The masked model's states beside the biLM's, and the control that reads nothing."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from course.both_sides_at_once import masked_layers
from elmo_mini.checkpoints.pretrained import COURSE_CHECKPOINT
from elmo_mini.probing.report import ProbeReport, Score
from elmo_mini.probing.tasks import Occurrence, Task
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.transformer.corruption import SPECIALS, UNKNOWN
from elmo_mini.transformer.masked_lm_file import LARGER_CHECKPOINT


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


def test_the_command_stores_both_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["dog", "cats", "dogs", "king", "kings", "ship", "ships", "song", "songs", "tree"]
    task = Task("senses", "made up", occurrences(words), occurrences(words[:4]))
    monkeypatch.setattr(masked_layers, "load_task", lambda name: task)
    command = ["senses", "--results", str(tmp_path), "--starts", str(tmp_path / "starts")]
    assert masked_layers.main(command) == 2
    assert "pretrain-masked --seed 2" in capsys.readouterr().err
    for kind, file in (("masked", LARGER_CHECKPOINT), ("bilm", COURSE_CHECKPOINT)):
        if kind == "bilm":
            assert masked_layers.main(command) == 2
            assert "each start needs both" in capsys.readouterr().err
        (tmp_path / "starts" / f"{kind}_2").mkdir(parents=True)
        shutil.copy(file, tmp_path / "starts" / f"{kind}_2" / "model.safetensors")
    assert masked_layers.main(command) == 0
    stored = json.loads((tmp_path / "masked_layers_senses.json").read_text(encoding="utf-8"))
    assert {"neighbours", "masked, layer 2", "biLM, layer 2"} <= set(stored["rows"])
    assert len(stored["differences"]["masked, layer 2 less biLM, layer 2"]["values"]) == 2
    assert [model["start"] for model in stored["models"]] == [1, 2]
    assert "--starts starts" in stored["command"]
    trained, without = (
        stored["differences"][f"masked, layer 3 less {other}"]["values"]
        for other in ("biLM, layer 2", "masked, untrained, layer 3")
    )
    assert trained[0] == trained[1]  # the same two files
    assert len(without) == 2


def test_starts_together_are_their_mean_and_their_interval_draws_them_anew() -> None:
    def report(right: list[bool]) -> ProbeReport:
        correct = np.array([right])
        scores = tuple(
            Score(name, float(row.mean()), 0.0, 0.0, {"g": float(row.mean())}, row)
            for name, row in (("ours", correct), ("theirs", ~correct))
        )
        return ProbeReport("t", "t", "knn", {"draws": 1, "seed": 0}, scores, np.arange(4))

    good, bad = report([True] * 4), report([False] * 4)
    both = masked_layers._together([good, bad])
    assert both.settings == {"starts": 2}
    assert both["ours"].accuracy == both["ours"].by_group["g"] == 0.5
    assert (both["ours"].low, both["ours"].high) == (0.0, 1.0)
    (gain,) = masked_layers._gains(both, ("ours", "theirs")).values()
    assert gain["values"] == [1.0, -1.0]
    assert gain["mean"] == 0


def test_every_start_learns_from_words_of_its_own_and_is_asked_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    train = tuple(
        Occurrence((f"w{n // 2}", "x"), n % 2, "t", "g") for n in range(2 * masked_layers.TAGGED)
    )
    task = Task("t", "t", train, train[:3])
    monkeypatch.setattr(masked_layers, "load_task", lambda name: task)
    for name, size in (("pos", masked_layers.TAGGED), ("senseval", masked_layers.LEARNT)):
        one, again, two = (masked_layers._task(name, start) for start in (1, 1, 2))
        assert len(one.train) == len(two.train) == size
        assert one.train == again.train != two.train
        assert one.test == two.test == task.test
    pos = masked_layers._task("pos", 1).train
    assert all(a.words == b.words for a, b in zip(pos[::2], pos[1::2], strict=True))  # whole


def test_known_words_are_in_the_vocabulary_and_in_lower_case() -> None:
    vocabulary = Vocabulary([*SPECIALS, "the", "dog"], unknown=UNKNOWN)
    words = ("the", "The", "dog", "zebra")
    task = Task("pos", "tags", *[tuple(Occurrence(words, at, "t") for at in range(4))] * 2)
    known = masked_layers._known(task, vocabulary)
    assert [o.form for o in known.train] == [o.form for o in known.test] == ["the", "dog"]
