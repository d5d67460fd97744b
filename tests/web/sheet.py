"""Write the pictures of the page in docs/play: the README's screenshot, and contact sheets of twelve states, small and
large, light and dark. `make sheet` runs this.

Run from tests/: python -m web.sheet
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Final, Literal

from playwright.sync_api import Browser

from nodealer_lab.browser import launch_browser
from web.states import State, showcase, states
from web.told import told_page

DOCS: Final = Path(__file__).parents[2] / "docs" / "play"
#: Width and height of a page, and the width of its picture on the sheet.
SIZES: Final = {"large": (1280, 800, 400), "small": (390, 780, 195)}
THEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
STATES: Final = 12

Shots = dict[tuple[str, str], list[tuple[str, bytes]]]


def take(browser: Browser, state: State, shots: Shots) -> None:
    """One state in every size and theme."""
    for size, (width, height, _) in SIZES.items():
        viewport = {"width": width, "height": height}
        with told_page(browser, *state.documents, viewport=viewport) as (page, told):
            page.wait_for_selector(state.there, state="attached")
            state.do(page, told)
            if size == "small" and state.panels:
                page.evaluate("document.body.classList.add('sheet-open')")
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                page.wait_for_timeout(500)
                shots[size, theme].append((state.name, page.screenshot()))


def write(browser: Browser, shots: Shots) -> None:
    """The sheets."""
    for size, (_, _, width) in SIZES.items():
        names = [name for name, _ in shots[size, "light"]]
        cells = [
            f'<figure><img width="{width}" src="data:image/png;base64,{base64.b64encode(shot).decode()}">'
            f"<figcaption>{name}, {theme}</figcaption></figure>"
            for at, name in enumerate(names)
            for theme in THEMES
            for shot in [shots[size, theme][at][1]]
        ]
        page = browser.new_page(viewport={"width": 4 * 416 if size == "large" else 8 * 207, "height": 100})
        page.set_content(
            "<style>body{margin:8px;display:flex;flex-wrap:wrap;gap:8px;font:12px sans-serif;background:#ddd}"
            f"figure{{margin:0}}img{{display:block;border-radius:6px}}</style>{''.join(cells)}"
        )
        page.screenshot(path=DOCS / f"page-{size}.jpg", full_page=True, type="jpeg", quality=62)
        page.close()


def write_screenshot(browser: Browser) -> None:
    """Write the README's screenshot of one hand."""
    state = showcase()
    width, height, _ = SIZES["large"]
    with told_page(browser, *state.documents, viewport={"width": width, "height": height}) as (page, _):
        page.wait_for_selector(state.there, state="attached")
        page.emulate_media(color_scheme="light")
        page.wait_for_timeout(500)
        page.screenshot(path=DOCS / "table.jpg", type="jpeg", quality=85)


def main() -> None:
    shots: Shots = {(size, theme): [] for size in SIZES for theme in THEMES}
    with launch_browser() as browser:
        write_screenshot(browser)
        for state in states():
            take(browser, state, shots)
        if any(len(taken) != STATES for taken in shots.values()):
            raise SystemExit(f"the sheet has {STATES} states, and these were taken: {shots.keys()}")
        write(browser, shots)


if __name__ == "__main__":
    main()
