"""How much of a gradient arrives at the bottom of many random layers, with gates and without."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from course.figures import plots
from course.figures.picture import Picture
from elmo_mini.recurrent.training import seeded

Highway = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
Layer = Callable[[Tensor, Tensor, Tensor], Tensor]


def arriving(layer: Layer, depth: int, *, size: int = 64, seeds: int = 5) -> float:
    """The share of a gradient's length that arrives below `depth` random layers.

    Parameters
    ----------
    layer : x (N, F) and two matrices (F, F), the new lane's and the gate's, to (N, F)
    size : F
    seeds : the geometric mean is over so many draws
    """
    shares = []
    for seed in range(seeds):
        with seeded(seed, torch.device("cpu")):
            start = torch.randn(16, size).abs().requires_grad_()
            y = start
            for _ in range(depth):
                y = layer(y, *(torch.randn(size, size) / size**0.5 for _ in range(2)))
            sent = torch.randn(y.shape)
        (arrived,) = torch.autograd.grad((y * sent).sum(), start)
        shares.append(float(arrived.norm() / sent.norm()))
    return float(np.exp(np.mean(np.log(shares))))


def with_bias(highway: Highway, bias: float) -> Layer:
    """A highway whose gate has this bias, and no other bias."""

    def layer(x: Tensor, new: Tensor, gate: Tensor) -> Tensor:
        zeros = torch.zeros_like(new[0])
        return highway(x, new, zeros, gate, zeros + bias)

    return layer


def shares_by_depth(
    highway: Highway, biases: Sequence[float], depths: Sequence[int]
) -> dict[str, list[float]]:
    """`arriving` for highways with these biases, and for plain relu layers of two scales."""
    stacks: dict[str, Layer] = {
        "relu layers, no gate": lambda x, new, gate: torch.relu(x @ new),
        "the same, weights √2 times as large": lambda x, new, gate: torch.relu(x @ (2**0.5 * new)),
    }
    stacks |= {f"highways, bias {bias:g}": with_bias(highway, bias) for bias in biases}
    return {name: [arriving(stack, depth) for depth in depths] for name, stack in stacks.items()}


def mean_slope(slope: Callable[..., Tensor], bias: float, *, size: int = 64) -> float:
    """The mean of a formula for dy/dx over 10,000 units drawn as in `arriving`."""
    with seeded(0, torch.device("cpu")):
        x, (new, gate) = torch.randn(10_000).abs(), torch.randn(2, 10_000) / size**0.5
    return float(slope(x, new, 0 * x, gate, 0 * x + bias).mean())


def through_layers(highway: Highway, biases: Sequence[float], depths: Sequence[int]) -> Picture:
    """What arrives by depth, with and without gates; what arrives at the last depth is printed."""
    by_depth = shares_by_depth(highway, biases, depths)
    for name, shares in by_depth.items():
        print(f"{name}: {100 * shares[-1]:.2g} % arrives through {depths[-1]} layers")
    return plots.curves(
        depths,
        by_depth,
        title="Weights √2 times as large carry a gradient without any gate",
        xlabel="layers",
        ylabel="share that arrives",
        log_y=True,
    )
