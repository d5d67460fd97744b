"""The players whom a user has met: their keys and names. Anyone can use any name, but no one can copy a key.

players.json   for each player the key, the name, and when they were first and last seen
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Final, Literal, Protocol

import msgspec

from nodealer.client.events import CheckedContact, KeyStatus
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
#: When the list is full, the players who were not seen for the longest time are dropped first.
PLAYERS_MAX: Final = 1000
PLAYERS_BYTES_MAX: Final = 400 * PLAYERS_MAX


class Contact(Message, frozen=True):
    """One known player."""

    key: Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]
    #: The name they used most recently.
    name: str
    #: Seconds since 1970.
    first: Natural
    last: Natural


class SavedContacts(Message, frozen=True):
    """The contents of players.json."""

    format: Literal["nodealer-players"]
    version: Literal[1]
    players: tuple[Contact, ...]


class ContactsFile(Protocol):
    """A small file that holds the contacts. Readers see all of it or none of it."""

    @property
    def location(self) -> str:
        """Return how to name the file to a person."""

    def read(self) -> bytes | None:
        """Return the contents, or None if the file does not exist; at most one byte more than the size limit."""

    def change(self, make: Callable[[bytes | None], bytes]) -> None:
        """Replace the contents with `make(old contents)`, under a lock that keeps other programs from changing them."""


class Contacts:
    """The players known to one user."""

    def __init__(self, file: ContactsFile) -> None:
        """Use the contacts in this file."""
        self._file = file

    @property
    def all(self) -> tuple[Contact, ...]:
        """Return all known players, the most recently seen first."""
        return self._read(self._file.read())

    def check(self, name: str, key: bytes) -> CheckedContact:
        """Compare a player with the known ones. Does not change anything."""
        status, text = _classify(self.all, name, key)
        return CheckedContact(name, key, status, text)

    def remember(self, players: Iterable[tuple[str, bytes]], now: int) -> None:
        """Save the names and keys of players with whom a game was agreed at second `now`."""
        seen = dict[bytes, str]()
        for name, key in players:
            try:
                refuse_bad_name(name, "the name of a player")
                refuse_weak_key(key)
            except DecodeError as error:
                raise BadParameter(f"cannot remember this player: {error}") from None
            seen[key] = name

        def make(data: bytes | None) -> bytes:
            """Return the file's new content: the players just seen first, then as many earlier ones as fit."""
            before = {met.key: met for met in self._read(data)}
            fresh = [Contact(key, name, before[key].first if key in before else now, now) for key, name in seen.items()]
            kept = [met for met in before.values() if met.key not in seen]
            return encode(SavedContacts(FORMAT, VERSION, tuple([*fresh, *kept][:PLAYERS_MAX])))

        self._file.change(make)

    def _read(self, data: bytes | None) -> tuple[Contact, ...]:
        """Parse the file's contents. Raise `HomeUnusable` if it is damaged."""
        if data is None:
            return ()
        try:
            return decode(SavedContacts, data, what=PLAYERS, limit=PLAYERS_BYTES_MAX).players
        except DecodeError as error:
            raise HomeUnusable(f"{self._file.location} is damaged: {error}; delete it to start over") from None


def _classify(players: tuple[Contact, ...], name: str, key: bytes) -> tuple[KeyStatus, str]:
    """Return a player's status among the known players, and a sentence about it for the user."""
    by_key = next((met for met in players if met.key == key), None)
    same_name = [met for met in players if casefold_name(met.name) == casefold_name(name)]
    words = " ".join(key_words(key))
    if by_key is not None and by_key in same_name and len(same_name) > 1:
        return (
            KeyStatus.TWO_KEYS,
            f"{name} has a key that you know, but you also know ANOTHER KEY with that name: one may be an impostor's. "
            f"Ask them, outside this program, whether the words of their key are: {words}",
        )
    if by_key is not None and by_key in same_name:
        return KeyStatus.KNOWN, f"{name} has the key that you know."
    if same_name:
        also = "" if by_key is None else f" You know this key as {by_key.name}'s."
        return (
            KeyStatus.OTHER_KEY,
            f"{name} has ANOTHER KEY than the {same_name[0].name} you know: they may be another person, or use another "
            f"computer.{also} Ask them, outside this program, whether the words of their key are: {words}",
        )
    if by_key is not None:
        return KeyStatus.RENAMED, f"{name} has the key that you know as {by_key.name}'s."
    return KeyStatus.NEW, f"{name} is new to you. The words of their key: {words}"


class ContactsRecorder:
    """Remembers the players at a table, and checks each player who asks for a seat as the lobby does."""

    def __init__(
        self, participant: Participant, known: Contacts, emit: Callable[[CheckedContact], None], now: Callable[[], int]
    ) -> None:
        """Record the players of this participant's table.

        `emit` gets each checked player; `now` returns seconds since 1970.
        """
        self._participant = participant
        self._known = known
        self._emit = emit
        #: Seconds since 1970.
        self._now = now
        #: The players saved so far, and the seat requests that were checked.
        self._remembered: set[tuple[str, bytes]] = set()
        self._checked: set[bytes] = set()

    def update(self) -> None:
        """Process new seat requests and new players; call this after every event."""
        participant = self._participant
        for asks in participant.seat_requests if participant.is_in_roster else ():
            if asks.roster.digest not in self._checked:
                self._checked.add(asks.roster.digest)
                self._emit(self._known.check(asks.who.name, asks.who.key))
        if participant.has_session:
            self._remember()

    def _remember(self) -> None:
        """Save the players of this table who are not saved yet."""
        participant = self._participant
        # All timekeepers of this program share one name, but each has its own key.
        others = {
            (member.name, member.key)
            for member in participant.members
            if member.key != participant.store.identity.public and member.role != TIMEKEEPER
        }
        if new := others - self._remembered:
            self._remembered |= new
            self._known.remember(sorted(new), self._now())
