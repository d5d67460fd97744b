"""Draw the plots in docs/internals/plots from the output of `nodealer bench --json`; `make figures` writes them.

A plot is drawn once all its suites were measured. Each names the machine and the date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from charts import Bar, Bars, Lines, Panel, chart, said

FOLDER: Final = Path(__file__).parents[1] / "docs" / "internals" / "plots"
KINDS: Final = ("pairs", "addmask", "scalar")
PROTOCOLS: Final = ("mask", "lock", "offset", "duel", "chain")
SMALL: Final = 52

Row = Mapping[str, Any]
Results = Mapping[str, Mapping[str, Any]]
Rows = Sequence[Sequence[Panel]]


class Missing(LookupError):
    """A row that a plot needs was not measured."""


def row(results: Results, suite: str, name: str, yardstick: str | None = None, **n: int) -> Row:
    """The row of this name and size, and where there are several, against a yardstick that begins so."""
    for one in results.get(suite, {}).get("rows", ()):
        right = one["name"] == name and all(one["n"].get(size) == value for size, value in n.items())
        if right and (yardstick is None or (one["yardstick"] or "").startswith(yardstick)):
            if one["seconds"] is None and one["value"] is None:
                break
            found: Row = one
            return found
    raise Missing(f"{suite}: {name}")


def _ms(one: Row, factor: float = 1e3) -> float:
    return float(one["seconds"]) * factor


def _bare(one: Row) -> float:
    """What the yardstick took."""
    return float(one["seconds"]) / float(one["ratio"])


# --- Each plot ---


def cards(results: Results) -> Rows:
    """Cost against cards."""

    def line(kind: str, what: str) -> Iterator[tuple[float, float]]:
        large = [row(results, "proofs", f"{kind}: {what}, a card", cards=size) for size in (1_000, 10_000)]
        yield SMALL, _bare(large[0]) * 1e6
        for one in large:
            yield one["n"]["cards"], _ms(one, 1e6)

    return [
        [
            Lines(f"{told}, µs per card", "cards", {kind: [*line(kind, what)] for kind in KINDS}, log=True)
            for what, told in (("prove", "shuffle, re-mask and prove"), ("verify", "verify"))
        ]
    ]


def seats(results: Results) -> Rows:
    """Cost against seats."""
    sizes = (
        sorted(one["n"]["seats"] for one in results["tables"]["rows"] if one["name"] == "mask: saved log")
        if "tables" in results
        else []
    )
    if not sizes:
        raise Missing("tables: mask")

    def line(what: str, figure: Callable[[Row], float]) -> list[tuple[float, float]]:
        return [(size, figure(row(results, "tables", f"mask: {what}", seats=size))) for size in sizes]

    cost = {"play": line("play a hand, CPU of one seat", _ms), "verify": line("verify its log", _ms)}
    size = {"log": line("saved log", lambda one: one["value"] / 1e3)}
    return [[Lines("CPU of one seat, ms per hand", "seats", cost), Lines("the log of a hand, kB", "seats", size)]]


def protocols(results: Results) -> Rows:
    """Cost against protocols."""
    panels = list[Panel]()
    for what, told in (
        ("play a hand, CPU of one seat", "CPU of one seat, ms per hand"),
        ("verify its log", "verify its log, ms"),
        ("saved log", "its log, kB"),
    ):
        bars = list[Bar]()
        for protocol in PROTOCOLS:
            for number, count in enumerate((2, 6)):
                if protocol == "duel" and count == 6:
                    continue
                one = row(results, "tables", f"{protocol}: {what}", seats=count)
                value = one["value"] / 1e3 if one["seconds"] is None else _ms(one)
                bars.append(Bar(f"{protocol}, {count} seats", value, said(value), number))
        panels.append(Bars(f"{told}, logarithmic", bars, log=True))
    return [[panel] for panel in panels]


def sizes(results: Results) -> Rows:
    """Sizes of proofs and logs."""
    proofs = [(kind, row(results, "proofs", f"{kind}: proof")) for kind in (*KINDS, "re-key")]
    logs = [row(results, "hand", "saved log", seats=count) for count in (2, 6, 9)]
    return [
        [
            Bars(
                f"proofs for {SMALL} cards, bytes",
                [Bar(kind, one["value"], said(one["value"]), 0, one["required"]) for kind, one in proofs],
            ),
            Bars(
                "the log of a hand on mask, kB",
                [
                    Bar(f"{one['n']['seats']} seats", one["value"] / 1e3, said(one["value"] / 1e3), 1,
                        one["required"] and one["required"] / 1e3)
                    for one in logs
                ],
            ),
        ]
    ]  # fmt: skip


def verification(results: Results) -> Rows:
    """Verifying."""
    alone = [(kind, row(results, "proofs", f"{kind}: verify", "U")) for kind in KINDS]
    chains = [(kind, row(results, "proofs", f"{kind}: a chain as one")) for kind in KINDS]
    prove = [(kind, row(results, "proofs", f"{kind}: shuffle, re-mask, prove", "U")) for kind in KINDS]
    bars = list[Bar]()
    for (kind, proved), (_, one), (_, chain) in zip(prove, alone, chains, strict=True):
        each = _ms(chain) / chain["n"]["shuffles"]
        bars += [
            Bar(f"{kind}: prove", _ms(proved), f"{said(_ms(proved))} ms", 0),
            Bar("verify one", _ms(one), f"{said(_ms(one))} ms", 1),
            Bar("one of six as one", each, f"{said(each)} ms", 2),
        ]
    audits = [
        (name, row(results, "game", what))
        for name, what in (("one log", "verify a saved log"), ("two, two jobs", "verify two saved logs, --jobs 2"))
    ]
    hands = [Bar(name, one["value"], said(one["value"]), 3) for name, one in audits]
    return [[Bars(f"a shuffle of {SMALL} cards, ms", bars), Bars("hands of hold'em verified per second", hands)]]


def relay(results: Results) -> Rows:
    """The relay."""
    cpu = [(store, row(results, "relay", f"processor time for 1,000 frames delivered, {store}")) for store in STORES]
    delay = [(store, row(results, "relay", f"delay, 99th percentile, {store}")) for store in STORES]
    full = [(store, row(results, "relay", f"throughput at saturation, {store}")) for store in STORES]
    weight = row(results, "relay", "memory of a connection, SQLite")

    def beside(title: str, found: Sequence[tuple[str, Row]], figure: Callable[[Row], float]) -> Bars:
        """The bare broadcast first."""
        bars = list[Bar]()
        for store, one in found:
            mine = figure(one)
            bare = mine / one["ratio"]
            bars += [] if bars else [Bar("bare broadcast", bare, said(bare), 3)]
            bars.append(Bar(store, mine, said(mine), 0, one["required"] and bare * one["required"]))
        return Bars(title, bars)

    late = [Bar(store, _ms(one), said(_ms(one)), 1, _bare(one) * 1e3) for store, one in delay]
    return [
        [beside("processor time for 1,000 frames, ms", cpu, _ms), Bars("delay, 99th percentile, ms", late)],
        [
            beside("frames per second at saturation", full, lambda one: float(one["value"])),
            beside("memory of a connection, kB", [("SQLite", weight)], lambda one: float(one["value"]) / 1e3),
        ],
    ]


STORES: Final = ("memory", "SQLite")


def recovery(results: Results) -> Rows:
    """A deck rebuilt."""

    def line(name: str, leavers: int) -> list[tuple[float, float]]:
        return [(opened, row(results, "recovery", name, leavers=leavers, open=opened)["ratio"]) for opened in range(6)]

    def panel(title: str, name: str) -> Lines:
        lines = {f"{count} leave{'s' if count == 1 else ''}": line(name, count) for count in (1, 2, 3)}
        limit = row(results, "recovery", name, leavers=1, open=0)["required"]
        return Lines(title, "open cards", lines, limit=(limit, "required"))

    return [
        [
            panel("CPU of those who stay, in fresh decks", "rebuild, CPU of those who stay"),
            panel("bytes that they send, in fresh decks", "rebuild, raw bytes"),
        ]
    ]


def tab(results: Results) -> Rows:
    """A seat in a browser's tab."""
    places = ("", ", in Chromium")
    start = [row(results, "web", f"CPU to a seat that is ready{place}") for place in places]
    hand = [row(results, "web", f"CPU of a seat for a hand{place}") for place in places]
    memory = [row(results, "web", f"WebAssembly memory of a seat{place}") for place in places]
    download = row(results, "web", "download, compressed")

    def beside(title: str, bare: str, found: Sequence[Row], unit: float, colour: int) -> Bars:
        bars = list[Bar]()
        for place, one in zip(("Node", "Chromium"), found, strict=True):
            yardstick, seconds = _bare(one) * unit, float(one["seconds"]) * unit
            bars += [
                Bar(f"{bare}, {place}" if bare == "bare" else f"{bare}", yardstick, said(yardstick), 3),
                Bar(f"a tab, {place}", seconds, said(seconds), colour, yardstick * one["required"]),
            ]
        return Bars(title, bars)

    sizes = [
        Bar("download", download["value"] / 1e6, said(download["value"] / 1e6), 1, download["required"] / 1e6),
        *(
            Bar(f"memory, {place}", one["value"] / 1e6, said(one["value"] / 1e6), 2, one["required"] / 1e6)
            for place, one in zip(("Node", "Chromium"), memory, strict=True)
        ),
    ]
    return [
        [
            beside("CPU until a seat is ready, s", "bare", start, 1.0, 0),
            beside("CPU of a seat for a hand of six, ms", "natively", hand, 1e3, 0),
        ],
        [Bars("MB: compressed download; WebAssembly memory after 50 hands", sizes)],
    ]


#: Name of the file to its title, whose suite names the machine, what it shows in words, and how it is drawn.
PLOTS: Final[Mapping[str, tuple[str, str, str, Callable[[Results], Rows]]]] = {
    "cards": (
        "The cost per card of a shuffle, in decks of 52 to 10,000",
        "proofs",
        "time per card to prove and to verify a shuffle, for 52, 1,000 and 10,000 cards",
        cards,
    ),
    "seats": (
        "A hand of 52 cards on mask, at tables of 2 to 20",
        "tables",
        "CPU time of a seat for a hand and for verifying its log, and the size of the log, for 2 to 20 seats",
        seats,
    ),
    "protocols": (
        "The same hand on every protocol",
        "tables",
        "CPU time of a seat, verification and log size of a hand on each protocol, at tables of two and six",
        protocols,
    ),
    "sizes": ("Sizes of proofs and logs", "proofs", "sizes of proofs and logs in bytes", sizes),
    "verification": (
        "Proving and verifying",
        "proofs",
        "proving and verifying a shuffle, alone and as one of six; hands verified per second",
        verification,
    ),
    "relay": (
        "The relay, compared with a bare broadcast of the same library",
        "relay",
        "CPU time, delay, throughput and memory of the relay, compared with a bare broadcast",
        relay,
    ),
    "recovery": (
        "A deck rebuilt when players leave a table of six",
        "recovery",
        "CPU time and bytes of a rebuilt deck, in fresh decks, by the number of open cards",
        recovery,
    ),
    "tab": ("A seat in a browser tab", "web", "start, hand, memory and download of a seat in a browser tab", tab),
}


def drawn(results: Results) -> dict[str, str]:
    """Every plot that can be drawn: its name to its SVG."""
    found = dict[str, str]()
    for name, (title, suite, _, rows) in PLOTS.items():
        try:
            panels = rows(results)
        except Missing:
            continue
        machine = results[suite]["machine"]
        on = f"{machine['cpu']} ({machine['kind']}), {machine['processors']} processors, Python {machine['python']}, "
        note = f"{on}{machine['date']}."
        if any(panel.judged for part in panels for panel in part):
            note += " Dashed: what is required."
        found[name] = chart(title, note, panels)
    return found


def shown(results: Results) -> str:
    """Return the Markdown of all plots that can be drawn."""
    return "\n\n".join(f"![{PLOTS[name][2]}](plots/{name}.svg)" for name in drawn(results))


def written(results: Results) -> dict[Path, str]:
    """Every plot at its place."""
    return {FOLDER / f"{name}.svg": text for name, text in drawn(results).items()}
