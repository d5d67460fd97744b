"""Who names many cards at once must not make others work for the square of their number."""

from __future__ import annotations

from typing import Final

import pytest

from nodealer.cards.operations import Deal, Gift, Look, Pass, Peek, Portion, Show
from nodealer.group import Group, Scalars
from nodealer.protocols.layers import Layer, Layers
from nodealer.protocols.mask.deck import Masked
from nodealer.protocols.mask.reorder import Arranging
from nodealer.tape import Tape

from .kit import fresh

COUNT: Final = 6


class Listed(tuple[int, ...]):
    """Positions that are never searched one by one."""

    def __contains__(self, position: object) -> bool:
        raise AssertionError("searched")

    def index(self, *where: object) -> int:
        raise AssertionError("searched")


def test_the_keys_of_a_layer_are_drawn_once_for_all_its_cards(fast: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat is shown thousands of cards, or has passed them on: reading one after the other, it drew all keys for
    each of them, whenever somebody looked at the table."""
    drawn = list[int]()
    original = Layers.draw_secrets

    def counted(self: Layers[Masked], tape: Tape, layer: Layer[Masked], seat: int) -> Scalars:
        drawn.append(layer.first)
        return original(self, tape, layer, seat)

    decks = fresh(fast, 3, COUNT + 2)
    cards = tuple(range(COUNT))
    for operation in (Deal(0, (Portion(0, COUNT),)), Show(0, 0, cards, 2), Pass(0, (Gift(0, 1, cards),))):
        decks.ask(operation)
    decks.settle()
    monkeypatch.setattr(Layers, "draw_secrets", counted)
    for seat in range(3):
        drawn.clear()
        # Who gave them, who holds them and who was shown them.
        assert len(decks.knows(seat)) == COUNT and len(drawn) == 1


def test_an_order_of_many_cards_is_read_in_one_go(fast: Group) -> None:
    decks = fresh(fast, 2, COUNT)
    deck = decks.decks[0]
    cards, key = deck.layers.cards(deck.places.pile), deck.card_keys((0,), 0)
    ordering = Arranging(Peek(0, 0, COUNT, Look.REORDER), Listed(range(COUNT)), cards, None, key, {}, b"")
    assert ordering._places(b"[5,3,1,0,2,4]") == [5, 3, 1, 0, 2, 4]
