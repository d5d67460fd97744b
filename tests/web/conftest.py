"""The browser, started once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from nodealer_lab.browser import launch_browser, open_page, run_page_server


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One for all tests."""
    with launch_browser() as started:
        yield started


@pytest.fixture(scope="module")
def bots(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page of `nodealer play`, on which one table is played after the other."""
    with (
        run_page_server(tmp_path_factory.mktemp("bots"), "play") as running,
        open_page(browser, running.address()) as page,
    ):
        yield page


@pytest.fixture
def fresh(bots: Page) -> Page:
    """The same page before a new table."""
    # The end of the table before comes a moment after its verdict.
    bots.wait_for_selector(".start, #actions .question .primary")
    if bots.query_selector("#actions .question .primary") is not None:
        bots.click("#actions .question .primary")
    bots.wait_for_selector(".start")
    return bots


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path
