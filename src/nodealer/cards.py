"""The vocabulary between games and protocols: cards, what a game may ask, what a protocol tells.

A card is a place in a deck, never a face. Faces are indices into a list that the game keeps; a protocol shuffles
indices and never sees what is printed on them. Operations come in lists where a list costs less than its parts.
"""

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
    """A lineage: this position of this deck since this epoch. A reshuffle or a recovery starts a new epoch."""

    deck: int
    epoch: int
    position: int


class Place(enum.Enum):
    """Where cards go that are given back."""

    TOP = "top"
    BOTTOM = "bottom"
    SHUFFLED = "shuffled"
    DISCARD = "discard"


class Look(enum.Enum):
    """What a seat may do with cards it peeks at."""

    LOOK = "look"
    #: Put them back in an order of its own.
    REORDER = "reorder"
    #: Keep one, and put the others back in an order of its own.
    KEEP = "keep"
    #: Keep one; the whole rest of the pile is shuffled. With the whole pile looked at, it is a search.
    TAKE = "take"


# --- What a game may ask ---


@dataclass(frozen=True)
class NewDeck:
    """Make a deck of `faces` cards and shuffle it. `owner` is the seat it belongs to, where decks are private."""

    deck: int
    faces: int
    owner: int | None = None


@dataclass(frozen=True)
class Portion:
    """What one seat gets of a deal: the next `count` cards, or those at `positions`."""

    seat: int
    count: int = 0
    positions: tuple[int, ...] = ()


@dataclass(frozen=True)
class Deal:
    """Show cards to their new holders only. All portions are one request."""

    deck: int
    portions: tuple[Portion, ...]


@dataclass(frozen=True)
class Open:
    """Show the next `count` cards, or those at `positions`, to all.

    `order` is who publishes its keys when, in groups of seats: a group owes its own once the group before it has
    published. Seats that no group names are the first. So those learn a face last who have least to lose by leaving.
    """

    deck: int
    count: int = 0
    positions: tuple[int, ...] = ()
    order: tuple[tuple[int, ...], ...] = ()

    def in_turn(self, owing: Iterable[int]) -> tuple[int, ...]:
        """Of the seats that have not published yet, those that owe it now."""
        group = {seat: place for place, seats in enumerate(self.order) for seat in seats}
        waiting = tuple(owing)
        first = min((group.get(seat, -1) for seat in waiting), default=-1)
        return tuple(seat for seat in waiting if group.get(seat, -1) == first)


@dataclass(frozen=True)
class Show:
    """The holder shows cards: to all, or to one seat."""

    deck: int
    seat: int
    positions: tuple[int, ...]
    to: int | None = None


@dataclass(frozen=True)
class Gift:
    """Cards that one seat holds, hidden, and gives to another."""

    giver: int
    to: int
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Pass:
    """Seats give hidden cards to each other, all gifts at once. Giver and receiver alone know which they are.

    The places are named before anybody gets anything, so nobody chooses with its new cards in sight. Who holds a card
    afterwards holds it at a new position.
    """

    deck: int
    gifts: tuple[Gift, ...]


@dataclass(frozen=True)
class NoneOf:
    """What a seat proves: none of the hidden cards at `positions`, its own in hand or laid aside, is one of `faces`.

    Both are in ascending order: a claim has one form.
    """

    seat: int
    positions: tuple[int, ...]
    faces: tuple[int, ...]

    @classmethod
    def one_of(cls, seat: int, positions: tuple[int, ...], faces: Iterable[int], of: int) -> NoneOf:
        """Each of the cards is one of `faces`: it is none of the others, in a deck that has `of`."""
        wanted = frozenset(faces)
        if not wanted <= frozenset(range(of)):
            raise BadParameter(f"a deck of {of} faces has not all of {sorted(wanted)}")
        return cls(seat, positions, tuple(face for face in range(of) if face not in wanted))

    def refuse_form(self) -> None:
        """Raise `BadParameter` for a claim that says nothing, or that has another form."""
        for name, numbers in (("positions", self.positions), ("faces", self.faces)):
            if not numbers or numbers[0] < 0 or any(one >= other for one, other in pairwise(numbers)):
                raise BadParameter(f"a claim about cards has no {name}, or they are not in ascending order")


@dataclass(frozen=True)
class Prove:
    """Seats prove what hidden cards of theirs are not, all side by side, and nothing else of them is seen.

    At most one claim for each seat. Once it is finished every claim is true.
    """

    deck: int
    claims: tuple[NoneOf, ...]


@dataclass(frozen=True)
class Return:
    """Give cards back. `by` is the seat that asks for it; None where the rules of the game do.

    Hidden cards belong to somebody: a seat that asks moves its own, and open ones. Only rules may move others'.
    `depth` is for the top: so many cards of the pile come to lie above them, for all to see.
    """

    deck: int
    positions: tuple[int, ...]
    place: Place
    by: int | None = None
    depth: int = 0


@dataclass(frozen=True)
class Peek:
    """A seat looks at the next `count` cards; then it may put them back in an order of its own, or keep one.

    Cards that are put back, and one that is kept, may get new positions: nobody else knows which is which.
    """

    deck: int
    seat: int
    count: int
    then: Look = Look.LOOK


@dataclass(frozen=True)
class Mix:
    """A seat shuffles hidden cards of its own hand: they get new positions, and it alone knows which is which.

    Before somebody draws one of them, or they are passed on: else the place tells which card it was.
    """

    deck: int
    seat: int
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Close:
    """The deck is not needed any more."""

    deck: int


#: How many numbers one roll gives, and below what each is at most.
ROLLS_MAX: Final = 1024
SIDES_MAX: Final = 1 << 32


@dataclass(frozen=True)
class Random:
    """Numbers without cards: dice, coins, who begins. Each of `sides` gives one, from 0 on and below it.

    `deck` is a number of its own, like a deck's; it can be rolled again. `seats` are those whose bytes make the
    numbers: as long as one of them is honest nobody could choose. None named means all who are dealt in.
    """

    deck: int
    sides: tuple[int, ...]
    seats: tuple[int, ...] = ()

    def refuse_sides(self) -> None:
        """Raise `BadParameter` for a roll that cannot be."""
        if not 1 <= len(self.sides) <= ROLLS_MAX:
            raise BadParameter(f"a roll gives 1 to {ROLLS_MAX} numbers, not {len(self.sides)}")
        for sides in self.sides:
            if type(sides) is not int or not 2 <= sides <= SIDES_MAX:
                raise BadParameter(f"a number of a roll is one of 2 to {SIDES_MAX}, not of {sides!r}")


#: What can be sealed, in bytes.
SEALED_MAX: Final = 1024


@dataclass(frozen=True)
class Seal:
    """Each of these seats puts something into an envelope: a bid, a guess. Nobody else can read it, nor it change it.

    `deck` is a number of its own, like a deck's. None named means all who are dealt in.
    """

    deck: int
    seats: tuple[int, ...] = ()


@dataclass(frozen=True)
class Unseal:
    """The envelopes of one number are opened, all that are closed."""

    deck: int


Operation = NewDeck | Deal | Open | Show | Pass | Prove | Return | Peek | Mix | Close | Random | Seal | Unseal


def words(operation: Operation) -> list[object]:
    """An operation as it is hashed: its name and its fields, in the order in which they stand here."""
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
            # A depth stands there where there is one.
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


def for_those_who_stay(operation: Operation, gone: frozenset[int]) -> Operation | None:
    """What is left of an operation when seats have left, or None if that is nothing."""
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
            # Who is left alone would roll what it likes.
            return replace(operation, seats=here) if len(here) > isinstance(operation, Random) else None
        case _:
            return operation


# --- What an operation takes: what protocols claim and games need ---


class Capability(enum.Enum):
    """A kind of operation with what decides whether a protocol has it: the place, the recipient, whose deck it is.

    A deck that belongs to nobody is one that all share. "owner" is where the deck belongs to the seat that gets or
    looks at its cards; without it, the seat may be any.
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
        """In words, after "can" or "cannot"."""
        return _IN_WORDS[self]


_IN_WORDS: Final[Mapping[Capability, str]] = {
    Capability.SHARED_DECK: "make a deck that all players share",
    Capability.OWNED_DECK: "make a deck that belongs to one player",
    Capability.DEAL_TOP: "deal the next cards to any player",
    Capability.DEAL_POSITIONS: "deal cards from chosen places of the deck to any player",
    Capability.DEAL_TOP_TO_OWNER: "deal the next cards of a deck to its owner",
    Capability.DEAL_POSITIONS_TO_OWNER: "deal cards from chosen places of a deck to its owner",
    Capability.OPEN_TOP: "turn up the next cards",
    Capability.OPEN_POSITIONS: "turn up cards at chosen places of the deck",
    Capability.SHOW_ALL: "show a player's cards to all",
    Capability.SHOW_ONE: "show a player's cards to one other alone",
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
    Capability.MIX: "let a player shuffle its own hand",
    Capability.CLOSE: "put a deck away",
    Capability.RANDOM: "roll dice",
    Capability.SEAL: "seal what players say, and open it later",
}

#: What takes no cards, and so no protocol: every table has it.
WITHOUT_CARDS: Final = frozenset({Capability.RANDOM, Capability.SEAL})


def needed(operation: Operation, owner: int | None) -> frozenset[Capability]:
    """What an operation takes, on a deck that belongs to this seat, or to nobody."""
    match operation:
        case NewDeck():
            return frozenset({Capability.SHARED_DECK if operation.owner is None else Capability.OWNED_DECK})
        case Deal(portions=portions):
            return frozenset(_needed_for(portion, owner) for portion in portions)
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
            return frozenset({Capability(f"peek:{then.value}{_by(seat, owner)}")})
        case Mix():
            return frozenset({Capability.MIX})
        case Close():
            return frozenset({Capability.CLOSE})
        case Random():
            return frozenset({Capability.RANDOM})
        case Seal() | Unseal():
            return frozenset({Capability.SEAL})


def _needed_for(portion: Portion, owner: int | None) -> Capability:
    return Capability(f"deal:{'positions' if portion.positions else 'top'}{_by(portion.seat, owner)}")


def _by(seat: int, owner: int | None) -> str:
    return ":owner" if seat == owner else ""


# --- What a seat leaves half done ---


class Half(enum.Enum):
    """What a seat leaves half done that goes while it owes a message of the cards.

    A card is half dealt or half opened once another seat has published its key of it; and half dealt as long as a seat
    that has looked at it has not put it in order, or kept it.
    """

    DEALT = "dealt"
    OPENED = "opened"
    #: The deck was being made again by those who stayed when another seat had left.
    REBUILT = "rebuilt"


# --- What a protocol tells ---


@dataclass(frozen=True)
class Moved:
    """A card changed hands. `holder` is None when it is back in the deck or gone.

    `was` is the card at the place where it lay before, where it has got another: it was passed.
    """

    card: Card
    holder: int | None
    was: Card | None = None


@dataclass(frozen=True)
class Opened:
    """Everybody knows this face now."""

    card: Card
    face: int


@dataclass(frozen=True)
class Finished:
    """The operation is complete."""

    operation: Operation


@dataclass(frozen=True)
class Rolled:
    """The numbers of a roll; none where seats did not open what they had committed to, and `silent` says which.

    It is never rolled again without them: then whoever dislikes what it sees would be silent. What they lose by it is
    the game's to say.
    """

    deck: int
    numbers: tuple[int, ...]
    silent: tuple[int, ...] = ()


@dataclass(frozen=True)
class Unsealed:
    """What was in a seat's envelope; None where the seat is gone, and nobody will know."""

    deck: int
    seat: int
    value: bytes | None


Event = Moved | Opened | Finished | Rolled | Unsealed
