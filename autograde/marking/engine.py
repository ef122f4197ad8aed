"""Where submissions are marked: processes of this machine, or workers of a Dask cluster.

Either is a `concurrent.futures.Executor`. A task whose worker was lost is given out again; one that
loses its workers again and again has a verdict that says so, and stops nobody else.
"""

import argparse
import contextlib
import multiprocessing
import multiprocessing.connection
import os
import threading
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from typing import Protocol

from autograde.marking.course_folder import Refused
from autograde.marking.worker import Marked, Task, failed, mark

TRIES = 3
AHEAD = 2  # tasks that wait for each worker, so that none is idle
LOST = "The process that marks it ended {times} times before it was done."


class Engine(Protocol):
    """Marks tasks, in any order."""

    def marked(self, tasks: Sequence[Task]) -> Iterator[Marked]:
        """The results as they come, one for each task."""
        ...


class Processes:
    """Processes of this machine; each starts a fork server of its own."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *error: object) -> None:
        self._end()

    def marked(self, tasks: Sequence[Task]) -> Iterator[Marked]:
        """The results as they come; who was in a pool that broke is marked alone."""
        waiting, suspects = deque(tasks), deque[tuple[Task, int]]()
        running: dict[Future[Marked], Task] = {}
        while waiting or running:
            while waiting and len(running) < AHEAD * self.workers:
                task = waiting.popleft()
                try:
                    running[self._executor().submit(mark, task)] = task
                except BrokenProcessPool:
                    waiting.appendleft(task)
                    break
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            broken = not running
            for future in done:
                task = running.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    suspects.append((task, 1))
                    broken = True
            if broken:
                # All that ran there are lost with it, and one of them may be what ended a worker.
                for future, task in running.items():
                    with contextlib.suppress(BrokenProcessPool):
                        yield future.result()
                        continue
                    suspects.append((task, 1))
                running.clear()
                self._end()
        self._end()
        yield from self._alone(suspects)

    def _alone(self, suspects: deque[tuple[Task, int]]) -> Iterator[Marked]:
        while suspects:
            task, lost = suspects.popleft()
            try:
                yield self._executor(1).submit(mark, task).result()
            except BrokenProcessPool:
                self._end()
                if lost + 1 < TRIES:
                    suspects.append((task, lost + 1))
                else:
                    yield failed(task, LOST.format(times=lost + 1))

    def _executor(self, workers: int | None = None) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            number = workers or self.workers
            self._pool = ProcessPoolExecutor(number, context, initializer=end_with_the_parent)
        return self._pool

    def _end(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def end_with_the_parent() -> None:
    """In a worker: end when the coordinator ends, also where it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        sentinel = parent.sentinel

        def watch() -> None:
            multiprocessing.connection.wait([sentinel])
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()


class Cluster:
    """The workers of a Dask cluster, which have the same course installed.

    A worker that is lost is Dask's own affair: it gives the task to another one.
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise Refused(
                "--scheduler needs Dask: install the course with its extra `class`: "
                "pip install -e '.[course,class]'."
            ) from None
        # A notebook with figures in it is large, and is sent once.
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        try:
            self._client = Client(address, timeout=20)
        except (OSError, ValueError) as error:
            raise Refused(f"There is no Dask scheduler at {address}: {error}") from None

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *error: object) -> None:
        self._client.close()

    def marked(self, tasks: Sequence[Task]) -> Iterator[Marked]:
        """The results as they come."""
        from distributed.scheduler import KilledWorker

        executor: Executor = self._client.get_executor(pure=False)
        waiting = deque(tasks)
        running: dict[Future[Marked], Task] = {}
        while waiting or running:
            ahead = AHEAD * max(1, len(self._client.scheduler_info()["workers"]))
            while waiting and len(running) < ahead:
                task = waiting.popleft()
                running[executor.submit(mark, task)] = task
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                task = running.pop(future)
                try:
                    yield future.result()
                except KilledWorker:
                    yield failed(task, LOST.format(times=TRIES))


def add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    """How many workers, or where they are."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers",
        type=_positive,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes of this machine (default: one for each processor, here %(default)s)",
    )
    where.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="mark on the workers of this Dask scheduler, such as tcp://host:8786",
    )


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of workers: take 1 or more")
    return number


def engine_of(args: argparse.Namespace) -> AbstractContextManager[Engine]:
    """The engine that was asked for."""
    return Cluster(args.scheduler) if args.scheduler else Processes(args.workers)
