"""The tasks of lesson 15 keep their parts apart; its methods are lists of steps that learn."""

import numpy as np
import pytest

from course.a_hundred_labels import methods, tasks
from course.a_hundred_labels.protocol import learn_and_answer
from course.texts.labelled_tasks import Task
from elmo_mini import corpora


def the_parts_share_no_text(task: Task) -> None:
    parts = [{tuple(text) for text in part.texts} for part in (task.train, task.dev, task.test)]
    assert not parts[0] & parts[1] | parts[0] & parts[2] | parts[1] & parts[2]
    for part in (task.train, task.dev, task.test):
        assert np.mean(part.labels) == 0.5


def test_quoted_texts_have_lost_their_marks_and_stand_in_one_part() -> None:
    task = tasks.quoted()
    the_parts_share_no_text(task)
    assert len(task.train.texts) >= 200 <= len(task.test.texts)
    texts = [text for part in (task.train, task.dev, task.test) for text in part.texts]
    assert not any('"' in text for text in [*texts, *task.text])
    unlabelled = {" ".join(text) for text in task.text}
    assert not unlabelled & {" ".join(text) for text in task.test.texts}


def test_opinions_and_plots() -> None:
    try:
        task = tasks.subjective()
    except corpora.CorpusMissing as missing:
        pytest.skip(str(missing))
    the_parts_share_no_text(task)


@pytest.mark.parametrize(
    "steps",
    [
        methods.bag_of_words(),
        methods.naive_bayes_svm(),
        methods.static_vectors(),
        methods.elmo_features(),
        methods.masked_features(),
        [methods.count_words, methods.best_words(20), methods.logistic(1.0)],
    ],
    ids=["bag", "naive Bayes", "static", "elmo", "masked", "picked"],
)
def test_a_method_answers_and_its_answer_hangs_on_no_other_text(steps: list[methods.Step]) -> None:
    task = tasks.quoted()
    known, asked = task.train.drawn(40, 1), task.dev.texts[:30]
    said = np.asarray(learn_and_answer(steps, known.texts, known.labels, asked))
    assert said.shape == (30,)
    assert set(said.tolist()) <= {0, 1}
    fewer = np.asarray(learn_and_answer(steps, known.texts, known.labels, asked[:7]))
    assert (fewer == said[:7]).all()


def test_ulmfit_is_the_same_with_the_same_seed() -> None:
    task = tasks.quoted()
    known, asked = task.train.drawn(8, 1), task.dev.texts[:10]
    steps = methods.ulmfit(task.text[:200])
    first, second = (learn_and_answer(steps, known.texts, known.labels, asked) for _ in range(2))
    assert (np.asarray(first) == np.asarray(second)).all()


def test_picked_words_differ_most_between_the_labels() -> None:
    x = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [0, 0, 0]])
    assert methods.best_words(1)(x, [1, 1, 0, 0])(x).ravel().tolist() == [1, 1, 0, 0]


def test_the_untrained_control_and_layer_0_are_other_vectors_than_elmo() -> None:
    texts = [["we", "will", "see"], ["he", "said", "so"]]
    elmo, fresh, low = (
        steps[0](texts, [0, 1])(texts)
        for steps in (methods.elmo_features(), methods.untrained_elmo(), methods.words_alone())
    )
    assert elmo.shape == fresh.shape == (2, 3 * low.shape[1])
    assert np.allclose(elmo[:, : low.shape[1]], low)
    assert not np.allclose(elmo, fresh)
