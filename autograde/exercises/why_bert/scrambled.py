"""Exercise `scrambled`: weights that keep their numbers and lose their places."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from autograde.checking.answers import (
    Answer,
    AnswerRefused,
    Inputs,
    Plain,
    plain,
    refuse_changed,
    returned,
)
from autograde.checking.exercise import Case, Exercise, Random
from autograde.checking.slips import slips
from autograde.exercises.why_bert import LESSON
from course.why_bert.scrambling import scrambled

ON_NEW = "The pretrained weights are needed again. Make new tensors."


def _by_lots(weights: Mapping[str, Tensor], generator: torch.Generator) -> dict[str, Tensor]:
    def mixed(tensor: Tensor) -> Tensor:
        lots = torch.rand(tensor.numel(), generator=generator)
        return tensor.reshape(-1).gather(0, lots.argsort()).reshape(tensor.size())

    return {name: mixed(tensor) for name, tensor in weights.items()}


def _of_other_types(rng: Random) -> Inputs:
    return {
        "weights": {
            "in float64": rng.normal(0, 1, (6, 9)),
            "whole numbers": rng.choice(1_000, (8, 5), replace=False),
        }
    }


@Case.drawn
def _weights(rng: Random, *shapes: tuple[int, ...], alike: bool = False) -> Inputs:
    """Matrices whose numbers are all different; with `alike`, the first two have the same ones."""
    found = [
        rng.normal(0, 1 + place, shape).astype(np.float32) for place, shape in enumerate(shapes)
    ]
    if alike:
        found[1] = found[0].copy()
    return {"weights": {f"part {place}": part for place, part in enumerate(found)}}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """Two calls with generators of one seed, one with another seed, one more with the first."""
    calls: list[Plain] = []
    untouched = True
    with torch.random.fork_rng(devices=[]):
        generators = [torch.Generator().manual_seed(seed) for seed in (5, 5, 6)]
        for number, generator in enumerate((*generators, generators[0])):
            torch.manual_seed(number)
            state = torch.get_rng_state()
            given = {
                name: torch.from_numpy(part.copy()) for name, part in inputs["weights"].items()
            }
            came = returned(answer(given, generator))
            refuse_changed(inputs["weights"], given, ON_NEW)
            if not isinstance(came, Mapping):
                raise AnswerRefused("Return a dict: the name of each tensor, and its new one.")
            if set(came) != set(given):
                raise AnswerRefused(
                    f"Your dict has the names {', '.join(map(str, came))}; "
                    f"the given one has {', '.join(given)}. Keep every name, and add none."
                )
            for name, tensor in came.items():
                if not isinstance(tensor, Tensor):
                    raise AnswerRefused(
                        f"{name} is of type {type(tensor).__name__}, and it must be a tensor."
                    )
                if tensor.shape != given[name].shape:
                    raise AnswerRefused(
                        f"{name} has the shape {tuple(tensor.shape)}, and "
                        f"{tuple(given[name].shape)} was given. Keep the shapes: the weights go "
                        "back into the model."
                    )
                if tensor.dtype != given[name].dtype:
                    raise AnswerRefused(
                        f"{name} is {tensor.dtype}, and {given[name].dtype} was given. Keep the "
                        "type: the weights go back into the model."
                    )
            untouched &= torch.equal(state, torch.get_rng_state())
            calls.append(plain(dict(came)))
    return [untouched, *calls]


def _together(homes: Any) -> float:
    """The share of pairs in a line that come from one line."""
    pairs = homes[:, :, None] == homes[:, None, :]
    size = homes.shape[1]
    return float((pairs.sum() - homes.size) / (len(homes) * size * (size - 1)))


def _still_neighbours(old: Any, new: Any) -> float:
    """The share of neighbours that are neighbours again, in this order."""
    before = set(zip(old[:-1].tolist(), old[1:].tolist(), strict=True))
    after = list(zip(new[:-1].tolist(), new[1:].tolist(), strict=True))
    return float(np.mean([pair in before for pair in after])) if after else 0.0


def _properties(inputs: Inputs, outputs: Plain) -> Plain:
    """What every right order shares."""
    calls: Any = outputs
    before: dict[str, Any] = inputs["weights"]
    untouched, first, same_seed, other_seed, once_more = calls
    parts = list(before)
    rows: list[float] = []
    columns: list[float] = []
    companions: list[float] = []
    for name in parts:
        old, new = before[name], first[name]
        if old.ndim == 2 and min(old.shape) > 1:
            for axis, kept in ((0, rows), (1, columns)):
                home = np.broadcast_to(
                    np.arange(old.shape[axis]).reshape((-1, 1) if axis == 0 else (1, -1)), old.shape
                )
                place = {float(v): int(h) for v, h in zip(old.flat, home.flat, strict=True)}
                came = [place.get(float(v), -1) for v in new.flat]
                kept.append(float(np.mean(np.equal(came, home.ravel()))))
                lines = np.array(came).reshape(new.shape)
                companions.append(_together(lines if axis == 0 else lines.T))
    found = {
        "each tensor has its own numbers again": all(
            np.array_equal(np.sort(before[name], axis=None), np.sort(first[name], axis=None))
            for name in parts
        ),
        "every number comes from the tensor": all(
            bool(np.isin(first[name], before[name]).all()) for name in parts
        ),
        "the numbers are sorted": any(
            first[name].size > 1 and bool((np.diff(first[name].ravel()) > 0).all())
            for name in parts
        ),
        "the order is turned round": any(
            before[name].size > 1
            and np.array_equal(first[name].ravel(), before[name].ravel()[::-1])
            for name in parts
        ),
        "every tensor has a new order": all(
            float(np.mean(before[name] == first[name])) < 0.5 for name in parts
        ),
        "numbers change their rows": all(share < 0.6 for share in rows),
        "numbers change their columns": all(share < 0.6 for share in columns),
        "companions of a row part": all(share < 0.5 for share in companions),
        "neighbours part": all(
            _still_neighbours(before[name].ravel(), first[name].ravel()) < 0.3 for name in parts
        ),
        "one seed gives one order": all(
            np.array_equal(first[name], same_seed[name]) for name in parts
        ),
        "a second call with one generator gives another": not parts
        or not all(np.array_equal(first[name], once_more[name]) for name in parts),
        "PyTorch's own generator stays as it was": untouched,
        "another seed gives another": not all(
            np.array_equal(first[name], other_seed[name]) for name in parts
        ),
    }
    if len(parts) > 1 and np.array_equal(before[parts[0]], before[parts[1]]):
        found["two tensors of one shape get two orders"] = not np.array_equal(
            first[parts[0]], first[parts[1]]
        )
    return found


SLIPS = """
--- hint 1
whole rows: order = torch.randperm(tensor.numel(), generator=generator) \
        -> order = torch.randperm(len(tensor), generator=generator) \
        && tensor.flatten()[order].view(tensor.shape) -> tensor[order]
    You move whole rows. A row of a word table stays a word vector then, and only its word is
    wrong. Every number changes its place by itself.
one order for all columns of a row: torch.randperm(tensor.numel(), generator=generator) \
        -> torch.arange(tensor.numel()).view(-1, tensor.shape[-1])[torch.randperm(tensor.numel() \
        // tensor.shape[-1], generator=generator)].flatten()
    You move whole rows. A row of a word table stays a word vector then, and only its word is
    wrong. Every number changes its place by itself.
matrices alone: found = {} -> found = dict(weights) \
        && for name, tensor in weights.items(): -> for name, tensor in weights.items(): \
        ⏎    if tensor.ndim < 2: continue
    Vectors stay as they are, those of the layer norms and the biases. They have learnt, too: put
    the numbers of every tensor in a new order.
--- hint 2
whole columns: order = torch.randperm(tensor.numel(), generator=generator) \
        -> order = torch.randperm(tensor.shape[-1], generator=generator) \
        && tensor.flatten()[order].view(tensor.shape) -> tensor[..., order]
    You move whole columns. Every number changes its place by itself.
within each row: tensor.flatten()[order].view(tensor.shape) \
        -> torch.stack([row[torch.randperm(len(row), generator=generator)] \
        for row in tensor.view(-1, tensor.shape[-1])]).view(tensor.shape)
    Every row keeps its own numbers. A number may go to any place of its tensor.
rows, and then within each row: torch.randperm(tensor.numel(), generator=generator) \
        -> torch.cat([row[torch.randperm(len(row), generator=generator)] for row in \
        torch.arange(tensor.numel()).view(-1, tensor.shape[-1])[torch.randperm( \
        tensor.numel() // tensor.shape[-1], generator=generator)]])
    Every row keeps the numbers of one old row. A number may go to any place of its tensor.
moved along: torch.randperm(tensor.numel(), generator=generator) \
        -> torch.arange(tensor.numel()).roll(int(torch.randint(1, tensor.numel(), (), \
        generator=generator)))
    You move all numbers along by as many places, so neighbours stay neighbours. Every number goes
    its own way.
fresh numbers: tensor.flatten()[order].view(tensor.shape) \
        -> tensor.mean() + tensor.std(correction=0) * torch.randn(tensor.shape, generator=generator)
    You draw new numbers of the same mean and spread. Keep the very numbers: their outliers belong
    to the scale, too.
shuffled across all tensors: found = {} \
        -> found, pool = {}, torch.cat([torch.zeros(0), *(t.flatten() for t in weights.values())]) \
        ⏎pool = pool[torch.randperm(len(pool), generator=generator)] \
        && order = torch.randperm(tensor.numel(), generator=generator) \
        -> part, pool = pool[: tensor.numel()], pool[tensor.numel() :] \
        && tensor.flatten()[order].view(tensor.shape) -> part.view(tensor.shape)
    Your numbers wander from one tensor to another, so each tensor loses its scale. Draw an order
    for each tensor by itself.
drawn with repeats: torch.randperm(tensor.numel(), generator=generator) \
        -> torch.randint(tensor.numel(), (tensor.numel(),), generator=generator)
    Some numbers come twice and others not at all. An order has each place once: `torch.randperm`.
all of it is float32: tensor.flatten()[order] -> tensor.flatten().float()[order]
    You make float32 of every tensor. Each keeps its type: as float32 other numbers are rounded, and
    whole numbers become numbers with a point.
nothing changes: [order].view -> .view
    Your weights are the old ones. The order that you draw is never used.
sorted: torch.randperm(tensor.numel(), generator=generator) -> tensor.flatten().argsort()
    You sort the numbers. The order must be a random one.
turned round: torch.randperm(tensor.numel(), generator=generator) \
        -> torch.arange(tensor.numel()).flip(0)
    You turn the numbers round. The order must be a random one.
the generator is not used: , generator=generator) -> )
    Your order does not come from `generator`. Without it, nobody can draw the same one again.
in one row: .view(tensor.shape) ->
    Your tensors lie in one row. Give each the shape that it had.
--- hint 3
the seed is always the same: torch.randperm(tensor.numel(), generator=generator) \
        -> torch.randperm(tensor.numel(), generator=torch.Generator().manual_seed(0))
    Your generator always begins at one seed. Use the one that is given.
one seed for all tensors: found = {} -> found = {} ⏎seed = generator.initial_seed() \
        && generator=generator) -> generator=torch.Generator().manual_seed(seed))
one order for each size: found = {} -> found, orders = {}, {} \
        && = torch.randperm(tensor.numel(), generator=generator) -> = orders.setdefault( \
        tensor.numel(), torch.randperm(tensor.numel(), generator=generator))
    Tensors of one size get one order: the same seed, or one order for all. Draw on from
    `generator`, anew for each.
the seed and not the generator: found = {} \
        -> generator = torch.Generator().manual_seed(generator.initial_seed()) ⏎found = {}
    You begin again at the generator's first seed. Draw from `generator` itself: a second call must
    go on from there.
PyTorch's own generator is seeded: found = {} \
        -> torch.manual_seed(generator.initial_seed()) ⏎found = {} && , generator=generator) -> )
    You seed PyTorch's own generator and draw from that. Draw from `generator` itself: the rest of
    the notebook keeps its chance, and a second call goes on from where the first one stopped.
the first tensor alone: .view(tensor.shape) -> .view(tensor.shape) ⏎break
    Your loop ends after the first tensor.
--- no hint
written into the old ones: found[name] = tensor.flatten()[order].view(tensor.shape) \
        -> found[name] = tensor.copy_(tensor.flatten()[order].view(tensor.shape))
    You write into the dict or the tensors that were given. The pretrained weights are needed again.
"""

EXERCISE = Exercise(
    id="scrambled",
    title="Keep the numbers, lose the places",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=4,
    minutes=8,
    reference=scrambled,
    run=_run,
    view=_properties,
    cases=(
        Case("one matrix", _weights((12, 9)), weight=2),
        Case("matrices and vectors", _weights((8, 12), (30,), (4, 3, 5))),
        Case("two tensors that are alike", _weights((9, 8), (9, 8), (20,), alike=True)),
        Case("no tensors", _weights(), edge=True),
        Case("float64, and whole numbers", _of_other_types, edge=True),
    ),
    mistakes=slips(scrambled, SLIPS),
    right_answers={"by lots": _by_lots},
)
