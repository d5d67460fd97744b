"""The whole browser is killed in the middle of a hand. Another one with its profile goes on with the same cards."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext

from nodealer_lab.browser import find_chromium
from web.tab.conftest import Run
from web.tab.people import PATIENCE, at, event, own_cards, play_until, sit_down, tab

#: Where Chromium says on which port it is driven.
PORT = "DevToolsActivePort"


@contextmanager
def profile(browser: Browser, folder: Path) -> Iterator[tuple[BrowserContext, subprocess.Popen[bytes]]]:
    """A browser that keeps what it knows in a folder, as a person's does; killed in the end, if not before."""
    (folder / PORT).unlink(missing_ok=True)
    options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--force-prefers-reduced-motion")
    command = [find_chromium(), *options, "--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            if (folder / PORT).is_file() and "\n" in (folder / PORT).read_text():
                break
            subprocess.run(["sleep", "0.1"], check=True)
        port = (folder / PORT).read_text().splitlines()[0]
        driven = browser.browser_type.connect_over_cdp(f"http://127.0.0.1:{port}", timeout=PATIENCE)
        within = driven.contexts[0]
        within.set_default_timeout(PATIENCE)
        yield within, process
    finally:
        process.kill()
        process.wait()


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_after_a_kill_of_the_browser_the_same_link_goes_on_with_the_same_cards(
    browser: Browser, page_at: str, relay_at: str, run: Run, tmp_path: Path
) -> None:
    table = ("--seats", "2", "--hands", "1", "--no-clock", "--relay", relay_at)
    host = run("host", "host", "--auto", "--name", "Hal", *table, "--json")
    address = at(page_at, event(host, "table")["link"])
    with profile(browser, tmp_path / "profile") as (within, process):
        page = tab(within, address)
        sit_down(page, "Tabea")
        before = own_cards(page)
        assert before
        process.kill()
        process.wait()
    with profile(browser, tmp_path / "profile") as (within, _):
        page = tab(within, address)
        page.wait_for_selector(".table")
        assert own_cards(page) == before
        play_until(".verdict .stamp", page)
        assert "clean" in page.inner_text(".verdict").lower()
    assert event(host, "verified")["verdict"] == "clean"
