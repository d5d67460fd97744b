"""The folder of a tab, as `make tab` has built it; a relay, and a page served from that folder."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from nodealer.web.bundle.build import ROOT, is_current
from nodealer_lab.browser import environment_with_folders
from ports import free_port

BUNDLE = ROOT / "dist" / "web"

#: Starts `nodealer …`, which ends with the test.
Run = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(scope="session")
def bundle() -> Path:
    """The folder. Where it is not there, or of other sources, the tests are left out, unless they are required."""
    if not is_current(BUNDLE):
        told = "no folder for a tab is built from these sources: `make tab`"
        if os.environ.get("NODEALER_WEB") == "require":
            pytest.fail(told)
        pytest.skip(told)
    return BUNDLE


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Programs, each with folders of its own."""
    with ExitStack() as stack:

        def start(name: str, *arguments: str) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-m", "nodealer.cli", *arguments],
                env=environment_with_folders(tmp_path / name),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            stack.callback(process.communicate, timeout=60)
            stack.callback(process.terminate)
            return process

        yield start


@pytest.fixture
def page_at(bundle: Path, run: Run) -> str:
    """Where the page is served."""
    port = free_port()
    run("page", "web", "serve", str(bundle), "--listen", f"127.0.0.1:{port}")
    return _there(f"http://127.0.0.1:{port}", "/bundle.json")


@pytest.fixture
def relay_at(run: Run) -> str:
    """Where a relay is."""
    port = free_port()
    run("relay", "relay", "--listen", f"127.0.0.1:{port}", "--store", "memory")
    _there(f"http://127.0.0.1:{port}", "/healthz")
    return f"ws://127.0.0.1:{port}"


def _there(address: str, path: str) -> str:
    """The address, once somebody answers there."""
    for _ in range(600):
        try:
            with urllib.request.urlopen(address + path, timeout=60):
                return address
        except OSError:
            # It is starting.
            os.sched_yield()
            subprocess.run(["sleep", "0.1"], check=True)
    raise AssertionError(f"nobody is at {address}")
