"""How players come to a session: commit, then open; and nothing out of place."""

from __future__ import annotations

import os

import pytest
from msgspec import Raw

from nodealer.errors import DecodeError
from nodealer.keys import SigningKey
from nodealer.log.roster import Roster, member_of
from nodealer.log.session import Part, Proposal, nonce_commitment
from nodealer.play.lobby import Commitment, Lobby, Opening, Proposed, offer_of
from nodealer.wire import encode


class Party:
    def __init__(self, count: int = 3) -> None:
        self.keys = [SigningKey(os.urandom(32)) for _ in range(count)]
        self.nonces = [os.urandom(32) for _ in range(count)]
        self.lobbies = [Lobby(key, nonce) for key, nonce in zip(self.keys, self.nonces, strict=True)]
        self.watcher = Lobby()

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
    party.carry(*(encode(offer_of(key, f"p{seat}")) for seat, key in enumerate(party.keys)))
    assert all(len(lobby.offers) == 3 and lobby.session is None for lobby in party.lobbies)
    party.carry(encode(Proposed(party.proposal)))
    sessions = {lobby.session.id for lobby in (*party.lobbies, party.watcher) if lobby.session is not None}
    assert len(sessions) == 1 and party.watcher.session is not None
    assert [lobby.seat for lobby in party.lobbies] == [0, 1, 2] and party.watcher.seat is None


def test_no_nonce_is_shown_before_every_commitment_is_in() -> None:
    party = Party(2)
    lobby = party.lobbies[0]
    mine = lobby.receive(encode(Proposed(party.proposal)))
    assert lobby.receive(mine[0]) == []
    other = encode(Commitment(1, nonce_commitment(party.proposal, 1, party.nonces[1])))
    assert lobby.receive(other) == [encode(Opening(0, party.nonces[0]))]


def test_another_nonce_than_committed_opens_no_session() -> None:
    party = Party(2)
    lobby = party.lobbies[0]
    (mine,) = lobby.receive(encode(Proposed(party.proposal)))
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
    lobby.receive(encode(Proposed(proposal)))
    for late in (encode(Proposed(proposal)), encode(Opening(1, bytes(32))), encode(Commitment(7, bytes(32)))):
        with pytest.raises(DecodeError):
            lobby.receive(late)
    lobby.receive(commitment)
    with pytest.raises(DecodeError):
        lobby.receive(commitment)


def test_a_roster_without_me_and_a_bad_one() -> None:
    party, others = Party(2), Party(2)
    with pytest.raises(DecodeError, match="no seat"):
        party.lobbies[0].receive(encode(Proposed(others.proposal)))
    twice = Roster((party.proposal.roster.players[0],) * 2)
    bad = Proposal(party.proposal.game, party.proposal.protocol, (), twice)
    with pytest.raises(DecodeError):
        party.lobbies[0].receive(encode(Proposed(bad)))


def test_a_changed_proposal_is_another_session() -> None:
    party = Party(2)
    (mine,) = party.lobbies[0].receive(encode(Proposed(party.proposal)))
    changed = Proposal(party.proposal.game, party.proposal.protocol, (("x", "1"),), party.proposal.roster)
    (other,) = party.lobbies[1].receive(encode(Proposed(changed)))
    party.lobbies[0].receive(mine)
    (opening,) = party.lobbies[0].receive(other)
    party.lobbies[0].receive(opening)
    with pytest.raises(DecodeError):
        party.lobbies[0].receive(encode(Opening(1, party.nonces[1])))
