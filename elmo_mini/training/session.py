"""A run as a command carries it out: resumed, shown, saved now and then and when asked to stop."""

import argparse
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from elmo_mini.files import held
from elmo_mini.training.run import Losses, Run
from elmo_mini.training.stopping import noting_signals

AVERAGED = 50
TOGETHER = 10


def carry_out(
    run: Run,
    checkpoint: Path,
    args: argparse.Namespace,
    *,
    validated: Callable[[], str],
    saved: Callable[[], Any] = lambda: None,
) -> bool:
    """Go on with a run from its checkpoint, if there is one; whether it came to its end.

    A checkpoint is written every so many minutes or steps, at the end, when the time is over, and
    after the step in which Ctrl-C or a termination came, the terminal was closed, or what reads the
    output ended. Meanwhile no other run may write it.

    Parameters
    ----------
    args : `minutes`, `checkpoint_minutes` and `checkpoint_steps`, of `elmo_mini.training.options`
    validated : called after a validation; what it returns is shown
    saved : called after a checkpoint was written, in the first process
    """
    first, agree = run.processes.first, run.processes.agree
    say = print if first else (lambda *_, **__: None)
    asked: list[int] = []
    latest: deque[Losses] = deque(maxlen=AVERAGED)
    started = written = time.monotonic()

    def show(words: str | None = None) -> None:
        try:
            if words is None:
                bar.update()
            elif first:
                bar.write(words)
                sys.stdout.flush()
        except OSError:  # nobody reads it any more; raised again when the bar is closed
            asked.append(0)

    def after_validation(_: Run) -> None:
        show(validated())

    def after_step(_: Run) -> bool:
        nonlocal written
        latest.append(run.latest)
        means = " ".join(f"{mean:.3f}" for mean in np.mean(latest, 0))
        bar.set_postfix_str(f"loss {means}", refresh=False)
        show()
        now = time.monotonic()
        over = args.minutes is not None and now - started > 60 * args.minutes
        # The clock is asked for now and then only: all processes must hear the answer.
        now_and_then = run.step % TOGETHER == 0 or run.processes.size == 1
        stop = now_and_then and agree(bool(asked) or over)
        due = now_and_then and agree(now - written > 60 * args.checkpoint_minutes)
        planned = bool(args.checkpoint_steps) and run.step % args.checkpoint_steps == 0
        if stop or due or planned or run.finished:
            run.save(checkpoint)
            if first:
                saved()
            written = time.monotonic()
        return stop

    wait = "wait until it has ended, or name another folder with --output"
    with held(checkpoint, wait) if first else nullcontext(), noting_signals(asked):
        if checkpoint.exists():
            run.resume(checkpoint)
            done = f"step {run.step:,} of {run.steps:,}"
            left = run.step < run.steps
            say(
                f"Going on after {done}." if left else f"Nothing is left to do: {done}.", flush=True
            )
        with tqdm(
            total=run.steps,
            initial=run.step,
            unit="step",
            file=sys.stdout,
            disable=not first,
            mininterval=1.0,
            smoothing=0.05,
        ) as bar:
            finished = run.run(after_step, after_validation)
    if not finished:
        say(f"Stopped after step {run.step:,}; the same command goes on from there.")
    return finished
