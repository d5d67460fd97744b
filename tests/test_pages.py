"""The pages: links lead somewhere, and the site lists every page. `make docs` checks the same and more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md"), *DOCS.glob("[!s]*/*.md"), *DOCS.glob("spec/**/*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
MENTION = re.compile(r"`?\bdocs/([a-z0-9/-]+\.md)")


def anchor(heading: str) -> str:
    """What a heading is called in an address."""
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower()))


def anchors(page: Path) -> set[str]:
    return {anchor(found) for found in re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)}


def dead(page: Path, text: str) -> list[str]:
    """The links and mentions of a text, as if it stood on a page, that lead nowhere."""
    found = []
    for link in LINK.findall(text):
        if re.match(r"https?://", link):
            continue
        name, _, part = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (part and part not in anchors(target)):
            found.append(link)
    found += [name for name in MENTION.findall(text) if not (DOCS / name).exists()]
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    assert dead(page, page.read_text()) == []


def test_a_dead_link_is_seen() -> None:
    page = DOCS / "index.md"
    text = (
        "[a](nowhere.md) [b](spec/log.md#nothing) [c](#no) `docs/no-page.md` [d](spec/log.md) [e](https://example.org)"
    )
    assert dead(page, text) == ["nowhere.md", "spec/log.md#nothing", "#no", "no-page.md"]


def test_every_page_is_in_the_list() -> None:
    listed = re.findall(r": ([a-z0-9/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(str(page.relative_to(DOCS)) for page in PAGES if page.is_relative_to(DOCS))
