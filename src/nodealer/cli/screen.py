"""Shows a game while it is played: progress while the deck is made, and a line for each public action."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.status import Status

from nodealer.cli import text as phrases
from nodealer.cli.narrator import event_lines
from nodealer.cli.output import err, escape_markup, out, print_json_line, print_line
from nodealer.client import events
from nodealer.client.event_json import event_json, event_tag
from nodealer.client.events import CardOperation, GameSummary, ReadyForHand, SessionOpened, TableEvent
from nodealer.client.narrator import Narrator
from nodealer.client.time_limits import describe_time_limits
from nodealer.engine.bodies import Begin
from nodealer.engine.frame_result import Diverged, Received, Silenced
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied, Replica
from nodealer.engine.state import TableState
from nodealer.games.text import Words
from nodealer.log.session import Proposal


class Screen:
    """Shows a replica's game as entries come in."""

    def __init__(self, json: bool, *, proofs: bool = False) -> None:
        """Create a screen for people, or for programs if `json`. `proofs` shows every card operation as a line."""
        self.json = json
        #: Whether every card operation is a line, not only a sign of progress.
        self._proofs = proofs
        self.console = err() if json else out()
        #: The table that is shown, once its players have agreed on a session.
        self.replica: Replica | None = None
        self._narrator = Narrator(Words(), {})
        #: The kinds of card operations that were already explained.
        self._explained: set[str] = set()
        self._hand = -1
        self._status: Status | None = None
        #: The context for printing, which keeps an open question below.
        self.aside: Callable[[], AbstractContextManager[None]] = nullcontext
        self._asking = 0
        self._still = False
        #: What the person was last told about the time.
        self._time = ""
        self._steps = 0

    def open(self, replica: Replica, you: int | None = None) -> None:
        """Show the session that the players have agreed on. `you` is the seat of the person at this screen."""
        self.replica = replica
        if replica.state.phase is Phase.PLAYING:
            # A player who comes back in the middle of a hand sees no heading for it.
            self._hand = replica.state.hand.number
        self._narrator = Narrator.for_table(replica.config, you)
        proposal = replica.config.session.proposal
        names = tuple(proposal.roster.member(seat).name for seat in proposal.roster.awaited)
        opened = SessionOpened(replica.config.session.id, names, proposal, replica.config.words)
        self.emit(opened)
        if not self.json:
            self._print_session(opened)

    def _print_session(self, opened: SessionOpened) -> None:
        """Print what was agreed."""
        proposal = opened.proposal
        self.say(phrases.session(opened.session.hex()[:16], escape_markup(", ".join(opened.names))))
        note, protocol = escape_markup(opened.words.note), escape_markup(proposal.protocol.name)
        self.say(phrases.game_on_protocol(escape_markup(proposal.game.name), protocol, note))
        if proposal.rehearsal:
            self.say(phrases.REHEARSAL)
        else:
            self.say_time(proposal, opened.words)

    def follow(self, participant: Participant, *, you: bool = False) -> Callable[[Received], list[bytes]]:
        """Return a watcher that shows what a participant sees. `you`: the participant is the person at this screen."""

        def watch(step: Received) -> list[bytes]:
            """Show everything that happened in one step. Sends no frames."""
            mine = participant.seat.number if you and participant.has_session and participant.has_seat else None
            if participant.has_session and self.replica is None:
                self.open(participant.replica, mine)
            elif self.replica is not None and mine is not None and mine != self._narrator.you:
                # A newcomer has been seated.
                self._narrator = Narrator.for_table(self.replica.config, mine)
            for one in step.happened:
                if isinstance(one, Applied):
                    self.tell(one)
                elif isinstance(one, Diverged):
                    self._show_divergence(participant, one)
                elif isinstance(one, Silenced):
                    self.say(f"[red]{escape_markup(one.reason)}[/red]")
            return []

        return watch

    def tell(self, applied: Applied) -> None:
        """Show an entry that was accepted."""
        # The last `begin` starts the hand. If no further hand is possible, it starts none.
        starts = isinstance(applied.body, Begin)
        if starts:
            self._print_heading(applied.after)
        for event in self._narrator.describe(applied):
            self._show(event)
        if not starts:
            self._print_heading(applied.after)

    def _print_heading(self, state: TableState) -> None:
        """Print the heading of a hand that has begun."""
        if state.phase is Phase.PLAYING and state.hand.number != self._hand:
            self._hand, self._steps = state.hand.number, 0
            if not self.json:
                self._show_progress(None)
                self.say(phrases.hand_heading(self._hand + 1))

    def _show_divergence(self, participant: Participant, parted: Diverged) -> None:
        """Report that a player's log has diverged from this one."""
        name = participant.replica.state.all_members[parted.seat].name
        self.emit(events.Diverged(name, seat=parted.seat, theirs=parted.theirs, ours=parted.ours))
        if not self.json:
            self.say(phrases.diverged(escape_markup(name), parted.theirs.hex()[:16], parted.ours.hex()[:16]))

    def print_summary(self, replica: Replica, seconds: float) -> None:
        """Print the summary of the game: entries, sizes and proofs."""
        self._show_progress(None)
        size = sum(map(len, replica.entries))
        # Of the whole log, including what was played before this process. The kind comes first in a body.
        cards = sum(len(entry) for entry in replica.entries if b'"body":{"type":"cards"' in entry)
        proofs = replica.checks_settled
        self.emit(GameSummary(seconds, replica.height, size, proofs, cards))
        if not self.json:
            self.say(phrases.summary(replica.height, size / 1000, cards / 1000, proofs, seconds))

    def say_time(self, proposal: Proposal, words: Words, indent: str = "") -> None:
        """Say whether there is a timekeeper and what that means, once."""
        about = describe_time_limits(proposal, words)
        if about != self._time:
            self._time = about
            self.say(f"[dim]{indent}{escape_markup(about)}[/dim]")

    def say(self, text: str) -> None:
        """Print a line for people."""
        with self.aside():
            print_line(self.console, text)

    def stop_progress(self) -> None:
        """Stop the progress sign until the next step: the table waits for a person."""
        self._show_progress(None)

    def hide_progress(self, hidden: bool) -> None:
        """Allow or forbid the progress sign.

        It is hidden while the person may type, because it would overwrite the line.
        """
        self._still = hidden
        if hidden:
            self._show_progress(None)

    def emit(self, event: TableEvent) -> None:
        """Print an event for programs. Does nothing for people, or if the event has no line."""
        if self.json and (line := event_json(event)) is not None:
            print_json_line(line)

    def _show(self, event: TableEvent) -> None:
        """Show an event of the narrator. Events without a `--json` line are for the library."""
        if self.json:
            self.emit(event)
        elif isinstance(event, CardOperation):
            self._step(event)
        elif not isinstance(event, ReadyForHand) and event_tag(event) is not None:
            self._show_progress(None)
            self._say_event(event)

    def _step(self, event: CardOperation) -> None:
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
        if event.text:
            self._show_progress(None)
            self._say_event(event)
        self._show_progress(phrases.step_progress(name, escape_markup(event.doing or event.step), self._steps))

    def _say_event(self, event: TableEvent) -> None:
        """Print an event as text."""
        for line in event_lines(event):
            self.say(line)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Keep the progress sign away from the line in which the person types."""
        self._show_progress(None)
        self._asking += 1
        try:
            yield
        finally:
            self._asking -= 1

    def _show_progress(self, text: str | None) -> None:
        """Show or stop the progress sign, such as while the deck is shuffled. None stops it."""
        if text is None:
            if self._status is not None:
                self._status.stop()
                self._status = None
        elif self.console.is_terminal and not self._asking and not self._still:
            if self._status is None:
                signs = "dots" if self.console.encoding.startswith("utf") else "line"
                self._status = self.console.status(text, spinner=signs)
                self._status.start()
            self._status.update(text)
