"""A person's table inside a tab. Messages to and from the page are text.

The messages are those of the local page, which uses a WebSocket. Storage, sockets, time and entropy are passed in, so
that this also runs in a test without a browser.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from nodealer.audit.verify import verify_file
from nodealer.client.contacts import Contacts, ContactsFile, ContactsRecorder
from nodealer.client.keyring import Keyring
from nodealer.client.link_rotation import LinkRotation
from nodealer.client.lobby import Guest, Hosting
from nodealer.client.loop import Loop, Transport
from nodealer.client.pairing import PairingCodes, PairingEnvironment
from nodealer.client.policies import Policy, PolicyGroup, TimeoutVoter
from nodealer.client.relay_transport import (
    Behind,
    Connect,
    ConnectionEvent,
    KeyMissing,
    RelayFound,
    RelayLost,
    RelayTransport,
    WriteRefused,
)
from nodealer.engine.frame_result import Received
from nodealer.engine.leave_policy import stay_while_playable
from nodealer.engine.lobby import decline_rehearsals
from nodealer.engine.lobby_messages import FrameIgnored, ProposalDeclined, VersionMismatch
from nodealer.engine.participant import Participant
from nodealer.engine.resolve import refuse_without_asserts
from nodealer.engine.store import PlayerStore
from nodealer.errors import BadParameter, DecodeError, IllegalMove
from nodealer.log.control_characters import escape_controls
from nodealer.proofs.checks import Entropy
from nodealer.relay.invitations import Invitation
from nodealer.relay.sealing import ReadKey, TableSecret
from nodealer.web import messages as doc
from nodealer.web.lobby import PageLobby, PageQuestions
from nodealer.web.person import PagePerson
from nodealer.web.seat import PageSeat
from nodealer.web.tab.contacts import BrowserContacts
from nodealer.web.tab.opfs_store import HostedTable
from nodealer.web.tab.setup import TabPlan, ask_in_tab
from nodealer.wire import encode

#: Where the log is written for an audit, which reads a file. It is in the memory of this tab.
LOG: Final = Path("/tmp/nodealer-log.jsonl")
_CONNECTION: Final = {
    RelayFound: ("good", "found"),
    RelayLost: ("note", "lost"),
    WriteRefused: ("bad", "unheard"),
    Behind: ("bad", "behind"),
}


class NameTaken(BadParameter):
    """No one can sit there under this name. Another name may work."""


class TabLockedOut(Exception):
    """The table has a new key, and this seat does not have it. It can read nothing more."""


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


class TabTable:
    """The table on the page: one person's seat, or what can be started."""

    def __init__(self, environment: TabEnvironment) -> None:
        """Start without a table."""
        refuse_without_asserts()
        self._environment = environment
        #: Whether messages are held back, because the page will get everything at once.
        self._held_back = False
        self._contacts = Contacts(environment.contacts)
        self.questions = PageQuestions()
        self.seat = PageSeat(self._send, time.monotonic)
        self.person = PagePerson(self.seat, environment.wall)
        self.lobby = PageLobby(self.seat, self.questions)
        #: Called when the page asks to start a table.
        self.deal: Callable[[doc.Deal], None] = lambda deal: self.seat.refuse("not here")
        self._was_lost = False

    def _send(self, message: doc.ServerMessage) -> None:
        """Send a message to the page, unless messages are being held back."""
        if not self._held_back:
            self._environment.send(doc.encode_message(message).decode())

    def start(self, role: str, name: str | None, *messages: doc.ServerMessage) -> None:
        """Start a new table. The page starts over."""
        self.seat = PageSeat(self._send, time.monotonic, role, name, question_number=self.seat.question_number)
        self.person = PagePerson(self.seat, self._environment.wall)
        self.questions.forget()
        self.lobby = PageLobby(self.seat, self.questions)
        self._held_back = True
        for message in messages:
            self.seat.send(message)
        self._held_back = False
        for message in self.seat.snapshot():
            self._send(message)

    def receive(self, text: str) -> None:
        """Handle a message from the page."""
        try:
            message = doc.read_client_message(text)
        except DecodeError as error:
            self._send(doc.Refused(str(error)))
            return
        match message:
            case doc.Deal():
                self.deal(message)
            case doc.Answer():
                self.questions.receive(message)
            case doc.Save(what=what):
                self._save(what)
            case doc.Verify():
                self.verify()
            case _:
                self.person.receive(message)

    # --- The log ---

    def _lines(self, up_to: int | None = None) -> list[bytes]:
        """Return the lines of the log, up to this entry."""
        replica = self.person.replica
        return [] if replica is None else [encode(replica.config.session), *replica.entries[:up_to]]

    def _save(self, what: str) -> None:
        """Send the log, or the evidence of a fault, to the page as a file."""
        replica = self.person.replica
        if replica is None:
            self.seat.refuse("no log")
            return
        fault = replica.state.fault if what == "evidence" else None
        name = f"{'game' if fault is None else 'evidence'}-{replica.config.session.id.hex()[:8]}.jsonl"
        lines = self._lines(None if fault is None else fault.entry + 1)
        self.seat.send(doc.File(name, "".join(line.decode() + "\n" for line in lines)))

    def verify(self) -> None:
        """Audit the log in front of the person, as anyone could, and show the result."""
        lines, began = self._lines(), time.perf_counter()
        if not lines:
            self.seat.refuse("no log")
            return
        self._environment.log.write_bytes(b"".join(line + b"\n" for line in lines))
        report = verify_file(self._environment.log, entropy=self._environment.entropy)
        took = round((time.perf_counter() - began) * 1000, 1)
        self.seat.send(doc.Verdict(report.verdict, report.as_json(), took))

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Hold back messages inside the block, and then send the complete state to the page."""
        self._held_back = True
        try:
            yield
        finally:
            self._held_back = False
        for message in self.seat.snapshot():
            self._send(message)

    # --- A table across the network ---

    async def play(
        self,
        home: PlayerStore,
        invitation: Invitation,
        hosted: HostedTable | None = None,
        more: Sequence[TableSecret | ReadKey] = (),
    ) -> None:
        """Play at a table over the network, from the lobby to the verified log. `more` are keys from later links.

        Raises `BadParameter` if there is no seat for this person.
        """
        watches = home.name is None
        self.start("watcher" if watches else "player", home.name)
        keys = Keyring((invitation.key, *more), self._environment.entropy)
        participant = self.person.create_participant(
            home,
            entropy=self._environment.entropy,
            # Hosts have already said what they want to play.
            accept=ask_in_tab if hosted is None else decline_rehearsals,
            stay_policy=stay_while_playable,
            table=invitation.table,
            host=invitation.host,
            keys=keys,
        )
        hosting = None if hosted is None else self._hosting(hosted)
        guest = None if watches else Guest(self.lobby.on_event, self._contacts, self.questions)
        lobby_policy = self.lobby.showing_policy(hosting or guest, 0 if hosted is None else hosted.seats)
        transport = RelayTransport(
            participant,
            keys,
            invitation.relays,
            entropy=self._environment.entropy,
            create=hosted is not None,
            emit=self._on_connection,
            connect=self._environment.connect,
        )
        recorder = ContactsRecorder(
            participant, self._contacts, self.lobby.on_event, lambda: self._environment.wall() // 1000
        )
        codes = None if hosting is None else self._codes(invitation, home, hosting)
        after = (recorder.update, partial(self._new_links, LinkRotation(invitation), participant, transport))
        try:
            with suppress(TabLockedOut):
                await self._run(
                    participant,
                    transport,
                    LobbyThenTable(lobby_policy, PolicyGroup(TimeoutVoter(), self.person)),
                    hosting,
                    after,
                )
        finally:
            if codes is not None:
                await codes.stop()
        if participant.silenced is not None:
            raise BadParameter(participant.silenced)
        self._end(again=False)

    def _hosting(self, hosted: HostedTable) -> Hosting:
        """Return the policy that hosts this table."""
        wanted, awaits = TabPlan(hosted), hosted.awaits_keeper
        return Hosting(wanted, hosted.seats, self.lobby.on_event, self._contacts, self.questions, invites_keeper=awaits)

    def _codes(self, invitation: Invitation, home: PlayerStore, hosting: Hosting) -> PairingCodes:
        """Show the links of the table, and return what creates pairing codes."""
        self.lobby.link, self.lobby.watch = invitation.link, invitation.for_spectators().link
        pairing = PairingEnvironment(self._environment.entropy, self._environment.connect, time.monotonic)
        codes = PairingCodes(
            invitation, invitation.relays[0], home.identity, pairing, self.lobby.on_event, hosting.admit
        )
        hosting.new_code = codes.issue
        return codes

    async def practise(self, participant: Participant, transport: Transport) -> None:
        """Play at a table with bots, in this browser."""
        await self._run(participant, transport, PolicyGroup(TimeoutVoter(), self.person))
        self._end(again=True)

    async def _run(
        self,
        participant: Participant,
        transport: Transport,
        policy: Policy,
        hosting: Hosting | None = None,
        after: Sequence[Callable[[], None]] = (),
    ) -> None:
        """Run the participant until the end, and ask for a seat if the table is already playing."""
        agent = None if participant.store.name is None else self.person
        observe, asked = self.person.observer_of(participant), False

        def watch(received: Received) -> list[bytes]:
            """Handle one step, and return the frames to send. Raises an error if the person cannot sit here."""
            nonlocal asked
            for news in received.happened:
                self._on_news(news, hosting)
                if isinstance(news, FrameIgnored) and news.mine and _is_turned_away(participant):
                    raise NameTaken(f"you cannot sit down as {participant.store.name}: {escape_controls(news.reason)}")
                if participant.is_own_dismissal(news) and not participant.is_catching_up:
                    raise BadParameter("the host did not give you a seat at this table")
            for update in after:
                update()
            observe(received)
            if (
                participant.has_session
                and not participant.is_catching_up
                and agent is not None
                and not participant.is_in_roster
                and not participant.sits_out
                and not asked
            ):
                # The table is already playing: ask for a seat and watch until there is one. But not for a player who
                # sat out and lost their seat: whoever asks is dealt in, and they have not said that they are back.
                asked = True
                try:
                    frames = participant.request_seat()
                except IllegalMove as refused:
                    raise BadParameter(f"you cannot have a seat at this table: {refused}") from None
                names = ", ".join(member.name for member in participant.members)
                self.seat.notify("note", "asks", "seat", players=names)
                return frames
            return []

        await Loop(participant, transport, agent, watch=watch, policy=policy).run()

    def _new_links(self, rotation: LinkRotation, participant: Participant, transport: RelayTransport) -> None:
        """Show the new links if the table has a new key."""
        invitation = rotation.next_invitation(participant, transport.secret) if participant.has_session else None
        if invitation is not None:
            self.seat.notify("note", "key", "key", link=invitation.link, watch=invitation.for_spectators().link)

    def _on_news(self, news: object, hosting: Hosting | None) -> None:
        """Show refusals of others. Raises `BadParameter` if this person cannot play here."""
        if isinstance(news, ProposalDeclined) and not news.mine:
            name, reason = news.name or "", escape_controls(news.reason)
            self.seat.notify("note", "declined", f"declined {name}", name=name, reason=reason)
            if hosting is not None:
                hosting.declined(news.by)
        elif isinstance(news, ProposalDeclined):
            raise BadParameter(f"you cannot play at this table: {news.reason}")
        elif isinstance(news, VersionMismatch):
            raise BadParameter(f"the host uses another version of the program: {news.reason}")

    def _on_connection(self, event: ConnectionEvent) -> None:
        """Show a change of the connection. Raises `TabLockedOut` if the seat lacks the table's new key."""
        if isinstance(event, KeyMissing):
            self.seat.notify("bad", "locked", "connection")
            raise TabLockedOut
        kind, code = _CONNECTION[type(event)]
        if isinstance(event, RelayLost):
            self._was_lost = True
        if not isinstance(event, RelayFound) or self._was_lost:
            # A warning that the relay may be withholding something stays on screen. Otherwise the relay could make it
            # disappear by breaking the connection.
            self.seat.notify(kind, code, code if isinstance(event, Behind) else "connection")

    def _end(self, *, again: bool) -> None:
        """Verify the log and tell the page that the table is finished."""
        self.verify()
        self.seat.send(doc.TableOver(again=again))


class LobbyThenTable:
    """Runs one policy in the lobby, and another at the table."""

    def __init__(self, lobby: Policy, table: Policy) -> None:
        """Run `lobby` until the players have agreed on a game, then `table`."""
        self._lobby = lobby
        self._table = table

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Run the policy of the current phase and return the frames to send."""
        return (self._table if participant.has_session else self._lobby).on_tick(participant, now)


def _is_turned_away(one: Participant) -> bool:
    """Return whether this player's offer was not accepted although everything has arrived: the name may be taken."""
    return not (one.has_session or one.is_catching_up or one.store.name is None) and one.lobby.own_offer is None
