"""Sessions: nonces under commitments, and a number that binds everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from nodealer.errors import BadParameter, DecodeError, OtherFormat, PeerFault
from nodealer.log.roster import Roster
from nodealer.log.session import (
    FORMAT_VERSION,
    Limits,
    Part,
    Proposal,
    Session,
    nonce_commitment,
    open_session,
    read_session,
)
from nodealer.wire import encode

from .test_roster import roster


def proposal(**changed: Any) -> Proposal:
    fields: dict[str, Any] = {
        "game": Part("tiny", 0),
        "protocol": Part("clear", 0),
        "versions": (("pokerkit", "0.7.7"),),
        "roster": roster(),
    }
    return Proposal(**(fields | changed))


@dataclass
class Made:
    proposal: Proposal
    nonces: dict[int, bytes]
    commitments: dict[int, bytes]

    def session(self) -> Session:
        return open_session(self.proposal, self.commitments, self.nonces)


def made(agreed: Proposal | None = None, first: int = 1) -> Made:
    agreed = agreed or proposal()
    nonces = {seat: bytes([first + seat]) * 32 for seat in agreed.roster.seats}
    return Made(agreed, nonces, {seat: nonce_commitment(agreed, seat, nonce) for seat, nonce in nonces.items()})


def test_round_trip() -> None:
    session = made().session()
    assert read_session(encode(session)) == session
    assert read_session(encode(session)).id == session.id


def test_any_change_is_another_session() -> None:
    others = [
        proposal(game=Part("other", 0)),
        proposal(game=Part("tiny", 1)),
        proposal(game=Part("tiny", 0, msgspec.Raw(b'{"blind":2}'))),
        proposal(protocol=Part("mask", 0)),
        proposal(protocol=Part("clear", 1)),
        proposal(versions=(("pokerkit", "0.7.8"),)),
        proposal(versions=()),
        proposal(roster=roster(4)),
        proposal(roster=roster(name="other")),
        proposal(roster=roster(role="dealer")),
        proposal(rehearsal=True),
        proposal(roster=roster(role="timekeeper"), clock=Limits(1000, 1000, 0, 0)),
        proposal(roster=roster(role="timekeeper"), clock=Limits(1000, 1000, 0, 1)),
    ]
    ids = {made(other).session().id for other in (proposal(), *others)} | {made(first=7).session().id}
    assert len(ids) == len(others) + 2


@pytest.mark.parametrize(
    "changed",
    [
        {"game": Part("x" * 65, 0)},
        {"protocol": Part("", 0)},
        {"versions": (("v" * 65, "1"),)},
        {"versions": (("v", "1"),) * 65},
    ],
)
def test_names_and_versions_are_short(changed: dict[str, Any]) -> None:
    with pytest.raises(DecodeError):
        read_session(encode(made(proposal(**changed)).session()))


def test_limits_of_time_and_a_timekeeper_come_together() -> None:
    limits = Limits(30_000, 10_000, 60_000, 5_000)
    for role, clock in (("player", limits), ("timekeeper", None)):
        with pytest.raises(DecodeError, match="if it has a timekeeper, and only then"):
            made(proposal(roster=roster(role=role), clock=clock)).session()
    session = made(proposal(roster=roster(role="timekeeper"), clock=limits)).session()
    assert read_session(encode(session)) == session


@pytest.mark.parametrize("limits", [(999, 1000, 0, 0), (1000, 999, 0, 0), (1000, 1000, -1, 0), (1000, 1000, 0, 2**53)])
def test_limits_are_what_ticks_can_tell(limits: tuple[int, int, int, int]) -> None:
    timed = proposal(roster=roster(role="timekeeper"), clock=Limits(*limits))
    with pytest.raises(DecodeError, match="the first line cannot be read"):
        read_session(encode(made(timed).session()))


def test_a_nonce_that_was_not_committed_to_names_its_seat() -> None:
    for seat in range(3):
        wrong = made()
        wrong.nonces[seat] = bytes(32)
        with pytest.raises(PeerFault) as caught:
            wrong.session()
        assert caught.value.seat == seat


def test_commitments_bind_seat_and_proposal() -> None:
    nonce = bytes(32)
    digests = {nonce_commitment(proposal(), 0, nonce), nonce_commitment(proposal(), 1, nonce)}
    digests.add(nonce_commitment(proposal(rehearsal=True), 0, nonce))
    assert len(digests) == 3


def test_a_nonce_of_every_seat_is_needed() -> None:
    for mapping in ("nonces", "commitments"):
        for seat in (0, 2):
            less = made()
            del getattr(less, mapping)[seat]
            with pytest.raises(BadParameter):
                less.session()
        more = made()
        getattr(more, mapping)[3] = bytes(32)
        with pytest.raises(BadParameter):
            more.session()


def test_bad_rosters_make_no_session() -> None:
    for bad in (roster(1), roster(21), Roster(()), roster(name=""), roster(key=bytes(32))):
        with pytest.raises(DecodeError):
            made(proposal(roster=bad)).session()


def spoilt(**changed: Any) -> bytes:
    fields = msgspec.to_builtins(made().session(), builtin_types=(bytes, msgspec.Raw)) | changed
    return encode(fields)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff\xfe",
        b"null",
        spoilt(version="1-1"),
        spoilt(version=0),
        spoilt(format="other"),
        spoilt(nonces=[bytes(32)] * 3),
        spoilt(nonces=[bytes(32)] * 2),
        spoilt(commitments=[]),
        spoilt(extra=1),
        encode(made().session()) + b" ",
        encode(made().session()).replace(b",", b", ", 1),
    ],
)
def test_lines_that_are_no_session(line: bytes) -> None:
    with pytest.raises(DecodeError):
        read_session(line)


@pytest.mark.parametrize("version", ["1-0", "1-6", "2", "", 0, 1, -1, 1.5, None, [], {"a": 1}, "x" * 1000])
def test_another_version_says_so_whatever_else_is_there(version: Any) -> None:
    lines = [spoilt(version=version), encode({"format": "nodealer-log", "version": version, "fields": "of tomorrow"})]
    for line in lines:
        with pytest.raises(OtherFormat, match=r"other format: .* this program reads version 1$") as caught:
            read_session(line)
        assert len(str(caught.value)) < 150


def test_a_version_that_nests_is_refused_before_anything_is_said_of_it() -> None:
    """How deep a reader can go hangs on its stack: at some depth a version could be read, and not be told of."""
    for opens, closes in ((b"[", b"]"), (b'{"a":', b"}")):
        for depth in (64, *range(900, 1100)):
            version = opens * depth + b"[]" + closes * depth
            with pytest.raises(DecodeError, match="the first line nests too deep"):
                read_session(b'{"format":"nodealer-log","version":' + version + b"}")


def test_the_version_is_the_string_of_this_format() -> None:
    assert made().session().version == FORMAT_VERSION == "1"


def test_parameters_are_canonical_json_objects() -> None:
    for raw in (b"[]", b"1", b'{"a": 1}', b'{"a":1,"a":1}'):
        agreed = proposal(game=Part("tiny", 0, msgspec.Raw(raw)))
        with pytest.raises(DecodeError):
            read_session(encode(made(agreed).session()))
