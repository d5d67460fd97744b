"""`bench web` in Chromium: workers of a page, with the CPU time of all its processes."""

from __future__ import annotations

import functools
import statistics
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nodealer_lab.bench.tab.hands import TIMED, without_first
from nodealer_lab.browser import list_processes, slow_down, time_control_loop

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HERE: Final = Path(__file__).parent
#: How much slower the processor is, and how many hands are played on it.
TIMES, SLOW_HANDS = 4, 5
#: The timeout in milliseconds for a worker to be ready. A busy machine compiles ten megabytes of WebAssembly first.
_PATIENCE: Final = 120_000
_START: Final = """([address, name]) => new Promise((done, failed) => {
  window.worker = new Worker(address, { type: 'module', name });
  worker.onmessage = done;
  worker.onerror = (event) => failed(new Error(event.message));
}).then(() => true)"""
_HAND: Final = """() => new Promise((done, failed) => {
  worker.onmessage = ({ data }) => done(data);
  worker.onerror = (event) => failed(new Error(event.message));
  worker.postMessage(null);
})"""


_TYPES: Final = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
}


@dataclass(frozen=True)
class ReplayCost:
    """The cost of hands: CPU seconds of each, bytes of memory after the last, and wall seconds when slowed down."""

    hands: list[float]
    memory: int
    slow: float
    #: The control loop in seconds: the shortest at full speed, and the mean when slowed down.
    control: tuple[float, float]


class _Files(SimpleHTTPRequestHandler):
    """Serves the tab's bundle at the root, and the npm package, the benchmark and the recording in subfolders."""

    def __init__(self, *rest: Any, places: dict[str, Path], **more: Any) -> None:
        """Serve the folders in `places`, by the first part of the path. The folder named "" has all other paths."""
        self._places = places
        super().__init__(*rest, **more)

    def translate_path(self, path: str) -> str:
        """Return the file for a path of the URL."""
        _, first, *others = path.partition("?")[0].split("/")
        if first in self._places:
            return str(self._places[first].joinpath(*others))
        return str(self._places[""].joinpath(first, *others))

    def guess_type(self, path: str | PathLike[str]) -> str:
        """Return the content type by the file name's suffix."""
        return _TYPES.get(Path(path).suffix, "application/octet-stream")

    def log_message(self, *said: object) -> None:
        """Discard the log."""


@contextmanager
def serve_files(bundle: Path, bare: Path, recorded: Path) -> Iterator[str]:
    """Serve all files to a page. Yield the address. Nothing is compressed, for either side."""
    (recorded / "empty.html").write_text("<!doctype html><title>bench</title>")
    places = {"": bundle, "bare": bare, "bench": HERE, "frames": recorded}
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Files, places=places)) as server:
        running = threading.Thread(target=server.serve_forever)
        running.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            running.join()


@contextmanager
def _page(browser: Browser, address: str) -> Iterator[Page]:
    """Open a page with an empty profile that is discarded afterwards."""
    within = browser.new_context()
    within.set_default_timeout(_PATIENCE)
    try:
        page = within.new_page()
        page.goto(f"{address}/frames/empty.html")
        yield page
    finally:
        within.close()


def _cpu_used(browser: Browser) -> float:
    """Return the CPU seconds of all running processes."""
    return float(sum(one["cpuTime"] for one in list_processes(browser)))


def start(browser: Browser, address: str, worker: str) -> float:
    """Return the CPU seconds until a worker reports that it is ready."""
    with _page(browser, address) as page:
        before = _cpu_used(browser)
        page.evaluate(_START, [f"{address}/{worker}", "seat"])
        return _cpu_used(browser) - before


def replay_hands(
    browser: Browser, address: str, bundle: Path, hands: int, beside: AbstractContextManager[object]
) -> ReplayCost:
    """Replay recorded hands in one worker, the last ones slowed down. `beside` is entered while nothing is timed."""
    (runtime,) = (bundle / "runtime").iterdir()
    took: list[float] = []
    with _page(browser, address) as page:
        page.evaluate(_START, [f"{address}/bench/worker.mjs", f"runtime/{runtime.name}"])
        usual, _ = time_control_loop(page.workers[0])
        slow_from = max(1, hands - SLOW_HANDS)
        timed = min(slow_from, 1 + TIMED)
        for _ in range(timed):
            before = _cpu_used(browser)
            page.evaluate(_HAND)
            took.append(_cpu_used(browser) - before)
        with beside:
            for _ in range(slow_from - timed):
                page.evaluate(_HAND)
        with slow_down(browser, TIMES):
            _, slower = time_control_loop(page.workers[0])
            told = [page.evaluate(_HAND) for _ in range(hands - slow_from)]
    slow = statistics.median(one["seconds"] for one in told)
    return ReplayCost(without_first(took), told[-1]["memory"], slow, (usual, slower))
