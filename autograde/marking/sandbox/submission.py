"""One submission's process: it runs cells, and forks itself for each check.

What it says is what the student says: nothing that it sends is believed but as an answer.
"""

import ast
import contextlib
import io
import os
import select
import signal
import socket
import sys
import types
from typing import Any

import autograde
from autograde.marking.asking.student import StudentPeer
from autograde.marking.asking.wire import Gone, Line
from autograde.marking.sandbox import namespaces
from autograde.marking.sandbox.course_modules import module_of

RULES = {"timeit", "time", "capture"}


class CellStopped(BaseException):
    """A cell has used its processor seconds."""


class Printed(io.StringIO):
    """What a cell prints, up to a limit."""

    limit = 200_000

    def write(self, text: str) -> int:
        """Keep it while there is room."""
        room = self.limit - self.tell()
        if room > 0:
            super().write(text[:room])
        return len(text)

    def close(self) -> None:
        """Stay open."""


class NoKernel:
    """Stands for IPython where a cell asks for it: magics and shell commands do nothing."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.user_ns = namespace

    def run_cell_magic(self, name: str, line: str, cell: str) -> None:
        """Run the cell below a magic that measures or hides; leave out any other."""
        if name in RULES:
            exec(compile(cell, "<cell>", "exec"), self.user_ns)

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **named: None


class Submission:
    """A namespace in which cells are run, as a notebook has one."""

    def __init__(self, line: Line, limits: dict[str, Any]) -> None:
        self.line, self.limits = line, limits
        self.module = types.ModuleType("__main__")
        sys.modules["__main__"] = self.module
        shell = NoKernel(vars(self.module))
        vars(self.module).update(
            get_ipython=lambda: shell, display=lambda *_, **__: None, input=lambda *_: ""
        )
        Printed.limit = int(limits["output_kb"]) * 1000

    def serve(self) -> None:
        """Do what is asked until the line ends."""
        while True:
            (kind, *arguments), _ = self.line.receive()
            if kind == "check":
                self.check(*arguments)
            elif kind == "run":
                self.line.send(self.run(*arguments))
            elif kind == "give":
                self.line.send(self.give(*arguments))
            elif kind == "bye":
                os._exit(0)

    def run(self, source: str, label: str, seconds: float) -> dict[str, Any]:
        """Run a cell; what it raises is told."""
        printed, told = Printed(), None
        signal.signal(signal.SIGPROF, _stop)
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                signal.setitimer(signal.ITIMER_PROF, seconds, 0.05)
                try:
                    _execute(source, label, vars(self.module))
                finally:
                    signal.setitimer(signal.ITIMER_PROF, 0)
        except BaseException as error:
            told = _told(error)
        return {"error": told, "printed": printed.getvalue()}

    def give(self, name: str, parts: list[list[str]], symbol: list[str]) -> dict[str, Any]:
        """Make a function of the course's exist here, and stand for an answer."""
        try:
            for module, source in parts:
                exec(compile(source, f"<{module}>", "exec"), vars(module_of(module)))
            given: dict[str, Any] = vars(autograde)["GIVEN_BACK"]
            given[name] = getattr(module_of(symbol[0]), symbol[1])
        except BaseException as error:
            return {"error": _told(error)}
        return {"error": None}

    def check(self, name: str, expression: str, seconds: float, cases: int) -> None:
        """Fork; the child answers for the exercise on a line of its own, until it is ended."""
        child = os.fork()
        if not child:
            self._answer(name, expression, seconds, cases)
        status: int | None = None
        while status is None:
            done, found = os.waitpid(child, os.WNOHANG)
            if done:
                status = found
            elif select.select([self.line.end], [], [], 0.02)[0]:
                self.line.receive()
                os.kill(child, signal.SIGKILL)
                _, status = os.waitpid(child, 0)
        if os.getpid() == 1:
            with contextlib.suppress(OSError):
                os.kill(-1, signal.SIGKILL)
        signalled = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        self.line.send({"ended": signalled})

    def _answer(self, name: str, expression: str, seconds: float, cases: int) -> None:
        try:
            os.setsid()  # a signal to its group costs this check, and nothing of the notebook
            ours, theirs = socket.socketpair()
            try:
                answer = eval(expression, vars(self.module))
            except BaseException as error:
                told = _told(error)
                _hand_over(self.line.end, theirs, b"?")
                Line(ours).send(told)
                os._exit(0)
            namespaces.limit_processor(seconds * min(cases, 4), seconds)

            def begin() -> None:
                namespaces.limit_processor(None, seconds)

            _hand_over(self.line.end, theirs, b"!")
            self.line.close()
            sink = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(sink, descriptor)
            with contextlib.redirect_stdout(Printed()), contextlib.redirect_stderr(Printed()):
                StudentPeer(Line(ours), name, answer, begin).serve()
        except Gone:
            pass
        finally:
            os._exit(0)


def _hand_over(line: socket.socket, end: socket.socket, mark: bytes) -> None:
    socket.send_fds(line, [mark], [end.fileno()])
    end.close()


def _stop(number: int, frame: Any) -> None:
    raise CellStopped


def _execute(source: str, label: str, namespace: dict[str, Any]) -> None:
    tree = ast.parse(source, label)
    for statement in tree.body:
        code = compile(ast.Module([statement], []), label, "exec")
        exec(code, namespace)


def _told(error: BaseException) -> dict[str, Any]:
    try:
        text = str(error)[:500]
    except BaseException:
        text = ""
    stopped = isinstance(error, CellStopped)
    return {"type": type(error).__name__[:80], "text": text, "stopped": stopped}
