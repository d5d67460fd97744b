"""What the page weighs, how quick it is, and that it does not grow."""

from __future__ import annotations

import socket
import statistics
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from .browser import act, deal, opened, play_until, program

FIRST_LOAD_MAX = 300_000
LATENCY_MAX = 60.0
HEAP_GROWTH_MAX = 1.2
TASK_MAX = 50.0

SHIFTS = """new Promise(done => {
  let sum = 0;
  new PerformanceObserver(list => list.getEntries().forEach(one => { if (!one.hadRecentInput) sum += one.value; }))
    .observe({type: 'layout-shift', buffered: true});
  setTimeout(() => done(sum), 300);
})"""

#: Which properties are animated, how long tasks are, and when the seats have changed.
MOVED = """() => {
  window.moved = new Set();
  const plain = Element.prototype.animate;
  Element.prototype.animate = function (frames, ...rest) {
    for (const frame of frames) for (const name of Object.keys(frame)) moved.add(name);
    return plain.call(this, frames, ...rest);
  };
}"""
LONG = """() => {
  window.long = [];
  new PerformanceObserver(list => long.push(...list.getEntries().map(one => one.duration))).observe({type: 'longtask'});
}"""
SEEN = """() => {
  window.seen = 0;
  new MutationObserver(() => { seen = seen || performance.timeOrigin + performance.now(); })
    .observe(document.querySelector('.seats'), {subtree: true, attributes: true, childList: true, characterData: true});
}"""


def test_the_first_load_is_small_and_nothing_jumps(browser: Browser, folder: Path) -> None:
    sizes: dict[str, int] = {}
    with program(folder, "play", "--hands", "1") as running:
        address = running.address()
        within = browser.new_context(viewport={"width": 1280, "height": 800})
        page = within.new_page()
        page.on(
            "response",
            lambda answer: sizes.__setitem__(
                answer.url, len(answer.body()) if answer.ok and answer.status != 204 else 0
            ),
        )
        page.goto(address)
        page.wait_for_selector(".start")
        assert page.evaluate(SHIFTS) < 0.01
        deal(page)
        page.wait_for_selector("#actions .betting")
        page.wait_for_timeout(100)
        within.close()
    assert all(url.startswith("http://127.0.0.1:") for url in sizes)
    assert 20_000 < sum(sizes.values()) <= FIRST_LOAD_MAX, sizes


@pytest.mark.deep
def test_only_transform_and_opacity_move_and_a_replay_never_blocks(browser: Browser, folder: Path) -> None:
    with (
        program(folder, "play", "--seats", "4", "--hands", "1") as running,
        opened(browser, running.address(), pace="quick", reduced_motion="no-preference") as page,
    ):
        page.evaluate(MOVED)
        deal(page)
        play_until(page, ".verdict .stamp", "S", "C")
        assert set(page.evaluate("[...moved]")) <= {"transform", "opacity", "offset"} and page.evaluate("moved.size")
        page.click("#tab-hands")
        page.evaluate(LONG)
        page.click(".replay")
        page.wait_for_selector(".player:not([hidden])")
        last = int(page.get_attribute(".player [type=range]", "max") or 0)
        for _ in range(last):
            page.click("[aria-label=Forward]")
        page.wait_for_timeout(200)
        assert [one for one in page.evaluate("long") if one > TASK_MAX] == []


def heap(page: Page) -> float:
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    return float(session.send("Runtime.getHeapUsage")["usedSize"])


@pytest.mark.deep
@pytest.mark.timeout(1500)
def test_the_heap_does_not_grow_with_the_hands(browser: Browser, folder: Path) -> None:
    sizes: dict[int, float] = {}
    with (
        program(folder, "play", "--seats", "2", "--hands", "200") as running,
        opened(browser, running.address()) as page,
    ):
        deal(page, stack="100000")
        for hand in (20, 200):
            mark = f".hands li:first-child [aria-label='Show hand {hand} again']"
            for _ in range(20_000):
                if page.query_selector(mark) is not None:
                    break
                act(page, "M", "F", "C")
                page.wait_for_timeout(20)
            sizes[hand] = heap(page)
    assert sizes[200] <= HEAP_GROWTH_MAX * sizes[20], sizes


@pytest.mark.deep
def test_a_click_is_seen_in_the_other_page_soon(browser: Browser, folder: Path) -> None:
    """Fifty checks and folds, from the click in one page to the changed turn in the other."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        listen = f"127.0.0.1:{probe.getsockname()[1]}"
    with ExitStack() as stack:
        hosted = ("host", "--name", "Ada", "--seats", "2", "--hands", "60", "--stack", "100000", "--listen", listen)
        host = stack.enter_context(program(folder / "a", *hosted))
        ada = stack.enter_context(opened(browser, host.address()))
        guest = stack.enter_context(program(folder / "b", "join", ada.input_value(".invite input"), "--name", "Ben"))
        ben = stack.enter_context(opened(browser, guest.address()))
        ada.click("#actions >> text=Yes")
        ben.click("#actions >> text=Yes")
        took: list[float] = []
        echo: list[float] = []
        for page in (ada, ben):
            page.wait_for_selector(".felt")
            page.evaluate(SEEN)
        for _ in range(2000):
            if len(took) >= 50:
                break
            for page, other in ((ada, ben), (ben, ada)):
                if page.query_selector("#actions [aria-keyshortcuts=S]:enabled"):
                    act(page, "S")
                elif page.query_selector("#actions [aria-keyshortcuts=C]:enabled"):
                    other.evaluate("seen = 0")
                    began = page.evaluate(
                        "(() => { const at = performance.timeOrigin + performance.now();"
                        " document.querySelector('#actions [aria-keyshortcuts=C]').click(); return at; })()"
                    )
                    while not other.evaluate("seen"):
                        other.wait_for_timeout(2)
                    took.append(float(other.evaluate("seen")) - began)
                    echo.append(float(page.evaluate(ECHO)))
            ada.wait_for_timeout(5)
    # Four such ways lie between the two pages: to the seat, to the relay, to the other seat, to its page.
    bare = 2 * statistics.median(echo)
    assert statistics.median(took) <= bare + LATENCY_MAX, (statistics.median(took), bare)


#: A word that the seat refuses at once: there and back over the page's own kind of link.
ECHO = """new Promise(done => {
  const socket = new WebSocket(`ws://${location.host}/documents`);
  let began = 0;
  socket.onmessage = event => {
    if (began && JSON.parse(event.data).type === 'refused') { done(performance.now() - began); socket.close(); }
  };
  socket.onopen = () => setTimeout(() => { began = performance.now(); socket.send('{}'); }, 30);
})"""
