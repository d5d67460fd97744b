"""Write the figures and plots in docs/ from the output of `nodealer bench SUITE --json` and `nodealer lab sim --json`.

    python figures.py FILE...      take these results into docs/internals/figures.json, and update the pages
    python figures.py              only update the pages

`make figures` measures everything first. A suite that is not measured again keeps its results, machine and date.
`make docs` builds the page with every row, "Benchmarks", from the same file.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from nodealer_lab.bench.rows import RESTLESS
from plots import FOLDER, shown, written
from simulator_figures import simulated

ROOT: Final = Path(__file__).parents[1]
STORE: Final = ROOT / "docs" / "internals" / "figures.json"
BEGIN, END = "<!-- figures: written by `make figures` -->", "<!-- end of the figures -->"

#: What `bench` printed, by the name of its suite.
Results = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Important:
    """A row of the summary: where it is among the results, and what it means."""

    suite: str
    row: str
    means: str
    #: What its yardstick begins with, if there are several rows of that name.
    yardstick: str = ""
    #: Its size, if there are several rows of that name.
    n: Mapping[str, int] = field(default_factory=dict)


SIX: Final = {"seats": 6}
FIRST: Final = (
    Important("proofs", "addmask: shuffle, re-mask, prove", "a player's shuffle of 52 cards, with its proof", "U"),
    Important("proofs", "addmask: verify", "verifying that proof", "U"),
    Important("proofs", "addmask: verify, a shuffle of a chain as one", "the same, as one of six verified together"),
    Important("proofs", "addmask: proof", "the size of that proof"),
    Important("hand", "play a hand, CPU of one seat", "a hand of six on `mask`, on one seat's computer", n=SIX),
    Important("hand", "verify its log", "verifying that hand afterwards", "U", SIX),
    Important("hand", "saved log", "the log of that hand", n=SIX),
    Important("tables", "chain: play a hand, CPU of one seat", "the same hand on `chain`, the slowest protocol", n=SIX),
    Important("game", "play, bots in processes", "hold'em between six bots on one machine"),
    Important("game", "verify a saved log", "verifying 100 hands of it"),
    Important("cards", "none of a hand is of a suit: prove", "proving that none of 13 hidden cards is of a suit"),
    Important("recovery", "rebuild, CPU of those who stay", "rebuilding a deck after a player leaves",
              n={"leavers": 1, "open": 0}),
    Important("seat", "memory of a participant, from hand 20 on", "memory that a participant needs for 180 hands"),
    Important("seat", "restart of a seat", "restarting a seat from a log of 100 hands"),
    Important("relay", "processor time for 1,000 frames delivered, SQLite", "a relay's CPU time for 1,000 frames"),
    Important("relay", "delay, 99th percentile, SQLite", "the delay of a frame at that relay, 99th percentile"),
    Important("relay", "memory of a connection, SQLite", "a relay's memory for one connection"),
    Important("page", "first load, everything included", "loading the page in the browser"),
    Important("page", "click to changed DOM in the other page, median", "from a click to the other player's page"),
    Important("web", "download, compressed", "loading a seat into a browser tab"),
    Important("web", "CPU to a seat that is ready, in Chromium", "CPU time until that seat is ready, in Chromium"),
    Important("web", "CPU of a seat for a hand, in Chromium", "a hand of six in that tab"),
    Important("npm", "all proofs made, and verified once, ristretto255",
              "a shuffle by six on `lock`, proven and verified, against the npm package without proofs"),
)  # fmt: skip


def figure(row: Mapping[str, Any]) -> str:
    """Return what was measured, for people."""
    if row["seconds"] is not None:
        seconds = row["seconds"]
        return f"{seconds:.2g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"
    if row["value"] is None:
        return "–"
    return f"{row['value']:,.0f} {row['unit']}" if row["value"] >= 100 else f"{row['value']:.3g} {row['unit']}"


def against(row: Mapping[str, Any]) -> str:
    """Return the ratio to the yardstick. It says more than a time, because it is nearly the same everywhere."""
    if row["ratio"] is None:
        return ""
    ratio = f"{row['ratio']:,.0f}" if row["ratio"] >= 100 else f"{row['ratio']:.3g}"
    return f"{ratio} × {row['yardstick']}"


def measured_on(machine: Mapping[str, Any]) -> str:
    """Return where and when something was measured."""
    return f"{machine['cpu']} ({machine['kind']}), Python {machine['python']}, {machine['date']}"


def required(row: Mapping[str, Any]) -> str:
    """Return the limit that a row must keep, for people."""
    if row["required"] is None:
        return ""
    times = "" if row["ratio"] is None else " ×"
    return f"{'≤' if row['sense'] == 'max' else '≥'} {row['required']:,.10g}{times}"


def size_of(row: Mapping[str, Any]) -> str:
    """Return what was measured with, for people: cards, seats, hands."""
    return ", ".join(f"{value:,} {name}" for name, value in row["n"].items())


def found_of(results: Results, one: Important) -> Mapping[str, Any] | None:
    """Return the result that a row of the summary is about, if it was measured."""
    for row in results.get(one.suite, {}).get("rows", ()):
        right_size = all(row["n"].get(name) == value for name, value in one.n.items())
        if row["name"] == one.row and right_size and (row["yardstick"] or "").startswith(one.yardstick):
            found: Mapping[str, Any] = row
            return found
    return None


def in_short(results: Results) -> str:
    """Return the summary in docs/internals/figures.md: the important rows, what is not met, and the plots."""
    rows = ["| | measured | relative to | required |", "|---|---|---|---|"]
    used, busy = set[str](), False
    for one in FIRST:
        if (row := found_of(results, one)) is not None:
            # What U is, the page says.
            ratio = against(row).partition(" = ")[0]
            rows.append(f"| {one.means} | {figure(row)} | {ratio} | {required(row)} |")
            used.add(one.suite)
            busy |= (row["spread"] or 0.0) > RESTLESS
    places = sorted({measured_on(results[suite]["machine"]) for suite in used})
    others = ", while others used the machine" if busy else ""
    parts = ["\n".join([*rows, "", f"Measured on {'; '.join(places)}{others}."]), unmet(results)]
    return "\n\n".join([*parts, *([plots] if (plots := shown(results)) else [])])


def unmet(results: Results) -> str:
    """Return a list of the rows that do not meet what is required of them."""
    rows = [(suite, row) for suite, found in sorted(results.items()) for row in found.get("rows", ())]
    judged = [row for _, row in rows if row["required"] is not None]
    missed = [
        f"- `{suite}`: {row['name']} ({size_of(row)}): {against(row) or figure(row)}, required {required(row)}"
        for suite, row in rows
        if row["ok"] is False
    ]
    said = f"{len(rows)} rows were measured. {len(judged)} of them have a requirement"
    return "\n".join(
        [f"{said}, and {len(missed)} do not meet it:", "", *missed] if missed else [f"{said}, and all meet it."]
    )


def rows_page() -> str:
    """Return the page with all rows, which only the site has."""
    return f"""# Benchmarks

Every row that `make figures` measured. `make docs` builds this page from `docs/internals/figures.json`.
[Figures](figures.md) explains how they are measured, and what the important ones mean.

{in_full(json.loads(STORE.read_text()))}
"""


def in_full(results: Results) -> str:
    """Return a table with all rows of each suite."""
    parts = list[str]()
    for suite, found in sorted(results.items()):
        if "rows" not in found:
            continue
        rows = ["| | size | measured | relative to | required | note |", "|---|---|---|---|---|---|"]
        rows += map(cells, found["rows"])
        parts.append("\n".join([f"## {suite}", "", f"{measured_on(found['machine'])}.", "", *rows]))
    return "\n\n".join(parts)


def cells(row: Mapping[str, Any]) -> str:
    """Return a row of the page with all rows."""
    limit = f"{required(row)}{', not met' if row['ok'] is False else ''}"
    measured = f"{size_of(row)} | {figure(row)} | {against(row)} | {limit}"
    return f"| {row['name']} | {measured} | {row['note'] or ''} |"


def with_figures(page: str, figures: str) -> str:
    """Return a page with its figures between the markers."""
    between = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    page, count = between.subn(lambda _: f"{BEGIN}\n\n{figures}\n\n{END}", page)
    if count != 1:
        raise ValueError("a page needs the markers of its figures once")
    return page


def taken(results: Results, files: Iterable[Path]) -> dict[str, Any]:
    """Return the results, updated from the files. A quick run means nothing and is refused."""
    found = dict(results)
    for file in files:
        document = json.loads(file.read_text())
        if document["machine"]["quick"]:
            raise ValueError(f"{file} is a quick run: its figures mean nothing")
        found[document.pop("suite")] = document
    return found


def pages() -> dict[Path, str]:
    """Return every page and plot that has figures, as it should be."""
    results = json.loads(STORE.read_text())
    made = {ROOT / "docs" / "internals" / "figures.md": in_short(results)}
    if (said := results.get("simulator")) is not None:
        where = f"\n\nMeasured on {measured_on(said['machine'])}."
        made[ROOT / "docs" / "internals" / "simulator.md"] = simulated(said) + where
    return {path: with_figures(path.read_text(), figures) for path, figures in made.items()} | written(results)


if __name__ == "__main__":
    results = taken(json.loads(STORE.read_text()), map(Path, sys.argv[1:]))
    STORE.write_text(json.dumps(results, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    FOLDER.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text)
