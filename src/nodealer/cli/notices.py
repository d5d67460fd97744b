"""Notices beside the game: withheld messages, the time left, requests for a seat, and proposed rosters."""

from __future__ import annotations

from nodealer.cli import text as phrases
from nodealer.cli.output import escape_markup
from nodealer.cli.screen import Screen
from nodealer.client.bot_roster_policy import is_away
from nodealer.client.duty_timer import DutyTimer
from nodealer.client.events import FramesMissing
from nodealer.engine.participant import Participant
from nodealer.engine.state import ProposedRoster, TableState
from nodealer.errors import IllegalMove
from nodealer.log.names import casefold_name
from nodealer.log.roster import Member
from nodealer.wordlist import key_words


class MissingFrames:
    """Warns when a relay has announced more frames than it delivers. Until they arrive, the player cannot act."""

    def __init__(self, screen: Screen, after: float) -> None:
        """Warn on this screen if frames are missing for `after` seconds."""
        self._screen = screen
        self._after = after
        #: The frames received and missing, since when that has not changed, and whether it was said.
        self._stands = (-1, 0)
        self._since = 0.0
        self._told = False

    def on_tick(self, participant: Participant, now: float) -> None:
        """Print the warning once if the same frames have been missing for long enough."""
        stands = participant.next_frame_number, participant.missing_frames
        if stands != self._stands:
            # The announcement came with the connection: frames sent while there was none are not late yet.
            self._stands, self._since, self._told = stands, now, False
        if participant.missing_frames > 0 and now - self._since >= self._after and not self._told:
            self._told = True
            self._screen.emit(FramesMissing(participant.missing_frames, now - self._since))
            if not self._screen.json:
                self._screen.say(phrases.missing_messages(participant.missing_frames, round(now - self._since)))


class TimeLeft:
    """Says how much time the person has: when they are asked, and when their time bank runs."""

    def __init__(self, screen: Screen) -> None:
        """Print the time left on this screen."""
        self._screen = screen
        self._timer = DutyTimer()
        #: The duty and the stage that were last announced.
        self._said: tuple[bytes, int] = (b"", 0)

    def on_tick(self, participant: Participant, now: float) -> None:
        """Print the time left when the person is asked, when the time bank starts, and when it is nearly empty.

        The time is an estimate: the timekeeper's ticks decide.
        """
        if not participant.has_session:
            return
        state, asked = participant.replica.state, participant.options().required
        waits = self._timer.update(state, now)
        wait = None if asked is None or state.clock is None else waits.get(asked.id)
        if asked is None or wait is None or not wait.limit:
            return
        stage = 1 if wait.limit_left else 2 if wait.bank_left > 10 else 3
        if asked.id != self._said[0] or stage > self._said[1]:
            self._said = (asked.id, stage)
            bank = round(wait.bank_left)
            self._screen.say(phrases.time_left(round(wait.limit_left), bank) if stage == 1 else phrases.bank_left(bank))


class SeatNotices:
    """Says who would like to sit down, who could lose their seat, and which rosters are proposed."""

    def __init__(self, screen: Screen, *, across: bool) -> None:
        """Print notices on this screen. `across`: the table is on the network."""
        self._screen = screen
        #: Whether the table is on the network. At a local table there is no one to remove.
        self._across = across
        self._told: set[bytes] = set()

    def proposed(self, participant: Participant) -> list[bytes]:
        """Return the proposed rosters that this seat has not agreed to."""
        if not _may_decide(participant):
            return []
        mine = participant.seat.number
        return [id for id, one in participant.replica.state.proposed.items() if mine not in one.agreed]

    def find_proposal(self, participant: Participant, by: str) -> bytes:
        """Return the one proposal that the person means, among those that were shown to them.

        Raise `IllegalMove` if there is not exactly one.
        """
        state = participant.replica.state
        announced = [id for id in self.proposed(participant) if id in self._told]
        whose = [
            id
            for id in announced
            if not by or casefold_name(state.all_members[state.proposed[id].by].name) == casefold_name(by)
        ]
        if len(whose) > 1:
            raise IllegalMove(phrases.SEVERAL_PROPOSALS)
        if not whose:
            raise IllegalMove(phrases.NOTHING_TO_AGREE_TO)
        return whose[0]

    def on_tick(self, participant: Participant) -> bool:
        """Announce new seat requests, proposed rosters and absent players.

        Return whether the person can answer any of them.
        """
        if not _may_decide(participant):
            return False
        state = participant.replica.state
        for asks in participant.seat_requests:
            if self._is_new(asks.roster.digest):
                name, words = escape_markup(asks.who.name), " ".join(key_words(asks.who.key))
                self._screen.say(phrases.would_like_to_join(name))
                self._screen.say(phrases.check_key_words(words))
        for id in self.proposed(participant):
            if self._is_new(id):
                self._announce_proposal(state, state.proposed[id], participant.seat.number)
                self._warn_if_unreadable(participant, id)
        away = self._away_players(state)
        for member in away:
            if self._is_new(member.key):
                self._screen.say(phrases.can_remove(escape_markup(member.name), left=member.seat in state.ended))
                self._screen.say(f"  [dim]{phrases.NEW_KEY_AFTER_LEAVING}[/dim]")
        return bool(participant.seat_requests or self.proposed(participant) or away)

    def _is_new(self, what: bytes) -> bool:
        """Return whether this was not announced before, and mark it as announced."""
        new = what not in self._told
        self._told.add(what)
        return new

    def _warn_if_unreadable(self, participant: Participant, proposal: bytes) -> None:
        """Warn of a proposal under whose key this player could not read: no one else can see that."""
        if participant.seat.number not in participant.replica.state.proposed[proposal].roster.seats:
            return  # The player would have no seat there, and was told so.
        problem = participant.find_key_problem(proposal)
        if problem is not None:
            self._screen.say(phrases.key_unreadable(escape_markup(problem)))

    def refuse_removal(self, name: str) -> None:
        """Raise `IllegalMove` at a local table, or if no name is given."""
        if not self._across:
            raise IllegalMove(phrases.REMOVE_ONLY_ON_NETWORK)
        if not name:
            raise IllegalMove(phrases.TYPE_REMOVE)

    def say_removed(self, name: str) -> None:
        """Say what it means that a player is to lose their seat."""
        self._screen.say(phrases.removal_proposed(escape_markup(name)))
        self._screen.say(f"  {phrases.NEW_KEY_AFTER_LEAVING}")

    def _away_players(self, state: TableState) -> list[Member]:
        """Return the players who have left, or who have missed several hands, and could lose their seat."""
        if not self._across or state.no_more_hands:
            return []
        return [state.roster.member(seat) for seat in state.roster.with_cards if is_away(state, seat)]

    def _announce_proposal(self, state: TableState, one: ProposedRoster, mine: int) -> None:
        """Describe a proposed roster, and say how to agree to it."""
        names = ", ".join(one.roster.member(seat).name for seat in one.roster.with_cards)
        gone = [seat for seat in state.roster.with_cards if seat not in one.roster.seats]
        out = [phrases.YOU if seat == mine else state.all_members[seat].name for seat in gone]
        names += phrases.roster_without(", ".join(out)) if out else ""
        if one.roster.timekeeper != state.roster.timekeeper:
            keeper = one.roster.timekeeper
            names += phrases.ROSTER_NO_TIMEKEEPER if keeper is None else phrases.roster_timekeeper(keeper.name)
        by = escape_markup(state.all_members[one.by].name)
        self._screen.say(phrases.proposes_roster(by, escape_markup(names)))
        if one.key is not None:
            self._screen.say(f"  [dim]{phrases.NEW_KEY_AFTER_LEAVING}[/dim]")


def _may_decide(participant: Participant) -> bool:
    """Return whether this player may decide who sits here."""
    return participant.is_in_roster and participant.seat.number not in participant.replica.state.ended
