"""Write the figures and plots in docs/ from the output of `nodealer bench SUITE --json` and `nodealer lab sim --json`.

    python figures.py FILE...      takes these results into docs/internals/figures.json, and writes the pages again
    python figures.py              only writes the pages again

`make figures` measures everything first. A suite that is not measured again stays as it was, with its machine and day.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
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

#: Of hands that were measured with several numbers of seats, the summary has this one.
SEATS: Final = 6
#: The rows of the summary: suite, name of the row, its yardstick, and a description.
FIRST: Final = (
    (
        "proofs",
        "addmask: shuffle, re-mask, prove",
        "U = 104 × fixed base",
        "a player's shuffle of 52 cards, with its proof",
    ),
    ("proofs", "addmask: verify", "U = 104 × fixed base", "checking that proof"),
    ("proofs", "addmask: proof", None, "its size"),
    ("hand", "play a hand, CPU of one seat", "U = 104 × fixed base", "a hand of six, on one seat's computer"),
    ("hand", "verify its log", "U = 104 × fixed base", "checking it afterwards, alone"),
    ("hand", "saved log", None, "the log of that hand"),
)


def figure(row: Mapping[str, Any]) -> str:
    """What was measured."""
    if row["seconds"] is not None:
        seconds = row["seconds"]
        return f"{seconds:.2g} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms"
    if row["value"] is None:
        return "–"
    return f"{row['value']:,.0f} {row['unit']}" if row["value"] >= 100 else f"{row['value']:.3g} {row['unit']}"


def against(row: Mapping[str, Any]) -> str:
    """The ratio to the yardstick, which says more than a time: it is nearly the same everywhere."""
    return "" if row["ratio"] is None else f"{row['ratio']:.3g} × {row['yardstick']}"


def measured_on(machine: Mapping[str, Any]) -> str:
    """Where and when."""
    return f"{machine['cpu']} ({machine['kind']}), Python {machine['python']}, {machine['date']}"


def in_short(results: Results) -> str:
    """Return the summary in docs/internals/figures.md."""
    rows = ["| | | |", "|---|---|---|"]
    used, busy = [], False
    for suite, name, yardstick, words in FIRST:
        for row in results.get(suite, {}).get("rows", ()):
            if (row["name"], row["yardstick"]) == (name, yardstick) and row["n"].get("seats", SEATS) == SEATS:
                rows.append(f"| {words} | {figure(row)} | {against(row)} |")
                used.append(suite)
                busy |= (row["spread"] or 0.0) > RESTLESS
    places = sorted({measured_on(results[suite]["machine"]) for suite in used})
    others = ", while others used the machine" if busy else ""
    return "\n".join([*rows, "", f"Measured on {'; '.join(places)}{others}."])


def in_full(results: Results) -> str:
    """Return the plots and tables in docs/internals/figures.md."""
    parts = [plots] if (plots := shown(results)) else []
    for suite, found in sorted(results.items()):
        if "rows" not in found:
            continue
        rows = ["| | size | measured | against | required | |", "|---|---|---|---|---|---|"]
        for row in found["rows"]:
            size = ", ".join(f"{value:,} {name}" for name, value in row["n"].items())
            sign = "≤" if row["sense"] == "max" else "≥"
            required = "" if row["required"] is None else f"{sign} {row['required']:g}"
            note = row["note"] or ""
            rows.append(f"| {row['name']} | {size} | {figure(row)} | {against(row)} | {required} | {note} |")
        parts.append("\n".join([f"### {suite}: {measured_on(found['machine'])}", "", *rows]))
    return "\n\n".join(parts)


def with_figures(page: str, figures: str) -> str:
    """A page with its figures between the markers."""
    between = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    page, count = between.subn(lambda _: f"{BEGIN}\n\n{figures}\n\n{END}", page)
    if count != 1:
        raise ValueError("a page needs the markers of its figures once")
    return page


def taken(results: Results, files: Iterable[Path]) -> dict[str, Any]:
    """The results with those of the files in place of older ones. A quick run means nothing, and is refused."""
    found = dict(results)
    for file in files:
        document = json.loads(file.read_text())
        if document["machine"]["quick"]:
            raise ValueError(f"{file} is a quick run: its figures mean nothing")
        found[document.pop("suite")] = document
    return found


def pages() -> dict[Path, str]:
    """Every page and plot that has figures, as it should be."""
    results = json.loads(STORE.read_text())
    made = {ROOT / "docs" / "internals" / "figures.md": f"{in_short(results)}\n\n{in_full(results)}"}
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
