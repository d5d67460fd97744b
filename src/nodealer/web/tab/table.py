"""A person's table inside a tab. Messages to and from the page are text.

The messages are those of the local page, which uses a WebSocket. Storage, sockets, time and entropy are passed in, so
that this also runs in a test without a browser.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from nodealer.client.contacts import Contacts, ContactsFile
from nodealer.client.network_game import HostedTable, NetworkTable, play_on_network
from nodealer.client.pairing import PairingEnvironment
from nodealer.client.policies import TimeoutVoter
from nodealer.client.relay_transport import Connect
from nodealer.client.setup import TableSetup
from nodealer.client.table_client import Behaviour, ClientOptions, TableClient
from nodealer.client.transport import Transport
from nodealer.client.ui import GuardedUI
from nodealer.engine.resolve import refuse_without_asserts
from nodealer.engine.store import PlayerStore
from nodealer.proofs.checks import Entropy
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import ReadKey, TableSecret
from nodealer.web import messages as doc
from nodealer.web.controller import PageController
from nodealer.web.hub import PageQueue
from nodealer.web.page_ui import PageUI
from nodealer.web.tab.contacts import BrowserContacts
from nodealer.web.tab.opfs_store import StoredTable
from nodealer.web.tab.practice import offers, practice_participant
from nodealer.web.tab.setup import ask_in_tab, setup_of

#: Where the log is written for an audit, which reads a file. It is in the memory of this tab.
LOG: Final = Path("/tmp/nodealer-log.jsonl")
#: A tab asks for a seat at a table that is playing, but not for one that the others have taken away.
OPTIONS: Final = ClientOptions(asks_for_seat=True, asks_back=False)


@dataclass(frozen=True)
class TabEnvironment:
    """The features of a browser tab that a seat needs."""

    entropy: Entropy
    connect: Connect
    #: Milliseconds since 1970.
    wall: Callable[[], int]
    #: Sends a message to the page, as text.
    send: Callable[[str], None]
    log: Path = LOG
    #: Stores the players this person has met.
    contacts: ContactsFile = field(default_factory=BrowserContacts)


class _TabPage(PageQueue):
    """The only page of this tab: what is queued for it is sent at once."""

    def __init__(self, deliver: Callable[[str], None]) -> None:
        """Send messages with `deliver`."""
        super().__init__()
        self._deliver = deliver

    def put_nowait(self, item: bytes | None) -> None:
        """Send a message. None, which ends other pages, means nothing here."""
        if item is not None:
            self._deliver(item.decode())


class TabTable:
    """The table on the page: one person's seat, or what can be started."""

    def __init__(self, environment: TabEnvironment, on_deal: Callable[[doc.Deal], None] | None = None) -> None:
        """Start without a table. `on_deal` starts the practice table that the page asks for."""
        refuse_without_asserts()
        self._environment = environment
        self._contacts = Contacts(environment.contacts)
        self._controller = PageController(
            environment.entropy,
            scratch=environment.log,
            on_deal=on_deal or (lambda deal: self.ui.presenter.refuse("not here")),
        )
        self._page = _TabPage(environment.send)

    @property
    def ui(self) -> PageUI:
        """The table that the page shows."""
        return self._controller.ui

    def start(self, role: str, name: str | None, *standing: doc.ServerMessage, **table: Any) -> PageUI:
        """Start a new table, with what `PageController.start` takes. The page starts over."""
        # The page is connected only now, so that it gets everything once.
        self._controller.hub.disconnect(self._page)
        ui = self._controller.start(role, name, *standing, **table)
        self._controller.hub.connect(self._page)
        return ui

    def receive(self, text: str) -> None:
        """Handle a message from the page."""
        self._controller.hub.receive(self._page, text)

    def show_log(self, log: Path) -> None:
        """Audit a saved log in front of the person and show its hands. If it cannot be read, say why."""
        self._controller.hub.disconnect(self._page)
        self._controller.show_log(log)
        self._controller.hub.connect(self._page)

    async def play(
        self,
        store: PlayerStore,
        invitation: Invitation,
        hosted: StoredTable | None = None,
        later_keys: Sequence[TableSecret | ReadKey] = (),
    ) -> None:
        """Play at a table over the network, from the lobby to the verified log. `later_keys` are of later links.

        Raises `NotSeated` if there is no seat for this person.
        """
        role, environment = "watcher" if store.name is None else "player", self._environment
        ui = self.start(role, store.name, network=True, store=store)
        table = NetworkTable(
            invitation, invitation.relays, tuple(later_keys), hosted=_hosted_table(hosted), accept=ask_in_tab
        )
        pairing = PairingEnvironment(environment.entropy, environment.connect, time.monotonic)
        await play_on_network(
            table, store, ui, self._contacts, pairing, OPTIONS, wall=lambda: environment.wall() / 1000
        )
        await self._end(again=False)

    async def practise(self, setup: TableSetup, transport: Transport) -> None:
        """Play at a table with bots, in this browser. The person has the first seat."""
        name = setup.names[0]
        participant = practice_participant(setup, name, self._environment.entropy, by_person=True)
        ui = self.start("player", name, offers(name), store=participant.store)
        client = TableClient(
            participant,
            transport,
            GuardedUI(ui),
            Behaviour(policies=(TimeoutVoter(),)),
            ClientOptions(expected=setup.names),
            wall=lambda: self._environment.wall() / 1000,
        )
        await client.run()
        await self._end(again=True)

    async def _end(self, *, again: bool) -> None:
        """Verify the log and tell the page that the table is finished."""
        await self._controller.verify()
        self._controller.end(again=again)


def _hosted_table(hosted: StoredTable | None) -> HostedTable | None:
    """Return what a host brings to the table, or None for a guest."""
    if hosted is None:
        return None
    return HostedTable(setup_of(hosted), invites_keeper=hosted.awaits_keeper, shows_links=True)
