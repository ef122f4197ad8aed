"""JupyterLab in a real browser: a server for any folder, and a page of headless Chromium."""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
# By the clock, for what never comes: a busy machine must not fail a test.
PATIENCE_SECONDS = 300

StartLab = Callable[..., str]


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _ask_nothing(settings: Path) -> None:
    """Leave out JupyterLab's first-start question about news: it covers what tests look at."""
    plugin = settings / "@jupyterlab" / "apputils-extension"
    plugin.mkdir(parents=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    (plugin / "notification.jupyterlab-settings").write_text(json.dumps(quiet))


def _wait_until_up(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()[-4000:]}")


@pytest.fixture
def jupyterlab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartLab]:
    """``jupyterlab(folder, env=None) -> url``: serve a folder on a free port, token in the URL.

    The user's own Jupyter settings are out of the way: every server gets empty folders.
    """
    servers: list[subprocess.Popen[bytes]] = []

    def start(folder: Path, env: dict[str, str] | None = None) -> str:
        home = tmp_path_factory.mktemp("jupyter_home")
        port, token = _free_port(), secrets.token_hex(16)
        own = {
            "HOME": str(home),
            "JUPYTER_CONFIG_DIR": str(home / "config"),
            "JUPYTER_DATA_DIR": str(home / "data"),
            "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
            "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
            "OMP_NUM_THREADS": "1",
        }
        _ask_nothing(home / "settings")
        log = home / "server.log"
        with log.open("wb") as out:
            server = subprocess.Popen(
                [
                    *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
                    *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
                    f"--IdentityProvider.token={token}",
                ],
                cwd=folder,
                env={**os.environ, **own, **(env or {})},
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        servers.append(server)
        address = f"http://127.0.0.1:{port}"
        _wait_until_up(f"{address}/api/status?token={token}", server, log)
        return f"{address}/lab?token={token}"

    yield start
    for server in servers:
        _stop(server)


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Let the server end its kernels, then make sure that it is gone."""
    if server.poll() is None:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium; the test is skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page of 1400 x 900 with its own cookies."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(1000 * PATIENCE_SECONDS)
    expect.set_options(timeout=1000 * PATIENCE_SECONDS)
    yield context.new_page()
    context.close()
