"""Lesson 14: its tasks, its rivals, its broken runs in small, and what is stored."""

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.utils import parameters_to_vector

from course.results.lead import NamedLead, stored_lead
from course.results.stored import stored_result
from course.texts.labelled_tasks import Labelled
from course.texts.noun_or_verb import (
    SIZES,
    next_class,
    noun_or_verb,
    plain_nouns_and_verbs,
    words_of_both,
)
from course.texts.word_classes import LONGEST, word_classes
from course.why_bert import broken_bodies, figures, rivals
from course.why_bert import experiments as why_bert
from course.why_bert.fine_tuning_setup import (
    WITHOUT_MARK,
    FineTuningSetup,
    Weights,
    course_setup,
)
from course.why_bert.labels_saved import labels_needed
from elmo_mini.models.fine_tuning import Classifier, tune
from elmo_mini.text.vocabulary import Vocabulary

ROOT = Path(__file__).resolve().parents[3]
SETUP = course_setup()


def test_the_task_ships_and_no_text_of_the_test_stands_elsewhere() -> None:
    task = noun_or_verb()
    parts = {"train": task.train, "dev": task.dev, "test": task.test}
    assert {name: len(part.texts) for name, part in parts.items()} == SIZES
    assert all(2 <= len(text) <= LONGEST for text in task.train.texts)
    assert set(task.test.labels) == {0, 1}
    long = {tuple(text) for text in task.test.texts if len(text) > 6}
    assert not long & {tuple(text) for part in (task.train, task.dev) for text in part.texts}
    words = {text[-1] for part in parts.values() for text in part.texts}
    assert len(words) <= 145  # "145 words are of this kind"
    assert 0.5 < np.mean(np.array(task.test.labels) == 1) < 0.54  # "is right on 53 %"


def test_the_lesson_shows_the_features_of_the_stored_runs() -> None:
    lesson = (ROOT / "solutions/14_why_bert/why_bert.py").read_text(encoding="utf-8")
    (shown,) = (
        node
        for node in ast.parse(lesson).body
        if isinstance(node, ast.FunctionDef) and node.name == "features"
    )
    names: dict[str, Any] = {}
    exec(ast.unparse(shown), names)
    for text in (["run"], *noun_or_verb().train.texts[:50]):
        assert sorted(names["features"](text)) == sorted(rivals.features_of(text))


def test_words_that_are_both_and_often_enough() -> None:
    both = [("Run", "NN"), ("run", "VBP")] * 6
    one = [("house", "NN")] * 12 + [("house", "VB")]
    rare = [("call", "NN"), ("call", "VB")]
    assert words_of_both([both, one, rare]) == {"run"}


def test_the_next_class_is_that_of_the_word_taken_off() -> None:
    whole, cut = word_classes(), next_class()
    texts = [text[:-1] for text in whole.test.texts if len(text) > 1]
    assert cut.test.texts == texts
    assert cut.classes == whole.classes
    plain = plain_nouns_and_verbs()
    assert len(plain.texts) == 1_704  # as the lesson says
    assert {whole.classes[0], whole.classes[1]} == {"noun", "verb"}
    assert plain.labels == [label for label in whole.train.labels if label < 2]


def test_each_text_comes_once_before_one_comes_twice() -> None:
    train = SETUP.task.train.drawn(20, 0)
    labels = torch.cat([batch[2] for batch in SETUP.batches(train, 4, 0)])
    assert sorted(labels[:20].tolist()) == sorted(train.labels) == sorted(labels[20:].tolist())


def test_a_lead_says_its_numbers_and_its_verdict() -> None:
    stored = {"mean": -0.25, "low": -0.3, "high": -0.2}
    assert str(stored_lead(stored, "low", "high")) == "low: 25.0 points (20.0 to 30.0) behind high"
    assert (
        NamedLead(2.5, 1.0, 4.0, "high", "low").title
        == "High: 2.5 points (1.0 to 4.0) ahead of low"
    )
    unclear = NamedLead(0.5, -1.0, 2.0, "a", "b")
    assert unclear.title == "A and b: no clear difference (+0.5, -1.0 to +2.0)"


def test_rivals_read_what_they_say() -> None:
    train = Labelled([["to", "run"], ["the", "run"], ["to", "call"], ["a", "run"]], [1, 0, 1, 0])
    test = Labelled([["the", "run"], ["to", "run"], ["we", "call"], ["we", "use"]], [0, 1, 1, 0])
    assert rivals.table_of_last_words(train, test).tolist() == [1, 0, 1, 0]
    known, asked = rivals.features(train, test)
    assert rivals.read((known, asked), train, test)[:2].tolist() == [1, 1]
    assert rivals.beside(known, asked).shape == (4, known.shape[1] * 2)
    left, right = rivals.scaled([[1.0], [3.0]], [[2.0]])
    np.testing.assert_allclose(left.ravel(), [-0.2, 0.2], atol=1e-5)
    np.testing.assert_allclose(right.ravel(), [0.0], atol=1e-5)
    words = Vocabulary(["run", "call", "<unk>"], unknown="<unk>")
    vectors = rivals.last_words(np.eye(3), words, Labelled([["run"]], [0]), words=2)
    assert vectors.tolist() == [[0, 0, 1, 1, 0, 0]]


def test_counted_vectors_of_words_with_like_neighbours_are_near(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rivals, "DIM", 3)
    rng = np.random.default_rng(0)
    one, other = [[0, 2], [1, 2]], [[3, 5], [4, 5]]  # 0 is like 1, and 3 like 4
    stream = [word for _ in range(300) for word in (one if rng.random() < 0.5 else other)[
        int(rng.integers(2))
    ]]  # fmt: skip
    monkeypatch.setattr(rivals, "WINDOW", 1)
    vectors = rivals.counted_vectors(stream, 6)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert unit[0] @ unit[1] > unit[0] @ unit[3]
    assert unit[3] @ unit[4] > unit[1] @ unit[4]


def test_counts_expect_the_neighbours_of_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivals, "DIM", 3)
    rng = np.random.default_rng(0)
    stream = []
    for _ in range(300):  # behind 0 comes 1 or 2, behind 3 comes 4 or 5
        stream += (
            [0, int(rng.integers(1, 3))] if rng.random() < 0.5 else [3, int(rng.integers(4, 6))]
        )
    one, other, again = rivals.expected_next(stream, 6, [[3, 1, 0], [3], [3, 2, 0]])
    assert one.shape == (3,)
    assert np.linalg.norm(one - again) < 0.1 * np.linalg.norm(one - other)


def test_what_the_lesson_says_of_the_class_of_the_next_word() -> None:
    stored = stored_result("why_bert_next").numbers
    level = figures.leads_by_labels(stored, "frozen state", "what counts expect next")
    assert list(level) == [50, 200, 800, 1_600]
    assert {lead.verdict for lead in level.values()} == {"no clear difference"}, "nowhere clearly"
    assert all(1.5 < lead.mean < 3 for lead in level.values()), "about two points above"
    assert all((lead.high - lead.low) / 2 > 2.5 for lead in level.values()), "does not show"
    beside = figures.leads_by_labels(stored, "counts and state", "what counts expect next")
    assert {lead.verdict for lead in beside.values()} == {"no clear difference"}, "adds nothing"
    vector = figures.leads_by_labels(stored, "frozen state", "last word's vector")
    assert {lead.verdict for lead in vector.values()} == {"ahead"}, "over weak rivals"
    assert len(stored["seeds"]) == 10, "ten draws"
    assert stored["asked"] == len(next_class().test.texts) == 377


def test_the_lesson_numbers_the_faults_as_the_check_does() -> None:
    lesson = (ROOT / "solutions/14_why_bert/why_bert.py").read_text(encoding="utf-8")
    section = lesson.partition("# ## 7. Three broken runs")[2].partition("# %%")[0]
    listed = re.findall(r"^# (\d)\. (.+)$", section, re.MULTILINE)
    assert [int(number) for number, _ in listed] == [1, 2, 3, 4, 5, 6]
    for (_, said), fault in zip(listed, broken_bodies.FAULTS, strict=True):
        assert said.startswith(fault)


def test_broken_runs_show_their_symptoms() -> None:
    def classifier(weights: Weights | None, seed: int) -> Classifier:
        return SETUP.classifier(SETUP.fresh(seed) if weights is None else weights, seed)

    texts = SETUP.task.dev.texts
    before, after, moved = {}, {}, {}
    for run in ("sound", *broken_bodies.RUNS):
        model, optimizer, warm_up = broken_bodies.planted(run, classifier, SETUP.pretrained)
        start = parameters_to_vector(model.body.parameters()).detach().clone()
        before[run] = SETUP.perplexity(model.body, texts)
        tune(model, SETUP.batches(SETUP.task.train.drawn(50, 0), 20, 0), optimizer, warm_up, 0.0)
        after[run] = SETUP.perplexity(model.body, texts)
        moved[run] = float((parameters_to_vector(model.body.parameters()) - start).detach().norm())
    assert before["A"] > 10 * before["sound"]
    assert moved["B"] > 5 * moved["sound"]
    assert after["B"] > 3 * before["B"]
    assert moved["C"] == 0 < moved["sound"]


def test_what_the_lesson_says_of_the_stored_labels() -> None:
    stored = stored_result("why_bert_labels").numbers
    task = stored["tasks"]["noun or verb"]
    assert why_bert.STEPS == {50: 100, 200: 150, 800: 250, 1_600: 300}, "100, 150, 250 and 300"
    assert f"steps by labels {why_bert.STEPS}".replace("_", "") in stored["training"]

    def leads(one: str, other: str) -> dict[int, NamedLead]:
        return figures.leads_by_labels(task, one, other)

    fresh = leads("fine-tuned", "fresh")
    assert (round(fresh[50].mean), round(fresh[1_600].mean)) == (15, 4)
    assert {lead.verdict for lead in fresh.values()} == {"ahead"}
    adds = leads("features, counts and state", "features and counts")
    assert (round(adds[50].mean, 1), round(adds[200].mean, 1)) == (3.5, 1.4)
    assert [adds[n].verdict for n in (50, 200)] == ["ahead"] * 2
    assert [adds[n].verdict for n in (800, 1_600)] == ["no clear difference"] * 2
    rival = leads("fine-tuned", "features and counts")
    assert "ahead" not in {lead.verdict for lead in rival.values()}, "nowhere ahead"
    assert (round(rival[800].mean), rival[800].verdict) == (-3, "behind")
    frozen = leads("fine-tuned", "frozen state")
    assert frozen[50].verdict == "no clear difference"
    assert (round(frozen[1_600].mean), frozen[1_600].verdict) == (5, "ahead")
    right = {name: {int(n): p["mean"] for n, p in row.items()} for name, row in
             task["right"].items()}  # fmt: skip
    share = right["fresh"][200] / right["fresh"][1_600]
    assert f"{share:.0%}" == "77%"
    assert f"{right['table of last words'][200] / right['table of last words'][1_600]:.0%}" == "88%"
    needed = stored["labels that fresh needs for what fine-tuned does with the fewest"]
    found = labels_needed(list(right["fresh"]), list(right["fresh"].values()),
                          right["fine-tuned"][50])  # fmt: skip
    point = needed["noun or verb"]
    assert point["mean"] == pytest.approx(found)
    assert [round(point[end] / 50) for end in ("low", "mean", "high")] == [4, 8, 17]


def test_what_the_lesson_says_of_the_stored_knowledge() -> None:
    numbers = stored_result("why_bert_knowledge").numbers
    words = figures.knowledge_leads(numbers, "noun or verb")
    assert words["in order"].verdict == "ahead"
    read = [words["speeches"], words["film reviews"]]
    assert [(round(lead.mean), lead.verdict) for lead in read] == [(10, "ahead"), (5, "ahead")]
    assert words["speeches, words shuffled"].verdict == "no clear difference"
    questions = figures.knowledge_leads(numbers, "kind of question")
    hurt = {name: lead for name, lead in questions.items() if name != "in order"}
    assert {lead.verdict for lead in hurt.values()} == {"behind"}, "every reading hurts"
    assert sorted(round(-lead.mean) for lead in hurt.values()) == [4, 6, 9], "by 4 to 9 points"
    found = numbers["right"]["kind of question"]
    assert round(100 * found["bag, 1,000 words"]["mean"], 1) == 54.8
    networks = ("nothing", "speeches", "speeches, words shuffled", "film reviews")
    assert found["bag, 1,000 words"]["mean"] > max(found[name]["mean"] for name in networks)
    unmarked = figures.knowledge_leads(numbers, WITHOUT_MARK)
    assert {lead.verdict for lead in unmarked.values()} == {"no clear difference"}


def test_a_text_without_its_mark_and_one_of_known_words() -> None:
    part = Labelled([["who", "is", "zyx", "?"], ["name", "it"]], [0, 1])
    assert why_bert.unmarked(part).texts == [["who", "is", "zyx"], ["name", "it"]]
    train = why_bert.with_known_words(
        part, Vocabulary(["who", "is", "?", "<unk>"], unknown="<unk>")
    )
    assert train.texts == [["who", "is", "<unk>", "?"], ["<unk>", "<unk>"]]
    assert train.labels == part.labels


def test_held_out_loss_at_one_training_loss_lies_between_its_neighbours() -> None:
    trained, held_out = [0.4, 0.1, 0.001], [2.0, 3.0, 5.0]
    assert figures.held_out_at(0.1, trained, held_out) == pytest.approx(3.0)
    assert figures.held_out_at(0.2, trained, held_out) == pytest.approx(2.5)
    picture = figures.loss_lines({"own": trained}, {"own": held_out}, equal=0.1)
    assert "chance, ln 2 stays level from 0.693" in picture.description
    assert "the validation loss is 3.00 (own)" in picture.description


def test_the_experiments_in_small() -> None:
    found = why_bert.right_of_all(SETUP, np.random.default_rng(0).random((4_000, 5)), 20, 2, 1)
    assert {name for pair in why_bert.LEADS for name in pair} <= set(found)
    assert {correct.shape for correct in found.values()} == {(700,)}


def test_a_setup_of_another_size() -> None:
    sizes = {"dim": 8, "heads": 2, "layers": 1, "longest": 20}
    small = FineTuningSetup(noun_or_verb(), {}, SETUP.vocabulary, sizes)
    model = small.tuned(small.fresh(0), small.task.train.drawn(10, 0), 0, steps=3)
    assert small.correct(model, small.task.dev).shape == (300,)
