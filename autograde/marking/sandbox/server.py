"""A fork server: PyTorch is imported once, and every submission gets a process of its own.

``python -m autograde.marking.sandbox.server DESCRIPTOR WALLS NUMBER`` is started in the sandbox.
This process reads nothing of a student's: a submission's process enters its own namespaces first.
"""

import gc
import json
import os
import resource
import signal
import socket
import sys
import time
import traceback
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from autograde.marking.asking import student  # noqa: F401 (imported once, for all)
from autograde.marking.asking.wire import Gone, Line
from autograde.marking.sandbox import namespaces
from autograde.marking.sandbox.submission import Submission

MOST = 65_536
POLITE = 5.0  # of a process that is killed, nobody counts the seconds


def main(descriptor: int, walls: bool, number: int) -> None:
    """Start and end submissions as the other end of the line asks."""
    line = socket.socket(fileno=descriptor)
    if walls:
        namespaces.become_nobody(number)
    warm_up()
    gc.freeze()
    line.sendall(b'{"ready": true}\n')
    children: set[int] = set()
    answer: dict[str, Any]
    while True:
        data, descriptors, _, _ = socket.recv_fds(line, MOST, 1)
        if not data:
            break
        request = json.loads(data)
        if "end" in request:
            seconds = 0.0
            if request["end"] in children:
                seconds = _end(request["end"])
                children.discard(request["end"])
            answer = {"ended": request["end"], "seconds": seconds}
        else:
            child = os.fork()
            if not child:
                line.close()
                _submission(descriptors[0], request["limits"], walls)
            os.close(descriptors[0])
            children.add(child)
            answer = {"started": child}
        line.sendall(json.dumps(answer).encode() + b"\n")


def _end(child: int) -> float:
    """Kill a submission; the processor seconds of its processes that were waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        for last in (signal.SIGTERM, signal.SIGKILL):
            until = time.monotonic() + POLITE
            while time.monotonic() < until and not os.waitpid(child, os.WNOHANG)[0]:
                time.sleep(0.005)
            os.kill(child, last)
        os.waitpid(child, 0)
    except (ProcessLookupError, ChildProcessError):
        pass
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime


def _submission(descriptor: int, limits: dict[str, Any], walls: bool) -> None:
    status = 1
    try:
        os.setsid()  # a signal to its group reaches neither the server nor bubblewrap
        os.dup2(descriptor, 3)
        os.closerange(4, 64)
        if walls:
            namespaces.limit(**{name: int(limits[name]) for name in namespaces.LIMITED})
            namespaces.enter(int(limits["file_mb"]))
        _silence()
        Submission(Line(socket.socket(fileno=3)), limits).serve()
    except Gone:
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _silence() -> None:
    """Leave the server's log, which is one open file for all submissions."""
    sink = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(sink, descriptor)
    os.close(sink)


def warm_up() -> None:
    """Load what PyTorch loads when it is first used, which takes seconds."""
    torch.set_num_threads(1)
    weight = torch.ones(2, 2, requires_grad=True)
    optimizer = torch.optim.Adam([weight])
    functional.cross_entropy(weight @ weight, torch.tensor([0, 1])).backward()
    optimizer.step()
    layer = torch.nn.LSTM(2, 2)
    layer(torch.ones(1, 1, 2))[0].sum().backward()
    np.random.default_rng(0).random()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2] == "walls", int(sys.argv[3]))
