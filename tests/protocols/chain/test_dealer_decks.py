"""The dealer's decks and the coin: what is opened, what is not, and with which odds. All at 2048 bits."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from conformance.harness import Game, Source
from nodealer.cards.operations import NewDeck, Operation
from nodealer.errors import BadParameter, CardUnreadable, DecodeError, PeerFault
from nodealer.group import Group, concat
from nodealer.proofs.checks import settle
from nodealer.protocols.base import Binding, Duty
from nodealer.protocols.chain import Chain
from nodealer.protocols.chain.candidates import check_opened, pick_candidate
from nodealer.protocols.chain.deck import ChainDeck, DealersDeck, SeatLayer
from nodealer.protocols.chain.lists import Lists, card_number, name_of, value_names
from nodealer.protocols.chain.messages import Unblind
from nodealer.protocols.chain.parameters import ChainParameters, canonical
from nodealer.tape import Tape

from ..kit import changed
from .kit import DEALER_DECK, Remake, deal, deck_of, fault_of, said, show, table, turn

NEW4 = (NewDeck(0, 4),)


def plain_deck(squares: Group, size: int = 4, kappa: int = 1, seats: int = 3) -> ChainDeck:
    table = Binding("chain", 0, bytes(32), bytes(32), 0, tuple(range(seats)), (), squares)
    return Chain(canonical(ChainParameters("dealer", kappa)), squares).new_deck(table, 0, size, None)


def unblinded(made: DealersDeck) -> Unblind:
    values = b"".join(value.to_bytes(2, "big") for value in made.own.prior)
    return Unblind(made.own.key.to_bytes(), values, b"".join(made.own.nonces))


# --- Parameters and claims ---


def test_parameters() -> None:
    assert Chain().parameters == b"{}" and not Chain().claims.open_book_at_end
    assert Chain(b'{"proven":false}').claims.open_book_at_end
    assert Chain(b'{"deck":"dealer","kappa":3,"proven":false}').chosen == ChainParameters("dealer", 3, False)
    for bad in (b'{"deck":"public"}', b'{"kappa":3}', b'{"deck":"dealer","kappa":0}', b'{"deck":"dealer","kappa":21}'):
        with pytest.raises(BadParameter):
            Chain(bad)
    for bad in (b"", b"[]", b'{"decks":1}', b'{"proven":1}', b'{ "proven":false}', b'{"proven":true}'):
        with pytest.raises(BadParameter):
            Chain(bad)


def test_the_dealers_cards_are_numbers(fast: Group) -> None:
    with pytest.raises(BadParameter, match="modp2048"):
        Chain(DEALER_DECK, fast)


@pytest.mark.parametrize("kappa", [1, 8, 20])
def test_the_claims_print_the_true_odds(kappa: int) -> None:
    chosen = ChainParameters("dealer", kappa)
    told = " ".join(cheat.cheat for cheat in Chain(canonical(chosen)).claims.cheats)
    assert f"1 in {kappa + 1} at 2, 1 in {5 * kappa + 1} at 6 seats" in told
    assert "2^" not in told
    assert not [cheat for cheat in Chain().claims.cheats if "odds" in cheat.cheat or "1 in" in cheat.cheat]


# --- Whole tables ---


def test_all_but_the_played_deck_are_opened(squares: Group) -> None:
    game = table(squares, NEW4, turn(0), seats=2, parameters=b'{"deck":"dealer","kappa":3,"proven":false}')
    game.play(until=lambda g: any(known.duty.kind == "pass" for known in g.state.duties.open.values()))
    assert len(said(game, 0, "candidate")) == 4 and len(said(game, 0, "unblind")) == 3
    deck = deck_of(game)
    assert deck.candidate is not None
    assert deck.layers[0].cards.names == deck.dealers_deck(game.tape(0), deck.candidate).lists.names
    # Nothing of the played deck's nonces or key is in what was opened.
    own = deck.dealers_deck(game.tape(0), deck.candidate).own
    assert all(
        name_of(n, value_names(4)[v]) in deck.layers[0].cards.places for n, v in zip(own.nonces, own.prior, strict=True)
    )


def doubled(deck: ChainDeck, made: DealersDeck, number: int) -> DealersDeck:
    """The first value once more in the place of the last, with a nonce of its own."""
    return with_value(deck, made, number, made.own.prior[0])


def with_value(deck: ChainDeck, made: DealersDeck, number: int, value: int) -> DealersDeck:
    group = made.cards.group
    nonce = made.own.nonces[-1]
    while True:
        try:
            card = card_number(group, deck.card_place(number), nonce, value)
            break
        except DecodeError:
            nonce = (int.from_bytes(nonce, "big") + 1).to_bytes(32, "big")
    own = replace(made.own, nonces=(*made.own.nonces[:-1], nonce), prior=(*made.own.prior[:-1], value))
    return Foreign(own, concat(made.cards[:-1], card))


class Foreign(DealersDeck):
    """A deck that may have values that are none."""

    @property
    def lists(self) -> Lists:
        names = value_names(1000)
        chained = (name_of(n, names[v]) for n, v in zip(self.own.nonces, self.own.prior, strict=True))
        return replace(super_lists(self), names=tuple(chained))


def super_lists(made: DealersDeck) -> Lists:
    own = replace(made.own, prior=tuple(range(len(made.cards))))
    return DealersDeck(own, made.cards).lists


def foreign(deck: ChainDeck, made: DealersDeck, number: int) -> DealersDeck:
    return with_value(deck, made, number, 77)


def renamed(deck: ChainDeck, made: DealersDeck, number: int) -> DealersDeck:
    """Names of other nonces."""
    return replace(made, own=replace(made.own, nonces=(*made.own.nonces[1:], made.own.nonces[0])))


@pytest.mark.parametrize("remake", [doubled, foreign, renamed])
def test_a_false_deck_that_is_opened_names_the_dealer(squares: Group, remake: Remake) -> None:
    """A doubled value (so one is missing), a foreign one, nonces that are not the names': all decks alike, so that one
    of them is opened."""
    game = table(squares, NEW4, seats=2, parameters=DEALER_DECK, remake=remake).play()
    fault = fault_of(game)
    assert (fault.seat, fault.entry) == (0, said(game, 0, "unblind")[-1][0]), fault


def only_in(played: int, remake: Remake) -> Remake:
    return lambda deck, made, number: remake(deck, made, number) if number == played else made


def lucky(squares: Group, remake: Remake, *script: tuple[Operation, ...]) -> Game:
    """A table whose dealer was lucky: the one false deck is played."""
    for seed in range(20):
        lie = only_in(0, remake)
        game = table(squares, NEW4, *script, seats=2, parameters=DEALER_DECK, remake=lie, seed=f"lucky {seed}")
        game.play(until=lambda g: bool(g.state.hand.decks) and deck_of(g).candidate is not None)
        if deck_of(game).candidate == 0:
            return game
    raise AssertionError("the coin never fell for this dealer")


def test_a_doubled_value_that_is_played_is_found_when_both_are_seen(squares: Group) -> None:
    """In one hand: the drawer discloses both. On the table: when the second is opened."""
    game = lucky(squares, doubled, turn(0, 1, 2, 3))
    game.play()
    fault = fault_of(game)
    assert fault.seat == 0 and "twice" in fault.reason
    game = lucky(squares, doubled, deal({1: (0, 1, 2, 3)}), show(1, 0, 1, 2, 3))
    game.play(until=lambda g: bool(g.state.hand.decks) and bool(deck_of(g).held))
    with pytest.raises(CardUnreadable, match="twice") as caught:
        game.seats[1].known_cards()
    game.order(game.seats[1].dispute(caught.value))
    game.play()
    fault = fault_of(game)
    assert fault.seat == 0 and "twice" in fault.reason


def test_a_foreign_value_that_is_played_is_a_misdeal(squares: Group) -> None:
    game = lucky(squares, foreign, deal({1: (0, 1, 2, 3)}), show(1, 0))
    game.play(until=lambda g: bool(g.state.hand.decks) and bool(deck_of(g).held))
    with pytest.raises(CardUnreadable, match="not one of the cards") as caught:
        game.seats[1].known_cards()
    game.order(game.seats[1].dispute(caught.value))
    # The dealer has no answer, and says none; its book has one.
    game.order(game.seats[1].dispute(caught.value))
    game.play()
    fault = fault_of(game)
    assert (fault.seat, fault.entry) == (0, said(game, 0, "candidate")[0][0])


def test_a_coin_that_was_not_committed_to(squares: Group) -> None:
    def forge(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, coin=bytes(32))

    for liar in (0, 1):
        game = table(squares, NEW4, seats=2, parameters=DEALER_DECK, lies={liar: {"coin": forge}}).play()
        fault = fault_of(game)
        assert fault.seat == liar and "committed" in fault.reason


# --- What an opening is held against ---


def test_an_opening_with_another_key_or_number(squares: Group) -> None:
    deck = plain_deck(squares)
    made = deck.dealers_deck(Tape(bytes(32)), 0)
    layer = SeatLayer(0, made.own.key * squares.G, made.lists)
    settle([check_opened(deck, layer, unblinded(made), 0)], Source("w"))
    other = replace(made, own=replace(made.own, key=squares.integers([5])))
    with pytest.raises(PeerFault):
        settle([check_opened(deck, layer, unblinded(other), 0)], Source("w"))
    swapped = replace(layer, cards=replace(layer.cards, numbers=layer.cards.numbers.take([1, 0, 2, 3])))
    with pytest.raises(PeerFault):
        settle([check_opened(deck, swapped, unblinded(made), 0)], Source("w"))
    # One number and another that cancel each other in a sum without weights.
    n = layer.cards.numbers
    cancelling = replace(layer, cards=replace(layer.cards, numbers=concat(n[0] + squares.G, n[1] - squares.G, n[2:])))
    with pytest.raises(PeerFault):
        settle([check_opened(deck, cancelling, unblinded(made), 0)], Source("w"))


def test_the_dealer_draws_nonces_until_the_number_is_a_square(squares: Group) -> None:
    deck = plain_deck(squares, size=6)
    tried = 0
    for number in range(4):
        made = deck.dealers_deck(Tape(bytes(32)), number)
        for nonce, value in zip(made.own.nonces, made.own.prior, strict=True):
            card_number(squares, deck.card_place(number), nonce, value)
    for start in range(40):
        try:
            card_number(squares, deck.card_place(0), start.to_bytes(32, "big"), 1)
        except DecodeError:
            tried += 1
    assert 8 < tried < 32, "about every second one is none"


# --- Odds ---


def source_way(rng: random.Random, players: int, honest: int, kappa: int, honest_first: bool) -> bool:
    """Whether the one false deck is played when each player asks for κ decks, and the others leave it alone."""
    decks = set(range(players * kappa + 1))
    false = rng.choice(sorted(decks))
    order = [True] * honest + [False] * (players - honest)
    for is_honest in order if honest_first else reversed(order):
        choice = sorted(decks) if is_honest else sorted(decks - {false})
        decks -= set(rng.sample(choice, kappa))
    return decks == {false}


@pytest.mark.parametrize(("players", "honest", "kappa"), [(5, 1, 1), (5, 1, 8), (5, 2, 3), (2, 1, 4)])
def test_odds_in_the_way_of_the_source(players: int, honest: int, kappa: int) -> None:
    """Not 2^(−hκ): the honest who choose first leave it to the others, and even the last find it with 1 in hκ + 1."""
    rng, times = random.Random(f"{players} {honest} {kappa}"), 4000
    first = sum(source_way(rng, players, honest, kappa, True) for _ in range(times)) / times
    last = sum(source_way(rng, players, honest, kappa, False) for _ in range(times)) / times
    assert first == pytest.approx(((players - honest) * kappa + 1) / (players * kappa + 1), abs=0.03)
    assert last == pytest.approx(1 / (honest * kappa + 1), abs=0.03)
    assert last > 2 ** -(honest * kappa) or honest * kappa == 1
    if (players, honest) == (5, 1):
        assert first >= 0.77


@pytest.mark.parametrize("kappa", [1, 3])
def test_odds_with_the_joint_coin(kappa: int) -> None:
    """One honest coin among five: each deck is picked as often as any, whatever the others committed to before."""
    candidates, times, source = ChainParameters("dealer", kappa).candidates(6), 6000, Source("coins")
    counts = [0] * candidates
    for _ in range(times):
        coins = {seat: bytes([seat]) * 32 for seat in range(6)} | {3: source(32)}
        counts[pick_candidate(coins, candidates)] += 1
    expected = times / candidates
    assert sum((count - expected) ** 2 / expected for count in counts) < 3 * candidates + 20
    assert max(counts) / times == pytest.approx(1 / candidates, abs=0.03)
