import numpy as np
import pytest

from elmo_mini.errors import ConfigurationError
from elmo_mini.probing.classifiers import centroid, knn, linear, majority
from elmo_mini.probing.linear_probe import linear_probe
from elmo_mini.probing.report import bootstrap_interval

KNOWN = np.array([[1, 0], [0.9, 0.1], [0, 1]], dtype=np.float32)
ASKED = np.array([[5, 1], [0, 2]], dtype=np.float32)


@pytest.mark.parametrize("classify", [lambda *a: knn(*a, neighbours=1), centroid, linear])
def test_the_nearest_name_their_label(classify) -> None:  # type: ignore[no-untyped-def]
    found = classify(KNOWN, ["a", "a", "b"], ASKED)
    assert found == ["a", "b"]
    assert all(type(label) is str for label in found)


@pytest.mark.parametrize("classify", [knn, centroid, linear])
def test_with_one_label_there_is_one_answer(classify) -> None:  # type: ignore[no-untyped-def]
    assert classify(KNOWN, ["a", "a", "a"], ASKED) == ["a", "a"]


def test_there_are_no_more_neighbours_than_examples() -> None:
    assert knn(KNOWN, ["a", "b", "b"], ASKED, neighbours=9) == ["b", "b"]


def test_the_majority_is_the_words_own_or_everybodys() -> None:
    known, labels = ["run", "run", "run", "dog", "cat"], ["V", "N", "V", "N", "N"]
    assert majority(known, labels, ["run", "dog", "unseen"]) == ["V", "N", "N"]


def test_of_equally_common_labels_the_majority_is_the_first_in_the_alphabet() -> None:
    assert majority(["run", "run"], ["V", "N"], ["run", "unseen"]) == ["N", "N"]


@pytest.mark.parametrize("c", [0, -1, float("nan"), "1"])
def test_what_cannot_be_c_is_refused(c: float) -> None:
    with pytest.raises(ConfigurationError, match=f"c is {c!r}"):
        linear(KNOWN, ["a", "a", "b"], ASKED, c=c)


def test_no_neighbour_is_no_vote() -> None:
    with pytest.raises(ConfigurationError, match="neighbours is 0"):
        knn(KNOWN, ["a", "a", "b"], ASKED, neighbours=0)


@pytest.mark.parametrize("classify", [knn, centroid, linear, linear_probe])
def test_what_does_not_fit_together_is_refused(classify) -> None:  # type: ignore[no-untyped-def]
    for train, labels, test in (
        (KNOWN[:0], [], ASKED),
        (KNOWN, ["a", "b"], ASKED),
        (KNOWN, list("aab"), ASKED[:, :1]),
        (KNOWN[0], list("ab"), ASKED),
    ):
        with pytest.raises(ValueError, match="fit together"):
            classify(train, labels, test)
    assert len(classify(KNOWN, list("aab"), ASKED[:0])) == 0


@pytest.mark.parametrize("classify", [knn, centroid, linear])
def test_what_is_not_finite_has_no_label(classify) -> None:  # type: ignore[no-untyped-def]
    for train, test in ((KNOWN * np.nan, ASKED), (KNOWN, ASKED * np.inf)):
        with pytest.raises(ValueError, match="not finite"):
            classify(train, list("aab"), test)


def test_nothing_has_no_interval() -> None:
    for outcome, sentences in (((1, 0), 0), ((0, 3), 3), ((2, 3), 2)):
        with pytest.raises(ValueError, match="at least one of each"):
            bootstrap_interval(np.zeros(outcome), np.zeros(sentences, np.int64))
