"""The draws and the two update steps of the fast trainer, against plain loops and autograd."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from elmo_mini.fast.word2vec_blocks import (
    Block,
    cbow_step,
    cut_blocks,
    draw_noise,
    draw_windows,
    skip_gram_step,
    window_patterns,
)
from elmo_mini.word_vectors.word2vec import keep_probability, sgns_step

WINDOW, WORDS, DIM = 3, 12, 7
SIZES = [(4, 12, 6), (1, 1, 3), (9, 9, 1)]


def text(seed=0, sentences=9):
    """Ids of a small text and the sentence number of each; lengths from 1 word upwards."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 14, sentences)
    ids = rng.integers(0, WORDS, lengths.sum()).astype(np.int32)
    return ids, np.repeat(np.arange(sentences, dtype=np.int32), lengths)


def blocks_of(tile_words=4, block_words=8, shared=6, negative=5, seed=0, most_of_one=math.inf):
    ids, sentences = text(seed)
    rng = np.random.default_rng(seed)
    ids, left, right = draw_windows(
        ids, sentences, np.ones(WORDS, np.float32), WINDOW, shrink=True, rng=rng
    )
    tiles = -(-len(ids) // tile_words)
    noise = draw_noise(np.full(WORDS, 1 / WORDS), tiles * shared, rng)
    blocks = cut_blocks(
        ids,
        left,
        right,
        noise,
        tile_words=tile_words,
        block_words=block_words,
        patterns=window_patterns(WINDOW),
        negative=negative,
        most_of_one=most_of_one,
    )
    return blocks, ids, left, right, noise.reshape(tiles, shared)


def windows_of(block):
    """(tile, centre id, context ids) of every word of a block, read from its definition."""
    tiles, n, _, w = block.sizes
    for place in range(tiles * n):
        pattern = block.patterns[block.reach[place]].bool()
        contexts = block.words[place : place + 2 * w + 1][pattern].tolist()
        yield place // n, int(block.words[w + place]), contexts


def tables(seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(WORDS, DIM, generator=generator),
        torch.randn(WORDS, DIM, generator=generator),
    )


# ---------------------------------------------------------------------- draws


def test_window_patterns_mark_the_reach_and_never_the_word_itself():
    patterns = window_patterns(2)
    assert patterns.shape == (9, 5)
    assert patterns[0 * 3 + 0].tolist() == [0, 0, 0, 0, 0]
    assert patterns[1 * 3 + 2].tolist() == [0, 1, 0, 1, 1]
    assert patterns[2 * 3 + 2].tolist() == [1, 1, 0, 1, 1]


@pytest.mark.parametrize(("shrink", "expected"), [(True, [1, 0.75, 0.5, 0.25]), (False, [1] * 4)])
def test_a_neighbour_at_distance_d_is_kept_with_the_stated_probability(shrink, expected):
    count, window = 200_000, 4
    ids, sentences = np.zeros(count, np.int32), np.zeros(count, np.int32)
    rng = np.random.default_rng(0)
    _, left, right = draw_windows(ids, sentences, np.ones(1, np.float32), window, shrink, rng)
    for reach in (left, right):
        share = [(reach >= distance).mean() for distance in range(1, window + 1)]
        assert share == pytest.approx(expected, abs=0.01)


def test_no_window_crosses_a_sentence():
    ids, sentences = text()
    _, left, right = draw_windows(
        ids, sentences, np.ones(WORDS, np.float32), 50, shrink=False, rng=np.random.default_rng(0)
    )
    for place, sentence in enumerate(sentences):
        members = np.flatnonzero(sentences == sentence)
        assert (left[place], right[place]) == (place - members[0], members[-1] - place)


def test_words_are_kept_at_the_rate_of_the_code_formula():
    frequencies = np.array([0.5, 0.3, 0.15, 0.05])
    rng = np.random.default_rng(0)
    ids = rng.choice(4, 400_000, p=frequencies).astype(np.int32)
    keep = keep_probability(frequencies, 1e-2, "code")
    kept, *_ = draw_windows(
        ids, np.zeros(len(ids), np.int32), keep.astype(np.float32), 5, True, rng
    )
    rates = np.bincount(kept, minlength=4) / np.bincount(ids)
    assert rates == pytest.approx(keep, abs=0.01)
    assert keep[0] == pytest.approx(np.sqrt(0.02) + 0.02)


def test_discarding_comes_before_windowing_so_the_rest_move_together():
    ids = np.array([1, 0, 0, 0, 2], np.int32)
    kept, left, right = draw_windows(
        ids,
        np.zeros(5, np.int32),
        np.array([0, 1, 1], np.float32),
        1,
        True,
        np.random.default_rng(),
    )
    assert kept.tolist() == [1, 2]
    assert (left.tolist(), right.tolist()) == ([0, 1], [1, 0])


def test_a_block_is_halved_as_long_as_one_word_stands_in_it_too_often():
    whole, *_ = blocks_of(block_words=16, seed=1)
    cut, *_ = blocks_of(block_words=16, seed=1, most_of_one=2)
    assert len(cut) > len(whole)
    for block in cut:
        tiles, n, _, w = block.sizes
        here = block.words[w : w + tiles * n][block.reach > 0]
        assert tiles == 1 or here.bincount().max() <= 2
    assert torch.cat([block.reach for block in cut]).equal(torch.cat([b.reach for b in whole]))
    assert torch.cat([block.noise for block in cut]).equal(torch.cat([b.noise for b in whole]))
    read = [pair for block in cut for _, *pair in windows_of(block)]
    assert read == [pair for block in whole for _, *pair in windows_of(block)]


def test_a_tile_that_one_word_fills_is_halved_too_and_no_other():
    random = np.random.default_rng(0)
    ids = np.concatenate([random.permutation(16), np.full(9, 3), random.permutation(16)])
    ids = ids.astype(np.int32)
    ends = np.zeros(len(ids), np.int64)
    blocks = cut_blocks(
        ids,
        ends,
        ends + 1,
        np.arange(12),
        tile_words=8,
        block_words=16,
        patterns=window_patterns(WINDOW),
        negative=5,
        most_of_one=32,
    )
    words = [block.words[WINDOW:-WINDOW].tolist() for block in blocks]
    assert list(map(len, words)) == [16, 4, 4, 8, 16]
    assert [word for some in words for word in some][: len(ids)] == ids.tolist()
    noise = [block.noise.tolist() for block in blocks]
    assert noise == [[[0, 1], [2, 3]], [[4, 5]], [[4, 5]], [[6, 7]], [[8, 9], [10, 11]]]


def test_a_text_of_which_nothing_is_kept_gives_no_blocks():
    ids, left, right = draw_windows(
        *text(), np.zeros(WORDS, np.float32), 5, True, np.random.default_rng(0)
    )
    patterns = window_patterns(5)
    none = np.zeros(0, np.int64)
    sizes = {"tile_words": 4, "block_words": 8, "patterns": patterns, "negative": 5}
    assert cut_blocks(ids, left, right, none, **sizes) == []


def test_noise_words_come_in_proportion_and_in_no_order():
    distribution = np.array([0.6, 0.3, 0.1, 0.0])
    noise = draw_noise(distribution, 200_000, np.random.default_rng(0))
    for part in (noise, noise[:20_000], noise[-20_000:]):
        assert np.bincount(part, minlength=4) / len(part) == pytest.approx(distribution, abs=0.015)
    assert len(set(draw_noise(distribution, 5, np.random.default_rng(1)))) <= 3


@pytest.mark.parametrize(("tile_words", "block_words"), [(1, 1), (4, 4), (4, 8), (5, 17), (64, 8)])
def test_blocks_hold_every_window_of_the_text_once(tile_words, block_words):
    blocks, ids, left, right, _ = blocks_of(tile_words, block_words)
    found = [(center, contexts) for block in blocks for _, center, contexts in windows_of(block)]
    expected = [
        (ids[i], [*ids[i - left[i] : i], *ids[i + 1 : i + 1 + right[i]]]) for i in range(len(ids))
    ]
    assert found[: len(ids)] == expected
    assert all(contexts == [] for _, contexts in found[len(ids) :])


# ---------------------------------------------------------------------- steps


def plain_skip_gram_loss(inputs, outputs, block):
    """Sum over pairs, and number of pairs; each noise word of the tile weighs k / K."""
    total, pairs = inputs.sum() * 0, 0
    for tile, center, contexts in windows_of(block):
        noise = block.noise[tile]
        for context in contexts:
            v = inputs[context]
            total = total - F.logsigmoid(outputs[center] @ v)
            weight = block.negative / len(noise)
            total = total - weight * F.logsigmoid(-(outputs[noise] @ v)).sum()
            pairs += 1
    return total, pairs


def plain_cbow_loss(inputs, outputs, block, mean):
    """Sum over centres; the gradient of the context words is gensim's, see `cbow_step`."""
    total, count = inputs.sum() * 0, 0
    for tile, center, contexts in windows_of(block):
        if not contexts:
            continue
        members = inputs[contexts]
        if mean:  # the value of the mean, but the gradient of the sum
            hidden = members.sum(0) - members.sum(0).detach() + members.mean(0).detach()
        else:  # the value of the sum, but the gradient of the mean
            hidden = members.mean(0) - members.mean(0).detach() + members.sum(0).detach()
        noise = block.noise[tile]
        weight = block.negative / len(noise)
        total = total - F.logsigmoid(outputs[center] @ hidden)
        total = total - weight * F.logsigmoid(-(outputs[noise] @ hidden)).sum()
        count += 1
    return total, count


def check_step(step, plain_loss, block):
    inputs, outputs = tables()
    a, b = inputs.clone().requires_grad_(), outputs.clone().requires_grad_()
    total, count = plain_loss(a, b, block)
    da, db = torch.autograd.grad(total, (a, b))
    loss = step(inputs, outputs, block, 0.25, measure=True)
    torch.testing.assert_close(inputs, a.detach() - 0.25 * da, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(outputs, b.detach() - 0.25 * db, rtol=1e-4, atol=1e-5)
    assert loss == pytest.approx(total.item() / count, rel=1e-5)


@pytest.mark.parametrize(
    ("tile_words", "block_words", "shared"), [(4, 12, 6), (1, 1, 3), (9, 9, 1)]
)
def test_a_skip_gram_step_is_the_sum_of_the_gradients_of_its_pairs(tile_words, block_words, shared):
    blocks, *_ = blocks_of(tile_words, block_words, shared)
    block = next(block for block in blocks if block.reach.any())
    check_step(skip_gram_step, plain_skip_gram_loss, block)


@pytest.mark.parametrize("mean", [True, False])
@pytest.mark.parametrize(
    ("tile_words", "block_words", "shared"), [(4, 12, 6), (1, 1, 3), (9, 9, 1)]
)
def test_a_cbow_step_is_the_sum_of_the_gradients_of_its_centres(
    tile_words, block_words, shared, mean
):
    blocks, *_ = blocks_of(tile_words, block_words, shared)
    block = next(block for block in blocks if block.reach.any())
    check_step(
        lambda *args, **kwargs: cbow_step(*args, mean=mean, **kwargs),
        lambda *args: plain_cbow_loss(*args, mean),
        block,
    )


def test_with_k_noise_words_a_tile_is_the_step_of_the_lesson():
    blocks, *_ = blocks_of(tile_words=4, block_words=4, shared=5, negative=5)
    block = next(block for block in blocks if block.reach.any())
    pairs = [(c, x) for _, x, contexts in windows_of(block) for c in contexts]
    inputs, outputs = tables()
    expected_inputs, expected_outputs = tables()
    sgns_step(
        expected_inputs,
        expected_outputs,
        torch.tensor([context for context, _ in pairs]),
        torch.tensor([center for _, center in pairs]),
        block.noise.expand(len(pairs), -1),
        0.1,
    )
    skip_gram_step(inputs, outputs, block, 0.1)
    torch.testing.assert_close(inputs, expected_inputs, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(outputs, expected_outputs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("step", [skip_gram_step, cbow_step])
def test_shared_noise_words_give_the_expected_gradient_of_k_words_for_each_pair(step):
    # Noise words in exact proportion to P_n = (1/2, 1/4, 1/8, 1/8) give the expected gradient,
    # whatever K is; it must equal the one with the same k spread over fewer noise words.
    def after(noise):
        block = Block(
            words=torch.tensor([0, 0, 4, 5, 0, 0]),
            reach=torch.tensor([1, 3]),  # (left 0, right 1) and (left 1, right 0) for W = 2
            noise=torch.tensor([noise]),
            patterns=window_patterns(2),
            negative=5,
        )
        inputs, outputs = tables()
        step(inputs, outputs, block, 0.1)
        return torch.cat((inputs, outputs))

    few, many = [0] * 4 + [1] * 2 + [2, 3], [0] * 16 + [1] * 8 + [2] * 4 + [3] * 4
    torch.testing.assert_close(after(few), after(many), rtol=1e-4, atol=1e-6)
    assert not torch.allclose(after(few), after([*few, 0, 0]), atol=1e-4)


@pytest.mark.parametrize("step", [skip_gram_step, cbow_step])
def test_words_without_context_change_nothing_and_have_no_loss(step):
    block = Block(
        words=torch.arange(8),
        reach=torch.zeros(4, dtype=torch.int64),
        noise=torch.tensor([[1, 2], [3, 4]]),
        patterns=window_patterns(2),
        negative=5,
    )
    inputs, outputs = tables()
    assert step(inputs, outputs, block, 0.1, measure=True) is None
    assert torch.equal(inputs, tables()[0])
    assert torch.equal(outputs, tables()[1])


@pytest.mark.parametrize("step", [skip_gram_step, cbow_step])
def test_a_step_with_large_scores_stays_finite(step):
    blocks, *_ = blocks_of()
    inputs, outputs = (table * 100 for table in tables())
    loss = step(inputs, outputs, blocks[0], 0.1, measure=True)
    assert loss is not None
    assert np.isfinite(loss)
    assert bool(torch.isfinite(inputs).all() & torch.isfinite(outputs).all())
