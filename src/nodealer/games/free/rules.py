"""A table without rules: any player may ask for cards, and the log says who asked for what.

For games whose rules live elsewhere. What nobody may ask is refused here or by the deck: to show or give back another
player's cards, a card twice, a deck that is not there. What a request means for the game is for its players to judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

import msgspec

from nodealer.cards.events import Event, Finished, Moved, Opened, Rolled, Unsealed
from nodealer.cards.operations import (
    ROLLS_MAX,
    SIDES_MAX,
    Capability,
    Close,
    Deal,
    Gift,
    Look,
    Mix,
    NewDeck,
    NoneOf,
    Open,
    Operation,
    Pass,
    Peek,
    Place,
    Portion,
    Prove,
    Random,
    Return,
    Seal,
    Show,
    Unseal,
    needed,
)
from nodealer.errors import BadParameter, DecodeError, IllegalMove
from nodealer.games.base import Ask, Done, Game, Turn, Want, WithoutStakes
from nodealer.games.free.faces import FACE_MAX, is_face
from nodealer.records import replace
from nodealer.wire import CARDS_MAX, CARDS_MIN, DECKS_MAX, SEATS_MAX, Message, Natural, SeatNumber, decode, encode

DeckNumber = Annotated[int, msgspec.Meta(ge=0, lt=DECKS_MAX)]
Count = Annotated[int, msgspec.Meta(ge=1, le=CARDS_MAX)]
Positions = Annotated[tuple[Natural, ...], msgspec.Meta(max_length=CARDS_MAX)]
FaceName = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]

#: Every name on a card of the largest deck, with room for the rest.
MOVE_BYTES_MAX: Final = 1 << 20
PARAMETERS_BYTES_MAX: Final = 1024

#: What can be asked here, in the order in which the parameters name it.
OPERATIONS: Final = (
    Capability.SHARED_DECK,
    Capability.DEAL_TOP,
    Capability.OPEN_TOP,
    Capability.SHOW_ALL,
    Capability.SHOW_ONE,
    Capability.PASS,
    Capability.PROVE,
    Capability.RETURN_TOP,
    Capability.RETURN_BOTTOM,
    Capability.RETURN_SHUFFLED,
    Capability.RETURN_DISCARD,
    Capability.RETURN_DEPTH,
    Capability.PEEK_LOOK,
    Capability.PEEK_REORDER,
    Capability.PEEK_KEEP,
    Capability.PEEK_TAKE,
    Capability.MIX,
    Capability.CLOSE,
    Capability.RANDOM,
    Capability.SEAL,
)


# --- What a player can ask ---


class Shuffle(Message, frozen=True, tag="shuffle"):
    """Make a deck and shuffle it. `faces` says what is printed on the cards, if that is to be in the log."""

    deck: DeckNumber
    cards: Annotated[int, msgspec.Meta(ge=CARDS_MIN, le=CARDS_MAX)]
    faces: Annotated[tuple[FaceName, ...], msgspec.Meta(max_length=CARDS_MAX)] = ()


class DealCards(Message, frozen=True, tag="deal"):
    """The next cards to players: pairs of a seat and a number of cards, served in this order."""

    deck: DeckNumber
    portions: Annotated[tuple[tuple[SeatNumber, Count], ...], msgspec.Meta(min_length=1)]


class OpenCards(Message, frozen=True, tag="open"):
    """The next cards of the deck for all to see."""

    deck: DeckNumber
    count: Count


class ShowCards(Message, frozen=True, tag="show"):
    """Some of my cards for all to see."""

    deck: DeckNumber
    positions: Positions


class ProveCards(Message, frozen=True, tag="prove"):
    """None of these hidden cards of mine is one of these faces."""

    deck: DeckNumber
    positions: Positions
    faces: Positions


class GiveBack(Message, frozen=True, tag="give back"):
    """Cards of mine, or cards that lie open on the table, back to the deck."""

    deck: DeckNumber
    positions: Positions
    place: Literal["top", "bottom", "shuffled", "discard"]


class ShowToOne(Message, frozen=True, tag="show to one"):
    """Some of my cards for one other player to see."""

    deck: DeckNumber
    positions: Positions
    to: SeatNumber


class PassOn(Message, frozen=True, tag="pass on"):
    """Some of my cards, hidden, to another player."""

    deck: DeckNumber
    positions: Positions
    to: SeatNumber


class Insert(Message, frozen=True, tag="insert"):
    """Cards of mine, or cards that lie open on the table, back under so many cards of the deck."""

    deck: DeckNumber
    positions: Positions
    depth: Count


class LookAt(Message, frozen=True, tag="look at"):
    """I look at the next cards of the deck: that is all, or I order them, keep one, or search for one."""

    deck: DeckNumber
    count: Count
    then: Literal["look", "reorder", "keep", "take"]


class MixHand(Message, frozen=True, tag="mix"):
    """Some of my cards, shuffled by me, so that nobody else knows which lies where."""

    deck: DeckNumber
    positions: Positions


class Roll(Message, frozen=True, tag="roll"):
    """Numbers that nobody chooses: each of `sides` gives one, from 0 on and below it."""

    deck: DeckNumber
    sides: Annotated[
        tuple[Annotated[int, msgspec.Meta(ge=2, le=SIDES_MAX)], ...], msgspec.Meta(min_length=1, max_length=ROLLS_MAX)
    ]


class SealAll(Message, frozen=True, tag="seal"):
    """Each of these players seals something; all, where none is named."""

    deck: DeckNumber
    seats: Annotated[tuple[SeatNumber, ...], msgspec.Meta(max_length=SEATS_MAX)] = ()


class UnsealAll(Message, frozen=True, tag="unseal"):
    """What was sealed is opened."""

    deck: DeckNumber


class PutAway(Message, frozen=True, tag="put away"):
    """The deck is not needed any more."""

    deck: DeckNumber


class Finish(Message, frozen=True, tag="finish"):
    """The hand is over."""


Move = (
    Shuffle
    | DealCards
    | OpenCards
    | ShowCards
    | ShowToOne
    | PassOn
    | ProveCards
    | GiveBack
    | Insert
    | LookAt
    | MixHand
    | Roll
    | SealAll
    | UnsealAll
    | PutAway
    | Finish
)


def read_move(data: bytes) -> Move:
    """A move, strictly decoded. Raises `IllegalMove`."""
    try:
        move: Move = decode(Move, data, what="the move", limit=MOVE_BYTES_MAX)
    except DecodeError as error:
        raise IllegalMove(str(error)) from None
    return move


# --- One hand ---

Spot = tuple[int, int]


@dataclass(frozen=True, eq=False)
class FreeHand(WithoutStakes):
    """What happened so far: which cards are whose, which are open, and what is printed on them where that is agreed."""

    number: int
    seats: tuple[int, ...]
    #: What can be asked for at this table.
    operations: frozenset[Capability]
    #: What was asked for and is not done.
    asking: Operation | None = None
    #: Deck to the names of its faces; empty for a deck of bare numbers.
    decks: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    #: By deck and position: who holds a card, and which face is open.
    held: Mapping[Spot, int] = field(default_factory=dict)
    opened: Mapping[Spot, int] = field(default_factory=dict)
    #: What was proven of hidden cards, by deck, in order.
    proven: tuple[tuple[int, NoneOf], ...] = ()
    #: Every roll so far, in order.
    rolled: tuple[Rolled, ...] = ()
    #: Everything that was sealed and opened, in order.
    unsealed: tuple[Unsealed, ...] = ()
    gone: frozenset[int] = frozenset()
    ending: str | None = None

    @property
    def wants(self) -> Want:
        if self.ending is not None:
            return Done(self._result(self.ending))
        if self.asking is not None:
            return Ask((self.asking,))
        return Turn((), tuple(seat for seat in self.seats if seat not in self.gone))

    def moved(self, seat: int, move: bytes) -> FreeHand:
        """What a player asks for."""
        want = self.wants
        if not isinstance(want, Turn) or seat not in want.may:
            raise IllegalMove(f"seat {seat} cannot ask for anything now")
        made = read_move(move)
        if isinstance(made, Finish):
            return replace(self, ending="finished")
        hand = self
        if isinstance(made, Shuffle):
            if made.faces and (len(made.faces) != made.cards or len(set(made.faces)) != made.cards):
                raise IllegalMove(f"a deck of {made.cards} cards needs as many names, all different, or none")
            if not all(is_face(face) for face in made.faces):
                raise IllegalMove(f"what stands on a card has 1 to {FACE_MAX} characters that can be printed")
            if made.deck in self.decks:
                raise IllegalMove(f"deck {made.deck} is there already")
            hand = replace(self, decks={**self.decks, made.deck: made.faces})
        operation = self._operation(seat, made)
        for lacking in needed(operation, None) - self.operations:
            raise IllegalMove(f"nobody can {lacking} at this table")
        return replace(hand, asking=operation)

    def _operation(self, seat: int, move: Move) -> Operation:
        match move:
            case Shuffle(deck=deck, cards=cards):
                return NewDeck(deck, cards)
            case DealCards(deck=deck, portions=portions):
                return Deal(deck, tuple(Portion(to, count) for to, count in portions))
            case OpenCards(deck=deck, count=count):
                return Open(deck, count)
            case ShowCards(deck=deck, positions=positions):
                return Show(deck, seat, positions)
            case ShowToOne(deck=deck, positions=positions, to=to):
                return Show(deck, seat, positions, to)
            case PassOn(deck=deck, positions=positions, to=to):
                return Pass(deck, (Gift(seat, to, positions),))
            case ProveCards(deck=deck, positions=positions, faces=faces):
                return Prove(deck, (NoneOf(seat, positions, faces),))
            case GiveBack(deck=deck, positions=positions, place=place):
                return Return(deck, self._own(seat, deck, positions), Place(place), by=seat)
            case Insert(deck=deck, positions=positions, depth=depth):
                return Return(deck, self._own(seat, deck, positions), Place.TOP, by=seat, depth=depth)
            case LookAt(deck=deck, count=count, then=then):
                return Peek(deck, seat, count, Look(then))
            case MixHand(deck=deck, positions=positions):
                return Mix(deck, seat, positions)
            case Roll(deck=deck, sides=sides):
                return Random(deck, sides)
            case SealAll(deck=deck, seats=seats):
                return Seal(deck, seats)
            case UnsealAll(deck=deck):
                return Unseal(deck)
            case PutAway(deck=deck):
                return Close(deck)
        raise IllegalMove("nothing is asked for")

    def _own(self, seat: int, deck: int, positions: tuple[int, ...]) -> tuple[int, ...]:
        """These, if none is another player's."""
        for position in positions:
            if self.held.get((deck, position), seat) != seat:
                raise IllegalMove(f"card {position} of deck {deck} is another player's")
        return positions

    def told(self, events: tuple[Event, ...]) -> FreeHand:
        """What the operation did."""
        held, opened = dict(self.held), dict(self.opened)
        if isinstance(self.asking, Return):
            # Their new places in the deck are new positions; these are gone.
            for position in self.asking.positions:
                held.pop((self.asking.deck, position), None)
                opened.pop((self.asking.deck, position), None)
        for event in events:
            if isinstance(event, Moved) and event.was is not None:
                # It was passed on, and lies elsewhere now.
                held.pop((event.was.deck, event.was.position), None)
            if isinstance(event, Moved) and event.holder is None:
                held.pop((event.card.deck, event.card.position), None)
            elif isinstance(event, Moved) and event.holder is not None:
                held[event.card.deck, event.card.position] = event.holder
            elif isinstance(event, Opened):
                opened[event.card.deck, event.card.position] = event.face
        proven = tuple(
            (event.operation.deck, claim)
            for event in events
            if isinstance(event, Finished) and isinstance(event.operation, Prove)
            for claim in event.operation.claims
            if claim.seat not in self.gone
        )
        rolled = tuple(event for event in events if isinstance(event, Rolled))
        unsealed = tuple(event for event in events if isinstance(event, Unsealed))
        hand = replace(self, rolled=(*self.rolled, *rolled), unsealed=(*self.unsealed, *unsealed))
        return replace(hand, asking=None, held=held, opened=opened, proven=(*self.proven, *proven))

    def left(self, seats: tuple[int, ...], *, cards: bool) -> FreeHand:
        """Players are gone, and with them what they held hidden: it is in the deck again. It is over without cards, and
        when nobody is left who could say so."""
        hand = replace(self, gone=self.gone | frozenset(seats))
        if not cards or hand.gone.issuperset(self.seats):
            return hand if self.ending is not None else replace(hand, asking=None, ending="given up")
        kept = {spot: seat for spot, seat in self.held.items() if seat not in seats or spot in self.opened}
        return replace(hand, held=kept)

    def face(self, deck: int, index: int) -> str | int:
        """What is printed on a face, or its number where nothing is agreed."""
        faces = self.decks.get(deck, ())
        return faces[index] if faces else index

    def _result(self, ending: str) -> dict[str, Any]:
        return {
            "hand": self.number,
            "ended": ending,
            "open": [
                {
                    "deck": deck,
                    "position": position,
                    "face": self.face(deck, face),
                    "seat": self.held.get((deck, position)),
                }
                for (deck, position), face in sorted(self.opened.items())
            ],
            "held": [
                {"seat": seat, "cards": sum(holder == seat for holder in self.held.values())} for seat in self.seats
            ],
            "gone": sorted(self.gone),
            **self._proven(),
            **self._without_cards(),
        }

    def _proven(self) -> dict[str, Any]:
        """Only where there was such a thing."""
        proven = [
            {
                "deck": deck,
                "seat": claim.seat,
                "positions": list(claim.positions),
                "none of": [self.face(deck, face) for face in claim.faces],
            }
            for deck, claim in self.proven
        ]
        return {"proven": proven} if proven else {}

    def _without_cards(self) -> dict[str, Any]:
        """Only where there was such a thing."""
        rolled = [{"numbers": list(one.numbers), "silent": list(one.silent)} for one in self.rolled]
        unsealed = [{"seat": one.seat, "value": _text(one.value)} for one in self.unsealed]
        return ({"rolled": rolled} if rolled else {}) | ({"unsealed": unsealed} if unsealed else {})


def _text(value: bytes | None) -> str | None:
    """For people and programs: what is no text is in hexadecimal digits."""
    if value is None:
        return None
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.hex()


# --- The rules ---


class FreeParameters(Message, frozen=True):
    """What a session agrees on."""

    cards: Annotated[int, msgspec.Meta(ge=CARDS_MIN, le=CARDS_MAX)]
    operations: tuple[str, ...]


@dataclass(frozen=True)
class Free:
    """Anybody may ask for any of these operations."""

    #: The largest deck.
    deck_max: int = 52
    operations: frozenset[Capability] = frozenset(OPERATIONS)

    name = "free"
    version = 1
    stake = 0
    versions = ()

    def __post_init__(self) -> None:
        if type(self.deck_max) is not int or not CARDS_MIN <= self.deck_max <= CARDS_MAX:
            raise BadParameter(f"a deck has {CARDS_MIN} to {CARDS_MAX} cards, not {self.deck_max!r}")
        if not {Capability.SHARED_DECK} <= self.operations <= frozenset(OPERATIONS):
            raise BadParameter("a free table makes decks, and offers some of: " + _names(OPERATIONS))

    @property
    def parameters(self) -> bytes:
        """What the table agreed on, as canonical JSON."""
        offered = (operation.value for operation in OPERATIONS if operation in self.operations)
        return encode(FreeParameters(self.deck_max, tuple(offered)))

    @classmethod
    def from_parameters(cls, raw: bytes) -> Free:
        """What a session agreed on. Raises `DecodeError`, or `BadParameter` for what cannot be."""
        said = decode(FreeParameters, raw, what="the parameters of free", limit=PARAMETERS_BYTES_MAX)
        offered = tuple(operation for operation in OPERATIONS if operation.value in said.operations)
        if said.operations != tuple(operation.value for operation in offered):
            raise BadParameter("the operations of a free table are not a list of: " + _names(OPERATIONS))
        return cls(said.cards, frozenset(offered))

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> FreeHand:
        """A hand of these seats. Nothing carries over."""
        return FreeHand(hand, seats, self.operations)


def _names(operations: Iterable[Capability]) -> str:
    return ", ".join(operation.value for operation in operations)
