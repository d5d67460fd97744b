"""A headless Chromium, and tables as people start them: by the command, on a page. For tests, and for `bench page`."""

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

#: Where Debian, and others, have it.
CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
MISSING: Final = "the page is tried in Chromium, and there is none; on Debian: apt-get install chromium"
#: How many milliseconds a page has for what is waited for, and how many seconds a command for its address. Both are for
#: machines with much else to do: what can be seen to have failed is not waited for.
PATIENCE: Final = 60_000
_STARTS: Final = 100.0


def chromium() -> str:
    """The browser. Raises `BadParameter` where there is none."""
    for name in CHROMIUM:
        if (found := shutil.which(name)) is not None:
            return found
    raise BadParameter(MISSING)


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser without a window. Raises `BadParameter` where there is none, or nothing to drive it with."""
    found = chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        raise BadParameter("a browser is driven by playwright: pip install playwright") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


#: A slice of a slowed browser's time, in seconds, in which it runs once.
_SLICE: Final = 0.008


def processes(browser: Browser) -> list[dict[str, Any]]:
    """The processes of a browser: type, id, and the CPU seconds of each so far."""
    session = browser.new_browser_cdp_session()
    found: list[dict[str, Any]] = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return found


@contextmanager
def slowed(browser: Browser, times: int) -> Iterator[None]:
    """All open pages get one of so many slices of time, with their workers: Chromium's own slower CPU is for the main
    thread of a page alone. They are stopped in between."""
    pages = [int(one["id"]) for one in processes(browser) if one["type"] == "renderer"]
    ended = threading.Event()

    def signal_all(number: signal.Signals) -> None:
        for page in pages:
            with suppress(ProcessLookupError):
                os.kill(page, number)

    def run() -> None:
        while True:
            began = time.monotonic()
            if ended.wait(_SLICE):
                return
            signal_all(signal.SIGSTOP)
            # So long as it takes: a busy machine wakes nobody in time.
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
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(state: Path) -> dict[str, str]:
    """With folders of its own."""
    folders = {"XDG_STATE_HOME": str(state / "state"), "XDG_CONFIG_HOME": str(state / "config")}
    return {**os.environ, **folders, "COLUMNS": "400"}


class PageServer:
    """A command that serves a page."""

    def __init__(self, process: subprocess.Popen[str], lines: Queue[str]) -> None:
        self.process = process
        self._lines = lines

    def address(self) -> str:
        """What it prints."""
        said, end = list[str](), time.monotonic() + _STARTS
        while time.monotonic() < end:
            ended = self.process.poll() is not None
            try:
                said.append(self._lines.get(timeout=1))
            except Empty:
                if ended:
                    break
                continue
            if found := re.search(r"http://\S+", said[-1]):
                return found[0]
        raise BadParameter(f"the command has printed no address: {' '.join(said)}")


@contextmanager
def program(state: Path, *arguments: str, within: Path | None = None) -> Iterator[PageServer]:
    """`nodealer …` on a page, ended with the context; in a folder with somebody's game, where one is named."""
    process = subprocess.Popen(
        [sys.executable, "-m", "nodealer.cli", *arguments, "--no-browser"],
        env=environment(state),
        cwd=within,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines: Queue[str] = Queue()

    def read() -> None:
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
def told_program(state: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """`nodealer …` that needs no page, ended with the context."""
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-m", "nodealer.cli", *arguments]
    process = subprocess.Popen(command, env=environment(state), stdin=quiet, stdout=quiet, stderr=quiet)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


# --- Pages ---


@contextmanager
def opened(
    browser: Browser,
    address: str,
    *,
    pace: str = "none",
    prepare: Callable[[Page], None] = lambda page: None,
    **context: Any,
) -> Iterator[Page]:
    """A page as a person opens it, at the pace of tests. Whatever it complains about is an error."""
    within = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"} | context)
    within.add_init_script(f"localStorage.setItem('nodealer pace', '{pace}')")
    page = within.new_page()
    prepare(page)
    page.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        if address:
            page.goto(address)
        yield page
        if wrong := [one for one in complaints if "WebSocket" not in one]:
            raise BadParameter(f"the page complains: {'; '.join(wrong)}")
    finally:
        within.close()


_LOOPS: Final = """() => Array.from({ length: 160 }, () => {
  const began = performance.now();
  let sum = 1;
  for (let at = 0; at < 2e6; at += 1) sum = (Math.imul(sum, 1103515245) + 12345) | 0;
  return sum === 0 ? Infinity : performance.now() - began;
})"""


def control(worker: Worker) -> tuple[float, float]:
    """A fixed loop in a worker, timed there: the shortest of a few, and their mean, in seconds."""
    took = [milliseconds / 1e3 for milliseconds in worker.evaluate(_LOOPS)[10:]]
    return min(took), sum(took) / len(took)


def act(page: Page, *keys: str) -> bool:
    """Press the first of these keys that does something now."""
    for key in keys:
        if page.query_selector(f"#actions [aria-keyshortcuts={key}]:enabled") is not None:
            page.keyboard.press(key.lower())
            return True
    return False
