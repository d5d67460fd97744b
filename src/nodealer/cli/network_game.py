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
from nodealer.cli.browser_table import screen_at
from nodealer.cli.display import Where
from nodealer.cli.entropy import system_entropy
from nodealer.cli.game_catalogue import keep_first, table_at
from nodealer.cli.games import game_of
from nodealer.cli.host_relay import free_port, own_address, own_relay
from nodealer.cli.line_input import Lines
from nodealer.cli.log_export import LogCopy
from nodealer.cli.network_seat import Sitting, carry_out, take_part
from nodealer.cli.output import shown
from nodealer.cli.plan import PlayPlan, plan_of
from nodealer.cli.qr import print_qr
from nodealer.cli.screen import Screen
from nodealer.cli.table_folders import FORMAT, Hosted, KeptTable, TableFolder, found_at, keep_table, moved_to
from nodealer.cli.timekeeper_process import KeeperOrder
from nodealer.cli.user import User, name_of, player, watcher
from nodealer.cli.webpage import page_for_guests
from nodealer.client.folder_store import open_or_create_store
from nodealer.client.lobby import Hosting
from nodealer.client.pairing import PairingCodes, PairingEnvironment, use_code
from nodealer.client.relay_transport import connect_here
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


def _reached_at(listen: str) -> str:
    """Check the address at which others reach the host's own relay.

    It is part of their links, so its port must be known now.
    """
    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port[:6]) < 65536:
        raise BadParameter(phrases.bad_own_address(listen))
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
    at: Where = Where.TERMINAL,
) -> int:
    """Open a table, invite others and play there. Return the exit code."""
    refuse_without_asserts()
    called, user = name_of(name), player()
    screen = screen_at(at, json=json, role="player", name=called)
    own = None if relays else _reached_at(listen) if listen else f"{own_address()}:{free_port()}"
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
        table = keep_table(_kept(called, invitation.link, plan.place, hosted, auto=auto, log=log))
        return _host(Sitting(table, screen, copies), user, plan, code=code)


def _host(sitting: Sitting, user: User, plan: PlayPlan, *, code: bool = False) -> int:
    hosted, screen = sitting.table.what.hosted, sitting.screen
    if hosted is None:
        raise BadParameter(phrases.hosted_by_others(sitting.table.name))
    lines = Lines()
    questions = sitting.questions(lines)
    hosting = Hosting(
        plan,
        hosted.seats,
        sitting.tell,
        user.known,
        questions,
        _own_keeper(sitting, hosted),
        invites_keeper=hosted.invites_keeper,
    )
    if user.identity is None:
        raise BadParameter(phrases.HOST_NEEDS_KEY)
    invitation, relay = sitting.table.invitation, sitting.relays[0]
    codes = PairingCodes(invitation, relay, user.identity, AROUND, sitting.tell, hosting.admit)
    hosting.new_code = codes.give

    def invite() -> None:
        """Print the links, once the relay has the table."""
        if not sitting.table.names:
            _invite(screen, sitting, hosted.seats)
        if code:
            codes.give()

    async def play() -> Participant:
        async with AsyncExitStack() as stack:
            if hosted.listen is not None:
                again = bool(sitting.table.names)
                own = own_relay(sitting.table.store, hosted.listen, invitation.table, again=again)
                await stack.enter_async_context(own)
            if hosted.keeps_time:
                await stack.enter_async_context(
                    bots({sitting.table.keeper.with_suffix(".txt"): _keeping(sitting)}, None)
                )
            try:
                return await take_part(sitting, user, hosting, lines, invite)
            finally:
                await codes.stop()

    return carry_out(sitting, play)


def _own_keeper(sitting: Sitting, hosted: Hosted) -> bytes | None:
    """Return the key of the host's own timekeeper, so that no one else's offer is mistaken for it."""
    if not hosted.keeps_time:
        return None
    # A timekeeper that has outlived its host is already running.
    with suppress(HomeUnusable), open_or_create_store(sitting.table.keeper, KEEPER, system_entropy) as home:
        return home.identity.public
    return None


def _keeping(sitting: Sitting) -> KeeperOrder:
    what, invitation = sitting.table.what, sitting.table.invitation
    home = str(sitting.table.keeper)
    return KeeperOrder(what.link, invitation.table, sitting.relays, KEEPER, what.place, home)


def _invite(screen: Screen, sitting: Sitting, seats: int) -> None:
    """Print the links by which others come to the table."""
    invitation, place = sitting.table.invitation, sitting.table.what.place
    to_watch = invitation.to_watch().link
    screen.emit({"event": "table", "link": invitation.link, "watch": to_watch, "relays": list(invitation.relays)})
    if screen.json:
        return
    screen.say(phrases.spectator_link(seats))
    screen.console.print(f"\n{shown(to_watch)}\n", soft_wrap=True)
    # Last, so that a small window still shows it: it is what most hosts want to send.
    screen.say(phrases.PLAYER_LINK)
    if screen.console.is_terminal:
        print_qr(screen.console, invitation.link)
    screen.console.print(f"\n{shown(invitation.link)}\n", soft_wrap=True)
    # If the game is not installed, each player needs its file.
    game = f" --game {shown(shlex.quote(place))}" if place is not None and ":" in place else ""
    screen.say(phrases.how_to_join(game, page=bool(invitation.page)))
    if sitting.by_hand:
        screen.say(phrases.WAITING_FOR_GUESTS)


# --- To come to one ---


def invited_by(text: str, relay: str | None, name: str | None) -> tuple[Invitation, User | None]:
    """Read a link or a pairing code. With a code, the host already knows who comes, so the user is returned too."""
    if not text.strip().replace("-", " ").partition(" ")[0].isdecimal():
        return parse_link(text), None
    code = parse_code(text)
    if relay is None:
        raise BadParameter(phrases.CODE_NEEDS_RELAY)
    called, user = name_of(name), player()
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
    at: Where = Where.TERMINAL,
) -> int:
    """Join a table, or continue at one where the user sat before. Return the exit code."""
    refuse_without_asserts()
    invitation, unlocked = invited_by(text, relay, name)
    invitation.table_secret()
    before = table_at(invitation, name)
    if before is not None:
        before.keep_later(invitation)
        table = moved_to(before, invitation)
        if game is not None:
            table = found_at(table, game, _folder_of(game))
        return return_to(table, auto=auto, json=json, ask=ask, at=at)
    called, user = name_of(name), unlocked or player()
    screen = screen_at(at, json=json, role="player", name=called)
    return _come(_kept(called, invitation.link, game, None, auto=auto, log=log), user, screen, log, ask=ask)


def watch_table(
    invitation: Invitation, *, game: str | None, json: bool, log: Path | None, at: Where = Where.TERMINAL
) -> int:
    """Watch a table. Return the exit code."""
    refuse_without_asserts()
    only = invitation.to_watch().link
    screen = screen_at(at, json=json, role="watcher", name=None)
    return _come(_kept(None, only, game, None, auto=False, log=log), watcher(), screen, log)


def _come(kept: KeptTable, user: User, screen: Screen, log: Path | None, *, ask: bool = False) -> int:
    with ExitStack() as stack:
        copies = [] if log is None else [stack.enter_context(LogCopy.new(log.absolute()))]
        return _sit(Sitting(keep_first(kept), screen, copies, ask=ask), user)


def _sit(sitting: Sitting, user: User) -> int:
    return carry_out(sitting, lambda: take_part(sitting, user, None, Lines()))


def _kept(
    name: str | None, link: str, place: str | None, hosted: Hosted | None, *, auto: bool, log: Path | None
) -> KeptTable:
    return KeptTable(
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
    """Return the folder in which a game that is not installed is found."""
    return str(Path.cwd()) if ":" in place else None


# --- To come back ---


def return_to(table: TableFolder, *, auto: bool, json: bool, ask: bool = False, at: Where = Where.TERMINAL) -> int:
    """Continue at a saved table with the same cards. Return the exit code."""
    what = table.what
    if (ended := table.ended) is not None:
        raise BadParameter(phrases.has_ended(table.name, ended.verdict, table.log))
    if table.in_use:
        raise BadParameter(phrases.already_here_in(table.name))
    if what.name is not None and not (auto or json or what.auto or at is not Where.TERMINAL or sys.stdin.isatty()):
        raise BadParameter(phrases.needs_player(what.name))
    if what.folder is not None and str(Path.cwd()) != what.folder:
        # Another folder may have a different file of that name.
        raise BadParameter(phrases.resume_elsewhere(what.place, what.folder))
    role = "watcher" if what.name is None else "player"
    screen = screen_at(Where.TERMINAL if what.auto or auto else at, json=json, role=role, name=what.name)
    user = watcher() if what.name is None else player()
    with ExitStack() as stack:
        copies = [] if what.log is None else [stack.enter_context(LogCopy.again(Path(what.log)))]
        sitting = Sitting(table, screen, copies, bot=auto, ask=ask)
        if what.hosted is None or what.place is None:
            return _sit(sitting, user)
        stack.enter_context(page_for_guests(what.hosted.page_folder, table.invitation.page))
        return _host(sitting, user, _plan_again(what.place, what.hosted))


def _plan_again(place: str, hosted: Hosted) -> PlayPlan:
    settings = game_of(place).settled(dict(hosted.settings))
    return plan_of(
        place,
        settings,
        protocol=hosted.protocol,
        seats=hosted.seats,
        hands=hosted.hands,
        parameters=hosted.parameters.encode(),
        clock=hosted.clock,
    )
