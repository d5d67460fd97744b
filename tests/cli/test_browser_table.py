"""What a page can make its process do, and what it cannot: the questions of a lobby, and tables to begin."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import get_args

import pytest
from msgspec import Raw

from nodealer.cli import play_page
from nodealer.cli.browser_table import CONNECTION, Page, PageScreen
from nodealer.cli.plan import create_plan
from nodealer.client.events import ConnectionChanged, ConnectionCode, Declined, NewLinks, ProposalReceived
from nodealer.client.game_loader import load_game
from nodealer.client.lobby import Asked, LobbyQuestion
from nodealer.errors import BadParameter
from nodealer.games.text import Words
from nodealer.keys import Identity
from nodealer.log.roster import TIMEKEEPER, Roster, member_of
from nodealer.log.session import Limits, Part, Proposal
from nodealer.web import messages as doc
from nodealer.web.lobby import ANSWERS


def asked(page: Page) -> doc.LobbyQuestion:
    assert page.questions.question is not None
    return page.questions.question


def test_a_yes_to_one_proposal_is_none_to_the_next() -> None:
    page = Page()
    questions = page.questions
    the_first, the_second = (LobbyQuestion(Asked.PROPOSAL, about=about) for about in ("the first", "the second"))
    assert questions.answer(the_first) is None
    first = asked(page).ask
    assert questions.answer(the_second) is None
    # The page still showed the first one when somebody clicked.
    page.hub.on_message(doc.Answer(first, "y"))
    assert questions.answer(the_second) is None
    page.hub.on_message(doc.Answer(asked(page).ask, "y"))
    assert questions.answer(the_second) == "y"
    assert page.questions.question is None
    # Nor does a second click answer the same question when it is asked again.
    page.hub.on_message(doc.Answer(first + 1, "y"))
    assert questions.answer(the_second) is None


def test_an_answer_from_the_lobby_before_is_none_to_the_next() -> None:
    page = Page()
    page.questions.answer(LobbyQuestion(Asked.PROPOSAL, about="one table"))
    page.hub.on_message(doc.Answer(asked(page).ask, "y"))
    page.sit("player", "Ada")
    assert page.questions.answer(LobbyQuestion(Asked.PROPOSAL, about="another table")) is None


def test_whatever_is_asked_has_answers() -> None:
    assert set(ANSWERS) == set(Asked)


def test_a_person_sees_all_that_it_agrees_to() -> None:
    page = Page()
    members = tuple(
        member_of(Identity(bytes([seat + 1]) * 32), seat, name, role)
        for seat, (name, role) in enumerate((("Ada", "player"), ("Ben", "player"), ("Clock", TIMEKEEPER)))
    )
    game = Part("holdem", 1, Raw('{"stack":"\u202e1"}'.encode()))
    limits = Limits(move=60_000, cards=30_000, bank=0, refill=0)
    proposal = Proposal(game, Part("mask", 1), (), Roster(members), 3, clock=limits)
    page.lobby.on_event(ProposalReceived(proposal, "Everybody can cheat.", Words()))
    clock = doc.LobbyClock("Clock", 60_000, 0)
    assert page.lobby.proposal == doc.LobbyProposal(
        'holdem {"stack":"\\u{202e}1"}', "mask", 3, ("Ada", "Ben", "Clock"), "Everybody can cheat.", clock
    )


def test_whatever_becomes_of_a_connection_is_told() -> None:
    """Four things; one without words would end the process of the seat."""
    page = Page()
    for what in get_args(ConnectionCode):
        PageScreen(page).emit(ConnectionChanged(what, "ws://somewhere"))
    assert len(CONNECTION) == 5


def test_a_page_begins_only_what_is_on_offer_and_imports_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lies_here.py").write_text("game = None\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    game = load_game("holdem")
    plan = create_plan("holdem", game.settled({}), protocol=None, seats=2, hands=1, person="Ada")
    with pytest.raises(BadParameter, match="is not available"):
        play_page._plan(plan, doc.Deal("lies_here:game", "Ada", 2, 1))
    assert "lies_here" not in sys.modules


def test_a_log_is_verified_once_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that asks without end gets one verdict after the other, and does not fill the process with audits."""

    async def asks() -> None:
        page, begun, go_on = Page(), 0, asyncio.Event()

        async def verify() -> None:
            nonlocal begun
            begun += 1
            await go_on.wait()

        monkeypatch.setattr(page, "verify", verify)
        for _ in range(100):
            page.hub.on_message(doc.Verify())
            await asyncio.sleep(0)
        assert begun == 1
        go_on.set()
        await asyncio.sleep(0.01)
        page.hub.on_message(doc.Verify())
        await asyncio.sleep(0)
        assert begun == 2

    asyncio.run(asks())


def test_the_questions_of_a_table_are_numbered_on_from_the_table_before() -> None:
    page = Page()
    page.seat.question_number = 7
    page.sit("player", "Ada")
    assert page.seat.question_number == 7


def test_what_was_said_during_a_table_does_not_begin_the_next() -> None:
    async def deals() -> None:
        page = Page()
        page.hub.on_message(doc.Deal("holdem", "Ada", 2, 1))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(page.next_deal(), 0.05)
        waiting = asyncio.ensure_future(page.next_deal())
        await asyncio.sleep(0)
        page.hub.on_message(doc.Deal("holdem", "Ben", 2, 1))
        assert (await waiting).name == "Ben"

    asyncio.run(deals())


def test_what_others_give_as_a_reason_turns_no_text_around() -> None:
    page = Page()
    PageScreen(page).emit(Declined("Ben", "\u202ednuora"))
    (notice,) = [one for one in page.seat.snapshot() if isinstance(one, doc.Notice)]
    assert "\u202e" not in notice.of["reason"] and notice.of["name"] == "Ben"  # type: ignore[operator]


def test_a_page_has_the_new_links() -> None:
    page = Page()
    PageScreen(page).emit(NewLinks(1, "nodealer:#A", "nodealer:#B"))
    (notice,) = [one for one in page.seat.snapshot() if isinstance(one, doc.Notice)]
    assert (notice.of["watch"], notice.of["link"]) == ("nodealer:#B", "nodealer:#A")
