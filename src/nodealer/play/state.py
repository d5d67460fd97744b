"""The public state of a table, and every step from one state to the next.

Immutable: a step gives a new state, or raises and changes nothing. Here stands what an entry of each kind means; what
makes it into the log at all, and what happens when a check fails, is the replica's.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nodealer.cards import Event, Finished, NewDeck, Operation
from nodealer.errors import BadParameter
from nodealer.games.base import Ask, Done, Game, Rules, Turn
from nodealer.log.roster import Roster
from nodealer.log.session import Session
from nodealer.play.records import replace
from nodealer.proofs.checks import Check
from nodealer.protocols.base import Binding, CardProtocol, Deck, DeckChange, Duty
from nodealer.tape import digest
from nodealer.wire import DECKS_MAX, encode


class Phase(enum.Enum):
    """Where a table stands."""

    #: Between two hands: seats begin the next one, propose another roster, or end.
    BETWEEN = "between"
    #: A hand is played.
    PLAYING = "playing"
    #: Books are being opened: in a dispute, or at the end of a hand where the protocol says so.
    BOOKS = "books"
    #: A fault, or a dispute that names nobody. Nothing counts any more.
    STOPPED = "stopped"
    #: Every seat that still sat has signed the end.
    ENDED = "ended"


@dataclass(frozen=True)
class Fault:
    """Why a table stopped. `seat` is None when nobody can be named."""

    entry: int
    seat: int | None
    check: str
    reason: str


@dataclass(frozen=True)
class OpenDuty:
    """A duty, and the height of the log from which on it is open."""

    duty: Duty
    since: int


@dataclass(frozen=True)
class Deed:
    """A protocol message that was applied, with the deck it was made for: what an open book is held against."""

    entry: int
    deck: Deck
    duty: Duty
    message: bytes


@dataclass(frozen=True)
class Config:
    """What never changes at a table."""

    session: Session
    protocol: CardProtocol
    rules: Rules

    def binding(self, hand: int, roster: Roster, seats: tuple[int, ...]) -> Binding:
        """What the decks of a hand bind. The digest names the seats that play, not only those that could."""
        claims = self.protocol.claims
        roles = tuple((role, seat) for role, seat in roster.roles if seat in seats)
        bound = digest("hand roster", roster.digest, *seats)
        keys = tuple((player.seat, player.key) for player in roster.players if player.seat in seats)
        session, group = self.session.id, self.protocol.group
        return Binding(claims.name, claims.version, session, bound, hand, seats, roles, group, keys)


@dataclass(frozen=True)
class TableState:
    """Everything public about a table but the log itself."""

    config: Config
    roster: Roster
    hand: int
    phase: Phase
    #: The binding of the hand that is played, or of the next one while none is.
    binding: Binding
    game: Game | None = None
    #: What the game has asked for and is not done: each deck's operations, the first one in progress.
    queues: Mapping[int, tuple[Operation, ...]] = field(default_factory=dict)
    #: What those operations have done so far.
    happened: tuple[Event, ...] = ()
    asked: bool = False
    turn: int = 0
    decks: Mapping[int, Deck] = field(default_factory=dict)
    duties: Mapping[bytes, OpenDuty] = field(default_factory=dict)
    #: Duties of this hand and the last that are no longer open: whose, from when, to when.
    closed: Mapping[bytes, tuple[int, int, int]] = field(default_factory=dict)
    closed_before: Mapping[bytes, tuple[int, int, int]] = field(default_factory=dict)
    commitments: Mapping[int, bytes] = field(default_factory=dict)
    deeds: tuple[Deed, ...] = ()
    gone: frozenset[int] = frozenset()
    ended: frozenset[int] = frozenset()
    withouts: Mapping[int, frozenset[int]] = field(default_factory=dict)
    proposal: Roster | None = None
    agreed: frozenset[int] = frozenset()
    #: How many rosters were proposed: what was due before a proposal is not what is due after it.
    proposals: int = 0
    #: The height at which the roster came into force, and those at which the hands before this one ended.
    seated: int = 0
    ends: tuple[int, ...] = ()
    #: The decks of this hand as they were, each with its height: a claim is judged by what the claimant saw.
    past: tuple[tuple[int, Mapping[int, Deck]], ...] = ()
    #: Opened books of this hand: seat to seed and choices.
    books: Mapping[int, tuple[bytes, Mapping[bytes, bytes]]] = field(default_factory=dict)
    claimed: tuple[int, int, int] | None = None
    #: Why the game could not go on with what the decks told it: nothing of the hand counts.
    unplayable: str | None = None
    results: tuple[Mapping[str, Any], ...] = ()
    fault: Fault | None = None

    @property
    def present(self) -> tuple[int, ...]:
        """The seats of the roster that have neither gone nor ended."""
        return tuple(seat for seat in self.roster.seats if seat not in self.gone | self.ended)

    def decks_at(self, height: int) -> Mapping[int, Deck]:
        """The decks of this hand as a seat saw them that had seen so much of the log."""
        seen = [decks for since, decks in self.past if since <= height]
        return seen[-1] if seen else {}

    def digest(self) -> bytes:
        """Equal for all replicas of one log."""
        parts = (
            self.roster.digest,
            self.hand,
            self.phase.value,
            self.game.digest() if self.game is not None else b"",
            *(deck.digest() for _, deck in sorted(self.decks.items())),
            *sorted(self.duties),
            *(encode((seat, sorted(named))) for seat, named in sorted(self.withouts.items())),
            encode((sorted(self.gone), sorted(self.ended), sorted(self.agreed), self.results)),
            encode(self.proposal),
            encode(None if self.fault is None else [self.fault.entry, self.fault.seat, self.fault.check]),
        )
        return digest("state", *parts)


@dataclass(frozen=True)
class Change:
    """What an entry did."""

    state: TableState
    events: tuple[Event, ...] = ()
    checks: tuple[Check, ...] = ()


def first_state(config: Config) -> TableState:
    """A table before its first entry. Refuses a game that needs more than the protocol has."""
    proposal = config.session.proposal
    claims, rules = config.protocol.claims, config.rules
    if (proposal.protocol.name, proposal.protocol.version) != (claims.name, claims.version):
        raise BadParameter(f"the session is for {proposal.protocol.name}, not {claims.name} {claims.version}")
    if (proposal.game.name, proposal.game.version) != (rules.name, rules.version):
        raise BadParameter(f"the session is for {proposal.game.name}, not {rules.name} {rules.version}")
    roster = proposal.roster
    claims.refuse(
        seats=len(roster.with_cards),
        cards=rules.deck_max,
        operations=rules.operations,
        roles=frozenset(role for role, _ in roster.roles),
    )
    binding = config.binding(0, roster, roster.seats)
    return refreshed(TableState(config, roster, 0, Phase.BETWEEN, binding), 0)


# --- Duties ---


def owed(state: TableState) -> tuple[Duty, ...]:
    """Every duty that is open in a state."""
    if state.phase is Phase.BETWEEN:
        if state.proposal is not None:
            waiting = tuple(seat for seat in state.present if seat not in state.agreed)
            anchor = digest("proposed", state.proposal.digest, state.proposals)
            return tuple(Duty(state.binding, None, seat, "agree", anchor) for seat in waiting)
        return tuple(duty for seat in state.roster.seats for duty in _between(state, seat))
    if state.phase is Phase.BOOKS:
        waiting = tuple(seat for seat in state.binding.seats if seat not in state.books and seat not in state.gone)
        return tuple(Duty(state.binding, None, seat, "book", digest("book", state.hand)) for seat in waiting)
    if state.phase is Phase.PLAYING:
        return (*(duty for deck in state.decks.values() for duty in deck.duties), *_moves(state))
    return ()


def _between(state: TableState, seat: int) -> tuple[Duty, ...]:
    """What a seat may do between hands: begin the next one, end, or propose another roster."""
    anchor = digest("between", state.roster.digest, state.proposals)
    propose = Duty(state.binding, None, seat, "propose", anchor, optional=True)
    end = Duty(state.binding, None, seat, "end", anchor, optional=True)
    if seat in state.ended:
        return ()
    if seat in state.commitments:
        # It may still leave: if the others have ended, the hand that it begun will never start.
        return propose, end
    # A seat that is gone may come back for the next hand; nobody waits for it.
    return propose, Duty(state.binding, None, seat, "begin", anchor, optional=seat in state.gone), end


def _moves(state: TableState) -> tuple[Duty, ...]:
    want = state.game.wants if state.game is not None else None
    if not isinstance(want, Turn):
        return ()
    if want.round is not None:
        anchor = digest("round", want.round)
    else:
        anchor = digest("turn", state.turn, state.game.digest() if state.game is not None else b"")
    return (
        *(Duty(state.binding, None, seat, "move", anchor, choice=True) for seat in want.seats),
        *(Duty(state.binding, None, seat, "move", anchor, choice=True, optional=True) for seat in want.may),
    )


def refreshed(state: TableState, height: int) -> TableState:
    """The state with its duties brought up to date at this height of the log."""
    if len(state.ends) < state.hand:
        state = replace(state, ends=(*state.ends, height))
    if not state.past or state.past[-1][1] is not state.decks:
        state = replace(state, past=(*state.past, (height, state.decks)))
    now = {duty.id: duty for duty in owed(state)}
    before = state.duties
    if now.keys() == before.keys():
        return state
    over = {id: (before[id].duty.seat, before[id].since, height) for id in before.keys() - now.keys()}
    duties = {id: before[id] if id in before else OpenDuty(duty, height) for id, duty in now.items()}
    return replace(state, duties=duties, closed={**state.closed, **over})


# --- The hand ---


def begin_hand(state: TableState) -> Change:
    """Start the hand once every seat that is present has begun it."""
    if state.proposal is not None or not set(state.present) <= state.commitments.keys():
        return Change(state)
    seats = tuple(seat for seat in state.roster.seats if seat in state.commitments)
    players = tuple(seat for seat in state.roster.with_cards if seat in seats)
    claims, rules = state.config.protocol.claims, state.config.rules
    binding = state.config.binding(state.hand, state.roster, seats)
    filled = {role for role, _ in binding.roles}
    if not claims.seats[0] <= len(players) <= claims.seats[1] or not set(claims.roles) <= filled:
        return Change(state)
    game = rules.begin(state.hand, players, state.game)
    gone = state.gone - frozenset(seats)
    begun = replace(state, phase=Phase.PLAYING, binding=binding, game=game, gone=gone, withouts={}, decks={}, deeds=())
    return drive(Change(begun))


def drive(change: Change) -> Change:
    """Let the game ask and the decks answer until something is owed by a seat, or the hand is over."""
    while True:
        state = change.state
        if state.phase is not Phase.PLAYING or state.game is None:
            return change
        want = state.game.wants
        if isinstance(want, Done):
            return replace(change, state=end_hand(state, want))
        if isinstance(want, Turn):
            return change
        if not state.asked:
            change = _ask(change, want)
        elif any(change.state.queues.values()):
            return change
        else:
            game = state.game.told(state.happened)
            change = replace(change, state=replace(state, game=game, asked=False, happened=(), turn=state.turn + 1))


def _ask(change: Change, ask: Ask) -> Change:
    queues = dict[int, tuple[Operation, ...]]()
    for operation in ask.operations:
        queues[operation.deck] = (*queues.get(operation.deck, ()), operation)
    change = replace(change, state=replace(change.state, asked=True, queues=queues, happened=()))
    for deck in queues:
        change = _request(change, deck)
    return change


def _request(change: Change, deck: int) -> Change:
    """Give a deck the operation that is next in its queue."""
    state = change.state
    operation = state.queues[deck][0]
    if type(operation) not in state.config.rules.operations:
        raise BadParameter(f"the game asks for {type(operation).__name__.lower()}, which it did not announce")
    if isinstance(operation, NewDeck):
        if deck in state.decks or not 0 <= deck < DECKS_MAX:
            raise BadParameter(f"deck {deck} exists already, or is not one of {DECKS_MAX}")
        if operation.faces > state.config.rules.deck_max:
            raise BadParameter(
                f"a deck of {operation.faces} cards, and the game announced {state.config.rules.deck_max}"
            )
        gone = tuple(sorted(state.gone & set(state.binding.seats)))
        binding = state.binding.without(gone) if gone else state.binding
        made = state.config.protocol.new_deck(binding, deck, operation.faces, operation.owner)
        return apply_step(change, deck, DeckChange(made))
    if deck not in state.decks:
        raise BadParameter(f"there is no deck {deck}")
    return apply_step(change, deck, state.decks[deck].request(operation))


def apply_step(change: Change, deck: int, step: DeckChange) -> Change:
    """Take what a deck did; when its operation is finished, begin the next one in its queue."""
    state = change.state
    happened = (*state.happened, *step.events)
    state = replace(state, decks={**state.decks, deck: step.deck}, happened=happened)
    change = Change(state, (*change.events, *step.events), (*change.checks, *step.checks))
    queue = state.queues.get(deck, ())
    # A deck may also finish what no game asked for, such as going on without a seat.
    if not queue or Finished(queue[0]) not in step.events:
        return change
    queue = queue[1:]
    change = replace(change, state=replace(state, queues={**state.queues, deck: queue}))
    return _request(change, deck) if queue else change


def end_hand(state: TableState, done: Done) -> TableState:
    """The hand is over: open the books where the protocol needs it, or go on to the next hand."""
    state = replace(state, results=(*state.results, done.result), queues={}, asked=False, happened=())
    if state.config.protocol.claims.open_book_at_end:
        return replace(state, phase=Phase.BOOKS)
    return next_hand(state)


def next_hand(state: TableState) -> TableState:
    """Between this hand and the next."""
    hand = state.hand + 1
    return replace(
        state,
        phase=Phase.BETWEEN,
        hand=hand,
        binding=state.config.binding(hand, state.roster, state.roster.seats),
        closed={},
        closed_before=state.closed,
        commitments={},
        withouts={},
        decks={},
        deeds=(),
        books={},
        claimed=None,
        unplayable=None,
        past=(),
        turn=0,
    )
