"""The public state of a deck, the same for all protocols: where each card is, and whose it is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self, TypeVar

from nodealer.cards.operations import Card, Deal, Gift, Mix, NoneOf, Pass, Place, Prove, Return, Show
from nodealer.errors import BadParameter
from nodealer.records import replace
from nodealer.tape import digest
from nodealer.wire import CARDS_MAX, CARDS_MIN, encode

T = TypeVar("T")


@dataclass(frozen=True)
class Places:
    """Which cards are in the pile and in which order, which seat holds which, and which are open. No secrets.

    Every request of a game is checked here first, so that no protocol needs rules of its own against dealing a card
    twice or showing a card that a seat does not hold. Instances are immutable: methods that change something return a
    new one. Pass all cards of a change at once, because each call copies the dicts.
    """

    deck: int
    #: The number of positions up to the end of each epoch, from which the epoch of a position is found.
    epochs: tuple[int, ...]
    #: The positions in the pile, from the top.
    pile: tuple[int, ...]
    #: Cards dealt to a seat: position to holder.
    held: Mapping[int, int] = field(default_factory=dict)
    #: Open cards, which all seats have seen: position to face.
    opened: Mapping[int, int] = field(default_factory=dict)
    #: Discarded cards: position to the seat that discarded it.
    discards: Mapping[int, int] = field(default_factory=dict)
    #: The seat that the deck belongs to, or None if it belongs to the table.
    belongs_to: int | None = None
    #: Hidden cards that are held or discarded: position to the other seats that have seen the card. Each seat comes
    #: with a position at which it has the card under its own key alone: where it held the card before passing it on,
    #: or where it was shown the card.
    seen: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    #: Hidden cards: position to the seats that have peeked at the card while it was in the pile, each with the
    #: position it had then. They do not have it under a key of their own, so rebuilding the deck takes it back.
    peeked: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    @classmethod
    def fresh(cls, deck: int, size: int, belongs_to: int | None = None) -> Self:
        """Create a complete deck in its first epoch. Raise `BadParameter` if the size is not allowed."""
        if not CARDS_MIN <= size <= CARDS_MAX:
            raise BadParameter(f"a deck has {CARDS_MIN} to {CARDS_MAX} cards, not {size}")
        return cls(deck, (size,), tuple(range(size)), belongs_to=belongs_to)

    @property
    def epoch(self) -> int:
        """The current epoch, which new positions belong to."""
        return len(self.epochs) - 1

    @property
    def position_count(self) -> int:
        """The number of positions that this deck has had so far."""
        return self.epochs[-1]

    @cached_property
    def in_pile(self) -> frozenset[int]:
        """The positions in the pile, as a set."""
        return frozenset(self.pile)

    def card(self, position: int) -> Card:
        """Return the card at a position, with its epoch."""
        return Card(self.deck, bisect_right(self.epochs, position), position)

    def holder(self, position: int) -> int | None:
        """Return the seat that holds a card, if one does."""
        return self.held.get(position)

    def owner(self, position: int) -> int | None:
        """Return the seat that holds or has discarded a card, if there is one."""
        return self.held.get(position, self.discards.get(position))

    def face(self, position: int) -> int | None:
        """Return the face of a card if it is open."""
        return self.opened.get(position)

    def hand(self, seat: int) -> tuple[int, ...]:
        """Return the positions that a seat holds."""
        return tuple(position for position, holder in self.held.items() if holder == seat)

    def only_hidden(self, positions: Iterable[int]) -> tuple[int, ...]:
        """Return the given positions that are not open."""
        return tuple(position for position in positions if position not in self.opened)

    @property
    def hidden_owned(self) -> tuple[int, ...]:
        """The hidden cards that are held or discarded, each once, in order.

        They stay the same when a deck is rebuilt. Each belongs to its `owner`.
        """
        return tuple(sorted(self.only_hidden((*self.held, *self.discards))))

    @property
    def face_count(self) -> int:
        """The number of faces of the deck."""
        return self.epochs[0]

    @property
    def face_down(self) -> tuple[int, ...]:
        """The faces that are not face up now. They include open cards that were shuffled back in."""
        up = set(self.opened.values())
        return tuple(face for face in range(self.face_count) if face not in up)

    def next_cards(self, count: int) -> tuple[int, ...]:
        """Return the top `count` positions of the pile. Raise `BadParameter` if there are fewer."""
        if not 0 < count <= len(self.pile):
            raise BadParameter(f"{count} cards were requested, but the pile of deck {self.deck} has {len(self.pile)}")
        return self.pile[:count]

    def resolve_positions(self, count: int, positions: tuple[int, ...]) -> tuple[int, ...]:
        """Return the positions that a request means: the next `count`, or the given ones.

        Raise `BadParameter` unless they are all in the pile.
        """
        if bool(count) == bool(positions):
            raise BadParameter("a request must give either a number of cards or their positions")
        if not positions:
            return self.next_cards(count)
        self._distinct(positions)
        for position in positions:
            if position not in self.in_pile:
                raise BadParameter(f"card {position} of deck {self.deck} is not in the pile")
        return positions

    def resolve_deal(self, deal: Deal, seats: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
        """Return the positions that each seat gets. Portions given as counts take from the top, in the listed order.

        Raise `BadParameter` if the deal is not valid.
        """
        rest, dealt = self, dict[int, tuple[int, ...]]()
        for portion in deal.portions:
            if portion.seat not in seats:
                raise BadParameter(f"there is no seat {portion.seat} to deal to")
            if portion.seat in dealt:
                raise BadParameter(f"seat {portion.seat} has more than one portion in a deal")
            dealt[portion.seat] = rest.resolve_positions(portion.count, portion.positions)
            rest = rest.remove_from_pile(dealt[portion.seat])
        if not dealt:
            raise BadParameter("a deal has no portions")
        return dealt

    def validate_show(self, show: Show) -> tuple[int, ...]:
        """Return the positions of a show. Raise `BadParameter` unless the seat holds them all and none is open."""
        self._distinct(show.positions)
        for position in show.positions:
            if self.holder(position) != show.seat:
                raise BadParameter(f"seat {show.seat} does not hold card {position} of deck {self.deck}")
            if self.face(position) is not None:
                raise BadParameter(f"card {position} of deck {self.deck} is already open")
        return show.positions

    def validate_pass(self, operation: Pass, seats: tuple[int, ...]) -> tuple[Gift, ...]:
        """Return the gifts of a pass. Raise `BadParameter` unless each card is hidden, its giver's, and given once."""
        self._distinct(tuple(position for gift in operation.gifts for position in gift.positions))
        for gift in operation.gifts:
            if gift.giver == gift.to or not {gift.giver, gift.to} <= set(seats):
                raise BadParameter(f"seat {gift.giver} cannot give to seat {gift.to}")
            self.validate_show(Show(self.deck, gift.giver, gift.positions))
        return operation.gifts

    def validate_claims(self, operation: Prove, seats: tuple[int, ...]) -> tuple[NoneOf, ...]:
        """Return the claims that are to be proven.

        Raise `BadParameter` unless there is at most one per seat, about its own hidden cards and faces of the deck.
        """
        if not operation.claims:
            raise BadParameter("nothing to prove")
        if len({claim.seat for claim in operation.claims}) < len(operation.claims):
            raise BadParameter("a seat has more than one claim in a proof")
        for claim in operation.claims:
            claim.refuse_form()
            if claim.seat not in seats:
                raise BadParameter(f"there is no seat {claim.seat} to prove anything")
            if claim.faces[-1] >= self.face_count:
                raise BadParameter(f"deck {self.deck} has no face {claim.faces[-1]}")
            for position in claim.positions:
                if self.owner(position) != claim.seat or self.face(position) is not None:
                    card = f"card {position} of deck {self.deck}"
                    raise BadParameter(f"seat {claim.seat} cannot prove anything about {card}: open, or not its own")
        return operation.claims

    def apply_gift(self, gift: Gift) -> Places:
        """Return the state after a gift: the cards are in another hand, at new positions.

        Only the giver knows the cards by their old positions, which are no longer used.
        """
        first, held, seen, peeked = self.position_count, dict(self.held), dict(self.seen), dict(self.peeked)
        for place, position in enumerate(gift.positions):
            del held[position]
            held[first + place] = gift.to
            seen[first + place] = _add_viewer(seen.pop(position, ()), gift.giver, position, gift.to)
            if position in peeked:
                peeked[first + place] = peeked.pop(position)
        return replace(self, epochs=(*self.epochs, first + len(gift.positions)), held=held, seen=seen, peeked=peeked)

    def apply_showing(self, gift: Gift) -> Places:
        """Return the state after showing cards to one seat.

        The cards stay where they are. That seat also has them at new positions of its own.
        """
        first, seen = self.position_count, dict(self.seen)
        for place, position in enumerate(gift.positions):
            seen[position] = _add_viewer(seen.get(position, ()), gift.to, first + place, gift.giver)
        return replace(self, epochs=(*self.epochs, first + len(gift.positions)), seen=seen)

    def apply_peek(self, positions: tuple[int, ...], seat: int) -> Places:
        """Return the state after a seat has peeked at cards of the pile, which stay in place."""
        new = {position: _add_viewer(self.peeked.get(position, ()), seat, position) for position in positions}
        return replace(self, peeked={**self.peeked, **new})

    def validate_mix(self, mix: Mix) -> tuple[int, ...]:
        """Return the positions of a mix. Raise `BadParameter` unless they are hidden cards of the seat."""
        return self.validate_show(Show(self.deck, mix.seat, mix.positions))

    def apply_mix(self, positions: tuple[int, ...], seat: int) -> Places:
        """Return the state after a seat has shuffled some of its cards: they are at new positions.

        Seats that had seen one of them no longer know which it is.
        """
        first = self.position_count
        new = range(first, first + len(positions))
        gone = self.drop(positions)
        return replace(gone, epochs=(*self.epochs, new.stop), held={**gone.held, **dict.fromkeys(new, seat)})

    def remove_from_pile(self, positions: Iterable[int]) -> Places:
        """Return the state without these positions in the pile."""
        gone = frozenset(positions)
        if gone.issuperset(self.pile[: len(gone)]):
            return replace(self, pile=self.pile[len(gone) :])
        return replace(self, pile=tuple(position for position in self.pile if position not in gone))

    def move_to_hand(self, positions: tuple[int, ...], seat: int) -> Places:
        """Return the state after moving cards from the pile to a seat's hand."""
        return replace(self.remove_from_pile(positions), held={**self.held, **dict.fromkeys(positions, seat)})

    def open(self, faces: Mapping[int, int]) -> Places:
        """Return the state with these positions open, each with its face. Cards that a seat holds stay in its hand."""
        from_pile = [position for position in faces if position not in self.held]
        return replace(self.remove_from_pile(from_pile), opened={**self.opened, **faces})

    def validate_return(self, give_back: Return) -> tuple[int, ...]:
        """Return the positions of a return.

        Raise `BadParameter` unless the cards were dealt, opened or discarded and the place is valid.
        """
        if give_back.positions:
            self._distinct(give_back.positions)
        elif give_back.place is not Place.SHUFFLED:
            raise BadParameter("there are no cards to return")
        if give_back.depth and (give_back.place is not Place.TOP or not 0 < give_back.depth <= len(self.pile)):
            raise BadParameter(f"a depth must be 1 to {len(self.pile)} cards under the top, not {give_back.depth}")
        for position in give_back.positions:
            if not (position in self.held or position in self.opened or position in self.discards):
                raise BadParameter(f"card {position} of deck {self.deck} is neither in a hand nor on the table")
            if give_back.by is not None and position not in self.opened and self.owner(position) != give_back.by:
                whose = f"card {position} of deck {self.deck} is hidden and belongs to seat {self.owner(position)}"
                raise BadParameter(f"{whose}, not to seat {give_back.by}")
        return give_back.positions

    def discard(self, positions: tuple[int, ...]) -> Places:
        """Return the state after the holders have discarded these cards. Open cards stay open."""
        held = _without(self.held, positions)
        gone = _without(self.held, tuple(held))
        return replace(self, held=held, discards={**self.discards, **gone})

    def drop(self, positions: tuple[int, ...]) -> Places:
        """Return the state without these cards in hands, on the table or among the discards.

        The caller must give them new positions.
        """
        held, opened, discards = (_without(cards, positions) for cards in (self.held, self.opened, self.discards))
        seen, peeked = (_without(who, positions) for who in (self.seen, self.peeked))
        return replace(self, held=held, opened=opened, discards=discards, seen=seen, peeked=peeked)

    def restack(self, dropped: tuple[int, ...], place: Place, depth: int = 0) -> Places:
        """Return the state in a new epoch, with the dropped cards at new positions in the pile.

        If they are shuffled in, the whole pile gets new positions as well.
        """
        first = self.position_count
        count = len(dropped) + (len(self.pile) if place is Place.SHUFFLED else 0)
        new = tuple(range(first, first + count))
        above, below = self.pile[:depth], self.pile[depth:]
        pile = {Place.TOP: (*above, *new, *below), Place.BOTTOM: (*self.pile, *new)}.get(place, new)
        gone = (*dropped, *self.pile) if place is Place.SHUFFLED else dropped
        return replace(self.drop(gone), epochs=(*self.epochs, first + count), pile=pile)

    def remove_seats(self, seats: tuple[int, ...]) -> Places:
        """Return the state after seats have left: no seat has the cards that they held or discarded.

        But a card that a remaining seat has seen becomes a discard of that seat, at the position where it had the card.
        If several have seen it, the one with the lowest number gets it.
        """
        held, discards = (
            {position: seat for position, seat in cards.items() if seat not in seats}
            for cards in (self.held, self.discards)
        )
        seen = dict[int, tuple[tuple[int, int], ...]]()
        for position, who in self.seen.items():
            here = tuple(one for one in who if one[0] not in seats)
            if position in held or position in discards:
                seen[position] = here
            elif here and position not in self.opened:
                (seat, at), *rest = here
                discards[at], seen[at] = seat, tuple(rest)
        peeked = {position: tuple(one for one in who if one[0] not in seats) for position, who in self.peeked.items()}
        return replace(
            self,
            held=held,
            discards=discards,
            seen={at: who for at, who in seen.items() if who},
            peeked={
                at: who for at, who in peeked.items() if who and (at in held or at in discards or at in self.in_pile)
            },
        )

    def rebuild(self, count: int) -> Places:
        """Return the state in a new epoch with a new pile of `count` cards. The old pile is no longer used."""
        first, peeked = self.position_count, _without(self.peeked, self.pile)
        return replace(
            self, epochs=(*self.epochs, first + count), pile=tuple(range(first, first + count)), peeked=peeked
        )

    def digest(self) -> bytes:
        """Return a digest for comparing replicas."""
        cards = (sorted(cards.items()) for cards in (self.held, self.opened, self.discards))
        who = (sorted(seats.items()) for seats in (self.seen, self.peeked))
        return digest("places", encode([self.deck, self.epochs, self.pile, *cards, *who]))

    def _distinct(self, positions: tuple[int, ...]) -> None:
        """Raise `BadParameter` unless there are positions and all of them differ."""
        if not positions or len(set(positions)) != len(positions):
            raise BadParameter("a list of cards is empty or contains a card twice")


def _add_viewer(
    who: tuple[tuple[int, int], ...], seat: int, position: int, holder: int | None = None
) -> tuple[tuple[int, int], ...]:
    """Add a seat to those that have seen a card, in ascending order. The card's holder is not one of them."""
    others = {other: at for other, at in who if other != holder}
    return tuple(sorted({**others, seat: position}.items()))


def _without(cards: Mapping[int, T], positions: tuple[int, ...]) -> dict[int, T]:
    """Return `cards` without these positions."""
    gone = frozenset(positions)
    return {position: what for position, what in cards.items() if position not in gone}
