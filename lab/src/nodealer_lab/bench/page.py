"""`bench page`: the page's download size, latency between two pages, memory growth, and smooth animation.

It runs in a headless Chromium, at tables that the command serves. The yardstick of a click is a message over the same
path without a game: page, its own process, a bare broadcast in place of the relay, the other process, the other page.
Each of the four hops is a WebSocket, as at a table.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nodealer.errors import BadParameter
from nodealer_lab.bench.rounds import BenchEffort
from nodealer_lab.bench.rows import BenchRow, meets, unjudged
from nodealer_lab.bench.server_process import Server
from nodealer_lab.browser import environment_with_folders, free_port, launch_browser, open_page, run_page_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: The limits of the first load: bytes for everything, and the layout shift.
LOAD_MAX, SHIFT_MAX = 300_000, 0.0
#: The number of clicks, and how many seconds one may take beyond the bare echo.
CLICKS, BEYOND = 50, 0.060
#: The earlier and the later hand, and the highest allowed ratio of their heaps.
EARLY, LATE, HEAP = 20, 200, 1.2
#: The limits for a task of the main thread in milliseconds, and for animated properties other than `MAY_MOVE`.
TASK_MAX, OTHERS_MAX = 50.0, 0.0
#: How often the hand is replayed from end to end. Other load on the machine only makes tasks longer.
ROUNDS = 5
MAY_MOVE: Final = ("transform", "opacity")
ECHO: Final = "a bare echo on the same path + 60 ms"
#: The limit on polling steps at a table.
_STEPS = 60_000

#: The measured fields of a row.
Figures = dict[str, Any]

ROWS: Final = (
    BenchRow("first load, everything included", {}, required=LOAD_MAX),
    BenchRow("layout shift of the first load", {}, required=SHIFT_MAX),
    BenchRow("click to changed DOM in the other page, median", {}, yardstick=ECHO, required=1.0),
    BenchRow("JS heap after a collection", {}, yardstick="the heap at the earlier hand", required=HEAP),
    BenchRow("replay of a saved hand: longest task", {}, required=TASK_MAX),
    BenchRow("replay of a saved hand: other properties animated", {}, required=OTHERS_MAX),
)


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield all rows. Raise `BadParameter` if there is no browser."""
    with launch_browser() as browser, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield from judge(effort, ROWS[:2], first_load(browser, folder / "load"))
        yield from judge(effort, ROWS[2:3], clicks(browser, folder / "clicks", effort.size(CLICKS)))
        yield from judge(effort, ROWS[4:], replay(browser, folder / "replay"))
        heaps = heap_growth(browser, folder / "heap", effort.size(EARLY), effort.size(LATE))
        yield from judge(effort, ROWS[3:4], heaps)


def judge(effort: BenchEffort, rows: Sequence[BenchRow], figures: Iterator[Figures]) -> Iterator[BenchRow]:
    """Fill the rows with their figures and compare these with the requirements.

    A row that could not be measured has failed. The figures of a tiny run are not judged.
    """
    from playwright.sync_api import Error

    try:
        found = [replace(row, **those) for row, those in zip(rows, figures, strict=True)]
    except (BadParameter, OSError, Error) as error:
        found = [replace(unjudged(row, str(error)), ok=False) for row in rows]
    for row in found:
        figure = row.value if row.ratio is None else row.ratio
        if figure is not None and effort.shrink == 1:
            yield replace(row, ok=meets(figure, row.required, row.sense))
        else:
            yield row


# --- The first load ---

SHIFTS: Final = """() => {
  window.shifted = 0;
  new PerformanceObserver(list => list.getEntries().forEach(one => { if (!one.hadRecentInput) shifted += one.value; }))
    .observe({type: 'layout-shift', buffered: true});
}"""


def first_load(browser: Browser, folder: Path) -> Iterator[Figures]:
    """Measure the load from an empty cache to the first question at a table: files, headers, and documents."""
    sizes: list[float] = []

    def listen(page: Page) -> None:
        """Record the size of every file and every websocket message that the page loads."""
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.loadingFinished", lambda done: sizes.append(done["encodedDataLength"]))
        session.on("Network.webSocketFrameReceived", lambda got: sizes.append(len(got["response"]["payloadData"])))

    with run_page_server(folder, "play", "--seats", "2", "--hands", "1") as running:
        address = running.address()
        with open_page(browser, "", pace="calm", reduced_motion="no-preference", prepare=listen) as page:
            page.goto(address)
            page.wait_for_selector(".start")
            page.evaluate(SHIFTS)
            page.wait_for_timeout(500)
            page.click(".start [type=submit]")
            page.wait_for_selector("#actions .betting")
            page.wait_for_timeout(200)
            shifted = float(page.evaluate("shifted"))
    yield {"value": sum(sizes) / 1.0, "unit": "bytes", "n": {"files and documents": len(sizes)}}
    yield {"value": shifted, "unit": "of the page"}


# --- A click in one page, displayed in the other ---

#: Records the first change of the seats since `seen` was reset.
SEEN: Final = """() => {
  window.seen = 0;
  new MutationObserver(() => { seen = seen || performance.timeOrigin + performance.now(); })
    .observe(document.querySelector('.seats'), {subtree: true, attributes: true, childList: true, characterData: true});
}"""
#: Presses a button at once, as a person would, and returns the key and the time, or null if there is no such button.
PRESS: Final = """keys => {
  for (const key of keys) {
    const button = document.querySelector(`#actions [aria-keyshortcuts=${key}]:enabled`);
    if (!button) continue;
    const at = performance.timeOrigin + performance.now();
    button.click();
    return [key, at];
  }
  return null;
}"""
BARE: Final = """() => new Promise(done => {
  window.seen = 0;
  window.bare = new WebSocket(`ws://${location.host}/echo`);
  bare.onmessage = event => {
    document.querySelector('p').textContent = event.data;
    seen = performance.timeOrigin + performance.now();
  };
  bare.onopen = () => setTimeout(done, 200);
})"""
SAY: Final = """() => { const at = performance.timeOrigin + performance.now(); bare.send(`${at}`); return at; }"""


def clicks(browser: Browser, folder: Path, count: int) -> Iterator[Figures]:
    """Measure checks and folds of two players, alternating with bare echoes.

    Each player has a page, a process and a connection to a relay.
    """
    with ExitStack() as stack:
        ada, ben = open_two_pages(browser, folder, stack, hands=10_000)
        room = stack.enter_context(Server("broadcast"))
        ways = [stack.enter_context(Server("page", str(room.port))) for _ in range(2)]
        bare = [stack.enter_context(open_page(browser, f"http://127.0.0.1:{way.port}/")) for way in ways]
        for page in bare:
            page.evaluate(BARE)
        for page in (ada, ben):
            page.evaluate(SEEN)
        took: list[float] = []
        echo: list[float] = []
        for _ in range(_STEPS):
            if len(took) >= count:
                break
            for page, other in ((ada, ben), (ben, ada)):
                if _click(page, other, took):
                    echo.append(_wait_for_change(bare[0].evaluate(SAY), bare[1]))
            ada.wait_for_timeout(5)
    if len(took) < count:
        raise BadParameter(f"only {len(took)} of {count} clicks had an effect")
    click, bare_one = statistics.median(took), statistics.median(echo)
    note = f"{bare_one * 1e3:.3g} ms + {BEYOND * 1e3:g} ms"
    yield {"n": {"clicks": count}, "seconds": click, "ratio": click / (bare_one + BEYOND), "note": note}


def open_two_pages(browser: Browser, folder: Path, stack: ExitStack, hands: int) -> tuple[Page, Page]:
    """Open the pages of two players at one table through a relay, in their first hand."""
    table = ("--seats", "2", "--hands", str(hands), "--stack", "100000")
    host = ("host", "--name", "Ada", *table, "--listen", f"127.0.0.1:{free_port()}")
    ada = stack.enter_context(open_page(browser, stack.enter_context(run_page_server(folder / "a", *host)).address()))
    guest = ("join", ada.input_value(".invite input"), "--name", "Ben")
    ben = stack.enter_context(open_page(browser, stack.enter_context(run_page_server(folder / "b", *guest)).address()))
    for page in (ada, ben):
        page.click("#actions .question .primary")
    for page in (ada, ben):
        page.wait_for_selector(".felt")
    return ada, ben


def _click(page: Page, other: Page, took: list[float]) -> bool:
    """Check if possible; otherwise fold now and then, or call. Return whether it was measured, which a call is not."""
    if page.evaluate(PRESS, ["S"]):
        return False
    if page.query_selector("#actions .fold:enabled") and len(took) % 5:
        page.evaluate(PRESS, ["C"])
        return False
    other.evaluate("seen = 0")
    pressed = page.evaluate(PRESS, ["F", "C"])
    if pressed is None:
        return False
    took.append(_wait_for_change(pressed[1], other))
    return True


def _wait_for_change(began: float, other: Page) -> float:
    """Wait until the other page displays the change, and return the seconds that this took."""
    for _ in range(_STEPS):
        if seen := other.evaluate("seen"):
            other.evaluate("seen = 0")
            return (float(seen) - began) / 1000
        other.wait_for_timeout(2)
    raise BadParameter("the other page did not change")


# --- Replay of a saved hand ---

TASKS: Final = """() => {
  window.tasks = [];
  new PerformanceObserver(list => tasks.push(...list.getEntries().map(one => one.duration)))
    .observe({type: 'longtask'});
}"""
#: Records what moves in each frame: by styles, animations and transitions. The recording itself takes time.
MOVES: Final = """() => {
  window.moved = new Set();
  const beside = new Set(['offset', 'computedOffset', 'easing', 'composite']);
  const look = () => {
    for (const one of document.getAnimations())
      for (const frame of one.effect?.getKeyframes() ?? [])
        for (const name of Object.keys(frame)) if (!beside.has(name)) moved.add(name);
    requestAnimationFrame(look);
  };
  look();
}"""


def replay(browser: Browser, folder: Path) -> Iterator[Figures]:
    """Replay a saved hand of four, forward and back, with all animations."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "hand.jsonl"
    play = [sys.executable, "-m", "nodealer.cli", "play", "--auto", "--seats", "4", "--hands", "1", "--log", str(log)]
    subprocess.run(play, env=environment_with_folders(folder), capture_output=True, check=True)
    with run_page_server(folder, "show", str(log)) as running:
        address = running.address()
        with open_page(browser, address, pace="calm", reduced_motion="no-preference") as page:
            page.wait_for_selector(".player:not([hidden])")
            page.wait_for_timeout(500)
            steps = int(page.get_attribute(".player [type=range]", "max") or 0)
            page.evaluate(TASKS)
            longest = []
            for _ in range(ROUNDS):
                page.evaluate("tasks.length = 0")
                for way in ("Forward", "Back"):
                    _step_through(page, way, steps)
                longest.append(float(max(page.evaluate("tasks"), default=0.0)))
            page.evaluate(MOVES)
            for way in ("Forward", "Back"):
                _step_through(page, way, steps)
            moved = page.evaluate("[...moved]")
    others = sorted(set(moved) - set(MAY_MOVE))
    yield {"n": {"moments": steps + 1}, "value": min(longest), "unit": "ms"}
    yield {"value": float(len(others)), "unit": "properties", "note": ", ".join(others) or f"moved: {', '.join(moved)}"}


#: Each moment is on the screen before the next one is requested.
STEP: Final = """async ([way, steps]) => {
  for (; steps; steps--) {
    document.querySelector(`[aria-label=${way}]`).click();
    await new Promise(shown => requestAnimationFrame(() => setTimeout(shown)));
  }
}"""


def _step_through(page: Page, way: str, steps: int) -> None:
    """Step through the replay on the page this many times in one direction, and wait until the page is quiet."""
    page.evaluate(STEP, [way, steps])
    page.wait_for_timeout(300)


# --- The heap ---

#: Plays automatically, as fast as the table asks, folding whenever possible. It stops by itself after a given hand,
#: because a check from outside would come too late: the next hands are over within moments.
PLAYS: Final = """([hand, steps]) => new Promise((done, failed) => {
  const play = () => {
    if (!steps--) return clearInterval(playing), failed(`hand ${hand} has not ended`);
    if (document.querySelector(`.hands [aria-label='Replay hand ${hand}']`)) return done(clearInterval(playing));
    for (const key of ['S', 'F', 'C']) {
      const button = document.querySelector(`#actions [aria-keyshortcuts=${key}]:enabled`);
      if (button) return button.click();
    }
  };
  const playing = setInterval(play, 5);
})"""


#: Only what scripts keep is measured, so nothing is painted: painting took more than half of the browser's time.
UNSEEN: Final = "() => { document.documentElement.style.visibility = 'hidden'; }"


def heap_size(page: Page) -> float:
    """Collect the page's garbage, and return the bytes of its heap that are still in use."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = float(session.send("Runtime.getHeapUsage")["usedSize"])
    session.detach()
    return used


def heap_growth(browser: Browser, folder: Path, early: int, late: int) -> Iterator[Figures]:
    """Measure the heap at an early and a late hand of one game of two."""
    sizes: dict[int, float] = {}
    with run_page_server(folder, "play", "--seats", "2", "--hands", str(late), "--stack", "100000") as running:
        address = running.address()
        with open_page(browser, address) as page:
            page.click(".start [type=submit]")
            page.wait_for_selector(".table")
            page.evaluate(UNSEEN)
            for hand in (early, late):
                page.evaluate(PLAYS, [hand, 3 * _STEPS])
                page.wait_for_timeout(500)
                sizes[hand] = heap_size(page)
    n = {"hands": late, "and": early}
    yield {"n": n, "value": sizes[late] / 1e6, "unit": "MB", "ratio": sizes[late] / sizes[early]}
