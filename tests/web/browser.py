"""Tables as a person plays them on a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import monotonic
from typing import Final

from playwright.sync_api import Page

from nodealer_lab.browser import (
    PAGE_TIMEOUT,
    find_chromium,
    open_page,
    press_first_enabled,
    run_command,
    run_page_server,
)
from ports import free_port

__all__ = [
    "PAGE_TIMEOUT",
    "boxes",
    "deal",
    "find_chromium",
    "free_port",
    "open_page",
    "overlap",
    "play_all_until",
    "play_until",
    "press_first_enabled",
    "run_command",
    "run_page_server",
    "search_once",
]

#: More than any game here has.
ANSWERS: Final = 300
#: For how many seconds several pages are played on.
PLAYED: Final = 150.0


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


def play_until(page: Page, selector: str, *keys: str) -> None:
    """Answer with the first key that is possible, until something is there. What is asked stands until it is answered,
    and then no key does anything until the next question: so nothing here depends on the moment."""
    asked = [f"#actions [aria-keyshortcuts={key}]:enabled" for key in keys]
    for _ in range(ANSWERS):
        page.wait_for_selector(", ".join([selector, *asked]), state="attached")
        if page.query_selector(selector) is not None:
            return
        press_first_enabled(page, *keys)
    raise AssertionError(f"{selector} never came")


def play_all_until(pages: tuple[Page, ...], there: Callable[[], bool], *keys: str) -> None:
    """Play on every page with the first key that does something, until something is so."""
    end = monotonic() + PLAYED
    while not there():
        if monotonic() > end:
            raise AssertionError([[page.text_content(name) for name in ("#table-rules", ".lines")] for page in pages])
        for page in pages:
            press_first_enabled(page, *keys)
        pages[0].wait_for_timeout(40)


def search_once(page: Page) -> None:
    """Play the collectible game until a search is open: one that can be paid, else a spark, and the next turn."""
    search, choice = ".hand .unit.can:has-text('look through your deck')", "dialog[open] .choice"
    for _ in range(ANSWERS):
        page.wait_for_selector(f"{choice}, #actions [aria-keyshortcuts=E]:enabled")
        if page.query_selector(choice) is not None:
            return
        if page.query_selector(search) is not None:
            page.locator(search).first.click()
            press_first_enabled(page, "P")
            continue
        others = page.locator(".hand .unit:not(:has-text('look through your deck'))")
        card = others if others.count() else page.locator(".hand .unit")
        if card.count():
            card.first.click()
        press_first_enabled(page, "B", "E")
    raise AssertionError("nothing was searched")


# --- Where things lie ---

BOXES = """names => names.flatMap(name => [...document.querySelectorAll(name)].filter(one => one.checkVisibility()))
  .map(one => one.getBoundingClientRect()).map(b => [b.left, b.right, b.top, b.bottom])"""

Box = tuple[float, float, float, float]


def boxes(page: Page, *names: str) -> list[Box]:
    return [tuple(box) for box in page.evaluate(BOXES, list(names))]


def overlap(all_of_them: Iterable[Box]) -> list[tuple[Box, Box]]:
    seen = list(all_of_them)
    return [
        (a, b)
        for at, a in enumerate(seen)
        for b in seen[at + 1 :]
        if min(a[1], b[1]) - max(a[0], b[0]) > 2 and min(a[3], b[3]) - max(a[2], b[2]) > 2
    ]
