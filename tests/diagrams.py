"""The diagrams in docs/, from the tables in the code: `python diagrams.py` in this folder writes them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.transitions import TABLES
from nodealer.engine.phases import TRANSITIONS, Phase
from nodealer.protocols.stages import Transitions, Untouched

SPEC: Final = Path(__file__).parents[1] / "docs" / "spec"
BEGIN, END = "<!-- diagram: written by `make diagrams` -->", "<!-- end of the diagram -->"

#: From name to the names that may follow; "[*]" is where it begins.
Edges = Mapping[str, list[str]]
BEGINNING: Final = "[*]"
#: Where only so few stages do not lead to another, they are the ones that are named.
FEW: Final = 3


@dataclass(frozen=True)
class Drawing:
    """How a large table is drawn, so that somebody can follow its arrows: all of them stand on the page, as an arrow or
    in words."""

    #: What a picture shows, and the stages whose arrows begin there; none for all in one picture.
    parts: Mapping[str, tuple[str, ...]]
    #: What follows so many stages that its arrows are said, but for those from the named ones.
    said: Mapping[str, tuple[str, ...]]


ALL_IN_ONE: Final = Drawing({}, {})
LARGE: Final[Mapping[str, Drawing]] = {
    "mask": Drawing(
        {
            "A deck is made:": (BEGINNING, "MaskShuffling", "Tagging", "Sharing", "Rekeying"),
            "Requests to an idle deck (complete, with no operation in progress):": (
                *(
                    "Idle",
                    "RequestingPeek",
                    "AnsweringPeek",
                    "Mixing",
                    "Receiving",
                    "HandingOver",
                    "Proving",
                    "Releasing",
                ),
            ),
            "Cards go back:": ("Gathering", "Arranging", "Masking"),
            "A player has left:": ("Joining", "MaskDeclaring", "MaskMismatch", "Closed"),
        },
        {"Joining": ("MaskDeclaring", "MaskMismatch"), "Closed": ("MaskMismatch",)},
    ),
    "lock": Drawing({}, {"Cascading": ("OpeningFragments",), "Closed": ("Idle",)}),
}


def stages(table: Transitions) -> Edges:
    """A deck begins untouched."""
    return {
        BEGINNING if before is Untouched else before.__name__: sorted(stage.__name__ for stage in following)
        for before, following in table.items()
    }


def phases() -> Edges:
    """A table begins between hands."""
    edges = {before.name: sorted(after.name for after in afters) for before, afters in TRANSITIONS.items()}
    return {BEGINNING: [Phase.BETWEEN.name], **edges}


#: Page to its diagram.
PAGES: Final[Mapping[str, Edges]] = {**{name: stages(table) for name, table in TABLES.items()}, "log": phases()}


def diagram(edges: Edges, drawing: Drawing) -> str:
    """A table as Mermaid draws it, and what it does not draw in words."""
    parts = [
        text for title, stages in drawing.parts.items() for text in (title, _picture(_drawn(edges, stages, drawing)))
    ]
    return "\n\n".join((*(parts or [_picture(_drawn(edges, edges, drawing))]), *_in_words(edges, drawing)))


def _drawn(edges: Edges, stages: Collection[str], drawing: Drawing) -> list[tuple[str, str]]:
    """The arrows that begin at these stages. What nothing follows is an end."""
    arrows = [(before, after) for before in stages for after in edges[before] or [BEGINNING]]
    return [
        (before, after) for before, after in arrows if before != after and before in drawing.said.get(after, (before,))
    ]


def _picture(arrows: Collection[tuple[str, str]]) -> str:
    lines = [f"    {before} --> {after}" for before, after in arrows]
    return "\n".join(("```mermaid", "stateDiagram-v2", *lines, "```"))


def _in_words(edges: Edges, drawing: Drawing) -> list[str]:
    """The arrows that are not drawn."""
    said = [f"{_code(after)} may follow {_before(after, edges)}" for after in drawing.said]
    again = [before for before, afters in edges.items() if before in afters]
    if again:
        said.append(f"these may follow themselves: {_listed(again)}")
    return [f"Not drawn: {'; '.join(said)}."] if said else []


def _before(after: str, edges: Edges) -> str:
    others = [before for before in edges if before not in (after, BEGINNING)]
    no = [before for before in others if after not in edges[before]]
    if len(no) > FEW:
        return _listed([before for before in others if before not in no])
    return f"every other stage but {_listed(no)}" if no else "every other stage"


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(map(_code, names[:-1])), _code(names[-1]))))


def _code(name: str) -> str:
    return f"`{name}`"


def page_of(name: str) -> Path:
    """Return the page of the specification that shows the diagram called `name`."""
    return SPEC / "log.md" if name == "log" else SPEC / "protocols" / f"{name}.md"


def with_diagram(page: str, edges: Edges, drawing: Drawing) -> str:
    """A page with its diagram between the markers."""
    between = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    found = f"{BEGIN}\n\n{diagram(edges, drawing)}\n\n{END}"
    page, count = between.subn(lambda _: found, page)
    if count != 1:
        raise ValueError("a page needs the markers of its diagram once")
    return page


if __name__ == "__main__":
    for name, edges in PAGES.items():
        path = page_of(name)
        path.write_text(with_diagram(path.read_text(), edges, LARGE.get(name, ALL_IN_ONE)))
