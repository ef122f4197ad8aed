"""The labelled sentences: what the file promises, and that no word counter solves them."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from nltk.stem import PorterStemmer
from sklearn.feature_extraction.text import TfidfVectorizer

from elmo_mini.text.senses import (
    SensesDamaged,
    SenseSentence,
    read_sense_sentences,
    sense_sentences,
)
from elmo_mini.text.tokenizer import tokenize

ENDINGS = {"NOUN": ("s", "es"), "VERB": ("s", "es", "ed", "ing"), "ADJ": ("er", "est"), "PRON": ()}
IRREGULAR = {"ring": {"rang", "rung"}, "light": {"lit"}, "mouse": {"mice"}}
FUNCTION_WORDS = """
a about above across after again against all almost along although always am among an and
another any anybody anyone anything are around as at away be because been before behind being
below beneath beside between both but by can cannot could did do does doing done down during
each either else enough even ever every everybody everyone everything few for from had has have
he her here hers herself him himself his how however i if in inside into is it its itself just
like may me might mine more most much must my myself n't never no nobody none nor not nothing
of off on once one only onto or other our ours out outside over past 's shall she should since
so some somebody someone something somewhere still such than that the their them themselves
then there these they this those though through to together too towards twice two under unless
until up upon us very was we were what whatever when whenever where whether which while who
whoever whom whose why will with within without would yet you your yours yourself
"""


@pytest.fixture(scope="module")
def sentences() -> list[SenseSentence]:
    return sense_sentences()


def by_sense(sentences: Iterable[SenseSentence]) -> dict[str, list[SenseSentence]]:
    groups = defaultdict(list)
    for sentence in sentences:
        groups[sentence.sense].append(sentence)
    return groups


def by_word(sentences: Iterable[SenseSentence]) -> dict[str, list[SenseSentence]]:
    groups = defaultdict(list)
    for sentence in sentences:
        groups[sentence.word].append(sentence)
    return groups


def context(sentence: SenseSentence) -> list[str]:
    tokens = [*sentence.tokens[: sentence.position], *sentence.tokens[sentence.position + 1 :]]
    return [token.lower() for token in tokens]


def content_stems(sentence: SenseSentence) -> set[str]:
    stem = PorterStemmer().stem
    words = (word for word in context(sentence) if word[0].isalnum())
    return {stem(word) for word in words if word not in FUNCTION_WORDS.split()}


def forms(word: str, pos: str) -> set[str]:
    return {word, *(word + ending for ending in ENDINGS[pos]), *IRREGULAR.get(word, ())}


def test_there_are_words_senses_and_sentences_enough(sentences: list[SenseSentence]) -> None:
    words = by_word(sentences)
    assert len(words) >= 24
    for word, group in words.items():
        assert len({sentence.sense for sentence in group}) in (2, 3), word
    for sense, group in by_sense(sentences).items():
        assert len(group) >= 12, sense
        assert Counter(sentence.split for sentence in group)["train"] == 8, sense
        assert sense.startswith(group[0].word + "."), sense
        labels = {(sentence.word, sentence.gloss, sentence.pos) for sentence in group}
        assert len(labels) == 1, f"{sense} is described in two ways"


def test_senses_differ_in_part_of_speech_for_some_words_only(
    sentences: list[SenseSentence],
) -> None:
    kinds = [len({sentence.pos for sentence in group}) for group in by_word(sentences).values()]
    assert sum(kind > 1 for kind in kinds) >= 8
    assert sum(kind == 1 for kind in kinds) >= 8


def test_the_target_stands_at_its_position_and_nowhere_else(
    sentences: list[SenseSentence],
) -> None:
    for sentence in sentences:
        assert sentence.target.lower() in forms(sentence.word, sentence.pos), sentence
        every = set().union(*(forms(sentence.word, pos) for pos in ENDINGS))
        assert not every & set(context(sentence)), f"a second {sentence.word}: {sentence}"


def test_sentences_are_tokenised_as_the_course_does(sentences: list[SenseSentence]) -> None:
    for sentence in sentences:
        assert 7 <= len(sentence.tokens) <= 30, sentence
        assert tokenize(" ".join(sentence.tokens)) == list(sentence.tokens)
        assert sentence.tokens[-1] in {".", "?", '"'}, sentence


def test_no_two_sentences_say_nearly_the_same(sentences: list[SenseSentence]) -> None:
    stems = [content_stems(sentence) for sentence in sentences]
    assert all(stems)
    for (a, one), (b, other) in combinations(zip(sentences, stems, strict=True), 2):
        assert len(one & other) / len(one | other) < 0.4, (" ".join(a.tokens), " ".join(b.tokens))


def test_no_collocate_gives_a_sense_away(sentences: list[SenseSentence]) -> None:
    for sense, group in by_sense(sentences).items():
        counts = Counter(stem for sentence in group for stem in content_stems(sentence))
        stem, count = counts.most_common(1)[0]
        assert count <= 3, f"{count} of {len(group)} sentences of {sense} contain {stem!r}"


def bag_of_words_hits(train: list[SenseSentence], test: list[SenseSentence]) -> int:
    """How many of `test` have the sense of the nearest in `train` (tf-idf, cosine, target out)."""
    vectorizer = TfidfVectorizer(analyzer=context)
    known = vectorizer.fit_transform(train).toarray()
    nearest = np.argmax(vectorizer.transform(test).toarray() @ known.T, axis=1)
    return sum(a.sense == train[b].sense for a, b in zip(test, nearest, strict=True))


def test_a_bag_of_words_stays_near_the_majority(sentences: list[SenseSentence]) -> None:
    """0.49 against a majority of 0.42 as the file stands: words alone do not settle it."""
    hits = total = majority = 0
    for group in by_word(sentences).values():
        train = [sentence for sentence in group if sentence.split == "train"]
        test = [sentence for sentence in group if sentence.split == "test"]
        hits += bag_of_words_hits(train, test)
        total += len(test)
        majority += Counter(sentence.sense for sentence in test).most_common(1)[0][1]
    print(f"bag of words {hits / total:.3f}, majority {majority / total:.3f}, {total} sentences")
    assert majority / total < 0.5
    assert hits / total < 0.6


GOOD: dict[str, object] = {
    "word": "bank",
    "sense": "bank.river",
    "gloss": "land along a river",
    "tokens": ["The", "bank", "is", "steep", "."],
    "position": 1,
    "pos": "NOUN",
    "split": "train",
}
OTHER = {**GOOD, "tokens": ["Mind", "the", "bank", "."], "position": 2, "split": "test"}


def write(path: Path, *records: object) -> Path:
    lines = (json.dumps(record, ensure_ascii=False) for record in records)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_file_of_ones_own_is_read(tmp_path: Path) -> None:
    extra = {**OTHER, "text": "小心", "pinyin": "àn", "translation": "Mind the bank."}
    first, second = read_sense_sentences(write(tmp_path / "own.jsonl", GOOD, extra))
    assert first.tokens == ("The", "bank", "is", "steep", ".")
    assert (first.word, first.sense, first.gloss) == ("bank", "bank.river", "land along a river")
    assert (first.target, first.position, first.pos, first.split) == ("bank", 1, "NOUN", "train")
    assert (first.text, first.pinyin, first.translation) == (None, None, None)
    assert (second.text, second.pinyin) == ("小心", "àn")
    assert second.translation == "Mind the bank."


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "not a JSON object"),
        ({key: GOOD[key] for key in GOOD if key != "gloss"}, "missing keys .'gloss'"),
        ({**GOOD, "colour": "red"}, "unknown keys .'colour'"),
        ({**GOOD, "sense": 3}, "'sense' must be text"),
        ({**GOOD, "text": ""}, "'text' must be text"),
        ({**GOOD, "tokens": "The bank"}, "'tokens' must be a list"),
        ({**GOOD, "tokens": ["The", ""]}, "'tokens' must be a list"),
        ({**GOOD, "position": 5}, "'position' 5 is no index into 5 tokens"),
        ({**GOOD, "position": -1}, "'position' -1"),
        ({**GOOD, "position": True}, "'position' True"),
        ({**GOOD, "split": "dev"}, "'split' must be train or test"),
        (OTHER, "repeats the sentence of line 1"),
    ],
)
def test_damage_is_named_with_its_line(tmp_path: Path, record: object, message: str) -> None:
    path = write(tmp_path / "damaged.jsonl", OTHER, record, GOOD)
    with pytest.raises(SensesDamaged, match=f"damaged.jsonl is damaged: line 2.*{message}"):
        read_sense_sentences(path)


def test_a_truncated_file_is_damaged(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.jsonl", GOOD, OTHER).read_bytes()
    cut = tmp_path / "cut.jsonl"
    for content, message in [
        (whole[:-9], "line 2"),
        (whole.splitlines()[0], "'bank.river' has no test sentence"),
        (b"", "it is empty"),
        ("é".encode("latin-1"), "not UTF-8"),
    ]:
        cut.write_bytes(content)
        with pytest.raises(SensesDamaged, match=message):
            read_sense_sentences(cut)


def test_an_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'klingon'; there are: .*english"):
        sense_sentences("klingon")
