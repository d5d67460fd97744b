"""The free table: any player may request card operations, and the log records who requested what.

It is for games whose rules live elsewhere. Requests that no one may make are rejected here or by the deck: showing or
giving back another player's cards, using a card twice, using a deck that does not exist. The players themselves judge
what a request means for their game.
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
    needed_capabilities,
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

#: Enough for the names of all cards of the largest deck, and the rest of the move.
MOVE_BYTES_MAX: Final = 1 << 20
PARAMETERS_BYTES_MAX: Final = 1024

#: What players can request, in the order in which the parameters list it.
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


# --- Moves: what a player can request ---


class Shuffle(Message, frozen=True, tag="shuffle"):
    """Make a deck and shuffle it. `faces` is what is printed on the cards, if that should be in the log."""

    deck: DeckNumber
    cards: Annotated[int, msgspec.Meta(ge=CARDS_MIN, le=CARDS_MAX)]
    faces: Annotated[tuple[FaceName, ...], msgspec.Meta(max_length=CARDS_MAX)] = ()


class DealCards(Message, frozen=True, tag="deal"):
    """Deal the next cards. `portions` are pairs of a seat and a number of cards, in the order of dealing."""

    deck: DeckNumber
    portions: Annotated[tuple[tuple[SeatNumber, Count], ...], msgspec.Meta(min_length=1)]


class OpenCards(Message, frozen=True, tag="open"):
    """Open the next cards of the deck to everyone."""

    deck: DeckNumber
    count: Count


class ShowCards(Message, frozen=True, tag="show"):
    """Show some of one's own cards to everyone."""

    deck: DeckNumber
    positions: Positions


class ProveCards(Message, frozen=True, tag="prove"):
    """Prove that none of these hidden cards of one's own is one of these faces."""

    deck: DeckNumber
    positions: Positions
    faces: Positions


class GiveBack(Message, frozen=True, tag="give back"):
    """Return one's own cards, or open cards on the table, to the deck."""

    deck: DeckNumber
    positions: Positions
    place: Literal["top", "bottom", "shuffled", "discard"]


class ShowToOne(Message, frozen=True, tag="show to one"):
    """Show some of one's own cards to one other player."""

    deck: DeckNumber
    positions: Positions
    to: SeatNumber


class PassOn(Message, frozen=True, tag="pass on"):
    """Pass some of one's own cards, hidden, to another player."""

    deck: DeckNumber
    positions: Positions
    to: SeatNumber


class Insert(Message, frozen=True, tag="insert"):
    """Insert one's own cards, or open cards on the table, into the deck below `depth` cards."""

    deck: DeckNumber
    positions: Positions
    depth: Count


class LookAt(Message, frozen=True, tag="look at"):
    """Look at the next cards of the deck, and `then` nothing more, reorder them, keep one, or take one."""

    deck: DeckNumber
    count: Count
    then: Literal["look", "reorder", "keep", "take"]


class MixHand(Message, frozen=True, tag="mix"):
    """Shuffle some of one's own cards, so that no one else knows which is where."""

    deck: DeckNumber
    positions: Positions


class Roll(Message, frozen=True, tag="roll"):
    """Draw random numbers that no one can choose: one for each of `sides`, from 0 to that number minus 1."""

    deck: DeckNumber
    sides: Annotated[
        tuple[Annotated[int, msgspec.Meta(ge=2, le=SIDES_MAX)], ...], msgspec.Meta(min_length=1, max_length=ROLLS_MAX)
    ]


class SealAll(Message, frozen=True, tag="seal"):
    """Ask these players, or all if none is named, to seal a value."""

    deck: DeckNumber
    seats: Annotated[tuple[SeatNumber, ...], msgspec.Meta(max_length=SEATS_MAX)] = ()


class UnsealAll(Message, frozen=True, tag="unseal"):
    """Open the sealed values."""

    deck: DeckNumber


class PutAway(Message, frozen=True, tag="put away"):
    """Close a deck that is no longer needed."""

    deck: DeckNumber


class Finish(Message, frozen=True, tag="finish"):
    """End the hand."""


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
    """Decode a move. Raise `IllegalMove` if the bytes are not a valid move of this game."""
    try:
        move: Move = decode(Move, data, what="the move", limit=MOVE_BYTES_MAX)
    except DecodeError as error:
        raise IllegalMove(str(error)) from None
    return move


# --- One hand ---

Spot = tuple[int, int]


@dataclass(frozen=True, eq=False)
class FreeHand(WithoutStakes):
    """One hand at a free table: who holds which cards, which are open, and their names if they were agreed."""

    number: int
    seats: tuple[int, ...]
    #: What players can request at this table.
    operations: frozenset[Capability]
    #: The request that is not finished yet.
    asking: Operation | None = None
    #: Deck to the names of its faces; empty for a deck of plain numbers.
    decks: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    #: By deck and position: the holder of a card, and the face of an open card.
    held: Mapping[Spot, int] = field(default_factory=dict)
    opened: Mapping[Spot, int] = field(default_factory=dict)
    #: What was proven about hidden cards, with the deck, in order.
    proven: tuple[tuple[int, NoneOf], ...] = ()
    #: Every roll so far, in order.
    rolled: tuple[Rolled, ...] = ()
    #: Every value that was sealed and opened, in order.
    unsealed: tuple[Unsealed, ...] = ()
    gone: frozenset[int] = frozenset()
    ending: str | None = None

    @property
    def wants(self) -> Want:
        """The next thing the game needs: card operations, a move, or its end."""
        if self.ending is not None:
            return Done(self._result(self.ending))
        if self.asking is not None:
            return Ask((self.asking,))
        return Turn((), tuple(seat for seat in self.seats if seat not in self.gone))

    def moved(self, seat: int, move: bytes) -> FreeHand:
        """Return the hand after a player's request. Raise `IllegalMove` if it is not possible now."""
        want = self.wants
        if not isinstance(want, Turn) or seat not in want.may:
            raise IllegalMove(f"seat {seat} cannot make a request now")
        made = read_move(move)
        if isinstance(made, Finish):
            return replace(self, ending="finished")
        hand = self
        if isinstance(made, Shuffle):
            if made.faces and (len(made.faces) != made.cards or len(set(made.faces)) != made.cards):
                raise IllegalMove(f"a deck of {made.cards} cards needs {made.cards} different names, or none")
            if not all(is_face(face) for face in made.faces):
                raise IllegalMove(f"the name of a card must have 1 to {FACE_MAX} printable characters")
            if made.deck in self.decks:
                raise IllegalMove(f"deck {made.deck} already exists")
            hand = replace(self, decks={**self.decks, made.deck: made.faces})
        operation = self._operation(seat, made)
        for lacking in needed_capabilities(operation, None) - self.operations:
            raise IllegalMove(f"no one can {lacking} at this table")
        return replace(hand, asking=operation)

    def _operation(self, seat: int, move: Move) -> Operation:
        """Return the card operation that a move requests."""
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
                return Return(deck, self._require_own(seat, deck, positions), Place(place), by=seat)
            case Insert(deck=deck, positions=positions, depth=depth):
                return Return(deck, self._require_own(seat, deck, positions), Place.TOP, by=seat, depth=depth)
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
        raise IllegalMove("this move requests nothing")

    def _require_own(self, seat: int, deck: int, positions: tuple[int, ...]) -> tuple[int, ...]:
        """Return the positions. Raise `IllegalMove` if one of the cards is another player's."""
        for position in positions:
            if self.held.get((deck, position), seat) != seat:
                raise IllegalMove(f"card {position} of deck {deck} belongs to another player")
        return positions

    def told(self, events: tuple[Event, ...]) -> FreeHand:
        """Return the hand after the requested operation."""
        held, opened = dict(self.held), dict(self.opened)
        if isinstance(self.asking, Return):
            # The cards get new positions in the deck; the old ones no longer exist.
            for position in self.asking.positions:
                held.pop((self.asking.deck, position), None)
                opened.pop((self.asking.deck, position), None)
        for event in events:
            if isinstance(event, Moved) and event.was is not None:
                # The card was passed on and has a new position.
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
        """Return the hand after players left. Their hidden cards go back into the deck.

        The hand ends if no card operation can run any more, or if no player is left.
        """
        hand = replace(self, gone=self.gone | frozenset(seats))
        if not cards or hand.gone.issuperset(self.seats):
            return hand if self.ending is not None else replace(hand, asking=None, ending="given up")
        kept = {spot: seat for spot, seat in self.held.items() if seat not in seats or spot in self.opened}
        return replace(hand, held=kept)

    def face(self, deck: int, index: int) -> str | int:
        """Return what is printed on a face, or its number if nothing was agreed."""
        faces = self.decks.get(deck, ())
        return faces[index] if faces else index

    def _result(self, ending: str) -> dict[str, Any]:
        """Return the result of the hand, as data."""
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
            **self._proof_results(),
            **self._cardless_results(),
        }

    def _proof_results(self) -> dict[str, Any]:
        """Return the proofs for the result; empty if there were none."""
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

    def _cardless_results(self) -> dict[str, Any]:
        """Return the rolls and unsealed values for the result; empty if there were none."""
        rolled = [{"numbers": list(one.numbers), "silent": list(one.silent)} for one in self.rolled]
        unsealed = [{"seat": one.seat, "value": _value_text(one.value)} for one in self.unsealed]
        return ({"rolled": rolled} if rolled else {}) | ({"unsealed": unsealed} if unsealed else {})


def _value_text(value: bytes | None) -> str | None:
    """Return an unsealed value as text, or in hexadecimal digits if it is not UTF-8."""
    if value is None:
        return None
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.hex()


def free_hand(game: Game | None) -> FreeHand | None:
    """Return the game if it is a hand at a free table, otherwise None."""
    return game if isinstance(game, FreeHand) else None


def face_of(game: Game | None, deck: int, face: int) -> str | int:
    """Return what is on a card: the name that a free table gave it, or its number."""
    hand = free_hand(game)
    return face if hand is None else hand.face(deck, face)


# --- The rules ---


class FreeParameters(Message, frozen=True):
    """The parameters that a session at a free table agrees on."""

    cards: Annotated[int, msgspec.Meta(ge=CARDS_MIN, le=CARDS_MAX)]
    operations: tuple[str, ...]


@dataclass(frozen=True)
class Free:
    """The rules of a free table: any player may request any of these operations."""

    #: The largest deck.
    deck_max: int = 52
    operations: frozenset[Capability] = frozenset(OPERATIONS)

    name = "free"
    version = 1
    stake = 0
    versions = ()

    def __post_init__(self) -> None:
        """Raise `BadParameter` if the deck size or the offered operations are not allowed."""
        if type(self.deck_max) is not int or not CARDS_MIN <= self.deck_max <= CARDS_MAX:
            raise BadParameter(f"a deck must have {CARDS_MIN} to {CARDS_MAX} cards, not {self.deck_max!r}")
        if not {Capability.SHARED_DECK} <= self.operations <= frozenset(OPERATIONS):
            raise BadParameter("a free table must offer shared decks, and may offer: " + _names(OPERATIONS))

    @property
    def parameters(self) -> bytes:
        """The parameters that the table agreed on, as canonical JSON."""
        offered = (operation.value for operation in OPERATIONS if operation in self.operations)
        return encode(FreeParameters(self.deck_max, tuple(offered)))

    @classmethod
    def from_parameters(cls, raw: bytes) -> Free:
        """Make the rules from the parameters of a session. Raise `DecodeError` or `BadParameter` if invalid."""
        agreed = decode(FreeParameters, raw, what="the parameters of free", limit=PARAMETERS_BYTES_MAX)
        offered = tuple(operation for operation in OPERATIONS if operation.value in agreed.operations)
        if agreed.operations != tuple(operation.value for operation in offered):
            raise BadParameter("the operations of a free table must be in this order: " + _names(OPERATIONS))
        return cls(agreed.cards, frozenset(offered))

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> FreeHand:
        """Start a hand. Nothing carries over from the previous one."""
        return FreeHand(hand, seats, self.operations)


def _names(operations: Iterable[Capability]) -> str:
    """Return the names of these operations, separated by commas."""
    return ", ".join(operation.value for operation in operations)
