"""Drawing in turn: a share of the items that fits a budget, so that some turns meet all."""

import hashlib
import os
import subprocess
from datetime import date
from pathlib import Path


def shares(seconds: dict[str, float], budget: float) -> list[set[str]]:
    """All items in as many shares as the budget asks for; a long one may be a share alone."""
    found: list[set[str]] = []
    spent = 0.0
    for item in sorted(seconds, key=lambda item: hashlib.sha256(item.encode()).digest()):
        spent += seconds[item]
        if not found or spent > budget:
            found.append(set())
            spent = seconds[item]
        found[-1].add(item)
    return found


def turn_of(root: Path) -> int:
    """``TEST_TURN``; or the number of commits; or, without git or its whole history, the day."""
    if given := os.environ.get("TEST_TURN"):
        return int(given)

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        if git("rev-parse", "--is-shallow-repository") == "false":
            return int(git("rev-list", "--count", "HEAD"))
    except (OSError, subprocess.CalledProcessError):
        pass
    return date.today().toordinal()
