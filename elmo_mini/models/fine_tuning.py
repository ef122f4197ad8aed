"""Causal language model, as GPT's, and its fine-tuning: a classifier's head, warm-up, L2-SP.

Radford et al. 2018, "Improving language understanding by generative pre-training", section 3.

Letters in the shape comments: B sentences, T tokens, D numbers of a state, V words, K classes.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.models.attention import Block, causal_mask

SMALL = 0.02
Draw = Callable[[Tensor], int]
Batch = tuple[Tensor, Tensor, Tensor]
"""Word numbers and the mask of tokens, (B, T) each, and labels (B,)."""


def causal_block(dim: int, heads: int) -> Block:
    """A decoder's block: attention under the causal mask."""
    return Block(dim, heads, causal_mask)


class CausalLM(nn.Module):
    """Word and position embeddings, causal blocks, and a softmax tied to the word embedding.

    Section 3.1, equation 2. Taught in lesson 13, section 6, and written there.

    Parameters
    ----------
    words : V
    dim : D
    heads, layers : of how many heads each block, and how many blocks
    longest : tokens of the longest text, the number of position embeddings
    block : makes a block from (D, heads)

    Raises
    ------
    ValueError
        If there is no word, no layer or no position.
    """

    def __init__(
        self,
        words: int,
        dim: int = 64,
        heads: int = 4,
        layers: int = 2,
        longest: int = 64,
        block: Callable[[int, int], nn.Module] = causal_block,
    ) -> None:
        super().__init__()
        if min(words, layers, longest) < 1:
            raise ValueError(
                f"words={words}, layers={layers}, longest={longest}: each must be at least 1"
            )
        self.word = nn.Embedding(words, dim)
        self.position_embedding = nn.Embedding(longest, dim)
        self.norm = nn.LayerNorm(dim)
        self.blocks = nn.ModuleList(block(dim, heads) for _ in range(layers))
        self.bias = nn.Parameter(torch.zeros(words))
        for table in (self.word, self.position_embedding):
            nn.init.normal_(table.weight, std=SMALL)

    def states(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """(B, T) word numbers, and the mask (B, T) of tokens, to the states at the top (B, T, D).

        Raises
        ------
        ValueError
            If a text is longer than the model has positions.
        """
        length, longest = ids.shape[1], self.position_embedding.num_embeddings
        if length > longest:
            raise ValueError(f"a text of {length} tokens, but the model has {longest} positions")
        mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask.bool()
        positions = torch.arange(length, device=ids.device)  # (T,)
        x = self.norm(self.word(ids) + self.position_embedding(positions))  # (B, T, D)
        for block in self.blocks:
            x = block(x, mask)
        return x

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """As `states`, to the logits of the next word (B, T, V)."""
        return functional.linear(self.states(ids, mask), self.word.weight, self.bias)

    def loss(self, ids: Tensor, mask: Tensor) -> Tensor:
        """As `next_word_loss`."""
        return next_word_loss(self, ids, mask)


def next_word_loss(model: nn.Module, ids: Tensor, mask: Tensor) -> Tensor:
    """Mean of -log p(next word), in nats, over the tokens that have one.

    Section 3.1, equation 1. Taught and written in lesson 13, section 6.

    Parameters
    ----------
    model : maps ids (B, T) and the mask (B, T) to logits (B, T, V)

    Raises
    ------
    ValueError
        If no token has a next one.
    """
    has_next = mask[:, 1:].bool()  # (B, T - 1)
    if not has_next.any():
        raise ValueError("no token has a next one, so there is no mean loss")
    scores = model(ids, mask)[:, :-1]  # (B, T - 1, V)
    return functional.cross_entropy(scores[has_next], ids[:, 1:][has_next])


@torch.no_grad()
def continue_text(
    model: Callable[[Tensor], Tensor],
    ids: list[int],
    most: int,
    stop: int,
    longest: int,
    temperature: float,
    draw: Draw,
) -> list[int]:
    """Autoregressive decoding: a beginning, and the words that a model draws after it.

    Taught in lesson 13, section 9; a shorter one in section 6.

    Parameters
    ----------
    model : maps ids (1, T), T up to `longest`, to logits of the next word (1, T, V)
    ids : the beginning
    most : words to draw
    stop : the word that ends the text; it is the last one then
    longest : of a longer text, the model reads the last so many words
    temperature : divides the logits
    draw : chooses a word from the probabilities (V,)

    Raises
    ------
    ValueError
        If the beginning is empty, `longest` below 1, or the temperature not above 0.
    """
    if not (len(ids) > 0 and longest >= 1 and temperature > 0):
        raise ValueError(
            f"a beginning of {len(ids)} words, longest={longest}, temperature={temperature}; the "
            "first two must be at least 1, the temperature above 0. For the likeliest word each "
            "time, let draw choose it"
        )
    text = list(ids)
    for _ in range(most):
        scores = model(torch.tensor([text[-longest:]]))[0, -1]  # (V,)
        text.append(draw((scores / temperature).softmax(-1)))
        if text[-1] == stop:
            break
    return text


class Classifier(nn.Module):
    """A pretrained body and a new head: one linear layer at the state of the last token.

    Section 3.2, equation 3. Taught in lesson 14, section 1. By the last token, the causal blocks
    have read the whole text.

    Parameters
    ----------
    body : gives states (B, T, D)
    classes : K
    """

    def __init__(self, body: CausalLM, classes: int) -> None:
        super().__init__()
        self.body = body
        self.head = nn.Linear(body.word.embedding_dim, classes)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Word numbers (B, T), and the mask of tokens, which stand first, to logits (B, K).

        Raises
        ------
        ValueError
            If a text has no token.
        """
        last = mask.sum(1) - 1  # (B,)
        if bool((last < 0).any()):
            raise ValueError("a text without tokens has no last state; give each one at least")
        states = self.body.states(ids, mask)[torch.arange(len(ids)), last]  # (B, D)
        scores: Tensor = self.head(states)
        return scores

    def groups(self, body_rate: float, head_rate: float) -> list[dict[str, Any]]:
        """Two parameter groups for an optimizer: the body at one rate, the head at another."""
        return [
            {"params": list(self.body.parameters()), "lr": body_rate},
            {"params": list(self.head.parameters()), "lr": head_rate},
        ]


def tune(
    model: nn.Module,
    batches: Sequence[Batch],
    optimizer: torch.optim.Optimizer,
    warm_up: int,
    pull: float,
) -> list[float]:
    """Fine-tuning loop with warm-up, linear decay and L2-SP: + pull / 2 · ‖body - its start‖².

    The pull is L2-SP (Li, Grandvalet and Davoine 2018, arXiv:1802.01483, equation 3): the negative
    logarithm of a normal prior around the pretrained weights. At 0 it is plain fine-tuning. Taught
    in lesson 14, sections 3 (the loop) and 4 (the pull).

    Parameters
    ----------
    model : maps ids and mask to logits (B, K); has the parts ``body`` and ``head``
    batches : one step for each
    optimizer : each of its groups comes with the highest rate of its parameters. The rate rises to
        that in a straight line in the first `warm_up` steps, and falls in a straight line to 0,
        which it would reach one step after the last
    warm_up : at least 1, and fewer than there are batches
    pull : strength of the pull of the body to where it stands now; the head is free

    Returns
    -------
    The mean loss of each batch before its step, without the pull

    Raises
    ------
    FloatingPointError
        If a loss is no finite number: training has diverged.
    ValueError
        If `warm_up` is below 1, or leaves no step after it.
    """
    if not 1 <= warm_up < len(batches):
        raise ValueError(
            f"warm_up={warm_up} of {len(batches)} steps; it must be at least 1 and fewer than those"
        )
    body = [weight for weight in model.get_submodule("body").parameters() if weight.requires_grad]
    start = [weight.detach().clone() for weight in body]
    highest = [group["lr"] for group in optimizer.param_groups]
    steps, losses = len(batches), []
    model.train()
    for step, (ids, mask, labels) in enumerate(batches):
        factor = min((step + 1) / warm_up, (steps - step) / (steps - warm_up))
        for group, rate in zip(optimizer.param_groups, highest, strict=True):
            group["lr"] = rate * factor
        loss = functional.cross_entropy(model(ids, mask), labels)
        if not loss.isfinite():
            raise FloatingPointError(f"step {step}: the loss is {loss:.4g}; lower the rates")
        pairs = zip(body, start, strict=True) if pull else ()
        distances = [((now - before) ** 2).sum() for now, before in pairs]
        optimizer.zero_grad()
        (loss + pull / 2 * torch.stack(distances).sum() if distances else loss).backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return losses
