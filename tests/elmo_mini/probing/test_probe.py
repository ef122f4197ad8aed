"""Probes: what they find is in the vectors, and the baselines are what they say."""

import copy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from elmo_mini.checkpoints.official import load_bilm
from elmo_mini.embedding.embedder import ElmoEmbedder
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.probing.probe import Kind, occurrence_vectors, probe, probe_rows
from elmo_mini.probing.probing_tasks import Occurrence, Task, load_task
from elmo_mini.probing.report import bootstrap_interval, share_right, stored_points
from tests.elmo_mini import official_files


@pytest.fixture
def bilm(tmp_path: Path) -> FastBiLM:
    files = official_files.random_model(tmp_path, scale=2.0, projection_dim=24, dim=40)
    return load_bilm(files.options_file, files.weight_file)


def made_up_task(count: int = 24) -> Task:
    """The sense of *bank* and of *mine* follows from the word before; one sense is rarer."""
    before = {"bank": ("steep", "rich"), "mine": ("coal", "all")}
    occurrences = []
    for number in range(count):
        for word, marks in before.items():
            sense = number % 3 == 0
            words = (f"w{number % 5}", "the", marks[sense], word, "was", f"v{number % 2}")
            occurrences.append(Occurrence(words, 3, f"{word}.{sense:d}", word))
    cut = len(occurrences) // 2
    return Task("made up", "made up", tuple(occurrences[:cut]), tuple(occurrences[cut:]))


TASK = made_up_task()


@pytest.mark.parametrize("kind", ["knn", "centroid", "linear"])
def test_context_is_in_the_layers_and_not_in_the_token_layer(bilm: FastBiLM, kind: Kind) -> None:
    report = probe(bilm, TASK, kind=kind, neighbours=1, progress=False)
    names = [score.name for score in report.scores]
    assert names == ["majority", "majority of the form", "layer 0", "layer 1", "layer 2"]
    assert report["majority"].accuracy == pytest.approx(2 / 3)
    # Every "bank" has the same token vector, so all a probe can do is to name one sense of it.
    for accuracy in report["layer 0"].by_group.values():
        assert accuracy in (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert report["layer 1"].accuracy > 0.95
    assert set(report["layer 1"].by_group) == {"bank", "mine"}
    gain, low, _ = report.difference("layer 1", "majority")
    assert gain == pytest.approx(report["layer 1"].accuracy - 2 / 3)
    assert low > 0.1
    with pytest.raises(KeyError, match="no row 'layer 3'"):
        report["layer 3"]


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_knn_and_centroid_against_plain_loops(bilm: FastBiLM) -> None:
    embedder = ElmoEmbedder(module=bilm)
    # Without the telling word the probe errs here and there, so that errors can be compared. No
    # two sentences are alike, so that no two examples are equally near.
    occurrences = [
        Occurrence((f"w{number}", "the", o.form, "was", f"v{number}"), 2, o.label, o.group)
        for number, o in enumerate((*TASK.train, *TASK.test))
    ]
    train, test = occurrences[: len(TASK.train)], occurrences[len(TASK.train) :]
    task = Task("dull", "dull", tuple(train), tuple(test))

    vector = cache(lambda o: embedder.embed_sentence(o.words)[2, o.position])
    nearest, centroid = [], []
    for o in test:
        known = [(cosine(vector(o), vector(t)), t.label) for t in train if t.group == o.group]
        near = [label for _, label in sorted(known, reverse=True)[:3]]
        nearest.append(max(near, key=near.count) == o.label)
        means = {}
        for label in {label for _, label in known}:
            units = [vector(t) / np.linalg.norm(vector(t)) for t in train if t.label == label]
            means[label] = cosine(vector(o), np.mean(units, 0))
        centroid.append(max(means, key=lambda label: means[label]) == o.label)
    for kind, right in (("knn", nearest), ("centroid", centroid)):
        report = probe(bilm, task, kind=kind, neighbours=3, layers=[2], progress=False)  # type: ignore[arg-type]
        assert report["layer 2"].correct[0].tolist() == right
        assert 0.2 < report["layer 2"].accuracy < 0.95


def test_only_examples_of_the_same_group_are_asked(bilm: FastBiLM) -> None:
    twins = tuple(Occurrence(("a",), 0, label, group) for label, group in (("x", "g"), ("y", "h")))
    report = probe(bilm, Task("twins", "twins", twins, twins), neighbours=1, progress=False)
    assert [score.accuracy for score in report.scores] == [1, 1, 1, 1, 1]


def test_a_centroid_is_the_mean_of_directions(bilm: FastBiLM) -> None:
    static = {"long": [100.0, 0.0], "short": [0.0, 1.0], "other": [2.0, 0.9], "asked": [1.1, 1.0]}
    labels = {"long": "A", "short": "A", "other": "B", "asked": "A"}
    *train, test = (Occurrence((word,), 0, label) for word, label in labels.items())
    task = Task("lengths", "lengths", tuple(train), (test,))
    report = probe(bilm, task, kind="centroid", static=static, layers=[0], progress=False)
    assert report["static vector"].accuracy == 1


def test_vectors_are_those_of_the_model_with_and_without_a_cache(
    bilm: FastBiLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    occurrences = [*TASK.train[:5], Occurrence(TASK.train[0].words, 0, "x")]
    embedder = ElmoEmbedder(module=bilm)
    right = [embedder.embed_sentence(o.words)[[2, 0], o.position] for o in occurrences]
    direct = occurrence_vectors(bilm, occurrences, [2, 0], progress=False)
    np.testing.assert_allclose(direct, right, rtol=0, atol=1e-6)
    stored = occurrence_vectors(bilm, occurrences, [2, 0], cache=tmp_path / "c", progress=False)
    np.testing.assert_array_equal(stored, direct)
    monkeypatch.setattr("elmo_mini.embedding.stream.embed_batch", None)
    again = occurrence_vectors(bilm, occurrences, [2, 0], cache=tmp_path / "c", progress=False)
    np.testing.assert_array_equal(again, direct)


def test_baselines(bilm: FastBiLM) -> None:
    train = [("Sing", "V"), ("song", "N"), ("song", "N"), ("sing", "V"), ("of", "P"), ("way", "N")]
    test = [("sing", "V"), ("song", "N"), ("of", "N"), ("new", "N"), ("old", "A")]
    task = Task(
        "tags",
        "tags",
        tuple(Occurrence((word,), 0, tag) for word, tag in train),
        tuple(Occurrence((word,), 0, tag) for word, tag in test),
    )
    static = {"sing": [1.0, 0.0], "song": [0.0, 1.0], "of": [-1.0, 0.0], "way": [0.5, 0.5]}
    report = probe(bilm, task, neighbours=1, static=static, progress=False)
    assert report["majority"].correct.tolist() == [[False, True, True, True, False]]
    assert report["majority of the form"].correct.tolist() == [[True, True, False, True, False]]
    assert report["static vector"].correct[0, :3].tolist() == [True, True, False]
    assert report["majority"].by_group == {}
    with pytest.raises(ValueError, match="know no word"):
        probe(bilm, task, static={"Zulu": [0.0]}, progress=False)


def test_mean_of_static_vectors_sees_the_sentence(bilm: FastBiLM) -> None:
    static = {"steep": [1.0, 0.0], "rich": [0.0, 1.0], "coal": [1.0, 0.0], "all": [0.0, 1.0]}
    static |= {word: [1.0, 1.0] for word in ("the", "bank", "mine", "was")}
    report = probe(bilm, TASK, neighbours=1, static=static, layers=[1], progress=False)
    assert report["mean of static vectors"].accuracy == 1
    assert report["static vector"].accuracy < 0.7


def test_draws_differ_and_repeat(bilm: FastBiLM) -> None:
    def run(seed: int) -> np.ndarray:
        report = probe(bilm, TASK, train_size=3, draws=6, seed=seed, layers=[1], progress=False)
        assert report.settings["train"] == 6
        return report["layer 1"].correct

    first = run(0)
    assert first.shape == (6, len(TASK.test))
    assert len({row.tobytes() for row in first}) > 1
    np.testing.assert_array_equal(first, run(0))
    np.testing.assert_array_equal(first[1:], run(1)[:-1])


@settings(deadline=None, max_examples=20)
@given(st.floats(0.1, 0.9), st.integers(50, 400))
def test_interval_of_independent_examples(share: float, size: int) -> None:
    outcome = (np.arange(size) < share * size).astype(float)[None]
    mean, low, high = bootstrap_interval(outcome, np.arange(size))
    half = 1.96 * float(np.sqrt(mean * (1 - mean) / size))
    assert (high - low) / 2 == pytest.approx(half, rel=0.2)
    assert low < mean < high


def test_interval_knows_that_words_of_a_sentence_go_together() -> None:
    outcome = (np.arange(400) % 2).astype(float)
    _, low, high = bootstrap_interval(np.repeat(outcome, 10)[None], np.repeat(np.arange(400), 10))
    _, narrow, wide = bootstrap_interval(np.repeat(outcome, 10)[None], np.arange(4_000))
    assert (high - low) / (wide - narrow) == pytest.approx(10**0.5, rel=0.15)
    noisy = np.stack([outcome, 1 - outcome, np.ones(400), np.zeros(400)])
    _, low, high = bootstrap_interval(noisy, np.arange(400))
    assert high - low > 0.3


def test_a_share_is_of_whole_sentences() -> None:
    told = [Occurrence(("a", "b"), place, "N") for place in (0, 1)]
    told.append(Occurrence(("c",), 0, "N"))
    right = np.array([True, True, False])
    point = share_right(np.tile(right, 100), told * 100)
    assert point == {"mean": pytest.approx(2 / 3), "low": 0, "high": 1}  # two sentences, not 300


def test_report_in_words_and_numbers(bilm: FastBiLM) -> None:
    report = probe(bilm, TASK, neighbours=1, progress=False)
    table = str(report).splitlines()
    assert table[1] == "  probe 1-NN, train 24, test 24, draws 1, seed 0"
    assert table[3].split()[:2] == ["majority", "0.667"]
    numbers = report.as_dict()
    assert numbers["rows"]["majority"]["accuracy"] == 0.6667
    assert numbers["rows"]["layer 2"]["by_word"].keys() == {"bank", "mine"}


def test_what_is_refused(bilm: FastBiLM) -> None:
    with pytest.raises(ValueError, match="no probe 'mlp'"):
        probe(bilm, TASK, kind="mlp")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no layer 3: this model has 0"):
        probe(bilm, TASK, layers=[1, 3])
    with pytest.raises(ValueError, match="train_size is 0"):
        probe(bilm, TASK, train_size=0)
    with pytest.raises(ValueError, match="no train examples"):
        Task("empty", "", (), TASK.test)
    with pytest.raises(ValueError, match="tests mine without an example"):
        Task("half", "", tuple(o for o in TASK.train if o.group == "bank"), TASK.test)
    with pytest.raises(ValueError, match="no task 'ner'; the tasks are senses"):
        load_task("ner")
    with pytest.raises(ValueError, match="no labelled sentences in 'latin'"):
        load_task("senses:latin")
    with pytest.raises(TypeError, match="'senses'; load_task gives one"):
        probe(bilm, "senses")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="biLM is needed here, and this is Linear"):
        probe(torch.nn.Linear(1, 1), TASK)  # type: ignore[arg-type]
    outside = Occurrence(("a", "bank"), 9, "bank", "river")
    with pytest.raises(ValueError, match="occurrence 0 has no position 9: its sentence has 2"):
        occurrence_vectors(bilm, [outside], [0], progress=False)
    stateful = copy.deepcopy(bilm)
    stateful.stateful = True
    with pytest.raises(ValueError, match="the model is stateful"):
        probe(stateful, TASK)


@pytest.mark.parametrize("name", ["senses", "senses:chinese"])
def test_the_courses_sense_sentences(name: str) -> None:
    task = load_task(name)
    assert len({o.group for o in task.train}) > 5
    assert all(o.label.startswith(o.group) for o in task.test)
    assert not {o.words for o in task.train} & {o.words for o in task.test}


def test_real_corpora(real_corpus) -> None:  # type: ignore[no-untyped-def]
    real_corpus("senseval")
    task = load_task("senseval:hard")
    assert {o.label for o in task.train} == {"HARD1", "HARD2", "HARD3"}
    assert {o.form.lower() for o in task.test} <= {"hard", "harder", "hardest"}
    assert not {o.words for o in task.train} & {o.words for o in task.test}
    real_corpus("treebank")
    tags = load_task("pos")
    assert 20_000 <= len(tags.train) < 20_300
    assert 6_000 <= len(tags.test) < 10_300
    assert len({o.label for o in tags.train}) > 40


def test_stored_rows_are_points_in_the_order_of_their_names() -> None:
    rows = {
        "layer 1": {"accuracy": 0.5, "interval_95": [0.4, 0.7]},
        "layer 2": {"accuracy": 0.6, "interval_95": [0.55, 0.65]},
    }
    assert stored_points(rows, ["layer 2", "layer 1"]) == [
        {"mean": 0.6, "low": 0.55, "high": 0.65},
        {"mean": 0.5, "low": 0.4, "high": 0.7},
    ]


def test_labels_that_are_no_strings_are_compared_as_such() -> None:
    def task(of: Callable[[int], Any]) -> Task:
        every = [Occurrence(("a", str(i)), 1, of(i % 2)) for i in range(30)]
        return Task("x", "x", tuple(every[:20]), tuple(every[20:]))

    rows = {"given": np.eye(2, dtype=np.float32)[[i % 2 for i in range(30)]]}
    for of in (str, bool, int):
        (*_, score) = probe_rows(task(of), rows).scores
        assert score.accuracy == 1
    with pytest.raises(ValueError, match="given has 29 rows for 30 occurrences"):
        probe_rows(task(str), {"given": rows["given"][1:]})


NOTHING_READ = {"layer 0": np.zeros((48, 2), np.float32)}


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"c": 0.0}, "c is 0.0; it must be above 0"),
        ({"seed": -1}, "seed is -1"),
        ({"neighbours": 0}, "neighbours is 0"),
        ({"draws": 0}, "draws is 0"),
        ({"kind": "mlp"}, "no probe 'mlp'"),
    ],
)
def test_a_setting_that_no_probe_has_is_named_before_anything_is_read(
    bilm: FastBiLM, setting: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("elmo_mini.probing.probe.occurrence_vectors")
    with pytest.raises(ValueError, match=said):
        probe(bilm, TASK, **setting)
    with pytest.raises(ValueError, match=said):
        probe_rows(TASK, NOTHING_READ, **setting)


@pytest.mark.parametrize(
    "odd", [np.zeros(3), np.array([1.0, np.nan]), ["a", "b"], np.zeros((1, 2)), 1.0]
)
def test_static_vectors_of_several_lengths_are_refused_before_anything_is_read(
    bilm: FastBiLM, odd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("elmo_mini.probing.probe.occurrence_vectors")
    with pytest.raises(ValueError, match="static vector of 'bank' is no row of 2 finite numbers"):
        probe(bilm, TASK, static={"the": np.ones(2), "bank": odd})


def test_rows_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match="layer 0 holds numbers that are not finite"):
        probe_rows(TASK, {"layer 0": np.full((48, 2), np.nan, np.float32)})
