"""The experiments of lesson 05, with a small biLM: what is stored, and what is refused."""

import json
from pathlib import Path

import pytest
import torch

from course.results.stored import stored_result
from course.taglm import broken_crfs, counted_lm, tagger_setup
from course.taglm import experiments as taglm_experiments
from course.taglm.experiments import main
from course.taglm.tagger_setup import NO_LM, TAGLM, System, TaggerSetup, differences
from elmo_mini import corpora
from elmo_mini.checkpoints.pretrained import save_pretrained
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.models.taglm import TaggerOptions
from elmo_mini.tagging.data import entities
from elmo_mini.tagging.tagged_sentences import TaggedSentence
from elmo_mini.tagging.tagger import Tagger
from elmo_mini.tagging.training import TaggerTrainingOptions


@pytest.fixture
def bilm(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    file = tmp_path / "tiny.safetensors"
    small = FastBiLM(BiLMOptions(projection_dim=6, dim=8, filters=((1, 4), (2, 4))))
    save_pretrained(small, file, {"validation": {"both": 99.0}})
    return file


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Course entities in place of the corpora, and one epoch of training."""

    def some(part: str) -> list[TaggedSentence]:
        return entities(part)[:12]  # type: ignore[arg-type]

    for name in ("chunking", "entities"):
        monkeypatch.setattr(tagger_setup, name, some)
    monkeypatch.setattr(broken_crfs, "entities", some)
    text = [sentence.words for sentence in entities("train")]
    monkeypatch.setattr(counted_lm, "course_text", lambda: text)
    monkeypatch.setattr(broken_crfs, "PASSES", 1)
    once = TaggerTrainingOptions(epochs=1, batch_size=4)
    monkeypatch.setattr(tagger_setup, "schedule", lambda n: once)


@pytest.mark.by_reach("stored results of 05", seconds=8)
@pytest.mark.usefixtures("quick")
def test_everything_is_stored_with_its_command(bilm: Path, tmp_path: Path) -> None:
    names = list(taglm_experiments.EXPERIMENTS)
    folder = tmp_path / "results"
    assert main([*names, "--seeds", "4", "--bilm", str(bilm), "--results", str(folder)]) == 0
    stored = {path.stem: json.loads(path.read_text("utf-8")) for path in folder.iterdir()}
    files = (
        "all_labels",
        "broken",
        "clues",
        "counted",
        "counted_names",
        "direction",
        "ner",
        "one_percent",
        "position",
        "ten_percent",
        "without_rnn",
        "words_at_the_input",
    )
    assert sorted(stored) == [f"taglm_{file}" for file in files]
    for name in names:
        file = f"taglm_{name.replace('-', '_')}"
        assert stored[file]["command"] == (
            f"python -m course.taglm.experiments {name} --seeds 4 --bilm tiny.safetensors"
        )
        assert stored[file]["bilm"]["pretraining"] == {"validation": {"both": 99.0}}
        assert stored[file]["bilm"]["vector_size"] == 12
    one, tenth, everything, names = (
        stored[f"taglm_{name}"] for name in ("one_percent", "ten_percent", "all_labels", "ner")
    )
    for of in (one, tenth, everything, names):
        seeds = 3 if of is everything else 4
        assert {len(cell["values"]) for cell in of["f1"].values()} == {seeds}
        for gain, (better, base) in taglm_experiments.PAIRS.items():
            if gain in of:
                pairs = zip(of["f1"][better]["values"], of["f1"][base]["values"], strict=True)
                assert of[gain]["values"] == pytest.approx([x - y for x, y in pairs])
        assert list(of["gain of learnt transitions"]) == list(of["f1"])
        everywhere = set(taglm_experiments.PAIRS) & set(of)
        assert everywhere == ({"gain"} if of is everything else set(taglm_experiments.PAIRS))
    for gain, lead in names["over seeds and test sentences"].items():
        assert lead["values"] == pytest.approx(names[gain]["values"])
        assert lead["low"] <= lead["mean"] <= lead["high"]
    assert stored["taglm_direction"]["f1"]["both"] == stored["taglm_position"]["f1"]["after_first"]
    parts = stored["taglm_without_rnn"]
    for of, seeds in ((parts, 3), (parts["with 1 %"], 4)):
        assert len(of["f1"]["softmax, decoded by the rules"]["values"]) == seeds
    assert list(stored["taglm_broken"]["runs"]) == ["sound", "A", "B", "C"]
    assert stored["taglm_ner"]["sentences"] == {"train": 12, "test": 12}


@pytest.mark.usefixtures("quick")
def test_a_tagger_is_trained_once_and_paired_by_seed(
    bilm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, list[tuple[str, ...]]]] = []
    real = tagger_setup.train_tagger

    def spy(train, dev, options, training, **rest):  # type: ignore[no-untyped-def]
        asked.append((training.seed, [s.words for s in train]))
        return real(train, dev, options, training, **rest)

    monkeypatch.setattr(tagger_setup, "train_tagger", spy)
    setup = TaggerSetup(bilm)
    for system in (System(NO_LM), System(TAGLM), System(TAGLM)):
        setup.many("chunks", system, 0.5, [1, 2])
    assert [seed for seed, _ in asked] == [1, 2, 1, 2]
    assert asked[0][1] == asked[2][1] != asked[1][1]
    assert [len(words) for _, words in asked] == [6] * 4


@pytest.mark.parametrize("crf", [False, True])
def test_the_rules_decode_a_softmax_too_and_the_tagger_stays_as_it_was(crf: bool) -> None:
    sentences = entities("train")[:3]
    tagger = Tagger.for_sentences(sentences, TaggerOptions("none", crf=crf))
    before, f1 = tagger.crf, tagger_setup.f1_by_rules(tagger, sentences)
    assert 0 <= f1 <= 1
    assert tagger.crf is before
    assert (before is None) is not crf


def test_differences_are_taken_seed_by_seed() -> None:
    assert differences([3.0, 5.0], [1.0, 1.0]) == [2.0, 4.0]


def test_what_is_missing_is_said_in_a_line(
    bilm: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(part: str) -> list[TaggedSentence]:
        raise corpora.CorpusMissing("the corpus 'conll2000' is not on this machine")

    monkeypatch.setattr(tagger_setup, "chunking", missing)
    assert main(["position", "--bilm", str(bilm)]) == 2
    assert "conll2000" in capsys.readouterr().err
    assert main(["ner", "--bilm", "nowhere.safetensors"]) == 2
    assert "nowhere.safetensors" in capsys.readouterr().err
    for seeds in ("0", "some", "-1", "2.5", "1001"):
        with pytest.raises(SystemExit):
            main(["position", "--seeds", seeds])
        assert "is not a whole number from 1 to 1000" in capsys.readouterr().err


def test_planted_faults_show_the_symptoms_that_the_lesson_speaks_of() -> None:
    runs = stored_result("taglm_broken").numbers["runs"]
    sound, transposed, no_moves, padding = runs.values()
    together, one_by_one = (
        "loss of two sentences, in one batch",
        "loss of two sentences, one by one",
    )
    assert sound["training loss by pass"] == transposed["training loss by pass"]
    assert sound["sentences whose labels break the rules"] == 0
    assert transposed["sentences whose labels break the rules"] > 10
    assert transposed["found"]["one word"] == sound["found"]["one word"]
    assert transposed["found"]["several words"]["found"] == 0
    assert "Meridian/E-PER Air/B-PER" in transposed["says"]
    for run in (sound, no_moves):
        assert run[together] == pytest.approx(run[one_by_one], rel=1e-4)
    assert no_moves["training loss by pass"][-1] < 0 < sound["training loss by pass"][-1]
    assert padding[together] < 0 < padding[one_by_one]
    assert no_moves[one_by_one] < 0


def test_faults_that_the_lesson_does_not_show_would_show_what_a_check_says_of_them() -> None:
    stored = stored_result("taglm_broken").numbers
    sound = stored["runs"]["sound"]
    best, alone, lawless = stored["runs that the lesson does not show"].values()
    first, second, *later = best["training loss by pass"]
    assert first < 1
    assert min(later) >= 0
    assert max(second, *later) < 0.1
    assert alone["sentences whose labels break the rules"] > 40
    assert alone["found"]["one word"]["found"] < sound["found"]["one word"]["found"]
    assert 0 < lawless["sentences whose labels break the rules"] < 10
    several = lawless["found"]["several words"]
    assert 0.4 < several["found"] / several["there"] < 0.6


@pytest.mark.parametrize("fault", ["", *broken_crfs.FAULTS])
def test_a_planted_fault_changes_what_it_says(fault: str) -> None:
    torch.manual_seed(0)
    labels = ["O", "B-X", "E-X", "S-X"]
    emissions, mask = torch.randn(2, 4, 4), torch.tensor([[True] * 4, [True, True, False, False]])
    gold = torch.tensor([[0, 1, 2, 0], [3, 0, 0, 0]])
    sound, faulty = broken_crfs.FaultyCRF(labels), broken_crfs.FaultyCRF(labels, fault)
    for crf in (sound, faulty):
        with torch.no_grad():
            crf.transitions.copy_(torch.arange(16.0).view(4, 4) / 5)
    same_loss = bool(torch.isclose(*(c.loss(emissions, gold, mask) for c in (sound, faulty))))
    same_paths = sound.decode(emissions, mask) == faulty.decode(emissions, mask)
    decodes = fault in (broken_crfs.TRANSPOSED, broken_crfs.ALONE)
    assert (same_loss, same_paths) == (
        fault == "" or decodes,
        not (decodes or fault == broken_crfs.LAWLESS),
    )
