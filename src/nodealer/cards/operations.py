"""What a game may ask of the cards, and which capabilities each request needs."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from nodealer.errors import BadParameter
from nodealer.records import replace


@dataclass(frozen=True, order=True)
class Card:
    """A card: a position of a deck since an epoch. A reshuffle or a recovery starts a new epoch."""

    deck: int
    epoch: int
    position: int


class Place(enum.Enum):
    """The place that returned cards go to."""

    TOP = "top"
    BOTTOM = "bottom"
    SHUFFLED = "shuffled"
    DISCARD = "discard"


class Look(enum.Enum):
    """The options of a seat that looks at cards."""

    LOOK = "look"
    #: Put them back in any order.
    REORDER = "reorder"
    #: Keep one, and put the others back in any order.
    KEEP = "keep"
    #: Keep one; the whole rest of the pile is shuffled. If the seat looks at the whole pile, this is a search.
    TAKE = "take"


# --- Operations a game can request ---


@dataclass(frozen=True)
class NewDeck:
    """Make a deck of `faces` cards and shuffle it. `owner` is the seat it belongs to, or None if all share it."""

    deck: int
    faces: int
    owner: int | None = None


@dataclass(frozen=True)
class Portion:
    """One seat's share of a deal: the next `count` cards, or those at `positions`."""

    seat: int
    count: int = 0
    positions: tuple[int, ...] = ()


@dataclass(frozen=True)
class Deal:
    """Deal cards that only their new holders can see. All portions are one request."""

    deck: int
    portions: tuple[Portion, ...]


@dataclass(frozen=True)
class Open:
    """Turn up the next `count` cards, or those at `positions`, for everyone.

    `order` lists groups of seats in the order in which they publish their keys: a group owes its keys once the group
    before it has published. Seats in no group publish first. So the seats with the least to lose by leaving can be
    the ones that learn a face last.
    """

    deck: int
    count: int = 0
    positions: tuple[int, ...] = ()
    order: tuple[tuple[int, ...], ...] = ()

    # defence: no-stake
    def in_turn(self, owing: Iterable[int]) -> tuple[int, ...]:
        """Return the seats that owe their keys now, out of those that have not published yet."""
        group = {seat: place for place, seats in enumerate(self.order) for seat in seats}
        waiting = tuple(owing)
        first = min((group.get(seat, -1) for seat in waiting), default=-1)
        return tuple(seat for seat in waiting if group.get(seat, -1) == first)


@dataclass(frozen=True)
class Show:
    """Have the holder show cards to everyone, or to one seat."""

    deck: int
    seat: int
    positions: tuple[int, ...]
    to: int | None = None


@dataclass(frozen=True)
class Gift:
    """Hidden cards that one seat gives to another."""

    giver: int
    to: int
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Pass:
    """Pass hidden cards between seats, all gifts at once. Only giver and receiver know which cards they are.

    The positions are fixed before any seat receives cards, so no one can choose after seeing their new ones. A passed
    card has a new position.
    """

    deck: int
    gifts: tuple[Gift, ...]


@dataclass(frozen=True)
class NoneOf:
    """A claim that none of a seat's hidden cards at `positions` is one of `faces`.

    The cards are in the seat's hand or laid aside by it. Positions and faces are in ascending order, so that each
    claim has exactly one form.
    """

    seat: int
    positions: tuple[int, ...]
    faces: tuple[int, ...]

    @classmethod
    def one_of(cls, seat: int, positions: tuple[int, ...], faces: Iterable[int], of: int) -> NoneOf:
        """Claim that each card is one of `faces`, that is, none of the other faces of a deck with `of` faces."""
        wanted = frozenset(faces)
        if not wanted <= frozenset(range(of)):
            raise BadParameter(f"a deck of {of} faces does not have all of {sorted(wanted)}")
        return cls(seat, positions, tuple(face for face in range(of) if face not in wanted))

    def refuse_form(self) -> None:
        """Raise `BadParameter` if the claim is empty or not in its one valid form."""
        for name, numbers in (("positions", self.positions), ("faces", self.faces)):
            if not numbers or numbers[0] < 0 or any(one >= other for one, other in pairwise(numbers)):
                raise BadParameter(f"a claim about cards has no {name}, or they are not in ascending order")


@dataclass(frozen=True)
class Prove:
    """Have seats prove what their hidden cards are not, in parallel. Nothing else is revealed.

    There is at most one claim per seat. When the operation finishes, every claim is proven.
    """

    deck: int
    claims: tuple[NoneOf, ...]


@dataclass(frozen=True)
class Return:
    """Return cards. `by` is the seat that requested it, or None if the rules of the game did.

    A seat may return its own hidden cards and open cards. Only the rules may return hidden cards of other seats.
    `depth` applies to the top of the pile: this many cards stay above the returned ones, and everyone can see that.
    """

    deck: int
    positions: tuple[int, ...]
    place: Place
    by: int | None = None
    depth: int = 0


@dataclass(frozen=True)
class Peek:
    """Let a seat look at the next `count` cards, and then perhaps reorder them or keep one.

    Cards that are put back or kept may get new positions, so that no other seat knows which is which.
    """

    deck: int
    seat: int
    count: int
    then: Look = Look.LOOK


@dataclass(frozen=True)
class Mix:
    """Have a seat shuffle hidden cards of its own hand. They get new positions that only this seat can match to cards.

    Use it before another seat draws one of them or before they are passed on. Otherwise the position tells which card
    it was.
    """

    deck: int
    seat: int
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Close:
    """Put away a deck that is no longer needed."""

    deck: int


#: The most numbers in one roll, and the most sides of each.
ROLLS_MAX: Final = 1024
SIDES_MAX: Final = 1 << 32


@dataclass(frozen=True)
class Random:
    """Roll random numbers without cards: dice, coins, who begins. Each n in `sides` gives a number from 0 to n - 1.

    `deck` is a number that no deck of cards uses; it can be rolled again. `seats` contribute the randomness: if one of
    them is honest, no one could choose the numbers. Empty means all seats that are dealt in.
    """

    deck: int
    sides: tuple[int, ...]
    seats: tuple[int, ...] = ()

    def refuse_sides(self) -> None:
        """Raise `BadParameter` if the roll is impossible."""
        if not 1 <= len(self.sides) <= ROLLS_MAX:
            raise BadParameter(f"a roll gives 1 to {ROLLS_MAX} numbers, not {len(self.sides)}")
        for sides in self.sides:
            if type(sides) is not int or not 2 <= sides <= SIDES_MAX:
                raise BadParameter(f"each number of a roll must have 2 to {SIDES_MAX} sides, not {sides!r}")


#: The longest value that can be sealed, in bytes.
SEALED_MAX: Final = 1024


@dataclass(frozen=True)
class Seal:
    """Have each of these seats seal a value in an envelope: a bid, a guess.

    No other seat can read it before it is opened, and the seat itself can no longer change it.

    `deck` is a number that no deck of cards uses. Empty `seats` means all seats that are dealt in.
    """

    deck: int
    seats: tuple[int, ...] = ()


@dataclass(frozen=True)
class Unseal:
    """Open all envelopes of this number that are still closed."""

    deck: int


Operation = NewDeck | Deal | Open | Show | Pass | Prove | Return | Peek | Mix | Close | Random | Seal | Unseal


def operation_fields(operation: Operation) -> list[object]:
    """Return an operation as it is hashed: its name and its fields, in the order of their definition."""
    match operation:
        case NewDeck(deck=deck, faces=faces, owner=owner):
            return ["newdeck", deck, faces, owner]
        case Deal(deck=deck, portions=portions):
            return ["deal", deck, [[portion.seat, portion.count, portion.positions] for portion in portions]]
        case Open(deck=deck, count=count, positions=positions, order=order):
            return ["open", deck, count, positions, order]
        case Show(deck=deck, seat=seat, positions=positions, to=to):
            return ["show", deck, seat, positions, to]
        case Pass(deck=deck, gifts=gifts):
            return ["pass", deck, [[gift.giver, gift.to, gift.positions] for gift in gifts]]
        case Prove(deck=deck, claims=claims):
            return ["prove", deck, [[claim.seat, claim.positions, claim.faces] for claim in claims]]
        case Return(deck=deck, positions=positions, place=place, by=by, depth=depth):
            # A depth of zero is left out.
            return ["return", deck, positions, place.value, by, *([depth] if depth else [])]
        case Peek(deck=deck, seat=seat, count=count, then=then):
            return ["peek", deck, seat, count, then.value]
        case Mix(deck=deck, seat=seat, positions=positions):
            return ["mix", deck, seat, positions]
        case Close(deck=deck):
            return ["close", deck]
        case Random(deck=deck, sides=sides, seats=seats):
            return ["random", deck, sides, seats]
        case Seal(deck=deck, seats=seats):
            return ["seal", deck, seats]
        case Unseal(deck=deck):
            return ["unseal", deck]


def without_seats(operation: Operation, gone: frozenset[int]) -> Operation | None:
    """Return the part of an operation that remains after seats have left, or None if nothing does."""
    match operation:
        case Deal():
            portions = tuple(portion for portion in operation.portions if portion.seat not in gone)
            return replace(operation, portions=portions) if portions else None
        case Show(to=to) if to is not None and to in gone:
            return None
        case Show() | Peek() | Mix():
            return None if operation.seat in gone else operation
        case Pass(gifts=gifts):
            stay = tuple(gift for gift in gifts if gone.isdisjoint((gift.giver, gift.to)))
            return replace(operation, gifts=stay) if stay else None
        case Prove(claims=claims):
            still = tuple(claim for claim in claims if claim.seat not in gone)
            return replace(operation, claims=still) if still else None
        case Random(seats=seats) | Seal(seats=seats) if not gone.isdisjoint(seats):
            here = tuple(seat for seat in seats if seat not in gone)
            # A seat that is left alone could roll whatever it likes.
            return replace(operation, seats=here) if len(here) > isinstance(operation, Random) else None
        case _:
            return operation


# --- Capabilities: what protocols offer and operations need ---


class Capability(enum.Enum):
    """A kind of operation that a protocol may or may not support.

    It is as specific as protocols differ: by the place of the cards, the recipient and the owner of the deck. A deck
    without an owner is shared by all. "owner" in a name means that the deck belongs to the seat that gets or looks at
    its cards; without it, any seat may.
    """

    SHARED_DECK = "newdeck:shared"
    OWNED_DECK = "newdeck:owned"
    DEAL_TOP = "deal:top"
    DEAL_POSITIONS = "deal:positions"
    DEAL_TOP_TO_OWNER = "deal:top:owner"
    DEAL_POSITIONS_TO_OWNER = "deal:positions:owner"
    OPEN_TOP = "open:top"
    OPEN_POSITIONS = "open:positions"
    SHOW_ALL = "show:all"
    SHOW_ONE = "show:one"
    PASS = "pass"
    PROVE = "prove"
    RETURN_TOP = "return:top"
    RETURN_BOTTOM = "return:bottom"
    RETURN_SHUFFLED = "return:shuffled"
    RETURN_DISCARD = "return:discard"
    RETURN_DEPTH = "return:depth"
    PEEK_LOOK = "peek:look"
    PEEK_REORDER = "peek:reorder"
    PEEK_KEEP = "peek:keep"
    PEEK_TAKE = "peek:take"
    PEEK_LOOK_BY_OWNER = "peek:look:owner"
    PEEK_REORDER_BY_OWNER = "peek:reorder:owner"
    PEEK_KEEP_BY_OWNER = "peek:keep:owner"
    PEEK_TAKE_BY_OWNER = "peek:take:owner"
    MIX = "mix"
    CLOSE = "close"
    RANDOM = "random"
    SEAL = "seal"

    def __str__(self) -> str:
        """Describe it as a phrase that follows "can" or "cannot"."""
        return _PHRASES[self]


_PHRASES: Final[Mapping[Capability, str]] = {
    Capability.SHARED_DECK: "make a deck that all players share",
    Capability.OWNED_DECK: "make a deck that belongs to one player",
    Capability.DEAL_TOP: "deal the next cards to any player",
    Capability.DEAL_POSITIONS: "deal cards from chosen places of the deck to any player",
    Capability.DEAL_TOP_TO_OWNER: "deal the next cards of a deck to its owner",
    Capability.DEAL_POSITIONS_TO_OWNER: "deal cards from chosen places of a deck to its owner",
    Capability.OPEN_TOP: "turn up the next cards",
    Capability.OPEN_POSITIONS: "turn up cards at chosen places of the deck",
    Capability.SHOW_ALL: "show a player's cards to everyone",
    Capability.SHOW_ONE: "show a player's cards to one other player only",
    Capability.PASS: "pass hidden cards from player to player",
    Capability.PROVE: "prove what hidden cards are not",
    Capability.RETURN_TOP: "put cards back on top of the deck",
    Capability.RETURN_BOTTOM: "put cards back under the deck",
    Capability.RETURN_SHUFFLED: "shuffle cards back into the deck",
    Capability.RETURN_DISCARD: "lay cards aside",
    Capability.RETURN_DEPTH: "put cards back at a chosen depth of the deck",
    Capability.PEEK_LOOK: "let any player look at the next cards",
    Capability.PEEK_REORDER: "let any player put the next cards in another order",
    Capability.PEEK_KEEP: "let any player keep one of the next cards and put the others in another order",
    Capability.PEEK_TAKE: "let any player look at the next cards and keep one",
    Capability.PEEK_LOOK_BY_OWNER: "let the owner of a deck look at its next cards",
    Capability.PEEK_REORDER_BY_OWNER: "let the owner of a deck put its next cards in another order",
    Capability.PEEK_KEEP_BY_OWNER: "let the owner of a deck keep one of its next cards and order the others",
    Capability.PEEK_TAKE_BY_OWNER: "let the owner of a deck look at its next cards and keep one",
    Capability.MIX: "let a player shuffle their own hand",
    Capability.CLOSE: "put a deck away",
    Capability.RANDOM: "roll dice",
    Capability.SEAL: "seal players' bids or guesses and open them later",
}

#: Capabilities that need no cards, and so no protocol. Every table has them.
WITHOUT_CARDS: Final = frozenset({Capability.RANDOM, Capability.SEAL})


def needed_capabilities(operation: Operation, owner: int | None) -> frozenset[Capability]:
    """Return the capabilities an operation needs on a deck with this owner (None: a shared deck)."""
    match operation:
        case NewDeck():
            return frozenset({Capability.SHARED_DECK if operation.owner is None else Capability.OWNED_DECK})
        case Deal(portions=portions):
            return frozenset(_needed_for_portion(portion, owner) for portion in portions)
        case Open(positions=positions):
            return frozenset({Capability.OPEN_POSITIONS if positions else Capability.OPEN_TOP})
        case Show(to=to):
            return frozenset({Capability.SHOW_ALL if to is None else Capability.SHOW_ONE})
        case Pass():
            return frozenset({Capability.PASS})
        case Prove():
            return frozenset({Capability.PROVE})
        case Return(place=place, depth=depth):
            return frozenset({Capability.RETURN_DEPTH if depth else Capability(f"return:{place.value}")})
        case Peek(seat=seat, then=then):
            return frozenset({Capability(f"peek:{then.value}{_owner_suffix(seat, owner)}")})
        case Mix():
            return frozenset({Capability.MIX})
        case Close():
            return frozenset({Capability.CLOSE})
        case Random():
            return frozenset({Capability.RANDOM})
        case Seal() | Unseal():
            return frozenset({Capability.SEAL})


def _needed_for_portion(portion: Portion, owner: int | None) -> Capability:
    """Return the capability that one portion of a deal needs."""
    return Capability(f"deal:{'positions' if portion.positions else 'top'}{_owner_suffix(portion.seat, owner)}")


def _owner_suffix(seat: int, owner: int | None) -> str:
    """Return the suffix of a capability name if the seat owns the deck."""
    return ":owner" if seat == owner else ""


# --- Operations left half done ---
