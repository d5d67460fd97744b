"""Who goes between the coins and the last opening could be trying again, for itself or for a friend: nobody does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
import pytest

from conformance.harness import Game
from nodealer.cards.operations import NewDeck
from nodealer.engine.hand import _present_binding
from nodealer.engine.phases import Phase
from nodealer.group import Group
from nodealer.protocols.base import Binding
from nodealer.protocols.chain import Chain
from nodealer.protocols.chain.candidates import CommittingCoins, OpeningCoins, OpeningDecks, Proposing
from nodealer.protocols.chain.deck import ChainDeck
from nodealer.protocols.chain.parameters import KAPPA
from nodealer.protocols.chain.shuffle import ChainShuffling
from nodealer.protocols.stages import AnyStage
from nodealer.tape import Tape

from ..script import ScriptRules
from .kit import DEALER_DECK, PROVEN_DEALER_DECK


def bound(squares: Group, *tried: int, dealer: int | None = None) -> Binding:
    roles = () if dealer is None else (("dealer", dealer),)
    return Binding("chain", 1, bytes(32), bytes(32), 0, (0, 1, 2), roles, squares, tried=frozenset(tried))


def test_who_deals(squares: Group) -> None:
    chain = Chain(DEALER_DECK, squares)
    assert chain.new_deck(bound(squares), 0, 4, None).order == (0, 1, 2)
    assert chain.new_deck(bound(squares, dealer=2), 0, 4, None).order == (2, 0, 1)
    assert chain.new_deck(bound(squares, dealer=7), 0, 4, None).order == (0, 1, 2)


@pytest.mark.parametrize("parameters", [DEALER_DECK, PROVEN_DEALER_DECK])
def test_once_somebody_has_tried_the_cards_are_public(squares: Group, parameters: bytes) -> None:
    """Whoever it was, and whoever deals."""
    chain = Chain(parameters, squares)
    agreed, after = (chain.new_deck(bound(squares, *tried), 0, 4, None) for tried in ((), (2,)))
    assert agreed.parameters == chain.chosen and agreed.public is None
    assert (
        after.parameters == msgspec.structs.replace(chain.chosen, deck="public", kappa=KAPPA)
        and after.public is not None
    )
    assert isinstance(after.stage, ChainShuffling) and after.trail != agreed.trail


def test_the_odds_are_of_one_attempt(squares: Group) -> None:
    chain = Chain(DEALER_DECK, squares)
    odds = chain.claims.odds(2)
    assert odds is not None and "1 in 2 at each attempt" in odds and "From then on the cards" in odds
    assert any("at each attempt" in cheat.cheat for cheat in chain.claims.cheats)


def test_when_chance_is_seen(squares: Group) -> None:
    """From the last commitment to a coin to the last opening, and at no other time."""
    deck = Chain(DEALER_DECK, squares).new_deck(bound(squares), 0, 3, None)
    tapes = {seat: Tape(bytes([seat + 1]) * 32) for seat in range(3)}
    seen: dict[type[AnyStage], bool] = {}
    while owed := [duty for duty in deck.duties if not duty.optional]:
        seen.setdefault(type(deck.stage), deck.outcome_seen)
        assert seen[type(deck.stage)] == deck.outcome_seen
        after = deck.apply(owed[0], deck.message(owed[0], tapes[owed[0].seat])).deck
        assert isinstance(after, ChainDeck)
        deck = after
    seen_in = {stage for stage, tossed in seen.items() if tossed}
    assert seen_in == {OpeningCoins, OpeningDecks} and {*seen} - seen_in == {Proposing, CommittingCoins, ChainShuffling}
    assert not deck.outcome_seen


# --- At a table ---


def dealt(game: Game) -> ChainDeck | None:
    deck = game.state.hand.decks.get(0)
    assert deck is None or isinstance(deck, ChainDeck)
    return deck


def owes(seat: int, kind: str) -> Callable[[Game], bool]:
    """Whether a seat is asked for a message of this kind, and the others have said theirs."""

    def asked(game: Game) -> bool:
        deck = dealt(game)
        return deck is not None and [(duty.seat, duty.kind) for duty in deck.duties] == [(seat, kind)]

    return asked


def table(squares: Group, *, seats: int = 3, roles: dict[int, str] | None = None) -> Game:
    rules = ScriptRules.of(((NewDeck(0, 3),),))
    return Game(Chain(PROVEN_DEALER_DECK, squares), rules, seats=seats, seed="tried", hands=2, roles=roles)


def played_to(squares: Group, seat: int, kind: str) -> Game:
    """Three seats, of which one says nothing once it owes this, and the others go on without it."""
    game = table(squares)

    def silence(game: Game) -> bool:
        deck = dealt(game)
        if deck is not None and any((duty.seat, duty.kind) == (seat, kind) for duty in deck.duties):
            game.silent = {seat}
        return owes(seat, kind)(game)

    game.play(until=silence)
    assert owes(seat, kind)(game)
    others = [other for other in range(3) if other != seat]
    for other in others:
        game.order(game.seats[other].vote_skip([seat]))
    game.silent = set()
    return game.play(until=lambda g: g.state.hand.number == 1 and dealt(g) is not None)


@pytest.mark.parametrize(("seat", "kind"), [(0, "coin"), (0, "unblind"), (1, "coin")])
def test_who_fell_silent_after_the_coins_has_no_other_ones(squares: Group, seat: int, kind: str) -> None:
    """Be it the dealer or a friend: they may play on, and every replica computes that the cards are public."""
    game = played_to(squares, seat, kind)
    assert game.state.tried == {seat} and game.state.faults == ()
    deck = dealt(game)
    assert deck is not None and deck.dealer == 0 and {*deck.order} == {0, 1, 2} and deck.public is not None
    assert len(game.digests()) == 1 and game.digests() == {game.replica().digest()}
    assert game.replica().state.hand.binding.tried == {seat}
    assert replace(game.state, tried=frozenset()).digest() != game.state.digest()
    # It is played to its end, and so is a deck that is asked for in a hand that somebody has left.
    game.play()
    assert game.state.phase is Phase.ENDED and game.state.faults == ()
    after = replace(game.state, gone=frozenset({1}), tried=frozenset({1}))
    assert _present_binding(after).tried == {1}


def test_a_friend_without_cards_has_seen_the_coins_too(squares: Group) -> None:
    """A member with a role that nobody needs begins hands and may leave: a try again for as long as it likes."""
    game = table(squares, seats=4, roles={3: "server"})
    game.play(until=lambda game: (deck := dealt(game)) is not None and deck.outcome_seen)
    game.order(game.seats[3].leave())
    assert game.state.tried == {3}
    game.play(until=lambda game: game.state.hand.number == 1 and dealt(game) is not None)
    deck = dealt(game)
    assert deck is not None and deck.public is not None


@pytest.mark.parametrize("kind", ["candidate", "commit"])
def test_before_the_coins_nobody_has_tried(squares: Group, kind: str) -> None:
    game = played_to(squares, 0, kind)
    assert game.state.tried == frozenset()
    deck = dealt(game)
    assert deck is not None and deck.dealer == 0 and deck.public is None
