"""Rosters: who may sit at a table."""

from __future__ import annotations

import pytest

from nodealer.errors import BadParameter, DecodeError
from nodealer.keys import SigningKey
from nodealer.log.roster import Member, Roster, refuse_bad_roster


def key(number: int) -> bytes:
    return SigningKey(number.to_bytes(32, "little")).public


def roster(count: int = 3, **changed: object) -> Roster:
    players = [Member(seat, f"player {seat}", key(seat)) for seat in range(count)]
    if changed:
        fields = {"seat": 1, "name": "player 1", "key": key(1), "role": "player"} | changed
        players[1] = Member(**fields)  # type: ignore[arg-type]
    return Roster(tuple(players))


def test_good_ones() -> None:
    for count in (2, 3, 20):
        refuse_bad_roster(roster(count))
    for name in ("Ada", "Zoë", "李", "two words", "x" * 64, "🂡"):
        refuse_bad_roster(roster(name=name))


@pytest.mark.parametrize("count", [0, 1, 21])
def test_wrong_number_of_seats(count: int) -> None:
    with pytest.raises(DecodeError, match="2 to 20 seats"):
        refuse_bad_roster(roster(count))


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "\u3000", "x" * 65, "x" * 10_000, "ä" * 33, "a\nb", "a\x00b", "a\x1b[2J", "a\u202eb", "a\u200bb"),
        *("a\x7f", "a\u2028b", " Ada", "Ada ", "A\u0308da", "\ue000"),
    ],
)
def test_bad_names(name: str) -> None:
    for field in ("name", "role"):
        with pytest.raises(DecodeError):
            refuse_bad_roster(roster(3, **{field: name}))


def test_equal_names_keys_and_seats() -> None:
    with pytest.raises(DecodeError, match="same name"):
        refuse_bad_roster(roster(name="player 0"))
    with pytest.raises(DecodeError, match="same identity key"):
        refuse_bad_roster(roster(key=key(0)))
    for seat in (0, 2):
        with pytest.raises(DecodeError, match="ascending"):
            refuse_bad_roster(roster(seat=seat))
    with pytest.raises(DecodeError, match="ascending"):
        refuse_bad_roster(Roster(tuple(reversed(roster().players))))


@pytest.mark.parametrize("bad", [b"", bytes(32), (1).to_bytes(32, "little"), b"\xff" * 32])
def test_bad_keys(bad: bytes) -> None:
    with pytest.raises(DecodeError):
        refuse_bad_roster(roster(key=bad))


def test_what_a_roster_says() -> None:
    table = roster(role="server")
    assert table.seats == (0, 1, 2)
    assert table.with_cards == (0, 2)
    assert table.roles == (("server", 1),)
    assert table.player(2).name == "player 2"
    assert roster(role="dealer").with_cards == (0, 1, 2)
    with pytest.raises(BadParameter):
        table.player(3)


def test_the_digest_binds_everything() -> None:
    digests = {roster().digest, roster(name="other").digest, roster(key=key(9)).digest, roster(role="dealer").digest}
    assert len(digests) == 4 and len(roster().digest) == 32
    assert roster().digest == roster().digest
    assert roster(4).digest not in digests
