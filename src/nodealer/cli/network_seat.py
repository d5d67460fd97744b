"""One seat at a table on the network, from the lobby to the verified log: the host's, a guest's, or a spectator's."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from nodealer.audit.background import in_background
from nodealer.audit.report import Report
from nodealer.audit.verify import verify_file
from nodealer.cli import text as phrases
from nodealer.cli.browser_table import Page, PageScreen, serve_page
from nodealer.cli.line_input import LineReader
from nodealer.cli.notices import MissingFrames
from nodealer.cli.output import PipeClosed, err, escape_markup, print_line
from nodealer.cli.program import Program
from nodealer.cli.screen import Screen
from nodealer.cli.terminal import Person
from nodealer.cli.terminal_lobby import LobbyScreen, Questions
from nodealer.cli.user import User
from nodealer.cli.verify import print_report
from nodealer.cli.wait_notices import NOTICE_AFTER, PersonAtTable, WaitNotices
from nodealer.client.agents import Agent, BotAgent
from nodealer.client.bot_roster_policy import BotRosterPolicy
from nodealer.client.contacts import Contacts, ContactsRecorder
from nodealer.client.entropy import system_entropy
from nodealer.client.events import (
    Agreed,
    ConnectionChanged,
    Declined,
    GotSeat,
    LogVerified,
    NewLinks,
    SeatAsked,
    SeatLost,
    TableEvent,
)
from nodealer.client.game_loader import load_game_or_none
from nodealer.client.keyring import Keyring
from nodealer.client.link_rotation import LinkRotation
from nodealer.client.lobby import Asks, Guest, Hosting, Onlooker, ask_first
from nodealer.client.log_export import LogCopy, follow_all
from nodealer.client.loop import Loop
from nodealer.client.policies import Policy, PolicyGroup, TimeoutVoter
from nodealer.client.relay_transport import (
    Behind,
    ConnectionEvent,
    KeyMissing,
    RelayFound,
    RelayLost,
    RelayTransport,
    WriteRefused,
)
from nodealer.client.table_folders import TableFolder
from nodealer.engine.frame_result import Received
from nodealer.engine.leave_policy import stay_while_playable
from nodealer.engine.lobby import decline_rehearsals
from nodealer.engine.lobby_messages import FrameIgnored, ProposalDeclined, VersionMismatch
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.prompts import Decision, Question
from nodealer.engine.replica import Replica
from nodealer.engine.resolve import resolve_parts
from nodealer.errors import BadParameter, IllegalMove, RelayError
from nodealer.log.roster import TIMEKEEPER
from nodealer.web import messages as doc
from nodealer.wordlist import key_words

#: After how many seconds a notice says that the table waits for a person.
PEOPLE_THINK: Final = 20.0
#: After how many seconds a bot votes to go on without a silent player.
PATIENCE: Final = 60.0


class SeatAgent:
    """The agent and policy of one seat.

    In the lobby the game is not known yet; `seat` creates both when the players have agreed.
    """

    def __init__(
        self,
        participant: Participant,
        missing: MissingFrames,
        lobby: Policy | None,
        seat: Callable[[Participant], tuple[Agent | None, Policy]],
    ) -> None:
        """Create the agent of a lobby.

        `seat` creates agent and policy for the game; `lobby` is the policy until then.
        """
        self._participant = participant
        self._missing = missing
        self._lobby = lobby
        self._seat = seat
        self._seated: dict[bool, tuple[Agent | None, Policy]] = {}

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Run the policy of the current phase, lobby or game, and return the frames to send."""
        if not participant.has_session:
            self._missing.on_tick(participant, now)
            return [] if self._lobby is None else self._lobby.on_tick(participant, now)
        return self._now[1].on_tick(participant, now)

    async def decide(self, question: Question) -> Decision:
        """Let the seat's agent answer a question of the game."""
        mind = self._now[0]
        if mind is None:
            raise IllegalMove(phrases.SPECTATORS_DECIDE_NOTHING)
        return await mind.decide(question)

    @property
    def _now(self) -> tuple[Agent | None, Policy]:
        """Return the agent and the policy. A player who has asked for a seat watches until they have one."""
        seated = self._participant.has_seat
        if seated not in self._seated:
            self._seated[seated] = self._seat(self._participant)
        return self._seated[seated]


@dataclass(frozen=True)
class Sitting:
    """A user's part in one table on the network: the saved table, the screen, and who decides."""

    table: TableFolder
    screen: Screen
    copies: Sequence[LogCopy] = ()
    #: Whether a bot takes over for a person.
    bot: bool = False
    #: Whether to ask for a seat if the game has already begun.
    ask: bool = False

    @property
    def auto(self) -> bool:
        """Return whether a bot plays."""
        return self.bot or self.table.what.auto

    @property
    def relays(self) -> tuple[str, ...]:
        """Return the addresses of the table's relays.

        A host's own relay is on this machine, whatever its address is for others.
        """
        hosted = self.table.what.hosted
        if hosted is None or hosted.listen is None:
            return self.table.invitation.relays
        return (f"ws://127.0.0.1:{hosted.listen.rpartition(':')[2]}",)

    @property
    def watches(self) -> bool:
        """Return whether this is a spectator."""
        return self.table.what.name is None

    @property
    def by_hand(self) -> bool:
        """Return whether a person plays, at the keyboard or on a page."""
        return not (self.auto or self.watches) and (self.page is not None or not self.screen.json)

    @property
    def page(self) -> Page | None:
        """Return the page on which this is shown, or None."""
        return self.screen.page if isinstance(self.screen, PageScreen) else None

    @property
    def tell(self) -> Callable[[TableEvent], None]:
        """Return the function that shows the news of the lobby."""
        return LobbyScreen(self.screen) if self.page is None else self.page.lobby.on_event

    def questions(self, lines: LineReader) -> Asks | None:
        """Return what asks the person in the lobby, or None if a bot or a program plays."""
        if not self.by_hand:
            return None
        return Questions(lines) if self.page is None else self.page.questions

    def seat(self, participant: Participant, lines: LineReader) -> tuple[Agent | None, Policy]:
        """Create the agent and the policy, once the game is known."""
        config, screen = participant.replica.config, self.screen
        names = [member.name for member in participant.members]
        game = config.package
        if self.page is not None and not self.auto:
            page_person = self.page.person
            return None if self.watches else page_person, PolicyGroup(
                TimeoutVoter(), WaitNotices(screen, names), page_person
            )
        if self.watches or game is None or not participant.has_seat:
            return None, WaitNotices(screen, names)
        if self.auto:
            seats = 0 if self.table.what.hosted is None else self.table.what.hosted.seats
            return BotAgent(game, participant.store.root), PolicyGroup(TimeoutVoter(PATIENCE), BotRosterPolicy(seats))
        if screen.json:
            return Program(game), PolicyGroup(WaitNotices(screen, names), TimeoutVoter(), BotRosterPolicy())
        person = Person(game.words, screen.asking, lines)
        return person, PersonAtTable(person, screen, names, PEOPLE_THINK, across=True)


# --- From the lobby to the end ---


class LockedOut(Exception):
    """The table has a new key that this user does not have, so nothing more can be read."""


@dataclass
class _Connection:
    """Reports the state of the connection.

    A user who comes for the first time and finds no relay gets an error instead of waiting.
    """

    screen: Screen
    relays: int
    patient: bool
    #: Called at the first connection.
    there: Callable[[], None] = lambda: None
    _found: bool = False
    _failed: int = 0
    _lost: bool = False
    #: Whether it was reported that the relay rejects messages, which it may do again and again.
    _unheard: bool = False
    #: Whether that ended the last connection: then the next one is not reported.
    _refused: bool = False

    def tell(self, line: ConnectionEvent) -> None:
        """Report a change of the connection."""
        if isinstance(line, RelayFound):
            if self._lost:
                self._say(ConnectionChanged("found", line.relay), phrases.reconnected(escape_markup(line.relay)))
            self._unheard = self._unheard and self._refused
            self.patient, self._lost, self._refused = True, False, False
            if not self._found:
                self._found = True
                self.there()
        elif isinstance(line, WriteRefused) or (isinstance(line, RelayLost) and line.refused):
            self._refused = isinstance(line, RelayLost)
            if not self._unheard:
                rejected = phrases.messages_rejected(escape_markup(line.reason), retrying=self._refused)
                self._say(ConnectionChanged("unheard", line.relay, line.reason, self._refused), rejected)
            self._unheard = True
        elif isinstance(line, Behind):
            self._say(ConnectionChanged("behind", line.relay), phrases.newer_key(escape_markup(line.relay)))
        elif isinstance(line, KeyMissing):
            self._say(ConnectionChanged("locked", line.relay), phrases.LOCKED_OUT)
            raise LockedOut
        else:
            self._failed += 1
            if not self.patient and self._failed >= self.relays:
                raise RelayError(line.reason)
            if not self._lost and self.patient:
                lost = ConnectionChanged("lost", line.relay, line.reason)
                self._say(lost, phrases.connection_lost(escape_markup(line.reason)))
            self._lost = True

    def _say(self, event: ConnectionChanged, text: str) -> None:
        """Emit the change as an event with `--json`, or else print the text."""
        self.screen.emit(event)
        if not self.screen.json:
            self.screen.say(text)


class _Watch:
    """Shows what happens, writes the copies of the log, and prints the words that people compare."""

    def __init__(
        self,
        sitting: Sitting,
        participant: Participant,
        hosting: Hosting | None,
        known: Contacts,
        transport: RelayTransport,
    ) -> None:
        """Watch this participant. `hosting` is None for guests and spectators."""
        self._sitting = sitting
        self._transport = transport
        self._relinked = LinkRotation(sitting.table.invitation)
        self._participant = participant
        self._hosting = hosting
        self._known = ContactsRecorder(participant, known, sitting.tell, lambda: int(time.time()))
        self._show = sitting.screen.follow(participant, you=not sitting.watches)
        self._agreed = False
        self._asked = False
        self._sits = False

    def see(self, step: Received) -> list[bytes]:
        """Handle the result of a frame, and return the frames to send.

        Raises `BadParameter` if the user cannot play here.
        """
        screen = self._sitting.screen
        for news in step.happened:
            if isinstance(news, ProposalDeclined) and not news.mine:
                screen.emit(Declined(news.name or "", news.reason))
                if not screen.json:
                    screen.say(phrases.has_declined(escape_markup(news.name), escape_markup(news.reason)))
                if self._hosting is not None:
                    self._hosting.declined(news.by)
            elif isinstance(news, ProposalDeclined):
                raise BadParameter(phrases.not_for_you(news.reason))
            elif isinstance(news, VersionMismatch):
                raise BadParameter(phrases.other_version(news.reason))
            elif self._participant.is_own_dismissal(news) and not self._participant.is_catching_up:
                raise BadParameter(phrases.SENT_AWAY)
            elif isinstance(news, FrameIgnored) and news.mine and self._is_turned_away:
                raise BadParameter(phrases.name_refused(self._participant.store.name, news.reason))
        self._known.update()
        self._show(step)
        if not self._participant.has_session:
            return []
        follow_all(self._sitting.copies, self._participant.replica)
        frames = self._ask_for_seat()
        self._show_words()
        self._announce_seat()
        self._new_links()
        return frames

    def _announce_seat(self) -> None:
        """Tell a player who asked for a seat that they have one."""
        one, screen = self._participant, self._sitting.screen
        if self._asked and one.is_in_roster and not self._sits:
            self._sits = True
            screen.emit(GotSeat(one.seat.number))
            if not screen.json:
                screen.say(phrases.YOU_HAVE_A_SEAT)

    def _new_links(self) -> None:
        """Print the new links after the table got a new key."""
        invitation, screen = (
            self._relinked.next_invitation(self._participant, self._transport.secret),
            self._sitting.screen,
        )
        if invitation is None:
            return
        to_watch = invitation.for_spectators().link
        screen.emit(NewLinks(invitation.key.epoch, invitation.link, to_watch))
        if not screen.json:
            screen.say(phrases.NEW_SPECTATOR_LINK)
            screen.console.print(f"\n{escape_markup(to_watch)}\n", soft_wrap=True)
            screen.say(phrases.NEW_PLAYER_LINK)
            screen.console.print(f"\n{escape_markup(invitation.link)}\n", soft_wrap=True)

    def _ask_for_seat(self) -> list[bytes]:
        """Ask for a seat at a table that is already playing, once all of its log has been received."""
        one, sitting = self._participant, self._sitting
        if one.is_in_roster or sitting.watches or self._asked or one.is_catching_up:
            return []
        self._asked = True
        if one.has_seat and not sitting.ask and not one.is_over:
            sitting.screen.emit(SeatLost())
            if not sitting.screen.json:
                sitting.screen.say(phrases.REMOVED)
            raise LockedOut
        names = tuple(member.name for member in one.members if member.role != TIMEKEEPER)
        if not sitting.ask or one.is_over:
            raise BadParameter(phrases.no_seat(", ".join(names)))
        try:
            frames = one.request_seat()
        except IllegalMove as refused:
            raise BadParameter(phrases.cannot_sit(refused)) from None
        sitting.screen.emit(SeatAsked(names, one.store.identity.public))
        if not sitting.screen.json:
            words = " ".join(key_words(one.store.identity.public))
            sitting.screen.say(phrases.asked_for_seat(escape_markup(", ".join(names))))
            sitting.screen.say(phrases.own_key_words(words))
        return frames

    @property
    def _is_turned_away(self) -> bool:
        """Return whether this player's offer was not accepted although everything has been received.

        Another player may have taken the name.
        """
        one = self._participant
        return not (one.has_session or one.is_catching_up or self._sitting.watches) and one.lobby.own_offer is None

    def _show_words(self) -> None:
        """Print the words of the table once, for the players to compare."""
        if self._agreed:
            return
        self._agreed = True
        one, screen = self._participant, self._sitting.screen
        screen.emit(Agreed(tuple(member.name for member in one.members), one.session_words))
        if not screen.json:
            screen.say(phrases.table_words(" ".join(one.session_words)))
            screen.say(phrases.COMPARE_WORDS)


async def take_part(
    sitting: Sitting, user: User, hosting: Hosting | None, lines: LineReader, there: Callable[[], None] = lambda: None
) -> Participant:
    """Take part in the table until nothing more comes from this seat, and return the participant.

    `there` is called when the relay first has the table. Raises `BadParameter` if there is no seat for the user.
    """
    table, screen = sitting.table, sitting.screen
    invitation, what = table.invitation, table.what
    lobby: Policy | None = hosting
    game, screen.aside = load_game_or_none(what.place), lines.aside
    if hosting is None:
        tell = sitting.tell
        lobby = Onlooker(tell) if sitting.watches else Guest(tell, user.known, sitting.questions(lines), game)
    page = sitting.page
    make: Callable[..., Participant] = partial(Participant, by_person=sitting.by_hand)
    if page is not None:
        make = page.person.create_participant
        lobby = page.lobby.showing_policy(lobby, 0 if what.hosted is None else what.hosted.seats)
    with user.home(table) as home:
        keys = Keyring((invitation.key, *table.later_keys), system_entropy)
        with in_background() as begin:
            participant = make(
                home,
                entropy=system_entropy,
                accept=decline_rehearsals if hosting is not None else ask_first,
                stay_policy=stay_while_playable,
                table=invitation.table,
                host=invitation.host,
                parts=partial(resolve_parts, game=game),
                check_runner=begin,
                keys=keys,
            )
        chair = SeatAgent(participant, MissingFrames(screen, NOTICE_AFTER), lobby, partial(sitting.seat, lines=lines))
        been_here = bool(home.lobby)
        connection = _Connection(screen, len(sitting.relays), patient=been_here, there=there)
        transport = RelayTransport(
            participant,
            keys,
            sitting.relays,
            entropy=system_entropy,
            create=hosting is not None,
            emit=connection.tell,
        )
        watch = _Watch(sitting, participant, hosting, user.known, transport)
        mind = None if sitting.watches else chair
        with suppress(LockedOut):
            await Loop(participant, transport, mind, watch=watch.see, policy=chair).run()
        if participant.silenced is not None:
            raise BadParameter(f"{table.folder}: {participant.silenced}")
        return participant


def play_and_verify(sitting: Sitting, playing: Callable[[], Coroutine[Any, Any, Participant]]) -> int:
    """Run `playing`, verify the log, and return the exit code. If it is interrupted, say how to continue."""
    started = time.perf_counter()
    try:
        if isinstance(sitting.screen, PageScreen):
            return asyncio.run(_play_on_page(sitting, sitting.screen, playing))
        participant = asyncio.run(playing())
    except (KeyboardInterrupt, PipeClosed):
        replica = sitting.screen.replica
        log = None if replica is None else escape_markup(sitting.table.log)
        hosted = sitting.table.what.hosted
        own_relay = hosted is not None and hosted.listen is not None
        print_line(err(), phrases.table_interrupted(sitting.table.name, log, own_relay=own_relay))
        raise
    replica = participant.replica
    sitting.screen.print_summary(replica, time.perf_counter() - started)
    return _verify_log(sitting, replica).exit_code


async def _play_on_page(
    sitting: Sitting, screen: PageScreen, playing: Callable[[], Coroutine[Any, Any, Participant]]
) -> int:
    """Play on a page and verify the log there. Return the exit code once the person has closed the page."""
    table, page = sitting.table, screen.page
    async with serve_page(page, screen.at):
        page.log = table.kept_log
        participant = await playing()
        replica = participant.replica
        page.log = table.kept_log if any(copy.left is not None for copy in sitting.copies) else table.log
        page.game = replica.config.package
        report = await page.verify()
        if report is not None and replica.state.phase is Phase.ENDED:
            table.end(report.verdict, len(report.chronicle.records))
        page.seat.send(doc.TableOver(again=False))
        await page.until_left()
        return 0 if report is None else report.exit_code


def _verify_log(sitting: Sitting, replica: Replica) -> Report:
    """Verify the log from its file alone, and print or emit the report."""
    table, screen = sitting.table, sitting.screen
    path = table.kept_log if any(copy.left is not None for copy in sitting.copies) else table.log
    report = verify_file(path, entropy=system_entropy, game=replica.config.package)
    if replica.state.phase is Phase.ENDED:
        table.end(report.verdict, len(report.chronicle.records))
    if screen.json:
        screen.emit(LogVerified(str(path), report))
    else:
        screen.say(phrases.log_in(escape_markup(path)))
        print_report(screen.console, report, brief=True)
    return report
