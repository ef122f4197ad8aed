"""Starting the fork server: in bubblewrap where there is one, else as a plain subprocess."""

import contextlib
import itertools
import json
import os
import shutil
import site
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from autograde.marking.limits import Limits
from autograde.marking.oracles import Symbol
from autograde.marking.sandbox.student_build import student_build

INSIDE = Path("/course")
BUBBLEWRAP, UNSANDBOXED = "bubblewrap", "unsandboxed"
SYSTEM = (
    "/usr",
    "/lib",
    "/lib64",
    "/lib32",
    "/bin",
    "/sbin",
    "/etc/ld.so.cache",
    "/etc/alternatives",
)
PASSED_ON = ("NLTK_DATA",)
WARNING = (
    "There is no bubblewrap here that works, so submissions run as plain processes of yours: they "
    "can read your files and reach your network. The verdicts are stamped `unsandboxed`. See "
    "docs/instructors.md for a container that has it."
)


_started = itertools.count()


class NoServer(RuntimeError):
    """The fork server did not start; the text says why."""


@cache
def has_bubblewrap() -> bool:
    """Whether bubblewrap is here, and may do what is asked of it."""
    program = shutil.which("bwrap")
    if program is None:
        return False
    command = [program, *_unshared(), "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _unshared() -> list[str]:
    """Root needs no namespace of users, and gives up itself inside: its limits do not hold."""
    if os.getuid() != 0:
        return ["--unshare-all"]
    kept = ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    return ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", *kept]


class Server:
    """A running fork server for the submissions of one lesson.

    Parameters
    ----------
    gone : symbols that its build of the course's packages is without
    walls : use bubblewrap; without it, a plain subprocess
    """

    def __init__(self, gone: set[Symbol], limits: Limits, walls: bool | None = None) -> None:
        self.walls = has_bubblewrap() if walls is None else walls
        self.limits = limits
        self._folder = tempfile.TemporaryDirectory(prefix="marking_")
        build = Path(self._folder.name, "packages")
        build.mkdir()
        Path(self._folder.name).chmod(0o755)
        data = student_build(build, gone)
        ours, theirs = socket.socketpair()
        walled = "walls" if self.walls else "open"
        command = [sys.executable, "-m", "autograde.marking.sandbox.server"]
        number = os.getpid() % 64 * 64 + next(_started) % 64  # another one in each worker
        command += [str(theirs.fileno()), walled, str(number)]
        environment = _environment(INSIDE if self.walls else build)
        folder = None
        if self.walls:
            command = [*_wrapped(build, data, environment), *command]
        else:
            for source, target in data:
                target.rmdir()
                target.symlink_to(source)
            folder = build
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the server)
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
            cwd=folder,
        )
        theirs.close()
        self.line = ours
        self._rest = b""
        self._lost = False
        ours.settimeout(120)
        self._heard()

    @property
    def stamp(self) -> str:
        """What its verdicts say of the sandbox."""
        return BUBBLEWRAP if self.walls else UNSANDBOXED

    def is_lost(self) -> bool:
        """Whether it has ended, as when it was killed; bubblewrap's process may outlive it."""
        return self._lost or self.process.poll() is not None

    def begin(self) -> tuple[int, socket.socket]:
        """Start a submission: its number, and the line to it."""
        ours, theirs = socket.socketpair()
        with theirs:
            found = self._asked({"limits": self.limits.asdict()}, theirs.fileno())
        return int(found["started"]), ours

    def end(self, number: int) -> float:
        """End a submission, with all that it has started; the processor seconds that it took."""
        return float(self._asked({"end": number})["seconds"])

    def close(self) -> None:
        """End the server and what it has started."""
        self.line.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()
        self._folder.cleanup()

    def _asked(self, request: dict[str, Any], *descriptors: int) -> dict[str, Any]:
        with contextlib.suppress(OSError):  # a lost server is noticed where its answer is missing
            socket.send_fds(self.line, [json.dumps(request).encode()], descriptors)
        return self._heard()

    def _heard(self) -> dict[str, Any]:
        while b"\n" not in self._rest:
            try:
                piece = self.line.recv(65_536)
            except OSError:
                piece = b""
            if not piece:
                self._lost = True
                self._log.seek(0)
                said = self._log.read()[-2000:].decode("utf-8", "replace")
                raise NoServer(f"the fork server has ended: {said}")
            self._rest += piece
        line, self._rest = self._rest.split(b"\n", 1)
        found: dict[str, Any] = json.loads(line)
        return found


def _environment(build: Path) -> dict[str, str]:
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(build),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "OMP_NUM_THREADS": "1",
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": "/tmp",
        "NBGRADER_EXECUTION": "autograde",
        **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
    }


def _wrapped(build: Path, data: list[tuple[Path, Path]], environment: dict[str, str]) -> list[str]:
    """The command line of bubblewrap: a read-only system, and of the course the build alone."""
    program = shutil.which("bwrap")
    assert program is not None
    shown = [Path(name) for name in SYSTEM if Path(name).exists()]
    shown += [Path(sys.base_prefix), Path(sys.prefix)]
    shown += [Path(folder) for name in PASSED_ON for folder in _folders(environment.get(name, ""))]
    shown += [path.resolve() for path in shown if path.is_symlink()]
    command = [program, *_unshared(), "--die-with-parent", "--new-session"]
    command += ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/tmp", "/dev/shm"):
        command += ["--perms", "1777", "--tmpfs", folder]
    above = {parent for path in shown for parent in path.parents} - {Path("/"), Path("/usr")}
    for parent in sorted(above, key=lambda parent: len(parent.parts)):
        if not parent.is_symlink() and not parent.is_relative_to("/usr"):
            command += ["--perms", "0755", "--dir", str(parent)]
    for path in shown:
        if path.is_symlink() and not path.is_file():
            command += ["--symlink", str(path.readlink()), str(path)]
        elif not path.is_relative_to("/usr") or path == Path("/usr"):
            command += ["--ro-bind", str(path), str(path)]
    for packages in site.getsitepackages():
        for name in ("elmo_mini", "course", "autograde"):
            if Path(packages, name).is_dir():
                command += ["--tmpfs", str(Path(packages, name))]
    command += ["--ro-bind", str(build), str(INSIDE)]
    for source, target in data:
        command += ["--ro-bind", str(source), str(INSIDE / target.relative_to(build))]
    return [*command, "--chdir", "/tmp", "--"]


def _folders(value: str) -> list[str]:
    return [folder for folder in value.split(os.pathsep) if folder and Path(folder).is_dir()]
