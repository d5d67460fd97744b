"""The diagrams in docs/ say what the tables say."""

from __future__ import annotations

import pytest

from diagrams import BEGIN, DOCS, END, PAGES, with_diagram
from layers_picture import PICTURE, picture, rooms


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_as_the_tables(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text()
    assert with_diagram(page, PAGES[name]) == page, "run `make diagrams`"


def test_another_table_is_another_page() -> None:
    page = (DOCS / "mask.md").read_text()
    assert with_diagram(page, PAGES["lock"]) != page


@pytest.mark.parametrize("page", ["", BEGIN, f"{END} {BEGIN}"])
def test_a_page_without_markers(page: str) -> None:
    with pytest.raises(ValueError, match="markers"):
        with_diagram(page, PAGES["mask"])


def test_the_rooms() -> None:
    assert PICTURE.read_text() == picture(rooms()), "make diagrams"
