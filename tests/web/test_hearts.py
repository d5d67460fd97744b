"""Hearts on the page: three cards are chosen, the two of clubs needs no click, what cannot be proven is no button."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from .browser import PAGE_TIMEOUT, deal, open_page, run_page_server
from .states import Seen
from .tables import Table
from .told import Document, told_page

PHONE = {"width": 360, "height": 740}


def stage(name: str) -> Seen:
    """A hand that is stopped where the first player is asked at this stage."""
    seen = Seen(Table("hearts", "mask", seats=4, hands=1, label="hearts page"))
    seen.until(lambda view: view["page"].get("stage") == name)
    return seen


def pick(page: Page, place: int) -> None:
    page.click(f'.own [data-place="{place}"]', position={"x": 6, "y": 30})


def shown(seen: Seen) -> Document:
    found: Document = seen.now("view")["page"]
    return found


def test_a_hand_by_hand(browser: Browser) -> None:
    seen = stage("passing")
    with told_page(browser, *seen.everything(), viewport=PHONE) as (page, told):
        page.wait_for_selector(".hearts-bar")
        places = [one["place"] for one in shown(seen)["mine"]]
        for place in places[:4]:
            pick(page, place)
        assert page.locator(".own .chosen").count() == 3, "the fourth is not taken"
        page.keyboard.press("p")
        page.wait_for_function("document.querySelector('.hearts-bar .button').disabled")
        (said,) = [one for one in told.said if one["type"] == "move"]
        assert said["move"] == {"type": "give", "places": sorted(places[:3])}
        # Nothing sticks out of a small phone, the fan of thirteen neither.
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    seen.until(lambda view: view["page"]["stage"] == "opening")
    with told_page(browser, *seen.everything()) as (page, told):
        page.wait_for_function("document.querySelector('#actions .resting')?.textContent.includes('two of clubs')")
        while not any(one["type"] == "move" for one in told.said):
            page.wait_for_timeout(20)
        (said,) = [one for one in told.said if one["type"] == "move"]
        assert said["move"] == shown(seen)["opening"]

    seen.until(lambda view: view["page"]["stage"] == "playing" and not all(one["can"] for one in view["page"]["mine"]))
    with told_page(browser, *seen.everything()) as (page, told):
        page.wait_for_selector(".hearts-bar")
        mine = shown(seen)["mine"]
        assert page.locator(".own .cannot:disabled").count() == sum(not one["can"] for one in mine)
        place = next(one["place"] for one in mine if one["can"])
        pick(page, place)
        page.wait_for_selector(".own .chosen")
        pick(page, place)
        page.wait_for_function("[...document.querySelectorAll('.own button')].every((one) => one.disabled)")
        (said,) = [one for one in told.said if one["type"] == "move"]
        assert said["move"] == {"type": "play", "place": place}


@pytest.mark.deep
def test_a_whole_hand_against_bots(browser: Browser, folder: Path) -> None:
    typed = ("play", "--game", "hearts", "--hands", "1")
    with run_page_server(folder, *typed) as running, open_page(browser, running.address()) as page:
        deal(page)
        for _ in range(2000):
            if page.query_selector(".verdict .stamp") is not None:
                break
            can = page.query_selector(".own .can:not(.chosen)")
            ready = page.query_selector(".hearts-bar .button:not([disabled])")
            if ready is not None:
                ready.click()
            elif can is not None and (place := can.get_attribute("data-place")) is not None:
                pick(page, int(place))
            page.wait_for_timeout(40)
        page.wait_for_selector(".verdict .stamp", timeout=PAGE_TIMEOUT)
        assert "This hand:" in (page.text_content(".news") or "")
