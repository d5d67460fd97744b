"""Players whom a user has met: their keys, and what they were called. Names can be taken by anybody, keys cannot.

players.json   of each player the key, the name, and when it was seen first and last
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Final, Literal, Protocol

import msgspec

from nodealer.engine.participant import Participant
from nodealer.errors import BadParameter, DecodeError, HomeUnusable
from nodealer.keys import KEY_BYTES, refuse_weak_key
from nodealer.log.names import casefold_name, refuse_bad_name
from nodealer.log.roster import TIMEKEEPER
from nodealer.wire import Message, Natural, decode, encode
from nodealer.wordlist import key_words

FORMAT: Final = "nodealer-players"
VERSION: Final = 1
PLAYERS: Final = "players.json"
#: Whoever was not seen for the longest time is forgotten first.
PLAYERS_MAX: Final = 1000
PLAYERS_BYTES_MAX: Final = 400 * PLAYERS_MAX


class Contact(Message, frozen=True):
    """A player."""

    key: Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]
    #: What it was called last.
    name: str
    #: Seconds since 1970.
    first: Natural
    last: Natural


class SavedContacts(Message, frozen=True):
    """What players.json says."""

    format: Literal["nodealer-players"]
    version: Literal[1]
    players: tuple[Contact, ...]


class KeyStatus(Enum):
    """How a player stands to those who are known."""

    #: Neither the key nor the name was seen before.
    NEW = "new"
    #: This key was called this before.
    KNOWN = "known"
    #: The key is known, and was called something else.
    RENAMED = "renamed"
    #: This key was called this before, and so was another one.
    TWO_KEYS = "two keys"
    #: Somebody of this name is known, and has another key.
    OTHER_KEY = "other key"


@dataclass(frozen=True)
class CheckedContact:
    """Somebody, how it stands to those who are known, and what is to be said of that."""

    name: str
    key: bytes
    sight: KeyStatus
    text: str

    @property
    def warns(self) -> bool:
        """Whether a name has come with another key."""
        return self.sight in (KeyStatus.OTHER_KEY, KeyStatus.TWO_KEYS)


class ContactsFile(Protocol):
    """Where the players are kept: a small file, whole or not there."""

    @property
    def where(self) -> str:
        """What a person would call it."""

    def read(self) -> bytes | None:
        """All of it; None where there is none. Of one that is too long, a byte more than is allowed."""

    def change(self, make: Callable[[bytes | None], bytes]) -> None:
        """Put something else in its place. Nobody else changes it meanwhile."""


class Contacts:
    """Those on a shelf."""

    def __init__(self, shelf: ContactsFile) -> None:
        self._shelf = shelf

    @property
    def all(self) -> tuple[Contact, ...]:
        """Everybody who is known, whoever was seen last first."""
        return self._read(self._shelf.read())

    def check(self, name: str, key: bytes) -> CheckedContact:
        """What to tell the user of somebody who would like to play. Changes nothing."""
        sight, text = _look(self.all, name, key)
        return CheckedContact(name, key, sight, text)

    def met(self, players: Iterable[tuple[str, bytes]], now: int) -> None:
        """Remember names and keys of those with whom a game was agreed, at this second."""
        seen = dict[bytes, str]()
        for name, key in players:
            try:
                refuse_bad_name(name, "the name of a player")
                refuse_weak_key(key)
            except DecodeError as error:
                raise BadParameter(f"not to be remembered: {error}") from None
            seen[key] = name

        def make(data: bytes | None) -> bytes:
            before = {met.key: met for met in self._read(data)}
            fresh = [Contact(key, name, before[key].first if key in before else now, now) for key, name in seen.items()]
            kept = [met for met in before.values() if met.key not in seen]
            return encode(SavedContacts(FORMAT, VERSION, tuple([*fresh, *kept][:PLAYERS_MAX])))

        self._shelf.change(make)

    def _read(self, data: bytes | None) -> tuple[Contact, ...]:
        if data is None:
            return ()
        try:
            return decode(SavedContacts, data, what=PLAYERS, limit=PLAYERS_BYTES_MAX).players
        except DecodeError as error:
            raise HomeUnusable(f"{self._shelf.where} is damaged: {error}; delete it to know nobody") from None


def _look(players: tuple[Contact, ...], name: str, key: bytes) -> tuple[KeyStatus, str]:
    by_key = next((met for met in players if met.key == key), None)
    same_name = [met for met in players if casefold_name(met.name) == casefold_name(name)]
    words = " ".join(key_words(key))
    if by_key is not None and by_key in same_name and len(same_name) > 1:
        return (
            KeyStatus.TWO_KEYS,
            f"{name} has a key that you know, and you know ANOTHER KEY of that name: one may have taken it. "
            f"Ask, and not here, whether the words of the key are: {words}",
        )
    if by_key is not None and by_key in same_name:
        return KeyStatus.KNOWN, f"{name} has the key that you know."
    if same_name:
        also = "" if by_key is None else f" You know this key as {by_key.name}'s."
        return (
            KeyStatus.OTHER_KEY,
            f"{name} has ANOTHER KEY than the {same_name[0].name} whom you know: another person, or another "
            f"computer.{also} Ask, and not here, whether the words of the key are: {words}",
        )
    if by_key is not None:
        return KeyStatus.RENAMED, f"{name} has the key that you know as {by_key.name}'s."
    return KeyStatus.NEW, f"{name} is new to you. The words of the key: {words}"


class ContactsRecorder:
    """At a table: remembers who plays there, and looks at whoever asks for a seat as one looks in the lobby."""

    def __init__(
        self, participant: Participant, known: Contacts, tell: Callable[[CheckedContact], None], now: Callable[[], int]
    ) -> None:
        self._participant = participant
        self._known = known
        self._tell = tell
        #: Seconds since 1970.
        self._now = now
        #: Who was remembered, and who asks for a seat and was looked at.
        self._met: set[tuple[str, bytes]] = set()
        self._looked: set[bytes] = set()

    def see(self) -> None:
        """Something has happened."""
        one = self._participant
        for asks in one.asking if one.sits else ():
            if asks.roster.digest not in self._looked:
                self._looked.add(asks.roster.digest)
                self._tell(self._known.check(asks.who.name, asks.who.key))
        if one.begun:
            self._remember()

    def _remember(self) -> None:
        """Those of this table, and whoever has got a seat since."""
        one = self._participant
        # Every timekeeper of this program has the same name, and each a key of its own.
        others = {
            (member.name, member.key)
            for member in one.members
            if member.key != one.home.identity.public and member.role != TIMEKEEPER
        }
        if new := others - self._met:
            self._met |= new
            self._known.met(sorted(new), self._now())
