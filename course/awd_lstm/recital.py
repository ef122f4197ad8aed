"""A language model that has learnt its text by heart is asked to recite it."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from elmo_mini.awd_lstm.model import AWDLSTM
from elmo_mini.awd_lstm.options import AWDLSTMOptions
from elmo_mini.awd_lstm.run import train_awd_lstm
from elmo_mini.awd_lstm.training import AWDTraining
from elmo_mini.recurrent.training import evaluating
from elmo_mini.text.running_text import BOUNDARY, UNKNOWN
from elmo_mini.text.vocabulary import Vocabulary

WARMTH = 0.8  # below 1 likely words become likelier


@dataclass(frozen=True)
class Recital:
    """What a model says behind the words that it was given.

    Attributes
    ----------
    given : (P, n) ids of each prompt
    said, stands : (P, m) ids that the model says next, and that the text has there
    """

    given: Tensor
    said: Tensor
    stands: Tensor

    @property
    def right(self) -> Tensor:
        """(P,), the share of the words of each that are the text's."""
        return (self.said == self.stands).double().mean(1)


def learnt_by_heart(
    text: Tensor, other: Tensor, words: int, *, epochs: int = 30, size: int = 128
) -> tuple[AWDLSTM, list[float], list[float]]:
    """A plain LSTM language model, with nothing against learning by heart.

    Parameters
    ----------
    text, other : what is learnt, and what is not, (N,) and (M,) ids
    words : V
    size : of the one layer, and of the words' vectors

    Returns
    -------
    the model, and its perplexity on both texts after each epoch, of the words of `text` alone:
    the others' names it cannot know
    """
    torch.manual_seed(0)
    options = AWDLSTMOptions(vocabulary_size=words, dim=size, hidden_dim=size, layers=1)
    model = AWDLSTM(options.scaled(0.0))
    training = AWDTraining(
        epochs=epochs,
        batch_size=4,
        bptt=25,
        optimiser="adam",
        learning_rate=1.5e-2,
        clip=1.0,
        alpha=0.0,
        beta=0.0,
    )
    own: list[float] = []
    others: list[float] = []

    def note(_: object) -> None:
        own.append(_of_known_words(model, text))
        others.append(_of_known_words(model, other))

    train_awd_lstm(model, text, text[:50], training, after_epoch=note)
    return model, own, others


def recital(model: AWDLSTM, text: Tensor, *, prompts: int, given: int, asked: int) -> Recital:
    """Let the model go on, always with its likeliest word, from places all over the text (N,)."""
    last = len(text) - given - asked
    starts = torch.linspace(0, last, prompts).long()
    rows = torch.stack([text[start : start + given + asked] for start in starts.tolist()])
    said = []
    with evaluating(model):
        answer = model(rows[:, :given])
        for _ in range(asked):
            said.append(answer.logits[:, -1].argmax(-1))
            answer = model(said[-1][:, None], answer.state)
    return Recital(rows[:, :given], torch.stack(said, 1), rows[:, given:])


def speak(model: AWDLSTM, vocabulary: Vocabulary, start: str, words: int, seed: int = 0) -> str:
    """Go on behind the words of `start`, each next word drawn by its chance; no unknown word."""
    ids = torch.tensor([vocabulary.encode([BOUNDARY, *start.split()])])
    unknown = vocabulary.id(UNKNOWN)
    random = torch.Generator().manual_seed(seed)
    said = start.split()
    with evaluating(model):
        answer = model(ids)
        for _ in range(words):
            chances = (answer.logits[0, -1] / WARMTH).softmax(-1)
            chances[unknown] = 0
            drawn = torch.multinomial(chances, 1, generator=random)
            said.append(vocabulary.word(int(drawn)))
            answer = model(drawn[None], answer.state)
    return " ".join(said).replace(BOUNDARY, "/")


def _of_known_words(model: AWDLSTM, text: Tensor, unknown: int = 0) -> float:
    """Perplexity on one row of text, with unknown words read but not asked for."""
    with evaluating(model):
        logits = model(text[None, :-1]).logits[0]
    return float(functional.cross_entropy(logits, text[1:], ignore_index=unknown).exp())
