"""The front end of a table in a terminal."""

from __future__ import annotations

import asyncio
import shlex
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup, out, print_line, print_lines
from nodealer.cli.terminal.choices import waiting_choices
from nodealer.cli.terminal.commands import LOBBY_VERBS, VERBS, is_host, resolve_command
from nodealer.cli.terminal.event_lines import describe_progress, event_lines
from nodealer.cli.terminal.input import LineReader
from nodealer.cli.terminal.progress import ProgressSign
from nodealer.cli.terminal.prompts import (
    HELP,
    NO,
    QUIT,
    RULES,
    YES,
    GamePrompts,
    ask_in_lobby,
    common_help,
    rules_lines,
)
from nodealer.cli.terminal.qr import print_qr
from nodealer.cli.verify import print_report
from nodealer.client import events
from nodealer.client.commands import Command
from nodealer.client.events import TableEvent
from nodealer.client.front_end import FrontEndGone
from nodealer.client.questions import LobbyQuestion
from nodealer.client.status import TableStatus
from nodealer.client.time_limits import describe_time_limits
from nodealer.engine.commands import ComeBack, LeaveTable, RemovePlayer, SitOut
from nodealer.engine.duties import TableDuty
from nodealer.engine.phases import Phase
from nodealer.engine.prompts import Decision, Question
from nodealer.engine.replica import Replica
from nodealer.errors import IllegalMove
from nodealer.games.text import Text, Words, table_lines
from nodealer.log.session import Proposal

#: What is said when the person sits out or comes back.
_CONFIRMED: Final[dict[type[Command], str]] = {SitOut: phrases.SIT_OUT, ComeBack: phrases.YOU_ARE_BACK}


#: How many typed commands may wait for the client.
TYPED_MAX: Final = 100


class TerminalUI:
    """Prints what happens at a table, and reads what the person types."""

    def __init__(
        self, *, name: str | None, network: bool, proofs: bool = False, lines: LineReader | None = None
    ) -> None:
        """Show a table on standard output.

        `name` is the player at the keyboard; None if no one types, as with bots and for spectators. `network`: the
        table is not on this machine. `proofs` shows every card operation as a line, not only as a sign of progress.
        """
        self.console = out()
        self._name = name
        self._network = network
        self._proofs = proofs
        self._lines = lines or (None if name is None else LineReader())
        self._progress = ProgressSign(self.console)
        self._prompts = GamePrompts(self._say_lines, self.say, self._ask)
        self._status: TableStatus | None = None
        #: The kinds of card operations that were already explained, and how many there were in this hand.
        self._explained: set[str] = set()
        self._steps = 0
        #: What the person was last told about the time.
        self._time = ""
        #: The players that a notice says the table is waiting for, and since when; and whether what can be done about
        #: it has to be printed.
        self._waits: dict[str, str] = {}
        self._choices_due = False
        self._choices: list[str] = []
        #: Whether the person wants to see the table, which cannot be read just now.
        self._table_due = False
        #: Whether the person is asked whether they want to leave, and which removal they have asked for.
        self._confirms_leave = False
        self._removes: str | None = None
        #: The open prompts, the commands that were typed, and what wakes `commands`.
        self._open = 0
        self._typed: deque[Command] = deque()
        self._wake = asyncio.Event()
        self._idle: asyncio.Task[str] | None = None
        self._listens = False

    @property
    def replica(self) -> Replica | None:
        """The table, once its players have agreed on a session."""
        return None if self._status is None else self._status.replica

    # --- What happens ---

    def show(self, event: TableEvent) -> None:
        """Print an event."""
        match event:
            case events.CardOperation():
                self._show_operation(event)
                return
            case events.SessionOpened():
                self._show_session(event)
            case events.TableLinks():
                self._show_links(event)
            case events.LogVerified():
                self._show_report(event)
            case events.GameContinued():
                self.say(phrases.continuing(describe_progress(self.replica)))
            case events.TableStuck(reason):
                self.say(phrases.game_stopped(describe_progress(self.replica), escape_markup(reason)))
            case events.PlayerAway() if not self._network:
                # At a local table there is no one to remove.
                return
            case _:
                self._show_lines(event)

    def _show_lines(self, event: TableEvent) -> None:
        """Print the lines of an event, and take note of what is needed later."""
        lines = event_lines(event, self._name)
        if lines:
            self._progress.stop()
        for line in lines:
            self.say(line)
        match event:
            case events.Began():
                self._steps = 0
            case events.ProposalReceived(proposal, warning, words):
                self._say_time(proposal, words, "  ")
                if warning is not None:
                    self.say(f"  [bold red]{escape_markup(warning)}[/]")
            case events.WaitingFor(name, since=since):
                self._waits[name] = since
                self._choices_due = self._name is not None
            case events.CommandRefused():
                self._removes = None
            case events.SeatsProposed(name) if name == self._name and self._removes is not None:
                self.say(phrases.removal_proposed(escape_markup(self._removes)))
                self.say(f"  {phrases.NEW_KEY_AFTER_LEAVING}")
                self._removes = None

    def _show_session(self, opened: events.SessionOpened) -> None:
        """Print what the players agreed on."""
        proposal = opened.proposal
        self.say(phrases.session(opened.session.hex()[:16], escape_markup(", ".join(opened.names))))
        note, protocol = escape_markup(opened.words.note), escape_markup(proposal.protocol.name)
        self.say(phrases.game_on_protocol(escape_markup(proposal.game.name), protocol, note))
        if proposal.rehearsal:
            self.say(phrases.REHEARSAL)
        else:
            self._say_time(proposal, opened.words)

    def _show_operation(self, event: events.CardOperation) -> None:
        """Show a card operation: a line with its proofs in a replay, a progress sign in a game."""
        self._steps += 1
        name, step = escape_markup(event.name), escape_markup(event.step)
        if self._proofs:
            details = escape_markup(", ".join([phrases.step_size(event.size), *event.proofs]))
            self.say(phrases.step(event.entry, name, step, details))
            if event.means and event.kind not in self._explained:
                self._explained.add(event.kind)
                self.say(phrases.step_meaning(step, escape_markup(event.means)))
            return
        self._show_lines(event)
        self._progress.show(phrases.step_progress(name, escape_markup(event.doing or event.step), self._steps))

    def _show_links(self, event: events.TableLinks) -> None:
        """Print the links by which others come to the table."""
        self.say(phrases.spectator_link(event.seats))
        self.say(f"\n{escape_markup(event.watch)}\n")
        # Last, so that a small window still shows it: it is what most hosts want to send.
        self.say(phrases.PLAYER_LINK)
        if self.console.is_terminal:
            print_qr(self.console, event.link)
        self.say(f"\n{escape_markup(event.link)}\n")
        # If the game is not installed, each player needs its file.
        game = f" --game {escape_markup(shlex.quote(event.place))}" if ":" in event.place else ""
        self.say(phrases.how_to_join(game, page=event.has_page))
        if event.asks_host:
            self.say(phrases.WAITING_FOR_GUESTS)

    def _show_report(self, event: events.LogVerified) -> None:
        """Print where the log is, and what its verification found."""
        self._progress.stop()
        where = "" if event.path is None else phrases.log_in(escape_markup(event.path))
        self.say(f"{where} {escape_markup(event.next_step)}".rstrip())
        print_report(self.console, event.report, brief=True)

    def _say_time(self, proposal: Proposal, words: Words, indent: str = "") -> None:
        """Say whether there is a timekeeper and what that means, once."""
        about = describe_time_limits(proposal, words)
        if about != self._time:
            self._time = about
            self.say(f"[dim]{indent}{escape_markup(about)}[/dim]")

    def say(self, markup: str) -> None:
        """Print a line of markup, above an open question."""
        with self._aside():
            print_line(self.console, markup)

    def _say_lines(self, *lines: Text) -> None:
        """Print a game's lines, above an open question."""
        with self._aside():
            print_lines(self.console, lines)

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """Return a context for printing, which keeps an open question below."""
        with nullcontext() if self._lines is None else self._lines.aside():
            yield

    # --- The status ---

    def status(self, status: TableStatus) -> None:
        """Keep the status of the table, and print what waited for it."""
        self._status = status
        awaited = {name: wait.at for name, wait in status.awaited.items()}
        self._waits = {name: since for name, since in self._waits.items() if awaited.get(name) == since}
        if self._choices_due:
            self._choices_due = False
            self._show_choices(status)
        if self._table_due:
            self._table_due = False
            self._say_lines(*self._table_lines(status))
        self._hide_progress()
        self._update_listening()

    def _show_choices(self, status: TableStatus) -> None:
        """Print what the person can do about a player whom the table waits for, if that has changed."""
        if not self._waits or (status.has_session and status.seat is None):
            return
        choices = waiting_choices(status, next(iter(self._waits)))
        for line in choices if choices != self._choices else ():
            self.say(line)
        self._choices = choices

    def _hide_progress(self) -> None:
        """Hide the progress sign while the person types, or may want to."""
        status = self._status
        idle = self._name is not None and status is not None and status.options.required is None
        waits = idle and status is not None and (self._has_to_answer(status) or _waits_for_move(status))
        self._progress.hide(self._open > 0 or waits)

    def _has_to_answer(self, status: TableStatus) -> bool:
        """Return whether there is something that the person can answer although nothing is asked."""
        return bool(
            self._waits
            or self._typed
            or self._confirms_leave
            or is_host(status)
            or status.gone is not None
            or status.sits_out
            or status.requests
            or status.rosters
            or (status.away and self._network)
            or status.options.unreadable is not None
            or status.options.hands_to_disclose
        )

    def _table_lines(self, status: TableStatus) -> Sequence[Text]:
        """Return the table as lines, for a person who is not asked anything, with the players it waits for."""
        last = phrases.not_your_turn(", ".join(status.awaited))
        view = status.view
        if view is None:
            return ("", phrases.NO_HAND, last)
        nothing = phrases.NO_HAND if view.game is None else phrases.NOTHING_TO_SHOW
        return ("", *(table_lines(self._words, view) or (nothing,)), last)

    @property
    def _words(self) -> Words:
        """The texts of the game that is played."""
        return Words() if self.replica is None else self.replica.config.words

    # --- What the person is asked ---

    async def prompt(self, question: Question | LobbyQuestion) -> Decision | bool:
        """Ask the person. Raise `FrontEndGone` if they quit."""
        self._open += 1
        self._hide_progress()
        self._update_listening()
        try:
            if self._idle is not None:
                # A line that is read for nothing must not take the answer.
                self._idle.cancel()
                await asyncio.wait({self._idle})
            if isinstance(question, LobbyQuestion):
                return await ask_in_lobby(question, self._ask_lobby)
            return await self._prompts.decide(self._words, question)
        finally:
            self._open -= 1
            self._hide_progress()
            self._update_listening()

    async def _ask(self, prompt: str) -> str:
        """Return a line that is for the game. What is for the table becomes a command."""
        while True:
            line = await self._ask_lobby(prompt, self._take_command)
            if not self._take_command(line):
                return line

    async def _ask_lobby(self, prompt: str, take: Callable[[str], bool] = lambda line: False) -> str:
        """Return the line that answers a prompt. Raise `FrontEndGone` if the person quits.

        A line that was typed for the question before is none. `take` uses it, if it is for something else.
        """
        if self._lines is None:
            await asyncio.Event().wait()
            raise FrontEndGone
        for early in self._lines.take_unasked():
            _raise_if_quit(early)
            if not take(early):
                self.say(phrases.TYPED_TOO_EARLY.rstrip())
        line = await self._lines.answer(prompt)
        _raise_if_quit(line)
        return line

    # --- What the person wants ---

    async def commands(self) -> AsyncGenerator[Command, None]:
        """Yield what the person types for the table. Raise `FrontEndGone` if they quit."""
        while True:
            while self._typed:
                yield self._typed.popleft()
            self._wake.clear()
            if not self._listens or self._lines is None:
                await self._wake.wait()
                continue
            line = await self._read_idle(self._lines)
            if line is not None:
                self._take_idle(line)

    async def _read_idle(self, lines: LineReader) -> str | None:
        """Return a line that no question asked for; None if something else is to be done first."""
        waking = asyncio.ensure_future(self._wake.wait())
        self._idle = asyncio.ensure_future(lines.next())
        try:
            await asyncio.wait({waking, self._idle}, return_when=asyncio.FIRST_COMPLETED)
            return self._idle.result() if self._idle.done() and not self._idle.cancelled() else None
        finally:
            waking.cancel()
            self._idle.cancel()
            self._idle = None

    def _update_listening(self) -> None:
        """Decide whether to read what is typed while nothing is asked, and wake `commands` if that has changed.

        Input from a file or a program is for the next question, unless there is something to answer now.
        """
        status, lines = self._status, self._lines
        listens = False
        if status is not None and lines is not None and self._name is not None and not self._open:
            listens = status.options.required is None and (lines.typed or self._has_to_answer(status))
        if listens != self._listens:
            self._listens = listens
            self._wake.set()

    def _take_idle(self, line: str) -> None:
        """Handle a line that no question asked for. Raise `FrontEndGone` if the person quits."""
        _raise_if_quit(line)
        word, status = line.strip().lower(), self._status
        if status is None or self._take_command(line):
            return
        if is_host(status):
            if word:
                self.say(phrases.LOBBY_COMMANDS)
        elif status.lobby is not None:
            self.say(phrases.NOT_BEGUN)
        elif not word or word in HELP:
            self._show_table(status)
            if word:
                self._say_lines(common_help(self._words))
        elif word in RULES:
            self._say_lines(*rules_lines(self._words))
        else:
            self.say(phrases.NOT_YOUR_TURN)

    def _show_table(self, status: TableStatus) -> None:
        """Print the table. If frames are just being checked, it is printed as soon as they are."""
        self._table_due = status.view is None and status.state is not None and status.state.phase is Phase.PLAYING
        if not self._table_due:
            self._say_lines(*self._table_lines(status))

    def _take_command(self, line: str) -> bool:
        """Queue a command for the table, or refuse it. Return whether the line was for the table."""
        status, words = self._status, line.split()
        if status is None:
            return False
        if self._confirms_leave and self._confirm_leave(" ".join(words).lower(), status):
            return True
        if not words or words[0].lower() not in (LOBBY_VERBS if is_host(status) else VERBS):
            return False
        verb, rest = words[0].lower(), " ".join(words[1:])
        try:
            if len(self._typed) >= TYPED_MAX:
                raise IllegalMove(phrases.TOO_MANY_COMMANDS)
            self._order(resolve_command(verb, rest, status, network=self._network), status)
        except IllegalMove as refused:
            self.say(phrases.refused(escape_markup(words[0]), escape_markup(refused)))
        return True

    def _order(self, command: Command, status: TableStatus) -> None:
        """Queue a command. Leaving is confirmed first. If it is not possible, the client says why."""
        stays = status.actions.leave
        if stays and isinstance(command, LeaveTable):
            self._confirms_leave = True
            self.say(phrases.confirm_leave(in_hand=_plays(status)))
            return
        if stays and type(command) in _CONFIRMED:
            self.say(_CONFIRMED[type(command)])
        if isinstance(command, RemovePlayer):
            self._removes = command.name
        self._queue(command)

    def _confirm_leave(self, answer: str, status: TableStatus) -> bool:
        """Take a line as the answer to whether the person wants to leave. Anything but yes means no.

        Return whether it was an answer: another line is for the game.
        """
        self._confirms_leave = False
        if answer in YES:
            self.say(phrases.you_leave(in_hand=_plays(status)))
            self._queue(LeaveTable())
            return True
        self.say(phrases.YOU_STAY)
        return answer in ("", *NO)

    def _queue(self, command: Command) -> None:
        """Queue a command for `commands`."""
        self._typed.append(command)
        self._wake.set()


def _raise_if_quit(line: str) -> None:
    """Raise `FrontEndGone` if the person wants to quit."""
    if line.strip().lower() in QUIT:
        raise FrontEndGone


def _plays(status: TableStatus) -> bool:
    """Return whether this player takes part in the hand that is being played."""
    state = status.state
    return state is not None and state.phase is Phase.PLAYING and status.seat in state.present


def _waits_for_move(status: TableStatus) -> bool:
    """Return whether the table waits for a player's move, and no card operation is running."""
    owed = {} if status.state is None else status.state.duties.open
    duties = (duty for awaited in status.awaited.values() for duty in awaited.duties)
    return any(duty in owed and owed[duty].duty.kind == TableDuty.MOVE for duty in duties)
