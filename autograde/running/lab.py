"""``python -m autograde lab``: copy the lessons to work/, fetch the corpora, open JupyterLab."""

import argparse
import importlib.util
import json
import os
import sys
import webbrowser
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from autograde.running import jupyter_folders
from autograde.running.released import START_LESSON, released_files
from autograde.running.working_copies import Change, hand_out
from autograde.workspace import results

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

COURSE = Path(__file__).resolve().parents[2]
JUPYTER_CONFIG = Path(__file__).resolve().parent / "jupyter_config"
LAB_EXTENSIONS = Path(__file__).resolve().parent / "labextensions"
FETCH_RECORD = Path(".course/corpora.json")
FETCH_AGAIN_AFTER = timedelta(days=1)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--no-open", action="store_true", help="print the address, open no browser")
    parser.add_argument("--port", type=int, help="the port of JupyterLab (default: 8888, or next)")
    parser.add_argument("--no-download", action="store_true", help="do not fetch the NLTK corpora")
    parser.add_argument("--prepare-only", action="store_true", help="do not start JupyterLab")
    parser.add_argument(
        "--after", type=int, default=0, metavar="N", help="count on from N stages that were shown"
    )


def run(args: argparse.Namespace) -> int:
    """Copy, fetch and start; say what is done in few words. 1 if the lessons cannot be copied."""
    lessons, work = COURSE / "lessons", COURSE / "work"
    stages = args.after + 2
    if not lessons.is_dir():
        print("There is no lessons/ folder beside the course's packages: start from a git clone.")
        return 1
    try:
        print(f"{args.after + 1}/{stages} Copying the lessons to {_short(work)}")
        changes = hand_out(released_files(COURSE), work)
        _tell(changes)
        if not args.no_download:
            fetch_corpora(work)
    except OSError as error:
        print(f"The lessons cannot be copied to {_short(work)}: {error.strerror or error}.")
        print("Give yourself write access to that folder, or clone the course to another place.")
        return 1
    if args.prepare_only:
        print(f"{stages}/{stages} Ready: your copies are in {_short(work)}.")
        return 0
    if importlib.util.find_spec("jupyterlab") is None:
        print("JupyterLab is not installed in this Python. `make lab` installs it;")
        print("docs/installing.md tells the other routes.")
        return 1
    print(f"{stages}/{stages} Starting JupyterLab", flush=True)
    try:
        _find_room(work)
    except OSError as error:
        print(f"Neither your home folder nor {_short(work)} takes JupyterLab's own files: {error}.")
        print("Make room on that disk, or set HOME to a folder that you may write to.")
        return 1
    start_jupyterlab(server_options(work, changes, port=args.port, no_open=args.no_open))
    print(f"JupyterLab has stopped. Your work is in {_short(work)}; make lab opens it again.")
    return 0


def _find_room(work: Path) -> None:
    """Where the home folder takes no files, have JupyterLab keep its own beside the lessons."""
    if folder := jupyter_folders.not_writable():
        place = work / ".course" / "jupyter"
        jupyter_folders.keep_in(place)
        print(f"    {folder} takes no files; JupyterLab keeps its own in {_short(place)}")


def _tell(changes: list[Change]) -> None:
    copied = sorted({change.written.parts[0] for change in changes if change.kind == "copied"})
    if copied:
        print(f"    {', '.join(copied)}")
    for change in changes:
        if change.kind != "copied":
            print(f"    {change}")


def fetch_corpora(work: Path, now: datetime | None = None) -> None:
    """Fetch the corpora that are missing; where that fails, say so in one sentence.

    The failure is remembered for a day, so that the next start without a network is quick.
    """
    from elmo_mini import corpora

    now = now or datetime.now()
    missing = [name for name, there in corpora.available().items() if not there]
    if not missing or _failed_lately(work, missing, now):
        return
    print(f"    Fetching {len(missing)} text corpora, once: some seconds for each")
    failed = corpora.download(missing, progress=True).failed
    if failed:
        reason = next(iter(failed.values()))
        print(
            f"    {len(failed)} corpora were not fetched ({reason}). The course goes on without"
            " them, with text that gensim brings and with stored results. To try again:"
            f" {_python()} -m elmo_mini corpora --download"
        )
        record = {"tried": now.isoformat(timespec="seconds"), "missing": list(failed)}
        (work / FETCH_RECORD).write_text(json.dumps(record) + "\n", encoding="utf-8")


def _failed_lately(work: Path, missing: list[str], now: datetime) -> bool:
    try:
        record = json.loads((work / FETCH_RECORD).read_text(encoding="utf-8"))
        tried = datetime.fromisoformat(record["tried"])
        failed = set(record["missing"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return set(missing) <= failed and timedelta(0) <= now - tried < FETCH_AGAIN_AFTER


def server_options(
    work: Path, changes: list[Change], *, port: int | None = None, no_open: bool = False
) -> list[str]:
    """JupyterLab's command line: in ``work``, for root too, with a browser where there is one."""
    options = [f"--ServerApp.root_dir={work}", "--log-level=WARN", "--LabApp.log_level=WARN"]
    options.append("--LabApp.extension_manager=readonly")  # the other kind asks the network
    for app in ("LabApp", "RiseApp"):
        options.append(f"--{app}.extra_labextensions_path={LAB_EXTENSIONS}")
    if first := _opened_first(work, changes):
        options.append(f"--LabApp.default_url=/lab/tree/{first.as_posix()}")
    if port is not None:
        options.append(f"--port={port}")
    if no_open or not _has_browser():
        options.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")
    return options


def _opened_first(work: Path, changes: list[Change]) -> Path | None:
    """A lesson that has just come; the first lesson as long as no check was made; or none."""
    if changes and changes[0].kind == "copied" and changes[0].written.suffix == ".ipynb":
        return changes[0].written
    begun = (work / results.FILE).exists() or not (work / START_LESSON).exists()
    return None if begun else START_LESSON


def _has_browser() -> bool:
    if sys.platform.startswith("linux"):
        # Without a display webbrowser may find a text browser, which would take the terminal.
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def start_jupyterlab(options: list[str]) -> None:
    """Run JupyterLab in this process, so that Ctrl-C and signals reach it; returns at its end.

    Says where it is, where the work is and how to stop it. Of JupyterLab's own words, only the
    warnings stay.
    """
    # Two threads on a small matrix are slower than one, and a class shares one machine.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    # The kernel of this environment, even where the user has one of the same name.
    os.environ.setdefault("JUPYTER_PREFER_ENV_PATH", "1")
    search = [str(JUPYTER_CONFIG), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, search))

    from jupyterlab.labapp import LabApp

    server = LabApp.initialize_server(argv=options)
    # The address is said in the server's loop, whose first act is to open the port.
    server.io_loop.add_callback(print, _where(server), flush=True)
    # Else the server says its address again, in five lines.
    server.identity_provider.token_generated = False
    server.start()


def _where(server: "ServerApp") -> str:
    local = server.ip in ("localhost", "127.0.0.1", "::1")
    return f"""
    Address    {server.local_url if local else server.public_url}
    Your work  {_short(Path(server.root_dir))}; no update touches it
    To stop    Ctrl-C in this window, then y
"""


def _short(path: Path) -> str:
    """The path as a person would type it from where they are."""
    try:
        return path.relative_to(Path.cwd()).as_posix() + "/"
    except ValueError:
        return str(path)


def _python() -> str:
    """This interpreter as a person would type it from the course's folder."""
    try:
        return str(Path(sys.executable).relative_to(COURSE))
    except ValueError:
        return "python"
