"""The lines of the environment report, as a table in a notebook and as text in a terminal."""

import html
import textwrap
from dataclasses import dataclass
from typing import Literal

from autograde.checking.markup import paragraph, table

COLUMNS = ("Need", "State", "Found", "What to do")


@dataclass(frozen=True)
class Need:
    """One line of the report. Only "to do" keeps the course from running."""

    name: str
    state: Literal["OK", "note", "to do"]
    found: str
    advice: str = ""


@dataclass(frozen=True)
class EnvironmentReport:
    """The lines, shown as a table in a notebook and as text in a terminal."""

    needs: tuple[Need, ...]

    @property
    def ok(self) -> bool:
        """Whether every required need is met."""
        return all(need.state != "to do" for need in self.needs)

    @property
    def headline(self) -> str:
        """The report in one sentence."""
        to_do = [need.name for need in self.needs if need.state == "to do"]
        if to_do:
            return f"Not ready yet. To do: {', '.join(to_do)}."
        return "Everything that the course needs is here."

    def __str__(self) -> str:
        width = max(len(need.name) for need in self.needs)
        lines = [self.headline]
        for need in self.needs:
            lines.append(f"  {need.state:<5}  {need.name:<{width}}  {need.found}")
            if need.advice:
                indent = " " * (width + 11)
                lines += textwrap.wrap(
                    need.advice, 100, initial_indent=indent, subsequent_indent=indent
                )
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [
            [html.escape(text) for text in (need.name, need.state, need.found, need.advice)]
            for need in self.needs
        ]
        cells = table(COLUMNS, rows, label=self.headline, named=True)
        return paragraph(html.escape(self.headline)) + cells
