"""A home and a log leave a tab as files: another browser goes on from the one, and anybody verifies the other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from cli.running import nodealer
from nodealer.keys import MARK_BYTES
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import TableSecret
from nodealer.web.tab.opfs_store import TabStore, new_saved
from web.tab.conftest import Run
from web.tab.people import at, event, own_cards, person, play_until, sit_down, tab
from web.tab.test_opfs_store import MemoryStore

TABLE = ("--seats", "3", "--hands", "1", "--no-clock")


def bring(page: Page, file: Path) -> None:
    """Take a home out of a file."""
    page.set_input_files(".stored-tables [accept='.nodealer']", file)


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_another_browser_goes_on_from_a_file_and_one_watches(
    browser: Browser, page_at: str, relay_at: str, run: Run, tmp_path: Path
) -> None:
    host = run("host", "host", "--auto", "--name", "Hal", *TABLE, "--relay", relay_at, "--json")
    links = event(host, "table")
    run("ben", "join", links["link"], "--auto", "--name", "Ben", "--json")
    home, log = tmp_path / "mine.nodealer", tmp_path / "log.jsonl"
    with person(browser) as hers, person(browser) as other, person(browser) as watcher:
        page = tab(hers, at(page_at, links["link"]))
        sit_down(page, "Tabea")
        before = own_cards(page)
        assert before
        # Somebody watches, in a tab too, and sees no card of anybody.
        watching = tab(watcher, at(page_at, links["watch"]))
        assert watching.query_selector(".start.tab input") is None
        watching.click(".start.tab .button.primary")
        watching.wait_for_selector(".table")
        assert watching.query_selector(".pod.you") is None and watching.query_selector("#actions .betting") is None
        # The home of a seat that plays is not given away: two would play from it.
        menu = tab(hers, page_at)
        menu.click(".stored-tables li .button.quiet >> nth=0")
        menu.click(".stored-tables li .warning .button")
        menu.wait_for_selector(".stopped[data-kind='in use']")
        page.close()
        menu.reload()
        menu.click(".stored-tables li .button.quiet >> nth=0")
        assert "your cards at that table" in menu.inner_text(".stored-tables li .warning")
        with menu.expect_download() as coming:
            menu.click(".stored-tables li .warning .button")
        coming.value.save_as(home)
        # What is there already is not written over.
        bring(menu, home)
        menu.wait_for_selector(".stopped[data-kind=exists]")
        assert "already" in menu.inner_text(".stopped")
        menu.close()
        # A fresh browser, which knows nothing: what is no home is refused, and the home goes on with the same cards.
        there = tab(other, page_at)
        there.wait_for_selector(".stored-tables [accept='.nodealer']")
        (tmp_path / "no.nodealer").write_bytes(b"{}\n")
        bring(there, tmp_path / "no.nodealer")
        there.wait_for_selector(".stopped[data-kind=error]")
        assert "not a stored seat" in there.inner_text(".stopped")
        there.reload()
        there.wait_for_selector(".stored-tables [accept='.nodealer']")
        bring(there, home)
        there.click(".stored-tables li .button >> nth=0")
        there.wait_for_selector(".table")
        assert own_cards(there) == before
        play_until(".verdict .stamp", there)
        watching.wait_for_selector(".verdict .stamp", state="attached")
        for one in (there, watching):
            assert "clean" in (one.text_content(".verdict") or "").lower()
        # The log, verified by the installed program.
        there.click("#tab-fair")
        with there.expect_download() as coming:
            there.get_by_role("button", name="Save the log").click()
        coming.value.save_as(log)
        # And by one who has nothing installed, in a tab that was at no table.
        reading = tab(watcher, page_at)
        reading.set_input_files(".stored-tables [accept='.jsonl']", log)
        reading.wait_for_selector(".verdict .stamp", state="attached")
        assert "clean" in (reading.text_content(".verdict") or "").lower()
        reading.close()
        # Two entries in the other order: somebody has had a hand in it.
        lines = log.read_bytes().splitlines(keepends=True)
        (tmp_path / "no.jsonl").write_bytes(b"".join((*lines[:4], lines[5], lines[4], *lines[6:])))
        reading = tab(watcher, page_at)
        reading.set_input_files(".stored-tables [accept='.jsonl']", tmp_path / "no.jsonl")
        reading.wait_for_selector(".verdict .stamp", state="attached")
        assert "clean" not in (reading.text_content(".verdict .stamp") or "").lower()
    assert event(host, "verified")["verdict"] == "clean"
    verified = nodealer("verify", str(log))
    assert verified.returncode == 0, verified.stderr


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_bad_links_names_and_files_are_told_and_leave_nothing_behind(
    browser: Browser, page_at: str, tmp_path: Path
) -> None:
    """At a real storage, without any relay."""
    link = Invitation(("ws://127.0.0.1:1",), TableSecret(bytes(16), "5a" * 16, 0), bytes(MARK_BYTES))
    store = MemoryStore()
    TabStore.create(store, new_saved("Ada", link.link, bytes(32), bytes(32)))
    home = tmp_path / "home.nodealer"
    home.write_bytes(bytes(store.data))
    with person(browser) as within:
        for fragment in ("<b>", "A" * 5000, link.fragment[:-9], "javascript:alert(1)"):
            page = tab(within, f"{page_at}/#{fragment}")
            page.wait_for_selector(".stopped[data-kind=error]")
            assert "invitation" in page.inner_text(".stopped") or "link" in page.inner_text(".stopped")
            page.close()
        # A full storage: the home is not there, and its file is not held by the tab that has failed.
        page = tab(within, page_at)
        page.wait_for_selector(".stored-tables [accept='.nodealer']")
        session = within.new_cdp_session(page)
        session.send("Storage.overrideQuotaForOrigin", {"origin": page_at, "quotaSize": 1})
        bring(page, home)
        page.wait_for_selector(".stopped[data-kind=storage]")
        assert page.query_selector(".stored-tables li") is None
        session.send("Storage.overrideQuotaForOrigin", {"origin": page_at})
        bring(page, home)
        page.wait_for_selector(".stored-tables li")
        # A link of the same number, as a relay could make it: the seat does not go there.
        false = replace(link, relays=("ws://127.0.0.1:2",), key=TableSecret(b"e" * 16, "5a" * 16, 0))
        page.close()
        page = tab(within, f"{page_at}/#{false.fragment}")
        page.wait_for_selector(".stopped[data-kind=error]")
        assert "One of the two links is fake" in page.inner_text(".stopped")
        page.close()
        # A name that nobody may have, and then another one, in the same tab.
        other = replace(link, key=TableSecret(bytes(16), "5b" * 16, 0))
        page = tab(within, f"{page_at}/#{other.fragment}")
        page.fill(".start.tab input", "<b>Ada")
        page.click(".start.tab .button.primary")
        page.wait_for_selector(".stopped[data-kind=error]")
        page.fill(".start.tab input", "Ada")
        page.click(".start.tab .button.primary")
        page.wait_for_selector("#notices .notice")
        assert page.query_selector(".stopped") is None
