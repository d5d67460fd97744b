"""One game of wardens as an immutable state machine over public events.

A card becomes public when it is played: the player names the card of their list, the game judges the move by that, and
then the card is shown. If it is a different card, it is lost together with the sparks paid for it.
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

#: The size of the opening hand of the first and of the second player.
OPENING: Final = (5, 4)
#: After this many turns, counting both players', the brighter light wins.
TURNS_MAX: Final = 60


@dataclass(frozen=True, eq=False)
class WardensGame:
    """One game of wardens. `sides` are in the order of the seats; `active` and `first` are indices into it."""

    number: int
    seats: tuple[int, int]
    sides: tuple[Side, Side]
    #: Games won so far in this session, by seat.
    won: Mapping[int, int] = field(default_factory=dict)
    first: int = 0
    active: int = 0
    turn: int = 0
    #: The requested card operations, and the card that is being played.
    asking: tuple[Operation, ...] = ()
    playing: Play | None = None
    #: How it ended, and the index of the winner; None for a tie.
    ending: str | None = None
    winner: int | None = None
    gone: tuple[int, ...] = ()
    #: Whether the decks are closed. In some modes closing a deck reveals it.
    closed: bool = False

    @property
    def players(self) -> tuple[int, ...]:
        """Both seats."""
        return self.seats

    @property
    def paid(self) -> Mapping[int, int]:
        """Nothing: the game has no chips."""
        return {}

    # --- What it wants ---

    @property
    def wants(self) -> Want:
        """The next thing the game needs: card operations, a move, or its end."""
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
        """Start a game: both decks are shuffled and both players draw. The first player alternates."""
        first = number % 2
        # The second player gets one spark more each turn, until both have the maximum.
        sides = tuple(
            Side(seat, at, cards, pile=len(cards), fire=int(at != first))
            for at, (seat, cards) in enumerate(zip(seats, lists, strict=True))
        )
        asking: list[Operation] = []
        for at, side in enumerate(sides):
            asking.append(NewDeck(side.deck, len(side.list), side.seat))
            asking.append(Deal(side.deck, (Portion(side.seat, OPENING[at != first]),)))
        return cls(number, seats, (sides[0], sides[1]), dict(won), first, first, 0, tuple(asking))

    # --- Card events ---

    def told(self, events: tuple[Event, ...]) -> WardensGame:
        """Return the game after the requested operations: apply the effect of a shown card, or begin the first turn."""
        if self.ending is not None:
            return replace(self, closed=True, asking=())
        game, play = replace(self, asking=(), playing=None), self.playing
        for event in events:
            game = game._apply_event(event)
        if play is not None:
            return game._resolve(play)
        return game._begin_turn() if game.turn == 0 else game

    def _apply_event(self, event: Event) -> WardensGame:
        """Return the game after one card event."""
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
            # The effect of the card decides whether it moves on from the discards.
            card = side.list[event.face]
            return self.with_side(replace(side, discards=(*side.discards, (event.card.position, card))))
        return self

    def with_side(self, side: Side) -> WardensGame:
        """Return the game with this side in place of its old value."""
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
        """Begin a turn: get sparks and draw a card. A player with an empty deck loses light, more each time."""
        game = replace(self, turn=self.turn + 1).with_side(self.mine.wake())
        side = game.mine
        if side.pile == 0:
            tired = replace(side.lose_light(side.empty_draws + 1), empty_draws=side.empty_draws + 1)
            return game.with_side(tired).check_end()
        if len(side.hand) >= HAND_MAX:
            return game
        return replace(game, asking=(Deal(side.deck, (Portion(side.seat, 1),)),))

    def _end_turn(self) -> WardensGame:
        """Begin the rival's turn, or end the game after the last turn."""
        if self.turn >= TURNS_MAX:
            light = [side.light for side in self.sides]
            winner = None if light[0] == light[1] else light.index(max(light))
            return replace(self, ending="tied" if winner is None else "outlasted", winner=winner)
        return replace(self, active=1 - self.active)._begin_turn()

    def check_end(self) -> WardensGame:
        """Return the game, ended if a player's light is out."""
        out = [side.light <= 0 for side in self.sides]
        if not any(out) or self.ending is not None:
            return self
        winner = None if all(out) else out.index(False)
        return replace(self, ending="tied" if winner is None else "light out", winner=winner, asking=())

    # --- Moves ---

    def moved(self, seat: int, move: bytes) -> WardensGame:
        """Return the game after a seat's move. Raise `IllegalMove` if the rules forbid it."""
        want = self.wants
        if not isinstance(want, Turn) or seat not in want.seats:
            raise IllegalMove(f"it is not seat {seat}'s turn")
        return self.apply_move(read_move(move))

    def apply_move(self, move: Move) -> WardensGame:
        """Apply a decoded move of the active side. Raise `IllegalMove` if the rules forbid it."""
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
        """Pay for a card and request that it is shown. Raise `IllegalMove` if it cannot be played."""
        side = self.mine
        if play.place not in side.hand:
            raise IllegalMove(f"the card at place {play.place} is not in your hand")
        if play.card not in side.list:
            raise IllegalMove("that card is not in your deck")
        card = POOL[play.card]
        if card.cost > side.sparks:
            raise IllegalMove(f"{card.name} costs {card.cost} sparks, but you have {side.sparks}")
        if card.warden and len(side.wardens) >= FIELD_MAX:
            raise IllegalMove(f"you already have {FIELD_MAX} wardens: there is no room for more")
        effects.refuse_target(self, card, play.target)
        paid = self.with_side(replace(side, sparks=side.sparks - card.cost))
        return replace(paid, playing=play, asking=(Show(side.deck, side.seat, (play.place,)),))

    def _resolve(self, play: Play) -> WardensGame:
        """Resolve the card that was just shown. If it is not the named card, it has no effect and stays discarded."""
        side = self.mine
        if dict(side.discards).get(play.place) != play.card:
            return self
        card, game = POOL[play.card], self
        if card.warden:
            rest = tuple(pair for pair in side.discards if pair[0] != play.place)
            warden = Warden(play.place, play.card, card.power, card.health, card.swift)
            game = game.with_side(replace(side, discards=rest, wardens=(*side.wardens, warden)))
        return effects.apply_effect(game, card, play.target).check_end()

    def _attack(self, attack: Attack) -> WardensGame:
        """Attack with a warden. Raise `IllegalMove` if it cannot attack this target now."""
        warden = self.mine.warden(attack.place)
        if warden is None or not warden.ready:
            raise IllegalMove("that warden cannot attack now")
        guards = [guard.place for guard in self.theirs.guards]
        if guards and attack.target not in guards:
            raise IllegalMove("you must attack a guard first")
        if attack.target is None:
            game = self.with_side(self.theirs.lose_light(warden.power))
        else:
            target = self.theirs.warden(attack.target)
            if target is None:
                raise IllegalMove("your rival has no such warden")
            game = self.with_side(self.theirs.hurt_warden(target.place, warden.power))
            warden = replace(warden, health=warden.health - target.power)
        return game.with_side(game.mine.with_warden(replace(warden, ready=False))).check_end()

    def _bury(self, place: int) -> WardensGame:
        """Bury a card for a spark. Raise `IllegalMove` if that is not possible now."""
        side = self.mine
        if not side.may_bury:
            raise IllegalMove("you can bury only one card a turn")
        if place not in side.hand:
            raise IllegalMove(f"the card at place {place} is not in your hand")
        hand = tuple(other for other in side.hand if other != place)
        side = replace(side, hand=hand, sparks=side.sparks + 1, buried=side.buried + 1, may_bury=False)
        return replace(self.with_side(side), asking=(Return(side.deck, (place,), Place.DISCARD),))

    # --- For effects ---

    def draw(self, count: int) -> WardensGame:
        """Let the active side draw up to `count` cards, limited by its deck and its hand size."""
        count = min(count, self.mine.pile, HAND_MAX - len(self.mine.hand))
        return self.ask(Deal(self.mine.deck, (Portion(self.mine.seat, count),))) if count > 0 else self

    def look(self, count: int, then: Look) -> WardensGame:
        """Let the active side look at the top cards of its deck."""
        count = min(count, self.mine.pile)
        return self.ask(Peek(self.mine.deck, self.mine.seat, count, then)) if count > 0 else self

    def mill(self, count: int) -> WardensGame:
        """Turn up the top cards of the rival's deck; they go to the discards."""
        count = min(count, self.theirs.pile)
        return self.ask(Open(self.theirs.deck, count)) if count > 0 else self

    def ask(self, operation: Operation) -> WardensGame:
        """Request one more card operation."""
        return replace(self, asking=(*self.asking, operation))

    # --- Ends ---

    def left(self, seats: tuple[int, ...], *, cards: bool) -> WardensGame:
        """End the game: a player who leaves loses. A deck needs both players."""
        gone = (*self.gone, *seats)
        if self.ending is not None:
            # A player who leaves before the decks are closed does not win. Nor does the other, who may have stalled.
            won = self.winner is not None and self.seats[self.winner] not in seats
            return replace(self, gone=gone, winner=self.winner if won else None, closed=True, asking=())
        stay = [at for at, seat in enumerate(self.seats) if seat not in gone]
        winner = stay[0] if len(stay) == 1 else None
        return replace(self, gone=gone, ending="forfeit", winner=winner, closed=True, asking=(), playing=None)

    def charged(self, seat: int, half: Half) -> WardensGame:
        """Charge nothing: a player who leaves has lost anyway, and there are no chips."""
        return self

    def default(self, seat: int) -> bytes:
        """End the turn of a player who does not move in time."""
        return encode(EndTurn())

    def _done(self) -> Done:
        """Return the end of the game: the winner gets one point, and no one loses any."""
        won = {} if self.winner is None else {self.seats[self.winner]: 1}
        return Done(self.result, net=dict.fromkeys(self.seats, 0) | won)

    @property
    def score(self) -> dict[int, int]:
        """The games won by each seat, including this one when it is over."""
        score = {seat: self.won.get(seat, 0) for seat in self.seats}
        if self.ending is not None and self.winner is not None:
            score[self.seats[self.winner]] += 1
        return score

    @property
    def result(self) -> dict[str, Any]:
        """The result of the game, as data."""
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
