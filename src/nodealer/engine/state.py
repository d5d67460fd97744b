"""The public state of a table: immutable values, and nothing that turns one into the next."""

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
    """A proven wrong, and the entry that shows it. `seat` is None when nobody can be named."""

    entry: int
    seat: int | None
    check: str
    reason: str


@dataclass(frozen=True)
class VoteResult:
    """Seats said that the table should not wait for another, and it did not."""

    entry: int
    hand: int
    by: tuple[int, ...]
    #: The seat, or None where the hand was broken off.
    of: int | None
    #: "gone", "move" (one was made for it) or "broken off".
    did: str


@dataclass(frozen=True)
class HandRecord:
    """How a hand ended: its result, or why it has none."""

    hand: int
    names: Mapping[int, str]
    result: Mapping[str, Any] = field(default_factory=dict)
    net: Mapping[int, int] = field(default_factory=dict)
    #: What seats paid that left at a price.
    charged: Mapping[int, int] = field(default_factory=dict)
    #: Why nothing of it counts.
    void: str | None = None


@dataclass(frozen=True)
class RosterPeriod:
    """A roster, from which hand on it holds, and who agreed to it."""

    from_hand: int
    roster: Roster
    agreed: tuple[int, ...]
    chips: Mapping[int, int]


@dataclass(frozen=True)
class KeyChange:
    """A new key of what is said at the table, and the digest of the roster that it came with."""

    roster: bytes
    key: NewKey


@dataclass(frozen=True)
class Chronicle:
    """What has happened at a table and will not change any more."""

    records: tuple[HandRecord, ...] = ()
    faults: tuple[Fault, ...] = ()
    vote_results: tuple[VoteResult, ...] = ()
    roster_periods: tuple[RosterPeriod, ...] = ()
    #: The heights at which the hands before this one ended, and the one at which the roster came into force.
    hand_ends: tuple[int, ...] = ()
    roster_since: int = 0
    #: The keys that came with rosters, and the heights at which they came into force.
    key_changes: tuple[KeyChange, ...] = ()
    key_heights: tuple[int, ...] = ()


@dataclass(frozen=True)
class SentMessage:
    """A protocol message that was applied, with the deck it was made for: what an open book is held against."""

    entry: int
    deck: Deck
    duty: Duty
    message: bytes


@dataclass(frozen=True)
class DueDisclosures:
    """A hand whose seats have to open their books: what these are held against, and who has not."""

    binding: Binding
    commitments: Mapping[int, bytes]
    messages: VersionedMap[int, SentMessage]
    owing: frozenset[int]
    #: Whether somebody disputes the hand, and it did not just end so.
    disputed: bool = False


@dataclass(frozen=True)
class Config:
    """What never changes at a table."""

    session: Session
    protocol: CardProtocol
    rules: Rules
    #: Where the rules are from; None where somebody brought rules alone.
    package: GamePackage | None = None

    @property
    def words(self) -> Words:
        """How the game speaks."""
        return Words() if self.package is None else self.package.words

    def binding(self, hand: int, roster: Roster, seats: tuple[int, ...]) -> Binding:
        """What the decks of a hand bind. The digest names the seats that play, not only those that could."""
        claims = self.protocol.claims
        roles = tuple((role, seat) for role, seat in roster.roles if seat in seats)
        bound = digest("hand roster", roster.digest, *seats)
        keys = tuple((member.seat, member.key) for member in roster.members if member.seat in seats)
        session, group = self.session.id, self.protocol.group
        return Binding(claims.name, claims.version, session, bound, hand, seats, roles, group, keys)


@dataclass(frozen=True)
class PendingRequests:
    """What the game has asked for and is not done."""

    #: Each deck's operations, the first one in progress.
    queues: Mapping[int, tuple[Operation, ...]]
    #: What they have done so far.
    events: tuple[Event, ...] = ()

    @property
    def is_done(self) -> bool:
        return not any(self.queues.values())


@dataclass(frozen=True)
class HandState:
    """One hand, from the moment the one before it is over. The next one is a new value."""

    number: int
    #: What its decks bind; while it has not begun, as if all seats were to play.
    binding: Binding
    #: The game; while the hand has not begun, the one before it, for what carries over.
    game: Game | None = None
    #: A hash over everything that the game was told: its parameters, moves and events.
    game_digest: bytes = b""
    requests: PendingRequests | None = None
    decks: Mapping[int, Deck] = field(default_factory=dict)
    #: Seat to what it committed itself to when it began.
    commitments: Mapping[int, bytes] = field(default_factory=dict)
    #: The same for the next hand, of seats that are gone from this one and come back.
    early_commitments: Mapping[int, bytes] = field(default_factory=dict)
    #: Seat to the open duties of others that it would not wait for, and to the one that it would break off for.
    skip_votes: Mapping[int, frozenset[bytes]] = field(default_factory=dict)
    abort_votes: Mapping[int, bytes] = field(default_factory=dict)
    #: Entry to what was done there to a deck.
    messages: VersionedMap[int, SentMessage] = field(default_factory=VersionedMap)
    #: Height to the decks as they were from there on: a claim is judged by what the claimant saw.
    past_decks: VersionedMap[int, Mapping[int, Deck]] = field(default_factory=VersionedMap)
    #: What a game wants, with that game: it is asked once, and not after every message of a deck.
    cached_want: tuple[Game, Want] | None = field(default=None, compare=False, repr=False)

    @property
    def want(self) -> Want | None:
        """What the game wants now."""
        if self.cached_want is not None and self.cached_want[0] is self.game:
            return self.cached_want[1]
        return None if self.game is None else self.game.wants

    def decks_at(self, height: int) -> Mapping[int, Deck]:
        """The decks as a seat saw them that had seen so much of the log."""
        seen = [decks for since, decks in self.past_decks.items() if since <= height]
        return seen[-1] if seen else {}


@dataclass(frozen=True)
class ProposedRoster:
    """A roster that a seat proposed, the seats that agree to it, and how many hands have begun since."""

    roster: Roster
    by: int
    hand: int
    agreed: frozenset[int]
    begins: int = 0
    #: The key of what is said once it is in force.
    key: NewKey | None = None


@dataclass(frozen=True)
class TableState:
    """Everything public about a table but the log itself."""

    config: Config
    roster: Roster
    phase: Phase
    #: The hand that is played, or the next one while none is.
    hand: HandState
    duties: Duties = field(default_factory=Duties)
    #: Seats that are gone from this hand or sit out; that were found at fault; that have signed the end.
    gone: frozenset[int] = frozenset()
    expelled: frozenset[int] = frozenset()
    ended: frozenset[int] = frozenset()
    #: Seats that went where a protocol has a dealer that could try again: nobody does.
    tried: frozenset[int] = frozenset()
    #: Whether the session has seen its last hand.
    no_more_hands: bool = False
    ledger: Ledger = field(default_factory=Ledger)
    #: Hand to the books that are still to be opened.
    disclosures: Mapping[int, DueDisclosures] = field(default_factory=dict)
    proposed: Mapping[bytes, ProposedRoster] = field(default_factory=dict)
    #: Every seat that this log has seen: a number, a key and a name belong together for good.
    all_members: Mapping[int, Member] = field(default_factory=dict)
    #: What the ticks have shown; None in a session without limits of time.
    clock: Clock | None = None
    chronicle: Chronicle = field(default_factory=Chronicle)

    @property
    def present(self) -> tuple[int, ...]:
        """The seats of the roster that have neither gone nor ended. The timekeeper is never one of them."""
        return tuple(seat for seat in self.roster.awaited if seat not in self.gone | self.ended | self.expelled)

    @property
    def results(self) -> tuple[Mapping[str, Any], ...]:
        """What the hands so far came to, those left out that do not count."""
        return tuple(record.result for record in self.chronicle.records if record.void is None)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults so far."""
        return self.chronicle.faults

    @property
    def fault(self) -> Fault | None:
        """The first of them."""
        return self.faults[0] if self.faults else None

    def with_hand(self, **changes: Any) -> TableState:
        """This table with its hand changed."""
        return replace(self, hand=replace(self.hand, **changes))

    def with_chronicle(self, **changes: Any) -> TableState:
        """This table with its chronicle changed."""
        return replace(self, chronicle=replace(self.chronicle, **changes))

    def digest(self) -> bytes:
        """Equal for all replicas of one log."""
        hand, said = self.hand, self.chronicle
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
            encode([[record.hand, record.result, record.void] for record in said.records]),
            encode([[fault.entry, fault.seat, fault.check] for fault in said.faults]),
            encode(None if self.clock is None else self.clock.digest_fields),
        )
        return digest("state", *parts)


@dataclass(frozen=True)
class Change:
    """What an entry did."""

    state: TableState
    events: tuple[Event, ...] = ()
    checks: tuple[Check, ...] = ()

    def with_state(self, state: TableState) -> Change:
        """The same, and then this state."""
        return replace(self, state=state)


def refuse_unfit(proposal: Proposal, protocol: CardProtocol, rules: Rules) -> None:
    """Raise `BadParameter` for another protocol or game than is proposed, or a table that one of them cannot serve."""
    claims = protocol.claims
    if (proposal.protocol.name, proposal.protocol.version) != (claims.name, claims.version):
        raise BadParameter(f"the session is for {proposal.protocol.name}, not {claims.name} {claims.version}")
    if (proposal.game.name, proposal.game.version) != (rules.name, rules.version):
        raise BadParameter(f"the session is for {proposal.game.name}, not {rules.name} {rules.version}")
    roster = proposal.roster
    roles = frozenset(role for role, _ in roster.roles)
    refuse_unserved(claims, Needs(rules.name, len(roster.with_cards), rules.deck_max, rules.operations, roles))
    # The rules know how many can play.
    rules.begin(0, roster.with_cards, None, dict.fromkeys(roster.with_cards, rules.stake))


def first_state(config: Config) -> TableState:
    """A table before its first entry. Refuses a game that needs more than the protocol has."""
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
