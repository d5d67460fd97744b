"""Notices about the players that the table is waiting for, shown after a while with what the person can do about it.

A person can type commands for the table at any time: `without Ben`, `break`, `leave`, `sit out`, `back`, `seat Dan`,
`remove Cy` or `agree`; in a dispute `claim` and `book`; and Enter to see the table. If all players are bots, an
overseer notices when nothing more can happen.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from nodealer.cli import text as phrases
from nodealer.cli.choices import waiting_choices
from nodealer.cli.disputes import Disputes
from nodealer.cli.leave_prompt import LeavePrompt
from nodealer.cli.notices import MissingFrames, SeatNotices, TimeLeft
from nodealer.cli.output import escape_markup
from nodealer.cli.screen import Screen
from nodealer.cli.terminal import Person
from nodealer.client.duty_timer import Drift
from nodealer.client.events import ClockDrift, TooFewPlayers, WaitingFor
from nodealer.client.policies import TimeoutVoter
from nodealer.engine.duties import TableDuty
from nodealer.engine.leave_policy import has_too_few_players
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.votes import voters
from nodealer.errors import BadParameter, CardUnreadable, IllegalMove, RelayError
from nodealer.games.text import Text, table_lines

#: After how many seconds a notice says who the table is waiting for.
NOTICE_AFTER: Final = 5.0
#: How many seconds longer before the game begins: programs take a while to start.
NOTICE_COMING: Final = 15.0
#: After how many seconds of silence it counts that nothing more can come.
QUIET: Final = 1.0


#: The first words of commands for the table.
_VERBS: Final = ("without", "break", "leave", "sit", "back", "seat", "remove", "agree", "claim", "book")


class Stuck(Exception):
    """The players who are left cannot continue."""


@dataclass(frozen=True)
class Wait:
    """A wait for one player: the duties they owe, and when it started, by the monotonic and by the wall clock."""

    duties: frozenset[bytes]
    since: float
    at: str
    told: bool = False


class WaitNotices:
    """Says on a screen who the table is waiting for, and since when."""

    def __init__(self, screen: Screen, names: Sequence[str], after: float = NOTICE_AFTER) -> None:
        """Announce each of these players after the table has waited `after` seconds for them."""
        self._screen = screen
        self._names = names
        self._after = after
        #: The players for whom the table waits.
        self._waits: dict[str, Wait] = {}
        self._missing = MissingFrames(screen, after)
        self._drift = Drift()
        #: Since when there have been too few players, and whether that was said.
        self._alone_since: float | None = None
        self._alone = False
        #: Whether the last hand has been seen.
        self._over = False

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Print the notices that are due."""
        self._notice(participant, now)
        return []

    def _notice_drift(self, participant: Participant, now: float) -> None:
        """Warn of a timekeeper whose clock runs ahead. Only this machine can notice: no log shows it."""
        ahead = self._drift.seconds_ahead(participant, now)
        if ahead is not None:
            self._screen.emit(ClockDrift(ahead))
            if not self._screen.json:
                self._screen.say(phrases.clock_drift(round(ahead)))

    def _notice_alone(self, participant: Participant, now: float) -> None:
        """Say that there are too few players for a hand.

        The table is not waiting for players who are gone, so nothing else would say it.
        """
        alone = (
            participant.has_seat and not participant.is_catching_up and has_too_few_players(participant.replica.state)
        )
        if not alone or participant.seat.number in participant.replica.state.ended:
            self._alone_since, self._alone = None, False
            return
        self._alone_since = now if self._alone_since is None else self._alone_since
        if self._alone or now - self._alone_since < self._after:
            return
        self._alone, state = True, participant.replica.state
        gone = tuple(state.all_members[seat].name for seat in sorted(state.gone - state.ended - state.expelled))
        self._screen.emit(TooFewPlayers(gone))
        if not self._screen.json:
            self._screen.say(phrases.too_few_players([escape_markup(name) for name in gone]))

    def _notice(self, participant: Participant, now: float) -> bool:
        """Print the notices that are due. Return whether the table waits for a player who was not named before."""
        self._notice_alone(participant, now)
        self._missing.on_tick(participant, now)
        self._notice_drift(participant, now)
        if participant.has_session and participant.replica.state.no_more_hands and not self._over:
            # The table now waits for something else, and there are other things to do about it.
            self._over, self._waits = True, {}
        self._waits = self._waiting(participant, now)
        after = self._after if participant.has_session else self._after + NOTICE_COMING
        fresh = [name for name, wait in self._waits.items() if not wait.told and now - wait.since >= after]
        for name in fresh:
            wait = self._waits[name] = replace(self._waits[name], told=True)
            self._screen.emit(WaitingFor(name, now - wait.since, wait.at))
            if not self._screen.json:
                self._screen.stop_progress()
                self._screen.say(phrases.waiting_for(escape_markup(name), wait.at))
        return bool(fresh)

    def _waiting(self, participant: Participant, now: float) -> dict[str, Wait]:
        """Return the current waits.

        A player who owes other duties than before starts a new wait, because the table went on meanwhile.
        """
        waits: dict[str, Wait] = {}
        for name, duties in find_awaited(participant, self._names).items():
            wait = self._waits.get(name)
            if wait is None or not (wait.duties & duties or wait.duties == duties):
                wait = Wait(duties, now, time.strftime("%H:%M:%S"))
            waits[name] = replace(wait, duties=duties)
        return waits

    @property
    def _told(self) -> list[str]:
        """Return the names of the players for whom a notice was printed."""
        return [name for name, wait in self._waits.items() if wait.told]


def find_awaited(participant: Participant, names: Sequence[str]) -> dict[str, frozenset[bytes]]:
    """Return the players who have not come, not agreed, or owe a duty, with what they owe."""
    if not participant.has_session:
        missing = set(names) - {offer.name for offer in participant.offers}
        missing = (missing or set(participant.lobby.awaited)) - {participant.store.name}
        return {name: frozenset() for name in names if name in missing}
    owed: dict[str, frozenset[bytes]] = {}
    for duty, seat in participant.blocking_duties.items():
        name = participant.replica.state.all_members[seat].name
        owed[name] = owed.get(name, frozenset()) | {duty}
    return owed


# --- A person ---


class PersonAtTable(WaitNotices):
    """The notices for a person at the terminal, who can type commands: vote, leave, dispute, or decide about seats."""

    def __init__(
        self,
        person: Person,
        screen: Screen,
        names: Sequence[str],
        after: float = NOTICE_AFTER,
        *,
        across: bool = False,
    ) -> None:
        """Connect the person's typed lines to this table.

        `across`: the table is on the network, not on this machine.
        """
        super().__init__(screen, names, after)
        self._patience = TimeoutVoter()
        self._time = TimeLeft(screen)
        self._seats = SeatNotices(screen, across=across)
        self._disputes = Disputes(screen)
        self._leaving = LeavePrompt(screen)
        #: The choices that were last printed.
        self._last_choices: list[str] = []
        self._person = person
        self._typed: list[list[str]] = []
        #: The last vote on seats, and the roster at that time.
        self._said_of_seats: tuple[bytes, Callable[[], list[bytes]]] | None = None
        self._idle: asyncio.Task[None] | None = None
        person.to_the_table = self.hear
        screen.aside = person.aside

    def hear(self, line: str) -> bool:
        """Queue a command for the table, and return whether the line was one. It is executed at the next tick."""
        words = line.split()
        if self._leaving.hear(" ".join(words).lower()):
            self._typed += [["leave"]] if self._leaving.sure else []
            return True
        if not words or words[0].lower() not in _VERBS:
            return False
        self._typed.append(words)
        return True

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Print the notices that are due, execute the typed commands, and return the frames to send."""
        self._leaving.on_tick(participant)
        if self._notice(participant, now):
            lines = waiting_choices(participant, self._told[0])
            for line in lines if lines != self._last_choices else ():
                self._screen.say(line)
            self._last_choices = lines
        self._time.on_tick(participant, now)
        said = self._patience.on_tick(participant, now)
        with suppress(IllegalMove):
            said += self._repeat_vote(participant)
        while self._typed and not self._must_wait(participant):
            verb, *rest = self._typed.pop(0)
            try:
                said += self._execute(participant, verb.lower(), " ".join(rest))
            except IllegalMove as refused:
                self._screen.say(phrases.refused(escape_markup(verb), escape_markup(refused)))
        # Only now: the typed commands were about the earlier notices.
        news = bool(self._typed) or self._seats.on_tick(participant)
        news = (participant.has_seat and self._disputes.on_tick(participant)) or news
        away = participant.has_session and participant.sits_out
        idle, wanted = participant.options().required is None, bool(self._told) or self._alone or news or away
        self._person.lay = lambda: self._table_lines(participant)
        self._screen.hide_progress(idle and (wanted or self._waits_for_move(participant)))
        # Input from a file or a program is for the next question, unless there is something to answer now.
        self._listen(idle and (wanted or self._person.typed))
        return said

    def _must_wait(self, participant: Participant) -> bool:
        """Return whether the first typed command is about seats while this seat's move is not in the log yet.

        The move then goes first.
        """
        about_seats = self._typed[0][0].lower() in ("seat", "remove", "agree")
        return about_seats and participant.has_seat and bool(participant.seat.unconfirmed)

    def _waits_for_move(self, participant: Participant) -> bool:
        """Return whether the table waits for a player's move, and no card operation is running."""
        owed = participant.replica.state.duties.open if participant.has_session else {}
        return any(owed[duty].duty.kind == TableDuty.MOVE for duty in participant.blocking_duties)

    def _table_lines(self, participant: Participant) -> Sequence[Text]:
        """Return the table as lines, for a person who is not asked anything, with the players it waits for."""
        last = phrases.not_your_turn(", ".join(self._waits))
        try:
            view = participant.view()
        except (BadParameter, CardUnreadable, IllegalMove):
            return ("", phrases.NO_HAND, last)
        nothing = phrases.NO_HAND if view.game is None else phrases.NOTHING_TO_SHOW
        return ("", *(table_lines(participant.replica.config.words, view) or (nothing,)), last)

    def _listen(self, wanted: bool) -> None:
        """Start or stop reading what is typed while nothing is asked."""
        if wanted and self._idle is None:
            self._idle = asyncio.ensure_future(self._person.idle())
        elif not wanted and self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _execute(self, participant: Participant, verb: str, rest: str) -> list[bytes]:
        """Execute a command for the table, and return the frames to send. Raises `IllegalMove`."""
        if verb == "leave":
            return self._leaving.leave(participant)
        if verb in ("sit", "back"):
            return self._sit_out(participant, verb, rest)
        if verb == "seat":
            return self._vote_on_seats(participant, lambda: participant.admit(rest))
        if verb == "remove":
            self._seats.refuse_removal(rest)
            frames = self._vote_on_seats(participant, lambda: participant.propose_removal(rest))
            self._seats.say_removed(rest)
            return frames
        if verb == "agree":
            proposal = self._seats.find_proposal(participant, rest)
            return self._vote_on_seats(participant, lambda: participant.agree_to_roster(proposal))
        if verb in ("claim", "book"):
            return participant.dispute() if verb == "claim" else participant.disclose()
        if verb == "break":
            return participant.vote_abort()
        return participant.vote_skip({self._find_seat(participant, rest)})

    def _vote_on_seats(self, participant: Participant, say: Callable[[], list[bytes]]) -> list[bytes]:
        """Cast a vote on seats, and remember it in case the hand ends first."""
        frames = say()
        self._said_of_seats = participant.replica.state.roster.digest, say
        return frames

    def _repeat_vote(self, participant: Participant) -> list[bytes]:
        """Repeat a vote on seats that became void because the hand ended: the person meant it."""
        if self._said_of_seats is None or participant.seat.unconfirmed:
            return []
        (roster, say), self._said_of_seats = self._said_of_seats, None
        state, me = participant.replica.state, participant.seat.number
        counts = state.roster.digest != roster or any(me in one.agreed for one in state.proposed.values())
        return [] if counts or state.no_more_hands else self._vote_on_seats(participant, say)

    def _sit_out(self, participant: Participant, verb: str, rest: str) -> list[bytes]:
        """Sit out, or come back. Raises `IllegalMove` for anything else."""
        if verb == "back":
            return self._leaving.come_back(participant)
        if rest.lower() != "out":
            raise IllegalMove(phrases.TYPE_SIT_OUT)
        self._screen.say(phrases.SIT_OUT)
        return participant.sit_out()

    def _find_seat(self, participant: Participant, name: str) -> int:
        """Return the seat of an awaited player with this name. Raises `IllegalMove`."""
        waited = participant.blocking_duties.values() if participant.has_session else ()
        for seat in waited:
            if participant.replica.state.all_members[seat].name.casefold() == name.casefold():
                return seat
        raise IllegalMove(phrases.not_awaited(name) if name else phrases.TYPE_WITHOUT)


# --- The one who watches ---


class Overseer:
    """Watches a table without people, and ends it when nothing more can happen.

    Then `on_tick` raises `Stuck`, or `RelayError` if the players have not even agreed on a game.
    """

    def __init__(
        self,
        names: Sequence[str],
        attention: WaitNotices | None,
        limit: float | None,
        spared: Collection[str] = (),
    ) -> None:
        """Stop after `limit` seconds without progress; None means never.

        Waiting for `spared` players does not count.
        """
        self._names = names
        self._attention = attention
        #: How many seconds of silence are allowed; None if a person decides.
        self._limit = limit
        #: While the table waits for one of these, no time counts.
        self._spared = frozenset(spared)
        #: The players whose programs have ended.
        self.dropped: set[str] = set()
        self._heard = -1
        self._quiet_since = 0.0

    def on_tick(self, participant: Participant, now: float) -> list[bytes]:
        """Check whether anything can still happen. Raises `Stuck`, or `RelayError` before the game has begun."""
        if self._attention is not None:
            self._attention.on_tick(participant, now)
        heard = participant.replica.height if participant.has_session else participant.next_frame_number
        if heard != self._heard:
            self._heard, self._quiet_since = heard, now
        waited = find_awaited(participant, self._names)
        if participant.has_session and waited.keys() & self._spared:
            self._quiet_since = now
        quiet = now - self._quiet_since
        listed = ", ".join(waited)
        if not participant.has_session:
            gone = [name for name in self._names if name in self.dropped]
            if gone or (self._limit is not None and quiet > self._limit + 2 * NOTICE_COMING):
                raise RelayError(phrases.did_not_come(", ".join(gone) or listed))
        elif waited and (
            (self._limit is not None and quiet > self._limit)
            or (quiet > QUIET and waited.keys() <= self.dropped and self._no_one_can_vote(participant))
        ):
            raise Stuck(phrases.stuck(listed))
        return []

    def _no_one_can_vote(self, participant: Participant) -> bool:
        """Return whether too few players are left for any vote, when only the end of the game is missing."""
        state = participant.replica.state
        seats = voters(state)
        here = [seat for seat in seats if state.all_members[seat].name not in self.dropped]
        return not here or (state.phase is Phase.BETWEEN and state.no_more_hands and 2 * len(here) < len(seats))
