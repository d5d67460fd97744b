"""The page in a real browser, driven as a person would."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from playwright.sync_api import Browser, Page

from nodealer_lab.npm import install

from .browser import (
    boxes,
    deal,
    free_port,
    open_page,
    overlap,
    play_all_until,
    play_until,
    run_page_server,
    search_once,
)
from .states import asked, away, start
from .told import told_page

#: Whole games in processes, on a machine that may have much else to do.
pytestmark = pytest.mark.timeout(400)

SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
NPM = Path(__file__).parent / "npm"
TESTS = Path(__file__).parents[1]


def pods(page: Page) -> dict[str, int]:
    """Names and stacks."""
    found = page.eval_on_selector_all(
        ".pod",
        "all => all.map(one => [one.querySelector('.name').textContent, one.querySelector('.stack').textContent])",
    )
    return {name: int(stack) for name, stack in found}


def cards_of(page: Page) -> list[str]:
    """The faces of one's own cards."""
    return list(page.locator(".pod.you .card").evaluate_all("all => all.map(one => one.dataset.face)"))


def test_a_hand_to_showdown_against_bots_with_a_reload_in_the_middle_and_again(fresh: Page) -> None:
    deal(fresh, Players="3", Hands="1")
    fresh.wait_for_selector("#actions .betting")
    before = cards_of(fresh)
    fresh.reload()
    fresh.wait_for_selector("#actions .betting")
    assert cards_of(fresh) == before and len(before) == 2 and "#" not in fresh.url
    play_until(fresh, ".verdict .stamp", "S", "C")
    assert fresh.text_content(".verdict .stamp") == fresh.text_content(".verdict .stamp.clean")
    assert fresh.locator(".board .card.face").count() in (0, 3, 4, 5)
    assert sum(pods(fresh).values()) == 600
    states = fresh.locator(".shuffle .state").all_text_contents()
    assert states == ["yours: others check it", "verified by you", "verified by you"]
    assert fresh.locator(".order").is_visible()
    assert fresh.locator(".lines .result").count() >= 1
    fresh.click("#tab-hands")
    fresh.click(".replay")
    fresh.wait_for_selector(".player:not([hidden])")
    fresh.click("[aria-label=Last]")
    last, board = fresh.text_content(".at"), fresh.locator(".board .card.face").count()
    won = fresh.text_content(".news")
    fresh.click("[aria-label=First]")
    assert fresh.locator(".board .card.face").count() == 0 and (last or "").split()[0] == (last or "").split()[2]
    assert fresh.text_content(".news") == "" and fresh.locator(".pod.wins").count() == 0
    fresh.click("[aria-label=Last]")
    assert fresh.locator(".board .card.face").count() == board and won and fresh.text_content(".news") == won
    fresh.click("text=Back to the table")
    fresh.click("#tab-fair")


def test_a_fold_and_an_all_in_by_keyboard_only(fresh: Page) -> None:
    """Whoever has the button is asked first when two play: in the first hand and in the third that is oneself, whatever
    the bot does. Who has folded two hands has lost two blinds, and enough to raise with."""
    deal(fresh, Players="2", Hands="3")
    fresh.wait_for_selector("#actions [aria-keyshortcuts=F]:enabled")
    fresh.keyboard.press("f")
    play_until(fresh, ".hands li:nth-child(2)", "S", "F", "C")
    fresh.wait_for_selector("#actions [aria-keyshortcuts=R]:enabled")
    fresh.keyboard.press("a")
    assert "All in" in (fresh.text_content("#actions [aria-keyshortcuts=R]") or "")
    fresh.keyboard.press("r")
    play_until(fresh, ".verdict .stamp", "S", "C")
    assert "all in" in " ".join(fresh.locator(".lines .move").all_text_contents())


def test_amounts_have_steps_and_both_ends(fresh: Page) -> None:
    deal(fresh, Players="2", Hands="1", stack="57")
    fresh.wait_for_selector(".sizes")
    number, slider = fresh.locator(".sizes [type=number]"), fresh.locator(".sizes [type=range]")
    least, most = int(number.get_attribute("min") or 0), int(number.get_attribute("max") or 0)
    assert int(number.input_value()) == least and most == 57
    slider.fill(str(least + 5))
    assert (int(number.input_value()) % 2) == 0
    number.fill("9999")
    number.blur()
    assert number.input_value() == str(most) and "All in" in (fresh.text_content("[aria-keyshortcuts=R]") or "")
    number.fill("")
    number.blur()
    assert number.input_value() == str(least)
    play_until(fresh, ".verdict .stamp", "S", "F", "C")


def test_a_bot_that_cheats_is_caught_and_the_evidence_can_be_saved(fresh: Page, folder: Path) -> None:
    deal(fresh, Players="3", Hands="1", **{"Let a bot cheat": "double"})
    fresh.wait_for_selector(".alarm:not([hidden])")
    assert "Cleo cheated" in (fresh.text_content(".alarm") or "")
    with fresh.expect_download() as download:
        fresh.click(".alarm button")
    evidence = folder / "evidence.jsonl"
    download.value.save_as(evidence)
    verify = [sys.executable, "-m", "nodealer.cli", "verify", "--json", str(evidence)]
    report = json.loads(subprocess.run(verify, capture_output=True, check=False).stdout)
    assert report["verdict"] == "fault" and report["faults"][0]["name"] == "Cleo"
    play_until(fresh, ".verdict .stamp.fault", "S", "C")
    # What came of it is told after the verdict.
    fresh.wait_for_selector(".cheating:has-text('the log names Cleo')")


def test_the_collectible_game_with_a_search(browser: Browser, folder: Path) -> None:
    """Three of four cards of these lists search. What costs too much yet waits, and other cards become sparks."""
    typed = ("play", "--game", "web.searching:GAME")
    with run_page_server(folder, *typed, within=TESTS) as running, open_page(browser, running.address()) as page:
        page.click(".start [type=submit]")
        search_once(page)
        assert page.locator("dialog[open] .choice").count() > 5
        kept = page.text_content("dialog[open] .choice >> nth=0")
        hand = page.locator(".hand .unit").count()
        page.click("dialog[open] .choice >> nth=0")
        page.wait_for_selector("dialog", state="hidden")
        page.wait_for_selector("#actions [aria-keyshortcuts=E]")
        assert page.locator(".hand .unit").count() == hand + 1 and kept
        page.set_viewport_size({"width": 360, "height": 640})
        rows, arena = boxes(page, ".arena > *"), boxes(page, ".arena")
        assert len(rows) == 7 and overlap(rows) == [] and rows[-1][3] <= arena[0][3] <= 640
        page.click("text=Concede")
        page.click("dialog[open] .danger")
        page.wait_for_selector(".verdict .stamp.clean", state="attached")


@pytest.mark.deep
@pytest.mark.parametrize("seats", ["2", "9"])
def test_a_phone_has_everything_and_nothing_sticks_out(browser: Browser, folder: Path, seats: str) -> None:
    phone: dict[str, Any] = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True}
    with (
        run_page_server(folder, "play", "--seats", seats, "--hands", "1") as running,
        open_page(browser, running.address(), **phone) as page,
    ):
        page.click(".start [type=submit]")
        page.wait_for_selector("#actions .betting")
        page.wait_for_timeout(100)
        wide = page.evaluate("document.documentElement.scrollWidth")
        boxes = page.eval_on_selector_all(
            ".pod .plate, #actions button, .board",
            "all => all.map(one => one.getBoundingClientRect()).map(b => [b.left, b.right, b.top, b.bottom])",
        )
        assert wide <= 360
        inside = [left >= -1 and right <= 361 and top >= 0 and bottom <= 641 for left, right, top, bottom in boxes]
        assert all(inside), boxes
        page.click("#tab-log")
        assert page.locator(".panel.log .lines").is_visible()
        page.click("#tab-log")
        assert not page.locator(".panel.log .lines").is_visible()
        page.tap("#actions [aria-keyshortcuts=C]")
        play_until(page, ".lines .result", "S", "F", "C")


def test_killed_in_the_middle_it_goes_on_with_the_same_cards(browser: Browser, folder: Path) -> None:
    with (
        run_page_server(folder, "play", "--seats", "2", "--hands", "2") as running,
        open_page(browser, running.address()) as page,
    ):
        page.click(".start [type=submit]")
        page.wait_for_selector("#actions .betting")
        first = cards_of(page)
        play_until(page, ".hands li", "S", "F", "C")
        page.wait_for_selector("#actions .betting")
        cards = cards_of(page)
        running.process.kill()
        running.process.wait()
        page.wait_for_selector(".notice")
    with run_page_server(folder, "resume") as running, open_page(browser, running.address()) as page:
        page.wait_for_selector("#actions .betting")
        assert cards_of(page) == cards
        play_until(page, ".verdict .stamp.clean", "S", "C")
        # The first hand was played before, and is shown again with the cards of then.
        page.click("#tab-hands")
        page.click(".replay:has-text('Hand 1')")
        page.wait_for_selector(".player:not([hidden])")
        page.click("[aria-label=Last]")
        assert cards_of(page) == first


def test_two_browsers_a_spectator_and_a_relay(browser: Browser, folder: Path) -> None:
    with ExitStack() as stack:
        host = stack.enter_context(run_page_server(folder / "host", "host", "--name", "Ada", "--seats", "2",
                                                   "--hands", "1", "--listen", f"127.0.0.1:{free_port()}"))  # fmt: skip
        ada = stack.enter_context(open_page(browser, host.address()))
        link = ada.input_value(".invite input")
        watch = ada.locator(".invite details input").input_value()
        assert ada.locator(".qr").is_visible()
        guest = stack.enter_context(run_page_server(folder / "guest", "join", link, "--name", "Ben"))
        ben = stack.enter_context(open_page(browser, guest.address()))
        ada.click("#actions >> text=Yes")
        ben.click("#actions >> text=Yes")
        third = stack.enter_context(run_page_server(folder / "third", "watch", watch))
        eve = stack.enter_context(open_page(browser, third.address()))
        for page in (ada, ben, eve):
            page.wait_for_selector(".felt")
        assert ada.text_content(".words") == ben.text_content(".words") == eve.text_content(".words")
        ben.wait_for_selector("#actions .betting, #actions .resting")
        ben.click("#tab-log")
        ben.fill(".chat input", "<img src=x onerror=alert(1)> hello")
        ben.press(".chat input", "Enter")
        ben.click("#tab-fair")
        ada.click("#tab-log")
        ada.wait_for_selector(".chat-line")
        assert "<img src=x onerror=alert(1)> hello" in (ada.text_content(".chat-line") or "")
        assert ada.locator(".chat-line img").count() == 0
        ended = ".verdict .stamp"
        play_all_until((ada, ben), lambda: all(page.query_selector(ended) for page in (ada, ben)), "S", "C")
        for page in (ada, ben, eve):
            page.wait_for_selector(f"{ended}.clean", state="attached")
        assert eve.locator(".chat").is_hidden() and not eve.locator("#actions button").count()


def test_a_saved_log_is_shown_with_its_verdict(browser: Browser, folder: Path) -> None:
    log = folder / "game.jsonl"
    play = [
        sys.executable,
        "-m",
        "nodealer.cli",
        "play",
        "--seed",
        "7",
        "--seats",
        "2",
        "--hands",
        "2",
        "--log",
        str(log),
    ]
    subprocess.run(play, capture_output=True, check=True)
    with run_page_server(folder, "show", str(log)) as running, open_page(browser, running.address()) as page:
        page.wait_for_selector(".player:not([hidden])")
        page.wait_for_selector(".hands li >> nth=1")
        page.click("[aria-label=Last]")
        assert page.locator(".pod").count() == 2
        page.click("#tab-fair")
        assert "Clean" in (page.text_content(".verdict .stamp") or "")


# --- For everybody ---


@pytest.fixture(scope="session")
def axe() -> str:
    """axe-core, by npm."""
    return (install(NPM) / "node_modules" / "axe-core" / "axe.min.js").read_text()


def broken_rules(page: Page, axe: str) -> list[str]:
    """What axe-core finds wrong. Run through the protocol of the browser: the page's own policy lets nobody in."""
    page.evaluate(axe)
    broken: list[str] = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        broken += [f"{scheme} {one['id']}: {one['nodes'][0]['html'][:160]} ({len(one['nodes'])})" for one in found]
    return broken


def test_nothing_is_out_of_reach(browser: Browser, axe: str) -> None:
    with told_page(browser, *start().documents) as (page, told):
        page.wait_for_selector(".start")
        assert broken_rules(page, axe) == []
        told.tell(*away().documents)
        page.wait_for_selector("#table-rules button")
        assert broken_rules(page, axe) == []
        page.click("#tab-log")
        assert broken_rules(page, axe) == []
        page.get_by_label("Settings").click()
        assert broken_rules(page, axe) == []
        page.keyboard.press("Escape")
        told.tell(*asked().documents, {"type": "hand", "hand": 1, "text": "Ada wins 12"})
        page.wait_for_selector("#actions .betting")
        page.click("#tab-hands")
        assert broken_rules(page, axe) == []
        page.goto(page.url + "how")
        assert broken_rules(page, axe) == []
