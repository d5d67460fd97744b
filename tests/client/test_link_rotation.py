"""The links of a new key are announced once, by players who have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from nodealer.client.keyring import Keyring
from nodealer.client.link_rotation import LinkRotation
from nodealer.engine.participant import Participant
from nodealer.relay.invitations import Invitation, parse_link
from nodealer.relay.sealing import ReadKey, TableSecret

TABLE = "ab" * 16
FIRST = Invitation(("ws://relay.example",), TableSecret(bytes(16), TABLE, 0), bytes(16))


def key(epoch: int) -> TableSecret:
    return TableSecret(bytes([epoch]) * 32, TABLE, epoch)


@dataclass
class Somebody:
    """A stand-in with the parts of a participant that are used."""

    is_in_roster: bool = True
    is_catching_up: bool = False


class Ring:
    """A stand-in for the keyring, with the secret in use."""

    secret: TableSecret | None = None

    def write_secret(self, participant: Participant) -> TableSecret | None:
        return self.secret


RING = Ring()


def new(relinked: LinkRotation, one: Somebody, secret: TableSecret | None) -> Invitation | None:
    RING.secret = secret
    return relinked.next_invitation(cast(Participant, cast(Any, one)))


def test_each_key_once() -> None:
    relinked, ada = LinkRotation(FIRST, cast(Keyring, cast(Any, RING))), Somebody()
    assert new(relinked, ada, FIRST.key if isinstance(FIRST.key, TableSecret) else None) is None
    told = new(relinked, ada, key(1))
    assert told is not None and told.key == key(1) and new(relinked, ada, key(1)) is None
    assert isinstance(parse_link(told.for_spectators().link).key, ReadKey)
    assert new(relinked, ada, key(2)) is not None


def test_who_only_reads_or_has_not_heard_all_says_nothing() -> None:
    relinked, ada = LinkRotation(FIRST, cast(Keyring, cast(Any, RING))), Somebody(is_catching_up=True)
    assert new(relinked, ada, key(1)) is None and new(relinked, Somebody(), None) is None
    ada.is_catching_up = False
    assert new(relinked, ada, key(1)) is not None


def test_who_has_come_with_a_later_key_does_not_say_it_again() -> None:
    relinked, guest = LinkRotation(FIRST, cast(Keyring, cast(Any, RING))), Somebody(is_in_roster=False)
    assert new(relinked, guest, key(1)) is None
    guest.is_in_roster = True
    assert new(relinked, guest, key(1)) is None and new(relinked, guest, key(2)) is not None
