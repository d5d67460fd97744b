"""The smallest game with chips: each player pays, gets a card, and may pay more or fold. The highest card wins.

There are three variants:

- one shared deck;
- a deck for each player, numbered by its owner, for protocols that only have such decks;
- a price for leaving: one more card is opened to everyone before the showdown, ordered by stake, and a player who
  leaves while a card is being dealt or opened pays into the next pot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, Self

import msgspec

from nodealer.cards.events import Event, Half, Moved, Opened
from nodealer.cards.operations import Capability, Deal, NewDeck, Open, Operation, Portion, Show
from nodealer.errors import DecodeError, IllegalMove
from nodealer.games.base import Ask, Done, Entropy, Game, Turn, Want
from nodealer.games.package import Bot, GamePackage
from nodealer.games.view import View
from nodealer.wire import Message, decode, encode

STACK: Final = 5


class Bet(Message, frozen=True):
    """A move: pay this many chips more, or fold."""

    chips: Annotated[int, msgspec.Meta(ge=0, le=2)]
    fold: bool = False


class HighCardParameters(Message, frozen=True):
    """The parameters that a session agrees on."""

    cards: int


@dataclass(frozen=True)
class HighCard:
    """The rules with one shared deck."""

    deck_max: int = 6

    name = "highcard"
    version = 0
    versions = ()
    stake = STACK
    operations = frozenset({Capability.SHARED_DECK, Capability.DEAL_TOP, Capability.SHOW_ALL})

    @property
    def parameters(self) -> bytes:
        """The encoded deck size."""
        return encode(HighCardParameters(self.deck_max))

    @classmethod
    def from_parameters(cls, raw: bytes) -> Self:
        """Return the rules that a session agreed on."""
        return cls(decode(HighCardParameters, raw, what="the parameters of highcard").cards)

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> HighHand:
        """Begin a hand, in which every seat with a chip pays one."""
        players = tuple(seat for seat in seats if chips[seat] > 0)
        return HighHand(hand, self.deck_max, players, chips, dict.fromkeys(players, 1), players)


@dataclass(frozen=True)
class OwnHighCard(HighCard):
    """The same rules with a deck for each player."""

    name = "own highcard"
    operations = frozenset({Capability.OWNED_DECK, Capability.DEAL_TOP_TO_OWNER, Capability.SHOW_ALL})

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> HighHand:
        """Begin a hand, in which every seat with a chip pays one."""
        return replace(super().begin(hand, seats, before, chips), own=True)


@dataclass(frozen=True)
class DearHighCard(HighCard):
    """The same rules with a price for leaving, and a card for everyone if the deck has one more."""

    name = "dear highcard"
    operations = HighCard.operations | {Capability.OPEN_TOP}

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> HighHand:
        """Begin a hand. Every seat with a chip pays one, and the pot includes what others paid for leaving."""
        begun = super().begin(hand, seats, before, chips)
        dead = before.carried if isinstance(before, HighHand) else 0
        return replace(begun, dear=True, dead=dead, opened=self.deck_max <= len(begun.players))


@dataclass(frozen=True)
class HighHand:
    """The state of one hand."""

    number: int
    cards: int
    players: tuple[int, ...]
    chips: Mapping[int, int]
    paid: Mapping[int, int]
    #: The seats that can still win. Below: those that have moved, and those that have left.
    live: tuple[int, ...]
    dealt: bool = False
    spoken: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()
    held: Mapping[int, int] = field(default_factory=dict)
    faces: Mapping[int, int] = field(default_factory=dict)
    divided: bool = False
    #: Whether each player has their own deck.
    own: bool = False
    #: Whether leaving has a price; the dead money in the pot from earlier leavers; and whether the card for everyone is
    #: open or does not exist.
    dear: bool = False
    dead: int = 0
    opened: bool = True
    #: The seats that left while cards were being dealt or opened, and what each of them pays.
    halves: tuple[tuple[int, Half], ...] = ()
    charges: Mapping[int, int] = field(default_factory=dict)

    @property
    def wants(self) -> Want:
        """The next step of the hand: deal, one move of each seat, open one card, and show the remaining hands.

        The hand is done when all remaining cards are shown or fewer than two seats remain.
        """
        shown = all(seat in self.faces for seat in self.live)
        if self.divided or len(self.live) < 2 or shown:
            return Done(self._result(), self.paid, self.net(), self.charges, self.dead if self.live else 0)
        if not self.dealt:
            return Ask(self._dealing())
        if to_speak := [seat for seat in self.live if seat not in self.spoken]:
            return Turn((to_speak[0],))
        if not self.opened:
            return Ask((Open(0, 1, order=self.by_stake()),))
        hidden = [seat for seat in self.live if seat not in self.faces]
        return Ask(tuple(Show(self._deck(seat), seat, (self.held[seat],)) for seat in hidden))

    def by_stake(self) -> tuple[tuple[int, ...], ...]:
        """Return the seats that can still win, grouped by what they paid, lowest first."""
        stakes = sorted({self.paid[seat] for seat in self.live})
        return tuple(tuple(seat for seat in self.live if self.paid[seat] == stake) for stake in stakes)

    @property
    def carried(self) -> int:
        """The dead money in the next pot. A hand without a result leaves it unchanged."""
        if not isinstance(self.wants, Done):
            return self.dead
        return sum(self.charges.values()) + (0 if self.live else self.dead)

    def _deck(self, seat: int) -> int:
        """Return the number of the deck that a seat's card comes from: its own deck, or the common deck 0."""
        return seat if self.own else 0

    def _dealing(self) -> tuple[Operation, ...]:
        """Return the operations that make the decks and deal one card to each seat."""
        if not self.own:
            return NewDeck(0, self.cards), Deal(0, tuple(Portion(seat, 1) for seat in self.live))
        decks = tuple(NewDeck(seat, self.cards, seat) for seat in self.live)
        return *decks, *(Deal(seat, (Portion(seat, 1),)) for seat in self.live)

    def moved(self, seat: int, move: bytes) -> Self:
        """Apply a bet or a fold. Raise `IllegalMove` if the seat cannot make it."""
        try:
            bet = decode(Bet, move, what="the move")
        except DecodeError as error:
            raise IllegalMove(str(error)) from None
        if self.paid[seat] + bet.chips > self.chips[seat] or (bet.fold and bet.chips):
            raise IllegalMove("more than this seat has, or for nothing")
        live = tuple(other for other in self.live if other != seat or not bet.fold)
        paid = {**self.paid, seat: self.paid[seat] + bet.chips}
        return replace(self, paid=paid, live=live, spoken=(*self.spoken, seat))

    def told(self, events: tuple[Event, ...]) -> Self:
        """Record which seats got which cards, and which faces were shown."""
        held, faces = dict(self.held), dict(self.faces)
        held |= {one.holder: one.card.position for one in events if isinstance(one, Moved) and one.holder is not None}
        holder = {(self._deck(seat), position): seat for seat, position in held.items()}
        shown = {(one.card.deck, one.card.position): one.face for one in events if isinstance(one, Opened)}
        faces |= {holder[card]: face for card, face in shown.items() if card in holder}
        return replace(self, dealt=True, held=held, faces=faces, opened=self.opened or self.dealt)

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Self:
        """Remove seats from the hand. What they paid stays; without cards, the others divide it."""
        live = tuple(seat for seat in self.live if seat not in seats)
        return replace(self, live=live, gone=(*self.gone, *seats), divided=self.divided or not cards)

    def charged(self, seat: int, half: Half) -> Self:
        """Charge a seat for leaving in the middle of a card.

        Leaving is free unless the rules set a price. The price comes out of the seat's remaining chips: one chip, or
        the largest other stake if the card was being opened to everyone.
        """
        if not self.dear:
            return self
        others = (self.paid[other] for other in self.live if other != seat)
        price = max(others, default=0) if half is Half.OPENED else 1
        price = min(price, self.chips[seat] - self.paid[seat])
        charges = {**self.charges, seat: max(price, self.charges.get(seat, 0))}
        return replace(self, halves=(*self.halves, (seat, half)), charges=charges)

    def default(self, seat: int) -> bytes | None:
        """Return the move of a seat that runs out of time: pay nothing more."""
        return encode(Bet(0))

    def net(self) -> dict[int, int]:
        """Return what each seat won or lost."""
        lost = {seat: -chips for seat, chips in self.paid.items()}
        if not self.live:
            return {}
        winners = self.live if self.divided else (max(self.live, key=lambda seat: self.faces.get(seat, -1)),)
        share, odd = divmod(sum(self.paid.values()) + self.dead, len(winners))
        return lost | {seat: lost[seat] + share + (odd if seat == winners[0] else 0) for seat in winners}

    def _result(self) -> dict[str, Any]:
        """Return the result of the hand as it is logged: its number, the faces shown, and the seats that left."""
        return {"hand": self.number, "shown": sorted(self.faces.values()), "gone": list(self.gone)}


class HighBot(Bot):
    """A bot that bets at random, within its means."""

    def __init__(self, entropy: Entropy) -> None:
        """Take the source of the bot's random choices."""
        self._entropy = entropy

    def move(self, view: View) -> Bet:
        """Fold now and then; otherwise pay up to two chips."""
        game, drawn = view.game, self._entropy(1)[0]
        if drawn < 32 or not isinstance(game, HighHand):
            return Bet(0, fold=True)
        return Bet(min(drawn % 3, game.chips[view.seat] - game.paid[view.seat]))


GAME: Final = GamePackage(
    name=HighCard.name,
    version=HighCard.version,
    rules=HighCard.from_parameters,
    from_settings=lambda settings: HighCard(),
    bot=HighBot,
)
DEAR: Final = replace(
    GAME,
    name=DearHighCard.name,
    rules=DearHighCard.from_parameters,
    from_settings=lambda settings: DearHighCard(),
)
OWN: Final = replace(
    GAME,
    name=OwnHighCard.name,
    rules=OwnHighCard.from_parameters,
    from_settings=lambda settings: OwnHighCard(),
)
