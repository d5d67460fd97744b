"""Tables across the network that this user sits at, or watches: a folder each, among the kept games.

table.json  the invitation, who one is there, and for a host what is played; only the relays in it may change, and for
            a guest where the game is found. It lets in whoever reads it
link.txt    a link of a later key, for who was not there when the table got it
seat        the home: key, root, journal, lobby and log
clock       the home of the host's own timekeeper, and in clock.txt what its program had to complain about
relay.db    where the host's own relay keeps the table, if it runs one
ended.json  how the log was verified, once the game has ended
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

import msgspec

from nodealer.cli import text as phrases
from nodealer.cli.saved_games import ENDED, Ended, fresh_folder, is_file, reached_in, read_kept
from nodealer.client.durable_files import disk_errors, write_atomically
from nodealer.client.folder_store import HOME, LOG, is_in_use
from nodealer.errors import DecodeError, HomeUnusable
from nodealer.log.session import Label, Limits, Proposal, read_session
from nodealer.relay.invitations import RELAYS_MAX, TEXT_CHARACTERS_MAX, Invitation, parse_link
from nodealer.relay.sealing import ReadKey, TableSecret
from nodealer.wire import MESSAGE_BYTES_MAX, Message, Natural, encode

FORMAT: Final = "nodealer-table"
TABLE: Final = "table.json"
LATER: Final = "link.txt"
#: How many links of later keys are kept: the last ones.
LATER_MAX: Final = 8


class Hosted(Message, frozen=True):
    """What a host has come to play with others."""

    #: What was set for the game, as the person typed it.
    settings: tuple[tuple[str, str], ...]
    protocol: str
    #: The parameters of the protocol, as canonical JSON.
    parameters: str
    seats: int
    hands: int
    #: Where the host's own relay listens; None where the table is at another one.
    listen: str | None
    #: The limits of time, where somebody may keep it, and whether the host brings who does.
    clock: Limits | None = None
    keeps_time: bool = False
    #: Whether the host has asked somebody else to keep it.
    invites_keeper: bool = False
    #: The folder of the page that the host's machine serves to guests; its address is in the link.
    page_folder: str | None = None


class KeptTable(Message, frozen=True):
    """What table.json says."""

    format: Literal["nodealer-table"]
    version: Label
    #: Seconds since 1970.
    begun: Natural
    #: None for one who only watches.
    name: str | None
    link: str
    #: Where the game is found; None for the installed one that is proposed.
    place: str | None
    #: The folder in which a game that is not installed was found.
    folder: str | None
    hosted: Hosted | None
    #: Whether a bot plays.
    auto: bool
    #: Where the person wants the log, beside this folder.
    log: str | None

    def __repr__(self) -> str:
        return "<KeptTable>"


@dataclass(frozen=True)
class TableFolder:
    """A table in its folder."""

    folder: Path
    what: KeptTable

    @property
    def name(self) -> str:
        """What the person calls it."""
        return self.folder.name

    @property
    def invitation(self) -> Invitation:
        """How one comes to it."""
        return parse_link(self.what.link)

    @property
    def later_keys(self) -> tuple[TableSecret | ReadKey, ...]:
        """What the links have that came later."""
        return tuple(link.key for link in self._later_links)

    @property
    def _later_links(self) -> list[Invitation]:
        path = self.folder / LATER
        if not is_file(path):
            return []
        with disk_errors(path), path.open("rb") as file:
            text = file.read(LATER_MAX * (TEXT_CHARACTERS_MAX + 1)).decode(errors="replace")
        try:
            return [parse_link(line) for line in text.splitlines()]
        except DecodeError as error:
            raise HomeUnusable(phrases.damaged(path, error)) from None

    def keep_later(self, invitation: Invitation) -> None:
        """Keep a link of a later key than the one that one came by, beside those of other keys: nothing here says which
        of them somebody has made up."""
        if invitation.key.epoch > self.invitation.key.epoch:
            others = (link for link in self._later_links if link.key.epoch != invitation.key.epoch)
            links = [link.link for link in (*others, invitation)]
            write_atomically(self.folder / LATER, "\n".join(links[-LATER_MAX:]).encode())

    @property
    def home(self) -> Path:
        """The home of this user there."""
        return self.folder / "seat"

    @property
    def keeper(self) -> Path:
        """The home of the host's own timekeeper."""
        return self.folder / "clock"

    @property
    def store(self) -> Path:
        """What the host's own relay writes."""
        return self.folder / "relay.db"

    @property
    def kept_log(self) -> Path:
        """The log as it is kept here."""
        return self.home / LOG

    @property
    def log(self) -> Path:
        """The log as the person knows it."""
        return self.kept_log if self.what.log is None else Path(self.what.log)

    @property
    def in_use(self) -> bool:
        """Whether this user plays it now."""
        return is_file(self.home / HOME) and is_in_use(self.home)

    @property
    def ended(self) -> Ended | None:
        """How it was verified, if it has ended."""
        path = self.folder / ENDED
        return read_kept(Ended, path) if is_file(path) else None

    def end(self, verdict: str, hands: int) -> None:
        """It has ended, and this was found."""
        write_atomically(self.folder / ENDED, encode(Ended(verdict, hands)))

    @property
    def agreed(self) -> Proposal | None:
        """What the players have agreed to play, as the log has it; None before they have."""
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
        """Who played there at the beginning: whoever keeps the time does not."""
        agreed = self.agreed
        return () if agreed is None else tuple(agreed.roster.member(seat).name for seat in agreed.roster.with_cards)

    @property
    def reached(self) -> int | None:
        """The hand that was played last, from 0; None before the first entry."""
        return reached_in(self.kept_log)


def keep_table(what: KeptTable) -> TableFolder:
    """A folder for a table that this user has not been at."""
    folder = fresh_folder(what.begun)
    write_atomically(folder / TABLE, encode(what))
    return TableFolder(folder, what)


def moved_to(table: TableFolder, invitation: Invitation) -> TableFolder:
    """The same table at the relays that a newer link of its host names: they may have moved since. Those of a link with
    another key, which may be anybody's, come behind the ones that are known."""
    known, relays = table.invitation, invitation.relays
    if known.key.epoch != invitation.key.epoch:
        relays = tuple(dict.fromkeys((*known.relays, *relays)))[:RELAYS_MAX]
    if table.what.hosted is not None or table.in_use or known.relays == relays:
        return table
    what = msgspec.structs.replace(table.what, link=replace(known, relays=relays).link)
    write_atomically(table.folder / TABLE, encode(what))
    return TableFolder(table.folder, what)


def found_at(table: TableFolder, place: str, folder: str | None) -> TableFolder:
    """The same table, with the game where its guest says now that it is: who came without it, or with another one, was
    told to say so."""
    if table.what.hosted is not None or table.in_use:
        return table
    what = msgspec.structs.replace(table.what, place=place, folder=folder)
    write_atomically(table.folder / TABLE, encode(what))
    return TableFolder(table.folder, what)
