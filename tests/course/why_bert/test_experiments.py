"""Lesson 14: its task, its bench, its broken runs in small, and what is stored."""

import numpy as np
import pytest
import torch

from course.results.intervals import lead_twice
from course.results.stored import stored_result
from course.texts.labelled_tasks import Labelled
from course.texts.word_classes import LONGEST, SIZES, word_classes
from course.why_bert import broken_bodies, report
from course.why_bert import experiments as why_bert
from course.why_bert.fine_tuning_setup import (
    ENLARGED,
    NORMAL,
    WITHOUT_MARK,
    FineTuningSetup,
    baselines,
    course_setup,
)
from course.why_bert.labels_saved import labels_needed
from elmo_mini.text.vocabulary import Vocabulary

SETUP = course_setup()


def test_the_task_ships_and_no_text_of_the_test_stands_elsewhere() -> None:
    task = word_classes()
    parts = {"train": task.train, "dev": task.dev, "test": task.test}
    assert {name: len(part.texts) for name, part in parts.items()} == SIZES
    assert max(map(len, task.train.texts)) <= LONGEST
    assert set(task.test.labels) <= set(range(len(task.classes)))
    long = {tuple(text) for text in task.test.texts if len(text) > 6}
    assert not long & {tuple(text) for part in (task.train, task.dev) for text in part.texts}


def test_weights_of_each_kind_and_those_kept_from_the_bottom() -> None:
    mixed, scrambled = SETUP.mixed("block 1", 0), SETUP.weights("scrambled", 0)
    assert torch.equal(mixed["word.weight"], SETUP.pretrained["word.weight"])
    name = "blocks.{}.wide.weight"
    assert torch.equal(mixed[name.format(0)], SETUP.pretrained[name.format(0)])
    assert not torch.equal(mixed[name.format(1)], SETUP.pretrained[name.format(1)])
    assert torch.equal(mixed[name.format(2)], scrambled[name.format(2)])
    whole = SETUP.mixed("block 3", 0)
    assert all(torch.equal(whole[key], SETUP.pretrained[key]) for key in whole)


def test_each_text_comes_once_before_one_comes_twice() -> None:
    train = SETUP.task.train.drawn(20, 0)
    labels = torch.cat([batch[2] for batch in SETUP.batches(train, 4, 0)])
    assert sorted(labels[:20].tolist()) == sorted(train.labels) == sorted(labels[20:].tolist())


def test_pretrained_weights_are_ahead_with_fifty_labels() -> None:
    train = SETUP.task.train.drawn(50, 0)
    correct = {
        kind: SETUP.correct(
            SETUP.tuned(SETUP.weights(kind, 0), train, 0, steps=40), SETUP.task.test
        ).mean()
        for kind in ("pretrained", "fresh")
    }
    correct |= {name: said.mean() for name, said in baselines(train, SETUP.task.test).items()}
    assert (
        SETUP.by_last_vector(train, SETUP.task.test).mean() > correct["pretrained"] - 0.05
    )  # "as well"
    assert correct["pretrained"] > max(v for name, v in correct.items() if name != "pretrained")
    assert correct["two words and endings"] > correct["fresh"] > correct["bag of words"]


def test_broken_runs_show_their_symptoms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broken_bodies, "STEPS", 20)
    runs = broken_bodies.four_runs(SETUP)
    assert runs["A"].perplexity[0] > 10 * runs["sound"].perplexity[0]
    assert runs["B"].moved[0] > 5 * runs["sound"].moved[0]
    assert runs["B"].perplexity[1] > 3 * runs["B"].perplexity[0]
    assert runs["C"].moved[0] == 0 < runs["sound"].moved[0]


def test_what_the_lesson_says_of_the_stored_labels() -> None:
    stored = stored_result("why_bert_labels").numbers
    correct = stored["right"]
    fresh = correct["fresh"]
    for count in fresh:
        assert correct["pretrained"][count]["low"] > fresh[count]["high"]
    last = {name: points["3200"]["mean"] for name, points in correct.items()}
    assert abs(last["pretrained"] - last["two words and endings"]) < 0.02
    assert last["pretrained"] - last["fresh"] > 0.05
    lead = {n: correct["scrambled"][n]["mean"] - fresh[n]["mean"] for n in fresh}
    assert min(lead["50"], lead["100"]) > 0.03
    assert max(lead[count] for count in ("200", "320", "640", "1600", "3200")) < 0.02
    of_all = [f"{fresh[count]['mean'] / fresh['3200']['mean']:.0%}" for count in ("320", "640")]
    assert of_all == ["79%", "88%"]
    needed = report.saved_labels(correct, labels_needed)
    ends = stored["labels for what the pretrained network does with the fewest"]
    for name, found in ends.items():
        assert found["mean"] == pytest.approx(needed[name])
        assert found["low"] < found["mean"] < found["high"]
    times = {end: round(ends["fresh"][end] / 50) for end in ("low", "mean", "high")}
    assert (round(needed["fresh"]), times) == (285, {"low": 4, "mean": 6, "high": 9})


def test_what_the_lesson_says_of_the_stored_leash(capsys: pytest.CaptureFixture[str]) -> None:
    steps = stored_result("why_bert_leash").numbers["steps"]
    assert list(steps) == ["100", "300"]
    leads = {count: found["lead over no pull"] for count, found in steps.items()}
    costs = [-100 * leads[count]["to 0, 1"]["mean"] for count in steps]
    assert [round(cost) for cost in costs] == [4, 15]
    assert all(leads[count]["to 0, 1"]["high"] < 0 for count in steps)
    for found in leads.values():
        to_start = [point["mean"] for name, point in found.items() if "start" in name]
        assert -0.025 < min(to_start) < max(to_start) < 0.001  # "may cost a point or two"
        assert all(found[f"to 0, {strength}"]["mean"] < -0.02 for strength in ("0.1", "1", "10"))
    report.print_leash(steps)
    assert capsys.readouterr().out.count("less none") == 16


def test_what_the_lesson_says_of_the_stored_knowledge() -> None:
    correct = stored_result("why_bert_knowledge").numbers["right"]
    words, questions = correct["class of the last word"], correct["kind of question"]
    assert words["speeches less shuffled"]["low"] > 0.1
    assert abs(words["speeches"]["mean"] - words["film reviews"]["mean"]) < 0.02
    assert questions["speeches less shuffled"]["low"] < 0
    assert report.tasks_hurt(correct) == "class of the last word"
    networks = ("nothing", "speeches", "speeches, words shuffled", "film reviews")
    one, none = "clear by one interval alone", "no clear difference"
    said = {
        "class of the last word": ["+18.0 ahead", "-6.9 behind", "+18.0 ahead"],
        "kind of question": [f"-5.5 {one}", f"-9.0 {one}", "-4.4 behind"],
        WITHOUT_MARK: [f"+2.6 {none}", f"+5.0 {none}", f"-2.4 {none}"],
    }
    for task, leads in said.items():
        found = [lead_twice(correct[task][f"{name}, less nothing"]) for name in networks[1:]]
        assert [f"{lead.split()[0]} {lead.rpartition(': ')[2]}" for lead in found] == leads


def test_few_words_are_no_hindrance_to_a_bag() -> None:
    correct = stored_result("why_bert_knowledge").numbers["right"]
    for task in ("kind of question", WITHOUT_MARK):
        networks = ("nothing", "speeches", "speeches, words shuffled", "film reviews")
        bag = correct[task]["bag, 1,000 words"]
        assert bag["mean"] > max(correct[task][name]["mean"] for name in networks)
    ahead = correct["kind of question"]["bag, 1,000 words, less bag of words"]
    assert lead_twice(ahead).startswith("+8.2")
    assert lead_twice(ahead).endswith("clear by one interval alone")


def test_a_text_without_its_mark_and_one_of_known_words() -> None:
    part = Labelled([["who", "is", "zyx", "?"], ["name", "it"]], [0, 1])
    assert why_bert.unmarked(part).texts == [["who", "is", "zyx"], ["name", "it"]]
    train = why_bert.with_known_words(
        part, Vocabulary(["who", "is", "?", "<unk>"], unknown="<unk>")
    )
    assert train.texts == [["who", "is", "<unk>", "?"], ["<unk>", "<unk>"]]
    assert train.labels == part.labels


def test_normal_weights_share_scrambled_ones_scale_and_nothing_else() -> None:
    normal = SETUP.weights(NORMAL, 0)
    assert {name: tensor.shape for name, tensor in normal.items()} == {
        name: tensor.shape for name, tensor in SETUP.pretrained.items()
    }
    table, own = normal["word.weight"], SETUP.pretrained["word.weight"]
    assert float(table.std()) == pytest.approx(float(own.std()), rel=0.01)
    spread = SETUP.fresh(0)["word.weight"].std()
    assert 4 < own.std() / spread < 6  # "five times as small"


def test_enlarged_weights_are_fresh_but_for_the_size_of_their_word_vectors() -> None:
    enlarged, fresh = SETUP.weights(ENLARGED, 3), SETUP.fresh(3)
    words = "word.weight"
    assert float(enlarged[words].std()) == pytest.approx(float(SETUP.pretrained[words].std()))
    larger = enlarged[words] / fresh[words]
    torch.testing.assert_close(larger, larger.mean().expand_as(larger))
    assert all(torch.equal(enlarged[name], fresh[name]) for name in fresh if name != words)


def test_held_out_loss_at_one_training_loss_lies_between_its_neighbours() -> None:
    line = np.array([[0.4, 2.0], [0.1, 3.0], [0.001, 5.0]])
    at = report.held_out_at
    assert at(0.1, line[None]) == pytest.approx([3.0])
    assert at(0.2, np.stack([line, line + np.array([0, 1])])) == pytest.approx([2.5, 3.5])


def test_more_steps_for_the_fresh_network_are_compared_draw_by_draw(
    capsys: pytest.CaptureFixture[str],
) -> None:
    train, correct = SETUP.task.train.drawn(20, 1), []
    for steps in (2, 3):
        model = SETUP.tuned(SETUP.fresh(1), train, 1, steps=steps)
        correct.append(SETUP.correct(model, SETUP.task.test).mean())
    report.print_longer(SETUP, 20, (2, 3), [1])
    points = 100 * (correct[1] - correct[0])
    said = f"fresh, 20 labels, 3 steps less 2 steps: {points:+.1f} ("
    assert said in capsys.readouterr().out


def test_the_experiments_in_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(why_bert, "STEPS", {20: 2, 30: 2})
    monkeypatch.setattr(why_bert, "course_setup", lambda: SETUP)
    _, numbers = why_bert.labels([1])
    assert set(numbers["right"]) >= {"pretrained", "fresh", "scrambled", "bag of words"}
    monkeypatch.setattr(why_bert, "LENGTHS", (2,))
    monkeypatch.setattr(why_bert, "STRENGTHS", (10.0,))
    _, numbers = why_bert.leash([1])
    assert set(numbers["steps"]["2"]["right"]) == {"no pull", "to the start, 10", "to 0, 10"}


def test_a_bench_of_another_size() -> None:
    sizes = {"dim": 8, "heads": 2, "layers": 1, "longest": 20}
    small = FineTuningSetup(word_classes(), {}, SETUP.vocabulary, sizes)
    model = small.tuned(small.fresh(0), small.task.train.drawn(10, 0), 0, steps=3)
    assert small.correct(model, small.task.dev).shape == (200,)
