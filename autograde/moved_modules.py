"""An import that only an earlier release had: its new place, or a sentence that says why."""

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

PACKAGES = ("elmo_mini.", "course.", "autograde.")
MOVED = {"elmo_mini.few_labels": "course.a_hundred_labels"}
"""Packages and modules that stand elsewhere now, with the names that they had."""


class MovedModules(MetaPathFinder):
    """The last finder that Python asks: a module of ours that nobody found has moved or is gone."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """None for modules of others.

        Raises
        ------
        ModuleNotFoundError
            For a module of the course that is gone; the message tells where to go on.
        """
        if not name.startswith(PACKAGES):
            return None
        place = _new_place(name)
        if place is not None:
            return ModuleSpec(name, _AtNewPlace(place), is_package=name in MOVED)
        raise ModuleNotFoundError(
            f"There is no {name}: modules have moved, and this code was written for an earlier "
            "release. `make lab` puts today's release of a lesson beside your copy: go on there. "
            "Your answers that passed come along, and mine() finds them.",
            name=name,
        )


class _AtNewPlace(Loader):
    """Fills a module of the old name with what the new one has, and says where that is."""

    def __init__(self, place: str) -> None:
        self.place = place

    def exec_module(self, module: ModuleType) -> None:
        """Names are looked up at the new place whenever they are asked for."""
        found = importlib.import_module(self.place)
        warnings.warn(
            f"{module.__name__} is {self.place} now; the old name goes with a later release",
            FutureWarning,
            stacklevel=2,
        )
        module.__dict__["__getattr__"] = lambda name: getattr(found, name)


def _new_place(name: str) -> str | None:
    """Where a module of this old name is now; None if nowhere."""
    for old, new in MOVED.items():
        if name == old or name.startswith(f"{old}."):
            place = new + name.removeprefix(old)
            try:
                return place if find_spec(place) else None
            except ModuleNotFoundError:
                return None
    return None


def explain_moved_modules() -> None:
    """Put the finder behind all others, once."""
    if not any(isinstance(finder, MovedModules) for finder in sys.meta_path):
        sys.meta_path.append(MovedModules())
