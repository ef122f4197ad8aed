"""A linear probe that reads a mix of the layers and learns the mixing weights with it.

NAACL ELMo paper, equation (1) under a linear classifier. What the weights are after training
depends on more than on what the layers know: a layer of large numbers counts for more at the same
weight. So the layers can be brought to one scale first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from elmo_mini.probing.tasks import Occurrence
from elmo_mini.progress import progress_bar

Mix = Callable[[Tensor, Tensor, Tensor], Tensor]
FORBIDDEN, POINTS = -1e4, 12


@dataclass(frozen=True)
class LabelledLayers:
    """Occurrences with their layers, as a probe that learns by gradient wants them.

    Attributes
    ----------
    layers : (L + 1, N, 2H)
    labels : (N,) numbers of the labels
    allowed : (N, K) 0 where a label is possible, very low where it belongs to another group
    """

    layers: Tensor
    labels: Tensor
    allowed: Tensor

    @classmethod
    def of(
        cls,
        occurrences: Sequence[Occurrence],
        vectors: NDArray[np.float32],
        *,
        one_scale: bool = False,
    ) -> "LabelledLayers":
        """From occurrences and their vectors (N, L + 1, 2H).

        A label is possible for the occurrences of a group where it occurs in this group. With
        `one_scale`, the numbers of each layer have mean 0 and standard deviation 1.
        """
        names = sorted({o.label for o in occurrences})
        possible = {(o.group, o.label) for o in occurrences}
        groups = {
            group: [0.0 if (group, name) in possible else FORBIDDEN for name in names]
            for group in {o.group for o in occurrences}
        }
        layers = torch.from_numpy(vectors).transpose(0, 1)
        if one_scale:
            mean = layers.mean((1, 2), keepdim=True)
            layers = (layers - mean) / layers.std((1, 2), keepdim=True)
        return cls(
            layers,
            torch.tensor([names.index(o.label) for o in occurrences]),
            torch.tensor([groups[o.group] for o in occurrences]),
        )

    def take(self, rows: slice | Tensor) -> "LabelledLayers":
        """Some of the rows."""
        return LabelledLayers(self.layers[:, rows], self.labels[rows], self.allowed[rows])


@dataclass(frozen=True)
class MixedProbe:
    """What a mixed probe has learned.

    Attributes
    ----------
    weights : (L + 1,) the softmax of w
    gamma : the factor
    curve : (POINTS,) share right on the test rows in the course of the training
    correct : (M,) which test rows are right at the end
    """

    weights: NDArray[np.float32]
    gamma: float
    curve: NDArray[np.float64]
    correct: NDArray[np.bool_]


def mixed_probe(
    train: LabelledLayers,
    test: LabelledLayers,
    mix: Mix,
    *,
    gamma: float | None = None,
    w: Sequence[float] | None = None,
    steps: int = 60,
    learning_rate: float = 2e-2,
    seed: int = 0,
    progress: bool = False,
) -> MixedProbe:
    """Train a linear probe on mixed layers with Adam, all rows at once.

    Parameters
    ----------
    mix : layers (L + 1, B, T, 2H), w (L + 1,) and gamma () to the mixed vectors (B, T, 2H)
    gamma : fixed at this value; learned from 1 by default
    w : fixed at these values; learned from 0 by default
    seed : of the start values
    """
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        linear = nn.Linear(train.layers.shape[2], train.allowed.shape[1])
        scores = (
            torch.zeros(len(train.layers)) if w is None else torch.tensor([float(x) for x in w])
        )
        scores.requires_grad_(w is None)
        factor = torch.tensor(1.0 if gamma is None else gamma, requires_grad=gamma is None)
        learned = [t for t in (scores, factor, *linear.parameters()) if t.requires_grad]
        optimizer = torch.optim.Adam(learned, learning_rate)
        curve: list[float] = []
        correct = torch.zeros(len(test.labels), dtype=torch.bool)
        for done in progress_bar(range(1, steps + 1), show=progress):
            mixed = mix(train.layers[:, None], scores, factor)[0]
            loss = functional.cross_entropy(linear(mixed) + train.allowed, train.labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if done * POINTS // steps > len(curve):
                with torch.no_grad():
                    found = linear(mix(test.layers[:, None], scores, factor)[0]) + test.allowed
                correct = found.argmax(1) == test.labels
                curve.append(float(correct.double().mean()))
    shares = torch.softmax(scores.detach(), 0).numpy()
    return MixedProbe(shares, factor.item(), np.array(curve), correct.numpy())
