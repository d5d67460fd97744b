"""Tables on the network: opening, joining, watching and resuming one."""

from __future__ import annotations

import asyncio
import shlex
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack, suppress
from pathlib import Path
from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.bots import bots
from nodealer.cli.browser_table import create_screen
from nodealer.cli.display import Display
from nodealer.cli.line_input import LineReader
from nodealer.cli.network_seat import Sitting, play_and_verify, take_part
from nodealer.cli.output import escape_markup
from nodealer.cli.plan import PlayPlan, create_plan
from nodealer.cli.qr import print_qr
from nodealer.cli.screen import Screen
from nodealer.cli.timekeeper_process import TimekeeperConfig
from nodealer.cli.user import User, choose_name, player, watcher
from nodealer.cli.webpage import serve_guest_page
from nodealer.client.address import parse_address
from nodealer.client.entropy import system_entropy
from nodealer.client.events import TableLinks
from nodealer.client.folder_store import open_or_create_store
from nodealer.client.game_catalogue import create_folder_once, find_table
from nodealer.client.game_loader import load_game
from nodealer.client.host_relay import free_port, own_address, own_relay
from nodealer.client.lobby import Hosting
from nodealer.client.log_export import LogCopy
from nodealer.client.pairing import PairingCodes, PairingEnvironment, use_code
from nodealer.client.relay_transport import connect_here
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
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import refuse_without_asserts
from nodealer.errors import BadParameter, HomeUnusable
from nodealer.keys import host_mark
from nodealer.log.session import FORMAT_VERSION
from nodealer.relay.invitations import SECRET_BYTES, TABLE_BYTES, Invitation, normalize_relay_address, parse_link
from nodealer.relay.pairing import parse_code
from nodealer.relay.sealing import TableSecret

#: What pairing codes need from this machine.
AROUND: Final = PairingEnvironment(system_entropy, connect_here, time.monotonic)

# --- To open one ---


def _checked_address(listen: str) -> str:
    """Check the address at which others reach the host's own relay.

    It is part of their links, so its port must be known now.
    """
    parse_address(listen, refusal=phrases.bad_own_address(listen), least=1)
    return listen


def host_table(
    plan: PlayPlan,
    seats: int,
    *,
    relays: Sequence[str],
    listen: str | None,
    name: str | None,
    auto: bool,
    json: bool,
    log: Path | None,
    code: bool = False,
    timekeeper: bool = False,
    page: str = "",
    page_folder: str | None = None,
    at: Display = Display.TERMINAL,
) -> int:
    """Open a table, invite others and play there. Return the exit code."""
    refuse_without_asserts()
    _refuse_without_player(phrases.NEEDS_PLAYER, at, auto=auto, json=json)
    called, user = choose_name(name), player()
    screen = create_screen(at, json=json, role="player", name=called)
    own = None if relays else _checked_address(listen) if listen else f"{own_address()}:{free_port()}"
    addresses = tuple(normalize_relay_address(url) for url in relays) or (normalize_relay_address(f"ws://{own}"),)
    if user.identity is None:
        raise BadParameter(phrases.HOST_NEEDS_KEY)
    secret = TableSecret(system_entropy(SECRET_BYTES), system_entropy(TABLE_BYTES).hex(), 0)
    invitation = Invitation(addresses, secret, host_mark(user.identity.public), page)
    hosted = Hosted(
        settings=tuple(sorted(plan.settings.items())),
        protocol=plan.protocol,
        parameters=plan.parameters.decode(),
        seats=seats,
        hands=plan.hands,
        listen=own,
        clock=plan.clock,
        # With two seats it must not run on the machine of one of the two.
        keeps_time=plan.clock is not None and seats > 2 and not timekeeper,
        invites_keeper=timekeeper,
        page_folder=page_folder,
    )
    with ExitStack() as stack:
        copies = [] if log is None else [stack.enter_context(LogCopy.new(log.absolute()))]
        table = create_table_folder(_table_record(called, invitation.link, plan.place, hosted, auto=auto, log=log))
        return _host(Sitting(table, screen, copies), user, plan, code=code)


def _host(sitting: Sitting, user: User, plan: PlayPlan, *, code: bool = False) -> int:
    """Play at a table as its host, with the host's own relay and timekeeper if it has them. Return the exit code."""
    hosted, screen = sitting.table.what.hosted, sitting.screen
    if hosted is None:
        raise BadParameter(phrases.hosted_by_others(sitting.table.name))
    lines = LineReader()
    questions = sitting.questions(lines)
    hosting = Hosting(
        plan,
        hosted.seats,
        sitting.tell,
        user.known,
        questions,
        _own_keeper_key(sitting, hosted),
        invites_keeper=hosted.invites_keeper,
    )
    if user.identity is None:
        raise BadParameter(phrases.HOST_NEEDS_KEY)
    invitation, relay = sitting.table.invitation, sitting.relays[0]
    codes = PairingCodes(invitation, relay, user.identity, AROUND, sitting.tell, hosting.admit)
    hosting.new_code = codes.issue

    def invite() -> None:
        """Print the links, once the relay has the table."""
        if not sitting.table.names:
            _print_links(screen, sitting, hosted.seats)
        if code:
            codes.issue()

    async def play() -> Participant:
        """Run the host's own relay and timekeeper, if there are any, while the host takes part in the table."""
        async with AsyncExitStack() as stack:
            if hosted.listen is not None:
                again = bool(sitting.table.names)
                own = own_relay(sitting.table.store, hosted.listen, invitation.table, again=again)
                await stack.enter_async_context(own)
            if hosted.keeps_time:
                await stack.enter_async_context(
                    bots({sitting.table.keeper.with_suffix(".txt"): _keeper_config(sitting)}, None)
                )
            try:
                return await take_part(sitting, user, hosting, lines, invite)
            finally:
                await codes.stop()

    return play_and_verify(sitting, play)


def _own_keeper_key(sitting: Sitting, hosted: Hosted) -> bytes | None:
    """Return the key of the host's own timekeeper, so that no one else's offer is mistaken for it."""
    if not hosted.keeps_time:
        return None
    # A timekeeper that has outlived its host is already running.
    with suppress(HomeUnusable), open_or_create_store(sitting.table.keeper, KEEPER, system_entropy) as home:
        return home.identity.public
    return None


def _keeper_config(sitting: Sitting) -> TimekeeperConfig:
    """Return the configuration of the host's own timekeeper."""
    what, invitation = sitting.table.what, sitting.table.invitation
    home = str(sitting.table.keeper)
    return TimekeeperConfig(what.link, invitation.table, sitting.relays, KEEPER, what.place, home)


def _print_links(screen: Screen, sitting: Sitting, seats: int) -> None:
    """Print the links by which others come to the table."""
    invitation, place = sitting.table.invitation, sitting.table.what.place
    to_watch = invitation.for_spectators().link
    screen.emit(TableLinks(invitation.link, to_watch, tuple(invitation.relays)))
    if screen.json:
        return
    screen.say(phrases.spectator_link(seats))
    screen.console.print(f"\n{escape_markup(to_watch)}\n", soft_wrap=True)
    # Last, so that a small window still shows it: it is what most hosts want to send.
    screen.say(phrases.PLAYER_LINK)
    if screen.console.is_terminal:
        print_qr(screen.console, invitation.link)
    screen.console.print(f"\n{escape_markup(invitation.link)}\n", soft_wrap=True)
    # If the game is not installed, each player needs its file.
    game = f" --game {escape_markup(shlex.quote(place))}" if place is not None and ":" in place else ""
    screen.say(phrases.how_to_join(game, page=bool(invitation.page)))
    if sitting.by_hand:
        screen.say(phrases.WAITING_FOR_GUESTS)


# --- To come to one ---


def _refuse_without_player(refusal: str, at: Display, *, auto: bool, json: bool) -> None:
    """Raise `BadParameter` if neither a bot, a program nor a page plays, and no one can type at a terminal."""
    if not (auto or json or at is not Display.TERMINAL or sys.stdin.isatty()):
        raise BadParameter(refusal)


def _is_code(text: str) -> bool:
    """Return whether an invitation is a pairing code and not a link."""
    return text.strip().replace("-", " ").partition(" ")[0].isdecimal()


def read_invitation(text: str, relay: str | None, name: str | None) -> tuple[Invitation, User | None]:
    """Read a link or a pairing code. With a code, the host already knows who comes, so the user is returned too."""
    if not _is_code(text):
        return parse_link(text), None
    code = parse_code(text)
    if relay is None:
        raise BadParameter(phrases.CODE_NEEDS_RELAY)
    called, user = choose_name(name), player()
    if user.identity is None:
        raise BadParameter(phrases.GUEST_NEEDS_KEY)
    return asyncio.run(use_code(code, normalize_relay_address(relay), user.identity, called, AROUND)), user


def join_table(
    text: str,
    *,
    relay: str | None,
    name: str | None,
    game: str | None,
    auto: bool,
    json: bool,
    log: Path | None,
    ask: bool = False,
    at: Display = Display.TERMINAL,
) -> int:
    """Join a table, or continue at one where the user sat before. Return the exit code."""
    refuse_without_asserts()
    if _is_code(text):
        # Before the code is used up.
        _refuse_without_player(phrases.NEEDS_PLAYER, at, auto=auto, json=json)
    invitation, unlocked = read_invitation(text, relay, name)
    invitation.table_secret()
    before = find_table(invitation, name)
    if before is not None:
        before.save_later_link(invitation)
        table = with_relays(before, invitation)
        if game is not None:
            table = with_game_place(table, game, _folder_of(game))
        return resume_table(table, auto=auto, json=json, ask=ask, at=at)
    _refuse_without_player(phrases.NEEDS_PLAYER, at, auto=auto, json=json)
    called, user = choose_name(name), unlocked or player()
    screen = create_screen(at, json=json, role="player", name=called)
    return _join(_table_record(called, invitation.link, game, None, auto=auto, log=log), user, screen, log, ask=ask)


def watch_table(
    invitation: Invitation, *, game: str | None, json: bool, log: Path | None, at: Display = Display.TERMINAL
) -> int:
    """Watch a table. Return the exit code."""
    refuse_without_asserts()
    only = invitation.for_spectators().link
    screen = create_screen(at, json=json, role="watcher", name=None)
    return _join(_table_record(None, only, game, None, auto=False, log=log), watcher(), screen, log)


def _join(kept: TableRecord, user: User, screen: Screen, log: Path | None, *, ask: bool = False) -> int:
    """Create the folder of a table and play or watch there. Return the exit code."""
    with ExitStack() as stack:
        copies = [] if log is None else [stack.enter_context(LogCopy.new(log.absolute()))]
        return _play(Sitting(create_folder_once(kept), screen, copies, ask=ask), user)


def _play(sitting: Sitting, user: User) -> int:
    """Play or watch at a table. Return the exit code."""
    return play_and_verify(sitting, lambda: take_part(sitting, user, None, LineReader()))


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


def resume_table(
    table: TableFolder, *, auto: bool, json: bool, ask: bool = False, at: Display = Display.TERMINAL
) -> int:
    """Continue at a saved table with the same cards. Return the exit code."""
    what = table.what
    if (ended := table.ended) is not None:
        raise BadParameter(phrases.has_ended(table.name, ended.verdict, table.log))
    if table.in_use:
        raise BadParameter(phrases.already_here_in(table.name))
    if what.name is not None:
        _refuse_without_player(phrases.needs_player(what.name), at, auto=auto or what.auto, json=json)
    if what.folder is not None and str(Path.cwd()) != what.folder:
        # Another folder may have a different file of that name.
        raise BadParameter(phrases.resume_elsewhere(what.place, what.folder))
    role = "watcher" if what.name is None else "player"
    screen = create_screen(Display.TERMINAL if what.auto or auto else at, json=json, role=role, name=what.name)
    user = watcher() if what.name is None else player()
    with ExitStack() as stack:
        copies = [] if what.log is None else [stack.enter_context(LogCopy.again(Path(what.log)))]
        sitting = Sitting(table, screen, copies, bot=auto, ask=ask)
        if what.hosted is None or what.place is None:
            return _play(sitting, user)
        stack.enter_context(serve_guest_page(what.hosted.page_folder, table.invitation.page))
        return _host(sitting, user, _restore_plan(what.place, what.hosted))


def _restore_plan(place: str, hosted: Hosted) -> PlayPlan:
    """Return the plan of a saved table that its host resumes."""
    settings = load_game(place).settled(dict(hosted.settings))
    return create_plan(
        place,
        settings,
        protocol=hosted.protocol,
        seats=hosted.seats,
        hands=hosted.hands,
        parameters=hosted.parameters.encode(),
        clock=hosted.clock,
    )
