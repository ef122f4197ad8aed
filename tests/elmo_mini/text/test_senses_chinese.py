"""The Chinese labelled sentences: the format, the counts and the variety the course promises."""

import json
import re
from collections import Counter, defaultdict
from dataclasses import fields
from importlib.resources import files
from itertools import combinations

import pytest

from elmo_mini.text.senses import SenseSentence, sense_sentences

FILE = files("elmo_mini") / "data" / "senses_chinese.jsonl"
RECORDS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
KEYS = {field.name for field in fields(SenseSentence)}

# Words of grammar, which recur in any Chinese text and say little about a sense.
FUNCTION_WORDS = """
， 。 ！ ？ ： “ ” 、 的 了 着 过 得 地 是 在 有 没 没有 不 也 都 就 才 还 又 再 很 太 最 更
一 二 两 三 四 五 六 八 十 几 多 个 把 被 给 从 到 对 跟 和 往 用 为 之间 里 上 下 中 时 后 前
去 来 回去 我 你 他 她 它 我们 你们 他们 咱们 自己 人 谁 这 那 这些 那些 什么 哪 怎么 多少
要 会 能 可以 想 说 吗 吧 啊 呢 只 连 却 可 而 如果 因为 所以 以后 一下 一点 点 次 种 条
"""


def of_each_sense() -> dict[str, list[dict]]:
    senses: dict[str, list[dict]] = defaultdict(list)
    for record in RECORDS:
        senses[record["sense"]].append(record)
    return dict(senses)


def neighbours(record: dict) -> tuple[str | None, str | None]:
    """The tokens at the left and right of the target, None for punctuation and edges."""
    padded = [None, *record["tokens"], None]
    left, right = padded[record["position"]], padded[record["position"] + 2]
    return tuple(t if t and re.fullmatch(r"\w+", t) else None for t in (left, right))


def pairs_of_characters(text: str) -> set[str]:
    letters = re.sub(r"\W", "", text)
    return {letters[i : i + 2] for i in range(len(letters) - 1)}


def test_the_reader_gives_every_sentence() -> None:
    sentences = sense_sentences("chinese")
    assert all(isinstance(sentence, SenseSentence) for sentence in sentences)
    for sentence, record in zip(sentences, RECORDS, strict=True):
        assert {name: getattr(sentence, name) for name in KEYS - {"tokens"}} == {
            name: record[name] for name in KEYS - {"tokens"}
        }
        assert list(sentence.tokens) == record["tokens"]
    assert all(s.target == s.word for s in sentences)


def test_every_record_has_all_fields() -> None:
    for record in RECORDS:
        assert record.keys() == KEYS
        assert record["sense"].startswith(record["word"] + ".")
        assert record["pos"] in {"NOUN", "PROPN", "VERB", "ADJ"}
        assert record["split"] in {"train", "test"}
        assert re.fullmatch(r"[A-Z0-9\"“].*[.!?]\"?", record["translation"]), record["text"]
        assert re.fullmatch(r"[a-zāáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜ]+", record["pinyin"])


@pytest.mark.parametrize("word", ["打", "苹果"])
def test_the_two_words_of_the_course_are_there(word: str) -> None:
    assert len({r["sense"] for r in RECORDS if r["word"] == word}) >= 2


def test_at_least_eight_words_with_two_to_four_senses_and_no_bank() -> None:
    senses = defaultdict(set)
    for record in RECORDS:
        senses[record["word"]].add(record["sense"])
    assert len(senses) >= 8
    assert all(2 <= len(names) <= 4 for names in senses.values())
    assert "银行" not in senses  # it has one sense: facts, trap 8


def test_a_sense_has_eight_sentences_to_train_and_five_or_more_to_test() -> None:
    for sense, records in of_each_sense().items():
        splits = Counter(record["split"] for record in records)
        assert splits["train"] == 8, sense
        assert splits["test"] >= 5, sense
        assert len({(r["gloss"], r["pinyin"], r["word"]) for r in records}) == 1, sense


def test_joined_tokens_are_the_text_and_the_target_is_one_whole_token() -> None:
    for record in RECORDS:
        assert "".join(record["tokens"]) == record["text"]
        assert record["tokens"][record["position"]] == record["word"]
        assert record["tokens"].count(record["word"]) == 1, record["text"]
        assert not any(re.search(r"\s", token) for token in record["tokens"])
        assert all(re.fullmatch(r"\w+|\W", token) for token in record["tokens"]), record["text"]


def test_sentences_are_six_to_twenty_five_characters_long() -> None:
    for record in RECORDS:
        assert 6 <= len(re.findall(r"\w", record["text"])) <= 25, record["text"]


def test_pronunciation_tells_the_senses_of_xing_and_dongxi_apart() -> None:
    spoken = {record["sense"]: record["pinyin"] for record in RECORDS}
    assert spoken["行.all_right"] == "xíng"
    assert spoken["行.trade"] == spoken["行.line"] == "háng"
    assert spoken["东西.thing"] == "dōngxi"
    assert spoken["东西.east_west"] == "dōngxī"


def test_no_two_sentences_are_nearly_the_same() -> None:
    for first, second in combinations(RECORDS, 2):
        a, b = pairs_of_characters(first["text"]), pairs_of_characters(second["text"])
        assert len(a & b) / len(a | b) < 0.3, (first["text"], second["text"])
    translations = Counter(record["translation"] for record in RECORDS)
    assert translations.most_common(1)[0][1] == 1


def test_no_content_word_recurs_in_more_than_three_sentences_of_a_sense() -> None:
    for sense, records in of_each_sense().items():
        found = Counter(
            token
            for record in records
            for token in set(record["tokens"]) - {*FUNCTION_WORDS.split(), record["word"]}
        )
        assert all(count <= 3 for count in found.values()), (sense, found.most_common(3))


def test_no_word_of_grammar_stands_beside_the_target_in_most_sentences_of_a_sense() -> None:
    for sense, records in of_each_sense().items():
        for side in (0, 1):
            found = Counter(neighbours(record)[side] for record in records)
            del found[None]
            assert all(2 * n <= len(records) for n in found.values()), (sense, found)
