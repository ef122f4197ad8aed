"""The classifier, its batches, both stages of the recipe, the tasks and the baselines."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from course.results.accuracy import right_of, share_right
from course.texts import labelled_tasks as tasks
from course.texts.labelled_tasks import Labelled
from course.ulmfit import baselines
from elmo_mini import corpora
from elmo_mini.errors import ConfigurationError
from elmo_mini.text.batches import pad
from elmo_mini.text.running_text import word_vocabulary
from elmo_mini.text.vocabulary import Vocabulary
from elmo_mini.ulmfit.stages import UNFREEZING, Stage3, fresh, stage_2, stage_3
from elmo_mini.ulmfit.task_text import say, text_perplexity, text_windows
from elmo_mini.ulmfit.text_classifier import (
    TextClassifier,
    class_probabilities,
    in_ids,
    labelled_batches,
)
from tests.elmo_mini.ulmfit.test_reading import small

GOOD, BAD = "a good film", "a bad film"
KNOWN = Labelled([GOOD.split(), BAD.split()] * 8, [1, 0] * 8)
WORDS = word_vocabulary(KNOWN.texts)
LEE = corpora.lee()


def test_each_batch_has_two_texts_or_more_and_every_text_comes_once() -> None:
    texts = [[1, number] for number in range(9)]
    for batches in labelled_batches(texts, [0] * 9, 3, size=3):
        seen = sorted(row[1] for batch in batches for row in batch.ids.tolist())
        assert seen == list(range(9))
    (four,) = labelled_batches([[n] * n for n in range(1, 10)], [0] * 9, 1, size=4)
    assert sorted(len(batch.labels) for batch in four) == [4, 5]
    assert max(int(batch.ids.max()) for batch in four) == 9  # the longest, too
    with pytest.raises(ValueError, match="there are 9 texts and 8 labels"):
        labelled_batches(texts, [0] * 8, 1)


def test_texts_stand_between_sentence_ends_and_turn_round_for_a_backward_reader() -> None:
    (ahead,), (behind,) = (in_ids([GOOD.split()], WORDS, d) for d in ("forward", "backward"))
    assert ahead == behind[::-1]
    assert ahead[0] == ahead[-1] == WORDS.id("</s>")


def test_probabilities_come_in_the_order_of_the_texts() -> None:
    model = TextClassifier(small(len(WORDS)), 3)
    texts = [[2, 3, 4, 2], [2], [3, 3]]
    together = class_probabilities(model, texts)
    alone = torch.cat([class_probabilities(model, [text]) for text in texts])
    torch.testing.assert_close(together, alone)


def test_both_stages_learn_and_leave_what_they_start_from() -> None:
    reader = small(len(WORDS))
    before = {name: value.clone() for name, value in reader.state_dict().items()}
    read = stage_2(reader, WORDS, len(WORDS), KNOWN.texts * 9, epochs=3, rate=0.05)
    pages = text_windows(KNOWN.texts, WORDS, rows=1)
    assert text_perplexity(read, pages) < text_perplexity(reader, pages)
    seen: list[int] = []
    how = Stage3(unfreezing="top alone", rate=0.01, epochs=40)
    model = stage_3(read, WORDS, KNOWN, 2, how, 0, after_epoch=lambda n, m: seen.append(n))
    said = class_probabilities(model, in_ids(KNOWN.texts, WORDS))
    assert right_of([said], KNOWN.labels).mean() > 0.9
    assert seen == list(range(41))
    assert all(torch.equal(value, before[name]) for name, value in reader.state_dict().items())


@pytest.mark.parametrize("unfreezing", UNFREEZING)
def test_every_rule_of_unfreezing_gives_groups(unfreezing: str) -> None:
    layers = TextClassifier(small(5), 2).layers()
    how = Stage3(unfreezing=unfreezing)
    assert all(how.groups(layers, epoch) for epoch in range(8))
    assert len(how.groups(layers, 8)) == (1 if unfreezing == "top alone" else len(layers))


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="unfreezing is 'never'"):
        Stage3(unfreezing="never")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        *(("factor", x) for x in (0, -1.0, float("nan"))),
        *(("rate", x) for x in (0, float("inf"), "0.1")),
        *(("epochs", x) for x in (0, 1.5, True)),
        *(("batch_size", x) for x in (1, 2.0)),
        *(("dropout", x) for x in (-0.1, float("nan"))),
        ("slanted", "no"),
    ],
)
def test_a_setting_out_of_its_range_is_named(name: str, wrong: object) -> None:
    with pytest.raises(ConfigurationError, match=f"{name} is {wrong!r}"):
        Stage3(**{name: wrong})  # type: ignore[arg-type]


def test_both_stages_leave_the_random_state_as_it_was() -> None:
    reader = small(len(WORDS))
    before = torch.get_rng_state()
    stage_2(reader, WORDS, len(WORDS), KNOWN.texts * 9, epochs=1, seed=3)
    stage_3(reader, WORDS, KNOWN, 2, Stage3(epochs=1), 3)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_short_text_beside_a_long_one_teaches_the_reader() -> None:
    short, long = torch.full((3,), 2), torch.full((400,), 3)
    reader = small(5)
    model = TextClassifier(reader, 2)
    ids, mask = pad([short.tolist(), long.tolist()], device="cpu")
    model.eval()(ids, mask)[0].sum().backward()
    assert reader.embedding.weight.grad is not None
    assert reader.embedding.weight.grad[2].abs().sum() > 0


def test_a_fresh_reader_has_the_sizes_and_none_of_the_weights() -> None:
    reader = small(7)
    other = fresh(reader, seed=1)
    assert other.options == reader.options
    assert not torch.equal(other.embedding.weight, reader.embedding.weight)


def test_the_order_of_words_is_a_task_that_a_bag_of_words_cannot_do() -> None:
    task = tasks.order()
    known = task.train.drawn(200, 0)
    said = baselines.bag_of_words(known.texts, known.labels, task.dev.texts)
    share = share_right(right_of([said], task.dev.labels))
    assert share["low"] <= 0.5 + 0.05
    assert abs(np.mean(task.dev.labels) - 0.5) < 0.01


def test_smaller_draws_are_in_larger_ones() -> None:
    train = tasks.order().train
    assert train.drawn(50, 3).texts[:20] == train.drawn(20, 3).texts


def test_a_reader_and_a_vocabulary_of_other_words_are_refused() -> None:
    reader = small(len(WORDS))
    more = Vocabulary([*WORDS.words, "zebra"], unknown=WORDS.unknown)
    with pytest.raises(ValueError, match=r"with_words gives a reader"):
        stage_2(reader, more, len(more), KNOWN.texts)
    with pytest.raises(ValueError, match=r"with_words gives a reader"):
        stage_3(reader, more, KNOWN, 2, Stage3(epochs=1), 0)


def test_no_test_question_stands_in_the_text_of_stage_2() -> None:
    try:
        task = tasks.questions()
    except corpora.CorpusMissing:
        pytest.skip("TREC-6 is not here")
    seen = set(map(tuple, task.text))
    assert not seen & set(map(tuple, task.test.texts))
    assert not seen & set(map(tuple, task.dev.texts))
    assert len(task.classes) == 6


def test_a_long_text_is_as_long_as_asked_and_without_reviews_it_is_news(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert len(tasks.long_text(400)) == 400

    def nothing_here(name: str) -> corpora.Corpus:
        raise corpora.CorpusMissing(name)

    news = [word for sentence in LEE.sentences(lower=True) for word in sentence]
    monkeypatch.setattr(tasks.corpora, "load", nothing_here)
    monkeypatch.setattr(tasks.corpora, "lee", lambda: LEE)
    assert tasks.long_text(50) == news[:50]


@pytest.mark.parametrize("learn", [baselines.bag_of_words, baselines.naive_bayes_svm])
def test_a_word_that_decides_is_found(learn: Callable[..., baselines.Answers]) -> None:
    asked = [["good", "good"], ["bad"]]
    assert learn(KNOWN.texts, KNOWN.labels, asked).tolist() == [1, 0]
    assert learn(KNOWN.texts[:1], [1], asked).tolist() == [1, 1]


def test_logistic_regression_on_vectors() -> None:
    x = np.array([[0, 1], [1, 0]] * 5, dtype=np.float32)
    assert baselines.linear_on(x, [0, 1] * 5, x[:2]).tolist() == [0, 1]


def test_what_a_classifier_cannot_learn_from_is_said() -> None:
    vocabulary = word_vocabulary([["the", "a"]])
    model = small(len(vocabulary))
    two = Labelled([["the"], ["a"]], [0, 1])
    for labelled, how, said in (
        (Labelled([["the"]], [0]), Stage3(epochs=1), "1 labelled text: .* at least"),
        (Labelled([], []), Stage3(epochs=1), "0 labelled texts"),
        (Labelled(two.texts, [1, 2]), Stage3(epochs=1), "number your classes from 0"),
        (Labelled(two.texts, ["pos", "neg"]), Stage3(epochs=1), "number your classes from 0"),  # type: ignore[list-item]
    ):
        with pytest.raises((ValueError, ConfigurationError), match=said):
            stage_3(model, vocabulary, labelled, 2, how, 0)
    with pytest.raises(ValueError, match="1 labelled text"):
        TextClassifier(model, 2).train()(torch.tensor([[0]]), torch.tensor([[True]]))
    with pytest.raises(ConfigurationError, match="classes is 0"):
        TextClassifier(model, 0)
    for settings in ({"words": 0}, {"words": 9}, {"epochs": 0}, {"rate": -1.0}, {"seed": -1}):
        ((name, wrong),) = settings.items()
        with pytest.raises(ConfigurationError, match=f"{name} is {wrong}"):
            stage_2(model, vocabulary, **{"words": 4, "text": two.texts, **settings})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no text"):
        class_probabilities(TextClassifier(model, 2), [])
    with pytest.raises(ValueError, match="no text"):
        text_perplexity(model, [])
    with pytest.raises(ValueError, match="above 0"):
        say(model, vocabulary, temperature=0)


@pytest.mark.parametrize("text", [[], [-1], [5], [2, 9], ["good"], [1.5]])
def test_ids_that_no_reader_has_are_refused(text: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"text 1 is .* ids from 0 to 4"):
        class_probabilities(TextClassifier(small(5), 2), [[1], text])


def test_a_direction_of_no_reader_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="direction is 'sideways'"):
        in_ids([["good"]], WORDS, "sideways")


def test_no_negative_number_of_labels_is_drawn() -> None:
    for count, seed in ((-1, 0), (1, -1)):
        with pytest.raises(ConfigurationError, match="is -1"):
            KNOWN.drawn(count, seed)
