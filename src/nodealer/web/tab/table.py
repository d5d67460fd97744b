"""A person's table inside a tab: documents go to the page as text, and what the page says comes in as text.

The page on loopback has the same documents, over a WebSocket. What this takes from the browser, storage, sockets, time
and entropy, it is given: it runs in a test without any browser.
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
from nodealer.engine.lobby_messages import OtherVersion, PassedOver, Refuses
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
from nodealer.web.tab.contacts import BrowserShelf
from nodealer.web.tab.opfs_store import HostedTable
from nodealer.web.tab.setup import TabPlan, ask_in_tab
from nodealer.wire import encode

#: Where the log is put for an audit, which reads a file: in the memory of this tab.
LOG: Final = Path("/tmp/nodealer-log.jsonl")
_CONNECTION: Final = {
    RelayFound: ("good", "found"),
    RelayLost: ("note", "lost"),
    WriteRefused: ("bad", "unheard"),
    Behind: ("bad", "behind"),
}


class NameTaken(BadParameter):
    """Nobody can sit there under this name; under another one perhaps."""


class TabLockedOut(Exception):
    """The table has a new key, and it is not for this one: nothing more can be heard."""


@dataclass(frozen=True)
class TabEnvironment:
    """What a tab gives a seat."""

    entropy: Entropy
    connect: Connect
    #: Milliseconds since 1970.
    wall: Callable[[], int]
    #: Tells the page a document, as text.
    tell: Callable[[str], None]
    log: Path = LOG
    #: Where the players are kept whom this person has met.
    shelf: ContactsFile = field(default_factory=BrowserShelf)


class TabTable:
    """What the page shows now: the seat of one person at one table, or what can be begun."""

    def __init__(self, world: TabEnvironment) -> None:
        refuse_without_asserts()
        self._world = world
        #: While a new table is laid, whose page is told everything at once.
        self._muted = False
        self._known = Contacts(world.shelf)
        self.questions = PageQuestions()
        self.seat = PageSeat(self._tell, time.monotonic)
        self.person = PagePerson(self.seat, world.wall)
        self.lobby = PageLobby(self.seat, self.questions)
        #: Is told what the page wants to begin.
        self.deal: Callable[[doc.Deal], None] = lambda deal: self.seat.refuse("not here")
        self._lost = False

    def _tell(self, document: doc.ServerMessage) -> None:
        if not self._muted:
            self._world.tell(doc.encoded(document).decode())

    def sit(self, role: str, name: str | None, *standing: doc.ServerMessage) -> None:
        """A new table. The page begins anew."""
        self.seat = PageSeat(self._tell, time.monotonic, role, name, asked=self.seat.asked)
        self.person = PagePerson(self.seat, self._world.wall)
        self.questions.forget()
        self.lobby = PageLobby(self.seat, self.questions)
        self._muted = True
        for document in standing:
            self.seat.tell(document)
        self._muted = False
        for document in self.seat.everything():
            self._tell(document)

    def said(self, text: str) -> None:
        """What the page says."""
        try:
            document = doc.read_said(text)
        except DecodeError as error:
            self._tell(doc.Refused(str(error)))
            return
        match document:
            case doc.Deal():
                self.deal(document)
            case doc.Answer():
                self.questions.hear(document)
            case doc.Save(what=what):
                self._save(what)
            case doc.Verify():
                self.verify()
            case _:
                self.person.hear(document)

    # --- The log ---

    def _lines(self, up_to: int | None = None) -> list[bytes]:
        replica = self.person.replica
        return [] if replica is None else [encode(replica.config.session), *replica.entries[:up_to]]

    def _save(self, what: str) -> None:
        replica = self.person.replica
        if replica is None:
            self.seat.refuse("no log")
            return
        fault = replica.state.fault if what == "evidence" else None
        name = f"{'game' if fault is None else 'evidence'}-{replica.config.session.id.hex()[:8]}.jsonl"
        lines = self._lines(None if fault is None else fault.entry + 1)
        self.seat.tell(doc.File(name, "".join(line.decode() + "\n" for line in lines)))

    def verify(self) -> None:
        """Audit the log as anybody could, in front of the person."""
        lines, began = self._lines(), time.perf_counter()
        if not lines:
            self.seat.refuse("no log")
            return
        self._world.log.write_bytes(b"".join(line + b"\n" for line in lines))
        report = verify_file(self._world.log, entropy=self._world.entropy)
        took = round((time.perf_counter() - began) * 1000, 1)
        self.seat.tell(doc.Verdict(report.verdict, report.as_json(), took))

    @contextmanager
    def all_at_once(self) -> Iterator[None]:
        """What is laid out within, the page is told at the end, from its beginning."""
        self._muted = True
        try:
            yield
        finally:
            self._muted = False
        for document in self.seat.everything():
            self._tell(document)

    # --- A table across the network ---

    async def play(
        self,
        home: PlayerStore,
        invitation: Invitation,
        hosted: HostedTable | None = None,
        more: Sequence[TableSecret | ReadKey] = (),
    ) -> None:
        """From the lobby to the verified log; `more` are keys of later links. Raises `BadParameter` where there is no
        seat for this one."""
        watches = home.name is None
        self.sit("watcher" if watches else "player", home.name)
        participant = self.person.take_part(
            home,
            entropy=self._world.entropy,
            # A host has said what it wants to play.
            accept=ask_in_tab if hosted is None else decline_rehearsals,
            stays=stay_while_playable,
            table=invitation.table,
            host=invitation.host,
        )
        # Who had left, or sat out, is not dealt in again until it says so.
        participant.sits_out = participant.seated and participant.seat.went
        hosting = None if hosted is None else self._hosting(hosted)
        guest = None if watches else Guest(self.lobby.hear, self._known, self.questions)
        shown = self.lobby.shows(hosting or guest, 0 if hosted is None else hosted.seats)
        transport = RelayTransport(
            participant,
            invitation.key,
            invitation.relays,
            entropy=self._world.entropy,
            more=more,
            create=hosted is not None,
            emit=self._connection,
            connect=self._world.connect,
        )
        met = ContactsRecorder(participant, self._known, self.lobby.hear, lambda: self._world.wall() // 1000)
        codes = None if hosting is None else self._codes(invitation, home, hosting)
        after = (met.update, partial(self._new_links, LinkRotation(invitation), participant, transport))
        try:
            with suppress(TabLockedOut):
                await self._drive(
                    participant, transport, InTurn(shown, PolicyGroup(TimeoutVoter(), self.person)), hosting, after
                )
        finally:
            if codes is not None:
                await codes.stop()
        if participant.silenced is not None:
            raise BadParameter(participant.silenced)
        self._end(again=False)

    def _hosting(self, hosted: HostedTable) -> Hosting:
        wanted, awaits = TabPlan(hosted), hosted.awaits_keeper
        return Hosting(wanted, hosted.seats, self.lobby.hear, self._known, self.questions, invites_keeper=awaits)

    def _codes(self, invitation: Invitation, home: PlayerStore, hosting: Hosting) -> PairingCodes:
        """What a host shows and gives so that others come."""
        self.lobby.link, self.lobby.watch = invitation.link, invitation.to_watch().link
        world = PairingEnvironment(self._world.entropy, self._world.connect, time.monotonic)
        codes = PairingCodes(invitation, invitation.relays[0], home.identity, world, self.lobby.hear, hosting.admit)
        hosting.new_code = codes.give
        return codes

    async def practise(self, participant: Participant, transport: Transport) -> None:
        """A table with bots, in this browser."""
        await self._drive(participant, transport, PolicyGroup(TimeoutVoter(), self.person))
        self._end(again=True)

    async def _drive(
        self,
        participant: Participant,
        transport: Transport,
        looks: Policy,
        hosting: Hosting | None = None,
        after: Sequence[Callable[[], None]] = (),
    ) -> None:
        mind = None if participant.home.name is None else self.person
        see, asked = self.person.watch(participant), False

        def watch(step: Received) -> list[bytes]:
            nonlocal asked
            for news in step.happened:
                self._news(news, hosting)
                if isinstance(news, PassedOver) and news.mine and _turned_away(participant):
                    raise NameTaken(f"you cannot sit there as {participant.home.name}: {escape_controls(news.reason)}")
                if participant.is_sent_away(news) and not participant.hearing:
                    raise BadParameter("the host goes on without you at this table")
            for look in after:
                look()
            see(step)
            if (
                participant.begun
                and not participant.hearing
                and mind is not None
                and not participant.sits
                and not participant.sits_out
                and not asked
            ):
                # The table plays already: ask for a seat, and look on until there is one. Not for somebody who sat out
                # and lost its seat: who asks is dealt in, and it has not said that it is back.
                asked = True
                try:
                    frames = participant.ask_to_sit()
                except IllegalMove as refused:
                    raise BadParameter(f"you cannot sit at this table: {refused}") from None
                names = ", ".join(member.name for member in participant.members)
                self.seat.notice("note", "asks", "seat", players=names)
                return frames
            return []

        await Loop(participant, transport, mind, watch=watch, policy=looks).run()

    def _new_links(self, relinked: LinkRotation, participant: Participant, transport: RelayTransport) -> None:
        """The table has a new key: the links that others need now."""
        invitation = relinked.next_invitation(participant, transport.secret) if participant.begun else None
        if invitation is not None:
            self.seat.notice("note", "key", "key", link=invitation.link, watch=invitation.to_watch().link)

    def _news(self, news: object, hosting: Hosting | None) -> None:
        if isinstance(news, Refuses) and not news.mine:
            name, reason = news.name or "", escape_controls(news.reason)
            self.seat.notice("note", "declined", f"declined {name}", name=name, reason=reason)
            if hosting is not None:
                hosting.declined(news.by)
        elif isinstance(news, Refuses):
            raise BadParameter(f"this is not for you: {news.reason}")
        elif isinstance(news, OtherVersion):
            raise BadParameter(f"the host's program is of another version: {news.reason}")

    def _connection(self, line: ConnectionEvent) -> None:
        if isinstance(line, KeyMissing):
            self.seat.notice("bad", "locked", "connection")
            raise TabLockedOut
        kind, code = _CONNECTION[type(line)]
        if isinstance(line, RelayLost):
            self._lost = True
        if not isinstance(line, RelayFound) or self._lost:
            # What a relay may withhold stays to be read: else it would break the connection, and take the words back.
            self.seat.notice(kind, code, code if isinstance(line, Behind) else "connection")

    def _end(self, *, again: bool) -> None:
        self.verify()
        self.seat.tell(doc.Over(again=again))


class InTurn:
    """Looks on in the lobby, and then at the table."""

    def __init__(self, lobby: Policy, table: Policy) -> None:
        self._lobby = lobby
        self._table = table

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        return (self._table if participant.begun else self._lobby).on_tick(participant, now)


def _turned_away(one: Participant) -> bool:
    """Whether this player's offer does not count, though all is heard: somebody may have taken its name."""
    return not (one.begun or one.hearing or one.home.name is None) and one.lobby.mine is None
