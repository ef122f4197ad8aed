"""What a linear probe does with weights over the layers: learned, fixed, and at two scales."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from course.figures import plots
from course.figures.interval_bars import interval_bars
from course.figures.picture import Picture
from course.results.intervals import interval, lead
from course.what_the_layers_know.layer_probes import Asked
from course.what_the_layers_know.mixed_probe import LabelledLayers, Mix, MixedProbe, mixed_probe
from elmo_mini.probing.report import share_right

KNOWN, ASKED = 800, 1000
SEEDS = (0, 1, 2)
FIXED: dict[str, dict[str, Any]] = {
    "layer 0": {"w": (99, 0, 0)},
    "layer 1": {"w": (0, 99, 0)},
    "layer 2": {"w": (0, 0, 99)},
    "average": {"w": (0, 0, 0)},
    "learned": {},
}
GAMMAS: dict[str, dict[str, Any]] = {
    "γ 0.01": {"gamma": 0.01},
    "γ 0.01, larger steps": {"gamma": 0.01, "learning_rate": 0.2},
    "γ 1": {"gamma": 1.0},
    "γ 10": {"gamma": 10.0},
    "γ learned": {},
}


class LayerWeights:
    """Probes on a mix of the layers, for several tasks.

    Parameters
    ----------
    tasks : by name
    mix : layers (L + 1, B, T, 2H), w (L + 1,) and gamma () to (B, T, 2H)
    """

    def __init__(self, tasks: Mapping[str, Asked], mix: Mix) -> None:
        self.tasks, self.mix = tasks, mix
        self._layers: dict[tuple[str, bool], LabelledLayers] = {}

    def probe(self, task: str, *, one_scale: bool = False, **how: Any) -> MixedProbe:
        """A probe of one task; at most 800 examples are known, 1,000 are asked."""
        asked = self.tasks[task]
        if (task, one_scale) not in self._layers:
            self._layers[task, one_scale] = LabelledLayers.of(
                asked.every, asked.layers(), one_scale=one_scale
            )
        data, known = self._layers[task, one_scale], asked.known
        train = data.take(slice(0, min(known, KNOWN)))
        test = data.take(slice(known, known + ASKED))
        return mixed_probe(train, test, self.mix, progress=True, **how)

    def share(self, task: str, right: NDArray[Any]) -> dict[str, float]:
        """``mean``, ``low`` and ``high`` of right answers, or of differences, over sentences."""
        return share_right(np.asarray(right, float), self.tasks[task].task.test[:ASKED])

    def learned(self) -> dict[str, list[NDArray[Any]]]:
        """The weights (L + 1,) that each task learns at the layers' own scale, and at one scale."""
        return {
            f"{task},\n{'one scale' if one_scale else 'own scale'}": [
                self.probe(task, one_scale=one_scale, seed=seed).weights for seed in SEEDS
            ]
            for task in self.tasks
            for one_scale in (False, True)
        }

    def fixed(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Who is right, task by task, with each weighting of `FIXED`; one run each."""
        return {
            task: {name: self.probe(task, **how).correct for name, how in FIXED.items()}
            for task in self.tasks
        }

    def draw_fixed(self, fixed: Mapping[str, Mapping[str, NDArray[Any]]], title: str) -> Picture:
        """Bars of `fixed`."""
        rows = {t: [self.share(t, r) for r in found.values()] for t, found in fixed.items()}
        return interval_bars(list(FIXED), rows, title=title, ylabel="right, percent")

    def compare(
        self, task: str, found: Mapping[str, NDArray[Any]], *pairs: tuple[str, str]
    ) -> None:
        """Print how far one is ahead of another, in points."""
        for one, other in pairs:
            gap = self.share(task, found[one] * 1.0 - found[other])
            print(f"{task}: {one} minus {other}", lead(gap))


def draw_learned(weights: Mapping[str, Sequence[NDArray[Any]]], title: str) -> Picture:
    """Bars of what `LayerWeights.learned` gives, a group for each layer."""
    rows = {
        f"layer {j}": [interval([w[j] for w in runs]) for runs in weights.values()]
        for j in range(3)
    }
    return interval_bars(list(weights), rows, title=title, ylabel="weight s, percent")


def draw_curves(tried: Mapping[str, MixedProbe], title: str) -> Picture:
    """What each probe finds as it learns, every five steps."""
    rows = {name: 100 * probe.curve for name, probe in tried.items()}
    steps = 5 * np.arange(1, 1 + len(next(iter(rows.values()))))
    return plots.curves(steps, rows, title=title, xlabel="steps", ylabel="right, percent")
