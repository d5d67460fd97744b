"""Tables of `chain` at which some seats lie: their decks say something else than honest ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from conformance.harness import Game
from nodealer.cards.operations import Deal, NewDeck, Open, Operation, Portion, Show
from nodealer.engine.state import Fault
from nodealer.group import Group, Points, Scalars
from nodealer.protocols.base import Binding, Duty
from nodealer.protocols.chain import Chain
from nodealer.protocols.chain.deck import ChainDeck, DealersDeck
from nodealer.tape import Tape

from ..kit import changed, field_of, put, spoken
from ..script import ScriptRules

PROVEN: Final = b"{}"
BOOKS: Final = b'{"proven":false}'
DEALER_DECK: Final = b'{"deck":"dealer","kappa":1,"proven":false}'
PROVEN_DEALER_DECK: Final = b'{"deck":"dealer","kappa":1}'
SIZE: Final = 6

#: From the deck, the duty, the liar's tape and the honest message: what the liar sends.
Forge = Callable[[ChainDeck, Duty, Tape, bytes], bytes]
#: From the deck, one of the dealer's decks and its number: what the dealer makes instead.
Remake = Callable[[ChainDeck, DealersDeck, int], DealersDeck]


@dataclass(frozen=True)
class LyingDeck(ChainDeck):
    """A deck whose owner lies in some steps, and perhaps makes other decks than its tape gives."""

    lies: Mapping[str, Forge] = field(default_factory=dict, repr=False, kw_only=True)
    liar: int = field(default=-1, kw_only=True)
    remake: Remake | None = field(default=None, repr=False, kw_only=True)

    def message(self, duty: Duty, tape: Tape, choice: bytes | None = None) -> bytes:
        honest = super().message(duty, tape, choice)
        forge = self.lies.get(duty.kind) if duty.seat == self.liar else None
        return honest if forge is None else forge(self, duty, tape, honest)

    def dealers_deck(self, tape: Tape, number: int) -> DealersDeck:
        made = super().dealers_deck(tape, number)
        return made if self.remake is None else self.remake(self, made, number)


class LyingChain(Chain):
    """The protocol of a liar."""

    def __init__(
        self, parameters: bytes, on: Group | None, liar: int, lies: Mapping[str, Forge], remake: Remake | None = None
    ) -> None:
        super().__init__(parameters, on)
        self.lying = {"liar": liar, "lies": lies, "remake": remake}

    def new_deck(self, table: Binding, deck: int, size: int, owner: int | None) -> ChainDeck:
        honest = super().new_deck(table, deck, size, owner)
        known = {part.name: getattr(honest, part.name) for part in fields(ChainDeck)}
        return LyingDeck(**known, **self.lying)  # type: ignore[arg-type]


def table(
    on: Group,
    *script: Sequence[Operation],
    seats: int = 3,
    parameters: bytes = BOOKS,
    lies: Mapping[int, Mapping[str, Forge]] | None = None,
    remake: Remake | None = None,
    dealer: int = 0,
    seed: str = "chain",
) -> Game:
    """A table that has not begun to play a script. `remake` changes the decks of the dealer's."""
    told = dict(lies or {})
    if remake is not None:
        told.setdefault(dealer, {})
    liars = {
        seat: LyingChain(parameters, on, seat, said, remake if seat == dealer else None) for seat, said in told.items()
    }
    roles = {dealer: "dealer"} if dealer else None
    return Game(Chain(parameters, on), ScriptRules.of(script), seats=seats, seed=seed, liars=liars, roles=roles)


NEW: Final = (NewDeck(0, SIZE),)


def deal(portions: Mapping[int, Sequence[int]]) -> tuple[Operation, ...]:
    """A deal of given places to seats."""
    return (Deal(0, tuple(Portion(seat, positions=tuple(places)) for seat, places in portions.items())),)


def show(seat: int, *positions: int) -> tuple[Operation, ...]:
    return (Show(0, seat, positions),)


def turn(*positions: int) -> tuple[Operation, ...]:
    return (Open(0, positions=positions),)


def deck_of(game: Game) -> ChainDeck:
    deck = game.state.hand.decks[0]
    assert isinstance(deck, ChainDeck)
    return deck


def fault_of(game: Game) -> Fault:
    """The fault that all honest replicas, eager and lazy, have found."""
    digests = game.digests()
    eager, lazy = game.replica(), game.replica(eager=False)
    lazy.settle()
    assert digests == {eager.digest()} == {lazy.digest()}
    assert eager.state.fault is not None
    return eager.state.fault


def found(game: Game) -> bool:
    """Whether the honest seats have found a fault, once they have looked."""
    for seat in game.honest:
        seat.replica.settle()
    return bool(game.state.faults)


def said(game: Game, seat: int, step: str) -> list[tuple[int, dict[str, Any]]]:
    """The messages of one kind that a seat sent, each with the number of its entry."""
    return [(n, message) for n, by, message in spoken(game.log) if (by, message["type"]) == (seat, step)]


def faces(game: Game, *seats: int) -> dict[int, int]:
    """What these seats know, by position."""
    known: dict[int, int] = {}
    for seat in seats:
        cards = deck_of(game).knows(seat, game.tape(seat))
        known |= {card.position: face for card, face in cards.items()}
    return known


# --- Making messages ---


def exchanged(data: bytes, size: int, one: int, two: int) -> bytes:
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    parts[one], parts[two] = parts[two], parts[one]
    return b"".join(parts)


def small(group: Group, value: int) -> Scalars:
    return group.integers([value])


def with_number(place: int, number: Callable[[ChainDeck, Points], Points]) -> Forge:
    """A shuffle in which one number is another; `number` makes it from the honest ones. The proof is made for them."""

    def forge(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        group = deck.binding.group
        numbers = group.points(field_of(honest, "numbers"))
        return changed(honest, numbers=put(numbers.to_bytes(), place, number(deck, numbers).to_bytes()))

    return forge


def seats_that_spoke(game: Game, since: int) -> set[int]:
    """The seats that said something about cards from this entry on."""
    return {seat for number, seat, _ in spoken(game.log) if number >= since}
