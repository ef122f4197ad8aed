"""Exercise `CausalLM`: word and position embeddings, causal blocks, logits, and the loss."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograde.checking.answers import (
    Answer,
    AnswerRefused,
    Plain,
    as_tensors,
    plain,
    refuse_changed,
)
from autograde.checking.differentiable import tensor_of
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.attention import LESSON
from autograde.exercises.attention.filled import filled, gradients, shapes_of
from elmo_mini.checkpoints.safetensors_file import RENAMED
from elmo_mini.models.attention import Block, causal_mask, full_mask
from elmo_mini.models.fine_tuning import CausalLM

MASKS = {"both sides": full_mask, "only back": causal_mask}
SMALL = 0.05  # drawn with 0.02, the mean size is 0.016; with 0.2, 0.16 give or take 0.023
ONE_TENSOR = "Your `{name}` returns {{kind}}. Return {what}."
SCORES = ONE_TENSOR.format(name="forward", what="the scores, one tensor (B, T, V)")
ONE_NUMBER = ONE_TENSOR.format(name="loss", what="the mean, one number that is a tensor")


@Case.drawn
def _texts(
    rng: Random,
    lengths: Sequence[int],
    *,
    layers: int = 2,
    longest: int = 7,
    mask_of: str = "only back",
    masked: bool = True,
    behind: int = 0,
) -> Inputs:
    """Word numbers; what stands at padding are words, too. `behind` is padding in every row."""
    width = max(lengths) + behind
    ids = rng.integers(0, 11, (len(lengths), width))
    ids[np.argmax(lengths), 1] = 0  # word 0 is a word like others: somebody may ignore it
    return {
        "words": 11,
        "dim": 4,
        "heads": 2,
        "layers": layers,
        "longest": longest,
        "mask_of": mask_of,
        "masked": masked,
        "seed": int(rng.integers(1_000_000)),
        "ids": ids,
        "mask": np.arange(width) < np.array(lengths)[:, None],
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """How tables and bias begin, the scores at tokens, the loss, and what it teaches."""
    words, dim, heads, layers, longest = (
        int(inputs[name]) for name in ("words", "dim", "heads", "layers", "longest")
    )
    mask_of = MASKS[inputs["mask_of"]]

    def block(dim: int, heads: int) -> nn.Module:
        return Block(dim, heads, mask_of)

    made = answer(words, dim, heads, layers, longest, block)
    old = _earlier_names(made)
    own = shapes_of(CausalLM(words, dim, heads, layers, longest, block))
    shapes = {old.get(name, name): shape for name, shape in own.items()}
    small, even = _small(made), _begins_even(made)
    model = filled(made, shapes, inputs["seed"], "CausalLM")
    with torch.no_grad():
        model.get_parameter("word.weight").mul_(0.5)
    given = {name: as_tensors(inputs[name]) for name in ("ids", "mask")}
    ids, mask = given["ids"], given["mask"]
    scores = tensor_of(lambda: model(ids, mask) if inputs["masked"] else model(ids), SCORES)
    if scores.shape != (*ids.shape, words):
        raise AnswerRefused(
            f"Your scores have shape {tuple(scores.shape)}. Each of the {ids.shape[1]} positions "
            f"of {len(ids)} sentences has a score for each of the {words} words: "
            f"{(*ids.shape, inputs['words'])}."
        )
    if not callable(getattr(model, "loss", None)):
        raise AnswerRefused("Your class has no `loss(self, ids, mask)`. Keep its line.")
    loss = tensor_of(lambda: model.loss(ids, mask), ONE_NUMBER)  # type: ignore[operator]
    if loss.numel() != 1:
        raise AnswerRefused(
            f"Your loss has shape {tuple(loss.shape)}. It is one number, a mean over the tokens "
            "that have a next one."
        )
    refuse_changed(inputs, given)
    one = loss.reshape(())
    taught: dict[str, Any] = gradients(model, one)
    lengths = taught["how long the gradients are"]
    return {
        "begins small": small,
        "the bias begins at 0": even,
        "scores at tokens": plain(scores[mask]),
        "loss": plain(one),
        "the loss teaches": _present_names(taught["the gradient reaches"]),
        "how long the gradients are": {_with_present_name(n): v for n, v in lengths.items()},
    }


def _small(made: object) -> Plain:
    """Which of the two tables begin small; `filled` says what else is wrong."""
    named = made.named_parameters() if isinstance(made, nn.Module) else ()
    parts = {RENAMED.get(name, name): part for name, part in named}
    found = {name: parts.get(name) for name in ("word.weight", "position_embedding.weight")}
    return {
        f"{name} begins with small numbers": float(part.detach().abs().mean()) < SMALL
        for name, part in found.items()
        if part is not None
    }


def _begins_even(made: object) -> bool:
    """Whether no word is likelier than another at first; `filled` says what else is wrong."""
    bias = dict(made.named_parameters()).get("bias") if isinstance(made, nn.Module) else None
    return bias is None or not bool(bias.detach().any())


def _present_names(names: Any) -> list[str]:
    return [RENAMED.get(name, name) for name in names]


def _with_present_name(text: str) -> str:
    """What is said of a parameter, with its present name."""
    start, name, end = text.split("`")
    return f"{start}`{RENAMED.get(name, name)}`{end}"


def _earlier_names(made: object) -> dict[str, str]:
    """Of parameters that bear the names of an earlier release: the present name, and that one."""
    parts = dict(made.named_parameters()) if isinstance(made, nn.Module) else {}
    return {new: old for old, new in RENAMED.items() if old in parts and new not in parts}


class _CausalLM(nn.Module):
    """As the lesson writes it."""

    def __init__(
        self,
        words: int,
        dim: int,
        heads: int,
        layers: int,
        longest: int,
        block: Callable[[int, int], nn.Module],
    ) -> None:
        super().__init__()
        self.word, self.position_embedding = nn.Embedding(words, dim), nn.Embedding(longest, dim)
        nn.init.normal_(self.word.weight, std=0.02)
        nn.init.normal_(self.position_embedding.weight, std=0.02)
        self.norm = nn.LayerNorm(dim)
        self.blocks = nn.ModuleList(block(dim, heads) for _ in range(layers))
        self.bias = nn.Parameter(torch.zeros(words))

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        x = self.norm(self.word(ids) + self.position_embedding(torch.arange(ids.shape[1])))
        for block in self.blocks:
            x = block(x, mask)
        return x @ self.word.weight.T + self.bias

    def loss(self, ids: Tensor, mask: Tensor) -> Tensor:
        scores = self(ids, mask)[:, :-1]
        there = mask[:, 1:]
        return functional.cross_entropy(scores[there], ids[:, 1:][there])


class _Slices(_CausalLM):
    """Slices of the table of places, `functional.linear`, and a sum over all places."""

    def forward(self, ids: Tensor, mask: Tensor | None = None) -> Tensor:
        """As its parent."""
        mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask
        states = self.norm(self.position_embedding.weight[: ids.size(1)] + self.word(ids))
        for layer in self.blocks:
            states = layer(states, mask)
        return functional.linear(states, self.word.weight, self.bias)

    def loss(self, ids: Tensor, mask: Tensor) -> Tensor:
        """As its parent."""
        logs = self.forward(ids, mask).log_softmax(-1)
        paid = -logs[:, :-1].gather(-1, ids[:, 1:, None])[..., 0]
        there = mask[:, 1:].to(paid.dtype)
        return (paid * there).sum() / there.sum()


class _LastUnread(_CausalLM):
    """The loss leaves the last word of the batch unread: nobody before it may look there."""

    def loss(self, ids: Tensor, mask: Tensor) -> Tensor:
        """As its parent."""
        scores = self(ids[:, :-1], mask[:, :-1])
        wanted = ids[:, 1:].masked_fill(~mask[:, 1:], -100)
        return functional.cross_entropy(scores.transpose(1, 2), wanted)


SLIPS = """
--- hint 1
no positions: self.word(ids) + self.position_embedding(torch.arange(ids.shape[1])) -> self.word(ids)
    The vectors for positions are never used. Add them to the vectors of the words.
the mask is dropped: mask = torch.ones_like(ids, dtype=torch.bool) if mask is None else mask \
        -> mask = torch.ones_like(ids, dtype=torch.bool)
    Your blocks never see the mask that was given.
--- hint 2
word vectors times the root of D: self.word(ids) \
        -> self.word(ids) * self.word.weight.shape[1] ** 0.5
    You multiply the word vectors by √D, as the paper of 2017 does. Here word and position are added
    as they are.
positions by word number: self.position_embedding(torch.arange(ids.shape[1])) \
        -> self.position_embedding(ids % self.position_embedding.num_embeddings)
    You look positions up by word numbers. The first word stands at position 0, the next at position
    1: `torch.arange(...)`.
positions from 1: torch.arange(ids.shape[1]) \
        -> (torch.arange(ids.shape[1]) + 1) % self.position_embedding.num_embeddings
    Your positions begin with 1. The first is 0.
--- hint 3
no shift: scores = self(ids, mask)[:, :-1] -> scores = self(ids, mask) \
        && there = mask[:, 1:] -> there = mask && ids[:, 1:][there] -> ids[there]
    Each position is asked for the word that it has just read. Ask it for the next one: the scores
    of all positions but the last meet the words of all but the first.
shifted the wrong way: scores = self(ids, mask)[:, :-1] -> scores = self(ids, mask)[:, 1:] \
        && ids[:, 1:][there] -> ids[:, :-1][there]
    Each position is asked for the word before it. Ask it for the next one: the scores of all
    positions but the last meet the words of all but the first.
padding is asked for: there = mask[:, 1:] -> there = torch.ones_like(mask[:, 1:])
    Your loss asks for padding, too. It counts the tokens that have a next token.
the last token of a short sentence is asked for padding: there = mask[:, 1:] \
        -> there = mask[:, :-1]
    The last token of a short sentence is asked for padding. The next position must be a token:
    `mask[:, 1:]`.
a mean with padding in the number: functional.cross_entropy(scores[there], ids[:, 1:][there]) \
        -> functional.cross_entropy(scores[there], ids[:, 1:][there], reduction="sum") \
        / there.numel()
    Your padding costs nothing, and still counts in the number that you divide by. Divide by the
    tokens that have a next one: `mask[:, 1:].sum()`.
a mean with the first tokens in the number: \
        functional.cross_entropy(scores[there], ids[:, 1:][there]) \
        -> functional.cross_entropy(scores[there], ids[:, 1:][there], reduction="sum") / mask.sum()
    You divide by all tokens. Each sentence has one fewer that is asked for: `mask[:, 1:].sum()`.
word 0 is ignored: functional.cross_entropy(scores[there], ids[:, 1:][there]) \
        -> functional.cross_entropy(scores[there], ids[:, 1:][there], ignore_index=0)
    Your loss leaves word 0 out. It is a word like all others: padding is where `mask` is False,
    whatever number stands there.
round the end: scores = self(ids, mask)[:, :-1] -> scores = self(ids, mask) \
        && there = mask[:, 1:] -> there = mask && ids[:, 1:][there] -> ids.roll(-1, 1)[there]
    You turn the words round by one, so the last position is asked for what has come round. It has
    no next word: leave it out, and the last token of a short sentence, too.
what is not 0 is a token: there = mask[:, 1:] -> there = ids[:, 1:] != 0
    You take what is not 0 for tokens. Word 0 is a word like all others, and padding may hold any
    number: ask `mask`.
softmax twice: scores[there], -> scores[there].softmax(-1),
    You take the softmax before `cross_entropy`, which takes it, too. Give it the scores.
the scores as they are: functional.cross_entropy( -> functional.nll_loss(
    You take the scores for logarithms of probabilities. `functional.cross_entropy` makes them so;
    `functional.nll_loss` takes them as they are.
the mask of the next words for the words that are read: scores = self(ids, mask)[:, :-1] \
        -> scores = self(ids[:, :-1], mask[:, 1:])
    You leave out the last word, and hand on the mask without its first column. The mask belongs to
    the words that are read: `mask[:, :-1]`.
the loss forgets the mask: scores = self(ids, mask)[:, :-1] -> scores = self(ids)[:, :-1]
    Your loss calls the model without the mask, so a block that looks ahead reads padding:
    `self(ids, mask)`.
the sum: functional.cross_entropy(scores[there], ids[:, 1:][there]) \
        -> functional.cross_entropy(scores[there], ids[:, 1:][there], reduction="sum")
    Your loss is a sum over tokens. Take the mean.
a mean of the sentences' means: return functional.cross_entropy(scores[there], ids[:, 1:][there]) \
        -> return torch.stack([functional.cross_entropy(s[t], w[t]) for s, w, t in \
        zip(scores, ids[:, 1:], there)]).nanmean()
    You take the mean of each sentence, and then the mean of those. Every token counts the same.
in bits: functional.cross_entropy(scores[there], ids[:, 1:][there]) \
        -> functional.cross_entropy(scores[there], ids[:, 1:][there]) / 0.6931471805599453
    Your loss is in bits. Take the natural logarithm.
the perplexity: functional.cross_entropy(scores[there], ids[:, 1:][there]) \
        -> functional.cross_entropy(scores[there], ids[:, 1:][there]).exp()
    Your loss is a perplexity. Leave out `exp`.
the first block alone: for block in self.blocks: -> for block in self.blocks[:1]:
    Only your first block is used. They work one after the other.
every block reads the beginning: x = block(x, mask) -> x = block(x0, mask) \
        && for block in self.blocks: -> x0 = x ⏎for block in self.blocks:
    Each of your blocks reads what went into the first. It reads what the one before it gave.
no norm: self.norm(self.word(ids) + self.position_embedding(torch.arange(ids.shape[1]))) \
        -> self.word(ids) + self.position_embedding(torch.arange(ids.shape[1]))
    `self.norm` is never used. It follows the sum of word and position.
the norm at the end: self.norm(self.word(ids) + \
        self.position_embedding(torch.arange(ids.shape[1]))) \
        -> self.word(ids) + self.position_embedding(torch.arange(ids.shape[1])) \
        && x @ self.word.weight.T -> self.norm(x) @ self.word.weight.T
    Your norm comes after the blocks. It follows the sum of word and position.
the norm again at the end: x @ self.word.weight.T -> self.norm(x) @ self.word.weight.T
    Your norm comes twice. It follows the sum of word and position; what the last block gives is
    scored as it is.
only the words are normed: self.norm(self.word(ids) + \
        self.position_embedding(torch.arange(ids.shape[1]))) \
        -> self.norm(self.word(ids)) + self.position_embedding(torch.arange(ids.shape[1]))
    Your norm sees the words alone. It follows the sum of word and position.
no bias: x @ self.word.weight.T + self.bias -> x @ self.word.weight.T
    `self.bias` is never used. Each word's score has one.
scores at the last place alone: return x @ self.word.weight.T + self.bias \
        -> return (x @ self.word.weight.T + self.bias)[:, -1:]
    You score the last position alone. Every position predicts its next word.
--- no hint
one block used again and again: nn.ModuleList(block(dim, heads) for _ in range(layers)) \
        -> nn.ModuleList([block(dim, heads)] * layers)
    Your layers are one block, used again and again. Call `block(dim, heads)` for each layer.
a list of Python: nn.ModuleList(block(dim, heads) for _ in range(layers)) \
        -> [block(dim, heads) for _ in range(layers)]
    Your blocks stand in a list of Python, so PyTorch does not know their weights. Put them into an
    `nn.ModuleList`.
the word table as PyTorch draws it: nn.init.normal_(self.word.weight, std=0.02) -> pass
    Your words begin as PyTorch draws them, with numbers near 1. Then the first scores are far from
    even. Draw them with a standard deviation of 0.02.
the position table as PyTorch draws it: nn.init.normal_(self.position_embedding.weight, std=0.02) \
        -> pass
    Your positions begin as PyTorch draws them, with numbers near 1, and drown the words. Draw them
    with a standard deviation of 0.02.
neither table is drawn small: every std=0.02 -> std=0.2
    Neither table begins small, so the first scores are far from even. Draw both with a standard
    deviation of 0.02.
the bias does not begin at 0: torch.zeros(words) -> torch.ones(words)
    Your bias does not begin with zeros. No word is likelier than another before training.
probabilities in place of scores: return x @ self.word.weight.T + self.bias \
        -> return (x @ self.word.weight.T + self.bias).softmax(-1)
    Your `forward` returns probabilities. Return scores: the loss takes the softmax.
logarithms of probabilities: return x @ self.word.weight.T + self.bias \
        -> return (x @ self.word.weight.T + self.bias).log_softmax(-1)
    Your `forward` returns logarithms of probabilities. Return scores: the loss takes the softmax.
the scores teach the table nothing: x @ self.word.weight.T -> x @ self.word.weight.detach().T
    Your scores use a detached table of words, so it learns only from what is read. One table has
    both jobs here, and learns from both: `self.word.weight.T` as it is.
word 0 never learns: nn.Embedding(words, dim), -> nn.Embedding(words, dim, padding_idx=0),
    With `padding_idx=0`, the vector of word 0 learns nothing from being read. It is a word like all
    others: padding is where `mask` is False.
what is read teaches nothing: self.norm(self.word(ids) -> self.norm(self.word(ids).detach()
    The vectors that are read are detached: the table of words learns only from being scored.
cut off from autograd: return functional.cross_entropy(scores[there], ids[:, 1:][there]) \
        -> return functional.cross_entropy(scores[there], ids[:, 1:][there]).detach()
    The numbers are right, and nothing learns. Leave out `.detach()`.
"""

EXERCISE = Exercise(
    id="CausalLM",
    title="A model of the next word",
    lesson=LESSON,
    points=4,
    difficulty=4,
    importance=5,
    minutes=20,
    reference=CausalLM,
    run=_run,
    cases=(
        Case("one sentence, one block", _texts((4,), layers=1)),
        Case("sentences of 5, 2 and 4 tokens", _texts((5, 2, 4)), weight=2),
        Case(
            "blocks that look to both sides",
            _texts((3, 6), mask_of="both sides", behind=1),  # the last word may be left unread
            weight=2,
        ),
        Case("no mask is given", _texts((4, 4), masked=False)),
        Case("a sentence as long as the model has positions", _texts((7, 1)), edge=True),
    ),
    mistakes=slips(_CausalLM, SLIPS),
    right_answers={
        "slices and a sum": _Slices,
        "as the lesson writes it": _CausalLM,
        "the last word unread": _LastUnread,
    },
    rtol=1e-3,
    atol=1e-4,
)
