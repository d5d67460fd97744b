"""What comes to the page of a tab from others, as bad as it can be: texts with markup, and questions that change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from nodealer.web.tab.setup import host_offers
from nodealer.wire import encode
from web.states import asked, lobby
from web.tab.people import person
from web.tab.site import light, served

MARKUP = "<img src=/x onerror='ran=1'><script>ran=1</script><b class=evil>"
#: A seat that is none: the page is told what a test says, and what the page requests is kept.
SEAT = """
window.requests = [];
window.Worker = class {
  constructor() { window.seat = this; }
  postMessage(request) { requests.push(request); }
  terminate() {}
};
window.hear = (data) => seat.onmessage({ data });
window.told = (document) => hear({ is: "document", text: JSON.stringify(document) });
"""


@contextmanager
def page_of(browser: Browser, folder: Path, fragment: str = "") -> Iterator[Page]:
    """A page whose seat is in the hand of a test."""
    with served(light(folder, "hostile")) as site, person(browser, service_workers="block") as within:
        within.add_init_script(SEAT)
        page = within.new_page()
        page.goto(f"{site.address}/#{fragment}")
        page.wait_for_function("() => window.seat?.onmessage")
        yield page


def tell(page: Page, document: dict[str, Any]) -> None:
    page.evaluate("(document) => told(document)", document)


def hear(page: Page, **said: Any) -> None:
    page.evaluate("(said) => hear(said)", said)


def marked(document: dict[str, Any]) -> dict[str, Any]:
    """The same, with markup for every name."""
    text = json.dumps(document)
    for name in ("Ada", "Ben", "Cleo"):
        text = text.replace(f'"{name}', f'"{MARKUP}{name}')
    changed: dict[str, Any] = json.loads(text)
    return changed


def clean(page: Page) -> None:
    """Nothing of it has become anything but text."""
    assert page.evaluate("() => [window.ran ?? null, document.querySelectorAll('img, .evil, body script').length]") == [
        None,
        0,
    ]


@pytest.mark.timeout(300)
def test_markup_of_others_is_text_and_nothing_else(browser: Browser, tmp_path: Path) -> None:
    with page_of(browser, tmp_path, "<img src=/x onerror=ran=1>") as page:
        hear(page, **{"is": "ready"})
        # The fragment goes to the seat, which reads it strictly, and nowhere else.
        requests = page.evaluate("() => requests")
        assert [one["do"] for one in requests] == ["inspect"] and "img" in requests[0]["link"]
        for kind in ("error", "crash", "storage", "boot", "in use", "no such kind"):
            hear(page, **{"is": "fatal", "reason": MARKUP, "kind": kind})
            assert page.query_selector(".stopped") is not None
            clean(page)
        hear(page, **{"is": "invited", "link": "x", "watch": False, "known": False, "stores": True})
        hear(page, **{"is": "fatal", "reason": MARKUP, "kind": "name"})
        assert "<img" in page.inner_text(".start.tab [role=alert]")
        hear(page, **{"is": "offers", **json.loads(encode(host_offers()))})
        hear(page, **{"is": "fatal", "reason": MARKUP, "kind": "error"})
        assert "<img" in page.inner_text(".start.tab .problem")
        for document in map(marked, lobby().documents):
            tell(page, document)
        page.wait_for_selector(".lobby")
        assert "<script>" in page.inner_text(".lobby") and "<script>" in page.inner_text("#actions")
        for code in ("code", "declined", "cannot begin", "code dead", "left out"):
            of = dict.fromkeys(("name", "reason", "code", "relay", "more", "players"), MARKUP)
            tell(page, {"type": "notice", "kind": "note", "code": code, "about": code, "of": of})
        clean(page)
        for document in map(marked, asked().documents):
            tell(page, document)
        page.wait_for_selector("#actions .betting")
        tell(page, {"type": "chat", "seat": 1, "name": MARKUP, "text": MARKUP})
        tell(page, {"type": "refused", "code": "x", "reason": MARKUP})
        tell(page, {"type": "over", "again": False, "reason": MARKUP})
        assert "<script>" in page.inner_text("#actions")
        clean(page)


@pytest.mark.timeout(300)
def test_homes_with_markup_and_a_hostile_file_name(browser: Browser, tmp_path: Path) -> None:
    with page_of(browser, tmp_path) as page:
        hear(page, **{"is": "ready"})
        one = {"table": MARKUP, "name": MARKUP, "hosted": True, "size": 1, "at": 0}
        hear(page, **{"is": "tables", "tables": [one, one | {"name": None}], "stores": True})
        assert "<img" in page.inner_text(".stored-tables") and "saved yourself" in page.inner_text(".stored-tables")
        clean(page)


@pytest.mark.timeout(300)
def test_enter_sits_down_and_who_has_no_seat_is_not_counted(browser: Browser, tmp_path: Path) -> None:
    hello, shown = lobby().documents
    people = [one | {"state": state} for one, state in zip(shown["people"], ("agreed", "asked", "here"), strict=False)]
    proposal = {
        "game": "holdem",
        "protocol": "mask",
        "hands": 1,
        "players": ["Ada", "Ben"],
        "warning": None,
        "clock": None,
    }
    with page_of(browser, tmp_path) as page:
        hear(page, **{"is": "invited", "link": "x", "watch": False, "known": False, "stores": True})
        page.press(".start.tab input", "Enter")
        assert not page.evaluate("() => requests.filter((one) => one.do === 'join')"), "without a name nobody sits"
        page.fill(".start.tab input", "Tom")
        page.press(".start.tab input", "Enter")
        assert [one["name"] for one in page.evaluate("() => requests.filter((one) => one.do === 'join')")] == ["Tom"]
        tell(page, hello)
        tell(page, shown | {"people": people, "seats": 2, "proposal": proposal})
        assert page.inner_text(".lobby .lead").startswith("2 of 2") and page.locator(".people li").count() == 3


@pytest.mark.timeout(300)
def test_a_yes_on_its_way_to_one_proposal_is_none_to_the_next(browser: Browser, tmp_path: Path) -> None:
    """A host proposes something else in the moment in which somebody is about to agree."""
    hello, shown = lobby().documents

    def ask(number: int, code: str) -> dict[str, Any]:
        question = {"ask": number, "code": code, "name": "", "answers": ["y", "n"]}
        return shown | {"link": None, "watch": None, "qr": [], "question": question}

    # Both at once: as if the second one came a moment before the click.
    click = """(documents) => {
      for (const document of documents) told(document);
      document.querySelector('#actions .question .primary').click();
      return requests.filter((one) => one.do === 'document').map((one) => JSON.parse(one.text));
    }"""
    with page_of(browser, tmp_path) as page:
        tell(page, hello)
        assert page.evaluate(click, [ask(7, "proposal"), ask(8, "another proposal")]) == []
        # Nor by taking the first one back in between, or by showing the second one again.
        assert page.evaluate(click, [ask(9, "proposal") | {"question": None}, ask(9, "proposal")]) == []
        assert page.evaluate(click, [ask(9, "proposal")]) == []
        page.click("#actions .question .primary:enabled")
        said = page.evaluate("() => requests.filter((one) => one.do === 'document').map((one) => JSON.parse(one.text))")
        assert said == [{"type": "answer", "ask": 9, "text": "y"}]
        assert page.evaluate(click, [ask(9, "proposal")])[-1]["ask"] == 9
