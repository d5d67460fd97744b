"""How players come to a session, whatever others send."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import Raw
from msgspec.structs import replace

from nodealer.engine import lobby_state
from nodealer.engine.commands import ProposeSession
from nodealer.engine.lobby import Accept, Expected, Lobby, LobbyResult, decline_rehearsals
from nodealer.engine.lobby_messages import (
    FRAME_BYTES_MAX,
    REASON_MAX,
    Commitment,
    Decline,
    Dismiss,
    Frame,
    FrameIgnored,
    Offer,
    OfferGone,
    OfferMade,
    Opening,
    OpenOffer,
    PlayerCommitted,
    ProposalDeclined,
    ProposalDropped,
    ProposalMade,
    Proposed,
    SessionAgreed,
    VersionMismatch,
    Withdraw,
    read_signed_frame,
    sign_frame,
)
from nodealer.errors import BadParameter, Declined
from nodealer.keys import Identity, box_signed_bytes, host_mark
from nodealer.log.roster import SERVER, Member, Roster, member_of
from nodealer.log.session import FORMAT_VERSION, Limits, Part, Proposal, nonce_commitment, read_session
from nodealer.tape import digest, framed
from nodealer.wire import DEPTH_MAX, encode

from .circle import Circle

TABLE = "blue"
KEYS = [Identity(digest("test key", place)) for place in range(8)]
#: Somebody who never offers.
STRANGER = KEYS[7]


def lobby_of(place: int, accept: Accept = decline_rehearsals, **options: Any) -> Lobby:
    """The lobby of a player."""
    return Lobby(TABLE, KEYS[place], digest("test root", place), f"p{place}", accept, **options)


def watching(**options: Any) -> Lobby:
    return Lobby(TABLE, STRANGER, digest("test root", 7), None, **options)


def said(place: int, frame: Frame, table: str = TABLE) -> bytes:
    return sign_frame(KEYS[place], table, frame)


def offer_of(place: int, number: int = 0, **changes: Any) -> bytes:
    me = KEYS[place]
    return said(place, replace(Offer(number, f"p{place}", me.box, me.box_signature), **changes))


def proposal_of(*places: int) -> Proposal:
    players = tuple(member_of(KEYS[place], seat, f"p{place}") for seat, place in enumerate(places))
    return Proposal(Part("free", 0, Raw(b"{}")), Part("mask", 0), (), Roster(players))


def proposed_by(place: int, proposal: Proposal, number: int = 0) -> bytes:
    return said(place, Proposed(FORMAT_VERSION, number, proposal))


def named(frame: bytes) -> bytes:
    """What answers to this proposal name."""
    return read_signed_frame(TABLE, frame).digest


def state(lobby: Lobby) -> dict[str, object]:
    """All that others must have too."""
    session = lobby.session
    known = {name: value for name, value in vars(lobby._state).items() if name not in ("proposal", "session")}
    return known | {"session": None if session is None else session.id}


def same(lobbies: Sequence[Lobby]) -> bool:
    return all(state(lobby) == state(lobbies[0]) for lobby in lobbies)


class Party:
    """Players and somebody who watches, all of whom get the same frames."""

    def __init__(self, count: int = 3, **options: Any) -> None:
        self.players = [lobby_of(place, **options) for place in range(count)]
        self.watcher = watching(**options)
        self.frames: list[bytes] = []

    @property
    def all(self) -> list[Lobby]:
        return [*self.players, self.watcher]

    def hear(self, frame: bytes) -> tuple[LobbyResult, list[bytes]]:
        """One frame, without what is answered to it. Gives what the watcher hears, and the answers."""
        self.frames.append(frame)
        heard = [lobby.receive(frame) for lobby in self.all]
        assert len({one.changed for one in heard}) == 1
        assert same(self.all)
        return heard[-1], [answer for one in heard for answer in one.answers]

    def carry(self, *frames: bytes) -> list[object]:
        """Frames, and all that is answered. Gives the news of the watcher."""
        waiting, news = list(frames), list[object]()
        while waiting:
            heard, answers = self.hear(waiting.pop(0))
            news += heard.events
            waiting += answers
        return news

    def sit(self) -> Party:
        self.carry(*(player.offer() for player in self.players))
        return self

    def passes_over(self, frame: bytes, why: str) -> None:
        """Nothing changes, for anybody."""
        before = [copy.deepcopy(state(lobby)) for lobby in self.all]
        heard, answers = self.hear(frame)
        assert isinstance(heard.events[0], FrameIgnored) and why in heard.events[0].reason, heard.events
        assert not heard.changed and not answers and len(heard.events) == 1
        assert before == [state(lobby) for lobby in self.all]


def test_everybody_comes_to_one_session() -> None:
    party = Party().sit()
    assert [offered.name for offered in party.watcher.offers] == ["p0", "p1", "p2"]
    proposal = proposal_of(0, 1, 2)
    news = party.carry(party.players[1].propose(proposal))
    assert news[0] == ProposalMade(KEYS[1].public, proposal)
    assert news[1:4] == [PlayerCommitted(seat, f"p{seat}") for seat in range(3)]
    session = party.watcher.session
    assert session is not None and news[-1] == SessionAgreed(session) and read_session(encode(session)).id == session.id
    assert [lobby.seat for lobby in party.all] == [0, 1, 2, None]
    assert all(lobby.unconfirmed == () for lobby in party.all)
    with pytest.raises(BadParameter, match="already begun"):
        party.players[0].withdraw()


def test_who_is_not_seated_is_told() -> None:
    party = Party().sit()
    news = party.carry(party.players[2].propose(proposal_of(0, 1)))
    assert isinstance(news[-1], SessionAgreed)
    assert party.players[2].session is not None and party.players[2].seat is None


def test_a_host_who_does_not_sit() -> None:
    party = Party(2, host=host_mark(STRANGER.public)).sit()
    assert isinstance(party.carry(party.watcher.propose(proposal_of(0, 1)))[-1], SessionAgreed)


@pytest.mark.parametrize("host", [STRANGER.public, b"", host_mark(STRANGER.public).hex()])
def test_a_host_is_named_by_the_mark_of_its_key(host: Any) -> None:
    with pytest.raises(BadParameter, match="the mark of a host's key must have 16 bytes"):
        lobby_of(0, host=host)


def test_no_nonce_is_shown_before_every_commitment_is_in() -> None:
    party = Party(2).sit()
    _, (mine, other) = party.hear(party.players[0].propose(proposal_of(0, 1)))
    assert party.hear(mine)[1] == []
    _, openings = party.hear(other)
    assert len(openings) == 2
    # What else is said in between brings no second one.
    assert party.hear(offer_of(3))[1] == []


def test_two_lobbies_of_one_home_say_the_same() -> None:
    first, second = lobby_of(0), lobby_of(0)
    assert first.offer() == second.offer()
    for frame in (first.offer(), offer_of(1), proposed_by(1, proposal_of(0, 1))):
        assert first.receive(frame) == second.receive(frame)


def test_another_table_another_root_and_another_number_make_another_nonce() -> None:
    frames = [offer_of(0), offer_of(1)]
    roots = [digest("test root", 0), digest("test root", 1)]
    nonces = []
    for table, root, tries in [("blue", 0, 0), ("red", 0, 0), ("blue", 1, 0), ("blue", 0, 1)]:
        lobby = Lobby(table, KEYS[0], roots[root], "p0")
        resigned = [read_signed_frame(TABLE, frame) for frame in frames]
        for key, one in zip(KEYS, resigned, strict=False):
            signature = key.sign(framed("nodealer/lobby/v1", table, one.payload))
            lobby.receive(encode({"lobby": Raw(one.payload), "key": one.key, "signature": signature}))
        for number in range(tries + 1):
            proposed = sign_frame(KEYS[1], table, Proposed(FORMAT_VERSION, number, proposal_of(0, 1)))
            (commitment,) = lobby.receive(proposed).answers
            lobby.receive(sign_frame(KEYS[1], table, Decline(read_signed_frame(table, proposed).digest, "again")))
        nonces.append(json.loads(commitment)["lobby"]["commitment"])
    assert len(set(nonces)) == 4


# --- Offers ---


def test_first_offers_count() -> None:
    party = Party().sit()
    party.passes_over(offer_of(0), "second offer")
    party.passes_over(offer_of(0, 1), "second offer")
    party.passes_over(offer_of(0, name="Another"), "second offer")
    party.passes_over(offer_of(3, name="P 1"), "already uses that name")
    party.passes_over(offer_of(3, number=1), "withdrawn")


def test_bad_offers() -> None:
    party = Party().sit()
    other = KEYS[4]
    party.passes_over(offer_of(3, name=""), "name in an offer")
    party.passes_over(offer_of(3, name="a\x1b[2J"), "name in an offer")
    party.passes_over(offer_of(3, box=bytes(32), box_signature=bytes(64)), "small order")
    party.passes_over(offer_of(3, box=other.box), "box key in an offer is not signed")
    party.passes_over(offer_of(3, box=other.box, box_signature=other.box_signature), "not signed by its identity")
    party.passes_over(offer_of(3, box=b"short"), "cannot be read")


def test_a_flood_of_offers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_state, "OFFERS_MAX", 4)
    monkeypatch.setattr(lobby_state, "OFFERS_EVER", 6)
    party = Party().sit()
    party.carry(offer_of(3))
    party.passes_over(offer_of(4), "full")
    party.carry(said(3, Withdraw(0)), offer_of(4), said(4, Withdraw(0)), offer_of(4, number=1))
    party.carry(said(4, Withdraw(1)))
    assert len(party.watcher.offers) == 3
    party.passes_over(offer_of(5), "full")
    assert isinstance(party.carry(party.players[0].propose(proposal_of(0, 1, 2)))[-1], SessionAgreed)


def test_an_offer_that_was_taken_back_never_counts_again() -> None:
    party = Party().sit()
    first = party.players[0].offer()
    party.passes_over(said(0, Withdraw(1)), "no such offer")
    party.passes_over(said(3, Withdraw(0)), "no such offer")
    offered = party.watcher.offers[0]
    assert party.carry(party.players[0].withdraw()) == [OfferGone(offered)]
    assert party.players[0].own_offer is None and len(party.watcher.offers) == 2
    party.passes_over(first, "withdrawn")
    party.passes_over(said(0, Withdraw(0)), "no such offer")
    again = party.players[0].offer()
    assert again != first
    (came,) = party.carry(again)
    assert isinstance(came, OfferMade) and came.who.key == KEYS[0].public and came.who.number == 1
    party.passes_over(first, "second offer")


def test_a_host_dismisses_an_offer_and_its_name_is_free() -> None:
    party = Party(host=host_mark(KEYS[0].public)).sit()
    offered = party.watcher.offers[2]
    away = party.players[0].dismiss(offered)
    assert party.carry(away) == [OfferGone(offered, dismissed=True)] and party.players[2].own_offer is None
    party.passes_over(away, "no such offer")
    party.passes_over(party.frames[2], "withdrawn")
    party.carry(offer_of(3, name="p2"))
    assert [one.name for one in party.watcher.offers] == ["p0", "p1", "p2"]
    party.passes_over(party.players[2].offer(), "already uses that name")
    # Who was sent away may come again.
    (came,) = party.carry(offer_of(2, number=1, name="again"))
    assert isinstance(came, OfferMade) and came.who.number == 1


def test_who_is_dismissed_takes_a_proposal_with_it() -> None:
    party = Party(host=host_mark(KEYS[0].public)).sit()
    party.hear(party.players[0].propose(proposal_of(0, 1, 2)))
    party.passes_over(said(0, Dismiss(KEYS[2].public, 1)), "no such offer")
    news = party.carry(said(0, Dismiss(KEYS[2].public, 0)))
    assert [type(one) for one in news] == [OfferGone, ProposalDropped] and party.watcher.proposal is None


@pytest.mark.parametrize("host", [None, host_mark(KEYS[1].public)], ids=["no host", "another host"])
def test_nobody_but_a_host_dismisses(host: bytes | None) -> None:
    party = Party(host=host).sit()
    party.passes_over(said(0, Dismiss(KEYS[2].public, 0)), "only the host can dismiss")


def test_an_offer_can_be_taken_back_before_it_is_heard() -> None:
    party = Party(2)
    party.carry(party.players[0].offer(), party.players[0].withdraw())
    assert party.watcher.offers == ()


def test_who_only_watches_offers_nothing() -> None:
    with pytest.raises(BadParameter, match="spectator"):
        watching().offer()
    with pytest.raises(BadParameter, match="a root"):
        Lobby(TABLE, STRANGER, b"short", None)


# --- What nobody said here ---


def test_garbage() -> None:
    party = Party(2)
    good = party.players[0].offer()
    for junk in (b"", b"junk", b"{}", b"[]", b"\xff", b"null", good[:-1], good + b" ", b" " + good, b"[" * 100_000):
        party.passes_over(junk, "frame of the lobby")
    party.passes_over(b'{"lobby":' + b"[" * 900 + b"]" * 900 + b"}", "nests too deep")
    party.passes_over(good + b" " * FRAME_BYTES_MAX, "bytes, more than")


def test_how_deep_is_decided_before_anything_is_parsed() -> None:
    party = Party(2).sit()
    for depth, why in ((DEPTH_MAX - 2, "cannot be read"), (DEPTH_MAX - 1, "nests too deep")):
        words = b'{"type":"withdraw","number":' + b"[" * depth + b"]" * depth + b"}"
        signature = KEYS[0].sign(framed("nodealer/lobby/v1", TABLE, words))
        party.passes_over(encode({"lobby": Raw(words), "key": KEYS[0].public, "signature": signature}), why)


def test_a_frame_of_another_table_and_of_somebody_elses_key() -> None:
    party = Party(2)
    me = KEYS[0]
    frame = Offer(0, "p0", me.box, me.box_signature)
    party.passes_over(sign_frame(me, "red", frame), "signature")
    party.passes_over(sign_frame(me, "", frame), "signature")
    outer = json.loads(sign_frame(KEYS[1], TABLE, frame))
    mine = json.loads(sign_frame(me, TABLE, frame))
    party.passes_over(encode(outer | {"key": mine["key"]}), "signature")
    party.passes_over(encode(mine | {"key": outer["key"]}), "signature")
    party.passes_over(encode(mine | {"key": "A" * 43 + "="}), "small order")
    party.passes_over(encode(mine | {"more": 1}), "cannot be read")


# --- Proposals ---


def test_a_proposal_by_a_stranger() -> None:
    party = Party().sit()
    party.passes_over(proposed_by(7, proposal_of(0, 1, 2)), "may not propose")
    party.carry(said(2, Withdraw(0)))
    party.passes_over(proposed_by(2, proposal_of(0, 1)), "may not propose")
    hosted = Party(host=host_mark(KEYS[1].public)).sit()
    hosted.passes_over(proposed_by(0, proposal_of(0, 1, 2)), "may not propose")
    assert isinstance(hosted.carry(proposed_by(1, proposal_of(0, 1, 2)))[-1], SessionAgreed)


def members_of(proposal: Proposal, change: Callable[[Member], Member]) -> Proposal:
    return replace(proposal, roster=Roster(tuple(change(member) for member in proposal.roster.members)))


def renamed(proposal: Proposal, **names: str) -> Proposal:
    return members_of(proposal, lambda member: replace(member, name=names.get(member.name, member.name)))


def boxed(member: Member) -> Member:
    """With another box, which its key has signed."""
    other = KEYS[5].box
    return replace(member, box=other, box_signature=KEYS[member.seat].sign(box_signed_bytes(member.key, other)))


UNFIT: dict[str, tuple[Callable[[Proposal], Proposal], str]] = {
    "swapped names": (lambda p: renamed(p, p0="p1", p1="p0"), "does not match an offer"),
    "another name": (lambda p: renamed(p, p0="P0"), "does not match an offer"),
    "another box": (lambda p: members_of(p, boxed), "does not match an offer"),
    "somebody who is not there": (lambda p: proposal_of(0, 1, 3), "does not match an offer"),
    "two with one name": (lambda p: renamed(p, p0="p1"), "same name"),
    "one twice": (lambda p: replace(p, roster=Roster((p.roster.members[0],) * 2)), "ascending"),
    "one alone": (lambda p: proposal_of(0), "2 to 20 seats"),
    "loose parameters": (lambda p: replace(p, game=Part("free", 0, Raw(b'{"a": 1}'))), "canonical"),
    "parameters that are none": (lambda p: replace(p, protocol=Part("mask", 0, Raw(b"[]"))), "parameters of mask"),
}


@pytest.mark.parametrize("change", UNFIT)
def test_an_unfit_proposal(change: str) -> None:
    party = Party().sit()
    unfit, why = UNFIT[change]
    party.passes_over(proposed_by(0, unfit(proposal_of(0, 1, 2))), why)
    assert isinstance(party.carry(proposed_by(0, proposal_of(0, 1, 2)))[-1], SessionAgreed)


def test_a_second_proposal_and_a_wrong_number() -> None:
    party = Party().sit()
    party.passes_over(proposed_by(0, proposal_of(0, 1), number=1), "not the next")
    party.hear(proposed_by(0, proposal_of(0, 1)))
    party.passes_over(proposed_by(0, proposal_of(0, 1)), "second proposal")
    party.passes_over(proposed_by(1, proposal_of(0, 1, 2), number=1), "second proposal")
    with pytest.raises(BadParameter, match="already an open proposal"):
        party.players[0].propose(proposal_of(0, 1))


def test_no_end_of_proposals_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_state, "PROPOSALS_EVER", 1)
    party = Party(2).sit()
    party.hear(party.players[0].propose(proposal_of(0, 1)))
    party.carry(party.players[0].decline("no"))
    party.passes_over(party.players[0].propose(proposal_of(0, 1)), "not the next")


# --- Declining ---


def refuses_everything(proposal: Proposal) -> None:
    raise Declined("not today")


def test_a_declined_proposal_is_off_the_table_and_can_be_made_again() -> None:
    party = Party().sit()
    willing = party.players[2]
    party.players[2] = unwilling = lobby_of(2, refuses_everything)
    for frame in party.frames:
        unwilling.receive(frame)
    first = party.players[0].propose(proposal_of(0, 1, 2))
    _, answers = party.hear(first)
    assert [json.loads(answer)["lobby"]["type"] for answer in answers] == ["commitment", "commitment", "decline"]
    news = party.carry(*answers)
    assert news[2:] == [
        ProposalDeclined(KEYS[2].public, "p2", "not today", mine=False),
        ProposalDropped(proposal_of(0, 1, 2)),
    ]
    assert party.watcher.proposal is None and all(lobby.unconfirmed == () for lobby in party.all)
    for old in (first, *answers):
        assert not party.hear(old)[0].changed
    party.players[2] = willing
    for frame in party.frames[3:]:
        willing.receive(frame)
    assert isinstance(party.carry(party.players[0].propose(proposal_of(0, 1, 2)))[-1], SessionAgreed)


def test_who_declines_is_told_at_once() -> None:
    lobby = lobby_of(0, refuses_everything)
    for frame in (offer_of(0), offer_of(1)):
        lobby.receive(frame)
    heard = lobby.receive(proposed_by(1, proposal_of(0, 1)))
    assert heard.events[1:] == (ProposalDeclined(KEYS[0].public, "p0", "not today", mine=True),)
    assert heard.changed and lobby.proposal is not None and lobby.unconfirmed == heard.answers


def test_what_the_own_program_cannot_play_is_declined() -> None:
    def accept(proposal: Proposal) -> None:
        raise BadParameter("there is no such game")

    lobby = lobby_of(0, accept)
    for frame in (offer_of(0), offer_of(1)):
        lobby.receive(frame)
    (answer,) = lobby.receive(proposed_by(1, proposal_of(0, 1))).answers
    assert json.loads(answer)["lobby"]["reason"] == "there is no such game"


def test_who_may_decline() -> None:
    party = Party(host=host_mark(STRANGER.public)).sit()
    proposed = party.watcher.propose(proposal_of(0, 1))
    party.hear(proposed)
    party.passes_over(said(2, Decline(named(proposed), "let me in")), "only its players and its proposer")
    party.passes_over(said(0, Decline(bytes(32), "what?")), "not on the table")
    news = party.carry(party.watcher.decline("somebody went to sleep"))
    assert news == [
        ProposalDeclined(STRANGER.public, None, "somebody went to sleep", False),
        ProposalDropped(proposal_of(0, 1)),
    ]
    party.passes_over(said(0, Decline(named(proposed), "late")), "not on the table")
    with pytest.raises(BadParameter, match="no proposal"):
        party.watcher.decline("what?")


def test_a_player_that_goes_takes_the_proposal_off_the_table() -> None:
    party = Party().sit()
    party.hear(party.players[0].propose(proposal_of(0, 1)))
    assert [type(news) for news in party.carry(party.players[2].withdraw())] == [OfferGone]
    assert [type(news) for news in party.carry(party.players[1].withdraw())] == [OfferGone, ProposalDropped]


def test_who_has_declined_shows_no_nonce() -> None:
    party = Party(2).sit()
    _, (first, second) = party.hear(party.players[0].propose(proposal_of(0, 1)))
    party.hear(first)
    decline = party.players[1].decline("no, wait")
    _, answers = party.hear(second)
    assert [json.loads(answer)["lobby"]["seat"] for answer in answers] == [0]
    assert isinstance(party.carry(decline)[-1], ProposalDropped)


def looked_at_by_a_person(proposal: Proposal) -> bool:
    return False


def considers(lobby: Lobby) -> bool:
    return lobby.is_considering


def asked() -> tuple[Party, bytes]:
    """Two players, one of whom is asked; and the commitment of the other."""
    party = Party(1)
    party.players.append(lobby_of(1, looked_at_by_a_person))
    _, (commitment,) = party.sit().hear(party.players[0].propose(proposal_of(0, 1)))
    return party, commitment


def test_a_person_looks_at_a_proposal_before_its_seat_commits() -> None:
    party, commitment = asked()
    person = party.players[1]
    assert considers(person) and not considers(party.players[0])
    assert party.carry(commitment) == [PlayerCommitted(0, "p0")] and person.awaited == ("p1",)
    assert isinstance(party.carry(person.consent())[-1], SessionAgreed) and not considers(person)
    with pytest.raises(BadParameter, match="no proposal to agree to"):
        person.consent()


def test_a_person_may_say_no_or_go_and_then_cannot_agree() -> None:
    for say in (lambda lobby: lobby.decline("not this"), Lobby.withdraw):
        party, _ = asked()
        person = party.players[1]
        said_no = say(person)
        assert not considers(person)
        with pytest.raises(BadParameter, match="no proposal to agree to"):
            person.consent()
        assert isinstance(party.carry(said_no)[-1], ProposalDropped)


def test_who_agreed_before_a_restart_is_not_asked_again() -> None:
    """Its own word is in the lobby: it opens its nonce. Without that word it looks at the proposal anew."""
    party, commitment = asked()
    again = lobby_of(1, looked_at_by_a_person)
    for frame in party.frames:
        again.receive(frame)
    assert considers(again)
    own = party.players[1].consent()
    party.hear(own)
    for frame in (own, commitment):
        again.receive(frame)
    assert not considers(again) and len(again.unconfirmed) == 1
    declined = lobby_of(1, looked_at_by_a_person)
    for frame in party.frames[:-1]:
        declined.receive(frame)
    declined.decline("not this")
    assert not [answer for frame in (own, commitment) for answer in declined.receive(frame).answers]


def test_who_has_taken_its_offer_back_shows_no_nonce() -> None:
    """Also where the channel keeps that back: nobody sits down who has said that it does not want to."""
    party = Party(2).sit()
    _, (first, second) = party.hear(party.players[0].propose(proposal_of(0, 1)))
    party.hear(first)
    withdrawal = party.players[1].withdraw()
    _, answers = party.hear(second)
    assert [json.loads(answer)["lobby"]["seat"] for answer in answers] == [0]
    party.carry(party.players[0].decline("once more"))
    news = party.carry(party.players[0].propose(proposal_of(0, 1)))
    assert [type(one) for one in news] == [ProposalMade, PlayerCommitted, ProposalDeclined, ProposalDropped]
    assert party.carry(withdrawal) == [
        OfferGone(OpenOffer(KEYS[1].public, 0, "p1", KEYS[1].box, KEYS[1].box_signature))
    ]
    party.carry(party.players[1].offer())
    assert isinstance(party.carry(party.players[0].propose(proposal_of(0, 1)))[-1], SessionAgreed)


def test_nothing_changes_an_open_session() -> None:
    party = Party(2).sit()
    proposed = party.players[0].propose(proposal_of(0, 1))
    party.carry(proposed)
    assert party.watcher.session is not None
    for late in (said(0, Decline(named(proposed), "no")), said(0, Withdraw(0)), offer_of(3), proposed):
        party.passes_over(late, "session is open")


def test_a_reason_is_short_and_only_says_something() -> None:
    party = Party(2).sit()
    party.hear(party.players[0].propose(proposal_of(0, 1)))
    news = party.carry(party.players[1].decline("\x1b[2J\u202e" + "x" * 1000 + "\ud800"))
    assert isinstance(news[0], ProposalDeclined)
    assert news[0].reason == "\ufffd[2J\ufffd" + "x" * (REASON_MAX - 5)
    proposed = party.players[0].propose(proposal_of(0, 1))
    party.hear(proposed)
    party.passes_over(said(1, Decline(named(proposed), "x" * (REASON_MAX + 1))), "cannot be read")
    loud = party.carry(said(1, Decline(named(proposed), "a\x07b")))
    assert isinstance(loud[0], ProposalDeclined) and loud[0].reason == "a\ufffdb"


# --- Commitments and nonces ---


def test_commitments_and_openings_of_others_and_out_of_place() -> None:
    party = Party(2).sit()
    stray = Opening(bytes(32), 19, bytes(32))
    party.passes_over(said(0, stray), "not on the table")
    proposal = proposal_of(0, 1)
    proposed = party.players[0].propose(proposal)
    _, (first, second) = party.hear(proposed)
    name = named(proposed)
    party.passes_over(said(0, replace(stray, proposed=name)), "another player")
    party.passes_over(said(0, Commitment(name, 1, bytes(32))), "another player")
    party.passes_over(said(7, Commitment(name, 1, bytes(32))), "another player")
    party.passes_over(said(0, Commitment(bytes(32), 0, bytes(32))), "not on the table")
    party.passes_over(said(0, Opening(name, 0, bytes(32))), "before all players have committed")
    party.hear(first)
    party.passes_over(first, "second commitment")
    party.passes_over(said(0, Commitment(name, 0, bytes(32))), "second commitment")
    _, (opening, other) = party.hear(second)
    party.passes_over(said(0, Opening(name, 1, bytes(32))), "another player")
    party.passes_over(said(1, Opening(name, 1, bytes(32))), "does not match its commitment")
    party.hear(opening)
    party.passes_over(opening, "second nonce")
    assert isinstance(party.carry(other)[-1], SessionAgreed)


def test_an_old_offer_of_mine_that_somebody_sends_again() -> None:
    """Under another name, from another time at a table of the same name: I play under no name but mine."""
    other = KEYS[5].box
    sealed = offer_of(0, box=other, box_signature=KEYS[0].sign(box_signed_bytes(KEYS[0].public, other)))
    for old, why in ((offer_of(0, name="Old"), "calls this player 'Old'"), (sealed, "wrong box key")):
        lobby = lobby_of(0)
        lobby.receive(old)
        lobby.receive(offer_of(1))
        roster = Roster(tuple(offered.as_member(seat) for seat, offered in enumerate(lobby.offers)))
        heard = lobby.receive(proposed_by(1, replace(proposal_of(0, 1), roster=roster)))
        assert isinstance(heard.events[1], ProposalDeclined) and why in heard.events[1].reason and heard.events[1].mine
        assert lobby.receive(lobby.withdraw()).changed and lobby.own_offer is None


# --- A look at what is proposed ---


def test_a_rehearsal_is_declined_unless_somebody_wants_one() -> None:
    rehearsal = replace(proposal_of(0, 1), rehearsal=True)
    for accept, said_then in ((decline_rehearsals, "decline"), (lambda proposal: None, "commitment")):
        lobby = lobby_of(0, accept)
        for frame in (offer_of(0), offer_of(1)):
            lobby.receive(frame)
        (answer,) = lobby.receive(proposed_by(1, rehearsal)).answers
        assert json.loads(answer)["lobby"]["type"] == said_then


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
    "a role": lambda p: members_of(p, lambda m: replace(m, role=SERVER) if m.seat == 1 else m),
}


@pytest.mark.parametrize("change", CHANGES)
def test_only_what_was_expected(change: str) -> None:
    versions = (("pokerkit", "0.7.7"),)
    expected = Expected(HOLDEM, Part("mask", 0), versions, ("p0", "p1", "p2"))
    good = Proposal(HOLDEM, Part("mask", 0), versions, proposal_of(0, 1, 2).roster)
    expected.accept(good)
    with pytest.raises(Declined, match=r"from what was agreed|rehearsal"):
        expected.accept(CHANGES[change](good))


# --- The format ---


@pytest.mark.parametrize("version", ["1-0", "1-99", "2", 0, None, [FORMAT_VERSION]])
def test_a_proposal_in_another_format(version: Any) -> None:
    """Whatever its other fields are; nobody is accused, and the next one is looked at."""
    party = Party(2).sit()
    for inner in (json.loads(encode(Proposed("", 0, proposal_of(0, 1)))), {"type": "proposed", "something": "else"}):
        words = encode(inner | {"version": version})
        for place, kind in ((0, VersionMismatch), (7, FrameIgnored)):
            signature = KEYS[place].sign(framed("nodealer/lobby/v1", TABLE, words))
            outer = {"lobby": Raw(words), "key": KEYS[place].public, "signature": signature}
            heard, answers = party.hear(encode(outer))
            assert type(heard.events[0]) is kind and not heard.changed and not answers
            assert f"reads version {FORMAT_VERSION}" in heard.events[0].reason
    assert isinstance(party.carry(proposed_by(0, proposal_of(0, 1)))[-1], SessionAgreed)


# --- Restarts ---


def script() -> list[bytes]:
    """A lobby with everything in it: somebody goes and comes back, a proposal fails late, junk, and a session."""
    party = Party().sit()
    party.carry(party.players[1].withdraw())
    party.carry(b"junk", party.players[1].offer())
    _, commitments = party.hear(party.players[0].propose(proposal_of(0, 1, 2)))
    answers = [answer for commitment in commitments for answer in party.hear(commitment)[1]]
    party.hear(answers[0])
    party.carry(party.players[2].decline("the phone rings"), *answers)
    party.carry(party.players[0].propose(proposal_of(0, 1, 2)))
    assert party.watcher.session is not None
    return party.frames


def test_a_restart_at_every_frame() -> None:
    frames = script()
    for place in range(3):
        whole, stored = lobby_of(place), list[bytes]()
        for frame in frames:
            heard = whole.receive(frame)
            stored += [frame] if heard.changed else []
            again = lobby_of(place)
            for kept in stored:
                last = again.receive(kept)
                assert last.changed
            assert state(again) == state(whole) and again.seat == whole.seat
            assert again.unconfirmed == whole.unconfirmed
            if heard.changed:
                assert last == heard


def test_what_was_not_heard_is_said_again() -> None:
    lobby = lobby_of(0)
    offer = lobby.offer()
    assert lobby.offer() == offer and list(lobby.unconfirmed) == [offer]
    lobby.receive(offer)
    lobby.receive(offer_of(1))
    assert list(lobby.unconfirmed) == []
    proposed = lobby.propose(proposal_of(0, 1))
    (commitment,) = lobby.receive(proposed).answers
    assert list(lobby.unconfirmed) == [commitment]
    assert lobby.receive(commitment).answers == () and list(lobby.unconfirmed) == []
    nonce = digest("nonce of p1")
    (opening,) = lobby.receive(
        said(1, Commitment(named(proposed), 1, nonce_commitment(proposal_of(0, 1), 1, nonce)))
    ).answers
    assert list(lobby.unconfirmed) == [opening]
    lobby.receive(opening)
    assert lobby.receive(said(1, Opening(named(proposed), 1, nonce))).changed and lobby.session is not None


def test_an_own_frame_that_is_passed_over_is_said_to_be_mine() -> None:
    lobby = lobby_of(0)
    lobby.receive(offer_of(1, name="P 0"))
    heard = lobby.receive(lobby.offer())
    assert isinstance(heard.events[0], FrameIgnored) and heard.events[0].mine and lobby.unconfirmed == ()


# --- Whatever comes ---

Step = tuple[str, int, int]
KINDS = ["offer", "withdraw", "decline", "again", "flip", "other"] + ["propose", "answer"] * 3 + ["answers"]
STEPS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 3), st.integers(0, 1 << 16)), max_size=40)


class Chaos:
    """Four who offer, one of whom declines more than two seats; one who watches; and a channel that adds its own."""

    def __init__(self) -> None:
        self.lobbies = [lobby_of(0), lobby_of(1), lobby_of(2), lobby_of(3, self.moody), watching()]
        self.stored: list[list[bytes]] = [[] for _ in self.lobbies]
        self.sent: list[bytes] = []
        self.answers: list[bytes] = []
        self.wrong = [sign_frame(KEYS[0], "red", Withdraw(0)), said(7, Opening(bytes(32), 19, bytes(32)))]
        for lobby in self.lobbies[:4]:
            self.deliver(lobby.offer())

    @staticmethod
    def moody(proposal: Proposal) -> None:
        if len(proposal.roster.members) > 2:
            raise Declined("three are a crowd")

    def frame(self, what: str, place: int, number: int) -> bytes | None:
        lobby = self.lobbies[place]
        if what == "answer":
            return self.answers.pop(number % len(self.answers)) if self.answers else None
        if what == "again":
            return self.sent[number % len(self.sent)]
        if what == "flip":
            old = bytearray(self.sent[number % len(self.sent)])
            old[number % len(old)] ^= 1 << place
            return bytes(old)
        if what == "other":
            return self.wrong[number % len(self.wrong)]
        if lobby.session is not None:
            return None
        if what == "propose":
            offers = [offered for bit, offered in enumerate(lobby.offers) if number >> bit & 1]
            roster = Roster(tuple(offered.as_member(seat) for seat, offered in enumerate(offers or lobby.offers)))
            return None if lobby.proposal else lobby.propose(replace(proposal_of(0, 1), roster=roster))
        if what == "decline":
            return lobby.decline("no") if lobby.proposal else None
        return lobby.offer() if what == "offer" else lobby.withdraw()

    def take(self, what: str, place: int, number: int) -> None:
        """A step, after which all agree."""
        while what == "answers" and self.answers:
            self.deliver(self.answers.pop(0))
        frame = self.frame(what, place, number) if what != "answers" else None
        if frame is not None:
            self.deliver(frame)
        assert same(self.lobbies)
        assert len({tuple(stored) for stored in self.stored}) == 1

    def deliver(self, frame: bytes) -> None:
        self.sent.append(frame)
        heard = [lobby.receive(frame) for lobby in self.lobbies]
        for one, stored in zip(heard, self.stored, strict=True):
            stored += [frame] if one.changed else []
            self.answers += one.answers


def settle(chaos: Chaos) -> None:
    """Once nobody meddles any more, two who are there can agree."""
    chaos.take("answers", 0, 0)
    first, second, *_ = chaos.lobbies
    if first.session is None:
        if first.proposal is not None:
            place = next(place for place in range(4) if KEYS[place].public == first.proposal.roster.members[0].key)
            chaos.take("decline", place, 0)
        for place in (0, 1):
            chaos.take("offer", place, 0)
        mine = {
            offered: seat for seat, offered in enumerate(first.offers) if offered in (first.own_offer, second.own_offer)
        }
        chaos.take("propose", 0, sum(1 << seat for seat in mine.values()))
        chaos.take("answers", 0, 0)
    assert first.session is not None


@given(STEPS)
@example([("withdraw", 0, 0), ("withdraw", 0, 0)])
def test_all_who_hear_the_same_agree(steps: Sequence[Step]) -> None:
    chaos = Chaos()
    for step in steps:
        chaos.take(*step)
    again = lobby_of(3, Chaos.moody)
    for kept in chaos.stored[3]:
        again.receive(kept)
    late = watching()
    for frame in chaos.sent:
        late.receive(frame)
    assert state(again) == state(late) == state(chaos.lobbies[-1])
    settle(chaos)


@given(st.binary(max_size=200) | st.from_regex(rb'\{"lobby":.*,"key":.*,"signature":.*\}', fullmatch=True))
@settings(max_examples=30)
def test_no_bytes_stop_a_lobby(junk: bytes) -> None:
    heard = watching().receive(junk)
    assert not heard.changed and heard.answers == () and isinstance(heard.events[0], FrameIgnored)


# --- Who keeps the time ---


def test_who_offers_to_keep_the_time_does_that_and_nothing_else() -> None:
    """And nobody else is made to."""
    limits = Limits(30_000, 10_000, 0, 0)
    circle = Circle(3, clock=limits).greet()
    good = circle.proposal()
    *players, keeper = good.roster.members
    for members, clock in (
        ((*players, replace(keeper, role="player")), None),
        ((*players[:2], replace(players[2], role="timekeeper")), limits),
    ):
        circle.waiting.extend(
            circle.people[0].command(ProposeSession(replace(good, roster=Roster(tuple(members)), clock=clock)))
        )
        circle.greet()
        assert circle.people[0].lobby.proposal is None
    reasons = [one.reason for one in circle.told(FrameIgnored)]
    assert "seat 3 of the proposal does not match an offer" in reasons
    assert "seat 2 of the proposal has not offered to keep the time" in reasons
    circle.play()
    assert circle.keeper.has_seat and circle.keeper.is_over
