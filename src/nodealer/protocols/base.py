"""The interface that all five protocols implement.

A protocol creates *decks*. A deck is an immutable public value: each request of a game and each message of a seat
returns the next deck, the events, and the checks that must still be made. A message that a seat owes is a *duty*. The
message that fulfils it is a pure function of the deck, the duty, the seat's tape and, if a person chooses, the choice.
So restarting, replaying and auditing a seat are all the same call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    """The table that a deck belongs to. All of it is bound into every challenge and every derived secret."""

    protocol: str
    version: int
    session: bytes
    roster: bytes
    hand: int
    #: The seats that take part in the cryptography, in the order of play.
    seats: tuple[int, ...]
    #: Seats with a special role, such as ("dealer", 0).
    roles: tuple[tuple[str, int], ...]
    group: Group = field(repr=False)
    #: Seats and their identity keys, for protocols that order seats by them.
    identities: tuple[tuple[int, bytes], ...] = field(default=(), repr=False)
    #: Seats that left while a deck reported `outcome_seen`, perhaps to get another try. They do not get one.
    tried: frozenset[int] = frozenset()

    def without(self, seats: tuple[int, ...]) -> Binding:
        """Return the table after these seats have left. Everything created from it is bound to the remaining seats."""
        return replace(
            self,
            roster=digest("roster without", self.roster, *seats),
            seats=tuple(seat for seat in self.seats if seat not in seats),
            roles=tuple((role, seat) for role, seat in self.roles if seat not in seats),
        )

    @cached_property
    def players(self) -> tuple[int, ...]:
        """The seats with secrets and cards of their own: all except servers."""
        servers = {seat for role, seat in self.roles if role == "server"}
        return tuple(seat for seat in self.seats if seat not in servers)

    @cached_property
    def _duties(self) -> dict[tuple[object, ...], Duty]:
        """The duties created so far, by their fields."""
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
        """Return the duty with these fields.

        Equal calls return the same object, because decks list their duties often.
        """
        words = (deck, seat, kind, anchor, choice, optional, may_choose, recalls)
        known = self._duties.get(words)
        if known is None:
            known = self._duties[words] = Duty(self, *words)
        return known

    # defence: copied-key
    def context(self, *, deck: int, epoch: int, step: str, seat: int, anchor: bytes) -> Context:
        """Return the context of a proof made at this table.

        `anchor` is the anchor of the duty that the proof is for.
        """
        table = (self.protocol, self.version, self.session, self.roster, self.hand)
        return Context(*table, deck, epoch, step, seat, anchor)

    def inputs(self, *, deck: int, epoch: int, seat: int, others: tuple[bytes, ...] = ()) -> bytes:
        """Return the public inputs of a derived secret. `others` is what the secret will be combined with."""
        place = (self.protocol, self.version, self.session, self.roster, self.hand, deck, epoch, seat)
        return digest("inputs", *place, *others)


#: The kind of an optional duty: the seat reports that cards it got are not cards. If a protocol has it, it comes before
#: disclosure, because it names the culprit and reveals only those cards.
MISDEAL: Final = "misdeal"
#: The most missing capabilities that an error message lists.
NAMED_MAX: Final = 3


@dataclass(frozen=True)
class Duty:
    """A message that a seat owes or, if `optional`, may send. Several can be open at once.

    `anchor` is the digest of what the message answers: an entry that fulfils the duty must have seen it.
    """

    binding: Binding = field(repr=False)
    #: None if the message is owed to the table itself, such as a move or the start of a hand.
    deck: int | None
    seat: int
    #: The kind of message: a name of the protocol, or of the table (`engine/duties.py`).
    kind: str
    anchor: bytes
    #: A person must choose something before the message can be created.
    choice: bool = False
    optional: bool = False
    #: A person may choose something before the seat answers automatically.
    may_choose: bool = False
    #: An earlier duty of the same seat whose choice this message repeats.
    recalls: bytes | None = None

    @property
    def chosen(self) -> bytes:
        """The ID of the duty whose choice goes into the message."""
        return self.recalls or self.id

    @cached_property
    def id(self) -> bytes:
        """The ID by which an entry names the duty that it fulfils."""
        session, hand = self.binding.session, self.binding.hand
        deck = "table" if self.deck is None else self.deck
        return digest("duty", session, hand, deck, self.seat, self.kind, self.anchor)


@dataclass(frozen=True)
class DeckChange:
    """The result of a request or message: the next deck, the events, and the checks that must still be made."""

    deck: Deck
    events: tuple[Event, ...] = ()
    checks: tuple[Check, ...] = ()


class Deck(Protocol):
    """The public state of one deck. It is immutable: an invalid call raises and changes nothing."""

    @property
    def places(self) -> Places:
        """The places of the cards."""

    @property
    def duties(self) -> tuple[Duty, ...]:
        """The duties that are open now."""

    def request(self, operation: Operation) -> DeckChange:
        """Begin an operation. Raise `BadParameter` if it is not possible now."""

    def apply(self, duty: Duty, message: bytes) -> DeckChange:
        """Apply the message that fulfils `duty`.

        Raise `Malformed` if the bytes cannot be valid, and `PeerFault` if the message is well formed but false.
        """

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        """Return the message that an honest seat sends for `duty`. It depends only on what the duty is anchored to."""

    def knows(self, seat: int, tape: Tape) -> Mapping[Card, int]:
        """Return the faces that a seat can read from public data and its own tape: its cards and the open ones.

        Raise `CardUnreadable` if data that the seat got is false.
        """

    def without(self, seats: tuple[int, ...]) -> DeckChange | None:
        """Continue without these seats. Return None if this protocol cannot."""

    @property
    def outcome_seen(self) -> bool:
        """Whether a seat that leaves now has seen a random outcome here and may want another try."""

    @property
    def half(self) -> Mapping[int, Half]:
        """A map from seat to the operation (deal, opening or rebuild) that it would leave half done by leaving now.

        Seats that can leave without leaving anything half done are not in the mapping.
        """

    def digest(self) -> bytes:
        """Return a digest for comparing replicas."""


@dataclass(frozen=True)
class Cheat:
    """A way to cheat, when it is detected, and whether the culprit is named."""

    cheat: str
    seen: Literal["at once", "at opening", "at the end", "never"]
    culprit: bool


@dataclass(frozen=True)
class Needs:
    """What a table needs from its protocol, because of its game and its seats."""

    game: str
    seats: int
    #: The largest deck.
    cards: int
    operations: frozenset[Capability]
    #: The roles that seats have.
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Claims:
    """The capabilities and promises of a protocol, as data. `nodealer protocols` prints them."""

    name: str
    version: int
    seats: tuple[int, int]
    cards: tuple[int, int]
    operations: frozenset[Capability]
    roles: tuple[str, ...]
    cheats: tuple[Cheat, ...]
    #: What happens if a seat stops responding.
    dropout: str
    cost: Mapping[str, str]
    #: Whether every hand ends with all seats disclosing their seeds.
    open_book_at_end: bool = False
    #: What the players should know before they agree to a weak protocol, or None.
    warning: str | None = None
    #: Describes for people the chance that a cheat succeeds, for this number of seats. None if there is none.
    odds: Callable[[int], str | None] = field(default=lambda seats: None, compare=False)

    def warning_at(self, seats: int) -> str | None:
        """Return the warning with the odds for this number of seats, or None if there is neither."""
        return " ".join(filter(None, (self.warning, self.odds(seats)))) or None

    def __post_init__(self) -> None:
        """Raise `BadParameter` if the claimed numbers of seats or cards are outside the limits of all protocols."""
        if not SEATS_MIN <= self.seats[0] <= self.seats[1] <= SEATS_MAX:
            raise BadParameter(f"{self.name} claims {self.seats} seats")
        if not CARDS_MIN <= self.cards[0] <= self.cards[1] <= CARDS_MAX:
            raise BadParameter(f"{self.name} claims {self.cards} cards")

    def refuse(self, needs: Needs) -> None:
        """Raise `BadParameter` if a table needs more than this protocol offers."""
        if not self.seats[0] <= needs.seats <= self.seats[1]:
            raise BadParameter(f"{self.name} cannot seat {needs.seats} players, only {_format_range(self.seats)}")
        if not self.cards[0] <= needs.cards <= self.cards[1]:
            raise BadParameter(
                f"{self.name} cannot make decks of {needs.cards} cards, only of {_format_range(self.cards)}"
            )
        lacking = needs.operations - self.operations - WITHOUT_CARDS
        missing = [str(operation) for operation in Capability if operation in lacking] if lacking else []
        if len(missing) > NAMED_MAX:
            missing = [*missing[: NAMED_MAX - 1], f"do {len(missing) - NAMED_MAX + 1} other things"]
        if missing:
            raise BadParameter(f"{self.name} cannot {_join_with_or(missing)}, which {needs.game} needs")
        if vacant := sorted(frozenset(self.roles) - needs.roles):
            raise BadParameter(f"{self.name} needs a seat with the role {vacant[0]}")

    def refuse_players(self, binding: Binding) -> None:
        """Raise `BadParameter` if the number of players is not one for which this protocol can create a deck."""
        if not self.seats[0] <= len(binding.players) <= self.seats[1]:
            few = f"{_format_range(self.seats)} players, not for {len(binding.players)}"
            raise BadParameter(f"{self.name} makes decks for {few}")

    def as_json(self) -> dict[str, Any]:
        """Return the row of `nodealer protocols --json`."""
        return {
            "name": self.name,
            "version": self.version,
            "seats": list(self.seats),
            "cards": list(self.cards),
            "operations": sorted(operation.value for operation in self.operations),
            "roles": list(self.roles),
            "cheats": [{"cheat": c.cheat, "seen": c.seen, "culprit": c.culprit} for c in self.cheats],
            "dropout": self.dropout,
            "cost": ({} if self.warning is None else {"warning": self.warning}) | dict(self.cost),
        }


def _format_range(limits: tuple[int, int]) -> str:
    """Format a range of numbers for an error message."""
    low, high = limits
    return f"{low}" if low == high else f"{low} to {high}"


def _join_with_or(words: Sequence[str]) -> str:
    """Join phrases with commas and "or"."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


class CardProtocol(Protocol):
    """A card protocol with its parameters, on one group."""

    @property
    def claims(self) -> Claims:
        """What the protocol can do and promises."""

    @property
    def parameters(self) -> bytes:
        """The parameters that the table agreed on, as canonical JSON."""

    @property
    def group(self) -> Group:
        """The group that the protocol computes in."""

    def new_deck(self, binding: Binding, deck: int, size: int, owner: int | None) -> Deck:
        """Create a deck that no seat has touched. Its duties start with making it; a `Finished` event ends that."""
