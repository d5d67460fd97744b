"""A headless Chromium, and tables started by the command and shown on a page. For tests, and for `bench page`."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any, Final

from nodealer.errors import BadParameter

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Worker

#: The names of the browser on Debian and other systems.
CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
MISSING: Final = "Chromium is not installed; on Debian: apt-get install chromium"
#: The timeout of a page in milliseconds, and the time in seconds that a command has to print its address. Both are
#: generous, for busy machines: a failure that can be seen is reported at once.
PAGE_TIMEOUT: Final = 60_000
_START_SECONDS: Final = 100.0


def find_chromium() -> str:
    """Return the path of the browser. Raise `BadParameter` if there is none."""
    for name in CHROMIUM:
        if (found := shutil.which(name)) is not None:
            return found
    raise BadParameter(MISSING)


@contextmanager
def launch_browser() -> Iterator[Browser]:
    """Launch a browser without a window. Raise `BadParameter` if Chromium or playwright is missing."""
    found = find_chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        raise BadParameter("playwright is not installed: pip install playwright") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


#: The seconds that a slowed browser runs before it is stopped.
_SLICE: Final = 0.008


def list_processes(browser: Browser) -> list[dict[str, Any]]:
    """Return the processes of a browser, each with its type, id and CPU seconds so far."""
    session = browser.new_browser_cdp_session()
    found: list[dict[str, Any]] = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return found


@contextmanager
def slow_down(browser: Browser, times: int) -> Iterator[None]:
    """Let all open pages and their workers run only one time slice in `times`, and stop them in between.

    Chromium's own CPU throttling affects only the main thread of a page.
    """
    pages = [int(one["id"]) for one in list_processes(browser) if one["type"] == "renderer"]
    ended = threading.Event()

    def signal_all(number: signal.Signals) -> None:
        """Send a signal to the processes of all pages that still exist."""
        for page in pages:
            with suppress(ProcessLookupError):
                os.kill(page, number)

    def run() -> None:
        """Stop and continue the processes in turn, so that they run only one part in `times` of the time."""
        while True:
            began = time.monotonic()
            if ended.wait(_SLICE):
                return
            signal_all(signal.SIGSTOP)
            # Measured, not assumed: a busy machine wakes no thread in time.
            ended.wait((time.monotonic() - began) * (times - 1))
            signal_all(signal.SIGCONT)

    running = threading.Thread(target=run, daemon=True)
    running.start()
    try:
        yield
    finally:
        ended.set()
        running.join()
        signal_all(signal.SIGCONT)


# --- Programs ---


def free_port() -> int:
    """Return a port that no process listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment_with_folders(state: Path) -> dict[str, str]:
    """Return the environment with state and config folders below `state`."""
    folders = {"XDG_STATE_HOME": str(state / "state"), "XDG_CONFIG_HOME": str(state / "config")}
    return {**os.environ, **folders, "COLUMNS": "400"}


class PageServer:
    """A command that serves a page."""

    def __init__(self, process: subprocess.Popen[str], lines: Queue[str]) -> None:
        """Wrap a running server process. `lines` receives what it prints to stderr."""
        self.process = process
        self._lines = lines

    def address(self) -> str:
        """Wait until the command prints its address, and return it. Raise `BadParameter` if it prints none."""
        printed, end = list[str](), time.monotonic() + _START_SECONDS
        while time.monotonic() < end:
            ended = self.process.poll() is not None
            try:
                printed.append(self._lines.get(timeout=1))
            except Empty:
                if ended:
                    break
                continue
            if found := re.search(r"http://\S+", printed[-1]):
                return found[0]
        raise BadParameter(f"the command printed no address: {' '.join(printed)}")


@contextmanager
def run_page_server(state: Path, *arguments: str, within: Path | None = None) -> Iterator[PageServer]:
    """Run `nodealer …` on a page until the context ends, in the folder `within` if given."""
    process = subprocess.Popen(
        [sys.executable, "-m", "nodealer.cli", *arguments, "--no-browser"],
        env=environment_with_folders(state),
        cwd=within,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines: Queue[str] = Queue()

    def read() -> None:
        """Put every line that the server prints to stderr into the queue."""
        for line in process.stderr or ():
            lines.put(line)

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    try:
        yield PageServer(process, lines)
    finally:
        process.terminate()
        process.wait(60)
        reading.join(5)
        if process.stderr is not None:
            process.stderr.close()


@contextmanager
def run_command(state: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run `nodealer …` without a page until the context ends."""
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-m", "nodealer.cli", *arguments]
    process = subprocess.Popen(command, env=environment_with_folders(state), stdin=quiet, stdout=quiet, stderr=quiet)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


# --- Pages ---


@contextmanager
def open_page(
    browser: Browser,
    address: str,
    *,
    pace: str = "none",
    prepare: Callable[[Page], None] = lambda page: None,
    **context: Any,
) -> Iterator[Page]:
    """Open a page like a user, at the pace of tests.

    Raise `BadParameter` at the end if it logged errors or warnings.
    """
    within = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"} | context)
    within.add_init_script(f"localStorage.setItem('nodealer pace', '{pace}')")
    page = within.new_page()
    prepare(page)
    page.set_default_timeout(PAGE_TIMEOUT)
    logged: list[str] = []
    page.on("console", lambda message: logged.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: logged.append(str(error)))
    try:
        if address:
            page.goto(address)
        yield page
        if wrong := [one for one in logged if "WebSocket" not in one]:
            raise BadParameter(f"the page logged errors: {'; '.join(wrong)}")
    finally:
        within.close()


_LOOPS: Final = """() => Array.from({ length: 160 }, () => {
  const began = performance.now();
  let sum = 1;
  for (let at = 0; at < 2e6; at += 1) sum = (Math.imul(sum, 1103515245) + 12345) | 0;
  return sum === 0 ? Infinity : performance.now() - began;
})"""


def time_control_loop(worker: Worker) -> tuple[float, float]:
    """Time a fixed loop in a worker. Return the shortest and the mean time in seconds."""
    took = [milliseconds / 1e3 for milliseconds in worker.evaluate(_LOOPS)[10:]]
    return min(took), sum(took) / len(took)


def press_first_enabled(page: Page, *keys: str) -> bool:
    """Press the first of these keys that has an enabled action. Return False if there is none."""
    for key in keys:
        if page.query_selector(f"#actions [aria-keyshortcuts={key}]:enabled") is not None:
            page.keyboard.press(key.lower())
            return True
    return False
