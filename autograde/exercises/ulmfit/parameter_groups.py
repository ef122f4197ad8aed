"""Exercise `parameter_groups`: who learns in an epoch, and how fast."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from autograde.checking.answers import Answer, AnswerRefused, Inputs, Plain, returned
from autograde.checking.exercise import Case, Exercise, Random
from autograde.checking.slips import slips
from autograde.exercises.ulmfit import LESSON
from elmo_mini.models.ulmfit import parameter_groups

Group = dict[str, Any]


@Case.drawn
def _network(
    rng: Random, layers: tuple[str, ...], epoch: int, factor: float = 2.6, rate: float | None = None
) -> Inputs:
    """Layers from the bottom to the top, each the letters of its parameters."""
    rate = float(rng.uniform(0.005, 0.02)) if rate is None else rate
    return {"layers": list(layers), "rate": rate, "epoch": epoch, "factor": factor}


def _run(answer: Answer, inputs: Inputs) -> Plain:
    """The letters of each group's parameters, and the group's rate."""
    letters = sorted({letter for layer in inputs["layers"] for letter in layer})
    of = {letter: nn.Parameter(torch.zeros(2)) for letter in letters}
    layers = [[of[letter] for letter in layer] for layer in inputs["layers"]]
    came = returned(answer(layers, *[inputs[name] for name in ("rate", "epoch", "factor")]))
    if not isinstance(came, list | tuple):
        raise AnswerRefused("Return a list of groups, a dict for each layer that learns.")
    name_of = {id(parameter): letter for letter, parameter in of.items()}
    found = []
    for group in came:
        if not isinstance(group, Mapping) or "params" not in group or "lr" not in group:
            raise AnswerRefused('Each group is a dict: {"params": [...], "lr": ...}.')
        own = group["params"]
        own = [own] if isinstance(own, torch.Tensor) else list(own)
        if not all(id(parameter) in name_of for parameter in own):
            raise AnswerRefused(
                'Under "params" put the parameters themselves, as they stand in `layers`: no '
                "copies and no lists of lists."
            )
        said = "".join(sorted(name_of[id(parameter)] for parameter in own))
        found.append([said, float(group["lr"])])
    if [[of[letter] for letter in layer] for layer in inputs["layers"]] != layers:
        raise AnswerRefused("Your answer changed `layers`. The next epoch needs them as they were.")
    return [pair for pair in found if pair[0]]


def _groups(layers: Any, rate: float, epoch: int, factor: float = 2.6) -> list[Group]:
    groups, seen = [], set()
    for height, layer in enumerate(layers):
        own = [p for p in layer if p not in seen]
        seen.update(layer)
        depth = len(layers) - 1 - height
        if depth <= epoch:
            groups.append({"params": own, "lr": rate / factor**depth})
    return groups


def _from_the_top(layers: Any, rate: float, epoch: int, factor: float = 2.6) -> list[Group]:
    below: set[nn.Parameter] = set()
    groups = []
    for layer in layers:
        groups.append([p for p in layer if p not in below])
        below |= set(layer)
    awake = []
    for own in groups[::-1][: epoch + 1]:
        awake.append({"params": own, "lr": rate})
        rate = rate / factor
    return awake[::-1]


def _by_place(layers: Any, rate: float, epoch: int, factor: float = 2.6) -> list[Group]:
    first = max(0, len(layers) - 1 - epoch)
    lowest: dict[nn.Parameter, int] = {}
    for height, layer in enumerate(layers):
        for parameter in layer:
            lowest.setdefault(parameter, height)
    return [
        {
            "params": [p for p, place in lowest.items() if place == height],
            "lr": rate * factor ** (height - len(layers) + 1),
        }
        for height in range(first, len(layers))
    ]


SLIPS = """
--- hint 1
the top layer's group first: return groups -> return groups[::-1]
    Your groups are right, in another order. Return them as `layers` stands, the lowest first.
a group for each parameter: \
        groups.append({"params": own, "lr": rate / factor**depth}) \
        -> groups += [{"params": [one], "lr": rate / factor**depth} for one in own]
    Your rates are right, but a layer has several groups. Give each layer one.
the bottom learns fastest: rate / factor**depth -> rate / factor**height
    Your lowest layer learns fastest. It holds what is most general, and learns slowest: the *top*
    layer has the full rate.
the lowest that is awake learns fastest: rate / factor**depth \
        -> rate / factor ** (min(epoch, len(layers) - 1) - depth)
    Of the layers that are awake, your lowest learns fastest. It holds what is more general: the
    *top* layer has the full rate.
the bottom is unfrozen first: depth <= epoch -> height <= epoch
    You wake the layers from the bottom. The top layer learns first, in epoch 0, and the next lower
    one joins it in epoch 1.
both the wrong way round: depth = len(layers) - 1 - height -> depth = height
    You count from the bottom. The top layer, which stands last, has the full rate and wakes first.
every layer has the same rate: rate / factor**depth -> rate
    All of your layers learn equally fast. Each is `factor` times slower than the one above it.
rates grow towards the bottom: rate / factor**depth -> rate * factor**depth
    Your rates grow towards the bottom. Divide by `factor` for each layer further down.
a straight line of rates: factor**depth -> (factor * depth + 1)
divided by multiples of the factor: factor**depth -> max(1, factor * depth)
    You divide by a multiple of `factor`. Each layer is `factor` times slower than the one above
    it, so the second is slower by the square.
the factor is always 2.6: factor**depth -> 2.6**depth
    Your factor is 2.6. It is an argument, `factor`.
the rate of the lowest: rate / factor**depth -> rate * factor**height
    You take `rate` for the lowest layer's. It is the top layer's, and each lower one is slower.
--- hint 2
the top sleeps in epoch 0: depth <= epoch -> depth < epoch
    In epoch 0 nothing of yours learns. The top layer is awake from the first epoch on.
a layer too early: depth <= epoch -> depth <= epoch + 1
    Your layers wake one epoch too early. In epoch 0 the top layer learns alone.
one layer at a time: depth <= epoch -> depth == epoch
    Only one layer is awake in each of your epochs. Those that were woken before go on learning.
the awake ones are frozen: depth <= epoch -> depth > epoch
    You give the layers that still sleep. Turn the question round.
what sleeps has a rate of 0: if depth <= epoch: -> if True: \
        && rate / factor**depth -> rate / factor**depth * (depth <= epoch)
    You give layers that sleep a rate of 0. Leave their groups out: then nothing is computed for
    them.
everything is awake: if depth <= epoch: -> if True:
    All of your layers learn from the start. In epoch 0 the top layer learns alone, and with every
    epoch the next lower one joins.
a slice from the top that goes below 0: if depth <= epoch: -> if True: \
        && return groups -> return groups[len(layers) - 1 - epoch :]
    Your slice begins at `len(layers) - 1 - epoch`. Once all layers are awake, that is below 0, and
    Python counts from the end: layers fall asleep again. Begin at 0 there, with `max(0, ...)`.
a slice of as many as the epoch: if depth <= epoch: -> if True: \
        && return groups -> return groups[-epoch:]
    You take the last `epoch` groups. That is one too few, for epochs count from 0; and in epoch 0
    `[-0:]` takes all of them. `epoch + 1` groups are awake.
always all but the bottom: depth <= epoch -> height > 0
    Which layers are awake hangs on the epoch.
one step slower everywhere: len(layers) - 1 - height -> len(layers) - height
one step further down: len(layers) - 1 - height -> len(layers) + 1 - height
one step further up: len(layers) - 1 - height -> len(layers) - 2 - height
every layer as far down as the lowest: len(layers) - 1 - height -> len(layers) - 1
further down the higher: len(layers) - 1 - height -> len(layers) - 1 + height
as if there were two layers: len(layers) - 1 - height -> 1 - height
by the parameters of a layer: len(layers) - 1 - height -> len(layer) - 1 - height
by the epoch in place of the height: len(layers) - 1 - height -> len(layers) - 1 - epoch
upside down, with a minus: len(layers) - 1 - height -> 1 - len(layers) - height
    You miscount how far a layer is below the top. The top layer, the last of `len(layers)`, is 0
    below it, and the one before it 1.
the rate upside down: rate / factor**depth -> factor**depth / rate
    You divide by the rate. Divide the rate by `factor`, once for each layer above.
divided once: rate / factor**depth -> rate / factor
    Your layers all have the same rate, that of the top divided by `factor`. The top has `rate`
    itself, and each layer further down is divided once more.
by the epoch: rate / factor**depth -> rate / factor**epoch
    Your rates shrink with the epoch. They hang on the layer alone.
--- hint 3
a list of those seen: [], set() -> [], [] && seen.update(layer) -> seen.extend(layer)
    In a list, `in` compares tensors number by number. Keep a set, or compare with `is`.
a tied parameter stands twice: [p for p in layer if p not in seen] -> list(layer)
    A parameter that two layers share stands in two of your groups, and PyTorch refuses that. It
    belongs to the lower layer alone.
a tied parameter only where it is awake: seen.update(layer) \
        -> seen.update(layer if len(layers) - 1 - height <= epoch else [])
    A shared parameter wakes with the upper layer while the lower one sleeps. It belongs to the
    lower layer in every epoch: note what you have seen in sleeping layers, too.
a layer with a tied parameter stands nowhere: [p for p in layer if p not in seen] \
        -> [] if any(p in seen for p in layer) else list(layer)
    You leave out the whole layer that shares a parameter. Leave out that parameter alone: the
    layer's own ones learn.
a tied parameter stands nowhere: if p not in seen \
        -> if sum(p is other for every in layers for other in every) == 1
    A shared parameter stands in none of your groups, so it never learns. It belongs to the lower
    layer.
a tied parameter belongs to the upper layer: enumerate(layers) -> list(enumerate(layers))[::-1] \
        && return groups -> return groups[::-1]
    You give a shared parameter to the upper layer. It belongs to the lower one, which learns more
    slowly.
"""


EXERCISE = Exercise(
    id="parameter_groups",
    title="Who learns, and how fast",
    lesson=LESSON,
    points=2,
    difficulty=2,
    importance=5,
    minutes=10,
    reference=parameter_groups,
    run=_run,
    cases=(
        Case("three layers, all awake", _network(("a", "b", "c"), 2)),
        Case("four layers, the first epoch", _network(("ab", "cd", "ef", "gh"), 0)),
        Case("four layers, the second epoch", _network(("ab", "cd", "ef", "gh"), 1), weight=2),
        Case(
            "five layers, factor 4, the fourth epoch", _network(("a", "b", "c", "de", "f"), 3, 4.0)
        ),
        Case("more epochs than layers", _network(("a", "bc", "d"), 4), weight=1),
        Case(
            "a softmax that is tied to the word vectors",
            _network(("a", "b", "c", "ad"), 5),
            weight=2,
            asks="Parameter a stands in the lowest layer and in the top one. It belongs to the "
            "lower one alone.",
        ),
        Case(
            "a tied softmax, its lower place asleep",
            _network(("a", "b", "c", "ad"), 1),
            edge=True,
            asks="Parameter a stands in the lowest layer and in the top one. It belongs to the "
            "lower one, and sleeps as long as that.",
        ),
    ),
    mistakes=slips(_groups, SLIPS),
    right_answers={
        "a loop": _groups,
        "from the top": _from_the_top,
        "by the lowest place": _by_place,
    },
)
