"""One hand of hearts as an immutable state machine over public events.

A play has three steps: a move that names a place; the card at that place is shown; and, if the card requires it, a
proof about what its player still holds. No one moves in between. So there is nothing to lie about: a move does not name
a card, and a card that is not allowed requires a proof that its player cannot give.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from nodealer.cards.events import Event, Moved, Opened
from nodealer.cards.operations import Deal, Gift, NewDeck, NoneOf, Operation, Pass, Portion, Prove, Show
from nodealer.errors import IllegalMove
from nodealer.games import turns
from nodealer.games.base import Ask, Done, Turn, Want, WithoutStakes
from nodealer.games.hearts.faces import CARDS, HEARTS, TWO_OF_CLUBS, suit_of
from nodealer.games.hearts.moves import Give, Lead, Move, Play, Without, read_move
from nodealer.games.hearts.scoring import HeartsEnding, penalty_scores, result, score_hand
from nodealer.games.hearts.trick import SEATS, Trick, excluded, points_taken
from nodealer.records import replace

DECK: Final = 0
HAND: Final = CARDS // SEATS
#: The numbers of the two rounds in which all seats move at the same time.
PASSING_ROUND, OPENING_ROUND = 0, 1


class Direction(enum.Enum):
    """The direction in which three cards are passed. It changes from hand to hand in this order."""

    LEFT = "left"
    RIGHT = "right"
    ACROSS = "across"
    HOLD = "hold"

    @classmethod
    def of(cls, hand: int) -> Direction:
        """Return the direction of a hand."""
        return list(cls)[hand % len(cls)]

    @property
    def steps(self) -> int:
        """The number of seats to the left."""
        return {Direction.LEFT: 1, Direction.RIGHT: 3, Direction.ACROSS: 2, Direction.HOLD: 0}[self]


class HeartsStage(enum.Enum):
    """The stage of a hand."""

    DEALING = "dealing"
    PASSING = "passing"
    #: Every player declares whether they have the two of clubs.
    OPENING = "opening"
    PLAYING = "playing"
    OVER = "over"


@dataclass(frozen=True)
class Proof:
    """A seat's proof, made in this trick, that none of the cards it held then was one of these faces."""

    trick: int
    seat: int
    faces: tuple[int, ...]


@dataclass(frozen=True)
class HeartsHand(WithoutStakes):
    """One hand of hearts. `asking` is the requested card operations; if it is empty, a move is awaited."""

    number: int
    seats: tuple[int, ...]
    goal: int
    #: The points of each seat before this hand.
    scores: Mapping[int, int]
    asking: tuple[Operation, ...]
    stage: HeartsStage = HeartsStage.DEALING
    #: Seat to the places of the hidden cards in its hand, in ascending order.
    held: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    #: Seat to the places of the cards it passes, and to the place where it declares the two of clubs, or None.
    given: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    said: Mapping[int, int | None] = field(default_factory=dict)
    #: Whose turn it is.
    active: int = -1
    trick: Trick = field(default_factory=Trick)
    tricks: tuple[Trick, ...] = ()
    #: Seat to the faces that it has proven not to have. Playing cards keeps this true; receiving cards does not.
    lacks: Mapping[int, frozenset[int]] = field(default_factory=dict)
    proofs: tuple[Proof, ...] = ()
    ending: HeartsEnding | None = None
    #: The seats that ended the hand early: they left or were caught.
    losers: frozenset[int] = frozenset()

    @classmethod
    def begin(cls, number: int, seats: tuple[int, ...], goal: int, scores: Mapping[int, int]) -> HeartsHand:
        """Start a hand: shuffle, and deal thirteen cards to each seat."""
        portions = tuple(Portion(seat, HAND) for seat in seats)
        return cls(number, seats, goal, dict(scores), (NewDeck(DECK, CARDS), Deal(DECK, portions)))

    # --- What is known ---

    @property
    def wants(self) -> Want:
        """The next thing the hand needs: card operations, moves of all seats, a move of one seat, or its end."""
        if self.stage is HeartsStage.OVER:
            return Done(result(self), net={seat: -count for seat, count in self.points.items()})
        if self.asking:
            return Ask(self.asking)
        if self.stage is HeartsStage.PASSING:
            return Turn(self._seats_without(self.given), round=PASSING_ROUND)
        if self.stage is HeartsStage.OPENING:
            return Turn(self._seats_without(self.said), round=OPENING_ROUND)
        return Turn((self.active,))

    def _seats_without(self, moves: Mapping[int, object]) -> tuple[int, ...]:
        """Return the seats that have not moved yet."""
        return tuple(seat for seat in self.seats if seat not in moves)

    @property
    def claims(self) -> tuple[NoneOf, ...]:
        """The claims that have to be proven now."""
        return tuple(claim for one in self.asking if isinstance(one, Prove) for claim in one.claims)

    @property
    def direction(self) -> Direction:
        """The direction in which cards are passed in this hand."""
        return Direction.of(self.number)

    def receiver(self, seat: int) -> int:
        """Return the seat that receives the cards a seat passes."""
        return self.seats[(self.seats.index(seat) + self.direction.steps) % SEATS]

    @property
    def first(self) -> bool:
        """True during the first trick."""
        return not self.tricks

    @property
    def out(self) -> frozenset[int]:
        """The faces that have been played."""
        return frozenset(face for trick in (*self.tricks, self.trick) for _, face in trick.cards)

    @property
    def broken(self) -> bool:
        """True if a heart has been played."""
        return any(suit_of(face) == HEARTS for face in self.out)

    @property
    def taken(self) -> Mapping[int, int]:
        """The points each seat has taken so far."""
        return points_taken(self.tricks, self.seats)

    @property
    def points(self) -> dict[int, int]:
        """The points of each seat in this hand, so far or at its end."""
        if self.losers:
            return penalty_scores(self.losers, self.seats)
        return score_hand(self.taken) if self.stage is HeartsStage.OVER else dict(self.taken)

    @property
    def totals(self) -> dict[int, int]:
        """The points of each seat including this hand."""
        return {seat: self.scores[seat] + count for seat, count in self.points.items()}

    # --- Cards ---

    def told(self, events: tuple[Event, ...]) -> HeartsHand:
        """Return the hand after the requested card operations."""
        if self.stage is HeartsStage.OVER:
            return self
        asked, hand = self.asking[-1], replace(self, asking=())
        for event in events:
            hand = hand._apply_event(event)
        match asked:
            case Deal() if self.direction is not Direction.HOLD:
                return replace(hand, stage=HeartsStage.PASSING)
            case Deal() | Pass():
                return replace(hand, stage=HeartsStage.OPENING)
            case Show(seat=seat):
                return hand._judge_card(seat)
            case Prove(claims=claims) if self.stage is HeartsStage.PLAYING:
                return hand._record_proof(claims[0])._accept_card()
        # All seats have proven that they do not have the two of clubs. No valid shuffle allows that.
        return hand._end_early(HeartsEnding.CAUGHT, hand.seats)

    def _apply_event(self, event: Event) -> HeartsHand:
        """Return the hand after one card event."""
        if isinstance(event, Moved) and event.holder is not None:
            was = None if event.was is None else event.was.position
            held = {seat: _remove_place(places, was) for seat, places in self.held.items()}
            held[event.holder] = tuple(sorted((*held.get(event.holder, ()), event.card.position)))
            # The received card may be anything, so what was proven before no longer holds.
            lacks = {seat: faces for seat, faces in self.lacks.items() if seat != event.holder}
            return replace(self, held=held, lacks=lacks)
        if isinstance(event, Opened):
            held = {seat: _remove_place(places, event.card.position) for seat, places in self.held.items()}
            return replace(self, held=held, trick=self.trick.with_card(self.active, event.face))
        return self

    def _judge_card(self, seat: int) -> HeartsHand:
        """Judge the card that was just shown: request the proof it requires, unless it was proven before."""
        face = self.trick.cards[-1][1]
        if self.stage is HeartsStage.OPENING:
            if face != TWO_OF_CLUBS:
                return self._end_early(HeartsEnding.CAUGHT, (seat,))
            return replace(self, stage=HeartsStage.PLAYING)._accept_card()
        before = Trick(self.trick.cards[:-1])
        owed = self._unproven_faces(seat, excluded(face, before, first=self.first, broken=self._broken_before))
        if not owed or not self.held[seat]:
            return self._accept_card()
        return replace(self, asking=(Prove(DECK, (NoneOf(seat, self.held[seat], owed),)),))

    @property
    def _broken_before(self) -> bool:
        """True if a heart had been played before the last card of the trick."""
        return any(suit_of(face) == HEARTS for face in self.out - {self.trick.cards[-1][1]})

    def _unproven_faces(self, seat: int, faces: frozenset[int]) -> tuple[int, ...]:
        """Return those of `faces` that may still be in the seat's hand: neither played nor proven absent."""
        return tuple(sorted(faces - self.out - self.lacks.get(seat, frozenset())))

    def _record_proof(self, claim: NoneOf) -> HeartsHand:
        """Return the hand after a seat has proven that it has none of the claimed faces."""
        lacks = {**self.lacks, claim.seat: self.lacks.get(claim.seat, frozenset()) | frozenset(claim.faces)}
        proof = Proof(len(self.tricks), claim.seat, claim.faces)
        return replace(self, lacks=lacks, proofs=(*self.proofs, proof))

    def _accept_card(self) -> HeartsHand:
        """Accept the card and go on: to the next seat, the next trick, or the end."""
        if not self.trick.full:
            return replace(self, active=turns.after(self.active, self.seats))
        hand = replace(self, active=self.trick.winner, tricks=(*self.tricks, self.trick), trick=Trick())
        if len(hand.tricks) < HAND:
            return hand
        return replace(hand, stage=HeartsStage.OVER, ending=HeartsEnding.PLAYED)

    # --- Moves ---

    def moved(self, seat: int, move: bytes) -> HeartsHand:
        """Return the hand after a seat's move. Raise `IllegalMove` if it is not possible now."""
        want = self.wants
        if not isinstance(want, Turn) or seat not in want.seats:
            raise IllegalMove(f"it is not seat {seat}'s turn")
        return self.apply_move(seat, read_move(move))

    def apply_move(self, seat: int, move: Move) -> HeartsHand:
        """Apply a decoded move of a seat whose turn it is. Raise `IllegalMove` if it is not possible now."""
        match self.stage, move:
            case HeartsStage.PASSING, Give(places=places):
                return self._record_pass(seat, places)
            case HeartsStage.OPENING, Lead(place=place):
                self._refuse_foreign_place(seat, place)
                return self._declare(seat, place)
            case HeartsStage.OPENING, Without():
                return self._declare(seat, None)
            case HeartsStage.PLAYING, Play(place=place):
                self._refuse_foreign_place(seat, place)
                return replace(self, asking=(Show(DECK, seat, (place,)),))
        raise IllegalMove(f"you cannot do that now: the hand is in the stage {self.stage.value!r}")

    def _refuse_foreign_place(self, seat: int, place: int) -> None:
        """Raise `IllegalMove` unless the seat holds the card at this place."""
        if place not in self.held[seat]:
            raise IllegalMove(f"the card at place {place} is not in your hand")

    def _record_pass(self, seat: int, places: tuple[int, ...]) -> HeartsHand:
        """Record the cards that a seat passes, and request the pass once all seats have chosen.

        Raise `IllegalMove` unless they are different cards of the seat, in ascending order.
        """
        if list(places) != sorted(set(places)):
            raise IllegalMove("pass three different cards, in ascending order of their places")
        for place in places:
            self._refuse_foreign_place(seat, place)
        hand = replace(self, given={**self.given, seat: places})
        if hand._seats_without(hand.given):
            return hand
        gifts = tuple(Gift(giver, hand.receiver(giver), hand.given[giver]) for giver in hand.seats)
        return replace(hand, asking=(Pass(DECK, gifts),))

    def _declare(self, seat: int, place: int | None) -> HeartsHand:
        """Record a seat's declaration about the two of clubs.

        Declarations are judged when all seats have made theirs, so that none depends on another.
        """
        hand = replace(self, said={**self.said, seat: place})
        if hand._seats_without(hand.said):
            return hand
        for leader in hand.seats:
            if (at := hand.said[leader]) is not None:
                return replace(hand, active=leader, asking=(Show(DECK, leader, (at,)),))
        claims = tuple(NoneOf(one, hand.held[one], (TWO_OF_CLUBS,)) for one in hand.seats)
        return replace(hand, asking=(Prove(DECK, claims),))

    # --- Ends ---

    def left(self, seats: tuple[int, ...], *, cards: bool) -> HeartsHand:
        """End the hand: three cannot finish it. The seats that left get 26 points each, the others none."""
        return self if self.stage is HeartsStage.OVER else self._end_early(HeartsEnding.LEFT, seats)

    def _end_early(self, ending: HeartsEnding, losers: tuple[int, ...]) -> HeartsHand:
        """End the hand before all tricks are played. `losers` get the penalty for it."""
        return replace(self, stage=HeartsStage.OVER, ending=ending, losers=self.losers | {*losers}, asking=())


def _remove_place(places: tuple[int, ...], place: int | None) -> tuple[int, ...]:
    """Return the places without this one."""
    return tuple(other for other in places if other != place)
