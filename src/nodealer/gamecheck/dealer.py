"""Open decks for checking a game: they perform card operations without any cryptography.

They produce the same events as the protocols, in the same order, and reject the same operations. The order of the cards
is a function of a seed, so that a hand can be played again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from nodealer.cards.events import Event, Finished, Moved, Opened, Rolled, Unsealed
from nodealer.cards.operations import (
    SEALED_MAX,
    Close,
    Deal,
    Gift,
    Look,
    Mix,
    NewDeck,
    Open,
    Operation,
    Pass,
    Peek,
    Place,
    Prove,
    Random,
    Return,
    Seal,
    Show,
    Unseal,
)
from nodealer.cards.places import Places
from nodealer.errors import BadParameter
from nodealer.tape import Tape, digest

#: Choose for a peek: from the cards looked at, return the position to keep, or all positions in their new order.
Choose = Callable[[Mapping[int, int], Peek], tuple[int, ...]]


class FalseClaim(Exception):
    """A seat is asked to prove something false. At a real table its participant would send nothing."""

    def __init__(self, seat: int) -> None:
        """Store the seat that cannot prove its claim."""
        super().__init__(f"seat {seat} cannot prove it")
        self.seat = seat


@dataclass(frozen=True)
class PlainDeck:
    """One deck without encryption. Immutable, so that a hand can continue from any moment in several ways."""

    places: Places
    #: Position to face, for all cards.
    faces: Mapping[int, int]
    seed: bytes
    #: Position in the pile to the seats that have looked at it.
    looked: Mapping[int, frozenset[int]] = field(default_factory=dict)
    #: Seat to its sealed value; None if the seat has left.
    sealed: Mapping[int, bytes | None] = field(default_factory=dict)

    @classmethod
    def fresh(cls, made: NewDeck, seed: bytes) -> PlainDeck:
        """Create a shuffled deck."""
        places = Places.fresh(made.deck, made.faces, made.owner)
        order = _shuffle(range(made.faces), digest("plain", seed, made.deck))
        return cls(places, dict(enumerate(order)), digest("plain", seed, made.deck))

    @classmethod
    def without_cards(cls, number: int, seed: bytes) -> PlainDeck:
        """Create a deck without cards, for rolls and sealed values."""
        return cls(Places(number, (0,), ()), {}, digest("plain bare", seed, number))

    def seal_values(self, values: Mapping[int, bytes]) -> PlainDeck:
        """Return the deck with these sealed values. Raises `BadParameter` if that is impossible."""
        if self.faces or self.sealed:
            raise BadParameter(f"deck {self.places.deck} has cards, or sealed values that were not opened")
        if long := sorted(seat for seat, value in values.items() if len(value) > SEALED_MAX):
            raise BadParameter(f"seat {long[0]} seals more than {SEALED_MAX} bytes")
        return replace(self, sealed=dict(values))

    def held_by(self, seat: int) -> dict[int, int]:
        """Return the cards that a seat holds, as a map from position to face."""
        return {position: self.faces[position] for position in self.places.hand(seat)}

    def seen_by(self, seat: int) -> dict[int, int]:
        """Return the cards that a seat has looked at but does not hold: in the pile, or in another hand."""
        there = self.places.in_pile | set(self.places.only_hidden(self.places.held))
        mine = set(self.places.hand(seat))
        return {at: self.faces[at] for at, seats in self.looked.items() if seat in seats and at in there - mine}

    def without(self, seats: tuple[int, ...]) -> PlainDeck:
        """Return the deck after seats left. Their hidden cards and hidden discards are shuffled into the pile."""
        hidden = [at for at in self.places.hidden_owned if self.places.owner(at) in seats]
        lost = [at for at in hidden if {seat for seat, _ in self.places.seen.get(at, ())} <= {*seats}]
        seed = digest("plain without", self.seed, *seats)
        faces = _shuffle([self.faces[at] for at in (*self.places.pile, *lost)], seed)
        places = self.places.remove_seats(seats).rebuild(len(faces))
        faces_now = {**self.faces, **dict(enumerate(faces, self.places.position_count))}
        sealed = {seat: None if seat in seats else value for seat, value in self.sealed.items()}
        return replace(self, places=places, faces=faces_now, seed=seed, sealed=sealed)

    def perform(self, operation: Operation, seats: tuple[int, ...], choose: Choose) -> tuple[PlainDeck, list[Event]]:
        """Perform an operation and return the deck and its events. Raise `BadParameter` if that is impossible."""
        places = self.places
        match operation:
            case Deal():
                return self._deal(places.resolve_deal(operation, seats))
            case Open(count=count, positions=positions):
                return self._open(places.resolve_positions(count, positions))
            case Show(to=to):
                shown = places.validate_show(operation)
                return self._open(shown) if to is None else self._show_to(Gift(operation.seat, to, shown), seats)
            case Pass():
                return self._pass(places.validate_pass(operation, seats))
            case Prove():
                for claim in places.validate_claims(operation, seats):
                    if not {self.faces[position] for position in claim.positions}.isdisjoint(claim.faces):
                        raise FalseClaim(claim.seat)
                return self, []
            case Return():
                return self._return(places.validate_return(operation), operation.place, operation.depth)
            case Peek():
                return self._peek(operation, choose)
            case Mix(seat=seat):
                return self._mix(places.validate_mix(operation), seat)
            case Close():
                return self, []
            case Random(sides=sides) if not self.faces:
                operation.refuse_sides()
                numbers = Tape(self.seed).draw_below("plain roll", b"", sides)
                return replace(self, seed=digest("plain rolled", self.seed)), [Rolled(places.deck, numbers)]
            case Unseal() if self.sealed:
                opened = [Unsealed(places.deck, seat, value) for seat, value in sorted(self.sealed.items())]
                return replace(self, sealed={}), [*opened]
            case Random() | Seal() | Unseal():
                raise BadParameter(f"deck {operation.deck} cannot be rolled and has no sealed values")
        raise BadParameter(f"deck {operation.deck} already exists")

    def _deal(self, dealt: Mapping[int, tuple[int, ...]]) -> tuple[PlainDeck, list[Event]]:
        """Move cards to hands."""
        places, events = self.places, list[Event]()
        for seat, positions in dealt.items():
            places = places.move_to_hand(positions, seat)
            events += [Moved(places.card(position), seat) for position in positions]
        return replace(self, places=places), events

    def _open(self, positions: tuple[int, ...]) -> tuple[PlainDeck, list[Event]]:
        """Open cards to everyone."""
        faces = {position: self.faces[position] for position in positions}
        events: list[Event] = [Opened(self.places.card(position), face) for position, face in faces.items()]
        return replace(self, places=self.places.open(faces)), events

    def _return(self, positions: tuple[int, ...], place: Place, depth: int) -> tuple[PlainDeck, list[Event]]:
        """Return cards to the pile, or to the discards."""
        events: list[Event] = [Moved(self.places.card(position), None) for position in positions]
        if place is Place.DISCARD:
            return replace(self, places=self.places.discard(positions)), events
        return self._restack(positions, positions, place, depth), events

    def _restack(self, positions: tuple[int, ...], order: Iterable[int], place: Place, depth: int = 0) -> PlainDeck:
        """Put cards back at new positions in this order, or shuffle them together with the whole pile."""
        faces, seed = [self.faces[position] for position in order], self.seed
        if place is Place.SHUFFLED:
            seed = digest("plain again", seed)
            faces = _shuffle([*(self.faces[position] for position in self.places.pile), *faces], seed)
        places, first = self.places.restack(positions, place, depth), self.places.position_count
        return replace(self, places=places, faces={**self.faces, **dict(enumerate(faces, first))}, seed=seed)

    def _mark_seen(self, positions: tuple[int, ...], seat: int) -> PlainDeck:
        """Record that a seat has looked at cards."""
        looked = {at: self.looked.get(at, frozenset()) | {seat} for at in positions}
        return replace(self, looked={**self.looked, **looked})

    def _show_to(self, gift: Gift, seats: tuple[int, ...]) -> tuple[PlainDeck, list[Event]]:
        """Show cards to one seat. They get new positions."""
        if gift.to == gift.giver or gift.to not in seats:
            raise BadParameter(f"seat {gift.giver} cannot show a card to seat {gift.to}")
        faces = {at: self.faces[old] for at, old in enumerate(gift.positions, self.places.position_count)}
        shown = replace(self, places=self.places.apply_showing(gift), faces={**self.faces, **faces})
        return shown._mark_seen(gift.positions, gift.to), []

    def _pass(self, gifts: tuple[Gift, ...]) -> tuple[PlainDeck, list[Event]]:
        """Pass cards between hands. They get new positions."""
        deck, events = self, list[Event]()
        for gift in gifts:
            before, places = deck.places, deck.places.apply_gift(gift)
            now = range(before.position_count, places.position_count)
            faces = {new: deck.faces[old] for new, old in zip(now, gift.positions, strict=True)}
            looked = {
                new: (deck.looked.get(old, frozenset()) | {gift.giver}) - {gift.to}
                for new, old in zip(now, gift.positions, strict=True)
            }
            deck = replace(deck, places=places, faces={**deck.faces, **faces}, looked={**deck.looked, **looked})
            moves = zip(now, gift.positions, strict=True)
            events += [Moved(places.card(new), gift.to, before.card(old)) for new, old in moves]
        return deck, events

    def _peek(self, peek: Peek, choose: Choose) -> tuple[PlainDeck, list[Event]]:
        """Let a seat look at the next cards and choose. Raises `BadParameter` for an invalid choice."""
        seen = self.places.next_cards(peek.count)
        if peek.then is Look.LOOK:
            return self._mark_seen(seen, peek.seat), []
        chosen = choose({position: self.faces[position] for position in seen}, peek)
        if peek.then is Look.TAKE:
            if len(chosen) != 1 or chosen[0] not in seen:
                raise BadParameter(f"{chosen} is not one of the cards that were looked at")
            return self._take_from_pile(peek.seat, chosen)
        if sorted(chosen) != sorted(seen):
            raise BadParameter(f"{chosen} are not the cards that were looked at")
        lifted, first = replace(self, places=self.places.remove_from_pile(seen)), self.places.position_count
        ordered = lifted._restack(seen, chosen, Place.TOP)
        return ordered._deal({peek.seat: (first,)}) if peek.then is Look.KEEP else (ordered, [])

    def _take_from_pile(self, seat: int, chosen: tuple[int, ...]) -> tuple[PlainDeck, list[Event]]:
        """Give one card of the pile to a seat and shuffle the rest. In an owned deck the card keeps its position."""
        if self.places.belongs_to is not None:
            taken, events = self._deal({seat: chosen})
            return taken._restack((), (), Place.SHUFFLED) if taken.places.pile else taken, events
        first, seed = self.places.position_count, digest("plain again", self.seed)
        rest = _shuffle([self.faces[at] for at in self.places.pile if at not in chosen], seed)
        faces = dict(enumerate([self.faces[chosen[0]], *rest], first))
        again = replace(self, places=self.places.restack((), Place.SHUFFLED), faces={**self.faces, **faces}, seed=seed)
        return again._deal({seat: (first,)})

    def _mix(self, positions: tuple[int, ...], seat: int) -> tuple[PlainDeck, list[Event]]:
        """Shuffle a hand. A single card has no order, so nothing changes."""
        if len(positions) == 1:
            return self, []
        seed, before, places = digest("plain again", self.seed), self.places, self.places.apply_mix(positions, seat)
        new = range(before.position_count, places.position_count)
        faces = dict(zip(new, _shuffle([self.faces[at] for at in positions], seed), strict=True))
        gone: list[Event] = [Moved(before.card(at), None) for at in positions]
        deck = replace(self, places=places, faces={**self.faces, **faces}, seed=seed)
        return deck, [*gone, *(Moved(places.card(at), seat) for at in new)]


def _shuffle(faces: Iterable[int], seed: bytes) -> list[int]:
    """Return the faces in an order derived from the seed."""
    cards = list(faces)
    return [cards[at] for at in Tape(seed).permutation("plain", b"", len(cards)).vartime_list()]


def with_finished(operation: Operation, events: Iterable[Event]) -> tuple[Event, ...]:
    """Return the events of a finished operation, with `Finished` at the end."""
    return (*events, Finished(operation))
