"""The public state of a table: immutable values, without the code that turns one into the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nodealer.cards.events import Event
from nodealer.cards.operations import Operation
from nodealer.engine.bodies import NewKey
from nodealer.engine.clock import Clock
from nodealer.engine.duties import Duties
from nodealer.engine.ledger import Ledger
from nodealer.engine.persistent_map import VersionedMap
from nodealer.engine.phases import Phase
from nodealer.errors import BadParameter
from nodealer.games.base import Game, Rules, Want
from nodealer.games.package import GamePackage
from nodealer.games.text import Words
from nodealer.log.roster import Member, Roster
from nodealer.log.session import Proposal, Session
from nodealer.proofs.checks import Check
from nodealer.protocols import refuse_unserved
from nodealer.protocols.base import Binding, CardProtocol, Deck, Duty, Needs
from nodealer.records import replace
from nodealer.tape import digest
from nodealer.wire import encode


@dataclass(frozen=True)
class Fault:
    """A proven violation, and the entry that proves it. `seat` is None if no one can be named."""

    entry: int
    seat: int | None
    check: str
    reason: str


@dataclass(frozen=True)
class VoteResult:
    """A successful vote: the table did not wait for a seat, or aborted the hand."""

    entry: int
    hand: int
    by: tuple[int, ...]
    #: The seat that was skipped, or None if the hand was aborted.
    of: int | None
    #: "gone", "move" (the rules made one for the seat) or "broken off".
    did: str


@dataclass(frozen=True)
class HandRecord:
    """How a hand ended: its result, or why it has none."""

    hand: int
    names: Mapping[int, str]
    result: Mapping[str, Any] = field(default_factory=dict)
    net: Mapping[int, int] = field(default_factory=dict)
    #: What seats paid for leaving.
    charged: Mapping[int, int] = field(default_factory=dict)
    #: Why the hand does not count, or None if it does.
    void: str | None = None


@dataclass(frozen=True)
class RosterPeriod:
    """A roster, the first hand for which it applies, the seats that agreed to it, and their chips."""

    from_hand: int
    roster: Roster
    agreed: tuple[int, ...]
    chips: Mapping[int, int]


@dataclass(frozen=True)
class KeyChange:
    """A new key for the frames of the table, and the digest of the roster with which it came."""

    roster: bytes
    key: NewKey


@dataclass(frozen=True)
class Chronicle:
    """The final facts of a table: what has happened and cannot change."""

    records: tuple[HandRecord, ...] = ()
    faults: tuple[Fault, ...] = ()
    vote_results: tuple[VoteResult, ...] = ()
    roster_periods: tuple[RosterPeriod, ...] = ()
    #: The log heights at which the previous hands ended, and at which the roster came into force.
    hand_ends: tuple[int, ...] = ()
    roster_since: int = 0
    #: The keys that came with rosters, and the log heights at which they came into force.
    key_changes: tuple[KeyChange, ...] = ()
    key_heights: tuple[int, ...] = ()


@dataclass(frozen=True)
class SentMessage:
    """A protocol message that was applied, and the deck to which it was, for comparison with a later disclosure."""

    entry: int
    deck: Deck
    duty: Duty
    message: bytes


@dataclass(frozen=True)
class DueDisclosures:
    """A hand that seats must disclose, with everything needed to check it and the seats that still owe it."""

    binding: Binding
    commitments: Mapping[int, bytes]
    messages: VersionedMap[int, SentMessage]
    owing: frozenset[int]
    #: Whether the hand is disputed, rather than disclosed because the protocol always requires it.
    disputed: bool = False


@dataclass(frozen=True)
class Config:
    """The parts of a table that never change."""

    session: Session
    protocol: CardProtocol
    rules: Rules
    #: The package of the rules, or None for rules without a package.
    package: GamePackage | None = None

    @property
    def words(self) -> Words:
        """The texts of the game."""
        return Words() if self.package is None else self.package.words

    def binding(self, hand: int, roster: Roster, seats: tuple[int, ...]) -> Binding:
        """Return what the decks of a hand are bound to. Its digest names the seats that play, not all that could."""
        claims = self.protocol.claims
        roles = tuple((role, seat) for role, seat in roster.roles if seat in seats)
        bound = digest("hand roster", roster.digest, *seats)
        keys = tuple((member.seat, member.key) for member in roster.members if member.seat in seats)
        session, group = self.session.id, self.protocol.group
        return Binding(claims.name, claims.version, session, bound, hand, seats, roles, group, keys)


@dataclass(frozen=True)
class PendingRequests:
    """The card operations that the game has requested and that are not done."""

    #: Deck to its operations; the first one is in progress.
    queues: Mapping[int, tuple[Operation, ...]]
    #: The card events so far.
    events: tuple[Event, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether all requested operations are done."""
        return not any(self.queues.values())


@dataclass(frozen=True)
class HandState:
    """One hand, from the end of the previous hand on. The next hand is a new value."""

    number: int
    #: What its decks are bound to. Before the hand begins, as if all seats were to play.
    binding: Binding
    #: The game. Before the hand begins, the previous one, for what carries over.
    game: Game | None = None
    #: A hash of all inputs of the game: its parameters, moves and events.
    game_digest: bytes = b""
    requests: PendingRequests | None = None
    decks: Mapping[int, Deck] = field(default_factory=dict)
    #: Seat to its commitment to its tape, from when it began.
    commitments: Mapping[int, bytes] = field(default_factory=dict)
    #: The same for the next hand, for seats that left this one and come back.
    early_commitments: Mapping[int, bytes] = field(default_factory=dict)
    #: Seat to the open duties that it votes to skip, and to the one for which it votes to abort the hand.
    skip_votes: Mapping[int, frozenset[bytes]] = field(default_factory=dict)
    abort_votes: Mapping[int, bytes] = field(default_factory=dict)
    #: Entry number to the protocol message in it.
    messages: VersionedMap[int, SentMessage] = field(default_factory=VersionedMap)
    #: Log height to the decks from there on: a dispute is judged by what the claimant saw.
    past_decks: VersionedMap[int, Mapping[int, Deck]] = field(default_factory=VersionedMap)
    #: A game and what it wants, so that it is not computed again after every message of a deck.
    cached_want: tuple[Game, Want] | None = field(default=None, compare=False, repr=False)

    @property
    def want(self) -> Want | None:
        """What the game wants now, or None without a game."""
        if self.cached_want is not None and self.cached_want[0] is self.game:
            return self.cached_want[1]
        return None if self.game is None else self.game.wants

    def decks_at(self, height: int) -> Mapping[int, Deck]:
        """Return the decks as they were at this log height."""
        seen = [decks for since, decks in self.past_decks.items() if since <= height]
        return seen[-1] if seen else {}


@dataclass(frozen=True)
class ProposedRoster:
    """A proposed roster, the seats that agree to it, and how many hands have begun since."""

    roster: Roster
    by: int
    hand: int
    agreed: frozenset[int]
    begins: int = 0
    #: The table key once the roster is in force.
    key: NewKey | None = None


@dataclass(frozen=True)
class TableState:
    """Everything public about a table except the log itself."""

    config: Config
    roster: Roster
    phase: Phase
    #: The hand being played, or between hands the next one.
    hand: HandState
    duties: Duties = field(default_factory=Duties)
    #: Seats that have left this hand or sit out; that were found at fault; that have signed the end.
    gone: frozenset[int] = frozenset()
    expelled: frozenset[int] = frozenset()
    ended: frozenset[int] = frozenset()
    #: Seats that left after a dealer's choice of deck was decided, so that no dealer can use a departure to retry.
    tried: frozenset[int] = frozenset()
    #: Whether the session has had its last hand.
    no_more_hands: bool = False
    ledger: Ledger = field(default_factory=Ledger)
    #: Hand number to the disclosures that are still due.
    disclosures: Mapping[int, DueDisclosures] = field(default_factory=dict)
    proposed: Mapping[bytes, ProposedRoster] = field(default_factory=dict)
    #: Every member that the log has ever had, by seat. Number, key and name belong together for good.
    all_members: Mapping[int, Member] = field(default_factory=dict)
    #: The clock, or None in a session without time limits.
    clock: Clock | None = None
    chronicle: Chronicle = field(default_factory=Chronicle)

    @property
    def present(self) -> tuple[int, ...]:
        """The seats of the roster that are not gone, ended or expelled. The timekeeper is never one of them."""
        return tuple(seat for seat in self.roster.awaited if seat not in self.gone | self.ended | self.expelled)

    @property
    def results(self) -> tuple[Mapping[str, Any], ...]:
        """The results of the hands so far, without void hands."""
        return tuple(record.result for record in self.chronicle.records if record.void is None)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults so far."""
        return self.chronicle.faults

    @property
    def fault(self) -> Fault | None:
        """The first fault, if any."""
        return self.faults[0] if self.faults else None

    def with_hand(self, **changes: Any) -> TableState:
        """Return this state with fields of its hand changed."""
        return replace(self, hand=replace(self.hand, **changes))

    def with_chronicle(self, **changes: Any) -> TableState:
        """Return this state with fields of its chronicle changed."""
        return replace(self, chronicle=replace(self.chronicle, **changes))

    def digest(self) -> bytes:
        """Return a digest that is equal for all replicas of one log."""
        hand, chronicle = self.hand, self.chronicle
        parts = (
            self.roster.digest,
            hand.number,
            self.phase.value,
            hand.game_digest,
            *(deck.digest() for _, deck in sorted(hand.decks.items())),
            *sorted(self.duties.open),
            encode([[seat, sorted(votes)] for seat, votes in sorted(hand.skip_votes.items())]),
            encode([[seat, duty] for seat, duty in sorted(hand.abort_votes.items())]),
            encode(
                [sorted(self.gone), sorted(self.expelled), sorted(self.ended), sorted(self.tried), self.no_more_hands]
            ),
            encode([sorted(self.ledger.chips.items()), [sorted(held.gains.items()) for held in self.ledger.held]]),
            encode([[one.hand, one.seat, one.amount] for one in self.ledger.dead]),
            encode([[id, sorted(one.agreed)] for id, one in sorted(self.proposed.items())]),
            encode([[record.hand, record.result, record.void] for record in chronicle.records]),
            encode([[fault.entry, fault.seat, fault.check] for fault in chronicle.faults]),
            encode(None if self.clock is None else self.clock.digest_fields),
        )
        return digest("state", *parts)


@dataclass(frozen=True)
class Change:
    """The effect of an entry: the state after it, the card events, and the checks that it requires."""

    state: TableState
    events: tuple[Event, ...] = ()
    checks: tuple[Check, ...] = ()

    def with_state(self, state: TableState) -> Change:
        """Return this change with another state."""
        return replace(self, state=state)


def refuse_unfit(proposal: Proposal, protocol: CardProtocol, rules: Rules) -> None:
    """Raise `BadParameter` if the protocol or the rules differ from the proposal's or cannot serve its table."""
    claims = protocol.claims
    if (proposal.protocol.name, proposal.protocol.version) != (claims.name, claims.version):
        raise BadParameter(f"the session uses {proposal.protocol.name}, not {claims.name} {claims.version}")
    if (proposal.game.name, proposal.game.version) != (rules.name, rules.version):
        raise BadParameter(f"the session is for {proposal.game.name}, not {rules.name} {rules.version}")
    roster = proposal.roster
    roles = frozenset(role for role, _ in roster.roles)
    refuse_unserved(claims, Needs(rules.name, len(roster.with_cards), rules.deck_max, rules.operations, roles))
    # The rules know how many players they support.
    rules.begin(0, roster.with_cards, None, dict.fromkeys(roster.with_cards, rules.stake))


def first_state(config: Config) -> TableState:
    """Return the state before the first entry. Raise `BadParameter` if protocol and game cannot serve the table."""
    refuse_unfit(config.session.proposal, config.protocol, config.rules)
    proposal, stake = config.session.proposal, config.rules.stake
    roster = proposal.roster
    return TableState(
        config,
        roster,
        Phase.BETWEEN,
        HandState(0, config.binding(0, roster, roster.awaited)),
        ledger=Ledger().add_seats(roster.with_cards, stake),
        all_members={member.seat: member for member in roster.members},
        clock=None if proposal.clock is None else Clock(proposal.clock),
        chronicle=Chronicle(
            roster_periods=(RosterPeriod(0, roster, roster.seats, dict.fromkeys(roster.with_cards, stake)),)
        ),
    )
