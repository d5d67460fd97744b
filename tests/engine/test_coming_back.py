"""Leaving politely, sitting out, coming back, and asking for a seat at a table that plays."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from client.looking import look
from conformance.clear import ClearProtocol
from conformance.games import TinyRules
from conformance.harness import Game, refusal, stands
from nodealer.client.bot_roster_policy import BotRosterPolicy
from nodealer.client.status import AWAY_HANDS
from nodealer.engine.bodies import Begin
from nodealer.engine.commands import (
    AdmitPlayer,
    AgreeToRoster,
    ComeBack,
    Command,
    EndGame,
    LeaveHand,
    ProposeRoster,
    RemovePlayer,
    RequestSeat,
    SitOut,
)
from nodealer.engine.lobby_messages import Ask, SeatRequest, sign_frame
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Outcome
from nodealer.engine.rosters import proposal_id
from nodealer.engine.seat_requests import read_seat_request, sign_seat_request
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import EntryRefused, IllegalMove
from nodealer.group import group
from nodealer.keys import Identity, host_mark
from nodealer.log.entry import read_entry
from nodealer.log.roster import Roster, sign_newcomer
from nodealer.log.session import Limits

from .circle import Circle

Make = Callable[..., Game]
RULES = TinyRules(stake=10, deck_max=12, passes=True)


def bot_says(one: Participant, seats: int = 0, *, host: bytes | None = None) -> list[bytes]:
    """Return what a bot says about who has a seat."""
    return look(BotRosterPolicy(host, seats), one, 0.0)


def in_hand(hands: int = 3, **options: object) -> Circle:
    circle = Circle(3, rules=RULES, hands=hands, **options)  # type: ignore[arg-type]
    return circle.play(until=lambda circle: bool(circle.people[0].options().must_move))


def hand(circle: Circle, number: int) -> Circle:
    """Until that hand is played and somebody is to move in it."""
    return circle.play(
        until=lambda circle: (
            circle.people[0].replica.state.hand.number == number
            and any(one.has_seat and one.options().must_move for one in circle.people)
        )
    )


def dealt_in(circle: Circle) -> tuple[int, ...]:
    game = circle.people[0].replica.state.hand.game
    assert game is not None
    return game.players if hasattr(game, "players") else game.seats  # type: ignore[attr-defined]


# --- Beginning the next hand before this one is over ---


def test_a_seat_that_is_gone_begins_the_next_hand_while_this_one_is_played() -> None:
    """The others begin as soon as the hand is over: whoever had to wait for that could be too late again and again."""
    circle = in_hand()
    circle.waiting.extend(circle.people[2].command(LeaveHand()))
    circle.step()
    circle.step()
    state = circle.people[0].replica.state
    assert state.gone == {2} and state.hand.early_commitments.keys() == {2} and state.phase is Phase.PLAYING
    # From now on nothing more comes from it, and it is dealt in all the same.
    heard_by_others = len(circle.frames)
    circle.play(until=lambda circle: circle.people[0].replica.state.hand.number == 1)
    own = [
        frame
        for frame in circle.frames[heard_by_others:]
        if circle.people[2].seat.number == read_entry(frame).entry.seat
    ]
    assert own == [] and circle.people[0].replica.state.hand.commitments.keys() >= {2}
    hand(circle, 1)
    assert dealt_in(circle) == (0, 1, 2) and not circle.people[0].replica.state.gone
    assert len(circle.digests()) == 1


@pytest.mark.parametrize("books", [False, True])
def test_a_begin_that_comes_when_its_hand_is_over_does_not_lose_its_seat(books: bool) -> None:
    """A relay holds it back until the hand has ended: it counts, or is dropped where a book is owed, and takes its
    number. A refused one would be signed and in no log, and nothing of its seat could ever follow it."""
    circle = Circle(3, rules=RULES, hands=3, protocol=ClearProtocol(group(), open_book_at_end=books))
    circle.play(until=lambda circle: bool(circle.people[0].options().must_move))
    circle.waiting.extend(circle.people[2].command(LeaveHand()))
    circle.step()
    (early,) = (frame for frame in circle.waiting if read_entry(frame).entry.seat == 2)
    circle.waiting.remove(early)
    circle.play(until=lambda circle: circle.people[0].replica.state.hand.number == 1)
    circle.waiting.appendleft(early)
    circle.step()
    applied = circle.told(Applied)[-1]
    assert applied.outcome is (Outcome.DROPPED if books else Outcome.ACCEPTED) and applied.entry.hand == 0
    assert (2 in circle.people[0].replica.state.hand.commitments) is not books
    circle.play()
    assert not circle.people[2].seat.unconfirmed and len(circle.digests()) == 1
    assert 2 in circle.people[0].replica.state.ended


def test_who_sits_in_a_hand_cannot_begin_the_next_one(game: Make) -> None:
    table = game(RULES, seats=3, hands=2).play(until=lambda g: stands(g, Phase.PLAYING))
    replica = table.replica()
    assert not any(known.duty.kind == "begin" for known in replica.state.duties.open.values())
    replica.append(table.seats[2].leave())
    (duty,) = (id for id, known in replica.state.duties.open.items() if known.duty.kind == "begin")
    assert replica.state.duties.open[duty].duty.seat == 2 and not replica.state.duties.open[duty].is_blocking
    assert isinstance(refusal(replica, table.by_hand(1, Begin(duty, bytes(32)), replica)), EntryRefused)
    assert replica.append(table.by_hand(2, Begin(duty, bytes(32)), replica)).outcome is Outcome.ACCEPTED
    assert replica.state.hand.early_commitments == {2: bytes(32)}


def test_who_owes_a_book_of_this_hand_begins_again_after_it() -> None:
    circle = Circle(3, rules=RULES, hands=2, protocol=ClearProtocol(group(), open_book_at_end=True))
    circle.play(until=lambda circle: bool(circle.people[0].options().must_move))
    circle.waiting.extend(circle.people[2].command(LeaveHand()))
    circle.play(until=lambda circle: circle.people[0].replica.state.hand.number == 1)
    state = circle.people[0].replica.state
    assert 2 in state.disclosures[0].owing and 2 not in state.hand.commitments


# --- Sitting out ---


def test_sitting_out_and_coming_back() -> None:
    """It plays the hand to its end, is waited for in none, and has its number and chips when it comes back."""
    circle = in_hand(4)
    two = circle.people[2]
    circle.waiting.extend(two.command(SitOut()))
    assert not two.replica.state.gone, "not in the middle of a hand"
    hand(circle, 1)
    assert dealt_in(circle) == (0, 1) and circle.people[0].replica.state.gone == {2}
    chips = circle.people[0].replica.state.ledger.chips[2]
    hand(circle, 2)
    assert dealt_in(circle) == (0, 1) and circle.people[0].replica.state.ledger.chips[2] == chips
    circle.waiting.extend(two.command(ComeBack()))
    hand(circle, 3)
    assert dealt_in(circle) == (0, 1, 2) and not circle.people[0].replica.state.gone
    circle.play()
    assert circle.people[0].replica.state.phase is Phase.ENDED and len(circle.digests()) == 1


def test_sitting_out_crosses_with_a_roster(game: Make) -> None:
    """What it said was for the roster before, and counts for nothing: it says so again, and nobody waits for it."""
    table = game(RULES, seats=4, hands=2)
    sits = table.seats[2]
    sits.sits_out = True
    (crossing,) = sits.answer_duties()
    roster = Roster(sits.replica.state.roster.members[:3])
    table.order(table.seats[0].propose_roster(roster))
    for seat in (1, 3):
        table.order(table.seats[seat].agree_to_roster(proposal_id(roster, 0, 0)))
    assert table.state.roster == roster and table.order(crossing) is Outcome.DROPPED
    assert 2 not in table.state.gone
    (again,) = sits.answer_duties()
    assert table.order(again) is Outcome.ACCEPTED and table.state.gone == {2} and not sits.answer_duties()


@pytest.mark.parametrize("command", [EndGame(), SitOut(), ComeBack()])
def test_nobody_is_away_from_a_table_at_which_they_do_not_sit(command: Command) -> None:
    circle = Circle(3, watchers=1).greet()
    with pytest.raises(IllegalMove, match="not agreed on a session"):
        circle.people[0].command(command)
    with pytest.raises(IllegalMove, match="a spectator has no seat"):
        circle.agree().people[-1].command(command)
    assert not any(one.sits_out for one in circle.people)


def test_nobody_waits_at_the_end_for_who_sits_out() -> None:
    circle = in_hand(2)
    circle.waiting.extend(circle.people[2].command(SitOut()))
    circle.play()
    state = circle.people[0].replica.state
    assert state.phase is Phase.ENDED and state.ended >= {0, 1} and state.gone == {2}
    assert not state.chronicle.vote_results, "it was not declared gone"


# --- Asking for a seat ---


def asking(clock: Limits | None = None) -> Circle:
    """Somebody has come to a table that plays."""
    circle = Circle(3, rules=RULES, hands=5, newcomers=1, clock=clock)
    circle.play(until=lambda circle: bool(circle.people[0].options().must_move))
    circle.waiting.extend(circle.people[3].command(RequestSeat()))
    circle.step()
    return circle


def test_a_newcomer_asks_and_is_let_in_between_hands() -> None:
    circle = asking()
    for one in circle.people[:3]:
        (asks,) = one.seat_requests
        assert (asks.who.name, asks.who.seat) == (circle.homes[3].name, 3)
    assert [asks.who.seat for asks in circle.told(SeatRequest, 1)] == [3], "told once"
    circle.waiting.extend(circle.people[1].command(AdmitPlayer(str(circle.homes[3].name))))
    circle.step()
    for place in (0, 2):
        host = host_mark(circle.homes[1].identity.public)
        circle.waiting.extend(bot_says(circle.people[place], host=host))
    hand(circle, 1)
    assert dealt_in(circle) == (0, 1, 2, 3) and circle.people[3].has_seat
    assert circle.people[0].replica.state.ledger.chips[3] == 10 and not circle.people[0].seat_requests
    with pytest.raises(IllegalMove, match="has a seat"):
        circle.people[3].command(RequestSeat())
    with pytest.raises(IllegalMove, match="no player named"):
        circle.people[0].command(AdmitPlayer("Nobody"))


def test_who_was_left_out_asks_for_its_own_seat() -> None:
    circle = in_hand(6)
    circle.waiting.extend(circle.people[2].command(SitOut()))
    hand(circle, 1)
    members = circle.people[0].members
    circle.waiting.extend(circle.people[0].command(ProposeRoster(Roster(members[:2]))))
    circle.step()
    (proposed,) = circle.people[0].replica.state.proposed
    circle.waiting.extend(circle.people[1].command(AgreeToRoster(proposed)))
    hand(circle, 2)
    assert circle.people[0].replica.state.roster.seats == (0, 1)
    chips = circle.people[0].replica.state.ledger.chips[2]
    # It sat out, and asks: with that it is back.
    circle.waiting.extend(circle.people[2].command(RequestSeat()))
    circle.step()
    circle.waiting.extend(circle.people[0].command(AdmitPlayer(circle.people[2].replica.state.all_members[2].name)))
    circle.step()
    host = host_mark(circle.homes[0].identity.public)
    circle.waiting.extend(bot_says(circle.people[1], host=host))
    hand(circle, 3)
    assert dealt_in(circle) == (0, 1, 2)
    before = circle.people[0].replica.state.chronicle.roster_periods[-1]
    assert before.chips[2] == chips and before.agreed == (0, 1)


def test_it_asks_again_when_the_table_has_changed() -> None:
    circle = asking()
    first = circle.people[0].seat_requests
    circle.waiting.extend(circle.people[0].command(ProposeRoster(Roster(circle.people[0].members[:2]))))
    circle.step()
    (proposed,) = circle.people[0].replica.state.proposed
    circle.waiting.extend(circle.people[1].command(AgreeToRoster(proposed)))
    hand(circle, 1)
    (asks,) = circle.people[0].seat_requests
    assert asks != first[0] and asks.roster.seats == (0, 1, 3)
    circle.bring_back(3)
    assert not circle.people[3].has_seat


def test_who_asks_again_and_again_is_told_of_once() -> None:
    """Under another name each time; and who takes the name of somebody who asks does not get its seat."""
    circle = asking()
    state, name = circle.people[0].replica.state, str(circle.homes[3].name)
    flood = [sign_seat_request(state, "", circle.homes[3].identity, f"{name} {number}") for number in range(5)]
    circle.waiting.extend(flood)
    circle.waiting.append(sign_seat_request(state, "", Identity(bytes(31) + b"q"), name))
    while circle.step():
        pass
    assert [asks.who.name for asks in circle.told(SeatRequest, 1)] == [name, name]
    with pytest.raises(IllegalMove, match="2 players named"):
        circle.people[0].command(AdmitPlayer(name))


def test_who_only_watches_or_has_a_taken_name_does_not_ask() -> None:
    circle = asking()
    with pytest.raises(IllegalMove, match="no name"):
        circle.people[4].command(RequestSeat())
    same = circle.sit(MemoryPlayerStore(circle.homes[0].name, Identity(bytes(31) + b"q"), bytes(32)))
    for number, frame in enumerate(circle.frames):
        same.receive(frame, number)
    with pytest.raises(IllegalMove, match="two seats have the same name"):
        same.command(RequestSeat())


@pytest.mark.parametrize("wrong", ["session", "signature", "another's", "more", "nothing", "table"])
def test_asking_for_what_cannot_be(wrong: str) -> None:
    circle = asking()
    state, (asks,) = circle.people[0].replica.state, circle.people[0].seat_requests
    key = circle.homes[3].identity
    session, roster, signature = state.config.session.id, asks.roster, asks.signature
    if wrong == "session":
        session = bytes(32)
    if wrong == "signature":
        signature = bytes(64)
    if wrong == "more":
        roster = Roster(roster.members[1:])
        signature = sign_newcomer(key, session, roster.digest, asks.who)
    if wrong == "nothing":
        roster = state.roster
    signer = circle.homes[4].identity if wrong == "another's" else key
    frame = sign_frame(signer, "elsewhere" if wrong == "table" else "", Ask(session, roster, signature))
    assert read_seat_request(state, "", frame) is None
    good = sign_frame(key, "", Ask(state.config.session.id, asks.roster, asks.signature))
    assert read_seat_request(state, "", good) == asks
    assert read_seat_request(state, "", b"junk") is None


def test_who_has_ended_does_not_come_back() -> None:
    circle = Circle(3, rules=RULES, hands=1)
    for place in (0, 1):
        circle.people[place] = circle.sit(circle.homes[place], stay_policy=lambda state: state.hand.number < 9)
    circle.people[2] = circle.sit(circle.homes[2], stay_policy=lambda state: state.hand.number < 1)
    circle.play(until=lambda circle: circle.people[0].has_session and 2 in circle.people[0].replica.state.ended)
    while circle.people[0].seat.unconfirmed or circle.people[1].seat.unconfirmed:
        circle.step()
    circle.waiting.extend(circle.people[0].command(ProposeRoster(Roster(circle.people[0].members[:2]))))
    circle.step()
    (proposed,) = circle.people[0].replica.state.proposed
    circle.waiting.extend(circle.people[1].command(AgreeToRoster(proposed)))
    circle.play(until=lambda circle: circle.people[0].replica.state.roster.seats == (0, 1))
    with pytest.raises(IllegalMove, match="signed the end"):
        circle.people[2].command(RequestSeat())


# --- What bots agree to ---


def test_bots_agree_to_leave_out_who_is_away_and_nobody_else() -> None:
    """Not who is there, and not who rests for a hand or two."""
    circle = in_hand(9)
    members = circle.people[0].members
    circle.waiting.extend(circle.people[0].command(ProposeRoster(Roster(members[:2]))))
    circle.step()
    assert bot_says(circle.people[1]) == [], "somebody is there who would be put out"
    circle.waiting.extend(circle.people[2].command(SitOut()))
    for number in range(1, AWAY_HANDS + 1):
        hand(circle, number)
        with suppress(IllegalMove):
            circle.waiting.extend(circle.people[0].command(ProposeRoster(Roster(members[:2]))))
            circle.step()
        assert circle.people[1].replica.state.proposed and bot_says(circle.people[1]) == [], "it may rest"
    hand(circle, AWAY_HANDS + 1)
    circle.waiting.extend(circle.people[0].command(RemovePlayer(members[2].name)))
    circle.step()
    (frame,) = bot_says(circle.people[1])
    assert bot_says(circle.people[1]) == [], "once"
    circle.waiting.append(frame)
    hand(circle, AWAY_HANDS + 2)
    assert circle.people[0].replica.state.roster.seats == (0, 1)


def test_bots_take_the_hosts_word_on_who_comes_and_nobody_elses() -> None:
    """Else one player could fill a table of bots with friends, and then has the majority."""
    circle = asking()
    name = str(circle.homes[3].name)
    bot, host = circle.people[1], host_mark(circle.homes[0].identity.public)
    circle.waiting.extend(circle.people[2].command(AdmitPlayer(name)))
    circle.step()
    assert bot.replica.state.proposed and bot_says(bot) == [], "there is no host"
    assert bot_says(bot, host=host) == [], "the host is another one"
    circle.waiting.extend(circle.people[0].command(AdmitPlayer(name)))
    circle.step()
    (frame,) = bot_says(bot, host=host)
    circle.waiting.append(frame)
    hand(circle, 1)
    assert circle.people[0].replica.state.chronicle.roster_periods[-1].agreed == (0, 1)


def test_bots_do_not_agree_to_the_table_as_it_is() -> None:
    """All would only begin again, hand after hand."""
    circle = in_hand(5)
    one = circle.people[0]
    circle.waiting.extend(one.command(ProposeRoster(one.replica.state.roster)))
    circle.step()
    assert one.replica.state.proposed and bot_says(circle.people[1]) == []


def test_a_hosts_bot_lets_in_who_asks_while_there_are_seats() -> None:
    circle = asking()
    host = circle.people[0]
    assert bot_says(host) == [] == bot_says(host, 3)
    circle.waiting.extend(bot_says(host, 4))
    circle.step()
    (proposed,) = host.replica.state.proposed.values()
    assert proposed.by == 0 and proposed.roster.seats == (0, 1, 2, 3) and bot_says(host, 4) == []


@pytest.mark.parametrize(("name", "why"), [("", "name a player"), ("Nobody", "has a seat here"), ("Bo", "is present")])
def test_who_cannot_be_taken_out(name: str, why: str) -> None:
    with pytest.raises(IllegalMove, match=why):
        in_hand(5).people[0].command(RemovePlayer(name))


def test_bots_do_not_agree_to_another_timekeeper() -> None:
    circle = in_hand(5, clock=Limits(30_000, 10_000, 0, 0))
    circle.waiting.extend(circle.people[0].command(ProposeRoster(Roster(circle.people[0].members[:3]))))
    circle.step()
    assert circle.people[1].replica.state.proposed and bot_says(circle.people[1]) == []
    assert bot_says(circle.keeper) == [] == bot_says(circle.people[4])
