"""Exercise `chain_thaw`: another rule of unfreezing."""

from typing import Any

from autograde.checking.answers import refusing
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.ulmfit import LESSON
from elmo_mini.models.ulmfit import chain_thaw

Group = dict[str, Any]


@Case.drawn
def _groups(rng: Random, layers: int, epoch: int) -> Inputs:
    """Groups with a letter in place of their parameters."""
    rate = float(rng.uniform(0.005, 0.02))
    groups = [
        {"params": [letter], "lr": rate / 2.6 ** (layers - 1 - height)}
        for height, letter in enumerate("abcdefg"[:layers])
    ]
    return {"groups": groups, "epoch": epoch}


def _sorted(inputs: Inputs, outputs: Any) -> Any:
    if isinstance(outputs, list | tuple) and all(isinstance(group, dict) for group in outputs):
        return sorted(outputs, key=lambda group: str(group.get("params")))
    return outputs


def _in_turn(groups: list[Group], epoch: int) -> list[Group]:
    top = len(groups) - 1
    if epoch <= top + 1:
        turn = top if epoch == 0 else epoch - 1
        return [groups[turn]]
    return groups


def _as_a_list(groups: list[Group], epoch: int) -> list[Group]:
    turns = [[groups[-1]], *([group] for group in groups)]
    return turns[epoch] if epoch < len(turns) else groups


def _why(result: object) -> str | None:
    if isinstance(result, dict):
        return "Return a list of groups, also where it holds only one."
    if isinstance(result, list | tuple) and not result:
        return "In this epoch nobody learns. Return at least one group."
    if isinstance(result, list | tuple) and not all(isinstance(g, dict) for g in result):
        return "Return a list of groups, not a list of lists: `[groups[0]]`, or `groups[:1]`."
    return None


SLIPS = """
--- hint 1
the bottom comes first: top if epoch == 0 else epoch - 1 -> epoch % (top + 1)
    Your first epoch wakes the bottom. The top layer, which is new, comes first.
from the top to the bottom: epoch - 1 -> top + 1 - epoch
    After the first epoch you go down from the top. Go up from the bottom, one layer an epoch.
from the top to the bottom, once each: epoch <= top + 1 -> epoch <= top \
        && else epoch - 1 -> else top - epoch
    You go down from the top. After the first epoch go up from the bottom, one layer an epoch, until
    the top has its second turn.
from the top, and the bottom has no turn: epoch <= top + 1 -> epoch < top \
        && else epoch - 1 -> else top - epoch
    You go down from the top, and all wake before the bottom has had an epoch. After the first epoch
    go up from the bottom, one layer an epoch, until the top has its second turn.
the top stays awake: return [groups[turn]] -> return [groups[turn]] + [groups[top]] * (turn < top)
the top stays awake, and all below: [groups[turn]] -> [*groups[:epoch], groups[top]]
    Your top layer stays awake beside the others. It sleeps, too, while another has its turn.
the woken ones stay awake: return [groups[turn]] -> return groups[: turn + 1]
the upper ones stay awake: return [groups[turn]] -> return groups[turn:]
    Your woken layers stay awake. Here each layer learns alone, and the others sleep.
gradual unfreezing: return [groups[turn]] -> return groups[top - epoch :] if epoch < top else groups
    This is gradual unfreezing. Here each layer learns alone, from the bottom to the top.
all from the second epoch on: epoch <= top + 1 -> epoch == 0
    After the top you wake everything. First each layer has an epoch of its own.
all at once, then one after the other: epoch <= top + 1 -> epoch > top + 1
    You wake everything in the first epochs, and single layers at the end. Turn the question round.
always everything: epoch <= top + 1 -> epoch < 0
    Everything is awake in all of your epochs. In each of the first, one layer learns alone.
--- hint 2
the second epoch wakes the second layer: else epoch - 1 -> else min(epoch, top)
    Your second epoch wakes the second layer. It is the bottom's turn, position 0.
the top is woken twice: if epoch == 0 else -> if epoch <= 1 else
    Your second epoch wakes the top once more. It is the bottom's turn, position 0.
the bottom is woken twice: else epoch - 1 -> else max(0, epoch - 2)
    Your bottom layer has two epochs. Each layer has one.
counted from the end: else epoch - 1 -> else 1 - epoch
    After the bottom you count from the end. In epoch 2 it is the turn of position 1, the second
    layer from below.
always the bottom: else epoch - 1 -> else 0
always the second: else epoch - 1 -> else 1
    After the first epoch the same layer learns in each of yours. The layers take turns: in epoch 1
    position 0, in epoch 2 position 1.
the top has one turn only: epoch <= top + 1 -> epoch <= top
    All of your layers learn together one epoch too early: the top has a second turn after the
    others.
the turns are one behind: else epoch - 1 -> else epoch - 2
the turns are one ahead: else epoch - 1 -> else epoch
the last but one for ever: else epoch - 1 -> else top - 1
    Your turns are out of step. After the first epoch it is the bottom's turn, position 0, in epoch
    1, and in each epoch the next one's.
the top alone, then all: [groups[turn]] -> [groups[top]]
    Only your top layer learns alone. Each of the others has an epoch to itself as well.
two turns alone: epoch <= top + 1 -> epoch <= 1
    After two epochs you wake everything. *Each* layer has an epoch to itself first.
the last layer is forgotten: top = len(groups) - 1 -> top = len(groups) - 2
    You leave the last group out: the top one is position `len(groups) - 1`.
all of them an epoch too late: epoch <= top + 1 -> epoch <= top + 2 && else epoch - 1 \
        -> else min(top, epoch - 1)
    All of your layers learn together one epoch too late.
as if there were {many} layers: top = len(groups) - 1 -> top = {top} | many top = two 1, four 3
the head of {many} layers: top if epoch == 0 -> {top} if epoch == 0 | many top = four 3
all from epoch 5 on: epoch <= top + 1 -> epoch < 5
    Your layers are always as many. How many there are, `len(groups)` says: the head is the last of
    them, and all learn together when each has had its turn.
--- hint 3
one layer for ever: return groups -> return [groups[epoch % (top + 1)]]
the turns begin anew: return groups -> return [[groups[top], *groups][epoch % (top + 2)]]
    After the last turn you begin anew. From then on all layers learn together.
the top alone for ever: return groups -> return [groups[top]]
    After the last turn only your top learns. From then on all layers learn together.
"""

EXERCISE = Exercise(
    id="chain_thaw",
    title="Change one thing: another order",
    lesson=LESSON,
    points=1,
    difficulty=1,
    importance=3,
    minutes=5,
    reference=chain_thaw,
    run=refusing(_why),
    view=_sorted,
    cases=(
        Case("four layers, epoch 0", _groups(4, 0)),
        Case("four layers, epoch 1", _groups(4, 1)),
        Case("four layers, epoch 3", _groups(4, 3)),
        Case("four layers, epoch 4", _groups(4, 4)),
        Case("four layers, epoch 5", _groups(4, 5)),
        Case("three layers, epoch 2", _groups(3, 2)),
        Case("five layers, epoch 0", _groups(5, 0)),
        Case("five layers, epoch 5", _groups(5, 5)),
        Case("five layers, epoch 9", _groups(5, 9)),
    ),
    mistakes=slips(_in_turn, SLIPS),
    right_answers={"in turn": _in_turn, "a list of turns": _as_a_list},
)
