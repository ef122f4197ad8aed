"""Many word pairs as a few matrix products: the inner step of the fast word2vec trainer.

Word by word, word2vec is a stream of tiny dot products. Here the text is cut into tiles of N
consecutive words, and all negatives of a tile are drawn together: K noise words serve every pair
of the tile, each with weight k / K, so that the expected gradient is that of k noise words of its
own for every pair (the idea of Ji et al. 2016, arXiv:1604.04661, "Parallelizing Word2Vec in
Shared and Distributed Memory"). The scores of a tile are then one product of its input vectors
with the output vectors of its N words and its K noise words.

All tiles of a block are computed from the vectors as they stand before the block; a word that
occurs several times receives the sum of its updates.

Letters in the shape comments: V words, D dimensions, B tiles in a block, N words in a tile,
W largest window, M = N + 2 W words that a tile reads, K noise words of a tile.
"""

import math
from collections import deque
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

SHARE_OF_RUN = 1 / 8  # see `cut_blocks`


def draw_windows(
    ids: NDArray[np.int32],
    sentences: NDArray[np.int32],
    keep: NDArray[np.float32],
    window: int,
    shrink: bool,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Discard frequent words, then draw how far every remaining word looks to each side.

    Discarding comes first, so the words that stay move closer together (as in word2vec.c). With
    ``shrink`` the reach is uniform on 1..``window`` (2013a, section 3.2), else always ``window``.
    No window crosses the end of a sentence.

    Parameters
    ----------
    ids : (T,) the text
    sentences : (T,) the sentence number of each word, not falling
    keep : (V,) probability to keep an occurrence of each word

    Returns
    -------
    The ids kept, and the number of context words to the left and to the right of each
    """
    kept = rng.random(len(ids), dtype=np.float32) < keep[ids]
    ids, sentences = ids[kept], sentences[kept]
    count = len(ids)
    if shrink:
        reach = rng.integers(1, window + 1, size=count, dtype=np.int64)
    else:
        reach = np.full(count, window, dtype=np.int64)
    starts = np.flatnonzero(np.diff(sentences, prepend=-1))
    lengths = np.diff(starts, append=count)
    place = np.arange(count) - np.repeat(starts, lengths)
    left = np.minimum(reach, place)
    right = np.minimum(reach, np.repeat(lengths, lengths) - 1 - place)
    return ids, left, right


def draw_noise(
    distribution: NDArray[np.float64], size: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """``size`` independent draws from ``distribution`` (V,): the counts at once, then shuffled."""
    counts = rng.multinomial(size, distribution)
    noise = np.repeat(np.arange(len(distribution)), counts)
    rng.shuffle(noise)
    return noise


def window_patterns(window: int) -> Tensor:
    """Which of the offsets -W..W around a word are its context, for every reach left and right.

    Returns
    -------
    ((W + 1)^2, 2 W + 1) of 0 and 1; row ``left * (W + 1) + right``
    """
    offsets = torch.arange(-window, window + 1, device="cpu")
    left = torch.arange(window + 1, device="cpu").repeat_interleave(window + 1)[:, None]
    right = torch.arange(window + 1, device="cpu").repeat(window + 1)[:, None]
    return ((offsets >= -left) & (offsets <= right) & (offsets != 0)).float()


@dataclass(frozen=True)
class Block:
    """B tiles of consecutive text with their windows and their noise words."""

    words: Tensor  # (B N + 2 W,) ids, int64: W words before the first tile and W after the last
    reach: Tensor  # (B N,) row of `window_patterns` for each word; 0 for a word without context
    noise: Tensor  # (B, K) ids
    patterns: Tensor | None  # ((W + 1)^2, 2 W + 1); None for a wide window
    negative: int  # k, the number of noise words that a pair counts as having
    window: int = 0  # W, where there are no patterns
    span: tuple[int, int] | None = None  # the places that a step reads; by default -W..W

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """B, N, K and W."""
        tiles, noise = self.noise.shape
        window = self.window if self.patterns is None else self.patterns.shape[1] // 2
        return tiles, len(self.reach) // tiles, noise, window

    def context(self) -> tuple[Tensor, Tensor]:
        """What the steps read of the windows.

        Returns
        -------
        (B N + L - 1,) ids of the words at the L places of `span` around the words of the block,
        and (B N, L) of 0 and 1, which of them are a word's context
        """
        tiles, n, _, w = self.sizes
        first, last = self.span or (-w, w)
        words = self.words[w + first : w + tiles * n + last]
        if self.patterns is not None and self.span is None:
            return words, self.patterns.index_select(0, self.reach)
        left, right = self.farthest(w)
        places = torch.arange(first, last + 1, device="cpu")
        inside = (places >= -left[:, None]) & (places <= right[:, None]) & (places != 0)
        return words, inside.to(torch.float32)

    def farthest(self, window: int) -> tuple[Tensor, Tensor]:
        """(B N,) how far each word looks to the left and to the right."""
        return self.reach.div(window + 1, rounding_mode="floor"), self.reach % (window + 1)


def cut_blocks(
    ids: NDArray[np.int32],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    noise: NDArray[np.int64],
    *,
    tile_words: int,
    block_words: int,
    patterns: Tensor | None,
    negative: int,
    most_of_one: float = math.inf,
    window: int = 0,
) -> list[Block]:
    """Cut what `draw_windows` drew into blocks of ``block_words`` words (the last may be shorter).

    Parameters
    ----------
    noise : as many ids as there are tiles, times K
    patterns : `window_patterns`, or None for a window so wide that they would fill the memory;
        then `window` says how wide
    most_of_one : a block in which one word stands more often is halved, down to a single tile.
        Where a word fills more than half of a tile, as in a line of underscores, it stands beside
        itself, and both of its vectors grow at once. Then an eighth is the limit, and the tile is
        halved, too
    """
    if len(ids) == 0:
        return []
    if patterns is not None:
        window = patterns.shape[1] // 2
    tiles = -(-len(ids) // tile_words)
    words = np.zeros(tiles * tile_words + 2 * window, dtype=np.int64)
    words[window : window + len(ids)] = ids
    reach = np.zeros(tiles * tile_words, dtype=np.int64)
    reach[: len(ids)] = left * (window + 1) + right
    all_words, all_reach = torch.from_numpy(words), torch.from_numpy(reach)
    all_noise = torch.from_numpy(noise).view(tiles, -1)
    step = max(1, block_words // tile_words) * tile_words
    filled = _filled_by_one(ids, tile_words)
    blocks = []
    runs = deque(
        (begin, min(begin + step, tiles * tile_words))
        for begin in range(0, tiles * tile_words, step)
    )
    while runs:
        begin, end = runs.popleft()
        first, last = begin // tile_words, -(-end // tile_words)
        run, whole = bool(filled[first:last].any()), end - begin > tile_words
        most = most_of_one * SHARE_OF_RUN if run else most_of_one
        if end - begin > 1 and (run or whole) and _count_of_busiest(ids[begin:end]) > most:
            middle = (first + last) // 2 * tile_words if whole else (begin + end) // 2
            runs.extendleft([(middle, end), (begin, middle)])
            continue
        blocks.append(
            Block(
                all_words[begin : end + 2 * window],
                all_reach[begin:end],
                all_noise[first:last],
                patterns,
                negative,
                window,
            )
        )
    return blocks


def _count_of_busiest(ids: NDArray[np.int32]) -> int:
    return int(np.unique(ids, return_counts=True)[1].max(initial=0))


def _filled_by_one(ids: NDArray[np.int32], tile_words: int) -> NDArray[np.bool_]:
    """Whether one word fills more than half of a tile, for each tile."""
    missing = -len(ids) % tile_words
    rows = np.append(ids, -1 - np.arange(missing)).reshape(-1, tile_words)
    rows.sort(axis=1)
    half = tile_words // 2
    found: NDArray[np.bool_] = (rows[:, half:] == rows[:, : tile_words - half]).any(axis=1)
    return found


def _products(a: Tensor, b: Tensor) -> Tensor:
    """The products of B pairs of matrices: (B, I, J) and (B, J, K) give (B, I, K).

    NumPy's matmul does here what torch.bmm does. For matrices as small as these it was the
    faster one where we measured (OpenBLAS against MKL, one thread, AMD processor).
    """
    return torch.from_numpy(np.matmul(a.numpy(), b.numpy()))


def skip_gram_step(
    input_vectors: Tensor,
    output_vectors: Tensor,
    block: Block,
    learning_rate: float,
    measure: bool = False,
) -> float | None:
    """One step down the skip-gram loss (2013b, eq. 4) of all pairs of a block, in place.

    As in word2vec.c, the input vector of the context word predicts the centre word.

    Parameters
    ----------
    input_vectors : (V, D) float32
    output_vectors : (V, D) float32
    measure : also compute the loss

    Returns
    -------
    The mean loss of a pair before the step when ``measure`` is set and there is a pair
    """
    tiles, n, k, w = block.sizes
    words, pattern = block.context()
    length = pattern.shape[1]  # 2 W + 1, or fewer places of them
    m, dim = n + length - 1, input_vectors.shape[1]
    contexts = words.as_strided((tiles, m), (n, 1)).reshape(-1)  # (B M,)
    centers = block.words[w : w + tiles * n].view(tiles, n)
    outputs = torch.cat((centers, block.noise), dim=1).view(-1)  # (B (N + K),)
    x = input_vectors.index_select(0, words).as_strided((tiles, m, dim), (n * dim, dim, 1))
    y = output_vectors.index_select(0, outputs).view(tiles, n + k, dim)
    error = _products(x, y.transpose(1, 2))  # (B, M, N + K) scores

    # weight[b, j, i] of the pair (context j, centre i); behind them the weights of the noise.
    weight = torch.zeros(tiles, m, n + k, dtype=input_vectors.dtype, device=input_vectors.device)
    band = weight.as_strided((tiles, n, length), (m * (n + k), n + k + 1, n + k))
    band.copy_(pattern.view(tiles, n, length))
    pairs = weight[:, :, :n].sum(2, keepdim=True)  # (B, M, 1) pairs of each context word
    weight[:, :, n:] = pairs * (block.negative / k)

    loss = None
    if measure and (total := float(pairs.sum())) > 0:
        signed = error.clone()
        signed[:, :, :n].neg_()
        loss = float((F.softplus(signed) * weight).sum()) / total

    error.sigmoid_()
    error[:, :, :n] -= 1
    error.mul_(weight.mul_(-learning_rate))
    dx = _products(error, y)  # (B, M, D)
    dy = _products(error.transpose(1, 2), x)  # (B, N + K, D)
    input_vectors.index_add_(0, contexts, dx.view(-1, dim))
    output_vectors.index_add_(0, outputs, dy.view(-1, dim))
    return loss


def cbow_step(
    input_vectors: Tensor,
    output_vectors: Tensor,
    block: Block,
    learning_rate: float,
    mean: bool = True,
    measure: bool = False,
) -> float | None:
    """One step down the CBOW loss of all centre words of a block, in place.

    The mean (or sum) of the context vectors predicts the centre word. Every context word then
    receives the whole gradient of the mean, not its 1 / C share, and with the sum only 1 / C of
    what is due: this is what gensim does (word2vec.c has the mean only, in the same way).

    Args and return value as for `skip_gram_step`; the loss is the mean over centre words.
    """
    tiles, n, k, w = block.sizes
    words, pattern = block.context()  # (B N, 2 W + 1)
    m, dim = n + 2 * w, input_vectors.shape[1]
    contexts = words.as_strided((tiles, m), (n, 1)).reshape(-1)  # (B M,)
    centers, noise = block.words[w : w + tiles * n], block.noise.view(-1)
    x = input_vectors.index_select(0, words).as_strided((tiles, m, dim), (n * dim, dim, 1))
    y = output_vectors.index_select(0, centers)  # (B N, D)
    z = output_vectors.index_select(0, noise).view(tiles, k, dim)

    size = pattern.sum(1)  # (B N,) number of context words C
    share = 1 / size.clamp(min=1)
    member = torch.zeros(tiles, n, m, dtype=input_vectors.dtype, device=input_vectors.device)
    member.as_strided((tiles, n, 2 * w + 1), (m * n, m + 1, 1)).copy_(
        pattern.view(tiles, n, 2 * w + 1)
    )
    hidden = _products(member, x)  # (B, N, D)
    rows = hidden.view(-1, dim)
    if mean:
        rows.mul_(share[:, None])

    positive = torch.from_numpy(np.einsum("nd,nd->n", rows.numpy(), y.numpy()))  # (B N,) scores
    negative = _products(hidden, z.transpose(1, 2))  # (B, N, K) scores
    counted = (size > 0).float()
    loss = None
    if measure and (total := float(counted.sum())) > 0:
        noise_loss = F.softplus(negative).sum(2).view(-1) * (block.negative / k)
        loss = float(((F.softplus(-positive) + noise_loss) * counted).sum()) / total

    scale = counted.mul_(-learning_rate)
    positive.sigmoid_().sub_(1).mul_(scale)
    negative.sigmoid_().mul_((scale * (block.negative / k)).view(tiles, n, 1))
    dhidden = _products(negative, z)  # (B, N, D)
    dhidden.view(-1, dim).addcmul_(y, positive[:, None])
    if not mean:
        dhidden.view(-1, dim).mul_(share[:, None])
    dx = _products(member.transpose(1, 2), dhidden)  # (B, M, D)
    dz = _products(negative.transpose(1, 2), hidden)  # (B, K, D)
    output_vectors.index_add_(0, centers, rows.mul_(positive[:, None]))
    output_vectors.index_add_(0, noise, dz.view(-1, dim))
    input_vectors.index_add_(0, contexts, dx.view(-1, dim))
    return loss
