"""One game of wardens as an immutable machine over public events.

A card is public when it is played, not before: a player says which card of its list it plays, the game judges the move
by that, and then the card is shown. If it is another card it is lost with what was paid for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nodealer.cards.events import Event, Half, Moved, Opened
from nodealer.cards.operations import Close, Deal, Look, NewDeck, Open, Operation, Peek, Place, Portion, Return, Show
from nodealer.errors import IllegalMove
from nodealer.games.base import Ask, Done, Turn, Want
from nodealer.games.wardens import effects
from nodealer.games.wardens.moves import Attack, Bury, Concede, EndTurn, Move, Play, read_move
from nodealer.games.wardens.pool import POOL
from nodealer.games.wardens.side import FIELD_MAX, HAND_MAX, Side, Warden
from nodealer.records import replace
from nodealer.wire import encode

#: Cards to begin with, for who is first and who is second.
OPENING: Final = (5, 4)
#: After so many turns of both the brighter light wins.
TURNS_MAX: Final = 60


@dataclass(frozen=True, eq=False)
class WardensGame:
    """One game. `sides` are in the order of the seats; `active` is an index of it."""

    number: int
    seats: tuple[int, int]
    sides: tuple[Side, Side]
    #: Games won so far in this session, by seat.
    won: Mapping[int, int] = field(default_factory=dict)
    first: int = 0
    active: int = 0
    turn: int = 0
    #: What is asked for now, and the card that is on its way to the table.
    asking: tuple[Operation, ...] = ()
    playing: Play | None = None
    #: How it ended, and the index of the winner; None for a tie.
    ending: str | None = None
    winner: int | None = None
    gone: tuple[int, ...] = ()
    #: Whether the decks are closed, which in some modes shows them.
    closed: bool = False

    @property
    def players(self) -> tuple[int, ...]:
        """Both."""
        return self.seats

    @property
    def paid(self) -> Mapping[int, int]:
        """Nothing is put in."""
        return {}

    # --- What it wants ---

    @property
    def wants(self) -> Want:
        if self.ending is not None:
            return self._done() if self.closed else Ask(tuple(Close(side.deck) for side in self.sides))
        return Ask(self.asking) if self.asking else Turn((self.seats[self.active],))

    @classmethod
    def begin(
        cls,
        number: int,
        seats: tuple[int, int],
        lists: tuple[tuple[int, ...], tuple[int, ...]],
        won: Mapping[int, int],
    ) -> WardensGame:
        """Both decks are made, and both players draw. Who begins alternates."""
        first = number % 2
        # Who is second begins with a spark more each turn, until both have all there are.
        sides = tuple(
            Side(seat, at, cards, pile=len(cards), fire=int(at != first))
            for at, (seat, cards) in enumerate(zip(seats, lists, strict=True))
        )
        asking: list[Operation] = []
        for at, side in enumerate(sides):
            asking.append(NewDeck(side.deck, len(side.list), side.seat))
            asking.append(Deal(side.deck, (Portion(side.seat, OPENING[at != first]),)))
        return cls(number, seats, (sides[0], sides[1]), dict(won), first, first, 0, tuple(asking))

    # --- What it is told ---

    def told(self, events: tuple[Event, ...]) -> WardensGame:
        """What the operations did; then the card that was shown does what it does, or the turn begins."""
        if self.ending is not None:
            return replace(self, closed=True, asking=())
        game, play = replace(self, asking=(), playing=None), self.playing
        for event in events:
            game = game._heard(event)
        if play is not None:
            return game._resolve(play)
        return game._begin_turn() if game.turn == 0 else game

    def _heard(self, event: Event) -> WardensGame:
        if isinstance(event, Moved) and event.holder is not None:
            side = self.sides[event.card.deck]
            return self.with_side(replace(side, hand=(*side.hand, event.card.position), pile=side.pile - 1))
        if isinstance(event, Opened):
            side = self.sides[event.card.deck]
            if event.card.position in side.hand:
                hand = tuple(place for place in side.hand if place != event.card.position)
                side = replace(side, hand=hand)
            else:
                side = replace(side, pile=side.pile - 1)
            # Where it goes from the discards, if it goes, is what the card says.
            card = side.list[event.face]
            return self.with_side(replace(side, discards=(*side.discards, (event.card.position, card))))
        return self

    def with_side(self, side: Side) -> WardensGame:
        """One half of the table has changed."""
        return replace(self, sides=(side, self.sides[1]) if side.deck == 0 else (self.sides[0], side))

    @property
    def mine(self) -> Side:
        """The side whose turn it is."""
        return self.sides[self.active]

    @property
    def theirs(self) -> Side:
        """The other side."""
        return self.sides[1 - self.active]

    # --- Turns ---

    def _begin_turn(self) -> WardensGame:
        """Sparks, and a card from the top. Who has none left to draw loses light, more each time."""
        game = replace(self, turn=self.turn + 1).with_side(self.mine.wake())
        side = game.mine
        if side.pile == 0:
            tired = replace(side.hurt(side.empty_draws + 1), empty_draws=side.empty_draws + 1)
            return game.with_side(tired).judged()
        if len(side.hand) >= HAND_MAX:
            return game
        return replace(game, asking=(Deal(side.deck, (Portion(side.seat, 1),)),))

    def _end_turn(self) -> WardensGame:
        if self.turn >= TURNS_MAX:
            light = [side.light for side in self.sides]
            winner = None if light[0] == light[1] else light.index(max(light))
            return replace(self, ending="tied" if winner is None else "outlasted", winner=winner)
        return replace(self, active=1 - self.active)._begin_turn()

    def judged(self) -> WardensGame:
        """Whether somebody's light is out."""
        out = [side.light <= 0 for side in self.sides]
        if not any(out) or self.ending is not None:
            return self
        winner = None if all(out) else out.index(False)
        return replace(self, ending="tied" if winner is None else "light out", winner=winner, asking=())

    # --- Moves ---

    def moved(self, seat: int, move: bytes) -> WardensGame:
        """A move of the seat whose turn it is."""
        want = self.wants
        if not isinstance(want, Turn) or seat not in want.seats:
            raise IllegalMove(f"it is not the turn of seat {seat}")
        return self.made(read_move(move))

    def made(self, move: Move) -> WardensGame:
        """A move of the active side. Raises `IllegalMove`."""
        match move:
            case Play():
                return self._play(move)
            case Attack():
                return self._attack(move)
            case Bury(place=place):
                return self._bury(place)
            case EndTurn():
                return self._end_turn()
            case Concede():
                return replace(self, ending="conceded", winner=1 - self.active)

    def _play(self, play: Play) -> WardensGame:
        side = self.mine
        if play.place not in side.hand:
            raise IllegalMove(f"place {play.place} is not in your hand")
        if play.card not in side.list:
            raise IllegalMove("that card is not on your list")
        card = POOL[play.card]
        if card.cost > side.sparks:
            raise IllegalMove(f"{card.name} costs {card.cost} sparks, and you have {side.sparks}")
        if card.warden and len(side.wardens) >= FIELD_MAX:
            raise IllegalMove(f"you have {FIELD_MAX} wardens, and there is no room for more")
        effects.refuse_target(self, card, play.target)
        paid = self.with_side(replace(side, sparks=side.sparks - card.cost))
        return replace(paid, playing=play, asking=(Show(side.deck, side.seat, (play.place,)),))

    def _resolve(self, play: Play) -> WardensGame:
        """The card is on the table. Another one than was said stays in the discards, without effect."""
        side = self.mine
        if dict(side.discards).get(play.place) != play.card:
            return self
        card, game = POOL[play.card], self
        if card.warden:
            rest = tuple(pair for pair in side.discards if pair[0] != play.place)
            warden = Warden(play.place, play.card, card.power, card.health, card.swift)
            game = game.with_side(replace(side, discards=rest, wardens=(*side.wardens, warden)))
        return effects.done(game, card, play.target).judged()

    def _attack(self, attack: Attack) -> WardensGame:
        warden = self.mine.warden(attack.place)
        if warden is None or not warden.ready:
            raise IllegalMove("that warden cannot attack now")
        guards = [guard.place for guard in self.theirs.guards]
        if guards and attack.target not in guards:
            raise IllegalMove("a guard has to be attacked first")
        if attack.target is None:
            game = self.with_side(self.theirs.hurt(warden.power))
        else:
            target = self.theirs.warden(attack.target)
            if target is None:
                raise IllegalMove("there is no such warden of the rival")
            game = self.with_side(self.theirs.hurt_warden(target.place, warden.power))
            warden = replace(warden, health=warden.health - target.power)
        return game.with_side(game.mine.with_warden(replace(warden, ready=False))).judged()

    def _bury(self, place: int) -> WardensGame:
        side = self.mine
        if not side.may_bury:
            raise IllegalMove("one card a turn can be buried")
        if place not in side.hand:
            raise IllegalMove(f"place {place} is not in your hand")
        hand = tuple(other for other in side.hand if other != place)
        side = replace(side, hand=hand, sparks=side.sparks + 1, buried=side.buried + 1, may_bury=False)
        return replace(self.with_side(side), asking=(Return(side.deck, (place,), Place.DISCARD),))

    # --- For effects ---

    def draw(self, count: int) -> WardensGame:
        """The active side draws, as far as there are cards and room."""
        count = min(count, self.mine.pile, HAND_MAX - len(self.mine.hand))
        return self.ask(Deal(self.mine.deck, (Portion(self.mine.seat, count),))) if count > 0 else self

    def look(self, count: int, then: Look) -> WardensGame:
        """The active side looks at its deck."""
        count = min(count, self.mine.pile)
        return self.ask(Peek(self.mine.deck, self.mine.seat, count, then)) if count > 0 else self

    def mill(self, count: int) -> WardensGame:
        """The top cards of the rival's deck are turned up and lost."""
        count = min(count, self.theirs.pile)
        return self.ask(Open(self.theirs.deck, count)) if count > 0 else self

    def ask(self, operation: Operation) -> WardensGame:
        """Ask for one thing more."""
        return replace(self, asking=(*self.asking, operation))

    # --- Ends ---

    def left(self, seats: tuple[int, ...], *, cards: bool) -> WardensGame:
        """Who leaves loses. A deck cannot go on without one of two players."""
        gone = (*self.gone, *seats)
        if self.ending is not None:
            # Who goes before the decks are closed has not won. Nor has the other, who may have kept it waiting.
            won = self.winner is not None and self.seats[self.winner] not in seats
            return replace(self, gone=gone, winner=self.winner if won else None, closed=True, asking=())
        stay = [at for at, seat in enumerate(self.seats) if seat not in gone]
        winner = stay[0] if len(stay) == 1 else None
        return replace(self, gone=gone, ending="forfeit", winner=winner, closed=True, asking=(), playing=None)

    def charged(self, seat: int, half: Half) -> WardensGame:
        """Who leaves has lost; there is nothing else to pay with."""
        return self

    def default(self, seat: int) -> bytes:
        """Who does not move passes the turn."""
        return encode(EndTurn())

    def _done(self) -> Done:
        """A game won is a point, which nobody loses."""
        won = {} if self.winner is None else {self.seats[self.winner]: 1}
        return Done(self.result, net=dict.fromkeys(self.seats, 0) | won)

    @property
    def score(self) -> dict[int, int]:
        """Games won by each seat, this one included once it is over."""
        score = {seat: self.won.get(seat, 0) for seat in self.seats}
        if self.ending is not None and self.winner is not None:
            score[self.seats[self.winner]] += 1
        return score

    @property
    def result(self) -> dict[str, Any]:
        """How it ended."""
        return {
            "hand": self.number,
            "ended": self.ending,
            "winner": None if self.winner is None else self.seats[self.winner],
            "turns": self.turn,
            "sides": [
                {"seat": s.seat, "light": s.light, "wardens": len(s.wardens), "hand": len(s.hand), "pile": s.pile}
                for s in self.sides
            ],
            "score": [{"seat": seat, "won": won} for seat, won in sorted(self.score.items())],
            "gone": sorted(self.gone),
        }
