"""Exercise `chain_thaw`: another rule of who is awake."""

from typing import Any

from autograde.checking.answers import refusing
from autograde.checking.exercise import Case, Exercise, Inputs, Random
from autograde.checking.slips import slips
from autograde.exercises.ulmfit import LESSON
from elmo_mini.ulmfit.parameter_groups import chain_thaw

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


def _why(result: object) -> str | None:
    if isinstance(result, dict):
        return "Return a list of groups, also where it holds only one."
    return None


def _sorted(inputs: Inputs, outputs: Any) -> Any:
    if isinstance(outputs, list | tuple) and all(isinstance(group, dict) for group in outputs):
        return sorted(outputs, key=lambda group: str(group.get("params")))
    return outputs


def _in_turn(groups: list[Group], epoch: int) -> list[Group]:
    top = len(groups) - 1
    if epoch == 0:
        return [groups[top]]
    if epoch <= top + 1:
        return [groups[epoch - 1]]
    return groups


def _as_a_list(groups: list[Group], epoch: int) -> list[Group]:
    turns = [[groups[-1]], *([group] for group in groups)]
    return turns[epoch] if epoch < len(turns) else groups


def _by_slices(groups: list[Group], epoch: int) -> list[Group]:
    if epoch > len(groups):
        return list(groups)
    return groups[-1:] if not epoch else groups[epoch - 1 : epoch]


SLIPS = """
--- hint 1
the bottom comes first: return [groups[top]] -> return [groups[0]]
    Your first epoch wakes the bottom. The top layer, which is new, comes first.
from the top to the bottom: return [groups[epoch - 1]] -> return [groups[top + 1 - epoch]]
    After the first epoch you go down from the top. Go up from the bottom, one layer an epoch.
the woken ones stay awake: return [groups[epoch - 1]] -> return groups[:epoch]
    Your woken layers stay awake. Here each layer learns alone, and the others sleep.
gradual unfreezing: return [groups[epoch - 1]] -> return groups[top - epoch :]
    This is gradual unfreezing. Here each layer learns alone, from the bottom to the top.
all from the second epoch on: return [groups[epoch - 1]] -> return groups
    After the top you wake everything. First each layer has an epoch of its own.
all at once: if epoch == 0: return [groups[top]] -> if epoch == 0: return groups
    Your first epoch wakes everything. The top learns alone.
--- hint 2
the second epoch wakes the second layer: [groups[epoch - 1]] -> [groups[min(epoch, top)]]
    Your second epoch wakes the second layer. It is the bottom's turn, place 0.
the bottom is woken twice: [groups[epoch - 1]] -> [groups[max(0, epoch - 2)]]
    Your bottom layer has two epochs. Each layer has one.
the top has one turn only: epoch <= top + 1 -> epoch <= top
    All of your layers learn together one epoch too early: the top has a second turn after the
    others.
all of them an epoch too late: epoch <= top + 1 -> epoch <= top + 2 && [groups[epoch - 1]] \
        -> [groups[min(top, epoch - 1)]]
    All of your layers learn together one epoch too late.
--- hint 3
one layer for ever: return groups -> return [groups[epoch % (top + 1)]]
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
        Case("five layers, epoch 9", _groups(5, 9)),
    ),
    mistakes=slips(_in_turn, SLIPS),
    right_answers={"in turn": _in_turn, "a list of turns": _as_a_list, "slices": _by_slices},
)
