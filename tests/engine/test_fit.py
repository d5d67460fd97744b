"""A game on a protocol that cannot serve it is refused wherever somebody looks at it, with the same sentence."""

from __future__ import annotations

import os
from collections.abc import Mapping

import pytest
from msgspec import Raw

import nodealer
from cli.running import called
from gamecheck.tiny import Bid
from gamecheck.tiny import Rules as Tiny
from nodealer.cards.operations import WITHOUT_CARDS, Capability
from nodealer.client.local_table import LocalTable, seat_players
from nodealer.engine.commands import EndGame, MakeMove, ProposeSession
from nodealer.engine.frame_result import Received
from nodealer.engine.lobby_messages import ProposalDeclined
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.resolve import create_proposal
from nodealer.engine.store import MemoryPlayerStore
from nodealer.errors import BadParameter, Declined, IllegalMove
from nodealer.games.base import Game
from nodealer.games.free import OPERATIONS, Free
from nodealer.games.holdem import Holdem
from nodealer.keys import Identity
from nodealer.log.roster import Roster
from nodealer.log.session import Part, Proposal
from nodealer.protocols import make_protocol

MANY = "lock cannot show a .* only, pass hidden .* or do [0-9]+ other things, which free needs; mask can$"
SHARE = "duel cannot make a deck that all players share or .*, which holdem needs; mask, lock, offset and chain can"


def lobby(count: int = 2) -> LocalTable:
    homes = [MemoryPlayerStore(f"p{seat}", Identity(os.urandom(32)), os.urandom(32)) for seat in range(count)]
    table = LocalTable(Participant(home, entropy=os.urandom) for home in homes)
    table.run()
    return table


def test_who_proposes_is_told() -> None:
    members = [offer.as_member(seat) for seat, offer in enumerate(lobby().participants[0].offers)]
    with pytest.raises(BadParameter, match=MANY):
        create_proposal(Free(), make_protocol("lock"), members)
    with pytest.raises(BadParameter, match=SHARE):
        create_proposal(Holdem(), make_protocol("duel"), members)


def test_who_is_asked_declines() -> None:
    """Whatever program proposed it."""
    table, said = lobby(), list[str]()
    first = table.participants[0]

    def watch(step: Received) -> tuple[bytes, ...]:
        said.extend(one.reason for one in step.happened if isinstance(one, ProposalDeclined))
        return ()

    roster = Roster(tuple(offer.as_member(seat) for seat, offer in enumerate(first.offers)))
    game = Part("free", Free.version, Raw(Free().parameters))
    proposal = Proposal(game, Part("lock", make_protocol("lock").claims.version), (), roster)
    table.send(first.command(ProposeSession(proposal)))
    table.run(watch=watch)
    with pytest.raises(Declined):
        lobby().agree(proposal)
    assert "lock cannot" in said[0] and said[0].endswith("which free needs; mask can")
    assert not first.has_session
    table.agree(create_proposal(Free(9), make_protocol("mask"), roster.members))


def test_the_library() -> None:
    with pytest.raises(BadParameter, match="all players share, which free needs; mask can"):
        nodealer.table(["Ada", "Ben"], protocol="duel")
    table = nodealer.table(["Ada", "Ben"], protocol="lock", cards=4)
    table.shuffle(4)
    table.deal(Ada=1)
    with pytest.raises(IllegalMove, match="no one can shuffle cards back into the deck at this table"):
        table.give_back("Ada")
    table.give_back("Ada", to="discard")
    assert table.hand("Ada") == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--protocol", "duel", "--seats", "2"), "duel cannot make a deck that all players share"),
        (("--protocol", "duel"), "duel cannot seat 4 players, only 2"),
        (("--game", "wardens", "--protocol", "mask"), "mask cannot make a deck that belongs to one player"),
        (("--game", "wardens", "--seats", "3"), "duel cannot seat 3 players, only 2; no other protocol can"),
        (("--protocol", "lock", "--parameters", '{"community":"server"}'), "needs a seat with the role server"),
    ],
)
def test_the_command(options: tuple[str, ...], sentence: str) -> None:
    done = called("play", "--auto", *options)
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.startswith("nodealer: ") and sentence in done.stderr


def test_a_free_table_offers_what_its_protocol_has() -> None:
    assert set(OPERATIONS) <= make_protocol("mask").claims.operations | WITHOUT_CARDS
    lacking = set(OPERATIONS) - make_protocol("lock").claims.operations - WITHOUT_CARDS
    back = {Capability.RETURN_TOP, Capability.RETURN_BOTTOM, Capability.RETURN_SHUFFLED, Capability.RETURN_DEPTH}
    looks = {Capability.PEEK_LOOK, Capability.PEEK_REORDER, Capability.PEEK_KEEP, Capability.PEEK_TAKE}
    assert lacking == back | looks | {Capability.SHOW_ONE, Capability.PASS, Capability.MIX}


class Three(Tiny):
    """For three or four."""

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Game:
        if len(seats) < 3:
            raise BadParameter("three have to play")
        return super().begin(hand, seats, before, chips)


@pytest.mark.parametrize(("count", "why"), [(2, "three have to play"), (5, "four can play, and no more")])
def test_the_rules_say_how_many_can_play(count: int, why: str) -> None:
    with pytest.raises(BadParameter, match=why):
        seat_players([f"p{seat}" for seat in range(count)], make_protocol("mask"), Three(), os.urandom)


def test_when_too_few_are_left_for_the_rules_the_session_is_over() -> None:
    table = seat_players(["Ada", "Ben", "Cleo"], make_protocol("mask"), Three(), os.urandom)

    def decide(one: Participant) -> list[bytes]:
        if not one.options().must_move:
            return []
        return [*one.command(MakeMove(Bid(1))), *(one.command(EndGame()) if one is table.participants[2] else ())]

    table.run(decide)
    state = table.seats[0].replica.state
    assert state.no_more_hands and state.fault is None and len(state.results) == 1
    for one in table.participants[:2]:
        table.send(one.command(EndGame()))
    table.run()
    assert table.seats[0].replica.state.phase is Phase.ENDED
