"""Linux namespaces and resource limits that a process enters before it reads a student's code."""

import contextlib
import ctypes
import os
import resource
import signal
from pathlib import Path

NEWNS, NEWUTS, NEWIPC = 0x00020000, 0x04000000, 0x08000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, NO_DEVICES, PRIVATE, RECURSIVE = 1, 2, 4, 1 << 18, 1 << 14
NO_NEW_PRIVILEGES, DROP_FROM_BOUNDS, DIE_WITH_PARENT, DUMPABLE = 38, 24, 1, 4
CAPSET = {"x86_64": 126, "aarch64": 91}
LAST_CAPABILITY = 40
KEYCTL, JOIN_SESSION = {"x86_64": 250, "aarch64": 219}, 1
# Users that are nobody's: systemd gives these numbers to services while they run.
NOBODIES = range(61_184, 65_280)
LIMITED = ("memory_mb", "processes", "file_mb")
_libc = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def become_nobody(number: int) -> None:
    """Where this is root: an ordinary user from here on, whom limits on processes hold for.

    The kernel counts the processes of a user, so each server is a user of its own.
    """
    if os.getuid() == 0:
        user = NOBODIES[number % len(NOBODIES)]
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        _call("prctl", DUMPABLE, 1, 0, 0, 0)  # else its own /proc stays root's


def enter(file_mb: int) -> None:
    """Leave the other submissions behind: own user, network, processes and empty private folders.

    Returns in the first process of the new namespace; when it ends, all others in it are killed.

    Raises
    ------
    OSError
        If this system does not allow it.
    """
    user, group = os.getuid(), os.getgid()
    _call("unshare", NEWUSER | NEWNS | NEWPID | NEWNET | NEWIPC | NEWUTS)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    child = os.fork()
    if child:
        _wait_for(child)
    _call("prctl", DIE_WITH_PARENT, 9, 0, 0, 0)
    _call("mount", b"none", b"/", None, RECURSIVE | PRIVATE, None)
    flags = NO_SUID | NO_DEVICES
    size = f"size={file_mb}m".encode()
    _call("mount", b"tmpfs", b"/proc", b"tmpfs", flags | READ_ONLY, b"size=4k")
    for folder in (b"/tmp", b"/dev/shm"):
        _call("mount", b"tmpfs", folder, b"tmpfs", flags, size)
    os.chdir("/tmp")
    _libc.syscall(KEYCTL[os.uname().machine], JOIN_SESSION, None)  # else one keyring is for all
    drop_privileges()


def _wait_for(child: int) -> None:
    """Stay as the parent of a namespace's first process, end as it ends, and end it if told to.

    The first process asks to die with this one, but what runs in it can take that back.
    """
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _, status = os.waitpid(child, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def drop_privileges() -> None:
    """Give up every capability for good, also for what is started from here."""
    for capability in range(LAST_CAPABILITY + 1):
        _libc.prctl(DROP_FROM_BOUNDS, capability, 0, 0, 0)
    _call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _libc.syscall(CAPSET[os.uname().machine], header, (ctypes.c_uint32 * 6)())


def limit(memory_mb: int, processes: int, file_mb: int) -> None:
    """Bound what this process and its children may take, beside what it has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    now = pages * resource.getpagesize()
    _set(resource.RLIMIT_AS, now + memory_mb * 1_000_000)
    _set(resource.RLIMIT_NPROC, processes)
    _set(resource.RLIMIT_FSIZE, file_mb * 1_000_000)
    _set(resource.RLIMIT_CORE, 0)
    _set(resource.RLIMIT_NOFILE, 256)
    # Many processes within their limits may fill the machine: then it ends these, and no other.
    Path("/proc/self/oom_score_adj").write_text("1000")


def limit_processor(most: float | None, now: float) -> None:
    """End this process after so many more processor seconds: ``now``, and ``most`` at any rate."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    used = spent.ru_utime + spent.ru_stime
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if most is not None:
        hard = int(used + most) + 2
    soft = int(used + now) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (min(soft, hard) if hard > 0 else soft, hard))


def _set(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))
