"""The public state of a table: immutable values, and nothing that turns one into the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from nodealer.cards import Event, Operation
from nodealer.errors import BadParameter
from nodealer.games.base import Game, Rules
from nodealer.log.roster import Roster
from nodealer.log.session import Session
from nodealer.play.duties import Duties
from nodealer.play.grown import Grown
from nodealer.play.phases import Phase
from nodealer.proofs.checks import Check
from nodealer.protocols.base import Binding, CardProtocol, Deck, Duty
from nodealer.tape import digest
from nodealer.wire import encode

#: An opened book: the seed of a hand, and the private choices by the duties that they were made for.
OpenedBook = tuple[bytes, Mapping[bytes, bytes]]


@dataclass(frozen=True)
class Fault:
    """Why a table stopped. `seat` is None when nobody can be named."""

    entry: int
    seat: int | None
    check: str
    reason: str


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
        keys = tuple((member.seat, member.key) for member in roster.players if member.seat in seats)
        session, group = self.session.id, self.protocol.group
        return Binding(claims.name, claims.version, session, bound, hand, seats, roles, group, keys)


@dataclass(frozen=True)
class Asked:
    """What the game has asked for and is not done."""

    #: Each deck's operations, the first one in progress.
    queues: Mapping[int, tuple[Operation, ...]]
    #: What they have done so far.
    happened: tuple[Event, ...] = ()

    @property
    def done(self) -> bool:
        return not any(self.queues.values())


@dataclass(frozen=True)
class HandState:
    """One hand, from the moment the one before it is over. The next one is a new value."""

    number: int
    #: What its decks bind; while it has not begun, as if all seats were to play.
    binding: Binding
    #: The game; while the hand has not begun, the one before it, for what carries over.
    game: Game | None = None
    asked: Asked | None = None
    #: How often the game has gone on: what was due before is not what is due after.
    turn: int = 0
    decks: Mapping[int, Deck] = field(default_factory=dict)
    #: Seat to what it committed itself to when it began.
    commitments: Mapping[int, bytes] = field(default_factory=dict)
    #: Seat to the seats that it would go on without.
    withouts: Mapping[int, frozenset[int]] = field(default_factory=dict)
    #: Entry to what was done there to a deck.
    deeds: Grown[int, Deed] = field(default_factory=Grown)
    #: Height to the decks as they were from there on: a claim is judged by what the claimant saw.
    past: Grown[int, Mapping[int, Deck]] = field(default_factory=Grown)
    books: Mapping[int, OpenedBook] = field(default_factory=dict)
    #: The claim that opened the books: seat, deck and position.
    claimed: tuple[int, int, int] | None = None
    #: Why the game could not go on with what the decks told it: nothing of the hand counts.
    unplayable: str | None = None

    def decks_at(self, height: int) -> Mapping[int, Deck]:
        """The decks as a seat saw them that had seen so much of the log."""
        seen = [decks for since, decks in self.past.items() if since <= height]
        return seen[-1] if seen else {}


@dataclass(frozen=True)
class Proposed:
    """A roster that is proposed, and the seats that agree to it."""

    roster: Roster
    agreed: frozenset[int]


@dataclass(frozen=True)
class TableState:
    """Everything public about a table but the log itself."""

    config: Config
    roster: Roster
    phase: Phase
    #: The hand that is played, or the next one while none is.
    hand: HandState
    duties: Duties = field(default_factory=Duties)
    gone: frozenset[int] = frozenset()
    ended: frozenset[int] = frozenset()
    proposed: Proposed | None = None
    #: How many rosters were proposed: what was due before a proposal is not what is due after it.
    proposals: int = 0
    #: The height at which the roster came into force, and those at which the hands before this one ended.
    seated: int = 0
    ends: tuple[int, ...] = ()
    results: tuple[Mapping[str, Any], ...] = ()
    fault: Fault | None = None

    @property
    def present(self) -> tuple[int, ...]:
        """The seats of the roster that have neither gone nor ended."""
        return tuple(seat for seat in self.roster.seats if seat not in self.gone | self.ended)

    def with_hand(self, **changes: Any) -> TableState:
        """This table with its hand changed."""
        return replace(self, hand=replace(self.hand, **changes))

    def digest(self) -> bytes:
        """Equal for all replicas of one log."""
        hand, proposed = self.hand, self.proposed
        agreed = sorted(proposed.agreed) if proposed is not None else []
        parts = (
            self.roster.digest,
            hand.number,
            self.phase.value,
            hand.game.digest() if hand.game is not None else b"",
            *(deck.digest() for _, deck in sorted(hand.decks.items())),
            *sorted(self.duties.open),
            *(encode((seat, sorted(named))) for seat, named in sorted(hand.withouts.items())),
            encode((sorted(self.gone), sorted(self.ended), agreed, self.results)),
            encode(None if proposed is None else proposed.roster),
            encode(None if self.fault is None else [self.fault.entry, self.fault.seat, self.fault.check]),
        )
        return digest("state", *parts)


@dataclass(frozen=True)
class Change:
    """What an entry did."""

    state: TableState
    events: tuple[Event, ...] = ()
    checks: tuple[Check, ...] = ()

    def to(self, state: TableState) -> Change:
        """The same, and then this state."""
        return replace(self, state=state)


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
    return TableState(config, roster, Phase.BETWEEN, HandState(0, config.binding(0, roster, roster.seats)))
