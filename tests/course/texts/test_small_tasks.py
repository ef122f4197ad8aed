"""The small tasks are there with the corpora and without them."""

from pathlib import Path

import nltk.data
import pytest

from course.texts.small_tasks import labelled_sentences, labelled_words, sentences_with_labels


def test_without_corpora_there_are_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setattr(nltk.data, "path", [])
    task = labelled_words(200, 100)
    assert (len(task.train), len(task.test)) == (200, 100)
    assert {o.label for o in task.train} == {"none", "PER", "LOC", "ORG"}
    what, learn, asked = sentences_with_labels(50, 20)
    assert "names" in what
    assert (len(learn), len(asked)) == (50, 20)
    assert all(len(words) == len(labels) > 0 for words, labels in learn + asked)
    what, train, test = labelled_sentences(50, 20)
    assert "names" in what
    assert (len(train), len(test)) == (50, 20)


def test_the_draws_of_a_seed_are_nested_and_seeds_differ() -> None:
    _, few, _ = labelled_sentences(5, 1)
    _, more, _ = labelled_sentences(10, 1)
    _, others, _ = labelled_sentences(5, 1, seed=1)
    assert more[:5] == few != others
