"""The diagrams in docs/ say what the tables say."""

from __future__ import annotations

import re

import pytest

from diagrams import ALL_IN_ONE, BEGIN, END, LARGE, PAGES, Edges, diagram, page_of, with_diagram
from layers_picture import PICTURE, picture, rooms

#: So many arrows one can follow in one picture.
ARROWS_MAX = 25


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_as_the_tables(name: str) -> None:
    page = page_of(name).read_text()
    assert with_diagram(page, PAGES[name], LARGE.get(name, ALL_IN_ONE)) == page, "run `make diagrams`"


def read_back(text: str, edges: Edges) -> dict[str, set[str]]:
    """The table that somebody has who reads arrows and words. Where it begins is not said in words."""
    found: dict[str, set[str]] = {before: set() for before in edges}
    for before, after in re.findall(r"^    (\S+) --> (\S+)$", text, re.MULTILINE):
        found[before].add(after)
    _, _, words = text.partition("Not drawn: ")
    for clause in filter(None, words.rstrip(".").split("; ")):
        names = re.findall(r"`(\w+)`", clause)
        if clause.startswith("these may follow themselves"):
            for name in names:
                found[name].add(name)
            continue
        after, *named = names
        others = set(edges) - {"[*]", after}
        for before in others - set(named) if "every other stage" in clause else named:
            found[before].add(after)
    return found


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_lost_between_arrows_and_words(name: str) -> None:
    edges = PAGES[name]
    text = diagram(edges, LARGE.get(name, ALL_IN_ONE))
    assert read_back(text, edges) == {before: set(afters or ["[*]"]) for before, afters in edges.items()}
    assert max(part.count("-->") for part in text.split("```mermaid")) <= ARROWS_MAX


def test_another_table_is_another_page() -> None:
    page = page_of("offset").read_text()
    assert with_diagram(page, PAGES["chain"], ALL_IN_ONE) != page


@pytest.mark.parametrize("page", ["", BEGIN, f"{END} {BEGIN}"])
def test_a_page_without_markers(page: str) -> None:
    with pytest.raises(ValueError, match="markers"):
        with_diagram(page, PAGES["duel"], ALL_IN_ONE)


def test_the_rooms() -> None:
    assert PICTURE.read_text() == picture(rooms()), "make diagrams"
