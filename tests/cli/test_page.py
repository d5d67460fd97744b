"""What a page can make its process do, and what it cannot: the questions of a lobby, and tables to begin."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from pathlib import Path
from secrets import token_bytes
from typing import get_args

import pytest
from msgspec import Raw

from nodealer.cli import play_page
from nodealer.client.commands import IssueCode, StartGame
from nodealer.client.events import (
    ConnectionChanged,
    ConnectionCode,
    Declined,
    NewLinks,
    ProposalReceived,
    TableLinks,
)
from nodealer.client.game_loader import load_game
from nodealer.client.questions import Asked, LobbyQuestion
from nodealer.client.setup import table_setup
from nodealer.client.status import LobbyStatus, TableStatus
from nodealer.errors import BadParameter
from nodealer.games.text import Words
from nodealer.keys import Identity
from nodealer.log.roster import TIMEKEEPER, Roster, member_of
from nodealer.log.session import Limits, Part, Proposal
from nodealer.web import messages as doc
from nodealer.web.controller import PageController
from nodealer.web.lobby import ANSWERS

FIRST, SECOND = (LobbyQuestion(Asked.PROPOSAL, about=about) for about in ("the first", "the second"))


def controller() -> PageController:
    """Return the controller of a page in a lobby."""
    page = PageController(token_bytes)
    page.start("player", "Ada", network=True)
    in_lobby(page)
    return page


def in_lobby(page: PageController, question: LobbyQuestion | None = None) -> None:
    lobby = LobbyStatus((), None, bytes(32), None, (), False, False, False, 2, question)
    page.ui.status(TableStatus(0.0, "Ada", lobby=lobby))


def shown(page: PageController) -> doc.Lobby:
    (lobby,) = [one for one in page.ui.presenter.snapshot() if isinstance(one, doc.Lobby)]
    return lobby


async def asked(page: PageController, question: LobbyQuestion) -> tuple[asyncio.Task[object], int]:
    """Ask, and return the task that waits for the answer and the number of the question."""
    asking: asyncio.Task[object] = asyncio.create_task(page.ui.prompt(question))
    await asyncio.sleep(0)
    number = shown(page).question
    assert number is not None
    return asking, number.ask


async def withdrawn(asking: asyncio.Task[object]) -> None:
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking


def test_a_yes_to_one_proposal_is_none_to_the_next() -> None:
    async def asks() -> None:
        page = controller()
        asking, first = await asked(page, FIRST)
        await withdrawn(asking)
        asking, second = await asked(page, SECOND)
        # The page still showed the first one when somebody clicked.
        page.hub.on_message(doc.Answer(first, "y"))
        await asyncio.sleep(0)
        assert not asking.done() and second != first
        page.hub.on_message(doc.Answer(second, "y"))
        assert await asking is True
        in_lobby(page)
        assert shown(page).question is None
        # Nor does a second click answer the same question when it is asked again.
        asking, third = await asked(page, SECOND)
        page.hub.on_message(doc.Answer(second, "y"))
        await asyncio.sleep(0)
        assert not asking.done() and third != second
        page.hub.on_message(doc.Answer(third, "n"))
        assert await asking is False

    asyncio.run(asks())


def test_an_answer_from_the_lobby_before_is_none_to_the_next() -> None:
    async def asks() -> None:
        page = controller()
        asking, first = await asked(page, FIRST)
        page.start("player", "Ada", network=True)
        in_lobby(page)
        page.hub.on_message(doc.Answer(first, "y"))
        await withdrawn(asking)
        asking, second = await asked(page, SECOND)
        assert second != first
        page.hub.on_message(doc.Answer(first, "y"))
        await asyncio.sleep(0)
        assert not asking.done()
        await withdrawn(asking)

    asyncio.run(asks())


def test_a_host_begins_or_takes_a_code_once_for_each_click() -> None:
    async def clicks() -> None:
        page = controller()
        orders = page.ui.commands()
        for text, command in (("code", IssueCode()), ("start", StartGame())):
            in_lobby(page, LobbyQuestion(Asked.GUESTS))
            question = shown(page).question
            assert question is not None
            for _ in range(3):
                page.hub.on_message(doc.Answer(question.ask, text))
            assert await anext(orders) == command and page.ui._commands.empty()
        await orders.aclose()

    asyncio.run(clicks())


def test_the_links_of_a_table_are_in_its_lobby() -> None:
    page = controller()
    page.ui.show(TableLinks("nodealer:#A", "nodealer:#B", ("ws://a",)))
    in_lobby(page)
    assert (shown(page).link, shown(page).watch) == ("nodealer:#A", "nodealer:#B") and shown(page).qr


def test_whatever_is_asked_has_answers() -> None:
    assert set(ANSWERS) == set(Asked)


def test_a_person_sees_all_that_it_agrees_to() -> None:
    page = controller()
    members = tuple(
        member_of(Identity(bytes([seat + 1]) * 32), seat, name, role)
        for seat, (name, role) in enumerate((("Ada", "player"), ("Ben", "player"), ("Clock", TIMEKEEPER)))
    )
    game = Part("holdem", 1, Raw('{"stack":"\u202e1"}'.encode()))
    limits = Limits(move=60_000, cards=30_000, bank=0, refill=0)
    proposal = Proposal(game, Part("mask", 1), (), Roster(members), 3, clock=limits)
    page.ui.show(ProposalReceived(proposal, "Everybody can cheat.", Words()))
    in_lobby(page)
    clock = doc.LobbyClock("Clock", 60_000, 0)
    assert shown(page).proposal == doc.LobbyProposal(
        'holdem {"stack":"\\u{202e}1"}', "mask", 3, ("Ada", "Ben", "Clock"), "Everybody can cheat.", clock
    )


def test_whatever_becomes_of_a_connection_is_told() -> None:
    """Five things; one without a notice would be lost."""
    page = controller()
    for what in get_args(ConnectionCode):
        page.ui.show(ConnectionChanged(what, "ws://somewhere"))
        notices = [one for one in page.ui.presenter.snapshot() if isinstance(one, doc.Notice)]
        assert notices[-1].code == what
    assert len(get_args(ConnectionCode)) == 5


def test_a_page_begins_only_what_is_on_offer_and_imports_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lies_here.py").write_text("game = None\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    game = load_game("holdem")
    setup = table_setup(game, game.settled({}), seats=2, hands=1).with_bots("Ada")
    with pytest.raises(BadParameter, match="is not available"):
        play_page._setup_for(setup, doc.Deal("lies_here:game", "Ada", 2, 1))
    assert "lies_here" not in sys.modules


def test_a_log_is_verified_once_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that asks without end gets one verdict after the other, and does not fill the process with audits."""

    async def asks() -> None:
        page, begun, go_on = controller(), 0, asyncio.Event()

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


def test_what_was_said_during_a_table_does_not_begin_the_next() -> None:
    async def deals() -> None:
        page = controller()
        page.hub.on_message(doc.Deal("holdem", "Ada", 2, 1))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(page.next_deal(), 0.05)
        waiting = asyncio.ensure_future(page.next_deal())
        await asyncio.sleep(0)
        page.hub.on_message(doc.Deal("holdem", "Ben", 2, 1))
        assert (await waiting).name == "Ben"

    asyncio.run(deals())


def test_what_others_give_as_a_reason_turns_no_text_around() -> None:
    page = controller()
    page.ui.show(Declined("Ben", "\u202ednuora"))
    (notice,) = [one for one in page.ui.presenter.snapshot() if isinstance(one, doc.Notice)]
    assert "\u202e" not in notice.of["reason"] and notice.of["name"] == "Ben"  # type: ignore[operator]


def test_a_page_has_the_new_links() -> None:
    page = controller()
    page.ui.show(NewLinks(1, "nodealer:#A", "nodealer:#B"))
    (notice,) = [one for one in page.ui.presenter.snapshot() if isinstance(one, doc.Notice)]
    assert (notice.of["watch"], notice.of["link"]) == ("nodealer:#B", "nodealer:#A")
