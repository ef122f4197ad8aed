"""A run as a command carries it out: resumed, shown, saved now and then and when asked to stop."""

import argparse
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

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
    after the step in which Ctrl-C or a termination came.

    Parameters
    ----------
    args : `minutes`, `checkpoint_minutes` and `checkpoint_steps`, of `elmo_mini.training.options`
    validated : called after a validation; what it returns is shown
    saved : called after a checkpoint was written, in the first process
    """
    first, agree = run.processes.first, run.processes.agree
    say = print if first else (lambda *_, **__: None)
    if checkpoint.exists():
        run.resume(checkpoint)
        say(f"Going on after step {run.step:,} of {run.steps:,}.", flush=True)
    asked: list[int] = []
    latest: deque[Losses] = deque(maxlen=AVERAGED)
    started = written = time.monotonic()

    def after_validation(_: Run) -> None:
        found = validated()
        if first:
            bar.write(found)
            sys.stdout.flush()

    def after_step(_: Run) -> bool:
        nonlocal written
        latest.append(run.latest)
        means = " ".join(f"{mean:.3f}" for mean in np.mean(latest, 0))
        bar.set_postfix_str(f"loss {means}", refresh=False)
        bar.update()
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

    with (
        noting_signals(asked),
        tqdm(
            total=run.steps,
            initial=run.step,
            unit="step",
            file=sys.stdout,
            disable=not first,
            mininterval=1.0,
            smoothing=0.05,
        ) as bar,
    ):
        finished = run.run(after_step, after_validation)
    if not finished:
        say(f"Stopped after step {run.step:,}; the same command goes on from there.")
    return finished
