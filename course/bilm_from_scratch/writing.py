"""Sentences that a language model writes word by word, onward from a beginning or back to one."""

from collections.abc import Callable
from typing import Self

import torch
from torch import Tensor, nn

from course.baselines.kneser_ney import KneserNey
from course.bilm_from_scratch.quantised_softmax import course_softmax
from course.texts.small_text import SmallText
from elmo_mini.text.character_ids import batch_to_ids
from elmo_mini.text.running_text import BOUNDARY
from elmo_mini.text.sentences import BOS_TOKEN, EOS_TOKEN
from elmo_mini.text.vocabulary import Vocabulary

Scores = Callable[[list[str], str], Tensor]
ENDS = (BOUNDARY, BOS_TOKEN, EOS_TOKEN)


def written(
    scores: Scores,
    vocabulary: Vocabulary,
    part: list[str],
    direction: str,
    *,
    temperature: float = 0.7,
    seed: int = 0,
    most: int = 14,
) -> str:
    """What is drawn until a boundary comes; the unknown word is never drawn.

    Parameters
    ----------
    scores : (V,) for the word after a sentence ("forward") or before it ("backward")
    part : a beginning with its ``<S>``, or an end with its ``</S>``
    temperature : below 1 the likely words become likelier, above 1 the others do
    """
    generator = torch.Generator().manual_seed(seed)
    unknown = vocabulary.id(str(vocabulary.unknown))
    for _ in range(most):
        chances = scores(part, direction) / temperature
        chances[unknown] = -torch.inf
        number = int(torch.multinomial(chances.softmax(0), 1, generator=generator))
        word = vocabulary.word(number)
        if word in ENDS:
            break
        part = [*part, word] if direction == "forward" else [word, *part]
    return " ".join(word for word in part if word not in (BOS_TOKEN, EOS_TOKEN))


def scores_of_pairs(text: SmallText) -> Scores:
    """Log p of each word after the last one, by counts of pairs; forward alone."""
    words = len(text.vocabulary)
    counts = KneserNey(text.running(text.train), words, 2)

    def scores(part: list[str], direction: str) -> Tensor:
        last = BOUNDARY if part[-1] == BOS_TOKEN else part[-1].lower()
        context = text.vocabulary.encode([last])
        return torch.tensor([counts.probability(context, word) for word in range(words)]).log()

    return scores


class Speaker(nn.Module):
    """A reader of both directions and the one softmax that they share.

    Parameters
    ----------
    reader : a biLM, ids (B, T, letters) to its layers (B, T, 2 H) and the mask
    hidden : H
    vocabulary : the V words of the softmax
    letters : how many ids a word has
    """

    def __init__(
        self, reader: nn.Module, hidden: int, vocabulary: Vocabulary, letters: int = 50
    ) -> None:
        super().__init__()
        self.reader, self.vocabulary, self.letters = reader, vocabulary, letters
        self.softmax = nn.Linear(hidden, len(vocabulary))

    @classmethod
    def of_the_course(cls, reader: nn.Module) -> Self:
        """A reader with the course checkpoint's weights, and the softmax that is kept with them."""
        kept = course_softmax()
        speaker = cls(reader, kept.weight.shape[1], kept.vocabulary)
        speaker.softmax.load_state_dict({"weight": kept.weight, "bias": kept.bias})
        return speaker

    @torch.no_grad()
    def scores(self, part: list[str], direction: str) -> Tensor:
        """(V,): of the words after a beginning, or before an end."""
        ids = batch_to_ids([part], allow_boundary_tokens=True, max_characters=self.letters)
        ahead, behind = self.reader(ids)[0][-1][0].chunk(2, -1)  # (T, H) each
        found: Tensor = self.softmax(ahead[-1] if direction == "forward" else behind[0])
        return found

    def best(self, part: list[str], direction: str) -> list[tuple[str, float]]:
        """The three likeliest known words, with their chances."""
        chances = self.scores(part, direction).softmax(0)
        chances[self.vocabulary.id(str(self.vocabulary.unknown))] = 0.0
        chances, numbers = chances.topk(3)
        return list(zip(self.vocabulary.decode(numbers.tolist()), chances.tolist(), strict=True))

    def writes(self, part: str, direction: str, temperature: float = 0.7, seed: int = 0) -> str:
        """A sentence, onward from its beginning or back from its end."""
        words = part.split()
        words = [BOS_TOKEN, *words] if direction == "forward" else [*words, EOS_TOKEN]
        return written(
            self.scores,
            self.vocabulary,
            words,
            direction,
            temperature=temperature,
            seed=seed,
            most=20,
        )
