"""What the course needs and what this machine has, in words.

``python -m autograde environment`` prints it; in a notebook ``environment()`` shows a table.
Nothing here raises: whatever is missing becomes a line that says what to do.
"""

import argparse
import importlib
import importlib.metadata
import os
import platform
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from autograde.running import requirements
from autograde.running.elsewhere import hosted
from autograde.running.environment_report import EnvironmentReport, Need
from autograde.running.jupyter_folders import not_writable

COURSE = Path(__file__).resolve().parents[2]
INSTALL = "Run `make lab` again, or see docs/installing.md for the other routes."
# Shown one by one and, unless they only serve the browser, imported. The others share a line.
SHOWN = {
    "torch": "torch",
    "numpy": "numpy",
    "gensim": "gensim",
    "nltk": "nltk",
    "matplotlib": "matplotlib",
    "ipywidgets": "ipywidgets",
    "jupyterlab": None,
    "nbgrader": None,
}
GIB = 2**30


def environment() -> EnvironmentReport:
    """Look at this machine. The network is not tried, and nothing is changed."""
    looks: list[Callable[[], list[Need]]] = [
        _python,
        _kernel,
        _packages,
        _corpora,
        _work_folder,
        _home_folder,
        _threads,
        _memory,
        _disk,
    ]
    needs: list[Need] = []
    for look in looks:
        try:
            needs += look()
        except Exception as error:
            name = look.__name__.strip("_").replace("_", " ")
            needs.append(Need(name, "note", f"could not be found out ({error})"))
    return EnvironmentReport(tuple(needs))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No options."""


def run(args: argparse.Namespace) -> int:
    report = environment()
    print(report)
    return 0 if report.ok else 1


def _python() -> list[Need]:
    version = platform.python_version()
    wanted = _project()[0]
    if requirements.in_range(version, wanted):
        return [Need("Python", "OK", version)]
    advice = (
        f"The course needs Python {wanted}: for example make clean, make lab PYTHON=python3.12."
    )
    return [Need("Python", "to do", version, advice)]


def _kernel() -> list[Need]:
    """Does this interpreter belong to the course, and will a notebook's kernel be the same one?"""
    here = Path(sys.prefix).resolve()
    own = COURSE / ".venv"
    name = f"environment {here.name}"
    if here == own.resolve():
        name = ".venv of the course"
    elif own.is_dir():
        advice = "In JupyterLab choose Kernel, Change Kernel, Python 3; start it with `make lab`."
        return [Need("kernel", "note", f"{name}, not the .venv of the course", advice)]
    if "ipykernel" in sys.modules:
        return [Need("kernel", "OK", f"this notebook runs in {name}")]
    from jupyter_client.kernelspec import KernelSpecManager

    starts = KernelSpecManager().get_kernel_spec("python3").argv[0]
    if Path(starts).name == starts or Path(starts).absolute() == Path(sys.executable).absolute():
        return [Need("kernel", "OK", f"notebooks run in {name}")]
    advice = (
        "A kernel named python3 elsewhere on this machine comes first. `make lab` puts the"
        " course's own first; with another JupyterLab set JUPYTER_PREFER_ENV_PATH=1."
    )
    return [Need("kernel", "note", "notebooks would run in another Python", advice)]


def _packages() -> list[Need]:
    needs, others = [], []
    for name, wanted in _project()[1].items():
        need = _package(name, wanted, SHOWN.get(name))
        if name in SHOWN or need.state != "OK":
            needs.append(need)
        else:
            others.append(name)
    order = list(SHOWN)
    needs.sort(key=lambda need: order.index(need.name) if need.name in order else len(order))
    return [*needs, Need("other packages", "OK", f"{len(others)}, all in range")]


def _package(name: str, wanted: str, module: str | None) -> Need:
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Need(name, "to do", "missing", _install())
    if not requirements.in_range(version, wanted):
        return Need(name, "to do", f"{version}, but the course needs {wanted}", _install())
    if module is not None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                importlib.import_module(module)
        except Exception as error:
            first = (str(error).splitlines() or [type(error).__name__])[0]
            return Need(name, "to do", f"{version}, but it does not start: {first}", _install())
    return Need(name, "OK", version)


def _install() -> str:
    return "Run the first code cell of this notebook again." if hosted() else INSTALL


def _project() -> tuple[str, dict[str, str]]:
    """The ranges of Python and of the packages; in Colab or Kaggle, of what lessons need."""
    return requirements.project(requirements.LESSONS if hosted() else requirements.ALL)


def _corpora() -> list[Need]:
    from elmo_mini import corpora

    available = corpora.available()
    missing = [name for name, there in available.items() if not there]
    found = f"{len(available) - len(missing)} of {len(available)} corpora found"
    if not missing:
        return [Need("corpora", "OK", found)]
    users = sorted({lesson for name in missing for lesson in _lessons_that_load(name)})
    stored = f" Until then {', '.join(users)} and others show stored results." if users else ""
    advice = (
        f"Missing: {', '.join(missing)}. The course runs without them. To fetch them:"
        f" python -m elmo_mini corpora --download.{stored}"
    )
    return [Need("corpora", "note", found, advice)]


def _lessons_that_load(corpus: str) -> Iterator[str]:
    quoted = re.compile(rf"""\\?["']{re.escape(corpus)}\\?["']""")
    for notebook in sorted((COURSE / "lessons").glob("*/*.ipynb")):
        if quoted.search(notebook.read_text(encoding="utf-8")):
            yield notebook.parent.name


def _work_folder() -> list[Need]:
    folder = _shown(Path.cwd())
    try:
        with tempfile.TemporaryFile(dir="."):
            pass
    except OSError as error:
        advice = "Give yourself write access to it, or clone the course to another place."
        return [Need("this folder", "to do", f"{folder}: {error.strerror}", advice)]
    return [Need("this folder", "OK", f"{folder} can be written")]


def _shown(path: Path) -> str:
    """A path without the machine in it: notebooks are handed in and published."""
    path = path.resolve()
    if path == COURSE:
        return "the course's folder"
    return path.relative_to(COURSE).as_posix() if path.is_relative_to(COURSE) else path.name


def _home_folder() -> list[Need]:
    """Does the home folder take Jupyter's own files?"""
    folder = not_writable()
    if folder is None:
        return []
    advice = (
        "JupyterLab keeps its settings and keys there. `make lab` puts them into work/ instead; "
        "with another JupyterLab set HOME, or JUPYTER_RUNTIME_DIR and JUPYTER_DATA_DIR, to a "
        "folder that you may write to."
    )
    return [Need("home folder", "note", f"{folder} takes no files", advice)]


def _threads() -> list[Need]:
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:
        cores = os.cpu_count() or 1
    found = f"{cores} core" + "s" * (cores > 1)
    if "torch" in sys.modules:
        threads = sys.modules["torch"].get_num_threads()
        found += f", torch computes on {threads}"
    if os.environ.get("OMP_NUM_THREADS"):
        found += f" (OMP_NUM_THREADS={os.environ['OMP_NUM_THREADS']})"
    return [Need("processor", "OK", found)]


def _memory() -> list[Need]:
    import psutil

    free = psutil.virtual_memory().available / GIB
    found = f"{free:.1f} GiB free"
    if free < 2:
        advice = "That is little: close other programs if a kernel stops by itself."
        return [Need("memory", "note", found, advice)]
    return [Need("memory", "OK", found)]


def _disk() -> list[Need]:
    free = shutil.disk_usage(".").free / GIB
    found = f"{free:.0f} GiB free"
    if free < 1:
        advice = "That is little: make room before you fetch corpora or train."
        return [Need("disk", "note", f"{free:.2f} GiB free", advice)]
    return [Need("disk", "OK", found)]
