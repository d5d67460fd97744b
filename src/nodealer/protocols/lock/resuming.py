"""After a recovery: what was in progress when a seat left goes on with those who stay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nodealer.cards import Deal, Finished, Open, Operation, Portion, for_those_who_stay
from nodealer.protocols.base import Step

if TYPE_CHECKING:
    from nodealer.protocols.lock.deck import LockDeck


def resume(deck: LockDeck) -> Step:
    """Ask an idle deck again for what it had not finished. Cards that were on their way have gone back."""
    operation = deck.asked
    if operation is None:
        return Step(deck)
    again = _again(deck, operation)
    return Step(deck.at(asked=None), (Finished(operation),)) if again is None else deck.begin(again, operation)


def _again(deck: LockDeck, operation: Operation) -> Operation | None:
    """The operation for those who stay. Old positions of the pile are dead: what named them takes the next ones."""
    gone = frozenset(seat for layer in deck.layers for seat in layer.table.players) - frozenset(deck.table.players)
    match for_those_who_stay(operation, gone):
        case Deal() as deal:
            counted = (Portion(portion.seat, portion.count or len(portion.positions)) for portion in deal.portions)
            return replace(deal, portions=tuple(counted))
        case Open() as opening:
            return Open(opening.deck, opening.count or len(opening.positions))
        case other:
            return other
