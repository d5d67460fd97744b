"""Draws to every seat and to the table; what is said on the way, and what is not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from conformance.harness import Game, events_of
from nodealer.cards.events import Opened
from nodealer.cards.operations import Deal, NewDeck, Open, Operation, Portion, Show
from nodealer.engine.phases import Phase
from nodealer.group import Group
from nodealer.protocols.chain.lists import name_of

from ..kit import field_of
from .kit import BOOKS, DEALER_DECK, NEW, PROVEN, deal, deck_of, faces, said, show, table, turn


def ended(game: Game) -> Game:
    game.play()
    assert game.state.phase is Phase.ENDED and game.state.fault is None
    assert len(game.digests()) == 1
    return game


@pytest.mark.sample
@pytest.mark.parametrize("parameters", [BOOKS, PROVEN], ids=["books", "proven"])
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_everybody_and_the_table(fast: Group, seats: int, parameters: bytes) -> None:
    """A card each and one open: each seat reads its own, and what is shown is what it read, whoever deals."""
    for dealer in range(seats):
        script: list[Sequence[Operation]] = [
            (NewDeck(0, seats + 2),),
            (Deal(0, tuple(Portion(seat, 1) for seat in range(seats))),),
            (Open(0, 2),),
        ]
        shows = [(Show(0, seat, (seat,)),) for seat in range(seats)]
        seed = f"all {dealer}"
        game = table(fast, *script, *shows, seats=seats, parameters=parameters, dealer=dealer, seed=seed)
        game.play(until=lambda g: bool(said(g, 0, "reveal")))
        held = {seat: faces(game, seat)[seat] for seat in range(seats)}
        opened = deck_of(game).places.opened
        assert sorted({**opened, **held}.values()) == list(range(seats + 2))
        events = {e.card.position: e.face for e in events_of(ended(game).seats[0].replica) if isinstance(e, Opened)}
        assert {position: events[position] for position in held} == held


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_each_destination_alone(fast: Group, seats: int) -> None:
    """For the dealer, the first, a middle and the last player, and the table: who speaks, and how often."""
    for seat in range(seats):
        game = table(fast, NEW, deal({seat: (3, 1)}), show(seat, 1), seats=seats)
        game.play(until=lambda g: bool(g.state.disclosures))
        spoken = {other: len(said(game, other, "pass")) for other in range(seats)}
        # For the deal everybody but the receiver; for the show those before it.
        assert spoken == {other: (other != seat) + (other < seat) for other in range(seats)}
        ended(game)
    game = table(fast, NEW, turn(4, 0), seats=seats).play(until=lambda g: bool(g.state.disclosures))
    assert {other: len(said(game, other, "pass")) for other in range(seats)} == dict.fromkeys(range(seats), 1)


def test_a_whole_deal_is_one_pass(fast: Group) -> None:
    """Twelve cards to six seats: one message of each seat."""
    portions = tuple(Portion(seat, 2) for seat in range(6))
    game = table(fast, (NewDeck(0, 14),), (Deal(0, portions),), seats=6)
    game.play(until=lambda g: bool(g.state.disclosures))
    assert [len(said(game, seat, "pass")) for seat in range(6)] == [1] * 6
    last = said(game, 5, "pass")[0][1]
    assert len(field_of(last, "nonces")) == 10 * 32 and not field_of(last, "numbers")
    first = said(game, 0, "pass")[0][1]
    assert len(field_of(first, "numbers")) == 10 * fast.point_size and not field_of(first, "nonces")


@pytest.mark.parametrize("receiver", [0, 1, 2, 3])
def test_nobody_learns_under_which_name_a_card_was_drawn(fast: Group, receiver: int) -> None:
    """The receiver's nonce and prior name are nowhere in the draw; they come with the show."""
    game = table(fast, NEW, deal({receiver: (2,)}), show(receiver, 2), seats=4)
    game.play(until=lambda g: bool(g.state.hand.decks) and bool(deck_of(g).held))
    deck, index = deck_of(game), deck_of(game).order.index(receiver)
    held, own = deck.held[2], deck.layer_secrets(game.tape(receiver), index)
    nonce = own.nonces[held.place]
    prior = next(name for name, place in deck.names_before(index).items() if place == own.prior[held.place])
    assert name_of(nonce, prior) == deck.layers[index].cards.names[held.place]

    def published() -> bytes:
        passes = [message for seat in range(4) for step in ("pass", "reveal") for _, message in said(game, seat, step)]
        return b"".join(field_of(message, "nonces") + field_of(message, "names") for message in passes)

    before = published()
    assert nonce not in before and prior not in before
    # Nor does anything before the receiver's layer point at the card: no link reaches below it.
    below = b"".join(name for layer in deck.layers[:index] for name in layer.cards.names)
    assert all(before[at : at + 32] not in below for at in range(0, len(before), 32))
    ended(game)
    assert nonce in published() and prior in published()


@pytest.mark.parametrize("parameters", [BOOKS, PROVEN, DEALER_DECK], ids=["books", "proven", "dealer"])
def test_on_the_squares(squares: Group, parameters: bytes) -> None:
    """The same at 2048 bits, with cards for the dealer, a player and the table."""
    game = table(squares, (NewDeck(0, 4),), deal({0: (0,), 1: (1,)}), turn(2, 3), show(0, 0), show(1, 1), seats=2,
                 parameters=parameters)  # fmt: skip
    game.play(until=lambda g: bool(g.state.hand.decks) and bool(deck_of(g).held))
    held = faces(game, 0, 1)
    ended(game)
    opened = {e.card.position: e.face for e in events_of(game.seats[0].replica) if isinstance(e, Opened)}
    assert sorted(opened.values()) == [0, 1, 2, 3]
    assert {position: opened[position] for position in held} == held
