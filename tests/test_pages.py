"""The pages: links lead somewhere, and the site lists every page. `make docs` checks the same and more."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

import pytest

from site_pages import SITE_PAGES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md"), *DOCS.glob("[!s]*/**/*.md"), *DOCS.glob("spec/**/*.md")])
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
    pages = [str(page.relative_to(DOCS)) for page in PAGES if page.is_relative_to(DOCS)]
    assert sorted(listed) == sorted([*pages, *SITE_PAGES])


@pytest.mark.parametrize("path", SITE_PAGES)
def test_generated_pages_have_good_links(path: str) -> None:
    """They are pages of the site only; in the repository, links lead to their data."""
    page, (data, render) = DOCS / path, SITE_PAGES[path]
    text = render()
    assert not page.exists() and (DOCS / data).is_file()
    own = {anchor(found) for found in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
    assert {link.removeprefix("#") for link in LINK.findall(text) if link.startswith("#")} <= own
    assert dead(page, re.sub(r"\]\(#[^)]+\)", "", text)) == []


def test_links_to_data_lead_to_the_generated_page() -> None:
    spec = spec_from_file_location("hooks", DOCS / "site" / "hooks.py")
    assert spec is not None and spec.loader is not None
    hooks = module_from_spec(spec)
    spec.loader.exec_module(hooks)
    for path, page in SITE_PAGES.items():
        name = page.data.rpartition("/")[2]
        for source, link in (("index.md", page.data), ("internals/a.md", name), ("spec/a.md", f"../{page.data}")):
            at = SimpleNamespace(file=SimpleNamespace(src_uri=source))
            changed = hooks.on_page_markdown(f"[data]({link})", page=at)
            assert changed == f"[data]({link.removesuffix(name)}{path.rpartition('/')[2]})"
