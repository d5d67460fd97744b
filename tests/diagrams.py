"""The diagrams in docs/, from the tables in the code: `python diagrams.py` in this folder writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from conformance.transitions import TABLES
from nodealer.play.phases import TRANSITIONS, Phase
from nodealer.protocols.staged import Transitions, Untouched

DOCS: Final = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- diagram: written by `make diagrams` -->", "<!-- end of the diagram -->"

#: From name to the names that may follow; "[*]" is where it begins.
Edges = Mapping[str, list[str]]


def stages(table: Transitions) -> Edges:
    """A deck begins untouched."""
    return {
        "[*]" if before is Untouched else before.__name__: sorted(stage.__name__ for stage in following)
        for before, following in table.items()
    }


def phases() -> Edges:
    """A table begins between hands."""
    edges = {before.name: sorted(after.name for after in afters) for before, afters in TRANSITIONS.items()}
    return {"[*]": [Phase.BETWEEN.name], **edges}


#: Page to its diagram.
PAGES: Final[Mapping[str, Edges]] = {**{name: stages(table) for name, table in TABLES.items()}, "log": phases()}


def diagram(edges: Edges) -> str:
    """A table as Mermaid draws it. What nothing follows is an end."""
    lines = [f"    {before} --> {after}" for before, afters in edges.items() for after in afters or ["[*]"]]
    return "\n".join(("```mermaid", "stateDiagram-v2", *lines, "```"))


def with_diagram(page: str, edges: Edges) -> str:
    """A page with its diagram between the markers."""
    between = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    found = f"{BEGIN}\n\n{diagram(edges)}\n\n{END}"
    page, count = between.subn(lambda _: found, page)
    if count != 1:
        raise ValueError("a page needs the markers of its diagram once")
    return page


if __name__ == "__main__":
    for name, edges in PAGES.items():
        path = DOCS / f"{name}.md"
        path.write_text(with_diagram(path.read_text(), edges))
