"""The ceiling by brute force over all rules from word to sense, and the counts of senseval."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.static_limits.majority_ceiling import majority_ceiling
from elmo_mini import corpora

OCCURRENCES = st.lists(st.tuples(st.sampled_from("uvw"), st.sampled_from("123")), min_size=1)


@given(OCCURRENCES)
def test_no_rule_does_better_and_one_does_as_well(occurrences: list[tuple[str, str]]) -> None:
    words, senses = zip(*occurrences, strict=True)
    best = 0
    for answers in product("123", repeat=3):
        rule = dict(zip("uvw", answers, strict=True))
        best = max(best, sum(rule[w] == s for w, s in occurrences))
    assert majority_ceiling(words, senses) == pytest.approx(best / len(words))


def test_several_words_each_have_their_own_majority() -> None:
    assert majority_ceiling(["a", "a", "a", "b"], ["x", "x", "y", "y"]) == 0.75


def test_nothing_and_unequal_lengths_are_refused() -> None:
    for words, senses in (([], []), (["a"], ["x", "y"])):
        with pytest.raises(ValueError, match="as many senses"):
            majority_ceiling(words, senses)


def test_the_published_majorities_of_senseval() -> None:
    try:
        corpus = corpora.load("senseval")
    except corpora.CorpusMissing:
        pytest.skip("senseval is not on this machine")
    # facts of the corpus: 3,455 of 4,333; 1,252 of 2,368; 2,217 of 4,146; 1,814 of 4,378
    for word, share in {
        "hard": 0.7974,
        "interest": 0.5287,
        "line": 0.5347,
        "serve": 0.4143,
    }.items():
        senses = [instance.sense for instance in corpus.instances(word)]
        assert majority_ceiling([word] * len(senses), senses) == pytest.approx(share, abs=5e-5)
