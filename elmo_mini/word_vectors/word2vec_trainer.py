"""Word2vec on running text: skip-gram and CBOW with negative sampling, on one CPU thread.

The options, their names and their defaults are gensim's, so the two can be compared. Papers:
Mikolov et al. 2013a (arXiv:1301.3781) and 2013b (NIPS 2013). The steps are derived one by one in
`elmo_mini.models.skip_gram`; how a block of text becomes matrix products is told in
`elmo_mini.fast.word2vec_blocks`.
"""

import math
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
from tqdm import tqdm

from elmo_mini.fast.word2vec_blocks import (
    Block,
    cbow_step,
    cut_blocks,
    draw_noise,
    draw_windows,
    skip_gram_step,
    window_patterns,
)
from elmo_mini.models.skip_gram import keep_probability, noise_distribution
from elmo_mini.progress import progress_bar
from elmo_mini.settings import truth
from elmo_mini.text.sentences import word_lists
from elmo_mini.text.vocabulary import Vocabulary, frequent_words
from elmo_mini.word_vectors.table import WordVectors
from elmo_mini.word_vectors.word2vec_files import (
    SavedWord2Vec,
    not_a_model,
    read_word2vec,
    write_word2vec,
)
from elmo_mini.word_vectors.word2vec_options import checked_options

Sentences = Iterable[Sequence[str]]

TILE_WORDS = 32  # words that share one draw of noise words
NOISE_WORDS = {"skip-gram": 64, "CBOW": 32}  # noise words drawn for each tile
CHUNK_WORDS = 1 << 17  # words whose windows and noise are drawn in one go
LARGEST_BLOCK = 2048
STEP_OF_BUSIEST, STEP_OF_TYPICAL = 8.0, 2.0  # see `_block_words`
STEP_OF_BURST = 16.0  # of a word that stands close together, as the slashes of a script do
LARGEST_NORM = 1e3  # a vector longer than this can only come from divergence
LONG_VECTOR = 30  # gensim's are below 10 on texts of a few million words
LARGE_LOSS = 5  # times that of knowing nothing
WIDEST = 10  # a skip-gram window that is wider is read in parts, see `_parts`
BLOCKS_PER_LOSS = 16
LAST_BLOCKS = 4  # are measured too: where there are few, no other may be
UNDECIDED = 0.1  # a score below gives a probability from 0.475 to 0.525


class Word2Vec(WordVectors):
    """Word vectors learned by skip-gram (``sg=1``) or CBOW (``sg=0``) with negative sampling.

    With `sentences` the model is trained at once; without, call `build_vocab` and `train`.
    The same text, options and seed give the same vectors, bit for bit, on the same machine.

    Parameters
    ----------
    sentences : tokenised sentences; an iterator is read into memory, a list is read twice
    vector_size : dimension D
    alpha : learning rate at the start; falls in a straight line to `min_alpha` at the end
    window : largest distance of a context word
    min_count : rarer words are left out
    sample : subsampling threshold t of the code formula sqrt(t/f) + t/f; 0 keeps every word
    seed : of the start vectors and of every draw
    sg : 1 for skip-gram, 0 for CBOW
    negative : noise words k for each pair
    ns_exponent : noise words are drawn in proportion to count ** ns_exponent
    cbow_mean : CBOW predicts from the mean (1) or the sum (0) of the context vectors
    epochs : passes over the text
    shrink_windows : draw the reach of each window from 1..window, or always use `window`
    progress : show a bar on standard output (never on standard error)
    workers : threads while training. One is fastest: the products are small.
    shared_negatives : noise words drawn for each tile of 32 words; by default 64 for skip-gram and
        32 for CBOW. More is less noise and more work.
    block_words : words whose updates are computed together; by default as many as are safe

    Attributes
    ----------
    vocabulary : the `Vocabulary`, by falling count
    vectors : (V, D) float32 input vectors, the ones to use
    output_vectors : (V, D) float32 output vectors
    loss_history : mean loss of a pair (skip-gram) or of a centre word (CBOW), measured on one block
        in every 16

    Raises
    ------
    ConfigurationError
        If an option is outside its range.
    ValueError
        If there are no sentences, or no word occurs `min_count` times.
    """

    def __init__(
        self,
        sentences: Sentences | None = None,
        *,
        vector_size: int = 100,
        alpha: float = 0.025,
        window: int = 5,
        min_count: int = 5,
        sample: float = 1e-3,
        seed: int = 1,
        min_alpha: float = 1e-4,
        sg: int = 0,
        negative: int = 5,
        ns_exponent: float = 0.75,
        cbow_mean: int = 1,
        epochs: int = 5,
        shrink_windows: bool = True,
        progress: bool = False,
        workers: int = 1,
        shared_negatives: int | None = None,
        block_words: int | None = None,
    ) -> None:
        self.vector_size, self.alpha, self.window = vector_size, alpha, window
        self.min_count, self.sample, self.seed = min_count, sample, seed
        self.min_alpha, self.sg, self.negative = min_alpha, sg, negative
        self.ns_exponent, self.cbow_mean, self.epochs = ns_exponent, cbow_mean, epochs
        self.shrink_windows = truth("shrink_windows", shrink_windows)
        self.progress, self.workers = progress, workers
        self.shared_negatives, self.block_words = shared_negatives, block_words
        vars(self).update(checked_options(self.settings()))
        self.loss_history: list[float] = []
        self._vocabulary: Vocabulary | None = None
        self._input = self._output = torch.zeros(0, vector_size, dtype=torch.float32, device="cpu")
        if sentences is not None:
            if isinstance(sentences, Iterator):
                sentences = list(sentences)
            self.build_vocab(sentences)
            self.train(sentences)

    def settings(self) -> dict[str, Any]:
        """The options, as keyword arguments for another model."""
        names = (
            "vector_size alpha window min_count sample seed min_alpha sg negative ns_exponent "
            "cbow_mean epochs shrink_windows workers shared_negatives block_words"
        )
        return {name: getattr(self, name) for name in names.split()}

    def build_vocab(self, sentences: Sentences) -> None:
        """Count the words, and give every word its start vectors.

        Input vectors are uniform between -1/D and 1/D, as in gensim (word2vec.c: half of that);
        output vectors are 0.
        """
        vocabulary = frequent_words(sentences, self.min_count)
        generator = np.random.default_rng(self.seed)
        start = generator.random((len(vocabulary), self.vector_size), dtype=np.float32)
        self._vocabulary = vocabulary
        self._input = torch.from_numpy((start * 2 - 1) / np.float32(self.vector_size))
        self._output = torch.zeros_like(self._input)
        self.loss_history = []

    def train(self, sentences: Sentences) -> None:
        """Train for `epochs` passes; words outside the vocabulary are dropped first.

        Raises
        ------
        RuntimeError
            If there is no vocabulary yet, or training diverged.

        Warns
        -----
        UserWarning
            If there were fewer pairs of neighbours than words in the vocabulary, every pair is as
            likely as not to the model, the loss was far above its start on the way, or a vector
            is very long.
        """
        ids, numbers, starts = self._encode(sentences)
        if len(ids) == 0:
            why = (
                "no sentence holds a word of the vocabulary"
                if len(starts) > 1
                else "there is no sentence, as in an iterator that was read before; pass a list"
            )
            raise ValueError(f"nothing to train on: {why}")
        threads = torch.get_num_threads()
        torch.set_num_threads(self.workers)
        try:
            with (
                threadpool_limits(self.workers),
                np.errstate(over="ignore", invalid="ignore"),  # divergence is told below
                torch.inference_mode(),
                progress_bar(
                    what=self.architecture,
                    total=self.epochs * len(ids),
                    unit=" words",
                    show=self.progress,
                ) as bar,
            ):
                pairs, last = self._run(ids, numbers, starts, bar)
        finally:
            torch.set_num_threads(threads)
        self._check_learnt(len(ids), pairs, last)

    def _check_learnt(self, words: int, pairs: int, last: Sequence[float] = ()) -> None:
        """Say that training has diverged, or that there was next to nothing to learn from.

        `last` are the losses of the last blocks.
        """
        longest = float(torch.cat((self._input, self._output)).norm(dim=1).max())
        start = (1 + self.negative) * math.log(2)  # of a model that knows nothing
        tenth = self.loss_history[-(len(self.loss_history) // 10 + 1) :]
        late = float(np.mean([*(tenth if len(tenth) > 1 else []), *last] or [start]))
        what_to_do = f"lower alpha={self.alpha} or block_words={self._block_words()}"
        if not (longest < LARGEST_NORM and late < 2 * start):
            raise RuntimeError(
                f"training diverged, the longest vector has length {longest:.3g} and the loss is "
                f"{late:.3g}, where it began with {start:.3g}: {what_to_do}"
            )
        if max(self.loss_history, default=0.0) > LARGE_LOSS * start:
            warnings.warn(
                f"the loss rose from {start:.3g} to {max(self.loss_history):.3g} on the way, so "
                f"the vectors may be worth little: {what_to_do}",
                stacklevel=4,
            )
        elif (long := float(self._input.norm(dim=1).max())) > LONG_VECTOR:
            warnings.warn(
                f"the longest vector has length {long:.3g}, so training may have diverged: "
                f"{what_to_do}",
                stacklevel=4,
            )
        if pairs < len(self.vocabulary):
            warnings.warn(
                f"next to nothing was learnt: in {self.epochs} passes over {words:,} words, "
                f"{pairs:,} pairs of neighbours were left for a vocabulary of "
                f"{len(self.vocabulary):,}. Give sentences of several words and more of them, or "
                f"more epochs; sample=0 keeps every word (now sample={self.sample})",
                stacklevel=4,
            )
        elif self._largest_score() < UNDECIDED:
            warnings.warn(
                f"next to nothing was learnt: after {self.epochs} passes over {words:,} words the "
                f"model finds every pair as likely as not. Give more text, more epochs or a larger "
                f"alpha (now epochs={self.epochs}, alpha={self.alpha})",
                stacklevel=4,
            )

    def _largest_score(self) -> float:
        """What the dot product of an input and an output vector can be at most."""
        longest = (table.norm(dim=1).max() for table in (self._input, self._output))
        return float(math.prod(map(float, longest)))

    def _encode(
        self, sentences: Sentences
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """The text as one row of ids, the sentence number of each, and where sentences start."""
        encoded = list(map(self.vocabulary.encode, word_lists(sentences)))
        lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        ids = np.fromiter(chain.from_iterable(encoded), dtype=np.int32, count=int(lengths.sum()))
        numbers = np.repeat(np.arange(len(encoded), dtype=np.int32), lengths)
        return ids, numbers, np.concatenate((np.zeros(1, np.int64), lengths.cumsum()))

    def _run(
        self,
        ids: NDArray[np.int32],
        numbers: NDArray[np.int32],
        starts: NDArray[np.int64],
        bar: "tqdm[Any]",
    ) -> tuple[int, list[float]]:
        """Train, and say of how many pairs, and the losses of the last blocks."""
        rng = np.random.default_rng((self.seed, 1))
        keep = self._keep().astype(np.float32)
        noise = noise_distribution(self.vocabulary.counts, self.ns_exponent)
        shared = self._shared_negatives()
        narrow = self.window <= WIDEST
        longest = int(np.diff(starts).max(initial=2))
        window = self.window if narrow else min(self.window, max(longest - 1, WIDEST))
        patterns = window_patterns(window) if narrow else None
        block_words = self._block_words()
        tile_words = min(TILE_WORDS, block_words)
        total, done, count, pairs = self.epochs * len(ids), 0, 0, 0
        last: list[float] = []
        for epoch in range(self.epochs):
            begin = 0
            while begin < len(ids):
                # Chunks end with a sentence, so that no window is cut.
                end = int(starts[np.searchsorted(starts, min(begin + CHUNK_WORDS, len(ids)))])
                words, left, right = draw_windows(
                    ids[begin:end], numbers[begin:end], keep, self.window, self.shrink_windows, rng
                )
                pairs += int(left.sum() + right.sum())
                tiles = -(-len(words) // tile_words)
                blocks = cut_blocks(
                    words,
                    left,
                    right,
                    draw_noise(noise, tiles * shared, rng),
                    tile_words=tile_words,
                    block_words=block_words,
                    patterns=patterns,
                    negative=self.negative,
                    most_of_one=STEP_OF_BURST / (self.alpha * self._pairs()),
                    window=window,
                )
                for place, block in enumerate(blocks):
                    share = (done + (end - begin) * place / len(blocks)) / total
                    rate = self.alpha + (self.min_alpha - self.alpha) * share
                    regular = count % BLOCKS_PER_LOSS == 0
                    ending = epoch + 1 == self.epochs and end == len(ids)
                    ending = ending and place >= len(blocks) - LAST_BLOCKS
                    losses = [
                        loss
                        for part in self._parts(block, noise, rng)
                        if (loss := self._step(part, rate, regular or ending)) is not None
                    ]
                    if losses and regular:
                        self.loss_history.append(sum(losses) / len(losses))
                    if losses and ending:
                        last.append(sum(losses) / len(losses))
                    count += 1
                done += end - begin
                bar.update(end - begin)
                begin = end
        return pairs, last

    def _parts(
        self, block: Block, noise: NDArray[np.float64], rng: np.random.Generator
    ) -> Iterator[Block]:
        """The block; of a wide skip-gram window, the same block some places at a time.

        All pairs of a word in one step would be a step of `alpha` times their number, which
        overshoots where they are hundreds. Each part has noise words of its own.
        """
        if not self.sg or block.patterns is not None:
            yield block
            return
        window = block.window
        left, right = (int(reach.max()) for reach in block.farthest(window))
        cumulative = noise.cumsum()
        for first in range(-window, window + 1, 2 * WIDEST + 1):
            last = min(first + 2 * WIDEST, window)
            if last >= -left and first <= right:
                drawn = rng.random(tuple(block.noise.shape)) * cumulative[-1]
                ids = np.minimum(np.searchsorted(cumulative, drawn, "right"), len(noise) - 1)
                yield replace(block, span=(first, last), noise=torch.from_numpy(ids))

    def _step(self, block: Block, rate: float, measure: bool) -> float | None:
        if self.sg:
            return skip_gram_step(self._input, self._output, block, rate, measure)
        return cbow_step(self._input, self._output, block, rate, bool(self.cbow_mean), measure)

    def _keep(self) -> NDArray[np.float64]:
        if self.sample == 0:
            return np.ones(len(self.vocabulary))
        return keep_probability(self.vocabulary.frequencies, self.sample, formula="code")

    def _shared_negatives(self) -> int:
        return self.shared_negatives or NOISE_WORDS[self.architecture]

    def _block_words(self) -> int:
        """How many words may be updated together before the summed updates overshoot.

        A word with the share s of the text and q of the noise takes, for each word of a block,
        P (s + k q) steps of size alpha on average; P is the number of pairs of a word (1 for
        CBOW). For a block, these may sum to 8 for the busiest word, and to 2 for a word met at
        random in the text. On Brown the first limit binds, and four times as many words make
        skip-gram diverge; with a few dozen words in all, as in toy texts, the second binds.
        Where a CBOW window is wide, all words of a block have nearly the same context, which takes
        a step for each of them; these sum to 2, too.
        """
        if self.block_words is not None:
            return self.block_words
        kept = self.vocabulary.counts * self._keep()
        share = kept / kept.sum()
        noise = noise_distribution(self.vocabulary.counts, self.ns_exponent)
        steps = self.alpha * self._pairs() * (share + self.negative * noise)
        words = min(STEP_OF_BUSIEST / steps.max(), STEP_OF_TYPICAL / float(share @ steps))
        if not self.sg and self.alpha * (self.window + 1) > STEP_OF_TYPICAL:
            words = min(words, STEP_OF_TYPICAL / self.alpha)
        return int(min(max(words, 1), LARGEST_BLOCK))

    def _pairs(self) -> int:
        """How many pairs a word makes in a step, on average; CBOW makes one."""
        if not self.sg:
            return 1
        pairs = self.window + 1 if self.shrink_windows else 2 * self.window
        return min(pairs, 2 * WIDEST + 1)

    @property
    def architecture(self) -> str:
        """``"skip-gram"`` or ``"CBOW"``."""
        return "skip-gram" if self.sg else "CBOW"

    @property
    def vectors(self) -> NDArray[np.float32]:
        """(V, D) input vectors, in the order of ``vocabulary.words``."""
        vectors: NDArray[np.float32] = self._input.numpy()
        return vectors

    @property
    def output_vectors(self) -> NDArray[np.float32]:
        """(V, D) output vectors."""
        vectors: NDArray[np.float32] = self._output.numpy()
        return vectors

    def save(self, path: str | Path) -> None:
        """Write vectors, vocabulary, options and losses to one safetensors file."""
        saved = SavedWord2Vec(
            self._input, self._output, self.vocabulary, self.settings(), self.loss_history
        )
        write_word2vec(saved, path)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged or holds something else.
        """
        saved = read_word2vec(path)
        try:
            model = cls(**saved.settings)
        except (TypeError, ValueError) as error:
            raise not_a_model(path, error) from error
        model._vocabulary, model.loss_history = saved.vocabulary, saved.loss_history
        model._input, model._output = saved.inputs, saved.outputs
        return model
