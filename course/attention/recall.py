"""Associative recall: four key-value facts, distractors, then a query for one of the facts.

A fact is one token, a key with its value. The question at the end names a key; the answer is the
value that it had. How much must be remembered stays the same; only the way back grows. All letters
are drawn anew for each text, so nothing can be learnt by heart.

Letters in the shape comments: B texts, T tokens, D numbers of a vector.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.models.attention import Block
from elmo_mini.training.steps import TrainingOptions, evaluating, train

KEYS, VALUES, FACTS, CHATTER = 8, 8, 4, 16
TOKENS = KEYS * VALUES + CHATTER + KEYS
"""Facts first, ``key * VALUES + value``, then chatter, then the question of each key."""
RATE = 3e-3

Texts = tuple[Tensor, Tensor]


def recall_texts(texts: int, distance: int, generator: torch.Generator) -> Texts:
    """Texts (B, FACTS + distance + 1), and the value that each asks for (B,).

    Parameters
    ----------
    distance : tokens of chatter between the last fact and the question
    """
    keys = torch.rand(texts, KEYS, generator=generator).argsort(-1)[:, :FACTS]
    values = torch.randint(VALUES, (texts, FACTS), generator=generator)
    chatter = KEYS * VALUES + torch.randint(CHATTER, (texts, distance), generator=generator)
    asked = torch.randint(FACTS, (texts, 1), generator=generator)
    question = TOKENS - KEYS + keys.gather(1, asked)
    ids = torch.cat([keys * VALUES + values, chatter, question], 1)
    return ids, values.gather(1, asked)[:, 0]


def some_texts(texts: int, distance: int, seed: int = 0) -> Texts:
    """`recall_texts` from a seed."""
    return recall_texts(texts, distance, torch.Generator().manual_seed(seed))


def in_words(ids: Tensor) -> list[str]:
    """One text (T,) as people write it: ``b=3`` is a fact, ``·`` chatter, ``b?`` the question."""
    said = []
    for token in ids.tolist():
        key, value = divmod(token, VALUES)
        question = "abcdefgh"[token - TOKENS + KEYS] + "?" if token >= TOKENS - KEYS else "·"
        said.append(f"{'abcdefgh'[key]}={value}" if key < KEYS else question)
    return said


class AttentionRecaller(nn.Module):
    """An embedding, a block, and the state at the question; no position embedding.

    Parameters
    ----------
    dim : D
    heads : of each block
    block : makes a block from (D, heads)
    """

    def __init__(
        self, dim: int = 32, heads: int = 2, block: Callable[[int, int], nn.Module] = Block
    ) -> None:
        super().__init__()
        self.table = nn.Embedding(TOKENS, dim)
        self.block = block(dim, heads)
        self.answer = nn.Linear(dim, VALUES)

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) to a score for each value (B, VALUES)."""
        states = self.block(self.table(ids), torch.ones_like(ids, dtype=torch.bool))
        scores: Tensor = self.answer(states[:, -1])
        return scores


class RecurrentRecaller(nn.Module):
    """An embedding, one LSTM, and its last hidden state.

    Parameters
    ----------
    dim : D
    cells : of the LSTM
    open_gate : what is added to the bias of the forget gate at the start; 3 keeps 95 % a token
    """

    def __init__(self, dim: int = 32, cells: int = 40, open_gate: float = 0.0) -> None:
        super().__init__()
        self.table = nn.Embedding(TOKENS, dim)
        self.lstm = nn.LSTM(dim, cells, batch_first=True)
        self.answer = nn.Linear(cells, VALUES)
        bias = self.lstm.get_parameter("bias_ih_l0")
        with torch.no_grad():
            bias[cells : 2 * cells] += open_gate  # PyTorch's order: i, f, g, o

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) to a score for each value (B, VALUES)."""
        scores: Tensor = self.answer(self.lstm(self.table(ids))[0][:, -1])
        return scores


class PooledRecaller(nn.Module):
    """The same LSTM; its last state beside the mean and the largest of all states.

    Parameters
    ----------
    dim : D
    cells, open_gate : as for `RecurrentRecaller`
    """

    def __init__(self, dim: int = 32, cells: int = 40, open_gate: float = 0.0) -> None:
        super().__init__()
        inner = RecurrentRecaller(dim, cells, open_gate)
        self.table, self.lstm = inner.table, inner.lstm
        self.answer = nn.Linear(3 * cells, VALUES)

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) to a score for each value (B, VALUES)."""
        states = self.lstm(self.table(ids))[0]  # (B, T, cells)
        pooled = torch.cat([states[:, -1], states.mean(1), states.amax(1)], -1)
        scores: Tensor = self.answer(pooled)
        return scores


class CountingRecaller:
    """Naive Bayes, no network: how often each answer came with each pair of question and word."""

    def __init__(self) -> None:
        self.seen = torch.full((KEYS, TOKENS, VALUES), 0.1)

    def read(self, ids: Tensor, answers: Tensor) -> None:
        """Count in texts (B, T) and their answers (B,)."""
        asked, words = self._pairs(ids)
        right = answers[:, None].expand_as(words)
        self.seen.index_put_((asked, words, right), torch.ones(()), accumulate=True)

    def __call__(self, ids: Tensor) -> Tensor:
        """(B, T) to a score for each value (B, VALUES)."""
        asked, words = self._pairs(ids)
        shares = self.seen / self.seen.sum(1, keepdim=True)  # of a word, among all of an answer
        return shares.log()[asked, words].sum(1)

    def _pairs(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        words = ids[:, :-1]
        return (ids[:, -1:] - (TOKENS - KEYS)).expand_as(words), words


class SumRecaller(nn.Module):
    """A bag of embeddings: the sum over all tokens before the question, without order.

    Parameters
    ----------
    dim : D
    inner : numbers of the layer that puts the sum and the question together
    """

    def __init__(self, dim: int = 32, inner: int = 128) -> None:
        super().__init__()
        self.table = nn.Embedding(TOKENS, dim)
        self.answer = nn.Sequential(nn.Linear(2 * dim, inner), nn.GELU(), nn.Linear(inner, VALUES))

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) to a score for each value (B, VALUES)."""
        x = self.table(ids)
        scores: Tensor = self.answer(torch.cat([x[:, :-1].sum(1), x[:, -1]], -1))
        return scores


def train_to_recall(
    model: nn.Module,
    distance: int,
    steps: int,
    *,
    seed: int = 0,
    batch: int = 64,
    rate: float = RATE,
    progress: bool = False,
) -> list[float]:
    """Train on fresh texts of one distance; the loss of each batch, in nats.

    Parameters
    ----------
    rate : of Adam, falling to 0
    """
    generator = torch.Generator().manual_seed(seed)

    def loss() -> Tensor:
        ids, asked = recall_texts(batch, distance, generator)
        return functional.cross_entropy(model(ids), asked)

    options = TrainingOptions(learning_rate=rate, seed=seed, progress=progress)
    return train(model, (loss() for _ in range(steps)), steps, options)


def recall_accuracy(
    model: nn.Module, distance: int, texts: int = 1_000, seed: int = 1_000
) -> float:
    """The share of fresh texts whose question is answered right."""
    ids, asked = recall_texts(texts, distance, torch.Generator().manual_seed(seed))
    with evaluating(model):
        return float((model(ids).argmax(-1) == asked).double().mean())
