"""Rosters: who may sit at a table."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from nodealer.errors import BadParameter, DecodeError
from nodealer.keys import Identity, box_signed_bytes
from nodealer.log.roster import (
    Roster,
    member_of,
    newcomer_signed_bytes,
    refuse_bad_roster,
    sign_newcomer,
    verify_newcomer,
)


def identity(number: int) -> Identity:
    return Identity(number.to_bytes(32, "little"))


def roster(count: int = 3, **changed: Any) -> Roster:
    """Somebody at each seat, and something else at seat 1."""
    players = [member_of(identity(seat), seat, f"player {seat}") for seat in range(count)]
    if changed:
        players[1] = msgspec.structs.replace(players[1], **changed)
    return Roster(tuple(players))


def test_good_ones() -> None:
    for count in (2, 3, 20):
        refuse_bad_roster(roster(count))
    for name in ("Ada", "Zoë", "李", "two words", "x" * 64):
        refuse_bad_roster(roster(name=name))
    refuse_bad_roster(roster(role="dealer"))


@pytest.mark.parametrize("count", [0, 1, 21])
def test_wrong_number_of_seats(count: int) -> None:
    with pytest.raises(DecodeError, match="2 to 20 seats"):
        refuse_bad_roster(roster(count))


@pytest.mark.parametrize("name", ["", "Аda", "a\x1b[2J", "🂡"])
def test_bad_names(name: str) -> None:
    with pytest.raises(DecodeError, match="the name of seat 1"):
        refuse_bad_roster(roster(name=name))


def test_one_timekeeper_who_has_no_cards_and_is_not_waited_for() -> None:
    one = roster(role="timekeeper")
    refuse_bad_roster(one)
    assert one.timekeeper == one.members[1] and roster().timekeeper is None
    assert one.with_cards == one.awaited == (0, 2) and one.seats == (0, 1, 2)
    assert roster(role="server").awaited == (0, 1, 2)
    two = Roster((one.members[1], msgspec.structs.replace(one.members[2], role="timekeeper")))
    with pytest.raises(DecodeError, match="more than one timekeeper"):
        refuse_bad_roster(two)


@pytest.mark.parametrize("role", ["", "Player", "time keeper", "a\n", "rôle", "x" * 33, "player\n"])
def test_bad_roles(role: str) -> None:
    with pytest.raises(DecodeError, match="the role of seat 1"):
        refuse_bad_roster(roster(role=role))


def test_equal_names_keys_and_seats() -> None:
    with pytest.raises(DecodeError, match="same name"):
        refuse_bad_roster(roster(name="player 0"))
    with pytest.raises(DecodeError, match="same identity key"):
        refuse_bad_roster(roster(key=identity(0).public))
    for seat in (0, 2):
        with pytest.raises(DecodeError, match="ascending"):
            refuse_bad_roster(roster(seat=seat))
    with pytest.raises(DecodeError, match="ascending"):
        refuse_bad_roster(Roster(tuple(reversed(roster().members))))


@pytest.mark.parametrize("bad", [b"", bytes(32), (1).to_bytes(32, "little"), b"\xff" * 32])
def test_bad_keys(bad: bytes) -> None:
    with pytest.raises(DecodeError):
        refuse_bad_roster(roster(key=bad))


def test_what_a_roster_says() -> None:
    table = roster(role="server")
    assert table.seats == (0, 1, 2)
    assert table.with_cards == (0, 2)
    assert table.roles == (("server", 1),)
    assert table.member(2).name == "player 2"
    assert roster(role="dealer").with_cards == (0, 1, 2)
    with pytest.raises(BadParameter):
        table.member(3)


def test_the_digest_binds_everything() -> None:
    changes: list[dict[str, Any]] = [{"name": "other"}, {"key": bytes(32)}, {"role": "dealer"}]
    changes += [{"box": bytes(32)}, {"box_signature": bytes(64)}]
    digests = {roster().digest, *(roster(**change).digest for change in changes)}
    assert len(digests) == 6 and len(roster().digest) == 32
    assert roster().digest == roster().digest
    assert roster(4).digest not in digests


# --- Boxes ---

P = 2**255 - 19
Y8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
SMALL_BOXES = [0, 1, P - 1, *((1 + y) * pow(1 - y, -1, P) % P for y in (Y8, P - Y8))]


@pytest.mark.parametrize("box", SMALL_BOXES)
def test_a_box_of_small_order(box: int) -> None:
    """Even if its owner signs it: what is sealed to it anybody can open."""
    point = box.to_bytes(32, "little")
    with pytest.raises(ValueError, match="shared key"):
        X25519PrivateKey.generate().exchange(X25519PublicKey.from_public_bytes(point))
    signed = identity(1).sign(box_signed_bytes(identity(1).public, point))
    with pytest.raises(DecodeError, match="small order"):
        refuse_bad_roster(roster(box=point, box_signature=signed))


@pytest.mark.parametrize("box", [b"", bytes(31), bytes(33), (P + 9).to_bytes(32, "little"), b"\xff" * 32])
def test_a_box_that_is_none(box: bytes) -> None:
    signed = identity(1).sign(box_signed_bytes(identity(1).public, box))
    with pytest.raises(DecodeError, match="box key"):
        refuse_bad_roster(roster(box=box, box_signature=signed))


def test_a_box_that_its_player_has_not_signed() -> None:
    mine, other = identity(1), identity(2)
    # What is true is remembered, and helps nothing that is false.
    for _ in range(2):
        refuse_bad_roster(roster(box=mine.box, box_signature=mine.box_signature))
    for box, signature in 2 * [
        (other.box, other.box_signature),
        (other.box, mine.box_signature),
        (mine.box, other.box_signature),
        (mine.box, other.sign(box_signed_bytes(mine.public, mine.box))),
        (mine.box, mine.sign(mine.box)),
        (mine.box, bytes(64)),
        (mine.box, b""),
    ]:
        with pytest.raises(DecodeError, match="not signed"):
            refuse_bad_roster(roster(box=box, box_signature=signature))


def test_two_boxes_of_one_seed_are_one_and_no_secret_is_shown() -> None:
    one, again, other = identity(7), identity(7), identity(8)
    assert (one.public, one.box, one.box_signature) == (again.public, again.box, again.box_signature)
    assert len({one.public, one.box, other.public, other.box}) == 4


# --- Newcomers ---


def test_a_newcomer_signs_for_its_seat() -> None:
    newcomer, session, agreed = identity(2), bytes([1]) * 32, roster()
    member = agreed.members[2]
    signature = sign_newcomer(newcomer, session, agreed.digest, member)
    verify_newcomer(signature, session, agreed.digest, member)
    assert newcomer.sign(newcomer_signed_bytes(session, agreed.digest, member)) == signature
    for wrong_session, wrong_roster, wrong in [
        (bytes(32), agreed.digest, member),
        (session, roster(4).digest, member),
        (session, agreed.digest, msgspec.structs.replace(member, seat=3)),
        (session, agreed.digest, msgspec.structs.replace(member, name="other")),
        (session, agreed.digest, msgspec.structs.replace(member, key=identity(1).public)),
    ]:
        with pytest.raises(DecodeError, match="has not signed"):
            verify_newcomer(signature, wrong_session, wrong_roster, wrong)
    with pytest.raises(BadParameter):
        sign_newcomer(identity(1), session, agreed.digest, member)
