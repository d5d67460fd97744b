"""The status of a table for one participant: one value, from which front ends, policies and notices are made.

`table_status` is pure. What depends on how long something has lasted comes from `TableTimes`, the only place that
measures it. Call both only when the participant is settled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from nodealer.client.duty_timer import Drift, DutyTimer, DutyWait
from nodealer.client.questions import LobbyQuestion
from nodealer.engine.leave_policy import has_too_few_players
from nodealer.engine.lobby_messages import OpenOffer, SeatRequest
from nodealer.engine.participant import Participant
from nodealer.engine.phases import Phase
from nodealer.engine.prompts import Options
from nodealer.engine.replica import Replica
from nodealer.engine.state import ProposedRoster, TableState
from nodealer.engine.view import public_view
from nodealer.engine.votes import voters
from nodealer.errors import BadParameter, CardUnreadable, IllegalMove
from nodealer.games.view import View
from nodealer.log.roster import Member
from nodealer.log.session import Proposal

#: How many seconds longer than usual the lobby waits before it says whom it waits for: programs take a while to start.
LOBBY_EXTRA: Final = 15.0
#: A player who has missed this many hands is away, and may lose their seat.
AWAY_HANDS: Final = 3


@dataclass(frozen=True)
class Awaited:
    """A player whom the table waits for: what they owe, and since when."""

    name: str
    #: None in a lobby.
    seat: int | None
    duties: frozenset[bytes]
    #: When the wait began, by the client's clock, and the time of day then, as text.
    since: float
    at: str


@dataclass(frozen=True)
class RosterOffer:
    """A proposed roster that this player has not agreed to."""

    id: bytes
    proposed: ProposedRoster
    #: Why this player could not read with its key, or None.
    problem: str | None


@dataclass(frozen=True)
class LobbyStatus:
    """The lobby before the session."""

    offers: tuple[OpenOffer, ...]
    own_offer: OpenOffer | None
    #: This participant's public key.
    key: bytes
    proposal: Proposal | None
    #: The players whose answer to the proposal is missing.
    awaited: tuple[str, ...]
    #: Whether the proposal has a seat for this player, and whether it waits for their answer.
    has_seat: bool
    is_considering: bool
    has_declined: bool
    #: How many seats the host wants to fill; 0 if this is not the host.
    seats: int = 0
    #: What the person is asked, if anything.
    question: LobbyQuestion | None = None


@dataclass(frozen=True)
class AllowedActions:
    """The things that a player may do besides playing, and the votes that they take."""

    skip: bool = False
    abort: bool = False
    leave: bool = False
    sit_out: bool = False
    come_back: bool = False
    #: How many seats vote, how many votes skip a duty, how many skip a late one (None without a timekeeper or if
    #: that is no less), and how many abort.
    voters: int = 0
    skip_needs: int = 0
    late_needs: int | None = None
    abort_needs: int = 0


@dataclass(frozen=True)
class TableStatus:
    """The status of the table now."""

    now: float
    #: This player's name, or None for a spectator.
    name: str | None
    #: How many frames of the table have arrived.
    frames: int = 0
    #: Frames that the relay has announced and not delivered, and for how many seconds nothing has arrived.
    missing_frames: int = 0
    missing_for: float = 0.0
    lobby: LobbyStatus | None = None
    #: The table, once the players have agreed on a session. Its log grows; its state here does not change.
    replica: Replica | None = None
    state: TableState | None = None
    #: This player's seat number, whether the roster in force has it, and whether something it sent is on its way.
    seat: int | None = None
    in_roster: bool = False
    unconfirmed: bool = False
    is_over: bool = False
    sits_out: bool = False
    options: Options = field(default_factory=Options)
    #: Who is waited for, by name, and how long each duty has held up the table.
    awaited: Mapping[str, Awaited] = field(default_factory=dict)
    waits: Mapping[bytes, DutyWait] = field(default_factory=dict)
    #: Those who would have to come back for another hand if there are too few players, and for how many seconds.
    gone: tuple[str, ...] | None = None
    alone_for: float = 0.0
    #: How often the timekeeper's clock was found to run ahead, and by how many seconds the last time.
    drifts: int = 0
    drift: float = 0.0
    #: How many seconds ago the timekeeper's newest tick arrived.
    tick_age: float = 0.0
    requests: tuple[SeatRequest, ...] = ()
    rosters: tuple[RosterOffer, ...] = ()
    #: The players who have left or missed several hands, and could lose their seat.
    away: tuple[Member, ...] = ()
    #: Reads the cards for `view`.
    read_view: Callable[[], View] | None = None

    @property
    def is_catching_up(self) -> bool:
        """True if frames are missing. Until they arrive, this player can do nothing."""
        return self.missing_frames > 0

    @property
    def has_session(self) -> bool:
        """True if the players have agreed on a session."""
        return self.state is not None

    @cached_property
    def view(self) -> View | None:
        """The view of this player, or None if there is nothing to see or a card does not open.

        Read it before the next frame is received.
        """
        if self.read_view is None:
            return None
        try:
            return self.read_view()
        except (BadParameter, CardUnreadable, IllegalMove):
            return None

    @property
    def own_wait(self) -> DutyWait | None:
        """The wait for this player's decision, if a timekeeper limits it."""
        asked = self.options.required
        wait = None if asked is None or self.state is None or self.state.clock is None else self.waits.get(asked.id)
        return wait if wait is not None and wait.limit else None

    @cached_property
    def actions(self) -> AllowedActions:
        """The things that this player may do besides playing."""
        state = self.state
        if state is None or self.seat is None or self.is_over:
            return AllowedActions()
        count, timed = len(voters(state)), state.roster.timekeeper is not None
        stays = state.phase is not Phase.ENDED and self.seat not in state.ended
        return AllowedActions(
            skip=self.options.can_vote_skip and (count > 2 or timed),
            abort=self.options.can_vote_abort,
            leave=stays,
            sit_out=stays and not self.sits_out and not state.no_more_hands,
            come_back=stays and self.sits_out,
            voters=count,
            skip_needs=count // 2 + 1,
            late_needs=count // 2 if timed and count % 2 == 0 else None,
            abort_needs=-(-count // 2),
        )


def is_away(state: TableState, seat: int) -> bool:
    """Return whether a seat has ended, was expelled, or has left and missed the last `AWAY_HANDS` hands."""
    if seat in state.ended | state.expelled:
        return True
    last = state.chronicle.records[-AWAY_HANDS:]
    return seat in state.gone and len(last) == AWAY_HANDS and all(seat not in record.names for record in last)


class TableTimes:
    """Measures how long things last at a table. `observe` is called several times a second."""

    def __init__(self, expected: Sequence[str] = (), wall: Callable[[], str] = lambda: "") -> None:
        """Start with nothing measured.

        `expected` are the players who should come, if they are known. `wall` returns the time of day as text.
        """
        self._expected = expected
        self._wall = wall
        self._timer = DutyTimer()
        self._drift = Drift()
        self.now = 0.0
        self.awaited: dict[str, Awaited] = {}
        self.waits: Mapping[bytes, DutyWait] = {}
        self.alone_since: float | None = None
        self.drifts = 0
        self.drift = 0.0
        #: The frames received and missing, and since when that has not changed.
        self._frames = (-1, 0)
        self.missing_since = 0.0
        #: The newest tick, and when it arrived.
        self._tick: int | None = None
        self.tick_at = 0.0
        #: Whether the last hand has been seen: from then on the table waits for something else.
        self._last_hand_over = False

    def observe(self, participant: Participant, now: float) -> None:
        """Take note of the table at this time."""
        self.now = now
        frames = participant.next_frame_number, participant.missing_frames
        if frames != self._frames:
            # The announcement came with the connection: frames sent while there was none are not late yet.
            self._frames, self.missing_since = frames, now
        ahead = self._drift.seconds_ahead(participant, now)
        if ahead is not None:
            self.drifts, self.drift = self.drifts + 1, ahead
        state = participant.replica.state if participant.has_session else None
        if state is None or participant.is_over:
            self._timer.stop(now)
            self.waits = {}
        else:
            self.waits = self._timer.update(state, now)
        self._observe_table(participant, state)
        self.awaited = self._find_awaited(participant, state)

    def _observe_table(self, participant: Participant, state: TableState | None) -> None:
        """Take note of ticks, of too few players, and of the end of the last hand."""
        tick = None if state is None or state.clock is None else state.clock.last_tick
        if tick != self._tick:
            self._tick, self.tick_at = tick, self.now
        alone = state is not None and participant.has_seat and not participant.is_catching_up
        if state is None or not alone or not has_too_few_players(state) or participant.seat.number in state.ended:
            self.alone_since = None
        elif self.alone_since is None:
            self.alone_since = self.now
        if state is not None and state.no_more_hands and not self._last_hand_over:
            self._last_hand_over, self.awaited = True, {}

    def _find_awaited(self, participant: Participant, state: TableState | None) -> dict[str, Awaited]:
        """Return the current waits.

        A player who owes other duties than before starts a new wait, because the table went on meanwhile.
        """
        found: dict[str, Awaited] = {}
        for name, (seat, duties) in owing_players(participant, state, self._expected).items():
            before = self.awaited.get(name)
            if before is None or not (before.duties & duties or before.duties == duties):
                before = Awaited(name, seat, duties, self.now, self._wall())
            found[name] = Awaited(name, seat, duties, before.since, before.at)
        return found


def owing_players(
    participant: Participant, state: TableState | None, expected: Sequence[str] = ()
) -> dict[str, tuple[int | None, frozenset[bytes]]]:
    """Return the players who have not come, not agreed, or owe a duty: their seat, and what they owe."""
    if state is None:
        missing = set(expected) - {offer.name for offer in participant.offers}
        missing = (missing or set(participant.lobby.awaited)) - {participant.store.name}
        return {name: (None, frozenset()) for name in expected if name in missing}
    owed: dict[str, tuple[int | None, frozenset[bytes]]] = {}
    for duty, seat in participant.blocking_duties.items():
        name = state.all_members[seat].name
        owed[name] = (seat, owed.get(name, (seat, frozenset()))[1] | {duty})
    return owed


def table_status(
    participant: Participant, times: TableTimes, *, seats: int = 0, question: LobbyQuestion | None = None
) -> TableStatus:
    """Return how the table stands for a settled participant.

    In the lobby, `seats` says how many seats a host wants to fill, and `question` what the person is asked.
    """
    missing_for = times.now - times.missing_since if participant.missing_frames else 0.0
    if not participant.has_session:
        return TableStatus(
            times.now,
            participant.store.name,
            participant.next_frame_number,
            participant.missing_frames,
            missing_for,
            _lobby_status(participant, seats, question),
            unconfirmed=bool(participant.lobby.unconfirmed),
            is_over=participant.is_over,
            awaited=times.awaited,
        )
    state = participant.replica.state
    seat = participant.seat if participant.has_seat else None
    may_decide = participant.is_in_roster and seat is not None and seat.number not in state.ended
    gone = None if times.alone_since is None else sorted(state.gone - state.ended - state.expelled)
    return TableStatus(
        times.now,
        participant.store.name,
        participant.next_frame_number,
        participant.missing_frames,
        missing_for,
        None,
        participant.replica,
        state,
        None if seat is None else seat.number,
        participant.is_in_roster,
        seat is not None and bool(seat.unconfirmed),
        participant.is_over,
        participant.sits_out,
        participant.options(),
        times.awaited,
        times.waits,
        None if gone is None else tuple(state.all_members[number].name for number in gone),
        0.0 if times.alone_since is None else times.now - times.alone_since,
        times.drifts,
        times.drift,
        times.now - times.tick_at,
        participant.seat_requests if participant.is_in_roster else (),
        tuple(_roster_offers(participant, state)) if may_decide else (),
        tuple(_away_players(state)) if may_decide else (),
        participant.view if seat is not None else lambda: public_view(state),
    )


def _lobby_status(participant: Participant, seats: int, question: LobbyQuestion | None) -> LobbyStatus:
    """Return the status of the lobby."""
    lobby = participant.lobby
    return LobbyStatus(
        participant.offers,
        lobby.own_offer,
        participant.store.identity.public,
        lobby.proposal,
        lobby.awaited,
        lobby.seat is not None,
        lobby.is_considering,
        lobby.has_declined,
        seats,
        question,
    )


def _roster_offers(participant: Participant, state: TableState) -> Sequence[RosterOffer]:
    """Return the proposed rosters that this player has not agreed to."""
    mine = participant.seat.number
    return [
        # A player who would have no seat there has no key to worry about.
        RosterOffer(id, one, participant.find_key_problem(id) if mine in one.roster.seats else None)
        for id, one in state.proposed.items()
        if mine not in one.agreed
    ]


def _away_players(state: TableState) -> Sequence[Member]:
    """Return the players who have left, or who have missed several hands, and could lose their seat."""
    if state.no_more_hands:
        return []
    return [state.roster.member(seat) for seat in state.roster.with_cards if is_away(state, seat)]
