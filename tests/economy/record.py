"""What was green: of each item a digest of all that it reached, and its processor seconds.

One sorted line an item. Two branches that ran the same item may leave two lines of it, and git
keeps both (``.gitattributes``): each is true of the files that it was made of.
"""

import os
from collections import defaultdict
from pathlib import Path
from statistics import median

RECORD = Path("tests", "green.txt")
NOISE = 2.0  # processor seconds of one test on one machine stay within this factor


class Record:
    """What was green, by item; ``seconds`` and digest of each time that still counts."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.green: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for line in file.read_text("utf-8").splitlines() if file.exists() else ():
            item, digest, seconds = line.split("\t")
            self.green[item][digest] = float(seconds)

    def is_fresh(self, item: str, digest: str) -> bool:
        """Whether the item was green when all that it reaches was what it is now."""
        return digest in self.green.get(item, {})

    def seconds(self, item: str, otherwise: float) -> float:
        """What the item may take: as it last did, as its family does, or as its test says."""
        family = item.split(":")[0]
        known = self.green.get(item) or {
            number: max(times.values())
            for number, times in self.green.items()
            if times and number.split(":")[0] == family
        }
        return median(known.values()) if known else otherwise

    def is_green(self, item: str, digest: str, seconds: float) -> None:
        """Keep that an item passed; a time that only wavers is left as it stands."""
        before = self.green[item].get(digest, 0.0)
        kept = before if before / NOISE <= seconds <= before * NOISE else seconds
        self.green[item] = {digest: kept}
        self._write()

    def is_red(self, item: str) -> None:
        """Forget when the item was green."""
        if self.green.pop(item, None):
            self._write()

    def keep_only(self, items: set[str]) -> None:
        """Forget items that there are no more."""
        self.green = defaultdict(dict, {k: v for k, v in self.green.items() if k in items})
        self._write()

    def _write(self) -> None:
        lines = sorted(
            f"{item}\t{digest}\t{seconds:.1f}\n"
            for item, times in self.green.items()
            for digest, seconds in times.items()
        )
        part = self.file.with_name(f"{self.file.name}.part-{os.getpid()}")
        part.write_text("".join(lines), "utf-8")
        part.replace(self.file)
