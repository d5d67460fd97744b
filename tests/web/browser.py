"""Tables as a person plays them on a page."""

from __future__ import annotations

from playwright.sync_api import Page

from nodealer.lab.browser import PATIENCE, act, chromium, free_port, opened, program, told_program

__all__ = ["PATIENCE", "act", "chromium", "deal", "free_port", "opened", "play_until", "program", "search_once"]
__all__ += ["told_program"]


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
