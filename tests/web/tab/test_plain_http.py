"""A page without encryption, from another machine than one's own: a browser gives it no storage, and it says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from nodealer.client.host_relay import own_address
from nodealer_lab.browser import find_chromium
from web.tab.conftest import Run
from web.tab.people import event, own_cards, person, play_until, sit_down, tab
from web.tab.site import light, served

#: A name of this machine that a browser does not take for its own: as from a home network.
NAME = "cards.home.arpa"


@pytest.fixture
def away(browser: Browser) -> Iterator[Browser]:
    """A browser for which that name is this machine."""
    args = ["--no-sandbox", "--disable-gpu", f"--host-resolver-rules=MAP {NAME} 127.0.0.1"]
    started = browser.browser_type.launch(executable_path=find_chromium(), args=args)
    yield started
    started.close()


@pytest.mark.timeout(300)
def test_it_says_so_before_there_is_a_seat(away: Browser, tmp_path: Path) -> None:
    with served(light(tmp_path, "plain")) as site, person(away) as within:
        page = tab(within, f"http://{NAME}:{site.port}/")
        said = page.inner_text(".served")
        assert "A reload loses the hand" in said and "could see your cards" in said and NAME in said
        assert page.evaluate("() => [isSecureContext, navigator.serviceWorker ?? null]") == [False, None]
        # From one's own machine a browser keeps things, and only the one sentence stays.
        page = tab(within, site.address)
        said = page.inner_text(".served")
        assert "reload" not in said and "could see your cards" in said


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_a_guest_plays_on_the_page_that_a_host_serves(away: Browser, bundle: Path, run: Run) -> None:
    table = ("--seats", "2", "--hands", "1", "--no-clock", "--page", str(bundle))
    host = run("host", "host", "--auto", "--name", "Hal", *table, "--json")
    link = urlsplit(event(host, "table")["link"])
    assert link.scheme == "http" and link.hostname == own_address() and link.port
    with person(away) as within:
        page = tab(within, f"http://{NAME}:{link.port}/#{link.fragment}")
        page.wait_for_selector(".start.tab input")
        assert "A reload loses the hand" in page.inner_text(".served")
        assert "stores nothing" in page.inner_text(".start.tab .warning")
        sit_down(page, "Tabea")
        assert own_cards(page)
        play_until(".verdict .stamp", page)
        assert "clean" in page.inner_text(".verdict").lower()
    assert event(host, "verified")["verdict"] == "clean"
