"""Draw the plot in docs/ again: `python -m uniformity [SAMPLES]`, by `make plots`.

Each test of each protocol is a point: how many standard deviations its chi-square is beyond what is expected. Chance
goes beyond the line once in a million. The shuffles that are biased on purpose have as many orders as a fair tape.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

from nodealer.protocols import PROTOCOLS
from uniformity.chisquare import TESTS, Result, uniform
from uniformity.tables import drawn, modulo, only_cut, orders, rolls, sattolo, swap_with_any

PLOT: Final = Path(__file__).parents[3] / "docs" / "internals" / "uniformity.svg"
#: The normal deviate of 10^-6, one-sided.
LINE: Final = 4.753
#: What the axis has room for. What lies beyond is drawn at its end.
LOW, HIGH = -4.0, 16.0
#: Orders that are drawn from a tape alone: fair ones, and those of each shuffle that is biased on purpose.
ORDERS: Final = 12_000
WIDTH, LEFT, TOP, ROW = 860, 190, 64, 26


@dataclass(frozen=True)
class Row:
    name: str
    results: tuple[Result, ...]
    biased: bool = False


def rows(samples: int) -> list[Row]:
    """Everything that is drawn."""
    found = list[Row]()
    for protocol in PROTOCOLS:
        seats = 2 if protocol == "duel" else 3
        made = orders(protocol, samples, seats=seats, honest=seats - 1)
        found.append(Row(f"{protocol}, {seats} seats", tuple(test(made) for test in TESTS)))
    dice = uniform("dice", rolls(samples, (6, 6)), product(range(6), range(6)))
    found.append(Row("dice, 3 seats", (dice,)))
    fair = drawn(ORDERS, lambda tape, inputs: tape.permutation("fair", inputs, 5).vartime_list())
    found.append(Row("a tape alone", tuple(test(fair) for test in TESTS)))
    for name, draw in (
        ("swap with any", swap_with_any),
        ("modulo bias", modulo),
        ("one cycle", sattolo),
        ("only a cut", only_cut),
    ):
        made = drawn(ORDERS, draw)
        found.append(Row(name, tuple(test(made) for test in TESTS), biased=True))
    return found


def x(deviation: float) -> float:
    """Where a deviation lies on the axis."""
    inside = min(max(deviation, LOW), HIGH)
    return LEFT + (inside - LOW) / (HIGH - LOW) * (WIDTH - LEFT - 30)


def plot(found: Sequence[Row], samples: int) -> str:
    """An SVG that is readable on light and on dark pages."""
    height = TOP + ROW * len(found) + 58
    bottom = TOP + ROW * len(found)
    said = f"Standard deviations beyond what chance gives: {samples:,} decks or rolls, {ORDERS:,} orders of tapes"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif"'
        ' font-size="13">',
        "<title>Uniformity of orders and dice, with all seats but one adversarial</title>",
        "<style>:root{--ink:#1f2328;--faint:#d0d7de;--fair:#0969da;--bias:#bc4c00;--line:#cf222e;--paper:#fff}"
        "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--faint:#3d444d;--fair:#58a6ff;--bias:#f0883e;"
        "--line:#ff7b72;--paper:#0d1117}}.p{fill:var(--paper)}text{fill:var(--ink)}.g{stroke:var(--faint)}"
        ".f{fill:var(--fair)}.b{fill:none;stroke:var(--bias);stroke-width:2}.l{stroke:var(--line);stroke-dasharray:5 4}"
        "</style>",
        f'<rect class="p" width="{WIDTH}" height="{height}"/>',
        f'<text x="12" y="22" font-size="15">{said}</text>',
        '<text x="12" y="42">filled: all seats but one never shuffle, and their keys are known; '
        "open: shuffles biased on purpose</text>",
    ]
    for tick in range(int(LOW), int(HIGH) + 1, 4):
        parts.append(f'<line class="g" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP}" y2="{bottom}"/>')
        label, anchor = (f"{tick} or more", "end") if tick == HIGH else (str(tick), "middle")
        parts.append(f'<text x="{x(tick):.1f}" y="{bottom + 18}" text-anchor="{anchor}">{label}</text>')
    parts.append(f'<line class="l" x1="{x(LINE):.1f}" x2="{x(LINE):.1f}" y1="{TOP - 8}" y2="{bottom + 26}"/>')
    parts.append(f'<text x="{x(LINE):.1f}" y="{bottom + 42}" text-anchor="middle">once in a million</text>')
    for number, row in enumerate(found):
        y = TOP + ROW * number + ROW // 2
        parts.append(f'<text x="{LEFT - 12}" y="{y + 4}" text-anchor="end">{row.name}</text>')
        for result in row.results:
            kind = "b" if row.biased else "f"
            said = f"{result.test}: p = {result.p:.2g}"
            at = f'cx="{x(result.deviation):.1f}" cy="{y}"'
            parts.append(f'<circle class="{kind}" {at} r="5"><title>{row.name}, {said}</title></circle>')
    return "\n".join([*parts, "</svg>", ""])


def main(samples: int) -> int:
    found = rows(samples)
    for row in found:
        said = "  ".join(f"{result.test} {result.p:.2g}" for result in row.results)
        print(f"{row.name:18} {row.results[0].samples:9,} orders  p: {said}")
    PLOT.write_text(plot(found, samples))
    return int(any(not result.passes for row in found if not row.biased for result in row.results))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2400))
