"""Mixed precision: whether a device has kernels for bfloat16, and what a run's products are in.

Weights, states and losses are float32 throughout; autocast takes the products of matrices in
bfloat16. Where a processor has no kernels for it, PyTorch either computes them many times slower
than in float32, or, for an LSTM, fails. A run then goes on in float32, and says so once.
"""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache

import torch
from torch import nn
from torch.nn import functional

PRECISIONS = ("float32", "bfloat16")


class Precision:
    """The precision of a run's products: that asked for, or float32 where there are no kernels.

    Parameters
    ----------
    asked : one of `PRECISIONS`
    device : where the run computes
    speaks : whether this process says what changes; of several, one does

    Attributes
    ----------
    now : what products are in
    spans : each precision with the step since which it holds, as JSON values
    """

    def __init__(self, asked: str, device: str | torch.device, *, speaks: bool = True) -> None:
        self.device, self.speaks = torch.device(device), speaks
        self.now = usable_precision(asked, device, speaks=speaks)
        self.spans: list[tuple[int, str]] = [(0, self.now)]

    def autocast(self) -> AbstractContextManager[object]:
        """Products within are in this precision."""
        if self.now == "float32":
            return nullcontext()
        return torch.autocast(self.device.type, torch.bfloat16)

    def go_on(self, step: int, spans: Sequence[tuple[int, str]]) -> None:
        """Take over what a run has used up to `step`; a sentence says where that changes."""
        past = [(since, name) for since, name in spans if since < step]
        if past and past[-1][1] == self.now:
            self.spans = past
            return
        self.spans = [*past, (step, self.now)]
        if past and self.speaks:
            print(
                f"The run has computed its products in {past[-1][1]} up to step {step:,}; it goes "
                f"on in {self.now}.",
                file=sys.stderr,
            )

    def __str__(self) -> str:
        """As ``bfloat16 up to step 100, then float32``."""
        ends = [f" up to step {since:,}" for since, _ in self.spans[1:]]
        names = [name for _, name in self.spans]
        return ", then ".join(n + end for n, end in zip(names, [*ends, ""], strict=True))


def usable_precision(asked: str, device: str | torch.device, *, speaks: bool = True) -> str:
    """The precision asked for, or float32 where the device has no kernels for it.

    Parameters
    ----------
    asked : one of `PRECISIONS`
    speaks : say on standard error, once, that it is float32 in place of what was asked for
    """
    if asked == "float32" or has_bfloat16(device):
        return asked
    if speaks:
        _say_once(
            f"{asked} was asked for, but {_lack(torch.device(device))}; products are computed in "
            "float32."
        )
    return "float32"


def has_bfloat16(device: str | torch.device) -> bool:
    """Whether products in bfloat16 have kernels of their own on this device."""
    device = torch.device(device)
    if device.type == "cuda":
        with torch.cuda.device(device):
            return torch.cuda.is_bf16_supported(including_emulation=False)
    return device.type != "cpu" or _processor_has_bfloat16()


@cache
def _processor_has_bfloat16() -> bool:
    """Ask oneDNN for the two products that trainings take: its answer holds for this process.

    The lists of a processor's features say less: oneDNN may be told to leave some of them alone
    (``ONEDNN_MAX_CPU_ISA``), and PyTorch may be built without it.
    """
    one = torch.ones(8, 8)
    try:
        tiny = one.to_mkldnn(torch.bfloat16)
        functional.linear(tiny, tiny, one[0].to_mkldnn(torch.bfloat16))
        with torch.random.fork_rng(devices=[]), torch.autocast("cpu", torch.bfloat16):
            nn.LSTM(8, 8)(one[None])[0].float().sum().backward()
    except RuntimeError:
        return False
    return True


def _lack(device: torch.device) -> str:
    if device.type == "cuda":
        return f"the GPU {torch.cuda.get_device_name(device)} has no kernels for it"
    return (
        "this processor has no kernels for it (they need AVX-512, AMX or Arm's BF16; PyTorch finds "
        f"{torch.backends.cpu.get_cpu_capability()})"
    )


@cache
def _say_once(sentence: str) -> None:
    print(sentence, file=sys.stderr)
