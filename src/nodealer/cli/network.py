"""Tables on the network: opening, joining, watching and resuming one, from the lobby to the verified log."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from nodealer.audit.background import in_background
from nodealer.audit.report import Report
from nodealer.audit.verify import verify_file
from nodealer.cli import text as phrases
from nodealer.cli.display import Display
from nodealer.cli.front_end import create_ui
from nodealer.cli.identity_prompt import choose_name, load_contacts, me, unlock_identity
from nodealer.cli.output import err, escape_markup, print_line
from nodealer.cli.webpage import serve_guest_page
from nodealer.client.contacts import Contacts
from nodealer.client.entropy import system_entropy
from nodealer.client.events import LogVerified
from nodealer.client.folder_store import open_or_create_store
from nodealer.client.front_end import FrontEndGone
from nodealer.client.game_catalogue import create_folder_once, find_table
from nodealer.client.game_loader import load_game_or_none
from nodealer.client.host_relay import free_port, own_address, own_relay, parse_own_address
from nodealer.client.log_export import LogCopy, copy_log
from nodealer.client.narrator import game_summary
from nodealer.client.network_game import HostedTable, NetworkTable, play_on_network
from nodealer.client.pairing import PairingEnvironment, use_code
from nodealer.client.processes import run_processes
from nodealer.client.relay_transport import connect_here
from nodealer.client.setup import TableSetup
from nodealer.client.table_client import NOTICE_AFTER, ClientOptions, NameTaken
from nodealer.client.table_folders import (
    FORMAT,
    Hosted,
    TableFolder,
    TableRecord,
    create_table_folder,
    with_game_place,
    with_relays,
)
from nodealer.client.time_limits import KEEPER
from nodealer.client.timekeeper_process import TimekeeperConfig
from nodealer.client.ui import UI
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.resolve import refuse_without_asserts
from nodealer.engine.store import PlayerStore
from nodealer.errors import BadParameter, HomeUnusable
from nodealer.keys import Identity, host_mark
from nodealer.log.session import FORMAT_VERSION
from nodealer.relay.invitations import SECRET_BYTES, TABLE_BYTES, Invitation, normalize_relay_address, parse_link
from nodealer.relay.pairing import parse_code
from nodealer.relay.sealing import TableSecret

#: What a table on the network needs from this machine.
ENVIRONMENT: Final = PairingEnvironment(system_entropy, connect_here, time.monotonic)
#: After how many seconds a person at a terminal is told that the table waits for another person.
PEOPLE_THINK: Final = 20.0


@dataclass(frozen=True)
class User:
    """The user of this machine at tables on the network. Without a key they can only watch."""

    identity: Identity | None
    contacts: Contacts


@dataclass(frozen=True)
class Presence:
    """The user's part at a table: the display, and the one who decides."""

    at: Display = Display.TERMINAL
    #: Whether a program decides, which reads JSON; and whether a bot decides.
    json: bool = False
    auto: bool = False
    #: Whether to ask for a seat if the game has already begun.
    ask: bool = False


def _player() -> User:
    """Return the user as a player. Ask for the passphrase of their key, if it has one."""
    return User(unlock_identity(me()), load_contacts())


# --- To open one ---


def host_table(
    setup: TableSetup,
    *,
    relays: Sequence[str],
    listen: str | None,
    name: str | None,
    presence: Presence,
    log: Path | None,
    code: bool = False,
    timekeeper: bool = False,
    page: str = "",
    page_folder: str | None = None,
) -> int:
    """Open a table, invite others and play there. Return the exit code."""
    refuse_without_asserts()
    _refuse_without_player(phrases.NEEDS_PLAYER, presence)
    called, user = choose_name(name), _player()
    if listen is not None:
        parse_own_address(listen)
    own = None if relays else listen or f"{own_address()}:{free_port()}"
    addresses = tuple(normalize_relay_address(url) for url in relays) or (normalize_relay_address(f"ws://{own}"),)
    if user.identity is None:
        raise BadParameter(phrases.HOST_NEEDS_KEY)
    secret = TableSecret(system_entropy(SECRET_BYTES), system_entropy(TABLE_BYTES).hex(), 0)
    invitation = Invitation(addresses, secret, host_mark(user.identity.public), page)
    hosted = Hosted.from_setup(setup, listen=own, invites_keeper=timekeeper, page_folder=page_folder)
    with ExitStack() as stack:
        copies = [] if log is None else [stack.enter_context(LogCopy.new(log.absolute()))]
        record = _table_record(called, invitation.link, setup.place, hosted, auto=presence.auto, log=log)
        return _play(Visit(create_table_folder(record), user, presence, copies, code=code))


# --- To come to one ---


def _refuse_without_player(refusal: str, presence: Presence) -> None:
    """Raise `BadParameter` if neither a bot, a program nor a page plays, and no one can type at a terminal."""
    if not (presence.auto or presence.json or presence.at is not Display.TERMINAL or sys.stdin.isatty()):
        raise BadParameter(refusal)


def _is_code(text: str) -> bool:
    """Return whether an invitation is a pairing code and not a link."""
    return text.strip().replace("-", " ").partition(" ")[0].isdecimal()


def _read_invitation(text: str, relay: str | None, name: str | None) -> tuple[Invitation, User | None]:
    """Read a link or a pairing code. With a code, the host already knows who comes, so the user is returned too."""
    if not _is_code(text):
        return parse_link(text), None
    code = parse_code(text)
    if relay is None:
        raise BadParameter(phrases.CODE_NEEDS_RELAY)
    called, user = choose_name(name), _player()
    if user.identity is None:
        raise BadParameter(phrases.GUEST_NEEDS_KEY)
    return asyncio.run(use_code(code, normalize_relay_address(relay), user.identity, called, ENVIRONMENT)), user


def join_table(
    text: str, *, relay: str | None, name: str | None, game: str | None, presence: Presence, log: Path | None
) -> int:
    """Join a table, or continue at one where the user sat before. Return the exit code."""
    refuse_without_asserts()
    if _is_code(text):
        # Before the code is used up.
        _refuse_without_player(phrases.NEEDS_PLAYER, presence)
    invitation, unlocked = _read_invitation(text, relay, name)
    invitation.table_secret()
    before = find_table(invitation, name)
    if before is not None:
        before.save_later_link(invitation)
        table = with_relays(before, invitation)
        if game is not None:
            table = with_game_place(table, game, _folder_of(game))
        return resume_table(table, presence)
    _refuse_without_player(phrases.NEEDS_PLAYER, presence)
    called, user = choose_name(name), unlocked or _player()
    return _join(_table_record(called, invitation.link, game, None, auto=presence.auto, log=log), user, presence, log)


def watch_table(invitation: Invitation, *, game: str | None, presence: Presence, log: Path | None) -> int:
    """Watch a table. Return the exit code."""
    refuse_without_asserts()
    record = _table_record(None, invitation.for_spectators().link, game, None, auto=False, log=log)
    return _join(record, User(None, load_contacts()), presence, log)


def _join(record: TableRecord, user: User, presence: Presence, log: Path | None) -> int:
    """Create the folder of a table and play or watch there. Return the exit code."""
    with ExitStack() as stack:
        copies = [] if log is None else [stack.enter_context(LogCopy.new(log.absolute()))]
        return _play(Visit(create_folder_once(record), user, presence, copies))


def _table_record(
    name: str | None, link: str, place: str | None, hosted: Hosted | None, *, auto: bool, log: Path | None
) -> TableRecord:
    """Return the record of a table that is saved before the user goes there."""
    return TableRecord(
        format=FORMAT,
        version=FORMAT_VERSION,
        begun=int(time.time()),
        name=name,
        link=link,
        place=place,
        folder=None if place is None else _folder_of(place),
        hosted=hosted,
        auto=auto,
        log=None if log is None else str(log.absolute()),
    )


def _folder_of(place: str) -> str | None:
    """Return the current folder if `place` is `module:attribute`, which is imported from there.

    Return None for an installed game.
    """
    return str(Path.cwd()) if ":" in place else None


# --- To come back ---


def resume_table(table: TableFolder, presence: Presence) -> int:
    """Continue at a saved table with the same cards. Return the exit code."""
    record = table.record
    if (ended := table.ended) is not None:
        raise BadParameter(phrases.has_ended(table.name, ended.verdict, table.log))
    if table.in_use:
        raise BadParameter(phrases.already_here_in(table.name))
    if record.auto or presence.auto:
        presence = replace(presence, auto=True, at=Display.TERMINAL)
    if record.name is not None:
        _refuse_without_player(phrases.needs_player(record.name), presence)
    if record.folder is not None and str(Path.cwd()) != record.folder:
        # Another folder may have a different file of that name.
        raise BadParameter(phrases.resume_elsewhere(record.place, record.folder))
    user = User(None, load_contacts()) if record.name is None else _player()
    with ExitStack() as stack:
        copies = [] if record.log is None else [stack.enter_context(LogCopy.again(Path(record.log)))]
        if record.hosted is not None:
            stack.enter_context(serve_guest_page(record.hosted.page_folder, table.invitation.page))
        return _play(Visit(table, user, presence, copies))


# --- From the lobby to the verified log ---


@dataclass(frozen=True)
class Visit:
    """One user at one table, as long as this program runs."""

    table: TableFolder
    user: User
    presence: Presence
    copies: Sequence[LogCopy] = ()
    #: Whether a host issues a pairing code at once.
    code: bool = False

    @property
    def by_person(self) -> bool:
        """Return whether a person plays, at the keyboard or on a page."""
        return self.table.record.name is not None and not (self.presence.auto or self.presence.json)

    @property
    def on_page(self) -> bool:
        """Return whether the table is shown on a page."""
        return self.presence.at is not Display.TERMINAL

    @property
    def decides_as(self) -> str | None:
        """Return the name of the player who decides through the front end; None for bots and spectators."""
        return None if self.presence.auto else self.table.record.name

    @property
    def log(self) -> Path:
        """Return the log that the person asked for, or the one in the folder if that can no longer be written."""
        incomplete = any(copy.left is not None for copy in self.copies)
        return self.table.kept_log if incomplete else self.table.log

    def options(self, ui: UI) -> ClientOptions:
        """Return how the client treats the table."""
        return ClientOptions(
            asks_for_seat=self.presence.ask,
            shows_words=True,
            notice_after=PEOPLE_THINK if self.by_person and not self.on_page else NOTICE_AFTER,
            on_log=partial(copy_log, self.copies, self.table.kept_log, ui.show),
        )

    def network_table(self) -> NetworkTable:
        """Return the table, and how this user takes part in it."""
        table, record = self.table, self.table.record
        game, hosted = load_game_or_none(record.place), None
        if record.hosted is not None and record.place is not None and game is not None:
            hosted = HostedTable(
                record.hosted.setup(game, record.place),
                self._own_keeper_key(record.hosted),
                invites_keeper=record.hosted.invites_keeper,
                shows_links=not table.names,
                issues_code=self.code,
            )
        return NetworkTable(
            table.invitation,
            table.relays,
            table.later_keys,
            game,
            hosted,
            by_person=self.by_person,
            by_bot=self.presence.auto,
            store_name=str(table.folder),
        )

    def _own_keeper_key(self, hosted: Hosted) -> bytes | None:
        """Return the key of the host's own timekeeper, so that no one else's offer is mistaken for it."""
        if not hosted.keeps_time:
            return None
        # A timekeeper that has outlived its host is already running.
        with suppress(HomeUnusable), open_or_create_store(self.table.keeper, KEEPER, system_entropy) as store:
            return store.identity.public
        return None

    async def take_part(self, ui_for: Callable[[PlayerStore], UI]) -> Participant:
        """Take part until nothing more comes from this seat, with the host's own relay and timekeeper around it."""
        table, network_table = self.table, self.network_table()
        async with _own_services(table):
            with open_or_create_store(table.home, table.record.name, system_entropy, self.user.identity) as store:
                ui = ui_for(store)
                return await play_on_network(
                    network_table,
                    store,
                    ui,
                    self.user.contacts,
                    ENVIRONMENT,
                    self.options(ui),
                    check_runner=in_background,
                )

    def end(self, participant: Participant, report: Report) -> int:
        """Save the verdict if the game has ended, and return the exit code."""
        if participant.replica.state.phase is Phase.ENDED:
            self.table.end(report.verdict, len(report.chronicle.records))
        return report.exit_code


@asynccontextmanager
async def _own_services(table: TableFolder) -> AsyncIterator[None]:
    """Run the host's own relay and timekeeper, if there are any, until the others have received every frame."""
    record, invitation, hosted = table.record, table.invitation, table.record.hosted
    async with AsyncExitStack() as stack:
        if hosted is not None and hosted.listen is not None:
            relay = own_relay(table.store, hosted.listen, invitation.table, system_entropy, again=bool(table.names))
            await stack.enter_async_context(relay)
        if hosted is not None and hosted.keeps_time:
            config = TimekeeperConfig(
                record.link, invitation.table, table.relays, KEEPER, record.place, str(table.keeper)
            )
            await stack.enter_async_context(run_processes({table.keeper.with_suffix(".txt"): config}))
        yield


def _play(visit: Visit) -> int:
    """Play or watch at a table, verify the log, and return the exit code. If it is interrupted, say how to resume."""
    try:
        return asyncio.run(_play_on_page(visit)) if visit.on_page else _play_in_terminal(visit)
    except NameTaken as taken:
        raise BadParameter(phrases.name_refused(taken)) from None
    except (FrontEndGone, KeyboardInterrupt):
        table, hosted = visit.table, visit.table.record.hosted
        log = None if table.agreed is None else escape_markup(table.log)
        has_relay = hosted is not None and hosted.listen is not None
        print_line(err(), phrases.table_interrupted(table.name, log, own_relay=has_relay))
        raise


def _play_in_terminal(visit: Visit) -> int:
    """Play in this terminal, or for a program, and show the verified log. Return the exit code."""
    ui = create_ui(json=visit.presence.json, name=visit.decides_as, network=True)
    started = time.perf_counter()
    participant = asyncio.run(visit.take_part(lambda store: ui))
    ui.show(game_summary(participant.replica, time.perf_counter() - started))
    report = verify_file(visit.log, entropy=system_entropy, game=participant.replica.config.package)
    code = visit.end(participant, report)
    ui.show(LogVerified(str(visit.log), report))
    return code


async def _play_on_page(visit: Visit) -> int:
    """Play on a page and verify the log there. Return the exit code once the person has closed the page."""
    from nodealer.cli.page import serve_page  # late: a terminal should not wait for a server
    from nodealer.web.controller import PageController

    controller, name = PageController(system_entropy), visit.table.record.name
    game = load_game_or_none(visit.table.record.place)
    role = "watcher" if name is None else "player"
    start = partial(controller.start, role, name, network=True, log=visit.table.kept_log, game=game)
    start()
    async with serve_page(controller, visit.presence.at):
        participant = await visit.take_part(lambda store: start(store=store))
        report = await controller.verify(visit.log)
        code = 0 if report is None else visit.end(participant, report)
        controller.end(again=False)
        await controller.until_left()
        return code
