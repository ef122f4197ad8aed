"""Each planted fault of a probe shows the symptoms that the lesson speaks of."""

from collections.abc import Sequence

import numpy as np
import pytest

from course.what_the_layers_know.broken_probes import (
    ASKED,
    RUNS,
    TRAINED,
    Symptoms,
    labels_beside,
    symptoms,
    three_parts,
)
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.probing.classifiers import knn
from elmo_mini.probing.probe import occurrence_vectors
from elmo_mini.probing.tasks import Occurrence

WORDS, TAGS = ("the", "dog", "barks", "and", "a", "cat", "sleeps"), "DNVCDNV"


def text(seed: int, sentences: int) -> list[Occurrence]:
    """Sentences whose words are drawn for each tag."""
    random = np.random.default_rng(seed)
    nouns, verbs = ("dog", "cat", "horse", "wagon"), ("barks", "sleeps", "falls", "waits")
    found = []
    for _ in range(sentences):
        words = tuple(
            str(random.choice(nouns if tag == "N" else verbs)) if tag in "NV" else word
            for word, tag in zip(WORDS, TAGS, strict=True)
        )
        found += [Occurrence(words, place, tag) for place, tag in enumerate(TAGS)]
    return found


@pytest.fixture(scope="module")
def seen() -> dict[str, Symptoms]:
    bilm = load_pretrained()

    def nearest(known: np.ndarray, labels: Sequence[str], asked: np.ndarray, k: int) -> list[str]:
        return knn(known, labels, asked, k)

    parts = [
        (part, occurrence_vectors(bilm, part, [0, 1, 2], progress=False))
        for part in (text(0, 12), text(1, 6), text(2, 6))
    ]
    return {name: symptoms(name, bilm, *parts, nearest) for name in RUNS}


def test_a_sound_probe_answers_for_the_word_itself(seen: dict[str, Symptoms]) -> None:
    sound = seen["C"]
    assert sound.fresh > 0.9
    assert sound.offsets.argmax() == 1
    assert sound.moved > 0.01


def test_shifted_labels_answer_for_the_next_word_and_open_a_gap(seen: dict[str, Symptoms]) -> None:
    assert seen["D"].offsets.argmax() == 2
    assert seen["D"].test - seen["D"].fresh > 0.3


def test_the_token_layer_does_not_move(seen: dict[str, Symptoms]) -> None:
    assert seen["B"].moved < 1e-6
    assert seen["B"].offsets.argmax() == 1


def test_a_probe_that_has_its_test_sentences_is_perfect_on_them(seen: dict[str, Symptoms]) -> None:
    assert seen["A"].test == 1


def test_labels_beside_a_word_stay_in_its_sentence() -> None:
    two = text(0, 2)
    assert "".join(labels_beside(two, 0)) == TAGS * 2
    assert labels_beside(two, 1).tolist() == [*TAGS[1:], "", *TAGS[1:], ""]
    assert labels_beside(two, -1).tolist() == ["", *TAGS[:-1], "", *TAGS[:-1]]


def test_an_unknown_run_is_an_error(seen: dict[str, Symptoms]) -> None:
    empty = ([], np.zeros((0, 3, 4), np.float32))
    with pytest.raises(KeyError):
        symptoms("E", load_pretrained(), empty, empty, empty, knn)


def test_the_three_parts_are_whole_sentences_and_share_none() -> None:
    every = text(0, 300)
    train = 7 * 200
    rows = np.arange(len(every), dtype=np.float32)[:, None]
    parts = three_parts(every, rows, train)
    for (words, vectors), least in zip(parts, (TRAINED, ASKED, ASKED), strict=True):
        assert least <= len(words) == len(vectors) < least + 7
        assert (words[0].position, words[-1].position) == (0, 6)
    (_, known), (_, test), (_, fresh) = parts
    assert known[0] == 0
    assert test[0] == train
    assert fresh[0] == test[-1] + 1
