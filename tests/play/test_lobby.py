"""How players come to a session: commit, then open; and nothing out of place."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from nodealer.errors import Declined, DecodeError, OtherFormat
from nodealer.keys import Identity, box_words
from nodealer.log.roster import Roster, member_of
from nodealer.log.session import FORMAT_VERSION, Part, Proposal, nonce_commitment
from nodealer.play.lobby import (
    Accept,
    Commitment,
    Entrant,
    Expected,
    Lobby,
    Opening,
    decline_rehearsals,
    proposed,
)
from nodealer.wire import encode


class Party:
    def __init__(self, count: int = 3) -> None:
        self.keys = [Identity(os.urandom(32)) for _ in range(count)]
        self.nonces = [os.urandom(32) for _ in range(count)]
        self.lobbies = [Lobby(self.entrant(seat)) for seat in range(count)]
        self.watcher = Lobby()

    def entrant(self, seat: int, accept: Accept = decline_rehearsals) -> Entrant:
        return Entrant(self.keys[seat], f"p{seat}", self.nonces[seat], accept)

    @property
    def proposal(self) -> Proposal:
        players = tuple(member_of(key, seat, f"p{seat}") for seat, key in enumerate(self.keys))
        return Proposal(Part("free", 0, Raw(b"{}")), Part("mask", 0), (), Roster(players))

    def carry(self, *frames: bytes) -> None:
        waiting = list(frames)
        while waiting:
            frame = waiting.pop(0)
            for lobby in (*self.lobbies, self.watcher):
                waiting += lobby.receive(frame)


def test_everybody_comes_to_one_session() -> None:
    party = Party()
    party.carry(*(party.entrant(seat).offer for seat in range(3)))
    assert all(len(lobby.offers) == 3 and lobby.session is None for lobby in party.lobbies)
    party.carry(proposed(party.proposal))
    sessions = {lobby.session.id for lobby in (*party.lobbies, party.watcher) if lobby.session is not None}
    assert len(sessions) == 1 and party.watcher.session is not None
    assert [lobby.seat for lobby in party.lobbies] == [0, 1, 2] and party.watcher.seat is None


def test_no_nonce_is_shown_before_every_commitment_is_in() -> None:
    party = Party(2)
    lobby = party.lobbies[0]
    mine = lobby.receive(proposed(party.proposal))
    assert lobby.receive(mine[0]) == []
    other = encode(Commitment(1, nonce_commitment(party.proposal, 1, party.nonces[1])))
    assert lobby.receive(other) == [encode(Opening(0, party.nonces[0]))]


def test_another_nonce_than_committed_opens_no_session() -> None:
    party = Party(2)
    lobby = party.lobbies[0]
    (mine,) = lobby.receive(proposed(party.proposal))
    lobby.receive(mine)
    (opening,) = lobby.receive(encode(Commitment(1, nonce_commitment(party.proposal, 1, party.nonces[1]))))
    lobby.receive(opening)
    with pytest.raises(DecodeError, match="cannot be opened"):
        lobby.receive(encode(Opening(1, bytes(32))))
    assert lobby.session is None


def test_what_is_out_of_place_is_an_error() -> None:
    party = Party(2)
    proposal, lobby = party.proposal, party.lobbies[0]
    commitment = encode(Commitment(1, nonce_commitment(proposal, 1, party.nonces[1])))
    for early in (commitment, encode(Opening(0, bytes(32))), b"junk", b""):
        with pytest.raises(DecodeError):
            lobby.receive(early)
    lobby.receive(proposed(proposal))
    for late in (proposed(proposal), encode(Opening(1, bytes(32))), encode(Commitment(7, bytes(32)))):
        with pytest.raises(DecodeError):
            lobby.receive(late)
    lobby.receive(commitment)
    with pytest.raises(DecodeError):
        lobby.receive(commitment)


def test_a_roster_without_me_and_a_bad_one() -> None:
    party, others = Party(2), Party(2)
    with pytest.raises(Declined, match="no seat"):
        party.lobbies[0].receive(proposed(others.proposal))
    twice = Roster((party.proposal.roster.members[0],) * 2)
    bad = Proposal(party.proposal.game, party.proposal.protocol, (), twice)
    with pytest.raises(DecodeError):
        party.lobbies[0].receive(proposed(bad))


def test_a_changed_proposal_is_another_session() -> None:
    party = Party(2)
    (mine,) = party.lobbies[0].receive(proposed(party.proposal))
    changed = Proposal(party.proposal.game, party.proposal.protocol, (("x", "1"),), party.proposal.roster)
    (other,) = party.lobbies[1].receive(proposed(changed))
    party.lobbies[0].receive(mine)
    (opening,) = party.lobbies[0].receive(other)
    party.lobbies[0].receive(opening)
    with pytest.raises(DecodeError):
        party.lobbies[0].receive(encode(Opening(1, party.nonces[1])))


# --- A look at what is proposed ---


def renamed(proposal: Proposal, **names: str) -> Proposal:
    members = tuple(replace(member, name=names.get(member.name, member.name)) for member in proposal.roster.members)
    return replace(proposal, roster=Roster(members))


def declined(lobby: Lobby, proposal: Proposal, said: str) -> None:
    """Declined, with a sentence; nothing was said, and the next proposal is looked at again."""
    with pytest.raises(Declined, match=said):
        lobby.receive(proposed(proposal))
    assert lobby.proposal is None and lobby.seat is None


def test_another_name_at_my_key() -> None:
    """A proposer that swaps two names would have the one named for what the other did."""
    party = Party()
    swapped = renamed(party.proposal, p0="p1", p1="p0")
    declined(party.lobbies[0], swapped, "calls this player 'p1'")
    declined(party.lobbies[1], swapped, "calls this player 'p0'")
    assert party.lobbies[2].receive(proposed(swapped))
    declined(party.lobbies[0], renamed(party.proposal, p0="P0"), "calls this player 'P0'")
    assert party.lobbies[0].receive(proposed(party.proposal))


def test_another_box_at_my_key() -> None:
    """One that this player has signed, but whose secret it does not have here."""
    party = Party(2)
    me, other = party.keys[0], Identity(os.urandom(32))
    first, second = party.proposal.roster.members
    boxed = replace(first, box=other.box, box_signature=me.sign(box_words(me.public, other.box)))
    declined(party.lobbies[0], replace(party.proposal, roster=Roster((boxed, second))), "another box key")


def test_a_rehearsal_is_declined_unless_somebody_wants_one() -> None:
    party = Party(2)
    rehearsal = replace(party.proposal, rehearsal=True)
    declined(party.lobbies[0], rehearsal, "rehearsal")
    assert Lobby(party.entrant(0, accept=lambda proposal: None)).receive(proposed(rehearsal))


HOLDEM = Part("holdem", 0, Raw(b'{"stack":200,"blinds":[1,2],"ante":0}'))
CHANGES: dict[str, Callable[[Proposal], Proposal]] = {
    "the blinds": lambda p: replace(p, game=Part("holdem", 0, Raw(b'{"stack":200,"blinds":[50,100],"ante":0}'))),
    "the game": lambda p: replace(p, game=Part("free", 0, HOLDEM.parameters)),
    "its version": lambda p: replace(p, game=Part("holdem", 1, HOLDEM.parameters)),
    "the protocol": lambda p: replace(p, protocol=Part("duel", 0, Raw(b'{"mode":"xor"}'))),
    "its parameters": lambda p: replace(p, protocol=Part("mask", 0, Raw(b'{"a":1}'))),
    "versions": lambda p: replace(p, versions=(("pokerkit", "0.0.1"),)),
    "no versions": lambda p: replace(p, versions=()),
    "a rehearsal": lambda p: replace(p, rehearsal=True),
    "other people": lambda p: renamed(p, p1="Puppet"),
    "fewer people": lambda p: replace(p, roster=Roster(p.roster.members[:2])),
}


@pytest.mark.parametrize("change", CHANGES)
def test_only_what_was_expected(change: str) -> None:
    party = Party()
    versions = (("pokerkit", "0.7.7"),)
    expected = Expected(HOLDEM, Part("mask", 0), versions, ("p0", "p1", "p2"))
    good = Proposal(HOLDEM, Part("mask", 0), versions, party.proposal.roster)
    lobby = Lobby(party.entrant(0, expected.accept))
    declined(lobby, CHANGES[change](good), "than was agreed|rehearsal")
    assert lobby.receive(proposed(good))


# --- The format ---


@pytest.mark.parametrize("version", ["1-0", "1-99", "2", 0, None, [FORMAT_VERSION]])
def test_a_proposal_in_another_format(version: Any) -> None:
    """Whatever its other fields are; nobody is accused."""
    party = Party(2)
    for frame in (json.loads(proposed(party.proposal)), {"type": "proposed", "something": "else"}):
        with pytest.raises(OtherFormat, match=f"reads {FORMAT_VERSION}"):
            party.lobbies[0].receive(encode(frame | {"version": version}))
    assert party.lobbies[0].receive(proposed(party.proposal))
