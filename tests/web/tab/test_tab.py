"""A seat in a tab of a real browser: it plays native bots through a relay, and comes back in the middle of a hand."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from nodealer_lab.browser import press_first_enabled
from web.tab.conftest import Run
from web.tab.people import at, event, own_cards, person, play_until, sit_down, tab


@pytest.mark.timeout(600)
def test_a_tab_plays_native_bots_and_comes_back_in_the_middle_of_a_hand(
    browser: Browser, page_at: str, relay_at: str, run: Run
) -> None:
    table = ("--seats", "3", "--hands", "1", "--no-clock", "--relay", relay_at)
    host = run("host", "host", "--auto", "--name", "Hal", *table, "--json")
    link = event(host, "table")["link"]
    run("ben", "join", link, "--auto", "--name", "Ben", "--json")
    address = at(page_at, link)
    with person(browser) as within:
        page = tab(within, address)
        assert "could see your cards" in page.inner_text(".served")
        sit_down(page, "Tabea")
        before = own_cards(page)
        assert before
        # Two tabs on one home: the second one is told, and signs nothing.
        other = tab(within, address)
        other.wait_for_selector(".stopped[data-kind='in use']")
        assert "open in another tab" in other.inner_text(".stopped")
        other.close()
        # Closed in the middle of a hand, and opened again by the same link.
        page.close()
        page = tab(within, address)
        page.wait_for_selector(".table")
        assert own_cards(page) == before
        play_until(".verdict .stamp", page)
        assert "clean" in page.inner_text(".verdict").lower()
        policy = page.evaluate("fetch('/').then((answer) => answer.headers.get('content-security-policy'))")
        assert "'unsafe-eval'" not in policy and "unsafe-inline" not in policy
    assert event(host, "verified")["verdict"] == "clean"


@pytest.mark.deep
@pytest.mark.timeout(600)
def test_practice_without_a_network(browser: Browser, page_at: str) -> None:
    with person(browser) as within:
        page = tab(within, page_at)
        page.wait_for_selector(".served[data-kept]")
        within.set_offline(True)
        page.reload()
        page.click(".start.tab .button.primary")
        page.wait_for_selector(".start [type=submit]")
        page.locator(".start").get_by_label("Hands", exact=True).fill("1")
        page.click(".start [type=submit]")
        play_until(".verdict .stamp", page)
        assert "clean" in page.inner_text(".verdict").lower()


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_two_tabs_play_each_other_and_a_full_storage_is_told(browser: Browser, page_at: str, relay_at: str) -> None:
    with person(browser) as hers, person(browser) as his:
        host = tab(hers, page_at)
        host.click(".start.tab .button:not(.primary)")
        host.locator(".start").get_by_label("Your name").fill("Wirtin")
        host.locator(".start").get_by_label("Relay").fill(relay_at)
        host.locator(".start").get_by_label("Seats").fill("2")
        host.locator(".start").get_by_label("Hands").fill("2")
        host.click(".start.tab .button.primary")
        host.wait_for_selector(".lobby .invite input")
        link = host.input_value(".lobby .invite input")
        assert link.startswith(f"{page_at}#")
        guest = tab(his, at(page_at, link))
        guest.fill(".start.tab input", "Gast")
        guest.click(".start.tab .button.primary")
        # Until the guest is there the host is asked for something else.
        host.click("#actions .question[data-code=sit] .button.primary")
        guest.click("#actions .question .button.primary")
        for page in (host, guest):
            page.wait_for_selector(".table")
        session = his.new_cdp_session(guest)
        session.send("Storage.overrideQuotaForOrigin", {"origin": page_at, "quotaSize": 1})
        for _ in range(2000):
            if guest.query_selector(".stopped") is not None:
                break
            press_first_enabled(host, "S", "C")
            press_first_enabled(guest, "S", "C")
            guest.wait_for_timeout(50)
        assert guest.get_attribute(".stopped", "data-kind") == "storage"
        session.send("Storage.overrideQuotaForOrigin", {"origin": page_at})
        guest.reload()
        guest.wait_for_selector(".table")
        play_until(".verdict .stamp", host, guest)
        for page in (host, guest):
            assert "clean" in page.inner_text(".verdict").lower()
