"""Letters to change, and the three questions, on answers that can be seen by eye."""

from collections.abc import Sequence

import numpy as np
import pytest

from course.from_characters.edit_distance import edit_distances
from course.from_characters.spellings import meaning_or_letters, misspelt_words
from course.from_characters.word_similarity import (
    Table,
    by_ending,
    by_letters,
    by_vectors,
    common_endings,
    finds_meant,
    lower_case_first,
    nearest,
    prefers_meaning,
    reader,
    remembered,
    same_class,
    show_nearest,
    whitened,
)
from elmo_mini.checkpoints.pretrained import COURSE_CHECKPOINT
from elmo_mini.text.vocabulary import Vocabulary

VECTORS = {"car": (1.0, 0.0), "auto": (0.9, 0.1), "card": (0.0, 1.0), "cars": (0.8, 0.5)}
WORDS = list(VECTORS)


def encode(words: Sequence[str]) -> Table:
    return np.array([VECTORS[word] for word in words], dtype=np.float32)


def test_letters_put_in_taken_out_and_replaced_are_counted() -> None:
    found = edit_distances(["kitten", ""], ["sitting", "kitten", "", "mitten", "tikten"])
    assert found.tolist() == [[3, 0, 6, 1, 2], [7, 6, 0, 6, 6]]
    assert edit_distances([], ["a"]).shape == (0, 1)


def test_the_first_of_equals_is_the_nearest_and_a_word_is_not_its_own_neighbour() -> None:
    assert nearest(by_letters, ["car"], WORDS, 2).tolist() == [[2, 3]]
    assert nearest(by_vectors(encode), ["car"], WORDS, 1).tolist() == [[1]]


def test_the_order_of_the_list_decides_no_tie() -> None:
    for words in (["cat", "car", "dog"], ["dog", "car", "cat"]):
        assert finds_meant(by_letters, [("caz", "cat")], words).tolist() == [0.5]
        classes = {"caz": "N", "cat": "N", "car": "V", "dog": "V"}
        assert same_class(by_letters, ["caz"], words, classes, n=1).tolist() == [0.5]


def test_endings_are_compared_from_the_last_letter() -> None:
    endings = ["talking", "king", "walks", "walking", ""]
    assert by_ending(["walking"], endings).round().tolist() == [[6, 4, 0, 7, 0]]
    assert nearest(by_ending, ["walking"], ["king", "staking", "sing"], 3).tolist() == [[1, 0, 2]]


def test_lower_case_comes_first_then_the_ending_then_the_length() -> None:
    candidates = ["Walking", "dog", "king", "staking", "sing"]
    found = nearest(lower_case_first(common_endings), ["walking"], candidates, 5)
    assert [candidates[i] for i in found[0]] == ["staking", "king", "sing", "dog", "Walking"]


def test_a_common_ending_stops_at_the_first_letter_that_differs() -> None:
    assert common_endings(["abcd", ""], ["abxd", "d", ""]).tolist() == [[1, 1, 0], [0, 0, 0]]


def test_whitened_vectors_vary_alike_in_every_direction() -> None:
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(300, 3)) @ np.array([[5.0, 1, 0], [0, 1, 0], [0, 0, 0.1]]) + 7
    vectors = dict(zip(map(str, range(300)), drawn, strict=True))
    words = list(vectors)

    def read(asked: Sequence[str]) -> Table:
        return np.array([vectors[word] for word in asked], dtype=np.float32)

    white = whitened(read, words)
    assert np.allclose(np.cov(white(words).T), np.eye(3), atol=0.01)
    assert np.allclose(white(words)[:5], white(words[:5]), atol=1e-4)


def test_directions_in_which_nothing_differs_are_left_out() -> None:
    def flat(asked: Sequence[str]) -> Table:
        return np.array([[len(word), 1.0] for word in asked], dtype=np.float32)

    assert whitened(flat, ["a", "bb", "ccc"])(["dddd"]).shape == (1, 1)


def test_a_reader_takes_the_ids_of_somebody_else() -> None:
    encode = reader(lambda ids: ids[:, :2].float(), lambda word: [len(word)] * 50)
    assert encode(["ab", "c"]).tolist() == [[2, 2], [1, 1]]


def test_neighbours_are_printed_for_each_reader(capsys: pytest.CaptureFixture[str]) -> None:
    show_nearest({"letters": by_letters, "endings": by_ending}, ["car"], WORDS, 1)
    assert capsys.readouterr().out.splitlines() == ["     letters | endings", "car: card | auto"]


def test_a_list_is_encoded_once_however_often_it_is_asked() -> None:
    asked: list[int] = []

    def counting(words: Sequence[str]) -> Table:
        asked.append(len(words))
        return encode(words)

    closeness = by_vectors(counting)
    for _ in range(2):
        closeness(["car"], WORDS)
    assert asked == [4, 1, 1]


def test_the_questions() -> None:
    assert finds_meant(by_letters, [("carr", "car"), ("aut", "car")], WORDS).tolist() == [1 / 3, 0]
    triple = [("car", "auto", "card")]
    assert prefers_meaning(by_vectors(encode), triple).tolist() == [1]
    assert prefers_meaning(by_letters, triple).tolist() == [0]
    assert prefers_meaning(by_letters, [("car", "cat", "can")]).tolist() == [0.5]
    classes = {"car": "N", "auto": "N", "card": "V", "cars": "N"}
    assert same_class(by_letters, ["car"], WORDS, classes, n=2).tolist() == [0.5]


def test_the_lists_keep_what_they_promise() -> None:
    known = Vocabulary.load(COURSE_CHECKPOINT.with_name("vocabulary.json"))
    slips = misspelt_words()
    assert len({slip for slip, _ in slips}) == len(slips) > 100
    assert not [slip for slip, meant in slips if slip in known or meant not in known]
    assert not [word for triple in meaning_or_letters() for word in triple if word not in known]
    distances = [edit_distances([a], [b, c])[0] for a, b, c in meaning_or_letters()]
    assert not [d for d in distances if d[0] <= d[1]]  # near in letters only


def test_a_word_is_encoded_once_and_its_vector_remembered() -> None:
    asked: list[str] = []

    def lengths(words: Sequence[str]) -> Table:
        asked.extend(words)
        return np.array([[len(word), 1] for word in words], dtype=np.float32)

    again = remembered(lengths)
    assert np.array_equal(again(["a", "bcd", "a"]), [[1, 1], [3, 1], [1, 1]])
    assert np.array_equal(again(["bcd", "ef"]), [[3, 1], [2, 1]])
    assert asked == ["a", "bcd", "ef"]
