"""By how many points one named classifier is ahead of another, as an object and as a title."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from course.results.intervals import UNCLEAR, Lead


@dataclass(frozen=True)
class NamedLead(Lead):
    """A lead that knows who is ahead of whom, over draws and texts.

    Printed, it is a line that its own numbers decide, and a title where it begins with a capital.
    """

    one: str
    other: str

    def __str__(self) -> str:
        if self.verdict == UNCLEAR:
            between = f"{self.mean:+.1f}, {self.low:+.1f} to {self.high:+.1f}"
            return f"{self.one} and {self.other}: {UNCLEAR} ({between})"
        low, high = sorted((abs(self.low), abs(self.high)))
        side = "ahead of" if self.low > 0 else "behind"
        points = f"{abs(self.mean):.1f} points ({low:.1f} to {high:.1f})"
        return f"{self.one}: {points} {side} {self.other}"

    @property
    def title(self) -> str:
        """The sentence, with a capital letter."""
        said = str(self)
        return said[0].upper() + said[1:]


def stored_lead(point: Mapping[str, Any], one: str, other: str) -> NamedLead:
    """A lead that was stored with ``mean``, ``low`` and ``high``, shares of 1."""
    return NamedLead.of(point, one=one, other=other)
