"""Who does not answer, who sits out and who leaves, on the page: what is shown, and the buttons that one presses."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from .browser import free_port, open_page, play_all_until, run_command, run_page_server

#: At once: the button may be gone the next moment.
SAY_SO = """[...document.querySelectorAll('#table-rules button')]
  .find(one => /without Cleo/.test(one.textContent))?.click()"""


def table_rules(page: Page) -> str:
    return page.text_content("#table-rules") or ""


def status(page: Page, seat: int) -> str:
    return page.text_content(f".pod[data-seat='{seat}'] .status") or ""


def results(page: Page) -> int:
    return page.locator(".lines .result, .lines .void").count()


@pytest.mark.timeout(400)
def test_one_is_killed_one_sits_out_and_the_last_one_ends(browser: Browser, folder: Path) -> None:
    """Three seats and a clock. The bot is killed, and the two others go on without it, each by a button of its page.
    Then one sits out, so that too few are left; it comes back, and another hand is played; at last it leaves."""
    with ExitStack() as stack:
        hosted = ("host", "--name", "Ada", "--seats", "3", "--hands", "9", "--clock", "90")
        host = stack.enter_context(run_page_server(folder / "a", *hosted, "--listen", f"127.0.0.1:{free_port()}"))
        ada = stack.enter_context(open_page(browser, host.address()))
        link = ada.input_value(".invite input")
        guest = stack.enter_context(run_page_server(folder / "b", "join", link, "--name", "Ben"))
        ben = stack.enter_context(open_page(browser, guest.address()))
        ada.click("#actions >> text=Yes")
        bot = stack.enter_context(run_command(folder / "c", "join", link, "--name", "Cleo", "--auto"))
        ada.wait_for_selector("text=Let Cleo sit down?")
        ada.click("#actions >> text=Yes")
        ben.wait_for_selector(".proposal .clock")
        assert "90 s per move, plus a time bank of 180 s" in (ben.text_content(".proposal .clock") or "")
        ben.click("#actions >> text=Yes")
        ada.wait_for_selector("#actions .betting")
        play_all_until((ada,), lambda: status(ada, 0).startswith("Your turn · "))
        assert 200 <= int(status(ada, 0).partition("·")[2].strip(" s")) <= 270
        bot.kill()
        bot.wait()
        both = (ada, ben)
        play_all_until(both, lambda: all("without Cleo" in table_rules(page) for page in both), "S", "C")
        assert "needs 2 of 3 votes" in table_rules(ada) and "Waiting for Cleo" in table_rules(ada)
        before = results(ada)
        ada.click("#table-rules >> text=Go on without Cleo")
        ada.wait_for_selector("#table-rules >> text=You voted to go on without Cleo")
        ben.click("#table-rules >> text=Go on without Cleo")
        play_all_until(both, lambda: "the rules move for them" in (ada.text_content(".lines") or ""))

        def went_on() -> bool:
            for page in both:
                # What Cleo owes next is another thing.
                page.evaluate(SAY_SO)
            return results(ada) > before and results(ben) > before

        play_all_until(both, went_on, "S", "C")
        assert status(ada, 2) == status(ben, 2) == "away"
        # Ben plays this hand to its end, and not the next one.
        ben.click("#tools button")
        ben.click("dialog >> text=Sit out")
        ben.wait_for_selector("#table-rules >> text=Rejoin the game")
        play_all_until(both, lambda: "Too few players are left" in table_rules(ada), "S", "F", "C")
        assert "Ben and Cleo" in table_rules(ada) and ada.locator("#table-rules >> text=End the game").is_visible()
        played = results(ada)
        ben.click("#table-rules >> text=Rejoin the game")
        play_all_until(both, lambda: results(ada) > played, "S", "F", "C")
        ben.click("#tools button")
        ben.click("dialog >> text=Leave the table")
        ben.click("dialog >> text=Yes")
        play_all_until((ada,), lambda: "Too few players are left" in table_rules(ada), "S", "F", "C")
        ada.click("#table-rules >> text=End the game")
        ada.wait_for_selector(".verdict .stamp")
