"""docs/internals/layers.svg: the rooms, drawn from what their files import. `make diagrams` writes it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from test_layers import SRC, imports

PICTURE: Final = Path(__file__).parents[1] / "docs" / "internals" / "layers.svg"
#: The package itself, which opens the library when somebody asks for it: no room.
DOOR: Final = "__init__"
WIDE, HIGH, GAP, RISE = 92, 34, 18, 46

Edges = Mapping[str, frozenset[str]]

STYLE: Final = """
text { font: 14px system-ui, sans-serif; text-anchor: middle; dominant-baseline: central; fill: #1c2b2a }
rect { fill: #e3f1ee; stroke: #2a7a6f; stroke-width: 1.5 }
path { fill: none; stroke: #6d8f8a; stroke-width: 1.2; marker-end: url(#to) }
#to path { fill: #6d8f8a; stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #e6f2f0 } rect { fill: #17403b; stroke: #58b3a6 } path { stroke: #7fa8a2 } #to path { fill: #7fa8a2 }
}
"""


def rooms() -> Edges:
    """Room to the rooms that its files import."""
    found: dict[str, set[str]] = {}
    for path in sorted(SRC.rglob("*.py")):
        room = path.relative_to(SRC).parts[0].removesuffix(".py")
        if room == DOOR:
            continue
        targets = found.setdefault(room, set())
        for imported in imports(ast.parse(path.read_text())):
            top, _, rest = imported.module.partition(".")
            if top == "nodealer":
                targets |= {rest.partition(".")[0]} if rest else set(imported.names)
    return {room: frozenset(targets & found.keys()) - {room} for room, targets in found.items()}


def reached(edges: Edges, room: str) -> frozenset[str]:
    """All that a room imports, itself or through others."""
    return edges[room].union(*(reached(edges, target) for target in edges[room]))


def drawn(edges: Edges) -> Edges:
    """Without the arrows that others imply."""
    implied = {room: frozenset().union(*(reached(edges, other) for other in edges[room])) for room in edges}
    return {room: targets - implied[room] for room, targets in edges.items()}


def height(edges: Edges, room: str) -> int:
    """How many rooms stand below it, one on the other."""
    return 1 + max((height(edges, target) for target in edges[room]), default=-1)


def picture(edges: Edges) -> str:
    """The rooms in rows, each above all that it imports."""
    rows: dict[int, list[str]] = {}
    for room in sorted(edges):
        rows.setdefault(height(edges, room), []).append(room)
    width = max(len(row) for row in rows.values()) * (WIDE + GAP) + GAP
    tall = len(rows) * (HIGH + RISE) + GAP
    at: dict[str, tuple[float, float]] = {}
    for level, row in rows.items():
        left = (width - len(row) * (WIDE + GAP) + GAP) / 2
        # Every other row stands aside, so that fewer arrows run behind a room.
        shift = (WIDE + GAP) / 4 * (1 if level % 2 else -1) if len(row) < max(map(len, rows.values())) else 0
        for place, room in enumerate(row):
            at[room] = (left + shift + place * (WIDE + GAP) + WIDE / 2, tall - GAP - HIGH / 2 - level * (HIGH + RISE))
    lines = [_arrow(at[room], at[target]) for room, targets in drawn(edges).items() for target in sorted(targets)]
    boxes = [
        f'<rect x="{x - WIDE / 2:g}" y="{y - HIGH / 2:g}" width="{WIDE}" height="{HIGH}" rx="6"/>'
        f'<text x="{x:g}" y="{y:g}">{room}</text>'
        for room, (x, y) in at.items()
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {tall}" role="img">'
    title = "<title>The packages of nodealer: each imports only those its arrows lead to</title>"
    marker = '<defs><marker id="to" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    marker += '<path d="M0 0L8 4L0 8z"/></marker></defs>'
    return "\n".join([head, title, f"<style>{STYLE}</style>", marker, *lines, *boxes, "</svg>", ""])


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x, y), (to_x, to_y) = (start[0], start[1] + HIGH / 2), (end[0], end[1] - HIGH / 2)
    bend = (to_y - y) / 2
    return f'<path d="M{x:g} {y:g}C{x:g} {y + bend:g} {to_x:g} {to_y - bend:g} {to_x:g} {to_y:g}"/>'


if __name__ == "__main__":
    PICTURE.write_text(picture(rooms()))
