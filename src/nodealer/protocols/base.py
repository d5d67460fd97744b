"""The one interface that five protocols stand behind.

A protocol makes *decks*. A deck is an immutable public value: a game's request and a seat's message each give the next
deck, what happened, and the checks that are owed for it. What a seat owes is a *duty*; the message that fulfils one is
a pure function of the deck, the duty, the seat's tape and, where a person chooses, the choice. So restarting, replaying
and auditing a seat are all the same call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, Protocol

from nodealer.cards.events import Event, Half
from nodealer.cards.operations import WITHOUT_CARDS, Capability, Card, Operation
from nodealer.cards.places import Places
from nodealer.errors import BadParameter
from nodealer.group import Group
from nodealer.proofs.checks import Check
from nodealer.proofs.transcript import Context
from nodealer.records import replace
from nodealer.tape import Tape, digest
from nodealer.wire import CARDS_MAX, CARDS_MIN, SEATS_MAX, SEATS_MIN


@dataclass(frozen=True)
class Binding:
    """What a deck knows of the table it lies on. All of it is in every challenge and every derived secret."""

    protocol: str
    version: int
    session: bytes
    roster: bytes
    hand: int
    #: The seats that take part in the cryptography, in the order of play.
    seats: tuple[int, ...]
    #: Seats with a role of their own, such as ("dealer", 0).
    roles: tuple[tuple[str, int], ...]
    group: Group = field(repr=False)
    #: Seats and their identity keys, for protocols that order seats by them.
    identities: tuple[tuple[int, bytes], ...] = field(default=(), repr=False)
    #: Seats that went when a deck said that they could be trying again (`Deck.tossed`): nobody gets another try.
    tried: frozenset[int] = frozenset()

    def without(self, seats: tuple[int, ...]) -> Binding:
        """The table after these seats have left. What is made from now on is bound to those who stay."""
        return replace(
            self,
            roster=digest("roster without", self.roster, *seats),
            seats=tuple(seat for seat in self.seats if seat not in seats),
            roles=tuple((role, seat) for role, seat in self.roles if seat not in seats),
        )

    @cached_property
    def players(self) -> tuple[int, ...]:
        """The seats with secrets and cards of their own: all but servers."""
        servers = {seat for role, seat in self.roles if role == "server"}
        return tuple(seat for seat in self.seats if seat not in servers)

    @cached_property
    def _duties(self) -> dict[tuple[object, ...], Duty]:
        return {}

    def duty(
        self,
        deck: int | None,
        seat: int,
        kind: str,
        anchor: bytes,
        *,
        choice: bool = False,
        optional: bool = False,
        may_choose: bool = False,
        recalls: bytes | None = None,
    ) -> Duty:
        """A duty at this table: one object, as a deck says again what it is owed whenever one of many has answered."""
        words = (deck, seat, kind, anchor, choice, optional, may_choose, recalls)
        known = self._duties.get(words)
        if known is None:
            known = self._duties[words] = Duty(self, *words)
        return known

    # defence: copied-key
    def context(self, *, deck: int, epoch: int, step: str, seat: int, anchor: bytes) -> Context:
        """Where a proof made at this table belongs: `anchor` is that of the duty it is made for."""
        table = (self.protocol, self.version, self.session, self.roster, self.hand)
        return Context(*table, deck, epoch, step, seat, anchor)

    def inputs(self, *, deck: int, epoch: int, seat: int, others: tuple[bytes, ...] = ()) -> bytes:
        """The public inputs of a derived secret; `others` is what the secret will be combined with."""
        place = (self.protocol, self.version, self.session, self.roster, self.hand, deck, epoch, seat)
        return digest("inputs", *place, *others)


#: The step of an optional duty with which a seat says that cards it got are none. Where a protocol has it, it comes
#: before the open books: it names the culprit and costs the secrecy of those cards alone.
MISDEAL: Final = "misdeal"
#: How much of what it cannot do a refusal names: the sentence is for people.
NAMED_MAX: Final = 3


@dataclass(frozen=True)
class Duty:
    """One message that a seat owes, or (`optional`) may send. Several may be open at once.

    `anchor` is the digest of what the message answers: an entry that fulfils the duty must have seen it.
    """

    binding: Binding = field(repr=False)
    #: None for what is owed to the table itself: a move, the begin of a hand.
    deck: int | None
    seat: int
    #: Which message: the protocol's word for it, or the table's own (`engine/duties.py`).
    kind: str
    anchor: bytes
    #: A person has to choose something before the message can be made.
    choice: bool = False
    optional: bool = False
    #: A person may choose, before the seat answers by itself.
    may_choose: bool = False
    #: The duty, of the same seat, whose choice the message is made of once more.
    recalls: bytes | None = None

    @property
    def chosen(self) -> bytes:
        """The duty whose choice the message is made of."""
        return self.recalls or self.id

    @cached_property
    def id(self) -> bytes:
        """What an entry names to say which duty it fulfils."""
        session, hand = self.binding.session, self.binding.hand
        deck = "table" if self.deck is None else self.deck
        return digest("duty", session, hand, deck, self.seat, self.kind, self.anchor)


@dataclass(frozen=True)
class DeckChange:
    """What a request or a message did: the next deck, the events, and the checks that are owed for it."""

    deck: Deck
    events: tuple[Event, ...] = ()
    checks: tuple[Check, ...] = ()


class Deck(Protocol):
    """The public state of one deck. Immutable; refusing something means raising, and changes nothing."""

    @property
    def places(self) -> Places:
        """Where the cards are."""

    @property
    def duties(self) -> tuple[Duty, ...]:
        """What is owed now."""

    def request(self, operation: Operation) -> DeckChange:
        """Begin an operation. Raises `BadParameter` for one that makes no sense now."""

    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        """Take the message that fulfils `duty`.

        Raises `Malformed` for bytes that cannot be right, `PeerFault` for a message that is well formed and false.
        """

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        """The message that an honest seat sends for `duty`. Depends only on what the duty is anchored to."""

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        """The faces that a seat can read, from public data and its own tape: its cards, and what is open.

        Raises `CardUnreadable` when data that the seat got is false.
        """

    def without(self, seats: tuple[int, ...]) -> DeckChange | None:
        """Go on without these seats, or None when this protocol cannot."""

    @property
    def tossed(self) -> bool:
        """Whether somebody who goes now has seen what chance has made of this deck, and could be trying again."""

    @property
    def half(self) -> Mapping[int, Half]:
        """What each seat would leave half done if it were gone now, for those that owe such a message."""

    def digest(self) -> bytes:
        """For comparing replicas."""


@dataclass(frozen=True)
class Cheat:
    """A way to cheat, when it is seen, and whether the culprit is named."""

    cheat: str
    seen: Literal["at once", "at opening", "at the end", "never"]
    culprit: bool


@dataclass(frozen=True)
class Needs:
    """What a table needs of its protocol: its game, and who sits at it."""

    game: str
    seats: int
    #: The largest deck.
    cards: int
    operations: frozenset[Capability]
    #: The roles that seats have.
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Claims:
    """What a protocol can serve, and what it promises. Data, printed by `nodealer protocols`."""

    name: str
    version: int
    seats: tuple[int, int]
    cards: tuple[int, int]
    operations: frozenset[Capability]
    roles: tuple[str, ...]
    cheats: tuple[Cheat, ...]
    #: What happens when a seat stays silent.
    dropout: str
    cost: Mapping[str, str]
    #: Whether every hand ends with all seats opening their seeds.
    open_book_at_end: bool = False

    def __post_init__(self) -> None:
        if not SEATS_MIN <= self.seats[0] <= self.seats[1] <= SEATS_MAX:
            raise BadParameter(f"{self.name} claims {self.seats} seats")
        if not CARDS_MIN <= self.cards[0] <= self.cards[1] <= CARDS_MAX:
            raise BadParameter(f"{self.name} claims {self.cards} cards")

    def refuse(self, needs: Needs) -> None:
        """Raise `BadParameter` when a table needs more than this protocol has."""
        if not self.seats[0] <= needs.seats <= self.seats[1]:
            raise BadParameter(f"{self.name} cannot seat {needs.seats} players, only {_span(self.seats)}")
        if not self.cards[0] <= needs.cards <= self.cards[1]:
            raise BadParameter(f"{self.name} cannot make decks of {needs.cards} cards, only of {_span(self.cards)}")
        lacking = needs.operations - self.operations - WITHOUT_CARDS
        missing = [str(operation) for operation in Capability if operation in lacking] if lacking else []
        if len(missing) > NAMED_MAX:
            missing = [*missing[: NAMED_MAX - 1], f"do {len(missing) - NAMED_MAX + 1} things more"]
        if missing:
            raise BadParameter(f"{self.name} cannot {_either(missing)}, and {needs.game} needs that")
        if vacant := sorted(frozenset(self.roles) - needs.roles):
            raise BadParameter(f"{self.name} cannot do without a seat with the role {vacant[0]}")

    def refuse_players(self, binding: Binding) -> None:
        """Raise `BadParameter` where a deck cannot be made: for fewer seats than this one could shuffle alone."""
        if not self.seats[0] <= len(binding.players) <= self.seats[1]:
            few = f"{_span(self.seats)} players, not for {len(binding.players)}"
            raise BadParameter(f"{self.name} makes decks for {few}")

    def as_json(self) -> dict[str, Any]:
        """The row of `nodealer protocols --json`."""
        return {
            "name": self.name,
            "version": self.version,
            "seats": list(self.seats),
            "cards": list(self.cards),
            "operations": sorted(operation.value for operation in self.operations),
            "roles": list(self.roles),
            "cheats": [{"cheat": c.cheat, "seen": c.seen, "culprit": c.culprit} for c in self.cheats],
            "dropout": self.dropout,
            "cost": dict(self.cost),
        }


def _span(limits: tuple[int, int]) -> str:
    low, high = limits
    return f"{low}" if low == high else f"{low} to {high}"


def _either(words: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


class CardProtocol(Protocol):
    """One of the five."""

    @property
    def claims(self) -> Claims: ...
    @property
    def parameters(self) -> bytes:
        """What the table agreed on about it, as canonical JSON."""

    @property
    def group(self) -> Group:
        """The group it runs on."""

    def new_deck(self, binding: Binding, deck: int, size: int, owner: int | None) -> Deck:
        """A deck that nobody has touched yet; its duties begin with making it. Ends with `Finished`."""
