"""The page as a front end at whole games: what it tells, what it never tells, and what it makes of answers."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from nodealer.cards.operations import Seal
from nodealer.client.commands import SendChat
from nodealer.client.events import CheckedContact, KeyStatus
from nodealer.client.table_client import CHATS_MAX
from nodealer.engine.chat import sign_chat
from nodealer.engine.commands import AdmitPlayer, RequestSeat, SitOut
from nodealer.engine.frame_result import Received
from nodealer.engine.leave_policy import stay_for_hands, stay_while_playable
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import resolve_parts
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import HomeUnusable
from nodealer.games.holdem import Call, Raise
from nodealer.games.holdem.faces import name as face_name
from nodealer.keys import Identity
from nodealer.web import messages as doc
from nodealer.web.controller import PageController
from nodealer.web.page_ui import PENDING_MAX, PageUI
from nodealer.web.replay import OwnSecrets, replay_entries, replay_hand

from .tables import Screen, Table


@pytest.fixture(scope="module")
def played() -> Table:
    table = Table()
    table.play()
    assert table.people[0].is_over
    return table


def of(told: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [one for one in told if one["type"] == kind]


def test_a_page_never_gets_a_card_that_its_person_must_not_see(played: Table) -> None:
    """In each hand, every card of another seat that was never shown, anywhere in what the page received."""
    hidden = 0
    for told, mine in ((played.told, 0), (played.watched, None)):
        for hand in (0, 1):
            views = [one for one in of(told, "view") if one["hand"] == hand + 1 and one["phase"] == "playing"]
            after = [one for one in of(told, "view") if one["hand"] == hand + 1]
            shown = {card for one in after for seat in one["page"].get("seats", ()) for card in seat["shown"]}
            text = "".join(json.dumps(one) for one in told if one.get("hand") == hand + 1)
            assert views
            for seat in range(3):
                secret = {face_name(face) for face in played.held[hand, seat]} - shown
                for card in secret:
                    hidden += seat != mine
                    assert (f'"{card}"' in text) == (seat == mine), (hand, seat, card)
    assert hidden, "every card was shown: the test sees nothing"


def test_faces_of_other_seats_are_in_no_list_either(played: Table) -> None:
    for view in of(played.told, "view"):
        if view["phase"] == "playing":
            faces = {card["face"] for card in view["page"]["cards"]}
            assert faces <= played.held.get((view["hand"] - 1, 0), set())
    assert all(not view["page"]["cards"] and not view["mine"] for view in of(played.watched, "view"))


def test_shuffles_are_sent_proven_and_verified_with_their_time(played: Table) -> None:
    proofs = [one for one in of(played.told, "proof") if one["kind"] == "shuffle" and one["hand"] == 1]
    assert [(one["name"], one["state"]) for one in proofs] == [
        ("Ada", "own"),
        ("Ben", "verified"),
        ("Cleo", "verified"),
    ]
    assert proofs[0]["took"] is None and all(one["took"] > 0 and one["checks"] for one in proofs[1:])
    shuffling = [step[0] for one in of(played.told, "working") for step in one["steps"] if step[1] == "shuffle"]
    assert {0, 1, 2} <= set(shuffling)
    watched = [one for one in of(played.watched, "proof") if one["kind"] == "shuffle"]
    assert {one["state"] for one in watched} == {"verified"}


def test_a_page_that_comes_later_hears_lines_and_steps_in_their_order(played: Table) -> None:
    told = [json.loads(doc.encode_message(one)) for one in played.pages[0].presenter.snapshot()]
    entries = [one["entry"] for one in told if one["type"] in ("line", "proof") and one["entry"] is not None]
    assert entries == sorted(entries)
    kinds = "".join(one["type"][0] for one in told if one["type"] in ("line", "proof"))
    assert "lp" in kinds and "pl" in kinds


def test_the_table_its_words_and_the_log_are_told(played: Table) -> None:
    (table,) = of(played.told, "table")
    one = played.people[0]
    assert table["words"] == list(one.session_words) and table["session"] == one.session.id.hex() and table["you"] == 0
    assert table["module"] == "game/holdem/table.js" and of(played.watched, "table")[0]["you"] is None
    grown = of(played.told, "log")[-1]
    assert grown["entries"] == one.replica.height and one.replica.head.hex().startswith(grown["head"])
    assert grown["bytes"] == sum(map(len, one.replica.entries))
    assert of(played.told, "view")[-1]["phase"] == "ended"


def test_hands_are_shown_again_moment_by_moment(played: Table) -> None:
    assert [one["hand"] for one in of(played.told, "hand")] == [1, 2]
    again = played.pages[0].presenter.stored_replay(1)
    assert again is not None
    events = [line.event for frame in again.frames for line in frame.lines]
    assert events[0] == "begin" and "result" in events and len(again.frames) > 8
    assert {frame.view.hand for frame in again.frames} == {1}
    assert again.frames[-1].view.page["result"]["hand"] == 0
    assert played.pages[0].presenter.stored_replay(9) is None


def own(one: Participant) -> OwnSecrets:
    return OwnSecrets(one.seat.number, one.store.root, one.store.identity, tuple(one.store.journal.records))


@pytest.mark.parametrize("hand", [1, 2])
def test_the_log_shows_a_hand_as_the_page_saw_it(played: Table, hand: int) -> None:
    one, seat = played.people[0], played.pages[0].presenter
    kept, replica = seat.stored_replay(hand), one.replica
    assert kept is not None
    again = replay_hand(
        replica.config, replica.entries, seat.moment_collector(hand, replica.config), own(one), replica.entropy
    )
    assert [line for frame in again for line in frame.lines] == [line for frame in kept.frames for line in frame.lines]
    seen = [frame.view.page["mine"] for frame in again if frame.view.page.get("mine")]
    assert seen and seen == [frame.view.page["mine"] for frame in kept.frames if frame.view.page.get("mine")]
    assert again[-1].view.page == kept.frames[-1].view.page
    public = replay_hand(
        replica.config, replica.entries, seat.moment_collector(hand, replica.config), None, replica.entropy
    )
    assert [frame.lines for frame in public if frame.lines] == [frame.lines for frame in again if frame.lines]
    assert not any(frame.view.page.get("mine") for frame in public)


def test_a_hand_that_nobody_played_has_no_moments(played: Table) -> None:
    replica, seat = played.people[0].replica, played.pages[0].presenter
    assert (
        replay_hand(replica.config, replica.entries, seat.moment_collector(9, replica.config), None, replica.entropy)
        == ()
    )


def test_who_comes_back_has_every_hand_and_not_half_of_one(played: Table) -> None:
    """In another process: all hands are listed, and none is kept that was begun before."""
    told: list[dict[str, Any]] = []
    back = Participant(
        played.people[0].store, entropy=played.source, stay_policy=stay_for_hands(2), parts=resolve_parts
    )
    screen = played.screen(back, told)
    screen.show(Received((), ()))
    page = screen.ui
    assert [one["hand"] for one in of(told, "hand")] == [1, 2]
    assert [one["type"] for one in told].count("hello") == 1 and of(told, "line")
    assert page.presenter.stored_replay(1) is None and page.presenter.stored_replay(2) is None

    async def replayed() -> None:
        page.receive(doc.Replay(1))
        page.receive(doc.Replay(2))
        for _ in range(6000):
            if of(told, "replay"):
                break
            await asyncio.sleep(0.01)

    asyncio.run(replayed())
    (again,) = of(told, "replay")
    assert again["hand"] == 1 and again["frames"] and told[-2]["code"] == "not now"


def test_a_page_that_asks_does_not_meet_a_failing_disk(played: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the loop has a participant check and store what it put off, and says that the disk has failed. A page is no
    part of the loop: what it asks for stores nothing."""

    def fails(*arguments: object) -> None:
        raise HomeUnusable("the disk is full")

    for stores in ("settle", "outgoing", "_settle_batch"):
        monkeypatch.setattr(Participant, stores, fails)
    page, before = played.pages[0], len(of(played.told, "replay"))
    with monkeypatch.context() as forgotten:
        forgotten.setattr(page.presenter, "stored_replay", lambda hand: None)

        async def replayed() -> None:
            page.receive(doc.Replay(1))
            assert page._replaying is not None
            await page._replaying
            await asyncio.sleep(0)

        asyncio.run(replayed())
    assert of(played.told, "replay")[before:]
    for document in (doc.Leave(), doc.TypedMove(1, "fold"), doc.Replay(1)):
        page.receive(document)
    while not page._commands.empty():
        page._commands.get_nowait()
    assert list(page.presenter.snapshot())


def test_a_page_that_loads_again_gets_what_it_needs(played: Table) -> None:
    kinds = [json.loads(doc.encode_message(one))["type"] for one in played.pages[0].presenter.snapshot()]
    assert kinds[0] == "hello" and kinds.index("table") < kinds.index("line") < kinds.index("view")
    assert kinds.count("view") == 1 and kinds.count("hand") == 2


def test_a_collectible_game_hides_what_was_drawn_and_tells_what_was_looked_at() -> None:
    table = Table("wardens", "duel", seats=2, hands=1)
    table.play(steps=400)
    views = [one for one in of(table.told, "view") if one["page"].get("sides")]
    assert views and all("hand" in side and isinstance(side["hand"], int) for side in views[-1]["page"]["sides"])
    theirs = {face for (_, seat), faces in table.held.items() if seat == 1 for face in faces}
    listed = [card["face"] for view in views for card in view["page"]["cards"] if card["deck"] == 1]
    assert theirs and listed == []


# --- Answers ---


class Asking(Table):
    """The first seat answers by documents."""

    def __init__(self) -> None:
        super().__init__(seats=2, hands=1)
        self.play(lambda one: [], steps=200)
        question = self.people[0].question()
        if question is None:
            self.play(steps=1)
            question = self.people[0].question()
        assert question is not None
        self.question = question
        self.page = self.pages[0]
        self.page.ask(question)

    def refused(self) -> str:
        last = self.told[-1]
        return str(last["code"] or last["reason"]) if last["type"] == "refused" else ""


@pytest.fixture(scope="module")
def asking() -> Asking:
    return Asking()


def test_a_move_is_taken_whatever_the_order_of_its_fields(asking: Asking) -> None:
    legal = of(asking.told, "view")[-1]["page"]["legal"]
    ask = asking.told[-1]["ask"]
    to = legal["raise_from"]
    for move in ({"type": "raise", "to": to}, {"to": to, "type": "raise"}):
        assert asking.page.read_decision(doc.Move(ask, move)) == Raise(to)
    assert asking.page.read_decision(doc.Move(ask, {"type": "call"})) == Call()
    assert asking.page.read_decision(doc.TypedMove(ask, "call")) is not None


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (doc.Move(99, {"type": "call"}), "late"),
        (doc.Move(1, {"type": "win"}), "Invalid value"),
        (doc.Move(1, {"type": "raise", "to": 10**9}), ""),
        (doc.Move(1, {"type": "show"}), ""),
        (doc.TypedMove(1, "dance"), "not a move"),
        (doc.Choose(1, (0,)), "not asking you for a choice"),
    ],
)
def test_what_is_no_answer_is_refused_with_a_reason(
    asking: Asking, said: doc.Move | doc.TypedMove | doc.Choose, reason: str
) -> None:
    assert asking.page.read_decision(said) is None
    assert reason in asking.refused() and asking.refused()


def test_what_is_sealed_is_typed(asking: Asking) -> None:
    sealing = replace(asking.question, seal=Seal(8))
    asking.page.ask(sealing)
    asked = asking.told[-1]
    assert asked["for"] == "seal" and asked["prompt"]
    assert asking.page.read_decision(doc.SealText(asked["ask"], " twelve ")) == b"twelve"
    for said in (
        doc.TypedMove(asked["ask"], "x" * 2000),
        doc.Move(asked["ask"], {"type": "call"}),
        doc.Choose(asked["ask"], (0,)),
    ):
        assert asking.page.read_decision(said) is None and asking.refused()
    asking.page.ask(asking.question)


def test_when_nothing_is_asked_nothing_is_taken(asking: Asking) -> None:
    asking.page.withdraw_question()
    assert asking.told[-1] == {"type": "unask"}
    assert asking.page.read_decision(doc.Move(1, {"type": "call"})) is None and asking.refused()
    asking.page.ask(asking.question)


def test_the_questions_of_a_table_are_numbered_on_from_the_table_before(asking: Asking) -> None:
    """A late answer to a question there is not taken for an answer here."""
    page, numbers = PageController(asking.source), list[int]()
    for _ in range(2):
        page.start("player", "Ada").ask(asking.question)
        (asked,) = (one for one in page.ui.presenter.snapshot() if isinstance(one, doc.QuestionOpen))
        numbers.append(asked.ask)
    assert numbers[0] < numbers[1]
    assert page.ui.read_decision(doc.TypedMove(numbers[0], "call")) is None


def test_chat_of_a_seat_is_told_once_and_of_nobody_else_never(asking: Asking) -> None:
    one, screen = asking.people[0], asking.screens[0]
    good = sign_chat(asking.people[1].store.identity, one.session.id, 1, 5, "hello <b>there</b>")
    forged = sign_chat(asking.people[1].store.identity, one.session.id, 0, 5, "I fold")
    before = len(of(asking.told, "chat"))
    screen.chat(good, good, forged, b"{}")
    assert of(asking.told, "chat")[before:] == [
        {"type": "chat", "seat": 1, "name": "Ben", "text": "hello <b>there</b>"}
    ]


def test_a_seat_that_chats_without_end_does_not_push_the_log_from_the_page(asking: Asking) -> None:
    one, screen, identity = asking.people[0], asking.screens[0], asking.people[1].store.identity
    asking.time += 100
    before = len(of(asking.told, "chat"))
    screen.chat(*(sign_chat(identity, one.session.id, 1, number, "spam") for number in range(100, 200)))
    assert len(of(asking.told, "chat")) == before + CHATS_MAX
    asking.time += 100
    screen.chat(sign_chat(identity, one.session.id, 1, 200, "sorry"))
    assert of(asking.told, "chat")[-1]["text"] == "sorry"


def test_what_is_said_before_the_table_or_without_end_is_not_kept_for_later(asking: Asking) -> None:
    told: list[doc.ServerMessage] = []
    page = PageUI(told.append, asking.clock)
    page.receive(doc.Leave())
    assert told == [doc.Refused(code="not now")] and page._commands.empty()
    page.replica = asking.people[0].replica
    for _ in range(PENDING_MAX + 1):
        page.receive(doc.Chat("more"))
    assert told[-1] == doc.Refused(code="not now") and told.count(told[-1]) == 2

    async def until_the_end() -> None:
        commands = page.commands()
        assert await anext(commands) == SendChat("more")
        await commands.aclose()

    asyncio.run(until_the_end())
    page.receive(doc.Leave())
    assert told[-1] == doc.Refused(code="not now") and told.count(told[-1]) == 3


def test_who_asks_for_a_seat_gets_one_by_two_clicks() -> None:
    """One says to whom a seat is offered, and a page that has not agreed is asked; the newcomer sits then."""
    table = Table(seats=3, hands=9)
    table.play(steps=60)
    home = MemoryPlayerStore("Dan", Identity(table.source(32)), table.source(32))
    dan = Participant(home, entropy=table.source, stay_policy=stay_for_hands(9), parts=resolve_parts)
    for number, frame in enumerate(table.frames):
        dan.receive(frame, number)
    told: list[doc.ServerMessage] = []
    screen = Screen(dan, PageUI(told.append, lambda: 0.0, name="Dan"), lambda: 0.0)
    screen.show(Received())
    ada, page, hers = table.people[0], table.pages[0], table.screens[0]
    table.people.insert(-1, dan)
    table.waiting.extend(dan.command(RequestSeat()))
    page.show(CheckedContact("Dan", home.identity.public, KeyStatus.OTHER_KEY, ""))
    table.play(lambda one: [], steps=20)
    (asker,) = of(table.told, "view")[-1]["asking"]
    assert asker["name"] == "Dan" and len(asker["key"].split()) == 6 and asker["known"] == "other key"
    page.receive(doc.LetIn("Nobody"))
    assert hers.carry_out() == [] and "no player named" in of(table.told, "refused")[-1]["reason"]
    table.waiting.extend(table.people[1].command(AdmitPlayer("Dan")))
    table.play(lambda one: [], steps=20)
    (proposed,) = of(table.told, "view")[-1]["proposed"]
    assert proposed["by"] == "Ben" and proposed["players"] == ["Ada", "Ben", "Cleo", "Dan"] and not proposed["without"]
    page.receive(doc.Agree("00" * 32))
    page.receive(doc.Agree(proposed["proposal"]))
    table.waiting.extend(hers.carry_out())
    table.play(lambda one: [], steps=20)
    assert of(table.told, "view")[-1]["proposed"] == [] and of(table.told, "refused")[-1]["reason"]
    before = ada.replica.state.roster
    table.play(steps=200)
    assert ada.replica.state.roster is not before
    assert len(list(replay_entries(ada.replica.config, ada.replica.entries, table.source))) == ada.replica.height
    # Pages draw who sits there now; and the newcomer's has buttons.
    assert [one["name"] for one in of(table.told, "table")[-1]["seats"]] == ["Ada", "Ben", "Cleo", "Dan"]
    screen.show(Received())
    first, *_, last = (one for one in told if isinstance(one, doc.Table))
    assert (first.you, last.you) == (None, 3) and len(last.seats) == 4


def test_who_sits_out_may_come_back_and_who_is_left_alone_is_told_so() -> None:
    table = Table(seats=2, stays=stay_while_playable)
    ada, page, screen = table.people[0], table.pages[0], table.screens[0]
    table.play(steps=40)
    assert of(table.told, "view")[-1]["may"]["sit_out"]
    page.receive(doc.SitOut())
    table.waiting.extend(screen.carry_out())
    may = of(table.told, "view")[-1]["may"]
    assert may["back"] and not may["sit_out"]
    page.receive(doc.Back())
    table.waiting.extend(screen.carry_out())
    assert of(table.told, "view")[-1]["may"]["sit_out"]
    # The other one sits out: after the hand there is nobody to play with.
    table.waiting.extend(table.people[1].command(SitOut()))
    table.play(steps=400)
    assert of(table.told, "view")[-1]["alone"] is None
    table.time += 60
    table.waiting.extend(screen.carry_out())
    assert of(table.told, "view")[-1]["alone"] == ["Ben"]
    page.receive(doc.Leave())
    table.waiting.extend(screen.carry_out())
    table.play(steps=200)
    assert ada.replica.state.ended >= {0}


def test_a_page_goes_on_if_the_past_cannot_be_shown(played: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake in a game's texts costs what was before, and not all that comes after."""
    sent: list[doc.ServerMessage] = []
    ui, replica = PageUI(sent.append, lambda: 0.0), played.people[0].replica

    def fail(*arguments: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr("nodealer.web.presenter.replay_entries", fail)
        with pytest.raises(ZeroDivisionError):
            ui.presenter.open_table(replica, None, replica.height)
    before = len(sent)
    ui.presenter.refuse("not now")
    assert len(sent) == before + 1
