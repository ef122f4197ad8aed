"""A short running text on which an LSTM language model learns its words by heart in seconds."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from torch import Tensor

from elmo_mini import corpora
from elmo_mini.corpora.splits import Part
from elmo_mini.text.running_text import text_stream, word_vocabulary
from elmo_mini.text.vocabulary import Vocabulary

LONGEST = 40


@dataclass(frozen=True)
class RunningText:
    """Three parts of a text in lower case, each one row of ids.

    Attributes
    ----------
    train, dev, test : (N,) ids with a boundary between sentences
    sentences : those of the training part
    vocabulary : of the training part
    """

    train: Tensor
    dev: Tensor
    test: Tensor
    sentences: Sequence[Sequence[str]]
    vocabulary: Vocabulary

    def said(self, ids: Tensor) -> str:
        """Ids (T,) in words."""
        return " ".join(self.vocabulary.decode(ids.tolist()))


def running_text(words: int, held_out: int, vocabulary: int, *, say: bool = True) -> RunningText:
    """About so many words to learn from, and twice `held_out` for dev and test.

    Sentences come from every so many of the corpus, so that the three parts are of one kind.
    """
    text = corpora.course_text(say=say)

    def some(part: Part, most: int) -> list[list[str]]:
        """Sentences in their order, with `most` words in all."""
        whole = [s for s in text.split(part).sentences() if len(s) <= LONGEST]
        total = sum(map(len, whole))
        step = max(1, total // most)
        block = 20  # neighbours stay together
        chosen: list[list[str]] = []
        for start in range(0, len(whole), block * step):
            chosen += [list(map(str.lower, s)) for s in islice(whole, start, start + block)]
        count, kept = 0, []
        for sentence in chosen:
            if count >= most:
                break
            kept.append(sentence)
            count += len(sentence)
        return kept

    train, dev, test = some("train", words), some("dev", held_out), some("test", held_out)
    known = word_vocabulary(train, max_size=vocabulary)
    return RunningText(
        text_stream(train, known), text_stream(dev, known), text_stream(test, known), train, known
    )
