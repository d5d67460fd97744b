"""The table that any game gets, with a game that nobody here knows; and two tables in two tabs of one browser."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from games import outside

from .browser import ANSWERS, PAGE_TIMEOUT, open_page, press_first_enabled, run_page_server

#: Whole games in processes, on a machine that may have much else to do.
pytestmark = pytest.mark.timeout(400)


def test_a_game_without_a_table_of_its_own_is_played_in_words(browser: Browser, folder: Path) -> None:
    shutil.copy(str(outside.__file__), folder / "highest_game.py")
    typed = ("play", "--game", "highest_game:GAME", "--seats", "2", "--hands", "2", "--cards", "20")
    with run_page_server(folder, *typed, within=folder) as running, open_page(browser, running.address()) as page:
        page.wait_for_selector(".start")
        assert page.get_by_label("Game", exact=True).input_value() == "highest_game:GAME"
        page.click(".start [type=submit]")
        page.wait_for_selector(".typed input")
        assert page.locator(".pod").count() == 2
        assert (page.text_content(".named li") or "").startswith("the ")
        page.fill(".typed input", "dance")
        page.press(".typed input", "Enter")
        page.wait_for_selector(".notice >> text=t turns up")
        for _ in range(ANSWERS):
            page.wait_for_selector(".verdict .stamp, .typed input:enabled")
            if page.query_selector(".verdict .stamp") is not None:
                break
            page.fill(".typed input", "t")
            page.keyboard.press("Enter")
        assert page.locator(".hands li").count() == 2
        page.wait_for_selector(".verdict .stamp.clean")
        assert "has the highest" in (page.text_content(".lines") or "")
        page.click("#tab-hands")
        page.click(".replay")
        page.click("[aria-label=Last]")
        assert page.locator(".pod").count() == 2


def test_two_tables_in_two_tabs_of_one_browser_and_an_address_opens_once(browser: Browser, folder: Path) -> None:
    """Cookies do not know ports: each table has one of its own name, and neither takes the other's."""
    with ExitStack() as stack:
        one = stack.enter_context(run_page_server(folder / "one", "play", "--seats", "2", "--hands", "1"))
        two = stack.enter_context(run_page_server(folder / "two", "play", "--seats", "3", "--hands", "1"))
        address = one.address()
        first = stack.enter_context(open_page(browser, address))
        first.wait_for_selector(".start")
        stranger = browser.new_page()
        stranger.goto(address)
        stranger.wait_for_selector(".fatal")
        assert "works once" in (stranger.text_content(".fatal") or "")
        stranger.close()
        second = first.context.new_page()
        second.set_default_timeout(PAGE_TIMEOUT)
        second.goto(two.address())
        for page in (first, second):
            page.click(".start [type=submit]")
        for page, seats in ((first, 2), (second, 3), (first, 2)):
            page.bring_to_front()
            page.reload()
            page.wait_for_selector("#actions .betting")
            assert page.locator(".pod").count() == seats
        cookies = first.context.cookies()
        assert len({cookie["name"] for cookie in cookies}) == 2 and all(cookie["httpOnly"] for cookie in cookies)
        assert first.text_content(".words") != second.text_content(".words")
        for page, seats in ((first, 2), (second, 3)):
            page.bring_to_front()
            press_first_enabled(page, "F", "C")
            page.wait_for_selector(".lines .move", state="attached")
            assert page.locator(".pod").count() == seats
