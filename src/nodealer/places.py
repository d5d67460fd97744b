"""The public bookkeeping of a deck, one for all protocols: which card lies where, and whose it is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self, TypeVar

from nodealer.cards import Card, Deal, Gift, Mix, NoneOf, Pass, Place, Prove, Return, Show
from nodealer.errors import BadParameter
from nodealer.records import replace
from nodealer.tape import digest
from nodealer.wire import CARDS_MAX, CARDS_MIN, encode

T = TypeVar("T")


@dataclass(frozen=True)
class Places:
    """Which cards lie in the pile and in which order, who holds which, and which are open. No secrets.

    Every request of a game passes through here first, so that no protocol has rules of its own about dealing a card
    twice or showing what one does not hold. A change takes all its cards at once: each makes new dicts.
    """

    deck: int
    #: How many positions the first epochs took up: the epoch of a position is found here.
    epochs: tuple[int, ...]
    #: Positions still in the pile, the top first.
    pile: tuple[int, ...]
    #: Position to holder, for cards dealt to a seat.
    held: Mapping[int, int] = field(default_factory=dict)
    #: Position to face, for cards that everybody has seen.
    opened: Mapping[int, int] = field(default_factory=dict)
    #: Position to the seat that laid it aside, for discards.
    aside: Mapping[int, int] = field(default_factory=dict)
    #: The seat that the deck belongs to, or None where it is everybody's.
    belongs_to: int | None = None
    #: Position of a hidden card in a hand, or laid aside, to the seats that have seen it too, each with a position at
    #: which it has the card under its own key alone: where it held it before it was passed, or was shown it.
    seen: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    #: Position of a hidden card to the seats that have looked at it when it lay in the pile, each with the position at
    #: which it lay then. They have it under no key of their own: a deck that is made again takes it back.
    looked: Mapping[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)

    @classmethod
    def fresh(cls, deck: int, size: int, belongs_to: int | None = None) -> Self:
        """A whole deck in its first epoch."""
        if not CARDS_MIN <= size <= CARDS_MAX:
            raise BadParameter(f"a deck has {CARDS_MIN} to {CARDS_MAX} cards, not {size}")
        return cls(deck, (size,), tuple(range(size)), belongs_to=belongs_to)

    @property
    def epoch(self) -> int:
        """The epoch that positions made now belong to."""
        return len(self.epochs) - 1

    @property
    def positions(self) -> int:
        """How many positions this deck has had so far."""
        return self.epochs[-1]

    @cached_property
    def in_pile(self) -> frozenset[int]:
        """The positions of the pile, for looking them up."""
        return frozenset(self.pile)

    def card(self, position: int) -> Card:
        """The lineage of a position."""
        return Card(self.deck, bisect_right(self.epochs, position), position)

    def holder(self, position: int) -> int | None:
        """The seat that holds a position, if one does."""
        return self.held.get(position)

    def owner(self, position: int) -> int | None:
        """The seat that a card belongs to: who holds it, or who laid it aside."""
        return self.held.get(position, self.aside.get(position))

    def face(self, position: int) -> int | None:
        """The face at a position, once it is open."""
        return self.opened.get(position)

    def hand(self, seat: int) -> tuple[int, ...]:
        """The positions a seat holds."""
        return tuple(position for position, holder in self.held.items() if holder == seat)

    def hidden(self, positions: Iterable[int]) -> tuple[int, ...]:
        """Those of the positions that are not open."""
        return tuple(position for position in positions if position not in self.opened)

    @property
    def kept(self) -> tuple[int, ...]:
        """The hidden cards that lie in a hand or were laid aside, once for each lineage, in order.

        They stay what they are when a deck is made again; each is its `owner`'s.
        """
        return tuple(sorted(self.hidden((*self.held, *self.aside))))

    @property
    def faces(self) -> int:
        """How many faces the deck has."""
        return self.epochs[0]

    @property
    def face_down(self) -> tuple[int, ...]:
        """The faces that are not face up now: an open card that was shuffled in is among them again."""
        up = set(self.opened.values())
        return tuple(face for face in range(self.faces) if face not in up)

    def next_cards(self, count: int) -> tuple[int, ...]:
        """The top `count` positions of the pile."""
        if not 0 < count <= len(self.pile):
            raise BadParameter(f"{count} cards wanted of {len(self.pile)} in deck {self.deck}")
        return self.pile[:count]

    def choose(self, count: int, positions: tuple[int, ...]) -> tuple[int, ...]:
        """The positions that a request means: the next `count`, or the given ones, all of them in the pile."""
        if bool(count) == bool(positions):
            raise BadParameter("a request names either a number of cards or their positions")
        if not positions:
            return self.next_cards(count)
        self._distinct(positions)
        for position in positions:
            if position not in self.in_pile:
                raise BadParameter(f"card {position} of deck {self.deck} is not in the pile")
        return positions

    def deal(self, deal: Deal, seats: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
        """Seat to the positions it gets. Counted portions take from the top in the order of the list."""
        rest, dealt = self, dict[int, tuple[int, ...]]()
        for portion in deal.portions:
            if portion.seat not in seats:
                raise BadParameter(f"there is no seat {portion.seat} to deal to")
            if portion.seat in dealt:
                raise BadParameter(f"seat {portion.seat} has two portions in one deal")
            dealt[portion.seat] = rest.choose(portion.count, portion.positions)
            rest = rest.without(dealt[portion.seat])
        if not dealt:
            raise BadParameter("a deal without portions")
        return dealt

    def shown(self, show: Show) -> tuple[int, ...]:
        """The positions of a show, all of them held by the seat that shows them and not open yet."""
        self._distinct(show.positions)
        for position in show.positions:
            if self.holder(position) != show.seat:
                raise BadParameter(f"seat {show.seat} does not hold card {position} of deck {self.deck}")
            if self.face(position) is not None:
                raise BadParameter(f"card {position} of deck {self.deck} is open already")
        return show.positions

    def given(self, operation: Pass, seats: tuple[int, ...]) -> tuple[Gift, ...]:
        """The gifts of a pass: each card its giver's, hidden, and given once."""
        self._distinct(tuple(position for gift in operation.gifts for position in gift.positions))
        for gift in operation.gifts:
            if gift.giver == gift.to or not {gift.giver, gift.to} <= set(seats):
                raise BadParameter(f"seat {gift.giver} cannot give to seat {gift.to}")
            self.shown(Show(self.deck, gift.giver, gift.positions))
        return operation.gifts

    def claimed(self, operation: Prove, seats: tuple[int, ...]) -> tuple[NoneOf, ...]:
        """What is to be proven: one claim for each seat, about hidden cards of its own and faces of the deck."""
        if not operation.claims:
            raise BadParameter("nothing to prove")
        if len({claim.seat for claim in operation.claims}) < len(operation.claims):
            raise BadParameter("a seat has two claims in one proof")
        for claim in operation.claims:
            claim.refuse_form()
            if claim.seat not in seats:
                raise BadParameter(f"there is no seat {claim.seat} to prove anything")
            if claim.faces[-1] >= self.faces:
                raise BadParameter(f"deck {self.deck} has no face {claim.faces[-1]}")
            for position in claim.positions:
                if self.owner(position) != claim.seat or self.face(position) is not None:
                    whose = f"card {position} of deck {self.deck} is open, or not one of seat {claim.seat}"
                    raise BadParameter(f"{whose}, which can prove nothing of it")
        return operation.claims

    def passed(self, gift: Gift) -> Places:
        """Cards in another hand, at new positions. Where they lay before is known to the giver alone, and dead."""
        first, held, seen, looked = self.positions, dict(self.held), dict(self.seen), dict(self.looked)
        for place, position in enumerate(gift.positions):
            del held[position]
            held[first + place] = gift.to
            seen[first + place] = _seen_by(seen.pop(position, ()), gift.giver, position, gift.to)
            if position in looked:
                looked[first + place] = looked.pop(position)
        return replace(self, epochs=(*self.epochs, first + len(gift.positions)), held=held, seen=seen, looked=looked)

    def shown_to(self, gift: Gift) -> Places:
        """Cards that stay where they are and have been shown to one seat, which has them at positions of its own."""
        first, seen = self.positions, dict(self.seen)
        for place, position in enumerate(gift.positions):
            seen[position] = _seen_by(seen.get(position, ()), gift.to, first + place, gift.giver)
        return replace(self, epochs=(*self.epochs, first + len(gift.positions)), seen=seen)

    def looked_at(self, positions: tuple[int, ...], seat: int) -> Places:
        """Cards of the pile that a seat has looked at, where they lie."""
        new = {position: _seen_by(self.looked.get(position, ()), seat, position) for position in positions}
        return replace(self, looked={**self.looked, **new})

    def mixed(self, mix: Mix) -> tuple[int, ...]:
        """The positions of a hand that is shuffled: hidden cards of the seat."""
        return self.shown(Show(self.deck, mix.seat, mix.positions))

    def mixed_up(self, positions: tuple[int, ...], seat: int) -> Places:
        """Cards of a seat at new positions. Who had seen one of them does not know any more which it is."""
        first = self.positions
        new = range(first, first + len(positions))
        gone = self.drop(positions)
        return replace(gone, epochs=(*self.epochs, new.stop), held={**gone.held, **dict.fromkeys(new, seat)})

    def without(self, positions: Iterable[int]) -> Places:
        """These positions taken from the pile."""
        gone = frozenset(positions)
        if gone.issuperset(self.pile[: len(gone)]):
            return replace(self, pile=self.pile[len(gone) :])
        return replace(self, pile=tuple(position for position in self.pile if position not in gone))

    def give(self, positions: tuple[int, ...], seat: int) -> Places:
        """Cards of the pile in a seat's hand."""
        return replace(self.without(positions), held={**self.held, **dict.fromkeys(positions, seat)})

    def open(self, faces: Mapping[int, int]) -> Places:
        """Cards, position to face, face up on the table, or shown by their holder, who still holds them."""
        from_pile = [position for position in faces if position not in self.held]
        return replace(self.without(from_pile), opened={**self.opened, **faces})

    def given_back(self, give_back: Return) -> tuple[int, ...]:
        """The positions of a return: cards that were dealt or opened, not cards that lie in the pile."""
        if give_back.positions:
            self._distinct(give_back.positions)
        elif give_back.place is not Place.SHUFFLED:
            raise BadParameter("nothing to give back")
        if give_back.depth and (give_back.place is not Place.TOP or not 0 < give_back.depth <= len(self.pile)):
            raise BadParameter(f"a depth is one of 1 to {len(self.pile)} cards under the top, not {give_back.depth}")
        for position in give_back.positions:
            if not (position in self.held or position in self.opened or position in self.aside):
                raise BadParameter(f"card {position} of deck {self.deck} is in nobody's hand and not on the table")
            if give_back.by is not None and position not in self.opened and self.owner(position) != give_back.by:
                whose = f"card {position} of deck {self.deck} is hidden and belongs to seat {self.owner(position)}"
                raise BadParameter(f"{whose}, not to seat {give_back.by}")
        return give_back.positions

    def discard(self, positions: tuple[int, ...]) -> Places:
        """These cards laid aside by their holders. What was open stays known."""
        held = _without(self.held, positions)
        gone = _without(self.held, tuple(held))
        return replace(self, held=held, aside={**self.aside, **gone})

    def drop(self, positions: tuple[int, ...]) -> Places:
        """These cards gone from hands, table and discards: they get new positions."""
        held, opened, aside = (_without(cards, positions) for cards in (self.held, self.opened, self.aside))
        seen, looked = (_without(who, positions) for who in (self.seen, self.looked))
        return replace(self, held=held, opened=opened, aside=aside, seen=seen, looked=looked)

    def restack(self, dropped: tuple[int, ...], place: Place, depth: int = 0) -> Places:
        """A new epoch: the whole pile and the dropped cards as new positions, or only the dropped ones."""
        first = self.positions
        count = len(dropped) + (len(self.pile) if place is Place.SHUFFLED else 0)
        new = tuple(range(first, first + count))
        above, below = self.pile[:depth], self.pile[depth:]
        pile = {Place.TOP: (*above, *new, *below), Place.BOTTOM: (*self.pile, *new)}.get(place, new)
        gone = (*dropped, *self.pile) if place is Place.SHUFFLED else dropped
        return replace(self.drop(gone), epochs=(*self.epochs, first + count), pile=pile)

    def left_by(self, seats: tuple[int, ...]) -> Places:
        """Seats have left: what they held or laid aside unseen is in nobody's hand any more.

        What somebody who stays has seen is laid aside: where that seat had it, and by the lowest, if there are several.
        """
        held, aside = (
            {position: seat for position, seat in cards.items() if seat not in seats}
            for cards in (self.held, self.aside)
        )
        seen = dict[int, tuple[tuple[int, int], ...]]()
        for position, who in self.seen.items():
            here = tuple(one for one in who if one[0] not in seats)
            if position in held or position in aside:
                seen[position] = here
            elif here and position not in self.opened:
                (seat, at), *rest = here
                aside[at], seen[at] = seat, tuple(rest)
        looked = {position: tuple(one for one in who if one[0] not in seats) for position, who in self.looked.items()}
        return replace(
            self,
            held=held,
            aside=aside,
            seen={at: who for at, who in seen.items() if who},
            looked={at: who for at, who in looked.items() if who and (at in held or at in aside or at in self.in_pile)},
        )

    def rebuilt(self, count: int) -> Places:
        """A new epoch with a new pile of `count` cards. The old pile is dead."""
        first, looked = self.positions, _without(self.looked, self.pile)
        return replace(
            self, epochs=(*self.epochs, first + count), pile=tuple(range(first, first + count)), looked=looked
        )

    def digest(self) -> bytes:
        """For comparing replicas."""
        cards = (sorted(cards.items()) for cards in (self.held, self.opened, self.aside))
        who = (sorted(seats.items()) for seats in (self.seen, self.looked))
        return digest("places", encode([self.deck, self.epochs, self.pile, *cards, *who]))

    def _distinct(self, positions: tuple[int, ...]) -> None:
        if not positions or len(set(positions)) != len(positions):
            raise BadParameter("a list of cards is empty or names a card twice")


def _seen_by(
    who: tuple[tuple[int, int], ...], seat: int, position: int, holder: int | None = None
) -> tuple[tuple[int, int], ...]:
    """The seats that have seen a card, in their order, with one more. Who holds it is none of them."""
    others = {other: at for other, at in who if other != holder}
    return tuple(sorted({**others, seat: position}.items()))


def _without(cards: Mapping[int, T], positions: tuple[int, ...]) -> dict[int, T]:
    gone = frozenset(positions)
    return {position: what for position, what in cards.items() if position not in gone}
