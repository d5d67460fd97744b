"""Players whom a user has met: their keys, and what they were called. Names can be taken by anybody, keys cannot.

players.json   of each player the key, the name, and when it was seen first and last
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from nodealer.drive.files import FOLDER_MODE, alone, disk, write_whole
from nodealer.errors import BadParameter, DecodeError, HomeUnusable
from nodealer.keys import KEY_BYTES, refuse_weak_key
from nodealer.log.names import folded, refuse_bad_name
from nodealer.wire import Message, Natural, decode, encode
from nodealer.words import key_words

FORMAT: Final = "nodealer-players"
VERSION: Final = 1
PLAYERS: Final = "players.json"
#: Whoever was not seen for the longest time is forgotten first.
PLAYERS_MAX: Final = 1000
PLAYERS_BYTES_MAX: Final = 400 * PLAYERS_MAX


class Met(Message, frozen=True):
    """A player."""

    key: Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]
    #: What it was called last.
    name: str
    #: Seconds since 1970.
    first: Natural
    last: Natural


class Saved(Message, frozen=True):
    """What players.json says."""

    format: Literal["nodealer-players"]
    version: Literal[1]
    players: tuple[Met, ...]


class Sight(Enum):
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
class Look:
    """What is to be said of a player, and how it stands to those who are known."""

    sight: Sight
    text: str


class KnownPlayers:
    """Those in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def all(self) -> tuple[Met, ...]:
        """Everybody who is known, whoever was seen last first."""
        return self._read()

    def look(self, name: str, key: bytes) -> Look:
        """What to tell the user of somebody who would like to play. Changes nothing."""
        players = self._read()
        by_key = next((met for met in players if met.key == key), None)
        same_name = [met for met in players if folded(met.name) == folded(name)]
        words = " ".join(key_words(key))
        if by_key is not None and by_key in same_name and len(same_name) > 1:
            return Look(
                Sight.TWO_KEYS,
                f"{name} has a key that you know, and you know ANOTHER KEY of that name: one may have taken it. "
                f"Ask, and not here, whether the words of the key are: {words}",
            )
        if by_key is not None and by_key in same_name:
            return Look(Sight.KNOWN, f"{name} has the key that you know.")
        if same_name:
            also = "" if by_key is None else f" You know this key as {by_key.name}'s."
            return Look(
                Sight.OTHER_KEY,
                f"{name} has ANOTHER KEY than the {same_name[0].name} whom you know: another person, or another "
                f"computer.{also} Ask, and not here, whether the words of the key are: {words}",
            )
        if by_key is not None:
            return Look(Sight.RENAMED, f"{name} has the key that you know as {by_key.name}'s.")
        return Look(Sight.NEW, f"{name} is new to you. The words of the key: {words}")

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
        with disk(self._folder):
            self._folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        with alone(self._folder):
            before = {met.key: met for met in self._read()}
            fresh = [Met(key, name, before[key].first if key in before else now, now) for key, name in seen.items()]
            kept = [met for met in before.values() if met.key not in seen]
            saved = Saved(FORMAT, VERSION, tuple([*fresh, *kept][:PLAYERS_MAX]))
            write_whole(self._folder / PLAYERS, encode(saved))

    def _read(self) -> tuple[Met, ...]:
        path = self._folder / PLAYERS
        with disk(path):
            try:
                with path.open("rb") as file:
                    data = file.read(PLAYERS_BYTES_MAX + 1)
            except FileNotFoundError:
                return ()
        try:
            saved = decode(Saved, data, what=PLAYERS, limit=PLAYERS_BYTES_MAX)
        except DecodeError as error:
            raise HomeUnusable(f"{path} is damaged: {error}; delete it to know nobody") from None
        return saved.players
