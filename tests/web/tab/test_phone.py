"""A tab of the size of a phone, on a processor four times slower."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from nodealer_lab.browser import slow_down, time_control_loop
from web.tab.conftest import Run
from web.tab.people import at, event, own_cards, person, play_until, sit_down, tab

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 3, "is_mobile": True, "has_touch": True}
TIMES = 4


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_a_hand_on_a_phone_four_times_slower(
    browser: Browser, page_at: str, relay_at: str, run: Run, tmp_path: Path
) -> None:
    table = ("--seats", "3", "--hands", "1", "--no-clock", "--relay", relay_at)
    host = run("host", "host", "--auto", "--name", "Hal", *table, "--json")
    link = event(host, "table")["link"]
    run("ben", "join", link, "--auto", "--name", "Ben", "--json")
    with person(browser, **PHONE) as within:
        page = tab(within, at(page_at, link))
        page.wait_for_selector(".start.tab input")
        usual, _ = time_control_loop(page.workers[0])
        with slow_down(browser, TIMES):
            # In the worker, where the seat is.
            assert time_control_loop(page.workers[0])[1] / usual > TIMES * 0.9
            # It loads again from its beginning, so slow.
            page.reload()
            sit_down(page, "Tabea")
            assert own_cards(page)
            assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
            page.screenshot(path=tmp_path / "phone.png")
            play_until(".verdict .stamp", page)
        assert "clean" in (page.text_content(".verdict") or "").lower()
    assert event(host, "verified")["verdict"] == "clean"
