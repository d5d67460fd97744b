"""The misdeal: one card is disclosed first, books are opened second, and a false claim names the claimant."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
from msgspec import Raw

from conformance.harness import Game, stands
from conformance.suite import decoded_strings, eager_and_lazy_agree
from nodealer.cards.operations import NewDeck
from nodealer.engine.bodies import Cards
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome
from nodealer.errors import BadParameter, CardUnreadable, IllegalMove
from nodealer.group import Group, Points
from nodealer.protocols.base import MISDEAL, Duty
from nodealer.protocols.chain.deck import ChainDeck, ContradictedCard
from nodealer.protocols.chain.draw import own_links, prove
from nodealer.protocols.chain.messages import Misdeal
from nodealer.tape import Tape
from nodealer.wire import encode

from ..kit import field_of
from .kit import Forge, deal, deck_of, fault_of, found, said, show, small, table, with_number

HAND = (0, 1, 2, 3)


def fake(deck: ChainDeck, numbers: Points) -> Points:
    return small(deck.binding.group, 12345) * deck.binding.group.G


def disputed(fast: Group, liar: int = 1, victim: int = 2, extra: Mapping[str, Forge] | None = None) -> Game:
    """A table at which `victim` holds a whole deck of which `liar` has made one card up."""
    lies = {liar: {"shuffle": with_number(0, fake), **(extra or {})}}
    game = table(fast, (NewDeck(0, 4),), deal({victim: HAND}), show(victim, 0), lies=lies)
    game.play(until=lambda g: bool(g.state.hand.decks) and bool(deck_of(g).held))
    return game


def claim(game: Game, victim: int = 2) -> CardUnreadable:
    with pytest.raises(CardUnreadable) as caught:
        game.seats[victim].known_cards()
    game.order(game.seats[victim].dispute(caught.value))
    return caught.value


def test_who_has_said_it_and_is_killed_does_not_open_its_book_instead(fast: Group) -> None:
    """What it said may be withheld for long: it is not asked again, as a bot would answer with its book."""
    game = disputed(fast)
    seat = game.seats[2]
    with pytest.raises(CardUnreadable) as caught:
        seat.known_cards()
    before = seat.has_disputed
    seat.dispute(caught.value)
    again = game.seat(game.persons[2], game.log, game.persons[2].journal)
    assert (before, seat.has_disputed, again.has_disputed, again.can_dispute(caught.value)) == (False, True, True, True)


def seeds(game: Game) -> set[int]:
    text = b"".join(decoded_strings(game.log))
    return {seat for seat in game.seats if game.tape(seat).seed in text}


def test_one_card_is_disclosed_and_no_book(fast: Group) -> None:
    for liar in (0, 1):
        game = disputed(fast, liar)
        unreadable = claim(game)
        assert deck_of(game).duties[0].seat == 1 and len(deck_of(game).duties) == 1
        deck, own = deck_of(game), deck_of(game).layer_secrets(game.tape(2), 2)
        game.play(until=found)
        fault = fault_of(game)
        assert (fault.seat, fault.entry) == (liar, said(game, liar, "pass")[-1][0])
        assert not seeds(game)
        ((_, message),) = said(game, 2, "misdeal")
        assert message["positions"] == [unreadable.position]
        # The other three cards of the hand are as secret as before: none of their names below the drawer was said.
        others = {deck.layers[1].cards.names[own.prior[deck.held[p].place]] for p in HAND if p != unreadable.position}
        names = b"".join(
            field_of(m, "names") for seat in (0, 1, 2) for s in ("pass", "misdeal") for _, m in said(game, seat, s)
        )
        assert not any(name in names for name in others)
        # The hand is over; only now the others open their books of it, as after every hand.
        game.play()
        assert stands(game, Phase.ENDED) and seeds(game) == {0, 1, 2} - {liar}
        eager_and_lazy_agree(game)


def test_whoever_will_not_disclose_is_brought_to_open_its_book(fast: Group) -> None:
    """Silence is no fault. Asked for the books, the claimant opens first; who opens none is not dealt in any more."""
    game = disputed(fast)
    unreadable = claim(game)
    game.silent = {1}
    game.play()
    assert stands(game, Phase.PLAYING)
    game.order(game.seats[2].dispute(unreadable))
    game.play()
    assert stands(game, Phase.BETWEEN) and seeds(game) == {0, 2}
    assert game.state.disclosures[0].owing == {1} and not len(game.state.results) and not game.state.faults
    for seat in (0, 2):
        game.order(game.seats[seat].vote_skip([1]))
    assert stands(game, Phase.ENDED) and game.state.gone == {1} and not game.state.faults


def test_or_its_book_names_it(fast: Group) -> None:
    game = disputed(fast)
    unreadable = claim(game)
    game.order(game.seats[2].dispute(unreadable))
    game.play()
    fault = fault_of(game)
    assert (fault.seat, fault.entry) == (1, said(game, 1, "shuffle")[0][0])


def test_nobody_else_is_blamed_by_a_liar_that_passes_the_question_on(fast: Group) -> None:
    """It says another card's nonce and name: its own link is what fails."""

    def other(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        index = deck.order.index(duty.seat)
        links = own_links(deck, deck.layer_secrets(tape, index), index, [1])
        message = json.loads(honest)
        if len(field_of(message, "nonces")) != 32:
            return honest
        return encode(
            message | {"nonces": json.loads(encode(links.nonces[0])), "names": json.loads(encode(links.names[0]))}
        )

    game = disputed(fast, extra={"pass": other})
    claim(game)
    game.play()
    fault = fault_of(game)
    assert fault.seat == 1 and "do not give the name" in fault.reason


# --- False claims ---


def honest_table(fast: Group) -> Game:
    game = table(fast, (NewDeck(0, 4),), deal({2: (0, 1), 1: (2,)}), show(2, 0))
    return game.play(until=lambda g: bool(g.state.hand.decks) and bool(deck_of(g).held))


def forged_claim(game: Game, seat: int, factor: int, positions: tuple[int, ...] = (0,)) -> Outcome:
    """A claim with a number that is the true one to some power, and an honest proof for the true one."""
    replica = game.replica()
    deck = replica.state.hand.decks[0]
    assert isinstance(deck, ChainDeck)
    duty = next(d for d in deck.duties if d.kind == MISDEAL and d.seat == seat)
    index, tape = deck.order.index(seat), game.tape(seat)
    own = deck.layer_secrets(tape, index)
    links = own_links(deck, own, index, [deck.held[position].place for position in positions])
    bare = deck.bare(seat, tape, positions)
    images = [*links.images, *(deck.held[position].number for position in positions)]
    proof = prove(deck, duty, tape, own.key, [*links.bases, bare], images)
    numbers = (small(deck.binding.group, factor) * bare).to_bytes()
    body = Misdeal(positions, numbers, b"".join(links.nonces), b"".join(links.names), proof)
    outcome = replica.append(game.by_hand(seat, Cards(duty.id, Raw(encode(body))), replica)).outcome
    fault = replica.state.fault
    assert fault is not None and (fault.seat, fault.entry) == (seat, replica.height - 1)
    return outcome


def test_a_false_claim_names_the_claimant(fast: Group) -> None:
    """With the true number everybody sees a card; with another one the proof is false. Nobody else says a word."""
    game = honest_table(fast)
    assert forged_claim(game, 2, 1) is Outcome.FAULT
    assert forged_claim(game, 2, 3) is Outcome.FAULT
    assert forged_claim(game, 2, 1, (0, 1)) is Outcome.FAULT
    assert forged_claim(game, 1, 1, (2,)) is Outcome.FAULT


def test_an_honest_seat_has_nothing_to_claim(fast: Group) -> None:
    game = honest_table(fast)
    deck = deck_of(game)
    for duty in (duty for duty in deck.duties if duty.kind == MISDEAL):
        assert duty.optional
        with pytest.raises(BadParameter, match="no misdeal to report"):
            deck.message(duty, game.tape(duty.seat))
    with pytest.raises((IllegalMove, BadParameter)):
        game.seats[2].dispute(CardUnreadable(0, 0, "I do not like it"))


def test_a_claim_about_cards_of_others(fast: Group) -> None:
    game = honest_table(fast)
    replica = game.replica()
    duty = next(d for d in deck_of(game).duties if d.kind == MISDEAL and d.seat == 1)
    for positions in ((0,), (3,), (2, 2), ()):
        size = len(positions)
        number = deck_of(game).held[0].number.to_bytes()
        body = Misdeal(positions, number * size, bytes(32 * size), bytes(32 * size), bytes(129))
        with pytest.raises(Exception, match="hidden cards of the sender"):
            replica.append(game.by_hand(1, Cards(duty.id, Raw(encode(body))), replica))


def test_a_draw_in_progress_does_not_keep_anybody_from_claiming(fast: Group) -> None:
    """What was on its way is dropped, and the disclosure goes on."""
    game = disputed(fast)
    while not any(duty.kind == "reveal" for duty in deck_of(game).duties):
        for data in game.step():
            game.order(data)
    claim(game)
    game.play()
    assert fault_of(game).seat == 1


def test_a_contradiction_that_no_proof_explains(fast: Group) -> None:
    """It cannot be, and if it were: nothing goes on, every seat can say so, and only the books are left."""
    game = honest_table(fast)
    deck = replace(deck_of(game), stage=ContradictedCard(0, "its names lead to another card"))
    assert not deck.duties
    for seat in range(3):
        with pytest.raises(CardUnreadable, match="another card"):
            deck.knows(seat, game.tape(seat))
    with pytest.raises(BadParameter, match="no message is due"):
        deck.stage.apply(deck, deck_of(game).duties[0], b"")


def test_the_dealer_has_nothing_to_claim(fast: Group) -> None:
    """All that it reads is its own layer: a card there that is none is its own making."""
    game = table(fast, (NewDeck(0, 4),), deal({0: (0, 1), 1: (2,)}), show(0, 0))
    game.play(until=lambda g: bool(g.state.hand.decks) and bool(deck_of(g).held))
    assert {duty.seat for duty in deck_of(game).duties if duty.kind == MISDEAL} == {1}
