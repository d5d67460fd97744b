"""Hearts without cryptography: a dealer who knows all cards, and which seats cannot give a proof."""

from __future__ import annotations

from dataclasses import dataclass, field

from nodealer.cards.events import Event, Finished, Moved, Opened
from nodealer.cards.operations import Deal, NewDeck, NoneOf, Operation, Pass, Prove, Show
from nodealer.cards.places import Places
from nodealer.games.base import Ask, Done, Turn
from nodealer.games.hearts import Give, HeartsHand, HeartsRules, HeartsStage, Lead, Move, Play, Without
from nodealer.games.hearts.bot import HeartsBot
from nodealer.games.hearts.faces import CARDS, RANKS, SUITS, TWO_OF_CLUBS
from nodealer.games.view import View
from nodealer.tape import Tape, expand
from nodealer.wire import encode

NAMES = {0: "Ada", 1: "Ben", 2: "Cleo", 3: "Dov"}
NOTHING = dict.fromkeys(range(4), 0)


def face(card: str) -> int:
    return 13 * SUITS.index(card[1]) + RANKS.index(card[0])


def faces(cards: str) -> list[int]:
    return [face(card) for card in cards.split()]


class Stuck(Exception):
    """A seat cannot give a required proof."""

    def __init__(self, seat: int) -> None:
        self.seat = seat


@dataclass
class Dealer:
    """All cards in the open, and the hand so far. `order` is position to face: seat 0 gets the first thirteen."""

    order: list[int]
    game: HeartsHand
    places: Places = field(default_factory=lambda: Places.fresh(0, CARDS))
    asked: list[Operation] = field(default_factory=list)

    @classmethod
    def shuffled(cls, *seed: str | int, number: int = 0) -> Dealer:
        order = Tape(expand("hearts", *seed, size=32)).permutation("deck", b"", CARDS).vartime_list()
        return cls(order, HeartsRules().begin(number, (0, 1, 2, 3), None, NOTHING))

    @classmethod
    def stacked(cls, *hands: str, number: int = 3) -> Dealer:
        """Return hands that begin with these cards, filled up with the rest, lowest first. Nothing is passed."""
        mine = [faces(hand) for hand in (*hands, *[""] * (4 - len(hands)))]
        rest = [one for one in range(CARDS) if not any(one in hand for hand in mine)]
        order = list[int]()
        for hand in mine:
            order += [*hand, *(rest.pop(0) for _ in range(13 - len(hand)))]
        return cls(order, HeartsRules().begin(number, (0, 1, 2, 3), None, NOTHING))

    # --- Moves ---

    def move(self, seat: int, move: Move) -> None:
        self.game = self.game.moved(seat, encode(move))
        self.settle()

    def at(self, seat: int, card: str) -> int:
        """Return the place of a card in a seat's hand."""
        return next(place for place in self.game.held[seat] if self.order[place] == face(card))

    def opens(self) -> None:
        """Let every seat answer truthfully about the two of clubs."""
        for seat in self.game.seats:
            mine = {self.order[place]: place for place in self.game.held[seat]}
            self.move(seat, Lead(mine[TWO_OF_CLUBS]) if TWO_OF_CLUBS in mine else Without())

    def play(self, *cards: str) -> None:
        """Play these cards, each by the seat whose turn it is."""
        for card in cards:
            self.move(self.game.active, Play(self.at(self.game.active, card)))

    def give(self, *cards: str) -> None:
        """Pass three cards of each seat."""
        for seat, three in zip(self.game.seats, cards, strict=True):
            self.move(seat, Give(tuple(sorted(self.at(seat, card) for card in three.split()))))

    def finish(self) -> HeartsHand:
        """Let bots play to the end."""
        self.settle()
        while not isinstance(want := self.game.wants, Done):
            assert isinstance(want, Turn)
            self.move(want.seats[0], HeartsBot().move(self.view(want.seats[0])))
        return self.game

    def view(self, seat: int) -> View:
        cards = {(0, place): self.order[place] for place in self.places.hand(seat)}
        want = self.game.wants
        return View(seat, NAMES, 0, self.game, cards, isinstance(want, Turn) and seat in want.seats)

    # --- Cards ---

    def settle(self) -> None:
        """Perform operations until a move is awaited or the hand is over. Raises `Stuck`."""
        while isinstance(want := self.game.wants, Ask):
            events: list[Event] = []
            for operation in want.operations:
                self.asked.append(operation)
                events += [*self._answer(operation), Finished(operation)]
            self.game = self.game.told(tuple(events))

    @property
    def claims(self) -> list[NoneOf]:
        """Return what had to be proven so far."""
        return [claim for one in self.asked if isinstance(one, Prove) for claim in one.claims]

    def _answer(self, operation: Operation) -> list[Event]:
        events: list[Event] = []
        match operation:
            case NewDeck():
                pass
            case Deal():
                for seat, positions in self.places.resolve_deal(operation, self.game.seats).items():
                    self.places = self.places.move_to_hand(positions, seat)
                    events += [Moved(self.places.card(position), seat) for position in positions]
            case Pass():
                for gift in self.places.validate_pass(operation, self.game.seats):
                    before, self.places = self.places, self.places.apply_gift(gift)
                    for at, position in enumerate(gift.positions, before.position_count):
                        self.order.append(self.order[position])
                        events.append(Moved(self.places.card(at), gift.to, before.card(position)))
            case Show():
                shown = {position: self.order[position] for position in self.places.validate_show(operation)}
                self.places = self.places.open(shown)
                events += [Opened(self.places.card(position), one) for position, one in shown.items()]
            case Prove():
                for claim in self.places.validate_claims(operation, self.game.seats):
                    # What the rules ask about is all that the seat holds, never less.
                    assert set(claim.positions) == set(self.places.only_hidden(self.places.hand(claim.seat)))
                    if any(self.order[position] in claim.faces for position in claim.positions):
                        raise Stuck(claim.seat)
            case _:
                raise AssertionError(f"hearts does not ask for {operation}")
        return events


def at_play(*hands: str) -> Dealer:
    """Return stacked hands, nothing passed, with the two of clubs on the table."""
    dealer = Dealer.stacked(*hands)
    dealer.settle()
    assert dealer.game.stage is HeartsStage.OPENING
    dealer.opens()
    return dealer
