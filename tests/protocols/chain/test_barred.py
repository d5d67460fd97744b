"""Who falls silent between the coins and the last opening could be trying again, and does not deal any more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from conformance.harness import Game
from nodealer.cards import NewDeck
from nodealer.errors import BadParameter
from nodealer.group import Group
from nodealer.play.hand import TooFewSeats, _request
from nodealer.play.state import Change
from nodealer.protocols.base import Binding
from nodealer.protocols.chain import Chain
from nodealer.protocols.chain.candidates import CommittingCoins, Proposing, Tossing, Unblinding
from nodealer.protocols.chain.deck import ChainDeck
from nodealer.protocols.chain.making import ChainShuffling
from nodealer.protocols.staged import Stage
from nodealer.tape import Tape

from ..script import ScriptRules
from .kit import DEALER_DECK, PROVEN_DEALER_DECK


def bound(squares: Group, *barred: int, dealer: int | None = None) -> Binding:
    roles = () if dealer is None else (("dealer", dealer),)
    return Binding("chain", 1, bytes(32), bytes(32), 0, (0, 1, 2), roles, squares, barred=frozenset(barred))


def test_who_deals(squares: Group) -> None:
    chain, public = Chain(DEALER_DECK, squares), Chain(on=squares)
    assert chain.new_deck(bound(squares), 0, 4, None).order == (0, 1, 2)
    assert chain.new_deck(bound(squares, 0), 0, 4, None).order == (1, 0, 2)
    assert chain.new_deck(bound(squares, 0, 1), 0, 4, None).order == (2, 0, 1)
    assert chain.new_deck(bound(squares, dealer=2), 0, 4, None).order == (2, 0, 1)
    assert chain.new_deck(bound(squares, 2, dealer=2), 0, 4, None).order == (0, 1, 2)
    with pytest.raises(BadParameter, match="may deal"):
        chain.new_deck(bound(squares, 0, 1, 2), 0, 4, None)
    # With public cards the dealer is only the first to shuffle: there is nothing to try again.
    assert public.new_deck(bound(squares, 0, 1, 2), 0, 4, None).order == (0, 1, 2)


def test_the_odds_are_of_one_attempt(squares: Group) -> None:
    chain = Chain(DEALER_DECK, squares)
    odds = chain.odds(2)
    assert odds is not None and "1 in 2 at each attempt" in odds and "does not deal again" in odds
    assert any("at each attempt" in cheat.cheat for cheat in chain.claims.cheats)


def test_when_a_deck_bars(squares: Group) -> None:
    """From the first open coin to the last opening, and at no other time: who goes, and with it the dealer, whose
    friend it may be. Of two players the other one is no friend."""
    deck = Chain(DEALER_DECK, squares).new_deck(bound(squares), 0, 3, None)
    tapes = {seat: Tape(bytes([seat + 1]) * 32) for seat in range(3)}
    seen: dict[type[Stage], frozenset[int]] = {}
    while owed := [duty for duty in deck.duties if not duty.optional]:
        seen.setdefault(type(deck.stage), deck.bars(frozenset({2, 7})))
        assert seen[type(deck.stage)] == deck.bars(frozenset({2, 7}))
        assert deck.bars(frozenset({7})) == deck.bars(frozenset()) == frozenset()
        assert replace(deck, order=(0, 2)).bars(frozenset({2})) == seen[type(deck.stage)] - {0}
        after = deck.apply(owed[0], deck.message(owed[0], tapes[owed[0].seat])).deck
        assert isinstance(after, ChainDeck)
        deck = after
    both = frozenset({0, 2})
    nobody = frozenset[int]()
    assert seen == {
        Proposing: nobody,
        CommittingCoins: nobody,
        Tossing: both,
        Unblinding: both,
        ChainShuffling: nobody,
    }
    assert deck.bars(frozenset({2})) == nobody


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


def played_to(squares: Group, seat: int, kind: str, *, roles: dict[int, str] | None = None) -> Game:
    """Three seats, of which one says nothing once it owes this, and the others go on without it."""
    rules = ScriptRules.of(((NewDeck(0, 3),),))
    game = Game(Chain(PROVEN_DEALER_DECK, squares), rules, seats=3, seed="barred", hands=2, roles=roles)

    def silence(game: Game) -> bool:
        deck = dealt(game)
        if deck is not None and any((duty.seat, duty.kind) == (seat, kind) for duty in deck.duties):
            game.silent = {seat}
        return owes(seat, kind)(game)

    game.play(until=silence)
    assert owes(seat, kind)(game)
    others = [other for other in range(3) if other != seat]
    for other in others:
        game.order(game.seats[other].without([seat]))
    game.silent = set()
    return game.play(until=lambda g: g.state.hand.number == 1 and dealt(g) is not None)


@pytest.mark.parametrize(("seat", "kind"), [(0, "coin"), (0, "unblind"), (1, "coin")])
def test_a_seat_that_fell_silent_after_the_coins_does_not_deal_again(squares: Group, seat: int, kind: str) -> None:
    """It may sit down again; every replica computes that it is out of the dealers' order."""
    game = played_to(squares, seat, kind, roles={1: "dealer"} if seat == 1 else None)
    assert game.state.barred == {seat} and game.state.faults == ()
    deck = dealt(game)
    assert deck is not None and seat in deck.order and deck.dealer == (1 if seat == 0 else 0)
    assert len(game.digests()) == 1 and game.digests() == {game.replica().digest()}
    assert game.replica().state.hand.binding.barred == {seat}
    assert replace(game.state, barred=frozenset()).digest() != game.state.digest()


def test_a_dealer_whose_friend_fell_silent_after_the_coins_does_not_deal_again(squares: Group) -> None:
    """The friend has seen which deck is picked, and could go as often as it is let in again."""
    game = played_to(squares, 1, "coin")
    assert game.state.barred == {0, 1} and game.state.faults == ()
    deck = dealt(game)
    assert deck is not None and deck.dealer == 2 and {0, 1} < {*deck.order}
    assert len(game.digests()) == 1 and game.digests() == {game.replica().digest()}


@pytest.mark.parametrize("kind", ["candidate", "commit"])
def test_before_the_coins_nobody_is_barred(squares: Group, kind: str) -> None:
    game = played_to(squares, 0, kind)
    assert game.state.barred == frozenset()
    deck = dealt(game)
    assert deck is not None and deck.dealer == 0


def test_where_nobody_may_deal_the_hand_ends(squares: Group) -> None:
    game = played_to(squares, 0, "coin")
    binding = replace(game.state.hand.binding, barred=frozenset({0, 1, 2}))
    state = game.state.with_hand(binding=binding, decks={})
    with pytest.raises(TooFewSeats):
        _request(Change(state), 0, NewDeck(0, 3))
