import numpy as np
import pytest

from course.starting_from_a_language_model.bleu import bleu
from course.starting_from_a_language_model.telegrams import FUNCTION_WORDS, telegram, telegram_task

NOUNS = [f"noun{number}" for number in range(8)]


def text(count: int, seed: int) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [
        ["The", *rng.choice(NOUNS, 2).tolist(), "of", "the", str(rng.choice(NOUNS)), "."]
        for _ in range(count)
    ]


def test_telegram() -> None:
    words = ["The", "cat", "sat", "on", "the", "3", "mats", ",", "did", "n't", "it", "?"]
    assert telegram(words) == ["cat", "sat", "3", "mats"]
    assert all(word == word.lower() for word in FUNCTION_WORDS)


def test_parts_share_no_place_of_the_text() -> None:
    train = [[*sentence, f"place{number}"] for number, sentence in enumerate(text(300, 0))]
    task = telegram_task(train, text(50, 1), pairs=40, dev=10, tests=20, words=1_000)
    assert (len(task.train), len(task.dev), len(task.test)) == (40, 10, 20)
    decode = task.vocabulary.decode
    places = [
        [decode(target)[-1] for _, target in task.train],
        [decode(target)[-1] for _, target in task.dev],
        [sentence[-1] for sentence in task.source_text],
        [sentence[-1] for sentence in task.target_text],
    ]
    everything = [place for part in places for place in part]
    assert sorted(everything) == sorted(f"place{number}" for number in range(300))
    assert abs(len(places[2]) - len(places[3])) <= 1
    assert all(telegram(sentence) == sentence for sentence in task.source_text)
    assert all("of" in sentence for sentence in task.target_text)


def test_pairs_are_telegram_and_sentence_of_known_words() -> None:
    train = [*text(100, 0), *[["A", "rare", f"word{n}", "of", "the", "noun1"] for n in range(50)]]
    task = telegram_task(train, text(50, 1), pairs=30, dev=5, words=16)
    unknown = task.vocabulary.id("<unk>")
    for source, target in [*task.train, *task.dev, *task.test]:
        assert unknown not in target
        assert telegram(task.vocabulary.decode(target)) == task.vocabulary.decode(source)
        assert 5 <= len(target) <= 14
    loose = telegram_task(train, text(50, 1), pairs=100, dev=5, words=16, unknown=1)
    assert {target.count(unknown) for _, target in loose.train} == {0, 1}
    again = telegram_task(train, text(50, 1), pairs=30, dev=5, words=16)
    other = telegram_task(train, text(50, 1), pairs=30, dev=5, words=16, seed=1)
    assert again.train == task.train != other.train


def test_too_little_text() -> None:
    with pytest.raises(ValueError, match="100 pairs and 200 for dev"):
        telegram_task(text(50, 0), text(9, 1), pairs=100)
    with pytest.raises(ValueError, match="the test text 0"):
        telegram_task(text(50, 0), [], pairs=10, dev=1)


def test_bleu() -> None:
    references = [[1, 2, 3, 4, 5], [6, 7, 8, 9]]
    assert bleu(references, references) == pytest.approx(1)
    # precisions 8/9, 5/7, 3/5, 1/3; lengths agree
    said = [[1, 2, 3, 4, 5], [6, 7, 0, 9]]
    by_hand = float(np.prod([8 / 9, 5 / 7, 3 / 5, 2 / 3]) ** 0.25)
    assert bleu(said, references) == pytest.approx(by_hand)
