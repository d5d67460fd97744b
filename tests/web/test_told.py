"""The page alone, told documents by hand: what it makes of those that cross, and that it has words for every code."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from playwright.sync_api import Browser, Page

from nodealer.client.events import KeyStatus
from nodealer.client.questions import Asked
from nodealer.web import lobby
from nodealer.web import messages as doc
from nodealer.web.notices import KINDS

from .told import Document, Told, told_page

HELLO: Document = {"type": "hello", "page": 1, "program": "0", "role": "player", "name": "Ada"}
SEATS = [{"seat": seat, "name": name, "key": "a b c d e f"} for seat, name in enumerate(("Ada", "Ben"))]
TABLE: Document = {
    "type": "table", "session": "00", "words": ["a", "b", "c"], "game": "any", "module": None, "note": "", "rules": [],
    "protocol": "mask", "proven": True, "claims": [], "warning": None, "rehearsal": False, "you": 0, "seats": SEATS,
}  # fmt: skip


def view(**more: Any) -> Document:
    now = [{"seat": seat, "name": name, "state": "here", "chips": None, "owes": None, "waited": 0, "left": None}
           for seat, name in enumerate(("Ada", "Ben"))]  # fmt: skip
    may: dict[str, Any] = {"voted": [], "votes_needed": 2, "voters": 2, "late_needed": 0, "books": []}
    rest: dict[str, Any] = {"mine": [], "text": [], "may": may, "alone": None, "asking": [], "proposed": []}
    moment: Document = {"type": "view", "entry": 1, "hand": 1, "phase": "playing", "page": {"version": 0}}
    return moment | {"seats": now, "turn": [0]} | rest | more


def ask(number: int) -> Document:
    prompt: list[list[str | None]] = [[f"question {number}", None]]
    return {"type": "ask", "ask": number, "for": "move", "prompt": prompt, "help": [], "then": None, "seen": [],
            "typed": True}  # fmt: skip


def typed(page: Page, text: str) -> None:
    page.fill(".typed input", text)
    page.press(".typed input", "Enter")


def said(page: Page, told: Told, count: int) -> list[Document]:
    for _ in range(2000):
        if len(told.said) >= count:
            break
        page.wait_for_timeout(20)
    return told.said


def test_a_yes_to_an_earlier_doubt_does_not_answer_a_later_question(browser: Browser) -> None:
    with told_page(browser, HELLO, TABLE, view(), ask(1)) as (page, told):
        page.wait_for_selector(".typed")
        typed(page, "fold")
        assert said(page, told, 1) == [{"type": "typed", "ask": 1, "text": "fold"}]
        told.tell({"type": "doubt", "ask": 1, "text": "really?"})
        page.wait_for_selector("dialog[open] >> text=really?")
        # The table goes on, and asks another thing, before the person has read the doubt.
        told.tell({"type": "unask"}, view(entry=2), ask(2))
        page.wait_for_selector("text=question 2")
        assert page.query_selector("dialog[open]") is None
        # One that comes late is about nothing that is asked.
        told.tell({"type": "doubt", "ask": 1, "text": "really?"}, view(entry=3))
        page.wait_for_timeout(100)
        assert page.query_selector("dialog[open]") is None and len(told.said) == 1
        typed(page, "raise")
        told.tell({"type": "doubt", "ask": 2, "text": "sure?"})
        page.click("dialog[open] >> text=Yes")
        assert said(page, told, 3)[1:] == [
            {"type": "typed", "ask": 2, "text": "raise"},
            {"type": "typed", "ask": 2, "text": "raise", "sure": True},
        ]


def test_a_yes_that_is_pressed_the_moment_the_question_changes_is_not_said(browser: Browser) -> None:
    """The dialog is still open in front of the person, in whatever way: the yes is to the question it was about."""
    with told_page(browser, HELLO, TABLE, view(), ask(1)) as (page, told):
        page.wait_for_selector(".typed")
        typed(page, "fold")
        said(page, told, 1)
        told.tell({"type": "doubt", "ask": 1, "text": "really?"})
        yes = page.wait_for_selector("dialog[open] >> text=Yes")
        assert yes is not None
        told.tell({"type": "unask"}, ask(2))
        page.wait_for_selector("text=question 2")
        yes.evaluate("one => one.closest('button')?.click()")
        page.wait_for_timeout(100)
        assert len(told.said) == 1


def test_nobody_answers_twice_and_who_says_no_to_a_doubt_is_still_asked(browser: Browser) -> None:
    with told_page(browser, HELLO, TABLE, view(), ask(1)) as (page, told):
        page.wait_for_selector(".typed")
        typed(page, "fold")
        page.keyboard.press("Enter")
        page.click(".typed button")
        told.tell({"type": "refused", "reason": "not possible", "ask": 1, "code": ""})
        page.wait_for_selector(".notice >> text=not possible")
        typed(page, "raise")
        told.tell({"type": "doubt", "ask": 1, "text": "sure?"})
        page.click("dialog[open] >> text=Cancel")
        typed(page, "call")
        assert [one["text"] for one in said(page, told, 3)] == ["fold", "raise", "call"]


def warden(place: int, name: str, *, guard: bool = False) -> Document:
    return {"place": place, "card": 0, "name": name, "court": "tide", "cost": 1, "power": 1, "health": 1, "text": "",
            "target": None, "warden": True, "guard": guard, "ready": True}  # fmt: skip


def side(seat: int, *wardens: Document) -> Document:
    count = {"light": 20, "sparks": 1, "fire": 1, "pile": 9, "hand": 0, "buried": 0}
    return {"seat": seat, "may_bury": False, "discards": [], "wardens": list(wardens)} | count


def test_where_a_guard_stands_nothing_else_can_be_attacked(browser: Browser) -> None:
    sides = [side(0, warden(1, "Mine")), side(1, warden(2, "Behind"), warden(3, "Guard", guard=True))]
    now = view(page={"version": 2, "turn": 3, "active": 0, "sides": sides, "mine": [], "result": None})
    table = TABLE | {"game": "wardens", "module": "game/wardens/table.js"}
    with told_page(browser, HELLO, table, now, ask(1)) as (page, told):
        page.click(".units .unit.can")
        assert page.locator(".face-target").count() == 0
        assert page.locator(".units .unit.target b").all_text_contents() == ["Guard"]
        page.click(".units .unit.target")
        # Nobody answers twice.
        assert page.locator(".units .unit:enabled, #actions button:enabled").count() == 0
        move = {"type": "attack", "place": 1, "target": 3}
        assert said(page, told, 1) == [{"type": "move", "ask": 1, "move": move, "sure": False}]


def test_what_is_to_be_sealed_is_asked_in_every_game(browser: Browser) -> None:
    with told_page(browser, HELLO, TABLE, view(), ask(3) | {"for": "seal"}) as (page, told):
        page.wait_for_selector("text=question 3")
        typed(page, "seven")
        assert said(page, told, 1) == [{"type": "seal", "ask": 3, "text": "seven"}]
        told.tell({"type": "unask"}, view(entry=2))
        page.wait_for_selector(".typed", state="detached")


WORDS = """Promise.resolve(import('/static/js/text.js')).then(({T}) => ({
  notices: Object.keys(T.notices), refused: Object.keys(T.refused), question: Object.keys(T.lobby.question),
  answer: Object.keys(T.lobby.answer), known: Object.keys(T.lobby.known),
  breaks: Object.keys(T.tableRules.abortConfirm),
}))"""


@pytest.fixture
def words(browser: Browser) -> dict[str, list[str]]:
    with told_page(browser, HELLO) as (page, _):
        return dict(page.evaluate(WORDS))


def test_the_links_of_a_new_key_can_be_copied(browser: Browser) -> None:
    links = {"watch": "https://relay.example/#watch", "link": "https://relay.example/#play"}
    told = {"type": "notice", "kind": "note", "code": "key", "of": links, "about": "key"}
    with told_page(browser, HELLO, TABLE, view(), told, viewport={"width": 360, "height": 640}) as (page, _):
        page.wait_for_selector(".notice")
        assert page.get_by_label("Spectator link").input_value() == links["watch"]
        assert page.get_by_label("Link to ask for a seat").input_value() == links["link"]
        page.click(".notice .link .button >> nth=0")
        page.wait_for_selector(".notice >> text=Copied")


def test_there_are_words_for_every_code(words: dict[str, list[str]]) -> None:
    assert set(words["notices"]) == set(KINDS)
    assert set(words["question"]) == {one.value for one in Asked}
    assert set(words["answer"]) == {answer for answers in lobby.ANSWERS.values() for answer in answers}
    assert set(words["known"]) == {one.value for one in KeyStatus}
    assert {*words["refused"], ""} == set(get_args(doc.RefusedCode))
    assert set(words["breaks"]) == set(get_args(doc.Breaks))
