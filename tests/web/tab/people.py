"""People in tabs: each with a browser of their own, who sit down and play."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from nodealer_lab.browser import press_first_enabled

#: Milliseconds: a busy machine compiles ten megabytes of WebAssembly first.
PATIENCE = 110_000
#: Looks at a page, each a moment after the other, until what is waited for should have come.
ROUNDS = 3000


@contextmanager
def person(browser: Browser, **more: Any) -> Iterator[BrowserContext]:
    """A browser of somebody's own. What its content security policy keeps out of any page is an error."""
    size = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
    within = browser.new_context(**size | more)
    within.add_init_script("localStorage.setItem('nodealer pace', 'none')")
    within.set_default_timeout(PATIENCE)
    refused: list[str] = []
    within.on("console", lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None)
    try:
        yield within
        assert not refused
    finally:
        within.close()


def tab(within: BrowserContext, address: str) -> Page:
    """A tab."""
    page = within.new_page()
    page.goto(address)
    return page


def event(process: Any, name: str) -> dict[str, Any]:
    """The first event of this name that a program tells."""
    for line in process.stdout:
        told: dict[str, Any] = json.loads(line)
        if told["event"] == name:
            return told
    raise AssertionError(f"no {name} was told")


def at(page_at: str, link: str) -> str:
    """A link, as it is opened in a page that is served elsewhere."""
    return f"{page_at}/#{link.partition('#')[2]}"


def sit_down(page: Page, name: str) -> None:
    """Come by a link, and agree to what is proposed."""
    page.fill(".start.tab input", name)
    page.click(".start.tab .button.primary")
    page.click("#actions .question .button.primary")
    page.wait_for_selector(".table")


def play_until(selector: str, *pages: Page) -> None:
    """Answer on each page until something is there on all of them."""
    for _ in range(ROUNDS):
        for page in pages:
            assert page.query_selector(".stopped") is None, page.inner_text(".stopped")
            press_first_enabled(page, "S", "C")
        if all(page.query_selector(selector) is not None for page in pages):
            return
        pages[0].wait_for_timeout(50)
    raise AssertionError(f"{selector} never came")


def own_cards(page: Page) -> str:
    """The cards that only this player sees."""
    page.wait_for_selector("#actions [aria-keyshortcuts=C]:enabled, #actions [aria-keyshortcuts=S]:enabled")
    return " ".join(page.eval_on_selector_all(".pod.you [data-face]", "all => all.map((one) => one.dataset.face)"))
