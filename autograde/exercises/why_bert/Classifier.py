"""Exercise `Classifier`: a pretrained body, a new head, and a group of parameters for each."""

from collections.abc import Sequence
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
from autograde.exercises.why_bert import LESSON
from elmo_mini.models.attention import Block, causal_mask, full_mask
from elmo_mini.models.fine_tuning import CausalLM, Classifier

MASKS = {"both sides": full_mask, "only back": causal_mask}
WORDS, SIZE, LONGEST = 11, 4, 7
SCORES = "Your `forward` returns {kind}. Return the logits, one tensor (B, K)."
GROUPS = (
    "`groups(body_rate, head_rate)` returns a list of two dicts, as an optimizer of PyTorch takes "
    'them: `{"params": ..., "lr": ...}`, the body\'s first. '
)


@Case.drawn
def _texts(
    rng: Random,
    lengths: Sequence[int],
    classes: int,
    *,
    mask_of: str = "only back",
    fresh: bool = False,
) -> Inputs:
    """Word numbers; what stands at padding are words, too."""
    width = max(lengths)
    ids = rng.integers(1, WORDS, (len(lengths), width))
    ids[np.arange(len(lengths)), np.array(lengths) - 1] = 0  # word 0 is a word like others
    return {
        "classes": classes,
        "mask_of": mask_of,
        "ids": ids,
        "mask": np.arange(width) < np.array(lengths)[:, None],
        "labels": rng.integers(0, classes, len(lengths)),
        "body_rate": round(float(rng.uniform(0.001, 0.01)), 4),
        "head_rate": round(float(rng.uniform(0.02, 0.1)), 4),
        "seed": int(rng.integers(1_000_000)),
        "as it was made": fresh,
    }


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The logits, the slopes of a loss in head and body, and the rate of every parameter."""
    classes, mask_of = int(inputs["classes"]), MASKS[inputs["mask_of"]]

    def block(dim: int, heads: int) -> nn.Module:
        return Block(dim, heads, mask_of)

    body = CausalLM(WORDS, SIZE, 2, 1, LONGEST, block)
    _fill(body, inputs["seed"])
    model = _checked(answer(body, classes), body, classes)
    if inputs["as it was made"]:
        weight = model.head.weight
        begins = {"the head begins at random": bool((weight != weight[0, 0]).any())}
        model.train()
    _fill(model.head, inputs["seed"] + 1)
    given = {name: as_tensors(inputs[name]) for name in ("ids", "mask")}
    scores = tensor_of(lambda: model(given["ids"], given["mask"]), SCORES)
    if scores.shape != (len(inputs["ids"]), classes):
        raise AnswerRefused(
            f"Your logits have shape {tuple(scores.shape)}. Each of the {len(inputs['ids'])} texts "
            f"has one for each of the {classes} classes: {(len(inputs['ids']), classes)}."
        )
    refuse_changed(inputs, given)
    if inputs["as it was made"]:
        return {
            **begins,
            "all parts are in training mode": all(part.training for part in model.modules()),
        }
    loss = functional.cross_entropy(scores, torch.from_numpy(inputs["labels"]))
    parts = {"head": model.head.weight, "word vectors": body.word.weight}
    found = _slopes(loss, list(parts.values()))
    return {
        "logits": plain(scores),
        "slope of a loss": {
            name: plain(torch.zeros_like(part) if slope is None else slope)
            for (name, part), slope in zip(parts.items(), found, strict=True)
        },
        **_rates(model, inputs),
    }


def _slopes(loss: Tensor, parts: Sequence[Tensor]) -> Sequence[Tensor | None]:
    """The slope of the loss for each part; None for all where nothing carries a gradient.

    Raises
    ------
    AnswerRefused
        If the body or the head is frozen.
    """
    if not all(part.requires_grad for part in parts):
        raise AnswerRefused(
            "Your module switches gradients off (`requires_grad`): an optimizer would never change "
            "these weights. Body and head both learn, each at its own rate."
        )
    if not loss.requires_grad:
        return [None] * len(parts)
    return torch.autograd.grad(loss, parts, allow_unused=True)


def _fill(part: nn.Module, seed: int) -> None:
    lots = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in part.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=lots) * 0.7)


def _checked(made: object, body: nn.Module, classes: int) -> Any:
    """The learner's module, if it has the parts that the task names."""
    if not isinstance(made, nn.Module):
        raise AnswerRefused(
            "`Classifier(...)` gives no module of PyTorch. Keep the line `class "
            "Classifier(nn.Module):`."
        )
    if getattr(made, "body", None) is not body:
        raise AnswerRefused(
            "`self.body` must be the body that was given, itself: `self.body = body`. A copy or "
            "another body would learn in its place."
        )
    head = getattr(made, "head", None)
    if not isinstance(head, nn.Linear):
        raise AnswerRefused("`self.head` must be one linear layer, an `nn.Linear`.")
    if (head.in_features, head.out_features) != (SIZE, classes) or head.bias is None:
        raise AnswerRefused(
            f"Your head maps {head.in_features} numbers to {head.out_features}"
            f"{'' if head.bias is not None else ', without a bias'}. A state has {SIZE} numbers, "
            f"and there are {classes} classes: `nn.Linear(D, K)`, D is "
            "`body.word.embedding_dim`."
        )
    if extra := len(list(made.parameters())) - len(list(body.parameters())) - 2:
        raise AnswerRefused(f"Your module has {extra} more parameters. It is body and head alone.")
    return made


def _rates(model: Any, inputs: Inputs) -> dict[str, Plain]:
    """The rate of each parameter; which part stands in the first group."""
    if not callable(getattr(model, "groups", None)):
        raise AnswerRefused(
            "Your class has no `groups(self, body_rate, head_rate)`. Keep its line."
        )
    groups = model.groups(inputs["body_rate"], inputs["head_rate"])
    shaped = isinstance(groups, list | tuple) and all(
        isinstance(group, dict) and "params" in group for group in groups
    )
    if not shaped or len(groups) != 2:
        raise AnswerRefused(f"{GROUPS}Yours is {type(groups).__name__}, and not that.")
    if missing := [number for number, group in enumerate(groups, 1) if "lr" not in group]:
        raise AnswerRefused(f'{GROUPS}Group {missing[0]} has no "lr".')
    try:
        optimizer = torch.optim.SGD(groups, lr=1.0)
    except (ValueError, TypeError) as wrong:
        raise AnswerRefused(f"{GROUPS}PyTorch does not take yours: {wrong}.") from wrong
    rates: dict[str, list[float]] = {name: [] for name, _ in model.named_parameters()}
    for group in optimizer.param_groups:
        inside = {id(parameter) for parameter in group["params"]}
        for name, parameter in model.named_parameters():
            rates[name] += [float(group["lr"])] * (id(parameter) in inside)
    first = {id(parameter) for parameter in optimizer.param_groups[0]["params"]}
    return {
        "rates": dict(rates),
        "the body's group is the first": any(id(p) in first for p in model.body.parameters()),
    }


class _Classifier(nn.Module):
    """As the lesson writes it."""

    def __init__(self, body: CausalLM, classes: int) -> None:
        super().__init__()
        self.body = body
        self.head = nn.Linear(body.word.embedding_dim, classes)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        last = mask.sum(1) - 1
        states = self.body.states(ids, mask)
        scores: Tensor = self.head(states[torch.arange(len(ids)), last])
        return scores

    def groups(self, body_rate: float, head_rate: float) -> list[dict[str, Any]]:
        return [
            {"params": self.body.parameters(), "lr": body_rate},
            {"params": self.head.parameters(), "lr": head_rate},
        ]


class _Gathered(_Classifier):
    """All states scored, and one row of scores picked; the groups by name."""

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """As its parent."""
        scores = self.head(self.body.states(ids, mask))
        picked: Tensor = torch.stack(
            [row[real][-1] for row, real in zip(scores, mask, strict=True)]
        )
        return picked

    def groups(self, body_rate: float, head_rate: float) -> list[dict[str, Any]]:
        """As its parent."""
        of_body = [p for name, p in self.named_parameters() if name.startswith("body")]
        of_head = [p for name, p in self.named_parameters() if not name.startswith("body")]
        return [{"params": of_body, "lr": body_rate}, {"params": of_head, "lr": head_rate}]


SLIPS = """
--- hint 1
the last column: last = mask.sum(1) - 1 -> last = torch.full((len(ids),), ids.shape[1] - 1)
    You read the last column of the batch. In a shorter text that is padding: its last token stands
    at its own length less one.
the first state: last = mask.sum(1) - 1 -> last = torch.zeros(len(ids), dtype=torch.long)
    You read the state of the first token. In a model that looks back, it has seen only itself.
the mean of all states: self.head(states[torch.arange(len(ids)), last]) \
        -> self.head((states * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True))
    You take the mean of a text's states. The state of its last token is asked for.
the mean, padding and all: self.head(states[torch.arange(len(ids)), last]) \
        -> self.head(states.mean(1))
    You take the mean of the whole row, with its padding. The state of the last token is asked for.
the largest of a text's states: self.head(states[torch.arange(len(ids)), last]) \
        -> self.head(states.masked_fill(~mask[..., None], -torch.inf).amax(1))
the largest, padding and all: self.head(states[torch.arange(len(ids)), last]) \
        -> self.head(states.amax(1))
    You take the largest of all states, number by number. The state of the last token is asked for.
--- hint 2
one token too far: last = mask.sum(1) - 1 -> last = mask.sum(1).clamp(max=ids.shape[1] - 1)
    You read one token too far. The first token is number 0, so the last is its length less one.
one token too early: last = mask.sum(1) - 1 -> last = (mask.sum(1) - 2).clamp(min=0)
one token too early, and the table's last for a text of one: \
        last = mask.sum(1) - 1 -> last = mask.sum(1) - 2
    You read the token before the last. The last is number length less one.
word 0 is padding: last = mask.sum(1) - 1 -> last = (ids != 0).sum(1) - 1
    You take word 0 for padding. It is a word like others: only `mask` says what is padding.
the mask is not handed on: self.body.states(ids, mask) -> self.body.states(ids)
    Your body is not told what is padding: hand it `mask`, too. A body that looks to both sides
    would read it.
every text reads the first text's state: states[torch.arange(len(ids)), last] \
        -> states[0, last]
    All your states come from the first text. Row b of the states belongs to text b:
    `torch.arange(B)` counts the rows.
every text ends where the first ends: states[torch.arange(len(ids)), last] -> states[:, last[0]]
    You read every text at the length of the first one. Each has a last token of its own.
the body learns nothing: states[torch.arange(len(ids)), last] \
        -> states[torch.arange(len(ids)), last].detach()
    Your logits are right, but no gradient reaches the body: something cuts it off, such as
    `.detach()`. So the body could not learn.
the body is frozen: self.body = body -> self.body = body ⏎self.body.requires_grad_(False)
    You freeze the body. It learns, too, if slowly: that is what its own rate is for. Leave
    `requires_grad` on.
nothing learns: scores: Tensor = self.head(states[torch.arange(len(ids)), last]) \
        -> with torch.no_grad(): \
        ⏎    scores: Tensor = self.head(states[torch.arange(len(ids)), last])
    Your logits are right, but no gradient reaches head or body: `torch.no_grad()` stands in your
    function. Training goes through it.
probabilities: scores: Tensor = self.head(states[torch.arange(len(ids)), last]) \
        -> scores: Tensor = self.head(states[torch.arange(len(ids)), last]).softmax(-1)
    You return probabilities. Return logits: the loss takes the softmax itself.
logarithms of probabilities: scores: Tensor = self.head(states[torch.arange(len(ids)), last]) \
        -> scores: Tensor = self.head(states[torch.arange(len(ids)), last]).log_softmax(-1)
    You return logarithms of probabilities. Return the head's logits as they are.
a tanh before the head: self.head(states[torch.arange(len(ids)), last]) \
        -> self.head(states[torch.arange(len(ids)), last].tanh())
    You bend the state with tanh first, as BERT's pooler does. Here the head reads the state as it
    is.
a relu before the head: self.head(states[torch.arange(len(ids)), last]) \
        -> self.head(states[torch.arange(len(ids)), last].relu())
    You cut off what is negative in the state. The head reads the state as it is.
the body in evaluation mode: last = mask.sum(1) - 1 -> self.body.eval() ⏎last = mask.sum(1) - 1
    Your `forward` puts the body into evaluation mode, so dropout sleeps while it learns. Leave
    the mode to whoever calls the model.
the head begins at 0: \
        self.head = nn.Linear(body.word.embedding_dim, classes) \
        -> self.head = nn.Linear(body.word.embedding_dim, classes) \
        ⏎nn.init.zeros_(self.head.weight) ⏎nn.init.zeros_(self.head.bias)
    Your head begins at one number, such as 0. It begins at random, as `nn.Linear` does: through
    weights of 0 no gradient would reach the body in the first step.
the word's vector: self.body.states(ids, mask) -> self.body.word(ids)
    You read the vector of the last word, which knows no context. Ask the body for its states.
--- hint 3
the rates change places: "lr": body_rate -> "lr": head_rate && "params": self.head.parameters(), \
        "lr": head_rate -> "params": self.head.parameters(), "lr": body_rate
    Your rates have changed places: the head learns at the body's, and the body at the head's.
one rate for both, the body's: "lr": head_rate -> "lr": body_rate
    Both groups learn at the body's rate. The head has its own.
one rate for both, the head's: "lr": body_rate -> "lr": head_rate
    Both groups learn at the head's rate. The body has its own.
the head's group first: return [ -> head, of_body = self.head.parameters(), \
        self.body.parameters() ⏎return [ && {"params": self.body.parameters(), "lr": body_rate} \
        -> {"params": head, "lr": head_rate} \
        && {"params": self.head.parameters(), "lr": head_rate} \
        -> {"params": of_body, "lr": body_rate}
    Your head's group stands first. The body's is asked for first.
the head twice: "params": self.body.parameters() -> "params": [self.head.bias] \
        && "params": self.head.parameters() -> "params": [self.head.weight]
    No parameter of the body stands in your groups, so it would never learn.
the head's bias is left out: "params": self.head.parameters() -> "params": [self.head.weight]
    Your groups leave out the head's bias. All parameters of the head belong there.
the word vectors alone: "params": self.body.parameters() -> "params": self.body.word.parameters()
    Your groups hold only a part of the body. All its parameters belong there: `parameters()`.
the blocks alone: "params": self.body.parameters() -> "params": self.body.blocks.parameters()
    Your groups hold the blocks alone. The body has word vectors and positions, too.
"""

EXERCISE = Exercise(
    id="Classifier",
    title="A body, a head, two groups",
    lesson=LESSON,
    points=3,
    difficulty=3,
    importance=5,
    minutes=12,
    reference=Classifier,
    run=_run,
    cases=(
        Case("one text", _texts((4,), 2)),
        Case("texts of 5, 2 and 4 tokens", _texts((5, 2, 4), 3), weight=2),
        Case("a body that looks to both sides", _texts((3, 6), 4, mask_of="both sides")),
        Case("a text of one token", _texts((1, 7, 3), 2), edge=True),
        Case("as it was made", _texts((2, 3), 3, fresh=True), edge=True),
    ),
    mistakes=slips(_Classifier, SLIPS),
    right_answers={"scores, then a pick": _Gathered, "as the lesson writes it": _Classifier},
    rtol=1e-3,
    atol=1e-4,
)
