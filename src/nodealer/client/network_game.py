"""A seat at a table on the network, from the lobby to the end: a host's, a guest's or a spectator's.

Terminal, JSON, page and tab call `play_on_network` with their own front end, store and connections.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Final

from nodealer.client.agents import Agent, BotAgent
from nodealer.client.bot_roster_policy import BotRosterPolicy
from nodealer.client.connection import ConnectionMonitor
from nodealer.client.contacts import Contacts, ContactsRecorder
from nodealer.client.events import TableLinks
from nodealer.client.keyring import Keyring
from nodealer.client.link_rotation import LinkRotation
from nodealer.client.lobby import Guest, Host, LobbyRole, Onlooker, ask_first
from nodealer.client.pairing import PairingCodes, PairingEnvironment
from nodealer.client.policies import Policy, TimeoutVoter
from nodealer.client.relay_transport import RelayTransport
from nodealer.client.setup import TableSetup
from nodealer.client.table_client import Behaviour, ClientOptions, TableClient
from nodealer.client.ui import UI, GuardedUI
from nodealer.engine.leave_policy import stay_while_playable
from nodealer.engine.lobby import Accept, decline_rehearsals
from nodealer.engine.participant import Participant
from nodealer.engine.replica import CheckRunner, settle_in_process
from nodealer.engine.resolve import resolve_parts
from nodealer.engine.store import PlayerStore
from nodealer.errors import BadParameter
from nodealer.games.package import GamePackage
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import ReadKey, TableSecret

#: After how many seconds a bot votes to go on without a silent player.
PATIENCE: Final = 60.0


@dataclass(frozen=True)
class HostedTable:
    """The things that a host brings: the game, the seats to fill, and the timekeeper."""

    setup: TableSetup
    #: The key of the host's own timekeeper, if there is one.
    keeper: bytes | None = None
    #: Whether the game waits for a timekeeper whom the host has invited.
    invites_keeper: bool = False
    #: Whether the links are shown, because the table is new, and whether a pairing code is issued at once.
    shows_links: bool = False
    issues_code: bool = False


@dataclass(frozen=True)
class NetworkTable:
    """A table on the network, and how this user takes part in it."""

    invitation: Invitation
    #: The addresses of its relays as seen from this machine.
    relays: tuple[str, ...]
    #: The keys of links that came later.
    later_keys: tuple[TableSecret | ReadKey, ...] = ()
    #: The game package that this user has chosen; None for the installed one that is proposed.
    game: GamePackage | None = None
    hosted: HostedTable | None = None
    #: Whether a person decides, or else a bot; a program decides through its front end and is neither.
    by_person: bool = True
    by_bot: bool = False
    #: Judges proposals before this player is asked.
    accept: Accept = ask_first
    #: How to name this player's store to them, if something is wrong with it.
    store_name: str = ""


async def play_on_network(
    table: NetworkTable,
    store: PlayerStore,
    ui: UI,
    contacts: Contacts,
    environment: PairingEnvironment,
    options: ClientOptions,
    *,
    check_runner: Callable[[], AbstractContextManager[CheckRunner]] = lambda: nullcontext(settle_in_process),
    wall: Callable[[], float] = time.time,
) -> Participant:
    """Take part in a table on the network until nothing more comes from this seat, and return the participant.

    Raise `NotSeated` if there is no seat for this player, `BadParameter` if they can sign nothing more, and
    `RelayError` if a player who comes for the first time finds no relay.
    """
    ui, invitation, hosted = GuardedUI(ui), table.invitation, table.hosted
    keys = Keyring((invitation.key, *table.later_keys), environment.entropy)
    with check_runner() as runner:
        participant = Participant(
            store,
            entropy=environment.entropy,
            # Hosts have already said what they want to play.
            accept=table.accept if hosted is None else decline_rehearsals,
            stay_policy=stay_while_playable,
            table=invitation.table,
            host=invitation.host,
            parts=partial(resolve_parts, game=table.game),
            check_runner=runner,
            keys=keys,
            by_person=table.by_person,
        )
    role, codes = _lobby_role(table, store, ui, contacts, environment)

    def on_found() -> None:
        """Show the links once the relay has the table."""
        if hosted is not None and hosted.shows_links:
            ui.show(_links(invitation, hosted.setup, asks_host=table.by_person))
        if codes is not None and hosted is not None and hosted.issues_code:
            codes.issue()

    monitor = ConnectionMonitor(ui.show, len(table.relays), patient=bool(store.lobby), on_found=on_found)
    transport = RelayTransport(
        participant,
        keys,
        table.relays,
        entropy=environment.entropy,
        create=hosted is not None,
        emit=monitor,
        connect=environment.connect,
    )
    client = TableClient(
        participant,
        transport,
        ui,
        Behaviour(
            _agent(table, participant),
            role,
            _policies(table, store),
            ContactsRecorder(participant, contacts, ui.show, lambda: int(wall())),
            LinkRotation(invitation, keys),
        ),
        options,
        clock=environment.clock,
        wall=wall,
    )
    try:
        await client.run()
    finally:
        if codes is not None:
            await codes.stop()
    if participant.silenced is not None:
        raise BadParameter(f"{table.store_name}: {participant.silenced}" if table.store_name else participant.silenced)
    return participant


def _links(invitation: Invitation, setup: TableSetup, *, asks_host: bool) -> TableLinks:
    """Return the links by which others come to a host's table."""
    return TableLinks(
        invitation.link,
        invitation.for_spectators().link,
        invitation.relays,
        seats=setup.seats,
        place=setup.place,
        has_page=bool(invitation.page),
        asks_host=asks_host,
    )


def _lobby_role(
    table: NetworkTable, store: PlayerStore, ui: UI, contacts: Contacts, environment: PairingEnvironment
) -> tuple[LobbyRole, PairingCodes | None]:
    """Return what this participant does in the lobby, and a host's pairing codes."""
    hosted = table.hosted
    if store.name is None:
        return Onlooker(ui.show), None
    if hosted is None:
        return Guest(ui.show, contacts, asks=table.by_person, game=table.game), None
    codes = PairingCodes(
        table.invitation,
        table.relays[0],
        store.identity,
        environment,
        ui.show,
        lambda key, name: host.admit(key, name),  # noqa: PLW0108 - the host needs the codes, and is made after them
    )
    host = Host(
        hosted.setup,
        hosted.setup.seats,
        ui.show,
        contacts,
        asks=table.by_person,
        keeper=hosted.keeper,
        invites_keeper=hosted.invites_keeper,
        issue_code=codes.issue,
    )
    return host, codes


def _agent(table: NetworkTable, participant: Participant) -> Agent | None:
    """Return the bot that decides, or None if the front end does."""
    if not table.by_bot:
        return None

    def game() -> GamePackage:
        """Return the game that the players agreed on."""
        package = participant.replica.config.package
        if package is None:
            raise BadParameter("no bot can play this game: its package is not installed")
        return package

    return BotAgent(game, participant.store.root)


def _policies(table: NetworkTable, store: PlayerStore) -> tuple[Policy, ...]:
    """Return the policies that act for this participant on their own."""
    if store.name is None:
        return ()
    host, seats = table.invitation.host, 0 if table.hosted is None else table.hosted.setup.seats
    if table.by_bot:
        return TimeoutVoter(PATIENCE), BotRosterPolicy(host, seats)
    return (TimeoutVoter(),) if table.by_person else (TimeoutVoter(), BotRosterPolicy(host))
