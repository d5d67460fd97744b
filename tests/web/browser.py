"""One headless Chromium for all tests of the page, and tables as people start them: by the command."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, Queue
from typing import Any, Final

from playwright.sync_api import Browser, Page

#: Where Debian, and others, have it.
CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
MISSING: Final = "the page is tested in Chromium, and there is none; on Debian: apt-get install chromium"
PATIENCE: Final = 25_000


def chromium() -> str:
    """The browser. Fails in one sentence where there is none."""
    for name in CHROMIUM:
        if (found := shutil.which(name)) is not None:
            return found
    raise RuntimeError(MISSING)


class Program:
    """A command that serves a page."""

    def __init__(self, process: subprocess.Popen[str], lines: Queue[str]) -> None:
        self.process = process
        self._lines = lines

    def address(self) -> str:
        """What it prints."""
        said = []
        try:
            while True:
                said.append(self._lines.get(timeout=30))
                if found := re.search(r"http://\S+", said[-1]):
                    return found[0]
        except Empty:
            raise AssertionError(f"no address: {said}") from None


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(state: Path) -> dict[str, str]:
    """With folders of its own."""
    folders = {"XDG_STATE_HOME": str(state / "state"), "XDG_CONFIG_HOME": str(state / "config")}
    return {**os.environ, **folders, "COLUMNS": "400"}


@contextmanager
def told_program(state: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """`nodealer …` that needs no page, ended with the test."""
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-m", "nodealer.cli", *arguments]
    process = subprocess.Popen(command, env=environment(state), stdin=quiet, stdout=quiet, stderr=quiet)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(10)


@contextmanager
def program(state: Path, *arguments: str, within: Path | None = None) -> Iterator[Program]:
    """`nodealer …` on a page, ended with the test; in a folder with somebody's game, where one is named."""
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
        yield Program(process, lines)
    finally:
        process.terminate()
        process.wait(10)
        reading.join(5)
        if process.stderr is not None:
            process.stderr.close()


@contextmanager
def opened(
    browser: Browser,
    address: str,
    *,
    pace: str = "none",
    prepare: Callable[[Page], None] = lambda page: None,
    **context: Any,
) -> Iterator[Page]:
    """A page as a person opens it, at the pace of tests. Whatever it complains about fails the test."""
    within = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"} | context)
    within.add_init_script(f"localStorage.setItem('nodealer pace', '{pace}')")
    page = within.new_page()
    prepare(page)
    page.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    try:
        yield page
        assert [one for one in complaints if "WebSocket" not in one] == []
    finally:
        within.close()


def deal(page: Page, **fields: str) -> None:
    """Sit down, as a person does: a click."""
    page.wait_for_selector(".start")
    page.evaluate("document.querySelector('.start details').open = true")
    for label, value in fields.items():
        control = page.locator(".start").get_by_label(label, exact=True)
        if control.evaluate("one => one.tagName") == "SELECT":
            control.select_option(value)
        else:
            control.fill(value)
    page.click(".start [type=submit]")
    # What stands there from the table before is gone with it.
    page.wait_for_selector(".table")


def act(page: Page, *keys: str) -> bool:
    """Press the first of these keys that does something now."""
    for key in keys:
        if page.query_selector(f"#actions [aria-keyshortcuts={key}]:enabled") is not None:
            page.keyboard.press(key.lower())
            return True
    return False


def play_until(page: Page, selector: str, *keys: str) -> None:
    """Answer with the first key that is possible, until something is there."""
    for _ in range(600):
        if page.query_selector(selector) is not None:
            return
        act(page, *keys)
        page.wait_for_timeout(50)
    raise AssertionError(f"{selector} never came")


def search_once(page: Page) -> None:
    """Play the collectible game until a search is open: one that can be paid, else a spark, and the next turn."""
    for _ in range(600):
        if page.query_selector("dialog[open] .choice") is not None:
            return
        if page.query_selector("#actions [aria-keyshortcuts=E]") is None:
            page.wait_for_timeout(40)
            continue
        search = page.query_selector(".hand .unit.can:has-text('look through your deck')")
        card = search or page.query_selector(".hand .unit:not(:has-text('look through your deck'))")
        card = card or page.query_selector(".hand .unit")
        if card is not None:
            card.click()
        if not (act(page, "P") if search else card is not None and act(page, "B")):
            act(page, "E")
        page.wait_for_timeout(60)
    raise AssertionError("nothing was searched")
