"""The states of the contact sheet, on phones and on a desk: all are there, and nothing sticks out or overlaps."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from .browser import boxes, overlap
from .sheet import STATES
from .states import State, away, crowded, plain, states
from .told import told_page

#: A phone, a small one, one that lies, and a desk.
SIZES = ((360, 640), (390, 780), (844, 390), (1280, 800))


def refuse_mess(browser: Browser, state: State) -> None:
    for width, height in SIZES:
        with told_page(browser, *state.documents, viewport={"width": width, "height": height}) as (page, _):
            page.wait_for_selector(state.there, state="attached")
            page.wait_for_timeout(150)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (state.name, width)
            plates = boxes(page, ".pod .plate")
            assert overlap(plates) == [] == overlap([*plates, *boxes(page, ".board")]), (state.name, width)
            # Bets, pots and the board do not lie on each other; nor do the rows of a field.
            assert overlap(boxes(page, ".board", ".pots .chips", ".bet .chips")) == [], (state.name, width)
            assert overlap(boxes(page, ".arena > *")) == [], (state.name, width)
            for others in (
                (".center > .table-text", ".center > .named"),
                ("#actions button", "#table-rules button", "body:not(.sheet-open) .tabs"),
            ):
                assert overlap([*plates, *boxes(page, *others)]) == [], (state.name, width)
            inside = boxes(page, ".pod .plate", ".pod .status", "#actions button", "#table-rules button")
            out = [box for box in inside if box[0] < -1 or box[1] > width + 1 or box[2] < 0 or box[3] > height + 1]
            assert out == [], (state.name, width)


def test_somebody_is_away_and_nothing_is_in_the_way(browser: Browser) -> None:
    refuse_mess(browser, away())


@pytest.mark.parametrize("count", [2, 9])
def test_there_is_room_for_all_on_a_phone(browser: Browser, count: int) -> None:
    refuse_mess(browser, crowded(count))


@pytest.mark.parametrize("count", [2, 5])
def test_a_game_without_a_table_of_its_own_may_say_much(browser: Browser, count: int) -> None:
    refuse_mess(browser, plain(count))


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_all_states_are_there_and_tidy(browser: Browser) -> None:
    names = []
    for state in states():
        names.append(state.name)
        refuse_mess(browser, state)
    assert len(set(names)) == STATES
