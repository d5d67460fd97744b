"""Charts as SVG, in light and in dark as the reader has it: lines over a size, and bars beside names. No clock, no font
of ours, nothing fetched; the same figures give the same bytes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol
from xml.sax.saxutils import escape

WIDE: Final = 760
GAP, HEAD, FOOT = 28, 62, 44
LINES_HIGH, BAR_HIGH = 210, 22
#: Room for the numbers beside lines, and for the names beside bars.
NUMBERS, NAMES, ENDS = 48, 126, 62
STYLE: Final = """
svg { --page: #fff; --ink: #1c2b2a; --soft: #5b6f6c; --rule: #d9e3e1;
  --a: #1668b0; --b: #b5480f; --c: #177a5f; --d: #7c4aa8; --limit: #a11d33 }
@media (prefers-color-scheme: dark) {
  svg { --page: #14201f; --ink: #e6f2f0; --soft: #a3b8b4; --rule: #324543;
    --a: #74b3f2; --b: #f2a06b; --c: #5fd0ad; --d: #c5a3ee; --limit: #ff8b9c }
}
text { font: 12px system-ui, sans-serif; fill: var(--ink) }
.title { font-size: 16px; font-weight: 600 } .panel { font-weight: 600 } .soft { fill: var(--soft) }
.end { text-anchor: end } .mid { text-anchor: middle }
.rule { stroke: var(--rule); stroke-width: 1 } .limit { stroke: var(--limit); stroke-width: 1.5; stroke-dasharray: 5 4 }
.told { fill: var(--limit) } .line { fill: none; stroke-width: 2 }
.fa { fill: var(--a) } .fb { fill: var(--b) } .fc { fill: var(--c) } .fd { fill: var(--d) }
.la { stroke: var(--a) } .lb { stroke: var(--b); stroke-dasharray: 7 3 } .lc { stroke: var(--c); stroke-dasharray: 2 3 }
.ld { stroke: var(--d); stroke-dasharray: 9 3 2 3 }
"""
COLOURS: Final = "abcd"

Point = tuple[float, float]


class Panel(Protocol):
    """A part of a chart."""

    @property
    def high(self) -> float:
        """How high it is."""
        ...

    @property
    def judged(self) -> bool:
        """Whether something is required of what it shows."""
        ...

    def drawn(self, left: float, top: float, wide: float) -> Iterable[str]:
        """What it consists of, at this place."""
        ...


def said(number: float) -> str:
    """A figure as people read it: three digits."""
    if number >= 1000:
        return f"{number:,.0f}"
    return f"{number:.3g}"


def _text(x: float, y: float, text: str, kind: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{escape(text)}</text>'


def _rule(x: float, y: float, to_x: float, to_y: float, kind: str = "rule") -> str:
    return f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" class="{kind}"/>'


def ticks(most: float, count: int = 5) -> list[float]:
    """Round numbers from 0 to just above `most`."""
    rough = most / count
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * part for part in (1, 2, 2.5, 5, 10) if size * part >= rough * 0.999)
    return [step * at for at in range(math.ceil(most / step * 0.999) + 1)]


@dataclass(frozen=True)
class Lines:
    """Figures over a size, from 0 up. `log` where sizes are of different order."""

    title: str
    over: str
    series: Mapping[str, Sequence[Point]]
    limit: tuple[float, str] | None = None
    log: bool = False

    @property
    def high(self) -> float:
        return LINES_HIGH + 44

    @property
    def judged(self) -> bool:
        return self.limit is not None

    def drawn(self, left: float, top: float, wide: float) -> Iterable[str]:
        x0, x1, y0, y1 = left + NUMBERS, left + wide - ENDS, top + LINES_HIGH, top + 24
        points = [point for line in self.series.values() for point in line]
        # Above the limit there is room for what it is called.
        marks = ticks(max([y for _, y in points] + ([1.1 * self.limit[0]] if self.limit else [])))
        places = sorted({x for x, _ in points})
        yield _text(left, top + 6, self.title, "panel")
        for mark in marks:
            y = y0 - (y0 - y1) * mark / marks[-1]
            yield _rule(x0, y, x1, y)
            yield _text(x0 - 8, y + 4, said(mark), "soft end")
        for place in places:
            yield _text(self._at(place, places, x0, x1), y0 + 18, said(place), "soft mid")
        yield _text((x0 + x1) / 2, y0 + 36, self.over, "soft mid")
        ends = list[tuple[float, float, str, str]]()
        for colour, (name, line) in zip(COLOURS, self.series.items(), strict=False):
            at = [(self._at(x, places, x0, x1), y0 - (y0 - y1) * y / marks[-1]) for x, y in line]
            yield f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in at)}" class="line l{colour}"/>'
            yield from (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" class="f{colour}"/>' for x, y in at)
            ends.append((*at[-1], name, f"f{colour}"))
        if self.limit is not None:
            y = y0 - (y0 - y1) * self.limit[0] / marks[-1]
            yield _rule(x0, y, x1, y, "limit")
            yield _text(x0 + 4, y - 5, self.limit[1], "told")
        yield from _apart(ends)

    def _at(self, x: float, places: Sequence[float], x0: float, x1: float) -> float:
        first, last = (math.log(places[0]), math.log(places[-1])) if self.log else (places[0], places[-1])
        return x0 + (x1 - x0) * ((math.log(x) if self.log else x) - first) / ((last - first) or 1)


def _apart(ends: Iterable[tuple[float, float, str, str]]) -> Iterable[str]:
    """The names at the ends of lines, none over another."""
    low = -math.inf
    for x, y, name, kind in sorted(ends, key=lambda end: end[1]):
        low = max(y, low + 14)
        yield _text(x + 8, low + 4, name, kind)


@dataclass(frozen=True)
class Bar:
    """One figure. Those of one colour are of one kind."""

    name: str
    value: float
    told: str
    colour: int = 0
    limit: float | None = None


@dataclass(frozen=True)
class Bars:
    """Figures beside their names; a dashed mark where something is required. `log`: each step is ten times as much."""

    title: str
    bars: Sequence[Bar]
    log: bool = False

    @property
    def high(self) -> float:
        return 22 + BAR_HIGH * len(self.bars)

    @property
    def judged(self) -> bool:
        return any(bar.limit is not None for bar in self.bars)

    def drawn(self, left: float, top: float, wide: float) -> Iterable[str]:
        x0, x1 = left + NAMES, left + wide - ENDS - 12
        values = [one for bar in self.bars for one in (bar.value, bar.limit or bar.value)]
        low = 10.0 ** math.floor(math.log10(min(values)) - 0.2) if self.log else 0.0
        yield _text(left, top + 6, self.title, "panel")

        def at(value: float) -> float:
            part = math.log(value / low) / math.log(max(values) / low) if self.log else value / max(values)
            return x0 + (x1 - x0) * part

        for number, bar in enumerate(self.bars):
            y = top + 18 + number * BAR_HIGH
            yield _text(x0 - 8, y + 12, bar.name, "end")
            size = f'width="{max(1.0, at(bar.value) - x0):.1f}" height="{BAR_HIGH - 7}"'
            yield f'<rect x="{x0:.1f}" y="{y + 1:.1f}" {size} rx="2" class="f{COLOURS[bar.colour]}"/>'
            if bar.limit is not None:
                yield _rule(at(bar.limit), y - 2, at(bar.limit), y + BAR_HIGH - 3, "limit")
            end = at(bar.value)
            if bar.limit is not None and 0 <= at(bar.limit) - end < ENDS:
                end = at(bar.limit)  # the figure stands behind its mark, not on it
            yield _text(end + 6, y + 12, bar.told)


def chart(title: str, note: str, rows: Sequence[Sequence[Panel]]) -> str:
    """Panels in rows, with what they show above and where it was measured below."""
    heights = [max(panel.high for panel in row) for row in rows]
    tall = HEAD + sum(heights) + GAP * (len(rows) - 1) + FOOT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {tall:.0f}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{WIDE}" height="{tall:.0f}" rx="8" style="fill: var(--page)"/>',
        _text(20, 30, title, "title"),
    ]
    top = float(HEAD)
    for row, high in zip(rows, heights, strict=True):
        wide = (WIDE - 40 - GAP * (len(row) - 1)) / len(row)
        for number, panel in enumerate(row):
            parts += panel.drawn(20 + number * (wide + GAP), top, wide)
        top += high + GAP
    parts += [_text(20, tall - 16, note, "soft"), "</svg>", ""]
    return "\n".join(parts)
