"""The doubled card: a rival puts twice a slot into its shuffle and halves it in its lock, so that the owner has a card
twice and another not at all. The honest owner is never named; the books name the rival."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import pytest

from conformance.harness import Game
from nodealer.cards.operations import Close, Deal, NewDeck, Operation, Portion, Show
from nodealer.errors import CardUnreadable
from nodealer.group import Group, Points
from nodealer.protocols.base import Binding, Duty
from nodealer.protocols.duel import Duel, DuelDeck
from nodealer.protocols.duel.bits import Bits
from nodealer.tape import Tape
from nodealer.wire import encode

from ..decks import Decks, tapes_of
from ..kit import changed, field_of, put
from ..script import LastingRules
from .kit import decide, table

SIZE = 5
unproven = pytest.mark.parametrize("mode", ["committed", "xor"])


def changed_bits(card: Any) -> Any:
    """XOR with a secret of the liar's; done twice it is undone."""
    return card * Bits((7,))


def twice(card: Points) -> Points:
    """What the rival makes of a slot, so that no two are equal; with XOR, some other bits."""
    return changed_bits(card) if card.group.name == "xor" else card + card


def half(card: Points) -> Points:
    return changed_bits(card) if card.group.name == "xor" else card.group.integers([2]).invert() * card


def _twice(cards: Points, place: int) -> bytes:
    return twice(cards[place]).to_bytes()


@dataclass(frozen=True)
class Doubling(DuelDeck):
    """A deck of a liar's: the second of `slots` becomes the first once more."""

    liar: int = field(default=-1, kw_only=True)
    slots: tuple[int, int] = field(default=(0, 1), kw_only=True)

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        honest = super().message(duty, tape, choice)
        if duty.seat != self.liar or self.number != 0 or duty.kind not in ("shuffle", "lock"):
            return honest
        data, (one, two) = field_of(honest, "cards"), self.slots
        cards = self.cipher.points(data)
        if duty.kind == "lock" and self.liar == self.owner:
            # The rival has shuffled since: the owner finds the pair by what it is.
            before: Points = self.stage.cards  # type: ignore[attr-defined]
            codes = [before[place].to_bytes() for place in range(len(before))]
            two = next(codes.index(code) for place in range(len(before)) if (code := _twice(before, place)) in codes)
        card = twice(cards[one]) if duty.kind == "shuffle" else half(cards[two])
        return changed(honest, cards=put(data, two, card.to_bytes()))


class Liar(Duel):
    """The protocol of a seat that doubles a card of deck 0: the rival's, or its own."""

    def __init__(self, mode: str, on: Group, liar: int, at: tuple[int, int]) -> None:
        super().__init__(encode({"mode": mode}), on)
        self.lying = {"liar": liar, "slots": at}

    def new_deck(self, table: Binding, deck: int, size: int, owner: int | None) -> DuelDeck:
        honest = super().new_deck(table, deck, size, owner)
        known = {part.name: getattr(honest, part.name) for part in fields(DuelDeck)}
        return Doubling(**known, **self.lying)  # type: ignore[arg-type]


NEW = (NewDeck(0, SIZE, 0), NewDeck(1, 4, 1))
DRAW_ALL = (Deal(0, (Portion(0, SIZE),)),)
PLAY_ALL = tuple((Show(0, 0, (position,)),) for position in range(SIZE))
END = (Close(0), Close(1))
FULL: tuple[tuple[Operation, ...], ...] = (NEW, DRAW_ALL, *PLAY_ALL, END)


def seated(fast: Group, mode: str, *script: tuple[Operation, ...], liar: int = 1, at: tuple[int, int] = (0, 1)) -> Game:
    rules = LastingRules.of(script)
    honest = Duel(encode({"mode": mode}), fast)
    liars = {liar: Liar(mode, fast, liar, at)}
    return Game(honest, rules, seats=2, seed=f"doubled {at}", decide=decide, liars=liars)


def named(game: Game) -> list[int | None]:
    """Play on until the log shows a fault, and say whose."""
    game.play(until=lambda g: bool(g.state.faults))
    return [fault.seat for fault in game.replica().state.faults]


@unproven
@pytest.mark.parametrize("at", [(0, 1), (1, 0), (2, 4)])
def test_an_owner_that_plays_on_is_not_named_and_the_rival_is(fast: Group, mode: str, at: tuple[int, int]) -> None:
    """Its program answers for both places as they are; after the hand both open their books."""
    game = seated(fast, mode, *FULL, at=at)
    assert named(game) == [1], game.replica().state.faults
    fault = game.replica().state.faults[0]
    assert fault.check == "book" and "shuffle is not what its book makes" in fault.reason
    assert game.replica().state.results == (), "nothing of the hand counts"


@unproven
def test_a_deck_that_is_only_shown_at_the_end(fast: Group, mode: str) -> None:
    game = seated(fast, mode, NEW, END)
    assert named(game) == [1]


@unproven
def test_the_card_can_be_claimed(fast: Group, mode: str) -> None:
    """The owner sees it as soon as it holds both, and need not play one: the claim opens the books."""
    game = seated(fast, mode, *FULL)
    game.play(until=lambda g: 0 in g.state.hand.decks and len(g.state.hand.decks[0].places.hand(0)) == SIZE)
    with pytest.raises(CardUnreadable, match="twice") as caught:
        game.seats[0].known_cards()
    game.order(game.seats[0].dispute(caught.value))
    assert named(game) == [1]


def test_an_owner_that_doubles_its_own_card_is_named_by_its_book(fast: Group) -> None:
    """Both places are what it says; the other player sees a face twice on the table, and may claim that too."""
    game = seated(fast, "committed", *FULL, liar=0)

    def shown_twice(game: Game) -> bool:
        opened = list(game.state.hand.decks[0].places.opened.values()) if 0 in game.state.hand.decks else []
        return len(set(opened)) < len(opened)

    game.play(until=shown_twice)
    with pytest.raises(CardUnreadable, match="twice") as caught:
        game.seats[1].known_cards()
    game.order(game.seats[1].dispute(caught.value))
    assert not game.state.faults and game.state.disclosures[0].owing == {0}
    assert named(game) == [0]


@unproven
def test_a_claim_that_nothing_is_twice_is_false(fast: Group, mode: str) -> None:
    decks = Decks(table(fast), tapes_of(2), Duel(encode({"mode": mode}), fast))
    decks.make(SIZE, owner=0)
    deck = decks.ask(Deal(0, (Portion(0, SIZE),)))
    for position in range(SIZE):
        deck = decks.ask(Show(0, 0, (position,)))
    assert sorted(deck.knows(0, decks.tapes[0]).values()) == sorted(deck.knows(1, decks.tapes[1]).values())


def test_the_modes_without_proofs_warn(fast: Group) -> None:
    for mode in ("committed", "xor"):
        assert Duel(encode({"mode": mode}), fast).claims.warning
    assert Duel(on=fast).claims.warning is None
