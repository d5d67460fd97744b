"""Decks that lie open before whoever checks a game: they do what a game asks for, without any cryptography.

They tell what the protocols tell, in the same order, and refuse what these refuse. Which cards come is a function of a
seed, so that a hand can be played again.
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

#: Which of the cards that a seat looks at it keeps, or in which order they go back.
Choose = Callable[[Mapping[int, int], Peek], tuple[int, ...]]


class FalseClaim(Exception):
    """A seat is asked to prove what is not so. Its participant would say nothing."""

    def __init__(self, seat: int) -> None:
        super().__init__(f"seat {seat} cannot prove it")
        self.seat = seat


@dataclass(frozen=True)
class PlainDeck:
    """One deck. Immutable, so that a hand can go on from any moment in more than one way."""

    places: Places
    #: Position to face, of all cards.
    faces: Mapping[int, int]
    seed: bytes
    #: Position in the pile to the seats that have looked at it.
    looked: Mapping[int, frozenset[int]] = field(default_factory=dict)
    #: Seat to what is in its envelope; None where the seat is gone.
    sealed: Mapping[int, bytes | None] = field(default_factory=dict)

    @classmethod
    def fresh(cls, made: NewDeck, seed: bytes) -> PlainDeck:
        """A shuffled deck."""
        places = Places.fresh(made.deck, made.faces, made.owner)
        order = _shuffled(range(made.faces), digest("plain", seed, made.deck))
        return cls(places, dict(enumerate(order)), digest("plain", seed, made.deck))

    @classmethod
    def bare(cls, number: int, seed: bytes) -> PlainDeck:
        """What is rolled, or has envelopes, and no cards."""
        return cls(Places(number, (0,), ()), {}, digest("plain bare", seed, number))

    def sealing(self, values: Mapping[int, bytes]) -> PlainDeck:
        """Envelopes with these in them. Raises `BadParameter` where that cannot be."""
        if self.faces or self.sealed:
            raise BadParameter(f"{self.places.deck} has cards, or envelopes that were not opened")
        if long := sorted(seat for seat, value in values.items() if len(value) > SEALED_MAX):
            raise BadParameter(f"seat {long[0]} seals more than {SEALED_MAX} bytes")
        return replace(self, sealed=dict(values))

    def known_to(self, seat: int) -> dict[int, int]:
        """The cards that a seat holds."""
        return {position: self.faces[position] for position in self.places.hand(seat)}

    def seen_by(self, seat: int) -> dict[int, int]:
        """The cards that a seat has looked at and does not hold: of the pile, or in another hand."""
        there = self.places.in_pile | set(self.places.only_hidden(self.places.held))
        mine = set(self.places.hand(seat))
        return {at: self.faces[at] for at, seats in self.looked.items() if seat in seats and at in there - mine}

    def without(self, seats: tuple[int, ...]) -> PlainDeck:
        """Seats have left: what they held or had laid aside unseen is shuffled into the pile, at new positions."""
        hidden = [at for at in self.places.hidden_owned if self.places.owner(at) in seats]
        lost = [at for at in hidden if {seat for seat, _ in self.places.seen.get(at, ())} <= {*seats}]
        seed = digest("plain without", self.seed, *seats)
        faces = _shuffled([self.faces[at] for at in (*self.places.pile, *lost)], seed)
        places = self.places.remove_seats(seats).rebuild(len(faces))
        faces_now = {**self.faces, **dict(enumerate(faces, self.places.position_count))}
        sealed = {seat: None if seat in seats else value for seat, value in self.sealed.items()}
        return replace(self, places=places, faces=faces_now, seed=seed, sealed=sealed)

    def done(self, operation: Operation, seats: tuple[int, ...], choose: Choose) -> tuple[PlainDeck, list[Event]]:
        """What an operation does. Raises `BadParameter` for one that makes no sense now, and `FalseClaim`."""
        places = self.places
        match operation:
            case Deal():
                return self._dealt(places.resolve_deal(operation, seats))
            case Open(count=count, positions=positions):
                return self._opened(places.resolve_positions(count, positions))
            case Show(to=to):
                shown = places.validate_show(operation)
                return self._opened(shown) if to is None else self._shown(Gift(operation.seat, to, shown), seats)
            case Pass():
                return self._passed(places.validate_pass(operation, seats))
            case Prove():
                for claim in places.validate_claims(operation, seats):
                    if not {self.faces[position] for position in claim.positions}.isdisjoint(claim.faces):
                        raise FalseClaim(claim.seat)
                return self, []
            case Return():
                return self._returned(places.validate_return(operation), operation.place, operation.depth)
            case Peek():
                return self._peeked(operation, choose)
            case Mix(seat=seat):
                return self._mixed(places.validate_mix(operation), seat)
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
                raise BadParameter(f"deck {operation.deck} is not rolled, and has nothing sealed in it that is closed")
        raise BadParameter(f"deck {operation.deck} is there already")

    def _dealt(self, dealt: Mapping[int, tuple[int, ...]]) -> tuple[PlainDeck, list[Event]]:
        places, events = self.places, list[Event]()
        for seat, positions in dealt.items():
            places = places.move_to_hand(positions, seat)
            events += [Moved(places.card(position), seat) for position in positions]
        return replace(self, places=places), events

    def _opened(self, positions: tuple[int, ...]) -> tuple[PlainDeck, list[Event]]:
        faces = {position: self.faces[position] for position in positions}
        events: list[Event] = [Opened(self.places.card(position), face) for position, face in faces.items()]
        return replace(self, places=self.places.open(faces)), events

    def _returned(self, positions: tuple[int, ...], place: Place, depth: int) -> tuple[PlainDeck, list[Event]]:
        events: list[Event] = [Moved(self.places.card(position), None) for position in positions]
        if place is Place.DISCARD:
            return replace(self, places=self.places.discard(positions)), events
        return self._restacked(positions, positions, place, depth), events

    def _restacked(self, positions: tuple[int, ...], order: Iterable[int], place: Place, depth: int = 0) -> PlainDeck:
        """The cards get new positions, in this order; or with the whole pile in one that nobody knows."""
        faces, seed = [self.faces[position] for position in order], self.seed
        if place is Place.SHUFFLED:
            seed = digest("plain again", seed)
            faces = _shuffled([*(self.faces[position] for position in self.places.pile), *faces], seed)
        places, first = self.places.restack(positions, place, depth), self.places.position_count
        return replace(self, places=places, faces={**self.faces, **dict(enumerate(faces, first))}, seed=seed)

    def _looked(self, positions: tuple[int, ...], seat: int) -> PlainDeck:
        looked = {at: self.looked.get(at, frozenset()) | {seat} for at in positions}
        return replace(self, looked={**self.looked, **looked})

    def _shown(self, gift: Gift, seats: tuple[int, ...]) -> tuple[PlainDeck, list[Event]]:
        """Cards shown to one seat, which has them at positions of its own."""
        if gift.to == gift.giver or gift.to not in seats:
            raise BadParameter(f"seat {gift.giver} cannot show a card to seat {gift.to}")
        faces = {at: self.faces[old] for at, old in enumerate(gift.positions, self.places.position_count)}
        shown = replace(self, places=self.places.apply_showing(gift), faces={**self.faces, **faces})
        return shown._looked(gift.positions, gift.to), []

    def _passed(self, gifts: tuple[Gift, ...]) -> tuple[PlainDeck, list[Event]]:
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

    def _peeked(self, peek: Peek, choose: Choose) -> tuple[PlainDeck, list[Event]]:
        seen = self.places.next_cards(peek.count)
        if peek.then is Look.LOOK:
            return self._looked(seen, peek.seat), []
        chosen = choose({position: self.faces[position] for position in seen}, peek)
        if peek.then is Look.TAKE:
            if len(chosen) != 1 or chosen[0] not in seen:
                raise BadParameter(f"{chosen} is not one of the cards that were looked at")
            return self._searched(peek.seat, chosen)
        if sorted(chosen) != sorted(seen):
            raise BadParameter(f"{chosen} are not the cards that were looked at")
        lifted, first = replace(self, places=self.places.remove_from_pile(seen)), self.places.position_count
        ordered = lifted._restacked(seen, chosen, Place.TOP)
        return ordered._dealt({peek.seat: (first,)}) if peek.then is Look.KEEP else (ordered, [])

    def _searched(self, seat: int, chosen: tuple[int, ...]) -> tuple[PlainDeck, list[Event]]:
        """One card of the pile is a seat's, and the rest is shuffled. Of a deck of its own the place is known."""
        if self.places.belongs_to is not None:
            taken, events = self._dealt({seat: chosen})
            return taken._restacked((), (), Place.SHUFFLED) if taken.places.pile else taken, events
        first, seed = self.places.position_count, digest("plain again", self.seed)
        rest = _shuffled([self.faces[at] for at in self.places.pile if at not in chosen], seed)
        faces = dict(enumerate([self.faces[chosen[0]], *rest], first))
        again = replace(self, places=self.places.restack((), Place.SHUFFLED), faces={**self.faces, **faces}, seed=seed)
        return again._dealt({seat: (first,)})

    def _mixed(self, positions: tuple[int, ...], seat: int) -> tuple[PlainDeck, list[Event]]:
        """A hand that its holder has shuffled. One card alone has no order."""
        if len(positions) == 1:
            return self, []
        seed, before, places = digest("plain again", self.seed), self.places, self.places.apply_mix(positions, seat)
        new = range(before.position_count, places.position_count)
        faces = dict(zip(new, _shuffled([self.faces[at] for at in positions], seed), strict=True))
        gone: list[Event] = [Moved(before.card(at), None) for at in positions]
        deck = replace(self, places=places, faces={**self.faces, **faces}, seed=seed)
        return deck, [*gone, *(Moved(places.card(at), seat) for at in new)]


def _shuffled(faces: Iterable[int], seed: bytes) -> list[int]:
    cards = list(faces)
    return [cards[at] for at in Tape(seed).permutation("plain", b"", len(cards)).vartime_list()]


def finished(operation: Operation, events: Iterable[Event]) -> tuple[Event, ...]:
    """What is told of an operation that is complete."""
    return (*events, Finished(operation))
