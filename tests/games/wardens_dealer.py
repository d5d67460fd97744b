"""A dealer who sees everything and performs card operations, so that rules can be tested without proofs."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from nodealer.cards.events import Event, Finished, Moved, Opened
from nodealer.cards.operations import Close, Deal, Look, NewDeck, Open, Operation, Peek, Place, Return, Show
from nodealer.cards.places import Places
from nodealer.games.base import Ask, Done
from nodealer.games.view import View
from nodealer.games.wardens import Move, WardensGame, WardensRules
from nodealer.games.wardens.bot import WardensBot, choose_cards
from nodealer.wire import encode


@dataclass
class Dealer:
    """Both decks in the open, and the game so far."""

    game: WardensGame
    random: random.Random
    places: dict[int, Places] = field(default_factory=dict)
    #: Deck and position to face.
    faces: dict[tuple[int, int], int] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    asked: list[Operation] = field(default_factory=list)

    def settle(self) -> None:
        """Perform operations until a move is awaited or the game is over."""
        while isinstance(want := self.game.wants, Ask):
            events: list[Event] = []
            for operation in want.operations:
                self.asked.append(operation)
                events += [*self._answer(operation), Finished(operation)]
            self.game = self.game.told(tuple(events))

    def move(self, move: Move) -> None:
        self.moves.append(move)
        self.game = self.game.moved(self.game.mine.seat, encode(move))
        self.settle()

    def hand(self) -> Mapping[int, int]:
        """Return the active side's hand: place to card of the pool."""
        side = self.game.mine
        return {place: side.list[self.faces[side.deck, place]] for place in side.hand}

    def view(self) -> View:
        side = self.game.mine
        cards = {(side.deck, place): self.faces[side.deck, place] for place in side.hand}
        return View(side.seat, {0: "a", 1: "b"}, 0, self.game, cards, True)

    def play(self) -> WardensGame:
        """Let bots play to the end."""
        self.settle()
        while not isinstance(self.game.wants, Done):
            self.move(WardensBot().move(self.view()))
            assert len(self.moves) < 2000, "a game without end"
        return self.game

    def _answer(self, operation: Operation) -> list[Event]:
        deck = operation.deck
        match operation:
            case NewDeck(faces=size):
                self.places[deck] = Places.fresh(deck, size)
                self._lay(deck, list(range(size)), shuffled=True)
                return []
            case Deal(portions=(portion,)):
                return [self._give(deck, place) for place in self.places[deck].next_cards(portion.count)]
            case Open(count=count):
                return [self._open(deck, place) for place in self.places[deck].next_cards(count)]
            case Show(positions=positions):
                return [self._open(deck, place) for place in self.places[deck].validate_show(operation) if positions]
            case Return(positions=positions, place=Place.DISCARD):
                self.places[deck] = self.places[deck].discard(self.places[deck].validate_return(operation))
                return [Moved(self.places[deck].card(p), None) for p in positions]
            case Return(positions=positions, place=place):
                faces = [self.faces[deck, p] for p in self.places[deck].validate_return(operation)]
                pile = [self.faces[deck, p] for p in self.places[deck].pile] if place is Place.SHUFFLED else []
                self.places[deck] = self.places[deck].restack(positions, place)
                self._lay(deck, [*pile, *faces], shuffled=place is Place.SHUFFLED)
                return [Moved(self.places[deck].card(p), None) for p in positions]
            case Peek(count=count, then=then):
                return self._peek(deck, self.places[deck].next_cards(count), then)
            case Close():
                return []
            case _:
                raise AssertionError(operation)

    def _lay(self, deck: int, faces: list[int], *, shuffled: bool) -> None:
        if shuffled:
            self.random.shuffle(faces)
        end = self.places[deck].position_count
        for position, face in zip(range(end - len(faces), end), faces, strict=True):
            self.faces[deck, position] = face

    def _give(self, deck: int, position: int) -> Event:
        self.places[deck] = self.places[deck].move_to_hand((position,), self.game.sides[deck].seat)
        return Moved(self.places[deck].card(position), self.game.sides[deck].seat)

    def _open(self, deck: int, position: int) -> Event:
        face = self.faces[deck, position]
        self.places[deck] = self.places[deck].open({position: face})
        return Opened(self.places[deck].card(position), face)

    def _peek(self, deck: int, seen: tuple[int, ...], then: Look) -> list[Event]:
        side = self.game.sides[deck]
        order = choose_cards(side, {p: side.list[self.faces[deck, p]] for p in seen}, keep=then is Look.TAKE)
        places = self.places[deck]
        if then is Look.TAKE:
            moved = self._give(deck, order[0])
            pile = [self.faces[deck, p] for p in self.places[deck].pile]
            self.places[deck] = self.places[deck].restack((), Place.SHUFFLED)
            self._lay(deck, pile, shuffled=True)
            return [moved]
        self.places[deck] = places.remove_from_pile(seen).restack(seen, Place.TOP)
        self._lay(deck, [self.faces[deck, p] for p in order], shuffled=False)
        return []


def dealt(rules: WardensRules | None = None, seed: int = 0, hand: int = 0) -> Dealer:
    """Return a game in which the first player has to move."""
    dealer = Dealer((rules or WardensRules()).begin(hand, (0, 1), None, {0: 0, 1: 0}), random.Random(seed))
    dealer.settle()
    return dealer
