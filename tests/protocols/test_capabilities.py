"""What a protocol claims is what it has: a game that takes just one capability more is played, or never begins."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from backends import FASTEST
from conformance.clear import ClearProtocol
from conformance.harness import Game, Source
from nodealer.cards.operations import (
    WITHOUT_CARDS,
    Capability,
    Close,
    Deal,
    Gift,
    Look,
    Mix,
    NewDeck,
    Open,
    Operation,
    Pass,
    Peek,
    Place,
    Portion,
    Prove,
    Random,
    Return,
    Seal,
    Show,
    needed_capabilities,
)
from nodealer.client.local_table import seat_players
from nodealer.engine.phases import Phase
from nodealer.errors import BadParameter
from nodealer.group import group
from nodealer.protocols import MODES, make_protocol
from nodealer.protocols.base import CardProtocol, Deck

from .decks import Decks, binding, tapes_of
from .script import ScriptRules

#: Modes whose cost depends on a number: with the smallest.
CHEAP = {
    b'{"deck":"dealer"}': b'{"deck":"dealer","kappa":1}',
    b'{"deck":"dealer","proven":false}': b'{"deck":"dealer","kappa":1,"proven":false}',
}
ALL_MODES = [("clear", b"{}"), *((name, parameters) for name, modes in MODES.items() for parameters in modes)]
OWNERS_ONLY = {Capability.OWNED_DECK, *(one for one in Capability if one.value.endswith(":owner"))}

modes = pytest.mark.parametrize(("name", "parameters"), ALL_MODES)
capabilities = pytest.mark.parametrize("capability", Capability, ids=lambda one: one.value)


def made(name: str, parameters: bytes) -> CardProtocol:
    if name == "clear":
        return ClearProtocol(group(backend=FASTEST))
    on = group("modp2048") if b"dealer" in parameters else group(backend=FASTEST)
    return make_protocol(name, CHEAP.get(parameters, parameters), on)


def roles_of(protocol: CardProtocol) -> dict[int, str]:
    """A seat more for each role that the protocol needs."""
    return dict(enumerate(protocol.claims.roles, start=2))


def last_of(capability: Capability) -> Operation | None:
    """The operation that takes this. Seat 0 owns the deck, if a seat does, and holds positions 0 and 1."""
    kind, *how = capability.value.split(":")
    seat = 0 if "owner" in how else 1
    match kind:
        case "deal":
            return Deal(0, (Portion(seat, 1) if "top" in how else Portion(seat, positions=(3,)),))
        case "open":
            return Open(0, 1) if "top" in how else Open(0, positions=(3,))
        case "show":
            return Show(0, 0, (0,), None if "all" in how else 1)
        case "pass":
            return Pass(0, (Gift(0, 1, (0,)),))
        case "prove":
            return Prove(0, ())
        case "return":
            return Return(0, (0,), Place.TOP, depth=1) if "depth" in how else Return(0, (0,), Place(how[0]))
        case "peek":
            return Peek(0, seat, 2, Look(how[0]))
        case "mix":
            return Mix(0, 0, (0, 1))
        case "close":
            return Close(0)
        case "random":
            return Random(1, (6, 6))
        case "seal":
            return Seal(1)
    return None


def script_of(capability: Capability, *, owned: bool) -> tuple[tuple[Operation, ...], ...]:
    """A deck, cards in a hand where that matters, and the operation."""
    last = last_of(capability)
    deck = (NewDeck(0, 5, 0 if owned else None),)
    if last is None:
        return (deck,)
    hand = (Deal(0, (Portion(0, 2),)),)
    if isinstance(last, Prove):
        return (deck, hand, (Open(0, 1),), (last,))
    return (deck, hand, (last,)) if isinstance(last, Show | Pass | Return | Mix) else (deck, (last,))


def decks_of(capability: Capability, protocol: CardProtocol) -> bool:
    """Whether to try a capability on a deck that has an owner: where it must be one, or the protocol has no other."""
    if capability is Capability.SHARED_DECK:
        return False
    return capability in OWNERS_ONLY or Capability.SHARED_DECK not in protocol.claims.operations


@pytest.mark.parametrize(("name", "parameters"), [mode for mode in ALL_MODES if mode[1] not in CHEAP])
@capabilities
def test_is_played_or_never_begins(name: str, parameters: bytes, capability: Capability) -> None:
    is_played_or_never_begins(name, parameters, capability)


@pytest.mark.sample
@pytest.mark.parametrize(("name", "parameters"), [mode for mode in ALL_MODES if mode[1] in CHEAP])
@capabilities
def test_is_played_or_never_begins_at_great_cost(name: str, parameters: bytes, capability: Capability) -> None:
    is_played_or_never_begins(name, parameters, capability)


def is_played_or_never_begins(name: str, parameters: bytes, capability: Capability) -> None:
    protocol = made(name, parameters)
    owned = decks_of(capability, protocol)
    rules, roles = ScriptRules.of(script_of(capability, owned=owned)), roles_of(protocol)
    assert capability in rules.operations
    if rules.operations <= protocol.claims.operations | WITHOUT_CARDS:
        game = Game(protocol, rules, seats=2 + len(roles), roles=roles).play()
        assert game.state.phase is Phase.ENDED and not game.state.faults and len(game.state.results) == 1
        return
    with pytest.raises(BadParameter, match=f"^{name} cannot .*, which script needs; .* can$"):
        Game(protocol, rules, seats=2 + len(roles), roles=roles)
    # And rightly: whatever is claimed, such a deck is not made, or refuses it.
    (new,), *before = rules.script
    if not needed_capabilities(new, None) <= protocol.claims.operations:
        with pytest.raises(BadParameter):
            new_deck(name, parameters, owned)
        return
    decks = new_deck(name, parameters, owned)
    decks = replace(decks, decks=dict(decks.decks))
    for (operation,) in before[:-1]:
        decks.ask(operation)
    with pytest.raises(BadParameter):
        decks.ask(before[-1][0])


@cache
def new_deck(name: str, parameters: bytes, owned: bool) -> Decks[Deck]:
    """A deck alone, without a table that knows what is claimed."""
    protocol = made(name, parameters)
    roles = tuple((role, seat) for seat, role in roles_of(protocol).items())
    seats = 2 + len(roles)
    decks = Decks[Deck](binding(name, protocol.group, seats, roles=roles), tapes_of(seats), protocol)
    decks.make(5, owner=0 if owned else None)
    return decks


@modes
def test_all_that_is_claimed_is_tried(name: str, parameters: bytes) -> None:
    """No claim hides behind another that is missing."""
    protocol = made(name, parameters)
    tried = {
        capability
        for capability in Capability
        if ScriptRules.of(script_of(capability, owned=decks_of(capability, protocol))).operations
        <= protocol.claims.operations | WITHOUT_CARDS
    }
    assert tried == protocol.claims.operations | WITHOUT_CARDS


@pytest.mark.parametrize(
    ("name", "script", "sentence"),
    [
        (
            "lock",
            script_of(Capability.RETURN_SHUFFLED, owned=False),
            "lock cannot shuffle cards back into the deck, which script needs; mask can",
        ),
        (
            "duel",
            script_of(Capability.DEAL_TOP, owned=False),
            "duel cannot make a deck that all players share or deal the next cards to any player, which script "
            "needs; mask, lock, offset and chain can",
        ),
        (
            "lock",
            script_of(Capability.PEEK_TAKE, owned=False),
            "lock cannot let any player look at the next cards and keep one, which script needs; mask can",
        ),
        (
            "duel",
            script_of(Capability.PEEK_KEEP_BY_OWNER, owned=True),
            "duel cannot let the owner of a deck keep one of its next cards and order the others, which script "
            "needs; no other protocol can",
        ),
        (
            "chain",
            script_of(Capability.PEEK_TAKE_BY_OWNER, owned=True),
            "chain cannot make a deck that belongs to one player or let the owner of a deck look at its next cards and "
            "keep one, which script needs; duel can",
        ),
    ],
)
def test_the_sentence(name: str, script: tuple[tuple[Operation, ...], ...], sentence: str) -> None:
    with pytest.raises(BadParameter) as refused:
        seat_players(["Ada", "Ben"], make_protocol(name), ScriptRules.of(script), Source("sentence"))
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("name", "parameters", "seats", "cards", "sentence"),
    [
        ("duel", b"{}", 3, 5, "duel cannot seat 3 players, only 2; mask, lock, offset and chain can"),
        ("chain", b"{}", 2, 1_001, "chain cannot make decks of 1001 cards, only of 2 to 1000; mask and lock can"),
        (
            "lock",
            b'{"community":"server"}',
            2,
            5,
            "lock needs a seat with the role server; mask, offset and chain can",
        ),
    ],
)
def test_seats_cards_and_roles_have_one_too(
    name: str, parameters: bytes, seats: int, cards: int, sentence: str
) -> None:
    rules = ScriptRules(((NewDeck(0, 5),),), deck_max=cards)
    with pytest.raises(BadParameter) as refused:
        seat_players(["Ada", "Ben", "Cleo"][:seats], make_protocol(name, parameters), rules, Source("sentence"))
    assert str(refused.value) == sentence
