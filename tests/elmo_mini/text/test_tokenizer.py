import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elmo_mini.corpora import Corpus
from elmo_mini.corpora.files import find
from elmo_mini.text.tokenizer import split_sentences, split_spans, tokenize, tokenize_spans


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cat sat.", "The cat sat ."),
        ("Mr. Smith of the U.S. won't go.", "Mr. Smith of the U.S. wo n't go ."),
        ("Don’t! It’s Kim's.", "Do n’t ! It ’s Kim 's ."),
        ("They couldn't've; I'd go, we're here", "They could n't 've ; I 'd go , we 're here"),
        ("O'Brien's o'clock, the boys' toys", "O'Brien 's o'clock , the boys ' toys"),
        ('"Stop!" he said.', '" Stop ! " he said .'),
        ("``Go,'' she said -- twice...", "`` Go , '' she said -- twice ..."),
        ("“Really?” ‘yes’—no", "“ Really ? ” ‘ yes ’ — no"),
        ("$3.50, £2,000.75 (10%)", "$ 3.50 , £ 2,000.75 ( 10 % )"),
        ("at 4:00pm in the 1990s, 3/4", "at 4:00pm in the 1990s , 3/4"),
        ("a state-of-the-art e-mail", "a state-of-the-art e-mail"),
        ("to a.b@c.org, see https://x.org/y?z=1.", "to a.b@c.org , see https://x.org/y?z=1 ."),
        ("No. 10, no. 7, but no. Never", "No. 10 , no. 7 , but no . Never"),
        ("J. R. Tolkien, Ph.D., of AT&T Corp.", "J. R. Tolkien , Ph.D. , of AT&T Corp."),
        ("He ate.Then he left", "He ate . Then he left"),
        ("他在打篮球。ok", "他 在 打 篮 球 。 ok"),
        ("cafe\u0301 résumé naïve", "cafe\u0301 résumé naïve"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_tokens_follow_the_treebank(text: str, tokens: str) -> None:
    assert tokenize(text) == tokens.split()


def test_lower_case_on_request() -> None:
    assert tokenize("The U.S. DON'T", lower=True) == ["the", "u.s.", "do", "n't"]


@pytest.mark.parametrize(
    "text",
    [
        "He left.| She stayed.",
        "Mr. Smith met Dr. Jones.| They spoke.",
        "The U.S. Senate voted.| It passed.",
        "He lives in the U.S.| She lives in the U.K.| They phone.",
        "On Nov. 3 Acme Corp. Ltd. rose.| But Foo Inc. fell.",
        "J. K. Rowling wrote it.| So did C.S. Lewis.",
        "It was I.| Emma knew.",
        "He came at 5 p.m. on Sunday.| He left at 6 a.m.| The day was over.",
        "See No. 10 and Fig. 3 of vol. 2.| Then stop.",
        "He said no.| Ten people left.",
        '"Stop!" he said.| "Why?"| She did not answer.',
        '"I will go to the U.S."| "You will not."',
        "“Who is it?” she asked.| ‘Me.’| (It was me.)| [Laughter.]| He came in.",
        "Heiwado is rated by Moody's.| Heiwado is in Japan.",
        "Really?!| Yes...| Well… perhaps not.| No!",
        "It cost 3.50 dollars.| That is 3.5 times more.",
        "A line\nthat goes on.| Another.",
        "CHAPTER I|\n\nEmma was clever.|\n \nShe was rich.",
        "all in lower case.| no capital at all!| not one.",
        "苹果公司发布新产品。|他买了一个苹果！|好",
        "One, etc. and two.| Three etc.| The end.",
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str) -> None:
    expected = [piece.strip() for piece in text.split("|")]
    assert split_sentences(text.replace("|", "")) == expected


def test_spans_point_at_the_sentences_and_tokens() -> None:
    text = "  Mr. Lee didn't.\n\n Who did?  "
    assert [text[a:b] for a, b in split_spans(text)] == split_sentences(text)
    assert [text[a:b] for a, b in tokenize_spans(text)] == tokenize(text)
    assert split_sentences(" \n\n ") == []


_PROSE = st.text(alphabet=st.sampled_from(list("abIUS.MrDr '\"”’!?…-,0139\n\t()éß打。_&@/:")))


@given(st.one_of(st.text(), _PROSE))
def test_only_white_space_is_left_out(text: str) -> None:
    assert "".join(tokenize(text)) == re.sub(r"\s+", "", text)
    assert re.sub(r"\s+", "", "".join(split_sentences(text))) == re.sub(r"\s+", "", text)


@given(_PROSE)
def test_sentences_are_in_order_and_never_empty(text: str) -> None:
    spans = split_spans(text)
    assert all(a < b <= c < d for (a, b), (c, d) in pairwise(spans))


def test_long_unpunctuated_text_takes_no_quadratic_time() -> None:
    long = "word " * 200_000 + "." * 50_000 + "a" * 200_000 + "'" * 50_000
    assert len(tokenize(long)) > 200_000
    assert len(split_sentences(long)) >= 1


def test_it_agrees_with_the_line_breaks_of_the_treebank(
    real_corpus: Callable[[str], Corpus],
) -> None:
    """The raw Wall Street Journal files have a sentence a line (headings and some quotes apart)."""
    real_corpus("treebank")
    store = find("treebank")
    names = [name for name in store.names() if re.fullmatch(r"raw/wsj_\d+", name)]
    both = ours = gold = 0
    for _, text in store.texts(names, "ascii", "latin-1"):
        lines = [line.strip() for line in text.replace(".START", "").split("\n") if line.strip()]
        true, found = _ends(lines), _ends(split_sentences(" ".join(lines)))
        both, ours, gold = both + len(true & found), ours + len(found), gold + len(true)
    assert len(names) == 199
    assert both / gold > 0.97
    assert both / ours > 0.90


def _ends(sentences: list[str]) -> set[int]:
    ends, position = set(), 0
    for sentence in sentences:
        position += len(re.sub(r"\s", "", sentence))
        ends.add(position)
    return ends


@pytest.mark.parametrize("text", [None, b"a cat", 3, ["a", "cat"]])
def test_what_is_no_string_is_no_text(text: Any) -> None:
    for split in (tokenize, split_sentences):
        with pytest.raises(TypeError, match=r"the text is .*, not a string"):
            split(text)
