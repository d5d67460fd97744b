"""The diagrams of the stages in docs/, from the tables in the code: `python diagrams.py` in this folder writes them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from conformance.transitions import TABLES
from nodealer.protocols.staged import Transitions, Untouched

DOCS: Final = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- stages: written by `make diagrams` -->", "<!-- end of stages -->"


def diagram(table: Transitions) -> str:
    """A table as Mermaid draws it. A deck begins untouched; a stage that nothing follows is an end."""
    lines = ["stateDiagram-v2"]
    for before, following in table.items():
        begin = "[*]" if before is Untouched else before.__name__
        ends = sorted(stage.__name__ for stage in following) or ["[*]"]
        lines += [f"    {begin} --> {end}" for end in ends]
    return "\n".join(("```mermaid", *lines, "```"))


def with_diagram(page: str, table: Transitions) -> str:
    """A page with its diagram between the markers."""
    between = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    found = f"{BEGIN}\n\n{diagram(table)}\n\n{END}"
    page, count = between.subn(lambda _: found, page)
    if count != 1:
        raise ValueError("a page needs the markers of its diagram once")
    return page


if __name__ == "__main__":
    for name, table in TABLES.items():
        path = DOCS / f"{name}.md"
        path.write_text(with_diagram(path.read_text(), table))
