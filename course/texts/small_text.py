"""Short sentences of the course's text, as a lesson that trains while one watches needs them."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from torch import Tensor

from course.baselines.kneser_ney import KneserNey
from elmo_mini import corpora
from elmo_mini.corpora.splits import Part
from elmo_mini.text.batches import pad, shuffled_batches
from elmo_mini.text.character_ids import batch_to_ids
from elmo_mini.text.running_text import BOUNDARY, word_vocabulary
from elmo_mini.text.sentences import BOS_TOKEN, EOS_TOKEN
from elmo_mini.text.vocabulary import Vocabulary

Sentences = Sequence[list[str]]
SHORTEST, LONGEST = 5, 18


@dataclass(frozen=True)
class SmallText:
    """Sentences in the case of the text, and a vocabulary of their words in lower case.

    Attributes
    ----------
    train, held_out : sentences
    vocabulary : V words, ``<unk>`` and the boundary among them
    """

    train: Sentences
    held_out: Sentences
    vocabulary: Vocabulary

    def numbers(self, sentences: Sentences) -> tuple[Tensor, Tensor]:
        """Word numbers (B, T) with both boundaries, 0 at padding, and the mask (B, T)."""
        rows = [
            self.vocabulary.encode([BOUNDARY, *map(str.lower, sentence), BOUNDARY])
            for sentence in sentences
        ]
        return pad(rows, device="cpu")

    def words(self, sentences: Sentences) -> tuple[Tensor, Tensor]:
        """What a reader of whole words gets, number + 1 and 0 at padding; and the numbers."""
        numbers, mask = self.numbers(sentences)
        return (numbers + 1) * mask, numbers

    def characters(self, sentences: Sentences, most: int = 50) -> Tensor:
        """What a reader of letters gets, (B, T, most), with both boundaries."""
        rows = [[BOS_TOKEN, *sentence, EOS_TOKEN] for sentence in sentences]
        return batch_to_ids(rows, allow_boundary_tokens=True, max_characters=most)

    def known_sentence(self, length: int) -> list[str]:
        """The first held-out sentence of so many words with the fewest outside the vocabulary.

        Raises
        ------
        ValueError
            No held-out sentence has so many words.
        """
        unknown = self.vocabulary.id(str(self.vocabulary.unknown))
        fitting = [sentence for sentence in self.held_out if len(sentence) == length]
        if not fitting:
            raise ValueError(f"no held-out sentence has {length} words; ask for another length")
        return min(fitting, key=lambda s: int((self.numbers([s])[0] == unknown).sum()))

    def batches(self, size: int, seed: int = 0) -> Iterator[Sentences]:
        """Training sentences of like length together, without end."""
        shuffle = random.Random(seed).shuffle
        lengths = list(map(len, self.train))
        while True:
            for rows in shuffled_batches(lengths, size, shuffle):
                yield [self.train[row] for row in rows]

    def ngram(self, sentences: Sentences, order: int, *, counted: Sentences | None = None) -> float:
        """Perplexity of betting by counts, smoothed after Kneser and Ney.

        Forward and backward have the same words to guess: all of them, and one boundary.

        Parameters
        ----------
        order : 1 for words by themselves, 2 for pairs of neighbours
        counted : the sentences that are counted; without them, all training sentences
        """
        counts = KneserNey(
            self.running(self.train if counted is None else counted), len(self.vocabulary), order
        )
        return counts.perplexity(self.running(sentences))

    def running(self, sentences: Sentences) -> list[int]:
        """Word numbers of sentences one after the other, a boundary before, between and behind."""
        numbers, mask = self.numbers(sentences)
        return [int(numbers[0, 0]), *numbers[:, 1:][mask[:, 1:]].tolist()]


def small_text(
    train: int,
    held_out: int,
    words: int,
    prefer: tuple[str, ...] = ("brown", "lee"),
    longest: int = LONGEST,
    part: Part = "dev",
    *,
    say: bool = True,
) -> SmallText:
    """So many sentences of 5 to `longest` words, and so many words, of the first text that is here.

    Parameters
    ----------
    prefer : names of corpora
    part : whose sentences are held out
    say : print which text it is
    """
    text = corpora.course_text(prefer, say=say)

    def some(of: Part, most: int) -> Sentences:
        found = (s for s in text.split(of).sentences() if SHORTEST <= len(s) <= longest)
        return [sentence for sentence, _ in zip(found, range(most), strict=False)]

    sentences = some("train", train)
    lower = (list(map(str.lower, sentence)) for sentence in sentences)
    return SmallText(sentences, some(part, held_out), word_vocabulary(lower, max_size=words))
