"""The smallest duel: both players make a deck, draw a card, may search for another, play one, and reveal what they owe.

It exists for its two decks. There is no winner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Self

from nodealer.cards.events import Event, Moved
from nodealer.cards.operations import (
    Capability,
    Close,
    Deal,
    Look,
    NewDeck,
    Operation,
    Peek,
    Place,
    Portion,
    Return,
    Show,
)
from nodealer.errors import DecodeError, IllegalMove
from nodealer.games.base import Ask, Done, Entropy, Game, Turn, Want, WithoutStakes
from nodealer.games.package import Bot, GamePackage
from nodealer.games.view import View
from nodealer.wire import Message, decode

CARDS: Final = 6


class Go(Message, frozen=True, tag="go"):
    """The only move. A seat that cannot read its cards says so instead."""


@dataclass(frozen=True)
class DuelHand(WithoutStakes):
    """One hand. Deck 0 belongs to the first seat."""

    number: int
    seats: tuple[int, ...]
    #: The number of requested steps that are done.
    done: int = 0
    spoken: tuple[int, ...] = ()
    #: Whether both search their decks, and whether they first play a card and discard it.
    searched: bool = False
    spent: bool = False
    #: For each deck, the position of a card in its owner's hand.
    held: Mapping[int, int] = field(default_factory=dict)
    over: bool = False

    def _requested_steps(self) -> tuple[tuple[Operation, ...], ...]:
        """Return the steps of the hand in order, each with the operations that it requests."""
        both = tuple(enumerate(self.seats))
        begin = [one for deck, seat in both for one in (NewDeck(deck, CARDS, seat), Deal(deck, (Portion(seat, 1),)))]
        search = (tuple(Peek(deck, seat, CARDS - 1, Look.TAKE) for deck, seat in both),) if self.searched else ()
        play = tuple(Show(deck, seat, (self.held.get(deck, 0),)) for deck, seat in both)
        close = tuple(Close(deck) for deck, _ in both)
        if self.spent:
            aside = tuple(Return(deck, (self.held.get(deck, 0),), Place.DISCARD) for deck, _ in both)
            return (tuple(begin), play, aside, *search, close)
        return (tuple(begin), *search, play, close)

    @property
    def wants(self) -> Want:
        """The next step of the hand. Before the last two steps, each seat has a turn to say `Go`."""
        steps = self._requested_steps()
        if self.over or self.done == len(steps):
            return Done({"hand": self.number})
        if self.done == len(steps) - 2 and (waiting := tuple(seat for seat in self.seats if seat not in self.spoken)):
            return Turn(waiting[:1])
        return Ask(steps[self.done])

    def told(self, events: tuple[Event, ...]) -> Self:
        """Mark a requested step as done."""
        held = dict(self.held)
        held |= {
            one.card.deck: one.card.position for one in events if isinstance(one, Moved) and one.holder is not None
        }
        return replace(self, done=self.done + 1, held=held)

    def moved(self, seat: int, move: bytes) -> Self:
        """Record the move of a seat. Raise `IllegalMove` if it is not `Go`."""
        try:
            decode(Go, move, what="the move")
        except DecodeError as error:
            raise IllegalMove(str(error)) from None
        return replace(self, spoken=(*self.spoken, seat))

    def left(self, seats: tuple[int, ...], *, cards: bool) -> Self:
        """End the hand: one player is not enough."""
        return replace(self, over=True)


@dataclass(frozen=True)
class SmallDuel:
    """The rules of the smallest duel."""

    searched: bool = False
    spent: bool = False

    name = "small-duel"
    version = 0
    versions = ()
    stake = 0
    deck_max = CARDS
    parameters = b"{}"
    operations = frozenset(
        {
            Capability.OWNED_DECK,
            Capability.DEAL_TOP_TO_OWNER,
            Capability.PEEK_TAKE_BY_OWNER,
            Capability.SHOW_ALL,
            Capability.RETURN_DISCARD,
            Capability.CLOSE,
        }
    )

    def begin(self, hand: int, seats: tuple[int, ...], before: Game | None, chips: Mapping[int, int]) -> DuelHand:
        """Begin a hand for both seats."""
        return DuelHand(hand, seats, searched=self.searched, spent=self.spent)


class DuelBot(Bot):
    """A bot that makes the only move."""

    def __init__(self, entropy: Entropy) -> None:
        """Ignore the entropy: this bot draws nothing."""

    def move(self, view: View) -> Go:
        """Return the only move."""
        return Go()


def _package(rules: SmallDuel) -> GamePackage:
    """Return the game package of these rules, for two seats and with the bot that makes the only move."""
    return GamePackage(
        name=rules.name,
        version=rules.version,
        rules=lambda parameters: rules,
        from_settings=lambda settings: rules,
        bot=DuelBot,
        seats=2,
    )


SMALL_DUEL: Final = _package(SmallDuel())
SEARCHED_DUEL: Final = _package(SmallDuel(searched=True))
SPENT_DUEL: Final = _package(SmallDuel(searched=True, spent=True))
