"""Where a trained model comes from: a record of JSON values, and the page that shows it."""

import platform
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from elmo_mini._version import __version__
from elmo_mini.files import readable
from elmo_mini.training.pretraining.sources import Source, sources_table
from elmo_mini.training.run import Run


def origin(run: Run, sources: Sequence[Source]) -> dict[str, Any]:
    """What every run can say of its model: texts, length, machine, versions, command."""
    cuda = run.device.startswith("cuda")
    return {
        "sources": [source.record() for source in sources],
        "weights": sum(p.numel() for p in run.model.parameters()),
        "step": run.step,
        "precision": str(run.precision),
        "seconds": round(run.seconds, 1),
        "device": torch.cuda.get_device_name(run.device) if cuda else f"CPU, {platform.machine()}",
        "threads": torch.get_num_threads(),
        "processes": run.processes.size,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "elmo_mini": __version__,
        "commit": _commit(),
        "command": shlex.join(["python", "-m", "elmo_mini", *map(readable, sys.argv[1:])]),
    }


def page(
    record: dict[str, Any],
    title: str,
    model: str,
    text: str,
    training: Sequence[str],
    validation: tuple[str, str] | None,
) -> str:
    """A model card.

    Parameters
    ----------
    record : has what `origin` gives
    model, text : a paragraph each
    training : points; precision, versions and command follow
    validation : heading and paragraph
    """
    lines = [f"# {title}", "", model, "", "## Text", "", *sources_table(record["sources"])]
    lines += ["", text, "", "## Training", "", *(f"- {point}" for point in training)]
    lines += [
        f"- products in {record['precision']}",
        f"- python {record['python']}, torch {record['torch']}, elmo_mini {record['elmo_mini']}, "
        f"commit {record['commit']}",
        "",
        f"      {record['command']}",
        "",
    ]
    if validation:
        lines += [f"## {validation[0]}", "", validation[1], ""]
    return "\n".join(lines)


def _commit() -> str:
    folder = Path(__file__).parents[1]
    try:
        asked = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return asked.stdout.strip()
