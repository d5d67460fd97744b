"""The worked example of the source, symbolically and with numbers, and what our deck makes of the same operations."""

from __future__ import annotations

import json

import pytest

from nodealer.cards.operations import Open
from nodealer.group import Group, concat

from .kit import fresh
from .polynomials import ONE, ZERO, Poly, symbol
from .source import SECRETS, SYMBOLIC, VECTOR, SourceCard, example, vector


def test_vector_is_the_source(group: Group) -> None:
    recorded = json.loads(VECTOR.read_text())
    assert recorded == vector()
    steps = [{"step": name, **card.encoded()} for name, card in example(group, recorded["secrets"])]
    assert steps == recorded["steps"]


def test_numbers_are_the_formulas(group: Group) -> None:
    """Every point of the example is the exponent that the source writes down, times G."""
    values = {("m" if name == "msg" else name): value for name, value in SECRETS.items()}
    for name, card in example(group, SECRETS):
        for point, formula in zip((card.msg, card.pk, card.epk), SYMBOLIC[name], strict=True):
            assert point == group.integers([eval(formula, {}, values)]) * group.G


def test_symbolic() -> None:
    """The three operations on symbols give the source's formulas, step by step."""
    names = {name: symbol(name) for name in ("m", "s1", "s2", "r1", "r2")} | {"ZERO": ZERO}
    msg, pk, epk = names["m"], ZERO, ZERO
    walk = [("init", (msg, pk, epk))]
    for step, kind, name in (
        ("add player 1", "add", "s1"),
        ("mask with r1", "mask", "r1"),
        ("add player 2", "add", "s2"),
        ("mask with r2", "mask", "r2"),
        ("unmask by player 1", "take", "s1"),
        ("unmask by player 2", "take", "s2"),
    ):
        x = names[name]
        if kind == "mask":
            msg, epk = msg + x * pk, epk + x * ONE
        else:
            sign = ONE if kind == "add" else -ONE
            msg, pk = msg + sign * x * epk, pk + sign * x * ONE
        walk.append((step, (msg, pk, epk)))
    walk.append(("cleared", (msg, pk, ZERO)))
    for step, card in walk:
        assert card == tuple(_formula(text, names) for text in SYMBOLIC[step]), step


def _formula(text: str, names: dict[str, Poly]) -> Poly:
    value = eval(text.replace("0", "ZERO"), {}, names)
    assert isinstance(value, Poly)
    return value


@pytest.mark.parametrize("seats", [2, 3])
def test_our_cards_unmask_as_the_source_says(group: Group, seats: int) -> None:
    """A card of ours, with the sum of its keys as pk, is a card of the source: its unmasking ends at a bare face."""
    decks = fresh(group, seats, 2)
    deck = decks.decks[0]
    layer = deck.layers.all_layers[0]
    for position in range(2):
        cards = deck.layers.cards((position,))
        pk = concat(*(layer.keys[seat][position] for seat in range(seats))).sum()
        card = SourceCard(cards.msg, pk, cards.epk)
        for seat in range(seats):
            assert card.pk.first_identity() is None
            assert card.msg.to_bytes() not in deck.faces.index
            card = card.unmask(deck.layers.draw_secrets(decks.tapes[seat], layer, seat)[position])
        face = deck.faces.index[card.cleared().msg.to_bytes()]
        opened = deck if position == 0 else decks.decks[0]
        decks.decks[0] = opened
        assert decks.ask(Open(0, positions=(position,))).places.opened[position] == face
