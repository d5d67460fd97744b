"""Tables on the network at which this user plays or watches: a folder each, among the saved games.

table.json  the invitation, the user's name there, and for a host what is played. Only the relays in it may change, and
            for a guest the place of the game. Anyone who can read it can enter the table
link.txt    links with later keys, for a user who was away when the table got them
seat        the home: key, root, journal, lobby and log
clock       the home of the host's own timekeeper; clock.txt has the standard error of its program
relay.db    the store of the host's own relay, if there is one
ended.json  the verdict, once the game has ended
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import msgspec

from nodealer.client.durable_files import disk_errors, write_atomically
from nodealer.client.folder_store import HOME, LOG, is_in_use
from nodealer.client.saved_games import GameFolder, create_folder, is_file
from nodealer.client.setup import TableSetup, table_setup
from nodealer.errors import DecodeError, HomeUnusable
from nodealer.games.package import GamePackage
from nodealer.log.session import Label, Limits, Proposal, read_session
from nodealer.relay.invitations import RELAYS_MAX, TEXT_CHARACTERS_MAX, Invitation, parse_link
from nodealer.relay.sealing import ReadKey, TableSecret
from nodealer.wire import MESSAGE_BYTES_MAX, Message, Natural, encode

FORMAT: Final = "nodealer-table"
TABLE: Final = "table.json"
LATER: Final = "link.txt"
#: How many links with later keys are kept: the last ones.
LATER_MAX: Final = 8


class Hosted(Message, frozen=True):
    """The game that a host wants to play."""

    #: The settings of the game, as the person typed them.
    settings: tuple[tuple[str, str], ...]
    protocol: str
    #: The parameters of the protocol, as canonical JSON.
    parameters: str
    seats: int
    hands: int
    #: The address of the host's own relay; None if the table uses another one.
    listen: str | None
    #: The time limits, if there is a clock, and whether the host provides the timekeeper.
    clock: Limits | None = None
    keeps_time: bool = False
    #: Whether the host waits for an independent timekeeper.
    invites_keeper: bool = False
    #: The folder of the page that the host's machine serves to guests; its address is in the link.
    page_folder: str | None = None

    @classmethod
    def from_setup(
        cls,
        setup: TableSetup,
        *,
        listen: str | None = None,
        invites_keeper: bool = False,
        page_folder: str | None = None,
    ) -> Hosted:
        """Return the record of a table that a host opens."""
        return cls(
            settings=tuple(sorted(setup.settings.items())),
            protocol=setup.protocol.claims.name,
            parameters=setup.protocol.parameters.decode(),
            seats=setup.seats,
            hands=setup.hands,
            listen=listen,
            clock=setup.clock,
            # With two seats it must not run on the machine of one of the two.
            keeps_time=setup.clock is not None and setup.seats > 2 and not invites_keeper,
            invites_keeper=invites_keeper,
            page_folder=page_folder,
        )

    def setup(self, game: GamePackage, place: str) -> TableSetup:
        """Return the setup of this table, whose game was found at `place`. Raise `BadParameter` if it has changed."""
        return table_setup(
            game,
            game.settled(dict(self.settings)),
            place=place,
            protocol=self.protocol,
            parameters=self.parameters.encode(),
            seats=self.seats,
            hands=self.hands,
            clock=self.clock,
        )


class TableRecord(Message, frozen=True):
    """The contents of table.json."""

    format: Literal["nodealer-table"]
    version: Label
    #: Seconds since 1970.
    begun: Natural
    #: None for a spectator.
    name: str | None
    link: str
    #: Where the game is found; None for the installed one that is proposed.
    place: str | None
    #: The folder in which a game that is not installed was found.
    folder: str | None
    hosted: Hosted | None
    #: Whether a bot plays.
    auto: bool
    #: The file to which the person wants the log copied.
    log: str | None

    def __repr__(self) -> str:
        """Leave out all fields: the link contains the table's secret."""
        return "<TableRecord>"


@dataclass(frozen=True)
class TableFolder(GameFolder):
    """A saved table in its folder."""

    record: TableRecord

    @property
    def invitation(self) -> Invitation:
        """Return the invitation by which the user came."""
        return parse_link(self.record.link)

    @property
    def relays(self) -> tuple[str, ...]:
        """Return the addresses of the table's relays as seen from this machine, where a host's own relay is."""
        hosted = self.record.hosted
        if hosted is None or hosted.listen is None:
            return self.invitation.relays
        return (f"ws://127.0.0.1:{hosted.listen.rpartition(':')[2]}",)

    @property
    def later_keys(self) -> tuple[TableSecret | ReadKey, ...]:
        """Return the keys of links that came later."""
        return tuple(link.key for link in self._later_links)

    @property
    def _later_links(self) -> list[Invitation]:
        """Return the links with later keys. Raises `HomeUnusable`."""
        path = self.folder / LATER
        if not is_file(path):
            return []
        with disk_errors(path), path.open("rb") as file:
            text = file.read(LATER_MAX * (TEXT_CHARACTERS_MAX + 1)).decode(errors="replace")
        try:
            return [parse_link(line) for line in text.splitlines()]
        except DecodeError as error:
            raise HomeUnusable(f"{path} is damaged: {error}") from None

    def save_later_link(self, invitation: Invitation) -> None:
        """Save a link with a later key than the user's own, beside those with other keys.

        Nothing here shows which of them is forged.
        """
        if invitation.key.epoch > self.invitation.key.epoch:
            others = (link for link in self._later_links if link.key.epoch != invitation.key.epoch)
            links = [link.link for link in (*others, invitation)]
            write_atomically(self.folder / LATER, "\n".join(links[-LATER_MAX:]).encode())

    @property
    def home(self) -> Path:
        """Return the user's home at this table."""
        return self.folder / "seat"

    @property
    def keeper(self) -> Path:
        """Return the home of the host's own timekeeper."""
        return self.folder / "clock"

    @property
    def store(self) -> Path:
        """Return the file of the host's own relay."""
        return self.folder / "relay.db"

    @property
    def kept_log(self) -> Path:
        """Return the log in this folder."""
        return self.home / LOG

    @property
    def log(self) -> Path:
        """Return the log that the person asked for, or the one in this folder."""
        return self.kept_log if self.record.log is None else Path(self.record.log)

    @property
    def in_use(self) -> bool:
        """Return whether this user is at the table now."""
        return is_file(self.home / HOME) and is_in_use(self.home)

    @property
    def agreed(self) -> Proposal | None:
        """Return what the players agreed to play, from the log, or None before that."""
        if not is_file(self.kept_log):
            return None
        with disk_errors(self.kept_log), self.kept_log.open("rb") as file:
            first = file.readline(2 * MESSAGE_BYTES_MAX)
        try:
            return read_session(first.rstrip(b"\n")).proposal
        except DecodeError:
            return None

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the first players, without the timekeeper."""
        agreed = self.agreed
        return () if agreed is None else tuple(agreed.roster.member(seat).name for seat in agreed.roster.with_cards)


def create_table_folder(record: TableRecord) -> TableFolder:
    """Create the folder of a table that is new for this user."""
    folder = create_folder(record.begun)
    write_atomically(folder / TABLE, encode(record))
    return TableFolder(folder, record)


def with_relays(table: TableFolder, invitation: Invitation) -> TableFolder:
    """Return the table with the relays of a newer link from its host, in case they have moved.

    Relays of a link with another key, which anyone may have made, come after the known ones.
    """
    known, relays = table.invitation, invitation.relays
    if known.key.epoch != invitation.key.epoch:
        relays = tuple(dict.fromkeys((*known.relays, *relays)))[:RELAYS_MAX]
    if table.record.hosted is not None or table.in_use or known.relays == relays:
        return table
    record = msgspec.structs.replace(table.record, link=replace(known, relays=relays).link)
    write_atomically(table.folder / TABLE, encode(record))
    return TableFolder(table.folder, record)


def with_game_place(table: TableFolder, place: str, folder: str | None) -> TableFolder:
    """Return the table with the location of its game as the guest gives it now.

    An earlier error asked for it, if the guest joined without the game or with a wrong one.
    """
    if table.record.hosted is not None or table.in_use:
        return table
    record = msgspec.structs.replace(table.record, place=place, folder=folder)
    write_atomically(table.folder / TABLE, encode(record))
    return TableFolder(table.folder, record)
