"""One hand of hearts as an immutable machine over public events.

A play is three things in this order: a move that names a place, the card at that place, shown, and where the card needs
it a proof about what its player still holds. Nobody moves in between. So there is nothing to lie about: a move says
nothing of the card, and a card that is not allowed asks for a proof that its player cannot give.
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
from nodealer.games.hearts.scoring import HeartsEnding, at_worst, counted, result
from nodealer.games.hearts.trick import SEATS, Trick, excluded, taken
from nodealer.records import replace

DECK: Final = 0
HAND: Final = CARDS // SEATS
#: The numbers of the two rounds in which all move side by side.
PASSING_ROUND, OPENING_ROUND = 0, 1


class Direction(enum.Enum):
    """To whom three cards are passed; it changes from hand to hand in this order."""

    LEFT = "left"
    RIGHT = "right"
    ACROSS = "across"
    HOLD = "hold"

    @classmethod
    def of(cls, hand: int) -> Direction:
        """That of a hand."""
        return list(cls)[hand % len(cls)]

    @property
    def steps(self) -> int:
        """How many seats on."""
        return {Direction.LEFT: 1, Direction.RIGHT: 3, Direction.ACROSS: 2, Direction.HOLD: 0}[self]


class HeartsStage(enum.Enum):
    """What the hand is at."""

    DEALING = "dealing"
    PASSING = "passing"
    #: Who has the two of clubs says so.
    OPENING = "opening"
    PLAYING = "playing"
    OVER = "over"


@dataclass(frozen=True)
class Proof:
    """What a seat has proven: in this trick, that none of the cards it held then was one of these faces."""

    trick: int
    seat: int
    faces: tuple[int, ...]


@dataclass(frozen=True)
class HeartsHand(WithoutStakes):
    """One hand. What the cards are asked for now is `asking`; when that is empty, somebody is to move."""

    number: int
    seats: tuple[int, ...]
    goal: int
    #: The points of each seat before this hand.
    scores: Mapping[int, int]
    asking: tuple[Operation, ...]
    stage: HeartsStage = HeartsStage.DEALING
    #: Seat to the places of the hidden cards in its hand, in ascending order.
    held: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    #: Seat to the places that it passes on, and to where it says that the two of clubs is: None for "not here".
    given: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    said: Mapping[int, int | None] = field(default_factory=dict)
    #: Whose turn it is.
    active: int = -1
    trick: Trick = field(default_factory=Trick)
    tricks: tuple[Trick, ...] = ()
    #: Seat to the faces that it has proven not to have. Cards that are played only take away; what comes adds.
    lacks: Mapping[int, frozenset[int]] = field(default_factory=dict)
    proofs: tuple[Proof, ...] = ()
    ending: HeartsEnding | None = None
    #: Who has spoilt the hand: who left, or was caught.
    losers: frozenset[int] = frozenset()

    @classmethod
    def begin(cls, number: int, seats: tuple[int, ...], goal: int, scores: Mapping[int, int]) -> HeartsHand:
        """Thirteen cards for each."""
        portions = tuple(Portion(seat, HAND) for seat in seats)
        return cls(number, seats, goal, dict(scores), (NewDeck(DECK, CARDS), Deal(DECK, portions)))

    # --- What is known ---

    @property
    def wants(self) -> Want:
        """Cards, moves of all, a move of one, or nothing more."""
        if self.stage is HeartsStage.OVER:
            return Done(result(self), net={seat: -count for seat, count in self.points.items()})
        if self.asking:
            return Ask(self.asking)
        if self.stage is HeartsStage.PASSING:
            return Turn(self._missing(self.given), round=PASSING_ROUND)
        if self.stage is HeartsStage.OPENING:
            return Turn(self._missing(self.said), round=OPENING_ROUND)
        return Turn((self.active,))

    def _missing(self, moves: Mapping[int, object]) -> tuple[int, ...]:
        return tuple(seat for seat in self.seats if seat not in moves)

    @property
    def claims(self) -> tuple[NoneOf, ...]:
        """What has to be proven now."""
        return tuple(claim for one in self.asking if isinstance(one, Prove) for claim in one.claims)

    @property
    def direction(self) -> Direction:
        """Where cards are passed in this hand."""
        return Direction.of(self.number)

    def receiver(self, seat: int) -> int:
        """Who gets the cards that a seat passes on."""
        return self.seats[(self.seats.index(seat) + self.direction.steps) % SEATS]

    @property
    def first(self) -> bool:
        """Whether this is the first trick."""
        return not self.tricks

    @property
    def out(self) -> frozenset[int]:
        """The faces that have been played."""
        return frozenset(face for trick in (*self.tricks, self.trick) for _, face in trick.cards)

    @property
    def broken(self) -> bool:
        """Whether a heart has been played."""
        return any(suit_of(face) == HEARTS for face in self.out)

    @property
    def taken(self) -> Mapping[int, int]:
        """What each seat has taken so far."""
        return taken(self.tricks, self.seats)

    @property
    def points(self) -> dict[int, int]:
        """What the hand counts for each seat: so far, and at its end."""
        if self.losers:
            return at_worst(self.losers, self.seats)
        return counted(self.taken) if self.stage is HeartsStage.OVER else dict(self.taken)

    @property
    def totals(self) -> dict[int, int]:
        """The points of each seat with this hand."""
        return {seat: self.scores[seat] + count for seat, count in self.points.items()}

    # --- Cards ---

    def told(self, events: tuple[Event, ...]) -> HeartsHand:
        """What was asked for is done."""
        if self.stage is HeartsStage.OVER:
            return self
        asked, hand = self.asking[-1], replace(self, asking=())
        for event in events:
            hand = hand._heard(event)
        match asked:
            case Deal() if self.direction is not Direction.HOLD:
                return replace(hand, stage=HeartsStage.PASSING)
            case Deal() | Pass():
                return replace(hand, stage=HeartsStage.OPENING)
            case Show(seat=seat):
                return hand._judged(seat)
            case Prove(claims=claims) if self.stage is HeartsStage.PLAYING:
                return hand._proven(claims[0])._played()
        # All have proven that they do not have the two of clubs: then it is nowhere, which no shuffle allows.
        return hand._spoilt(HeartsEnding.CAUGHT, hand.seats)

    def _heard(self, event: Event) -> HeartsHand:
        if isinstance(event, Moved) and event.holder is not None:
            was = None if event.was is None else event.was.position
            held = {seat: _without(places, was) for seat, places in self.held.items()}
            held[event.holder] = tuple(sorted((*held.get(event.holder, ()), event.card.position)))
            # A card that comes may be anything: what was proven before holds no more.
            lacks = {seat: faces for seat, faces in self.lacks.items() if seat != event.holder}
            return replace(self, held=held, lacks=lacks)
        if isinstance(event, Opened):
            held = {seat: _without(places, event.card.position) for seat, places in self.held.items()}
            return replace(self, held=held, trick=self.trick.with_card(self.active, event.face))
        return self

    def _judged(self, seat: int) -> HeartsHand:
        """The card is on the table. What has to be proven for it is asked for now, unless it has been before."""
        face = self.trick.cards[-1][1]
        if self.stage is HeartsStage.OPENING:
            if face != TWO_OF_CLUBS:
                return self._spoilt(HeartsEnding.CAUGHT, (seat,))
            return replace(self, stage=HeartsStage.PLAYING)._played()
        before = Trick(self.trick.cards[:-1])
        owed = self._open_questions(seat, excluded(face, before, first=self.first, broken=self._broken_before))
        if not owed or not self.held[seat]:
            return self._played()
        return replace(self, asking=(Prove(DECK, (NoneOf(seat, self.held[seat], owed),)),))

    @property
    def _broken_before(self) -> bool:
        """Whether a heart had been played before the card that lies there last."""
        return any(suit_of(face) == HEARTS for face in self.out - {self.trick.cards[-1][1]})

    def _open_questions(self, seat: int, faces: frozenset[int]) -> tuple[int, ...]:
        """Of some faces those that might still be in a hand: what was played is not, nor what was proven."""
        return tuple(sorted(faces - self.out - self.lacks.get(seat, frozenset())))

    def _proven(self, claim: NoneOf) -> HeartsHand:
        lacks = {**self.lacks, claim.seat: self.lacks.get(claim.seat, frozenset()) | frozenset(claim.faces)}
        proof = Proof(len(self.tricks), claim.seat, claim.faces)
        return replace(self, lacks=lacks, proofs=(*self.proofs, proof))

    def _played(self) -> HeartsHand:
        """The card stands: the next seat, the next trick, or the end."""
        if not self.trick.full:
            return replace(self, active=turns.after(self.active, self.seats))
        hand = replace(self, active=self.trick.winner, tricks=(*self.tricks, self.trick), trick=Trick())
        if len(hand.tricks) < HAND:
            return hand
        return replace(hand, stage=HeartsStage.OVER, ending=HeartsEnding.PLAYED)

    # --- Moves ---

    def moved(self, seat: int, move: bytes) -> HeartsHand:
        """A move of a seat whose turn it is."""
        want = self.wants
        if not isinstance(want, Turn) or seat not in want.seats:
            raise IllegalMove(f"it is not the turn of seat {seat}")
        return self.made(seat, read_move(move))

    def made(self, seat: int, move: Move) -> HeartsHand:
        """A move. Raises `IllegalMove`."""
        match self.stage, move:
            case HeartsStage.PASSING, Give(places=places):
                return self._given(seat, places)
            case HeartsStage.OPENING, Lead(place=place):
                self._refuse_other(seat, place)
                return self._said(seat, place)
            case HeartsStage.OPENING, Without():
                return self._said(seat, None)
            case HeartsStage.PLAYING, Play(place=place):
                self._refuse_other(seat, place)
                return replace(self, asking=(Show(DECK, seat, (place,)),))
        raise IllegalMove(f"not now: the hand is at {self.stage.value}")

    def _refuse_other(self, seat: int, place: int) -> None:
        if place not in self.held[seat]:
            raise IllegalMove(f"place {place} is not in your hand")

    def _given(self, seat: int, places: tuple[int, ...]) -> HeartsHand:
        if list(places) != sorted(set(places)):
            raise IllegalMove("three different cards, in ascending order of their places")
        for place in places:
            self._refuse_other(seat, place)
        hand = replace(self, given={**self.given, seat: places})
        if hand._missing(hand.given):
            return hand
        gifts = tuple(Gift(giver, hand.receiver(giver), hand.given[giver]) for giver in hand.seats)
        return replace(hand, asking=(Pass(DECK, gifts),))

    def _said(self, seat: int, place: int | None) -> HeartsHand:
        """Where the two of clubs is. Judged when all have spoken, so that nobody's word depends on another's."""
        hand = replace(self, said={**self.said, seat: place})
        if hand._missing(hand.said):
            return hand
        for leader in hand.seats:
            if (at := hand.said[leader]) is not None:
                return replace(hand, active=leader, asking=(Show(DECK, leader, (at,)),))
        claims = tuple(NoneOf(one, hand.held[one], (TWO_OF_CLUBS,)) for one in hand.seats)
        return replace(hand, asking=(Prove(DECK, claims),))

    # --- Ends ---

    def left(self, seats: tuple[int, ...], *, cards: bool) -> HeartsHand:
        """Three cannot play it to its end: it counts all for who left, and nothing for the others."""
        return self if self.stage is HeartsStage.OVER else self._spoilt(HeartsEnding.LEFT, seats)

    def _spoilt(self, ending: HeartsEnding, losers: tuple[int, ...]) -> HeartsHand:
        return replace(self, stage=HeartsStage.OVER, ending=ending, losers=self.losers | {*losers}, asking=())


def _without(places: tuple[int, ...], place: int | None) -> tuple[int, ...]:
    return tuple(other for other in places if other != place)
