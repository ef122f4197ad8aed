"""``python -m autograde build``: both notebooks of a lesson from its one source.

``solutions/NN_topic/topic.py`` becomes ``solutions/NN_topic/topic.ipynb`` (with answers; run by
``--execute``) and ``lessons/NN_topic/topic.ipynb`` (for students, made by nbgrader itself).
"""

import argparse
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from nbformat.notebooknode import NotebookNode

from autograde.building import executed_notebook
from autograde.building.elsewhere import published
from autograde.building.executed_notebook import RunFailed
from autograde.building.exercise_rules import Find
from autograde.building.lesson_rules import refusals
from autograde.building.lesson_source import Lesson, Refusal, UnreadableSource, read_lesson
from autograde.building.long_cells import say_seconds
from autograde.building.notebooks import solution_notebook
from autograde.building.stale_notebook import (
    DamagedNotebook,
    notebook_difference,
    stored_notebook,
    student_difference,
)
from autograde.building.student_version import student_version
from autograde.building.timed_client import CellTime
from autograde.checking.catalogue import find
from autograde.checking.model_answer import FILE as MODEL_ANSWERS

BUDGET_SECONDS = 90.0
DAMAGED = "is no notebook, or a damaged one. Restore it with git, or run `{}`."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "lessons", nargs="*", metavar="LESSON", help="01_word2vec, 01 or a path; default: all"
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--check", action="store_true", help="write nothing; fail if a notebook is stale"
    )
    mode.add_argument("--execute", action="store_true", help="run the solution and time it")
    parser.add_argument(
        "--budget",
        type=float,
        default=BUDGET_SECONDS,
        metavar="SECONDS",
        help="fail if the run takes more processor time (default: %(default)s)",
    )
    parser.add_argument(
        "--root", type=Path, default=Path.cwd(), help="the course folder (default: this one)"
    )


def run(args: argparse.Namespace) -> int:
    """Build or check; print what is wrong; return 0, or 1 if anything is."""
    builder = Builder(args.root.resolve(), find)
    try:
        sources = builder.sources(args.lessons)
    except LookupError as error:
        print(error.args[0])
        return 1
    for source in sources:
        if args.check:
            builder.check(source)
        else:
            builder.build(source, execute=args.execute, budget=args.budget)
    if not args.lessons:
        builder.pages(check=args.check)
    if args.check and not args.lessons:
        builder.check_for_orphans()
    for problem in builder.problems:
        print(problem)
    if builder.problems:
        count = len(builder.problems)
        print(f"{count} thing{'s' if count > 1 else ''} to mend.")
        return 1
    done = "up to date" if args.check else "built"
    print(f"{len(sources)} lesson{'s' if len(sources) != 1 else ''} {done}.")
    return 0


@dataclass
class Builder:
    """Builds the lessons of one course folder and collects what is wrong with them."""

    root: Path
    find: Find
    problems: list[str] = field(default_factory=list)

    def sources(self, wanted: list[str] | None = None) -> list[Path]:
        """The sources of the named lessons, or of all.

        Raises
        ------
        LookupError
            For a name without lesson; with the lessons that exist.
        """
        every = sorted(self.root.glob("solutions/[0-9][0-9]_*/*.py"))
        if not wanted:
            return every
        chosen = []
        for name in wanted:
            folder = _lesson_folder(name)
            matching = [s for s in every if folder in (s.parent.name, s.parent.name[:2])]
            if not matching:
                known = ", ".join(source.parent.name for source in every) or "none"
                raise LookupError(f"There is no lesson {name!r}. There are: {known}.")
            chosen.extend(matching)
        return chosen

    def build(self, source: Path, *, execute: bool = False, budget: float = BUDGET_SECONDS) -> None:
        """Write both notebooks of a lesson, unless its source is refused."""
        expanded = self._expand(source)
        if expanded is None:
            return
        lesson, solution = expanded
        target = self._solution_path(lesson)
        if execute:
            try:
                times = executed_notebook.execute(solution, lesson)
            except RunFailed as failure:
                line = lesson.cells[failure.position].line
                self._refuse(Refusal(source, line, f"this cell does not run: {failure}"))
                return
            self._report_times(lesson, solution, times, budget)
        elif target.exists():
            try:  # its outputs are the only copy
                executed_notebook.keep_outputs(solution, stored_notebook(target))
            except DamagedNotebook:
                self._note(target, DAMAGED.format(_command(lesson, " --execute")))
                return
        say_seconds(solution, solution)
        students = student_version(lesson, solution)
        content = executed_notebook.as_bytes(solution)
        _write(target, content)
        for path, data in students.items():
            _write(self._release_folder(lesson) / path, data)
        if MODEL_ANSWERS not in students:
            (self._release_folder(lesson) / MODEL_ANSWERS).unlink(missing_ok=True)
        if execute:
            self._judge_run(lesson, solution, content)

    def check(self, source: Path) -> None:
        """Note every file of the lesson that is not what a build would write."""
        expanded = self._expand(source)
        if expanded is None:
            return
        lesson, fresh = expanded
        target = self._solution_path(lesson)
        build, execute = (_command(lesson, option) for option in ("", " --execute"))
        if not target.exists():
            self._note(target, f"does not exist. Run `{execute}`.")
        else:
            self._check_run(lesson, fresh)
        students = student_version(lesson, fresh)
        switched_off = self._release_folder(lesson) / MODEL_ANSWERS
        if MODEL_ANSWERS not in students and switched_off.exists():
            self._note(switched_off, f"is released, but switched off. Run `{build}`.")
        for path, data in students.items():
            file = self._release_folder(lesson) / path
            if not file.exists():
                self._note(file, f"does not exist. Run `{build}`.")
            elif file.read_bytes() != data:
                self._note(file, f"is stale: {student_difference(file, data)}. Run `{build}`.")

    def pages(self, *, check: bool) -> None:
        """Write what pages say of the course's public address, or note what is stale."""
        for path, text in published(self.root):
            target = self.root / path
            if not check:
                _write(target, text.encode())
            elif not target.exists() or target.read_text(encoding="utf-8") != text:
                self._note(target, "is stale. Run `python -m autograde build`.")

    def check_for_orphans(self) -> None:
        """Note student notebooks that have no source."""
        known = {source.parent.name for source in self.sources()}
        for notebook in sorted(self.root.glob("lessons/*/*.ipynb")):
            if notebook.parent.name not in known:
                self._note(
                    notebook, f"has no source solutions/{notebook.parent.name}/*.py. Remove it."
                )

    def _expand(self, source: Path) -> tuple[Lesson, NotebookNode] | None:
        try:
            lesson = read_lesson(source)
        except UnreadableSource as error:
            self._refuse(error.refusal)
            return None
        found = refusals(lesson, self.find)
        for refusal in found:
            self._refuse(refusal)
        return None if found else (lesson, solution_notebook(lesson, self.find))

    def _check_run(self, lesson: Lesson, fresh: NotebookNode) -> None:
        target, execute = self._solution_path(lesson), _command(lesson, " --execute")
        try:
            stored = stored_notebook(target)
        except DamagedNotebook:
            self._note(target, DAMAGED.format(execute))
            return
        say_seconds(fresh, stored)
        if difference := notebook_difference(stored, fresh):
            self._note(target, f"is stale: {difference}. Run `{execute}`.")
        else:
            self._judge_run(lesson, stored, target.read_bytes())

    def _judge_run(self, lesson: Lesson, notebook: NotebookNode, content: bytes) -> None:
        found = executed_notebook.faults(notebook)
        found += [
            (position, f"shows the path {path} of this machine")
            for position, path in executed_notebook.machine_paths(
                notebook, [self.root, Path.home(), Path(tempfile.gettempdir())]
            )
        ]
        command = _command(lesson, " --execute")
        for position, fault in found:
            cell = lesson.cells[position]
            name = notebook.cells[position]["id"]
            self._refuse(
                Refusal(
                    lesson.path, cell.line, f"cell {name} {fault}. Mend it and run `{command}`."
                )
            )
        size = executed_notebook.too_large(content)
        if size:
            self._note(self._solution_path(lesson), size)

    def _report_times(
        self, lesson: Lesson, notebook: NotebookNode, times: list[CellTime], budget: float
    ) -> None:
        total, slow = sum(time.seconds for time in times), executed_notebook.slowest(times)
        print(
            f"{lesson.name}: {total:.1f} s of processor time, budget {budget:g}. The slowest cells:"
        )
        for time in slow:
            line, name = lesson.cells[time.position].line, notebook.cells[time.position]["id"]
            print(f"{time.seconds:8.1f} s  line {line:<4}  {name}")
        if total > budget:
            self._refuse(
                Refusal(
                    lesson.path,
                    lesson.cells[slow[0].position].line,
                    f"the lesson takes {total:.0f} s of processor time, more than {budget:g}; "
                    f"this cell is the slowest with {slow[0].seconds:.0f} s.",
                )
            )

    def _refuse(self, refusal: Refusal) -> None:
        shown = Refusal(self._shown(refusal.path), refusal.line, refusal.message)
        self.problems.append(str(shown))

    def _note(self, path: Path, message: str) -> None:
        self.problems.append(f"{self._shown(path)}: {message}")

    def _shown(self, path: Path) -> Path:
        return path.relative_to(self.root) if path.is_relative_to(self.root) else path

    def _solution_path(self, lesson: Lesson) -> Path:
        return self.root / "solutions" / lesson.name / lesson.notebook_name

    def _release_folder(self, lesson: Lesson) -> Path:
        return self.root / "lessons" / lesson.name


def _lesson_folder(name: str) -> str:
    path = Path(name)
    return path.parent.name if path.suffix else path.name


def _command(lesson: Lesson, option: str) -> str:
    return f"python -m autograde build{option} {lesson.name}"


def _write(path: Path, content: bytes) -> None:
    """Write a file only if that changes it, so that dates tell the truth."""
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
