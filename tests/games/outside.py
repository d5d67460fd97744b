"""A children's game as a third party would write it: one file that nothing in nodealer knows about.

Each player gets one card and says "turn"; the cards are shown, and the highest wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from nodealer.cards.events import Event, Moved, Opened
from nodealer.cards.operations import Capability, Deal, NewDeck, Portion, Show
from nodealer.errors import DecodeError, IllegalMove
from nodealer.games.base import Ask, Done, Entropy, Game, Turn, Want, WithoutStakes
from nodealer.games.package import Bot, GamePackage, Setting, whole_number
from nodealer.games.text import Words
from nodealer.games.view import View
from nodealer.wire import Message, Natural, decode, encode


class TurnUp(Message, frozen=True, tag="turn"):
    """The only move."""


class Parameters(Message, frozen=True):
    cards: Natural


@dataclass(frozen=True)
class HighestHand(WithoutStakes):
    number: int
    seats: tuple[int, ...]
    size: int
    held: Mapping[int, int] = field(default_factory=dict)
    said: frozenset[int] = frozenset()
    faces: Mapping[int, int] = field(default_factory=dict)
    gone: bool = False

    @property
    def wants(self) -> Want:
        if self.faces or self.gone:
            best = max(self.faces, key=self.faces.__getitem__, default=None)
            return Done({"hand": self.number, "ended": "given up" if self.gone else "turned up", "winner": best})
        if not self.held:
            return Ask((NewDeck(0, self.size), Deal(0, tuple(Portion(seat, 1) for seat in self.seats))))
        waiting = tuple(seat for seat in self.seats if seat not in self.said)
        return Turn(waiting) if waiting else Ask(tuple(Show(0, seat, (self.held[seat],)) for seat in self.seats))

    def moved(self, seat: int, move: bytes) -> Game:
        try:
            decode(TurnUp, move, what="the move")
        except DecodeError as error:
            raise IllegalMove(str(error)) from None
        return replace(self, said=self.said | {seat})

    def told(self, events: tuple[Event, ...]) -> Game:
        if not self.held:
            moves = [event for event in events if isinstance(event, Moved)]
            return replace(self, held={move.holder: move.card.position for move in moves if move.holder is not None})
        faces = {event.card.position: event.face for event in events if isinstance(event, Opened)}
        return replace(self, faces={seat: faces[position] for seat, position in self.held.items()})

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Game:
        return replace(self, gone=True)


@dataclass(frozen=True)
class Highest:
    deck_max: int = 12
    name = "highest"
    version = 3
    versions = ()
    stake = 0
    operations: frozenset[Capability] = frozenset({Capability.SHARED_DECK, Capability.DEAL_TOP, Capability.SHOW_ALL})

    @property
    def parameters(self) -> bytes:
        return encode(Parameters(self.deck_max))

    @classmethod
    def from_parameters(cls, raw: bytes) -> Highest:
        return cls(decode(Parameters, raw, what="the parameters of highest").cards)

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> Game:
        return HighestHand(hand, seats, self.deck_max)


class HighestBot(Bot):
    def __init__(self, entropy: Entropy) -> None:
        pass

    def move(self, view: View) -> TurnUp:
        return TurnUp()


class HighestWords(Words):
    def face(self, game: HighestHand, deck: int, face: int) -> str:
        return f"the {face + 1}"

    def move(self, game: HighestHand, seat: int, move: bytes, names: Mapping[int, str]) -> str:
        return "turns up"

    def result(self, result: Mapping[str, object], names: Mapping[int, str]) -> str:
        winner = result["winner"]
        return f"{names[winner]} has the highest" if isinstance(winner, int) else "nobody has the highest"

    def read(self, view: View, text: str) -> TurnUp:
        if text.strip() != "t":
            raise IllegalMove("t turns up")
        return TurnUp()


GAME = GamePackage(
    name=Highest.name,
    version=Highest.version,
    rules=Highest.from_parameters,
    from_settings=lambda settings: Highest(whole_number("cards", settings["cards"])),
    settings=(Setting("cards", "how many cards the deck has", "12"),),
    seats=3,
    bot=HighestBot,
    words=HighestWords(),
)
OLDER = replace(GAME, version=2)
