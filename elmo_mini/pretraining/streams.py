"""Running text for a bidirectional language model: what each direction reads and predicts.

A sentence w1 ... wn is read as <S> w1 ... wn by the forward model, which predicts
w1 ... wn </S>, and as </S> wn ... w1 by the backward model, which predicts wn ... w1 <S>
(bilm-tf's alignment; NAACL ELMo paper, section 3.1). Both take n + 1 steps. The sentences of an
epoch stand in one long row, which is cut into parallel streams, and each stream into windows.
There is no padding, and a stream goes on where its last window ended, so an LSTM that keeps its
state from window to window reads the whole row.

Words are numbered by type in order of first sight. Their spelling is needed once a type.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from elmo_mini.text.sentences import BOS_TOKEN, EOS_TOKEN, checked

BOS, EOS = 0, 1

Ids = NDArray[np.int32]


@dataclass(frozen=True)
class PackedText:
    """Sentences as numbers.

    Attributes
    ----------
    types : the distinct words; numbers 0 and 1 are ``<S>`` and ``</S>``
    tokens : the words of all sentences, one after another, (N,) int32
    starts : where each sentence starts in `tokens`, and N at the end, (sentences + 1,) int64
    """

    types: list[str]
    tokens: Ids
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], types: Iterable[str] = ()) -> "PackedText":
        """Pack tokenised sentences; empty ones are left out. `types` are numbered first.

        Raises
        ------
        ValueError
            If there is no sentence, or a word is ``<S>`` or ``</S>``.
        TypeError
            If a sentence is no list of strings.
        """
        numbers = {BOS_TOKEN: BOS, EOS_TOKEN: EOS}
        for word in types:
            numbers.setdefault(word, len(numbers))
        tokens = array("i")
        starts = [0]
        for sentence in checked(sentences):
            if len(sentence) == 0:
                continue
            tokens.extend(numbers.setdefault(word, len(numbers)) for word in sentence)
            starts.append(len(tokens))
        if not tokens:
            raise ValueError("there is no sentence with a word in it")
        packed = np.array(tokens, dtype=np.int32)
        return cls(list(numbers), packed, np.array(starts, dtype=np.int64))

    def __len__(self) -> int:
        """Number of sentences."""
        return len(self.starts) - 1

    @property
    def steps(self) -> int:
        """Predictions of one direction over the whole text: words and one boundary a sentence."""
        return len(self.tokens) + len(self)


@dataclass(frozen=True)
class Window:
    """What both directions read and predict in one training step, each (batch_size, bptt) int32."""

    forward_inputs: Ids
    forward_targets: Ids
    backward_inputs: Ids
    backward_targets: Ids


class TextStreams:
    """`batch_size` parallel streams over a text, in windows of `bptt` tokens.

    The order of the sentences is drawn anew for each epoch from the seed and the epoch's number
    alone, so any window can be had at once. With ``shuffle=False`` it is that of the text. The
    few tokens at the end that do not fill a window in every row are left out of that epoch.

    Parameters
    ----------
    text : what is read
    batch_size : rows of a batch
    bptt : tokens of a row in one window, through which gradients go back (backpropagation
        through time)
    shuffle : draw the order of the sentences
    seed : of that order

    Raises
    ------
    ValueError
        If the text is too short to give every row one window.
    """

    def __init__(
        self, text: PackedText, batch_size: int, bptt: int, *, shuffle: bool = True, seed: int = 0
    ) -> None:
        if text.steps < batch_size * bptt:
            raise ValueError(
                f"the text gives {text.steps} predictions, but {batch_size} rows of {bptt} need "
                f"{batch_size * bptt}; use more text, or a smaller batch_size or bptt"
            )
        self.text, self.batch_size, self.bptt = text, batch_size, bptt
        self.shuffle, self.seed = shuffle, seed
        self._epoch = -1
        self._epoch_rows: tuple[Ids, Ids, Ids, Ids] | None = None

    @property
    def windows_per_epoch(self) -> int:
        """Number of windows that fit into one pass over the text."""
        return self.text.steps // (self.batch_size * self.bptt)

    def window(self, number: int, rows: slice = slice(None)) -> Window:
        """Window `number` counted from the start of training, or only some rows of it."""
        epoch, place = divmod(number, self.windows_per_epoch)
        if epoch != self._epoch or self._epoch_rows is None:
            self._epoch, self._epoch_rows = epoch, self._arrange(epoch)
        columns = slice(place * self.bptt, (place + 1) * self.bptt)
        return Window(*(stream[rows, columns] for stream in self._epoch_rows))

    def _arrange(self, epoch: int) -> tuple[Ids, Ids, Ids, Ids]:
        """The four streams of one epoch, each (batch_size, windows * bptt)."""
        order = np.arange(len(self.text))
        if self.shuffle:
            order = np.random.default_rng((self.seed, epoch)).permutation(order)
        starts = self.text.starts[:-1][order]
        lengths = np.diff(self.text.starts)[order]
        ends = np.cumsum(lengths + 1)  # one step more than words
        first = np.repeat(ends - lengths - 1, lengths + 1)
        place = np.arange(ends[-1]) - first  # step within the sentence, 0 ... n
        start = np.repeat(starts, lengths + 1)
        length = np.repeat(lengths, lengths + 1)
        is_first, is_last = place == 0, place == length
        # Places just outside a sentence are overwritten below; one spare entry keeps them valid.
        tokens = np.append(self.text.tokens, np.int32(BOS))
        forward, backward = start + place, start + length - place
        streams = (
            np.where(is_first, np.int32(BOS), tokens[forward - 1]),
            np.where(is_last, np.int32(EOS), tokens[forward]),
            np.where(is_first, np.int32(EOS), tokens[backward]),
            np.where(is_last, np.int32(BOS), tokens[backward - 1]),
        )
        columns = self.windows_per_epoch * self.bptt
        used = self.batch_size * columns
        a, b, c, d = (stream[:used].reshape(self.batch_size, columns) for stream in streams)
        return a, b, c, d
