"""``python -m autograde slides``: a deck for each lesson, one file that opens in any browser."""

import argparse
import time
from pathlib import Path

from autograde.building.lesson_source import Lesson, UnreadableSource, read_lesson
from autograde.marking.course_folder import Refused
from autograde.slides.deck import CannotShow, deck, solved_notebook

FOLDER = Path("work", "slides")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "lessons", nargs="*", metavar="LESSON", help="08_scalar_mix_and_elmo or 08; default: all"
    )
    parser.add_argument(
        "--pdf", action="store_true", help="print each deck, a page a slide; needs Chromium"
    )
    parser.add_argument(
        "--out", type=Path, help=f"where the decks go (default: {FOLDER}, in the course folder)"
    )
    parser.add_argument(
        "--root", type=Path, default=Path.cwd(), help="the course folder (default: this one)"
    )


def run(args: argparse.Namespace) -> int:
    """Build the decks and say where they are."""
    begun = time.monotonic()
    root = args.root.resolve()
    out = args.out or root / FOLDER
    out.mkdir(parents=True, exist_ok=True)
    made = []
    for lesson in _lessons(root, args.lessons):
        page = out / f"{lesson.name}.html"
        try:
            page.write_text(deck(lesson, solved_notebook(lesson)), encoding="utf-8")
        except CannotShow as error:
            raise Refused(str(error)) from error
        made.append(page)
    if args.pdf:
        from autograde.slides.printing import print_decks

        print_decks(made)
    for page in made:
        print(page)
    seconds = time.monotonic() - begun
    print(
        f"{len(made)} deck{'s' if len(made) != 1 else ''}, {seconds:.0f} s. F fills the screen, "
        "S opens the speaker's view, ? lists the keys."
    )
    return 0


def _lessons(root: Path, wanted: list[str]) -> list[Lesson]:
    """The lessons that are named, or all that have slides."""
    sources = {path.parent.name: path for path in sorted(root.glob("solutions/[0-9][0-9]_*/*.py"))}
    names = [_full_name(name, list(sources)) for name in wanted] or list(sources)
    try:
        lessons = [read_lesson(sources[name]) for name in names]
    except UnreadableSource as error:
        raise Refused(str(error)) from error
    without = [lesson.name for lesson in lessons if not lesson.deck]
    if wanted and without:
        raise Refused(f"{', '.join(without)} has no slides yet: its source holds no deck= cell.")
    found = [lesson for lesson in lessons if lesson.deck]
    if not found:
        raise Refused(f"There is no lesson with slides in {root}. Is it the course folder?")
    return found


def _full_name(name: str, known: list[str]) -> str:
    for full in known:
        if name.rstrip("/").rsplit("/")[-1] in (full, full[:2]):
            return full
    raise Refused(f"There is no lesson {name!r}. There are: {', '.join(known) or 'none'}.")
