"""A small run of pretraining, for the tests; also started as a process of its own.

    python -m tests.elmo_mini.pretraining.pretraining_run FOLDER [--kill-at STEP] [--softmax KIND]

writes ``losses.json`` and ``checkpoint.safetensors`` into the folder, and goes on from the latter.
"""

import argparse
import json
import os
import signal
from pathlib import Path

import numpy as np
import torch

from elmo_mini.fast.bilm_options import BiLMOptions
from elmo_mini.pretraining.processes import Processes
from elmo_mini.pretraining.run import Pretraining
from elmo_mini.pretraining.settings import Settings
from elmo_mini.pretraining.streams import PackedText
from elmo_mini.pretraining.text import count_vocabulary, hold_out

OPTIONS = BiLMOptions(projection_dim=8, dim=12, filters=((1, 8), (3, 12)), character_dim=4)
STEPS, CHECKPOINT_EVERY = 40, 20


def sentences(count: int = 120, seed: int = 0) -> list[list[str]]:
    """Sentences of a toy language in which neighbours tell a lot about a word."""
    random = np.random.default_rng(seed)
    people, verbs = ["ann", "bob", "cleo", "dan"], ["sees", "hears", "likes"]
    things = [f"thing{i}" for i in range(20)]
    return [
        [str(random.choice(people)), str(random.choice(verbs)), "the", str(random.choice(things))]
        for _ in range(count)
    ]


def small_run(
    processes: Processes | None = None, *, count: int = 120, **changes: object
) -> Pretraining:
    text, validation = hold_out(PackedText.of(sentences(count)), 0.1)
    settings = {"steps": STEPS, "batch_size": 4, "bptt": 7, "warm_up": 4, "sampled": 10} | changes
    return Pretraining(
        Settings(options=OPTIONS, **settings),  # type: ignore[arg-type]
        count_vocabulary(text, 30),
        text,
        validation,
        processes,
        log_every=15,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kill-at", type=int)
    parser.add_argument("--softmax", default="sampled")
    args = parser.parse_args()
    torch.set_num_threads(1)
    processes = Processes.join("cpu")
    run = small_run(processes, softmax=args.softmax, dropout=0.2)
    checkpoint = args.folder / "checkpoint.safetensors"
    if checkpoint.exists():
        run.resume(checkpoint)
    losses: dict[int, tuple[float, float]] = {}

    def on_step(run: Pretraining, forward: float, backward: float) -> None:
        losses[run.step] = (forward, backward)
        if run.step % CHECKPOINT_EVERY == 0:
            run.validate()
            run.save(checkpoint)
        if run.step == args.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    run.run(on_step)
    if processes.first:
        (args.folder / "losses.json").write_text(json.dumps(losses))
    processes.leave()


if __name__ == "__main__":
    main()
