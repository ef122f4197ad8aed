"""Training in several processes, as ``torchrun`` starts them, or in one.

Each process trains on its share of the rows of every batch; gradients are averaged, so the run
is that of one process with the whole batch.
"""

import os
import sys
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from elmo_mini.checkpoints.device import usable_device
from elmo_mini.errors import ConfigurationError


@dataclass(frozen=True)
class Processes:
    """This process among `size`; `device` is where it computes."""

    rank: int
    size: int
    device: str

    @classmethod
    def join(cls, device: str = "auto") -> "Processes":
        """Join the group that ``torchrun`` describes in the environment; alone without it.

        Parameters
        ----------
        device : ``"cpu"``, ``"cuda"``, or ``"auto"`` for a GPU where there is one

        Raises
        ------
        ConfigurationError
            If PyTorch cannot compute on that device here.
        """
        alone = cls.alone(device)
        size, device = int(os.environ.get("WORLD_SIZE", "1")), alone.device
        if size == 1:
            return alone
        if device.startswith("cuda"):
            device = f"cuda:{os.environ['LOCAL_RANK']}"
            torch.cuda.set_device(device)
        if not dist.is_initialized():
            dist.init_process_group("nccl" if device.startswith("cuda") else "gloo")
        return cls(dist.get_rank(), dist.get_world_size(), device)

    @classmethod
    def alone(cls, device: str = "cpu") -> "Processes":
        """This process for itself; arguments and errors as of `join`."""
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        usable_device(device, "use the device 'cpu'")
        return cls(0, 1, device)

    @property
    def first(self) -> bool:
        """Whether this process speaks and writes for all."""
        return self.rank == 0

    def share(self, rows: int) -> slice:
        """The rows of a batch that belong to this process.

        Raises
        ------
        ConfigurationError
            If the rows cannot be shared out evenly.
        """
        if rows % self.size:
            raise ConfigurationError(
                f"a batch of {rows} rows cannot be shared evenly by {self.size} processes; "
                f"choose a multiple of {self.size}"
            )
        each = rows // self.size
        return slice(self.rank * each, (self.rank + 1) * each)

    def wrap(self, model: nn.Module, *, find_unused: bool = False) -> nn.Module:
        """The model with gradients averaged over the processes."""
        if self.size == 1:
            return model
        return DistributedDataParallel(
            model, broadcast_buffers=False, find_unused_parameters=find_unused
        )

    def mean(self, x: Tensor) -> Tensor:
        """The mean of a tensor over the processes."""
        if self.size == 1:
            return x
        x = x.clone()
        dist.all_reduce(x)
        return x / self.size

    def gather_rows(self, x: Tensor) -> Tensor:
        """The states (layers, 2, rows, size) of all processes' rows, in their order."""
        if self.size == 1:
            return x
        parts = [torch.empty_like(x) for _ in range(self.size)]
        dist.all_gather(parts, x.contiguous())
        return torch.cat(parts, 2)

    def agree(self, yes: bool) -> bool:
        """What the first process says, for decisions that depend on its clock."""
        if self.size == 1:
            return yes
        flag = torch.tensor([int(yes)], device=self.device)
        dist.broadcast(flag, 0)
        return bool(flag.item())

    def wait(self) -> None:
        """Until all processes are here."""
        if self.size > 1:
            dist.barrier()

    def leave(self) -> None:
        """The end of a finished run: leave the group and, if there is one, end this process.

        After a run over gloo, PyTorch 2.13 sometimes aborts the interpreter while it shuts down,
        and ``torchrun`` then reports a finished run as failed. So the process of a group ends
        here, without that shutdown. After an error, do not call this: the others may be waiting
        elsewhere.
        """
        if self.size == 1:
            return
        dist.barrier()
        dist.destroy_process_group()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
