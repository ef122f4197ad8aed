"""Fetch the corpora with NLTK's downloader, without ever hanging on a silent network."""

import os
import queue
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import getproxies

from tqdm import tqdm

from elmo_mini.corpora.catalogue import CATALOGUE
from elmo_mini.corpora.files import CorpusDamaged, CorpusMissing, Store, find, search_path

PATIENCE = 15.0
UNREACHABLE = "the NLTK server cannot be reached, is this machine online? NLTK says"


@dataclass(repr=False)
class Download:
    """What became of a request for corpora: names fetched, names already here, and why not.

    True in a condition when nothing failed; shown as one sentence for each outcome.

    Attributes
    ----------
    fetched, already_here : names of corpora
    failed : name to reason
    """

    fetched: list[str] = field(default_factory=list)
    already_here: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return not self.failed

    def __repr__(self) -> str:
        lines = []
        if self.already_here:
            lines.append(f"Already here: {', '.join(self.already_here)}.")
        if self.fetched:
            lines.append(f"Fetched: {', '.join(self.fetched)}.")
        reasons: dict[str, list[str]] = {}
        for name, reason in self.failed.items():
            reasons.setdefault(reason, []).append(name)
        for reason, names in reasons.items():
            lines.append(f"Not fetched: {', '.join(names)} ({reason}).")
        return "\n".join(lines)


def download(
    names: Sequence[str] | str | None = None,
    progress: bool = True,
    *,
    folder: str | Path | None = None,
    index: str | None = None,
    patience: float = PATIENCE,
) -> Download:
    """Fetch the corpora that are missing or damaged, and read each zip through to verify it.

    A machine without a network, or behind a firewall that swallows what it is sent, is told so
    after `patience` seconds without an answer; nothing is raised.

    Parameters
    ----------
    names : corpora of the catalogue, one or several; all of them by default
    progress : show a progress bar, on standard output
    folder : where to put them; by default the folder that NLTK chooses
    index : address of a mirror's index; by default NLTK's own
    patience : seconds without any progress after which the network counts as gone

    Raises
    ------
    ValueError
        If a name is not in the catalogue.
    """
    wanted = [names] if isinstance(names, str) else list(CATALOGUE if names is None else names)
    for name in wanted:
        if name not in CATALOGUE:
            raise ValueError(f"there is no corpus {name!r}; the corpora are {', '.join(CATALOGUE)}")
    outcome = Download()
    missing: list[str] = []
    for name in dict.fromkeys(wanted):
        whole = CATALOGUE[name].comes_with == "gensim" or not _fault(name)
        (outcome.already_here if whole else missing).append(name)
    if missing:
        _fetch(missing, outcome, progress, folder, index, patience)
    return outcome


def _fetch(
    names: list[str],
    outcome: Download,
    progress: bool,
    folder: str | Path | None,
    index: str | None,
    patience: float,
) -> None:
    messages: queue.SimpleQueue[tuple[str, str, float | str]] = queue.SimpleQueue()
    worker = threading.Thread(
        target=_work, args=(names, folder, index, messages), daemon=True, name="corpora-download"
    )
    # NLTK waits minutes for a silent server, so the waiting is done here and not there.
    worker.start()
    shape = "{desc:<18}{percentage:3.0f} % |{bar:30}| {elapsed}"
    with tqdm(
        total=100 * len(names), file=sys.stdout, disable=not progress, bar_format=shape
    ) as bar:
        for position, name in enumerate(names):
            bar.set_description_str(name)
            while name not in outcome.failed and name not in outcome.fetched:
                try:
                    about, what, value = messages.get(timeout=patience)
                except queue.Empty:
                    about, what = "", "failed"
                    value = f"no answer from the NLTK server within {patience:g} seconds"
                    value += f", {proxy}" if (proxy := _proxy()) else ""
                if what == "failed":
                    for other in names[position:] if not about else [about]:
                        outcome.failed[other] = str(value)
                elif what == "done":
                    fault = _fault(about, Path(str(value)))
                    if fault:
                        outcome.failed[about] = fault
                    else:
                        outcome.fetched.append(about)
                else:
                    bar.update(100 * position + float(value) - bar.n)
        if outcome.fetched:
            bar.update(100 * len(names) - bar.n)


def _work(
    names: list[str],
    folder: str | Path | None,
    index: str | None,
    messages: "queue.SimpleQueue[tuple[str, str, float | str]]",
) -> None:
    """Run NLTK's downloader. Sends ``(name, "progress" | "done" | "failed", value)``.

    A failure with an empty name concerns every name that is left.
    """
    import nltk.downloader as nltk_downloader

    warnings.simplefilter("ignore")
    with _through_proxy():
        _run(nltk_downloader, names, folder, index, messages)


def _run(
    nltk_downloader: Any,
    names: list[str],
    folder: str | Path | None,
    index: str | None,
    messages: "queue.SimpleQueue[tuple[str, str, float | str]]",
) -> None:
    try:
        downloader = nltk_downloader.Downloader(index, None if folder is None else str(folder))
        target = downloader.download_dir
        downloader.index()
    except Exception as error:
        messages.put(("", "failed", f"{_unreachable()}: {_reason(error)}"))
        return
    for name in names:
        failure = ""
        try:
            for message in downloader.incr_download(name, target):
                if isinstance(message, nltk_downloader.ProgressMessage):
                    messages.put((name, "progress", float(message.progress)))
                elif isinstance(message, nltk_downloader.ErrorMessage):
                    failure = _reason(message.message)
        except Exception as error:
            failure = _reason(error)
        messages.put((name, "failed", failure) if failure else (name, "done", str(target)))


@contextmanager
def _through_proxy() -> Iterator[None]:
    """Let NLTK go through the proxy that this machine is set to, as pip does.

    NLTK refuses one, since it could be sent to an address inside a network. Here the address is
    fixed. Who has set NLTK's variable to something keeps it.
    """
    try:
        from nltk import pathsec
    except ImportError:  # an older NLTK, which has no such rule
        yield
        return
    before = pathsec.ALLOW_PROXIED_FETCH
    if getproxies() and "NLTK_ALLOW_PROXIED_URLOPEN" not in os.environ:
        pathsec.ALLOW_PROXIED_FETCH = True
    try:
        yield
    finally:
        pathsec.ALLOW_PROXIED_FETCH = before


def _proxy() -> str:
    """The proxy that a download goes through, and where to read on; empty without one."""
    proxies = getproxies()
    proxy = proxies.get("https") or proxies.get("http") or proxies.get("all")
    if not proxy:
        return ""
    address = proxy.rpartition("@")[2]  # without a name and a password
    return (
        f"through the proxy {address}, which HTTPS_PROXY or the system's settings name; docs/"
        "installing.md has a section Behind a proxy"
    )


def _unreachable() -> str:
    """Why perhaps, where nothing came: a proxy is set, or the machine is offline."""
    proxy = _proxy()
    return f"the NLTK server cannot be reached {proxy}. NLTK says" if proxy else UNREACHABLE


def _fault(name: str, folder: Path | None = None) -> str:
    """Why the corpus cannot be read, empty if it can; in `folder` too when one is given."""
    try:
        if folder is not None:
            _read_through(name, find(name, [folder]))
        if folder is None or folder in search_path():
            _read_through(name, find(name))
    except (CorpusMissing, CorpusDamaged) as error:
        return str(error).rstrip(".")
    return ""


def _read_through(name: str, store: Store) -> None:
    store.verify()
    next(iter(CATALOGUE[name].reader(store)))


def _reason(error: object) -> str:
    """The error as one line, without the wrapping of `urllib`."""
    cause = getattr(error, "reason", error)
    text = str(getattr(cause, "strerror", None) or cause)
    return " ".join(text.split()) or type(error).__name__
