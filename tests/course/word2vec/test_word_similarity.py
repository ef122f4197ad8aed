"""WordSim-353 as gensim brings it."""

from course.word2vec.word_similarity import judged_pairs


def test_the_list_is_whole() -> None:
    pairs = judged_pairs()
    assert len(pairs) == 353
    assert all(0 <= mark <= 10 for *_, mark in pairs)
