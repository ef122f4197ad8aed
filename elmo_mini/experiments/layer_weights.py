"""What a linear probe does with weights over the layers: learned, fixed, and at two scales."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elmo_mini.experiments.asked_layers import Asked
from elmo_mini.probing.mixed_probe import LabelledLayers, Mix, MixedProbe, mixed_probe
from elmo_mini.probing.report import share_right

KNOWN, ASKED = 800, 1000


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
