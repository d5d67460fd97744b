"""The version of the page that was first trusted is kept by its service worker, until the person takes another."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from web.tab.people import person, tab
from web.tab.site import light, name_of, served


def kept(page: Page) -> str | None:
    """The version that is kept, once the page says so."""
    page.wait_for_selector(".served[data-kept]")
    return page.get_attribute(".served", "data-kept")


def another(page: Page) -> None:
    """Wait until the page asks whether to take another version."""
    page.wait_for_selector(".served .another")


@pytest.mark.timeout(300)
def test_another_version_is_taken_when_the_person_says_so_and_not_before(browser: Browser, tmp_path: Path) -> None:
    first, second, third = (light(tmp_path / mark, mark) for mark in ("first", "second", "third"))
    with served(first) as site, person(browser) as within:
        page = tab(within, site.address)
        assert (kept(page), page.title()) == (name_of(first), "first")
        # Another one is served: the page is the one that is kept, and asks.
        site.serve(second)
        page.reload()
        another(page)
        assert (kept(page), page.title()) == (name_of(first), "first")
        page.click(".another .button.quiet")
        page.wait_for_selector(".another", state="detached")
        page.reload()
        another(page)
        assert (kept(page), page.title()) == (name_of(first), "first")
        # What comes in the place of a file that the list names is not taken, and the person is told.
        site.lies["/static/js/kit.js"] = b"import '/static/js/evil.js';"
        page.click(".another .button:not(.quiet)")
        page.wait_for_selector(".served .untaken")
        assert "static/js/kit.js" in page.inner_text(".untaken")
        page.reload()
        assert (kept(page), page.title()) == (name_of(first), "first")
        # Nor is one that was not asked about: the host changes what it serves between the question and the answer.
        site.lies.clear()
        another(page)
        site.serve(third)
        page.click(".another .button:not(.quiet)")
        page.wait_for_selector(f".another[data-hash='{name_of(third)}']")
        assert kept(page) == name_of(first)
        # The person takes it.
        page.click(".another .button:not(.quiet)")
        page.wait_for_selector(f".served[data-kept='{name_of(third)}']")
        assert page.title() == "third"
        page.reload()
        assert (kept(page), page.title(), page.query_selector(".another")) == (name_of(third), "third", None)
        # What is no part of it is not asked of the host.
        assert page.evaluate("() => fetch('/elsewhere').then((answer) => answer.status)") == 404
        assert "/elsewhere" not in site.asked
        # Reset: what is served now is trusted as at the first visit.
        site.serve(first)
        page.reload()
        another(page)
        page.click(".served > .button.quiet")
        page.wait_for_selector(f".served[data-kept='{name_of(first)}']")
        assert page.title() == "first"


@pytest.mark.timeout(300)
def test_a_first_version_that_is_not_what_it_says_is_not_kept(browser: Browser, tmp_path: Path) -> None:
    with served(light(tmp_path / "one", "one")) as site, person(browser) as within:
        site.lies["/static/css/how.css"] = b"not this"
        page = tab(within, site.address)
        page.wait_for_selector(".served .untaken")
        assert page.get_attribute(".served", "data-kept") is None and "how.css" in page.inner_text(".untaken")


@pytest.mark.timeout(300)
def test_nothing_is_kept_that_a_host_says_beside_a_file(browser: Browser, tmp_path: Path) -> None:
    """Every file is right, and the first page would be gone from after an hour, to wherever the host likes."""
    with served(light(tmp_path / "one", "one")) as site, person(browser) as within:
        site.more = [
            (b"refresh", b"3600; url=/elsewhere"),
            (b"x-mark", b"evil"),
            (b"link", b"</x.js>; rel=preload; as=script"),
        ]
        page = tab(within, site.address)
        kept(page)
        page.reload()
        said = page.evaluate("() => fetch('/').then((answer) => [...answer.headers.keys()])")
        assert "content-security-policy" in said and not {"refresh", "x-mark", "link"} & set(said)
        # A question in the address is no way around what is kept, nor is a name that is not quite the one.
        site.lies |= {"/static/js/kit.js": b"evil", "/": b"evil", "/index.html": b"evil", "//": b"evil"}
        for path in (
            "/?x",
            "/index.html?x#y",
            "/static/js/kit.js?evil",
            "//",
            "/./static/js/kit.js",
            "/static/js/kit.js/",
        ):
            asks = "(path) => fetch(location.origin + path).then((answer) => answer.text(), () => 'nothing')"
            got = page.evaluate(asks, path)
            assert got != "evil", path


@pytest.mark.timeout(300)
def test_a_page_in_a_frame_of_others_does_nothing(browser: Browser, tmp_path: Path) -> None:
    """Of a host that sends no headers: one that does is not shown in a frame at all."""
    with served(light(tmp_path / "one", "one")) as site, served(light(tmp_path / "two", "two")) as other:
        site.bare = other.bare = True
        other.lies["/frame"] = f"<!doctype html><iframe src='{site.address}/'></iframe>".encode()
        within = browser.new_context()
        try:
            page = within.new_page()
            page.goto(f"{other.address}/frame")
            framed = page.frame_locator("iframe").locator(".stopped[data-kind=framed]")
            framed.wait_for()
            assert "inside another page" in framed.inner_text() and not page.workers
            site.bare = False
            page.goto(f"{other.address}/frame")
            page.wait_for_load_state("networkidle")
            assert page.frame_locator("iframe").locator(".stage").count() == 0
        finally:
            within.close()
