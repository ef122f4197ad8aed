"""Lesson 15: what its symptoms show with and without the corpora, and what the ladder gives."""

import json
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from autograde.checking.catalogue import find
from autograde.checking.check import examine
from autograde.exercises.a_hundred_labels import hidden
from autograde.exercises.a_hundred_labels.hand_in import (
    OTHER_STEPS,
    RULES,
    SIZES,
    STEPS,
    co_training,
    levels,
    looked_up,
)
from autograde.marking.asking.peer import Peer
from course.a_hundred_labels import broken_reports, methods
from course.a_hundred_labels import experiments as hundred_labels
from course.a_hundred_labels import report as hundred_labels_report
from course.a_hundred_labels.co_training import (
    log_shares,
    naive_bayes_with_em,
    named,
    on_elmo,
    teach_each_other,
)
from course.a_hundred_labels.differences import paired_interval
from course.a_hundred_labels.protocol import learn_and_answer, split
from course.a_hundred_labels.tasks import first_task, quoted, subjective
from course.results.intervals import lead
from course.results.stored import stored_result
from course.why_bert.labels_saved import labels_needed
from elmo_mini import corpora
from tests.autograde.marking.asked_there import judged_there

LESSON = Path(__file__).parents[3] / "solutions/15_a_hundred_labels/a_hundred_labels.py"


@pytest.fixture(params=[pytest.param("with corpora", marks=pytest.mark.slow), "without"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The lesson's task where NLTK's corpora are there, and where they are not."""
    if request.param == "without":
        for module in (broken_reports, hidden):
            monkeypatch.setattr(module, "first_task", quoted)
    else:
        try:
            subjective()
        except corpora.CorpusMissing as missing:
            pytest.skip(str(missing))
    broken_reports.symptoms.cache_clear()
    hidden.baseline_errors.cache_clear()
    yield request.param
    broken_reports.symptoms.cache_clear()
    hidden.baseline_errors.cache_clear()


def test_each_broken_report_has_its_symptom_and_the_sound_one_has_none(either: str) -> None:
    found = broken_reports.symptoms()
    sound = found["sound"]
    assert sound.coins < 0.55
    assert sound.reported - sound.fresh < 0.02
    assert found["A"].coins > 0.6
    assert len(set(found["B"].draws)) == 1
    assert all(len(set(found[name].draws)) > 1 for name in ("sound", "A", "C"))
    assert found["C"].reported - found["C"].no_double > 0.05
    assert found["A"].no_double == found["A"].reported


def elmo(texts: Any, labels: Any, unlabelled: Any, test: Any) -> Any:
    return learn_and_answer(methods.elmo_features(), texts, labels, test)


def bag(texts: Any, labels: Any, unlabelled: Any, test: Any) -> Any:
    return learn_and_answer(methods.bag_of_words(), texts, labels, test)


def counts(texts: Any, labels: Any, unlabelled: Any, test: Any) -> Any:
    return named(labels, naive_bayes_with_em(texts, labels, unlabelled))(test)


def added(texts: Any, labels: Any, unlabelled: Any, test: Any) -> Any:
    readers = naive_bayes_with_em(texts, labels, unlabelled), on_elmo(texts, labels)
    return named(labels, *readers)(test)


def ready_made(texts: Any, labels: Any, unlabelled: Any, test: Any) -> Any:
    return named(labels, *teach_each_other(texts, labels, unlabelled))(test)


def ready_made_inside(texts: Any, labels: Any, unlabelled: Any, test: Any) -> Any:
    from course.a_hundred_labels import co_training as course

    return named(labels, *course.teach_each_other(texts, labels, unlabelled))(test)


_throws = count()


def lucky(texts: Any, labels: Any, unlabelled: Any, test: Any) -> Any:
    return np.random.default_rng(next(_throws)).integers(0, 2, len(test))


@pytest.mark.slow
def test_the_ladder_is_fair(either: str) -> None:
    """No single reader of the course climbs above the third step: neither ELMo nor counts."""
    hand_in = find("hand_in")
    rungs = len(OTHER_STEPS)
    expected = {bag: sum(level <= 0 for level in levels(25))}
    expected |= {elmo: 3, counts: 3} if either == "with corpora" else {elmo: rungs}
    for answer, steps in expected.items():
        report = examine(hand_in, answer)
        right = [case.difference is None for case in report.cases]
        first = 1 + len(RULES)
        assert right[:first] == [True] * first
        for size in range(len(SIZES)):
            on = right[first + size * rungs : first + (size + 1) * rungs]
            assert on == [True] * steps + [False] * (rungs - steps)
    assert examine(hand_in, looked_up(lambda: hidden.task())).points == hand_in.points


def test_a_method_far_above_each_step_cannot_be_tipped_by_a_text_or_two(either: str) -> None:
    """What the course's answers avoid is texts away from each step, for one reader and for two."""
    test = hidden.test(1_000)
    readers = (elmo, co_training) if either == "without" else (elmo, counts, added, co_training)
    for size in SIZES:
        own = [hidden.train(size, 1_000, draw) for draw in range(hidden.DRAWS)]
        for answer in readers:
            said = [answer(k.texts, k.labels, hidden.unlabelled(), test.texts) for k in own]
            errors = hidden.baseline_errors(size, 1_000) * len(test.texts)
            avoided = hidden.avoided(np.stack(said), size, 1_000)
            assert all(abs(avoided - level) * errors > 1.5 for level in levels(size))


def test_two_readers_climb_where_one_cannot(either: str) -> None:
    assert all(len(STEPS["opinions"][size]) == len(OTHER_STEPS) for size in SIZES)
    report = examine(find("hand_in"), co_training)
    assert report.points == report.exercise.points


@pytest.mark.parametrize("answer", [ready_made, ready_made_inside])
def test_the_courses_own_co_training_climbs_no_step(answer: Any) -> None:
    report = examine(find("hand_in"), answer)
    assert report.points == 0
    assert "Write yourself who teaches whom" in report.text()


@pytest.mark.parametrize("style", find("em").right_answers)
def test_an_accepted_em_works_in_the_lessons_next_cell(style: str) -> None:
    cells = LESSON.read_text("utf8").split("# %%")
    (cell,) = [cell for cell in cells if "def counts_with_em" in cell]
    task = quoted()
    names: dict[str, Any] = {
        "CountVectorizer": CountVectorizer,
        "TASK": task,
        "em": find("em").right_answers[style],
        "log_shares": log_shares,
        "np": np,
        "or_reference": lambda name, own: own,
    }
    exec(cell.partition("\n")[2].partition("\nFREE =")[0], names)
    answers = names["counts_with_em"](
        task.train.texts[:6], task.train.labels[:6], task.text[:20], ((0, 1), (1, 0))
    )(task.test.texts[:5])
    assert np.isfinite(answers).tolist() == [True] * 5


def test_whoever_throws_coins_is_told(either: str) -> None:
    report = examine(find("hand_in"), lucky)
    assert report.points == 0
    assert "asked twice" in report.text().lower()


def peeking(texts: Any, labels: Any, unlabelled: Any, test: Any) -> Any:
    vectors, scale, line = methods.elmo_features()
    its = vectors(test, labels)(test)
    train = vectors(texts, labels)(texts)
    return line(scale(train, labels)(train), labels)(scale(its, labels)(its))


def test_whoever_learns_from_what_is_asked_climbs_no_step(either: str) -> None:
    report = examine(find("hand_in"), peeking)
    assert [case.difference is None for case in report.cases[:3]] == [True, True, False]
    assert all(case.difference is not None for case in report.cases[1 + len(RULES) :])
    assert report.points == 0


CHEATS = {
    "one scale for known and asked texts": "something learns from `test`",
    "the asked texts join the known, with answers for labels": "something learns from `test`",
    "labels of the notebook join the given ones": "Learn from `labels` alone",
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_leak_that_hardly_moves_an_answer_earns_nothing(either: str, cheat: str) -> None:
    hand_in = find("hand_in")
    (answer,) = (mistake.answer for mistake in hand_in.mistakes if mistake.name == cheat)
    report = examine(hand_in, answer)
    assert report.points == 0
    assert CHEATS[cheat] in report.text()


def of(steps: Any) -> Any:
    return lambda texts, labels, unlabelled, test: learn_and_answer(steps, texts, labels, test)


HONEST = {
    "naive Bayes": of(methods.naive_bayes()),
    "naive Bayes SVM": of(methods.naive_bayes_svm()),
    "static vectors": of(methods.static_vectors()),
    "ELMo without a scale": of(methods.elmo_features()[::2]),
    "SVD of the text": lambda texts, labels, unlabelled, test: learn_and_answer(
        methods.svd_of_text(unlabelled), texts, labels, test
    ),
    "masked LM": pytest.param(of(methods.masked_features()), marks=pytest.mark.slow),
    "ULMFiT": pytest.param(
        lambda texts, labels, unlabelled, test: learn_and_answer(
            methods.ulmfit(unlabelled), texts, labels, test
        ),
        marks=pytest.mark.slow,
    ),
}


@pytest.mark.parametrize("answer", HONEST.values(), ids=HONEST)
def test_an_honest_method_keeps_every_rule(either: str, answer: Any) -> None:
    hand_in = find("hand_in")
    came = [hand_in.run(answer, hand_in.inputs(case, 0)) for case in range(1 + len(RULES))]
    assert came[1:] == ["kept"] * len(RULES)


def test_a_course_may_bring_hidden_texts_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, path = quoted(), tmp_path / "hidden.jsonl"
    rows = [
        {"part": name, "text": " ".join(text), "label": task.classes[label]}
        for name, part in (("train", task.train), ("test", task.test))
        for text, label in zip(part.texts, part.labels, strict=True)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    monkeypatch.setenv(hidden.VARIABLE, str(path))
    found = hidden.task()
    assert found.classes == ("quoted", "reporter")
    assert len(found.test.texts) == len(task.test.texts)
    # As editors and other programs write it: a mark in front, empty lines, foreign line ends.
    rows[5]["text"] += " \u2028 \u0085 on"
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    path = tmp_path / "by hand.jsonl"
    path.write_bytes(("\ufeff" + "\r\n".join([*lines, "", ""])).encode())
    monkeypatch.setenv(hidden.VARIABLE, str(path))
    again = hidden.task()
    assert again.test.texts == found.test.texts
    assert again.train.texts[5] == [*found.train.texts[5], "on"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"part": "train"}\n', "line 1 of the file is no labelled text"),
        (b'\n{"part": "train", "text": " ", "label": "a"}\n', "line 2 of .* without a word"),
        ('{"part"'.encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
        (None, "there is no file of hidden texts"),
    ],
)
def test_a_broken_file_of_hidden_texts_is_no_learners_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, message: str
) -> None:
    path = tmp_path / "broken.jsonl"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv(hidden.VARIABLE, str(path))
    with pytest.raises(ValueError, match=message):
        hidden.task()
    report = examine(find("hand_in"), looked_up(lambda: hidden.task()))
    assert not report.judged
    assert re.search(rf"it is not at fault: {hidden.VARIABLE}.*{message}", report.message)


def test_what_the_lesson_says_of_the_stored_curves() -> None:
    tasks = hundred_labels_report.tasks()
    assert list(tasks) == list(hundred_labels.TASKS)
    opinions, quotations, questions, films = (of["methods"] for of in tasks.values())
    for rows in (opinions, quotations):
        best = rows["ELMo features"]["25"]["right"]["mean"]
        assert best > rows["bag of words"]["100"]["right"]["mean"]
        assert rows["ELMo features"]["100"]["lead"]["low"] > 0
    for rows in (opinions, quotations):
        assert rows["masked LM"]["100"]["lead"]["low"] > 0
    for few in ("25", "50", "100"):  # "by about as much"
        elmo_s, masked = (
            opinions[name][few]["lead"]["mean"] for name in ("ELMo features", "masked LM")
        )
        assert abs(elmo_s - masked) < 0.01
    for name in ("ELMo features", "ULMFiT", "masked LM"):
        assert questions[name]["100"]["lead"]["low"] < 0
    assert questions["masked LM"]["100"]["lead"]["high"] < 0
    assert max(row["100"]["right"]["mean"] for row in films.values()) < 0.58
    for rows in (opinions, quotations, questions, films):
        assert rows["ULMFiT"]["100"]["lead"]["low"] < 0  # "nowhere clearly ahead"
    for rows in (opinions, quotations, questions):
        assert rows["ELMo, untrained"]["100"]["lead"]["mean"] < 0
    elmo_s, bag_s, svd = (
        opinions[name]["100"]["right"]["mean"]
        for name in ("ELMo features", "bag of words", "SVD of the text")
    )
    assert 0.4 < (svd - bag_s) / (elmo_s - bag_s) < 0.6  # "half of ELMo's lead"
    assert opinions["ULMFiT"]["100"]["lead"]["low"] < 0 < opinions["ULMFiT"]["100"]["lead"]["high"]
    assert opinions["ULMFiT"]["25"]["lead"]["high"] < 0
    needed = hundred_labels_report.catch_up(labels_needed)
    opinion, quoted_, question, film = (number / 25 for number in needed.values())
    assert 8 < opinion < 20
    assert 4 < quoted_ < 8
    assert max(question, film) < 2
    assert first_task().classes


def test_what_the_lesson_says_of_counts_that_read_and_of_readers_that_teach() -> None:
    tasks = hundred_labels_report.taught()
    assert list(tasks) == list(hundred_labels.TASKS)
    opinions, quotations, *_ = tasks.values()
    em = {task: of["naive Bayes, EM"] for task, of in tasks.items()}
    assert not any(  # "nowhere clearly ahead"
        verdict(point["elmo"]) == "ahead" for points in em.values() for point in points.values()
    )
    behind = em["opinion or plot"]["25"]["elmo"]
    ends = [f"{-100 * behind[end]:.1f}" for end in ("mean", "high", "low")]
    assert ends == ["5.3", "1.0", "9.9"]
    for few in ("50", "100"):
        assert verdict(em["opinion or plot"][few]["elmo"]) == "no clear difference"
    gains = {count: point["taught"] for count, point in opinions["ELMo features"].items()}
    assert [round(100 * gains[count]["mean"]) for count in ("25", "50")] == [8, 4]
    assert hundred_labels_report.clearly_taught() == {
        task: ["25", "50"] if task == "opinion or plot" else [] for task in tasks
    }
    itself = "self-training and EM, added"
    assert not any(hundred_labels_report.clearly_taught(itself).values())  # "on no task"
    assert hundred_labels_report.clearly_taught(itself, ahead=False) == {
        "opinion or plot": [],
        "quoted or reported": ["25", "50", "100"],
        "kind of question": ["50", "100"],
        "for or against": [],
    }
    for few in ("25", "50", "100"):
        over_em = opinions["naive Bayes, EM"][few]["taught"]
        assert over_em["low"] > 0
        assert 2 < 100 * over_em["mean"] < 3.5  # "2 to 3 points, clearly"
        rival = opinions["naive Bayes, EM"][few]["right"]["mean"]
        assert opinions[itself][few]["right"]["mean"] - rival > 0.02  # "So does the rival"
        assert verdict(quotations["both, added"][few]["taught"]) == "behind"
    behind_elmo = [
        (task, count)
        for task, of in tasks.items()
        for count, point in of["ELMo features"].items()
        if verdict(point["taught"]) == "behind"
    ]
    assert behind_elmo == [("quoted or reported", "25")]
    avoided = {
        way: [
            round(100 * of["lead"]["mean"] / (1 - of["right"]["mean"] + of["lead"]["mean"]))
            for of in opinions[way].values()
        ]
        for way in ("naive Bayes, EM", "ELMo features", "co-training")
    }
    assert avoided["naive Bayes, EM"] == [63, 57, 45]
    assert all(45 < share < 55 for share in avoided["ELMo features"])  # "half of them"
    assert avoided["co-training"] == [69, 64, 58]


def test_what_the_lesson_says_of_counts_that_read_all_of_a_tasks_text() -> None:
    tasks = hundred_labels_report.em_on_all()
    assert list(tasks) == list(hundred_labels.TASKS)
    assert [of["unlabelled"] for of in tasks.values()] == [8_000, 1_035, 4_876, 8_530]
    verdicts = {
        (task, count): verdict(point["elmo"])
        for task, of in tasks.items()
        for count, point in of["labels"].items()
    }
    assert "ahead" not in verdicts.values()  # "nowhere clearly ahead"
    opinion, film = (tasks[task]["labels"] for task in ("opinion or plot", "for or against"))
    assert verdicts["opinion or plot", "25"] == verdicts["for or against", "100"] == "behind"
    behind = opinion["25"]["elmo"], film["100"]["elmo"]
    assert [[f"{-100 * of[end]:.1f}" for end in ("mean", "high", "low")] for of in behind] == [
        ["8.8", "4.4", "13.9"],
        ["6.7", "3.1", "10.5"],
    ]
    assert f"{film['100']['right']['mean']:.0%}" == "63%"
    assert all(verdict(of["taught"]) != "ahead" for of in opinion.values())  # "gets as far alone"


def test_what_the_lesson_says_of_elmos_rivals() -> None:
    found = stored_result("hundred_labels_rivals").numbers["tasks"]
    assert list(found) == list(hundred_labels.TASKS)
    untrained, network, counts, context = (
        {task: row[pair] for task, row in found.items()}
        for pair in (
            "ELMo features less ELMo, untrained",
            "ELMo features less SVD of the text",
            "ELMo features less naive Bayes",
            "layer 1 less layer 0",
        )
    )
    *read, films = untrained.values()
    assert all(0.11 < row["mean"] < 0.195 and row["low"] > 0 for row in read)  # "11 to 19 points"
    assert films["low"] < 0 < films["high"]
    ahead = {task for task, row in network.items() if row["low"] > 0}
    assert ahead == {"opinion or plot"}
    assert verdict(counts["quoted or reported"]) == "no clear difference"
    assert round(100 * context["opinion or plot"]["mean"]) == 8
    assert round(100 * context["kind of question"]["mean"]) == 5
    for task in ("opinion or plot", "kind of question"):
        assert context[task]["low"] > 0
    assert verdict(context["quoted or reported"]) == "no clear difference"


@pytest.mark.parametrize(("task", "says"), [(subjective, "ahead"), (quoted, "behind")])
def test_what_the_model_answer_says_of_leaving_out_the_scale(task: Any, says: str) -> None:
    try:
        of_task = task()
    except corpora.CorpusMissing as missing:
        pytest.skip(str(missing))
    texts = of_task.train.texts + of_task.dev.texts
    labels = of_task.train.labels + of_task.dev.labels
    train, test = split(texts, len(texts) // 3, np.random.default_rng(1))
    vectors, scale, regression = methods.elmo_features()

    def table(steps: Any) -> Any:
        rows = []
        for seed in (1, 2, 3):
            drawn = np.random.default_rng(seed).permutation(train)[:100]
            own = [texts[row] for row in drawn], [labels[row] for row in drawn]
            said = learn_and_answer(steps, *own, [texts[row] for row in test[:400]])
            rows.append(np.array(said) == [labels[row] for row in test[:400]])
        return np.stack(rows)

    new, old = table([vectors, regression]), table([vectors, scale, regression])
    low, high = paired_interval(new, old, np.random.default_rng(0))
    assert verdict({"mean": new.mean() - old.mean(), "low": low, "high": high}) == says


def test_whoever_throws_coins_is_not_told_of_what_is_asked() -> None:
    report = examine(find("hand_in"), lucky)
    for other in ("something learns from `test`", "Learn from `labels` alone"):
        assert other not in report.text()
    assert not report.detail


def verdict(point: Any) -> str:
    return lead(point).verdict


def test_the_main_directions_of_texts_learn_nothing_from_what_is_asked() -> None:
    task = quoted()
    train, test = task.train.drawn(60, 1), task.dev.drawn(40, 0)
    for steps in (methods.svd_of_text(task.text, 20), methods.naive_bayes()):
        said = learn_and_answer(steps, train.texts, train.labels, test.texts)
        fewer = learn_and_answer(steps, train.texts, train.labels, test.texts[:7])
        assert np.array_equal(said[:7], fewer)
        assert (np.array(said) == np.array(test.labels)).mean() > 0.5


def test_in_marking_each_question_is_asked_once(
    either: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In marking, a case asks the answer anew; what it has said for the other cases is kept."""
    asked: list[int] = []

    def counted(peer: Peer, *arguments: Any) -> Any:
        asked.append(1)
        return call(peer, *arguments)

    call = Peer.call
    monkeypatch.setattr(Peer, "call", counted)
    report = judged_there(find("hand_in"), bag)
    assert report.cases[1 + len(RULES)].difference is None
    rules = {"again": 1, "fewer": 1, "more": hidden.DRAWS, "order": 1, "turned": 1}
    assert len(asked) == len(SIZES) * hidden.DRAWS + sum(rules[rule] for rule in RULES)
