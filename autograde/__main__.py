"""python -m autograde COMMAND: what authors, learners and instructors run."""

from collections.abc import Sequence

from autograde.marking.course_folder import Refused
from elmo_mini.commands.run import run_command

COMMANDS = {
    "build": ("autograde.building.build", "make the notebooks from the lesson sources"),
    "prove": (
        "autograde.proving.prove",
        "hold an exercise to what it promises, and to slips that nobody named",
    ),
    "slides": ("autograde.slides.slides", "make the deck of a lesson's lecture"),
    "pictures": ("autograde.building.front_page", "draw the pictures of the README"),
    "book": ("autograde.building.book", "make a site of all lessons and pages, to read offline"),
    "lab": ("autograde.running.lab", "copy the lessons to work/ and open JupyterLab there"),
    "graded-course": (
        "autograde.marking.graded_course",
        "make a course to set and mark, beside the clone",
    ),
    "rehearse": (
        "autograde.marking.rehearse",
        "mark made submissions of a lesson before its release, and compare with what must come",
    ),
    "collect": (
        "autograde.marking.collect",
        "take a class's notebooks from what Moodle or Canvas lets you download",
    ),
    "grade": (
        "autograde.marking.grade",
        "mark a lesson's hand-ins in a sandbox, and write the marks into nbgrader's gradebook",
    ),
    "grade-one": (
        "autograde.marking.grade_one",
        "mark one notebook from standard input, and write its verdict to standard output",
    ),
    "feedback": (
        "autograde.marking.feedback_pages",
        "write a page for each student: points, what the checks said, the marker's words",
    ),
    "export": (
        "autograde.marking.export",
        "write marks as tables, and marks and feedback as Moodle or Canvas takes them",
    ),
    "similarity": (
        "autograde.marking.similarity",
        "list submissions that are like each other or like the published answers",
    ),
    "environment": (
        "autograde.running.environment",
        "say what this machine has and lacks",
    ),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    return run_command(
        "python -m autograde",
        "What authors, learners and instructors run.",
        COMMANDS,
        argv,
        refusals=(Refused,),
        extra="course",
    )


if __name__ == "__main__":
    raise SystemExit(main())
