import numpy as np
import pytest
import torch

from course.baselines.kneser_ney import KneserNey

TEXT = np.random.default_rng(0).zipf(1.6, 400) % 9


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_probabilities_sum_to_one_in_every_context(order: int) -> None:
    model = KneserNey(TEXT.tolist(), 12, order)
    for context in ([], [1], [1, 2], [11, 11, 11], TEXT[5:9].tolist()):
        total = sum(model.probability(context, word) for word in range(12))
        assert total == pytest.approx(1)
    assert model.probability([1], 11) > 0, "a word never seen keeps a little"


def test_a_bigram_computed_by_hand() -> None:
    # Pairs: 01 x2, 12 x1, 10 x1, 20 x1. n1 = 3, n2 = 1: discount 3/5.
    # Word 0 followed 2 words, 1 and 2 one each: n1 = 2, n2 = 1, discount 1/2.
    model = KneserNey([0, 1, 2, 0, 1, 0], 4, 2)
    single = {0: (1.5 + 1.5 / 4) / 4, 1: (0.5 + 1.5 / 4) / 4, 3: (1.5 / 4) / 4}
    assert model.probability([], 0) == pytest.approx(single[0])
    assert model.probability([1], 0) == pytest.approx((0.4 + 1.2 * single[0]) / 2)
    assert model.probability([1], 1) == pytest.approx((1.2 * single[1]) / 2)
    assert model.probability([3], 3) == pytest.approx(single[3]), "an unseen context says nothing"


def test_perplexity_is_that_of_the_product() -> None:
    model = KneserNey(TEXT.tolist(), 12, 3)
    new = [1, 2, 1, 7]
    product = np.prod([model.probability(new[:place], new[place]) for place in (1, 2, 3)])
    assert model.perplexity(new) == pytest.approx(product ** (-1 / 3))
    with pytest.raises(ValueError, match="two ids"):
        model.perplexity([1])


def test_longer_contexts_help_where_they_tell_more() -> None:
    text = [0, 1, 2, 0, 3, 4] * 200  # after 0 stands 1 or 3, by what stood before it
    by_order = [KneserNey(text, 5, order).perplexity(text) for order in (1, 2, 3)]
    assert by_order[0] > by_order[1] > by_order[2]
    assert by_order[2] == pytest.approx(1, abs=0.05)


def test_a_text_too_short() -> None:
    with pytest.raises(ValueError, match="order 3"):
        KneserNey([1, 2], 5, 3)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_scores_are_the_logarithms_of_all_probabilities(order: int) -> None:
    model = KneserNey(TEXT.tolist(), 12, order)
    row = [1, 2, 1, 11]
    scores = model.scores(torch.tensor([row, row[::-1]]))
    assert scores.shape == (2, 4, 12)
    for place in range(4):
        context = row[max(0, place + 2 - order) : place + 1]
        wanted = [np.log(model.probability(context, word)) for word in range(12)]
        assert scores[0, place].tolist() == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize(("row", "at"), [([1, 2, 3, 4, 5, 0, 2], 3), ([1, 2], 0), ([1, 2, 3], 2)])
def test_a_blank_is_scored_as_the_row_with_each_word_in_it(
    order: int, row: list[int], at: int
) -> None:
    counts = KneserNey(np.random.default_rng(0).integers(0, 6, 300).tolist(), 6, order)
    whole = []
    for word in range(6):
        filled = [*row[:at], word, *row[at + 1 :]]
        ends = range(at, len(filled))
        whole.append(sum(np.log(counts.probability(filled[:end], filled[end])) for end in ends))
    apart = counts.blank_scores(row, at) - np.array(whole)
    np.testing.assert_allclose(apart - apart[0], 0, atol=1e-9)


def test_words_of_running_text_are_asked_one_after_the_other() -> None:
    stream, said = TEXT.tolist(), (TEXT % 4).tolist()
    model = KneserNey(stream, 4, 3, said)
    found = model.probabilities(stream[:5], said[:5])
    before = (stream[:1], stream[:2], stream[1:3], stream[2:4])
    assert found == [model.probability(b, w) for b, w in zip(before, said[1:5], strict=True)]
    assert found != model.probabilities(stream[:5]), "what is said, not what is read"
