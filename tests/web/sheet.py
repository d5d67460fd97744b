"""A contact sheet: twelve states of the page, small and large, light and dark. `make sheet` writes docs/page-*.jpg.

Run from tests/: python -m web.sheet
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import Browser, Page, sync_playwright

from web.browser import act, chromium, deal, opened, play_until, program

DOCS: Final = Path(__file__).parents[2] / "docs"
SIZES: Final = {"large": (1280, 800, 400), "small": (390, 780, 195)}
THEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")

Shots = dict[tuple[str, str], list[tuple[str, bytes]]]


class Sheet:
    """Takes every state in every size and theme."""

    def __init__(self) -> None:
        self.shots: Shots = {(size, theme): [] for size in SIZES for theme in THEMES}

    def take(self, page: Page, name: str, small: Callable[[], None] = lambda: None) -> None:
        """`small` is what one does on a phone to see the same."""
        for size, (width, height, _) in SIZES.items():
            page.set_viewport_size({"width": width, "height": height})
            if size == "small":
                small()
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                page.wait_for_timeout(80)
                self.shots[size, theme].append((name, page.screenshot()))
        page.set_viewport_size({"width": 1280, "height": 800})
        page.evaluate("document.body.classList.remove('sheet-open')")

    def write(self, browser: Browser) -> None:
        for size, (_, _, width) in SIZES.items():
            names = [name for name, _ in self.shots[size, "light"]]
            cells = [
                f'<figure><img width="{width}" src="data:image/png;base64,{base64.b64encode(shot).decode()}">'
                f"<figcaption>{name}, {theme}</figcaption></figure>"
                for at, name in enumerate(names)
                for theme in THEMES
                for shot in [self.shots[size, theme][at][1]]
            ]
            page = browser.new_page(viewport={"width": 4 * 416 if size == "large" else 8 * 207, "height": 100})
            page.set_content(
                "<style>body{margin:8px;display:flex;flex-wrap:wrap;gap:8px;font:12px sans-serif;background:#ddd}"
                f"figure{{margin:0}}img{{display:block;border-radius:6px}}</style>{''.join(cells)}"
            )
            page.screenshot(path=DOCS / f"page-{size}.jpg", full_page=True, type="jpeg", quality=62)
            page.close()


def poker(sheet: Sheet, page: Page) -> None:
    page.wait_for_selector(".start")
    sheet.take(page, "start")
    deal(page, Players="5", Hands="2")
    page.wait_for_selector("#actions .betting")
    sheet.take(page, "before the flop")
    for _ in range(200):
        if page.locator(".board .card.face").count() >= 3 and page.query_selector("#actions .betting"):
            break
        if page.query_selector(".hands li"):
            break
        act(page, "S", "C")
        page.wait_for_timeout(60)
    sheet.take(page, "flop")
    play_until(page, ".verdict .stamp", "S", "C")
    sheet.take(page, "the end")
    page.click("#tab-log")
    sheet.take(page, "log", lambda: page.evaluate("document.body.classList.add('sheet-open')"))
    page.click("#tab-hands")
    page.click(".replay")
    page.wait_for_selector(".player:not([hidden])")
    for _ in range(12):
        page.click("[aria-label=Forward]")
    sheet.take(page, "replay", lambda: page.evaluate("document.body.classList.add('sheet-open')"))
    page.click("text=Back to the table")
    page.click("#tab-fair")


def cheated(sheet: Sheet, page: Page) -> None:
    page.click("#actions .primary")
    deal(page, Players="3", Hands="1", **{"Let a bot cheat": "double"})
    page.wait_for_selector(".alarm:not([hidden])")
    sheet.take(page, "caught", lambda: page.evaluate("document.body.classList.add('sheet-open')"))
    play_until(page, ".verdict .stamp", "S", "C")
    page.click("#actions .primary")


def collectible(sheet: Sheet, page: Page) -> None:
    deal(page, Game="wardens")
    taken = False
    for turn in range(300):
        if page.query_selector("dialog[open] .choice, dialog[open] .movable"):
            sheet.take(page, "search")
            return
        if page.query_selector("#actions [aria-keyshortcuts=E]") is None:
            page.wait_for_timeout(60)
            continue
        if not taken and page.locator(".units .unit").count() >= 4:
            taken = True
            sheet.take(page, "field")
        forge = page.query_selector('.hand .unit.can:has-text("Call the Forge")')
        card = forge or (page.query_selector(".hand .unit.can") if turn % 3 else None)
        if card is None:
            act(page, "E")
        else:
            card.click()
            target = page.query_selector(".face-target, .unit.target")
            if target is not None:
                target.click()
            elif not act(page, "P"):
                act(page, "E")
        page.wait_for_timeout(80)


def main() -> None:
    sheet = Sheet()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        home = Path(folder)
        hosted = ("host", "--name", "Ada", "--seats", "4")
        with program(home / "host", *hosted) as host, opened(browser, host.address()) as page:
            page.wait_for_selector(".qr")
            sheet.take(page, "lobby")
        with program(home, "play") as bots, opened(browser, bots.address()) as page:
            poker(sheet, page)
            cheated(sheet, page)
            collectible(sheet, page)
        with program(home, "play", "--seats", "9") as bots, opened(browser, bots.address(), pace="calm") as page:
            page.click(".start [type=submit]")
            page.wait_for_selector(".shuffle")
            sheet.take(page, "shuffling")
            page.wait_for_selector("#actions .betting")
            sheet.take(page, "nine seats")
            page.goto(f"{page.url}how")
            sheet.take(page, "how it works")
        sheet.write(browser)
        browser.close()


if __name__ == "__main__":
    main()
