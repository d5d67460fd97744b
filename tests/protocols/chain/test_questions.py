"""The two questions that the source leaves open, as far as what is built answers them. docs/spec/protocols/chain.md
has both."""

from __future__ import annotations

import pytest

from nodealer.group import Group
from nodealer.proofs import equality
from nodealer.protocols.base import Duty
from nodealer.protocols.chain.deck import ChainDeck
from nodealer.tape import Tape

from ..kit import changed, field_of, put
from .kit import NEW, PROVEN, Forge, deal, exchanged, fault_of, said, small, table, turn


def foreign(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    number = small(deck.binding.group, 99) * deck.binding.group.G
    return changed(honest, numbers=put(field_of(honest, "numbers"), 3, number.to_bytes()))


def power(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    numbers = deck.binding.group.points(field_of(honest, "numbers"))
    return changed(honest, numbers=put(numbers.to_bytes(), 0, (numbers[1] + numbers[1]).to_bytes()))


@pytest.mark.parametrize("lie", [foreign, power])
@pytest.mark.parametrize("liar", [0, 1, 2])
def test_all_numbers_can_be_checked_at_the_beginning(fast: Group, liar: int, lie: Forge) -> None:
    """With `proven`: whatever a seat does to the numbers is a fault before a card is drawn."""
    game = table(fast, NEW, deal({1: (0,)}), lies={liar: {"shuffle": lie}}, parameters=PROVEN).play()
    fault = fault_of(game)
    assert (fault.seat, fault.entry) == (liar, said(game, liar, "shuffle")[0][0])
    assert not any(said(game, seat, "pass") for seat in range(3))


def test_but_not_the_names(fast: Group) -> None:
    """That a name was hashed from the one that its number came from is seen when the card is looked up, not before."""

    def swap(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, names=exchanged(field_of(honest, "names"), 32, 0, 1))

    game = table(fast, NEW, turn(0), lies={1: {"shuffle": swap}}, parameters=PROVEN, seed="names")
    game.play(until=lambda g: bool(said(g, 2, "pass")))
    assert game.state.fault is None
    # The card that was looked up may be another one; over the whole deck it is found.
    whole = table(
        fast, NEW, turn(0, 1, 2, 3, 4, 5), lies={1: {"shuffle": swap}}, parameters=PROVEN, seed="names"
    ).play()
    fault = fault_of(whole)
    assert (fault.seat, fault.entry) == (1, said(whole, 1, "pass")[0][0])


def test_players_commit_to_their_decryptions(fast: Group) -> None:
    """g^K with the first deck: every later decryption is the only one that its key makes, or is refused at once."""
    for lie in (another_key, another_number):
        game = table(fast, NEW, deal({2: (0,)}), lies={0: {"pass": lie}}).play()
        fault = fault_of(game)
        assert (fault.seat, fault.entry) == (0, said(game, 0, "pass")[0][0])


def another_key(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    group = deck.binding.group
    key, given = small(group, 3), deck.stage.tracks[0].number  # type: ignore[attr-defined]
    bare = key.invert() * given
    proof = equality.prove_equality(deck.transcript(duty, 0), tape, key * group.G, bare, given, key)
    return changed(honest, numbers=bare.to_bytes(), proof=proof)


def another_number(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    group = deck.binding.group
    return changed(honest, numbers=(group.points(field_of(honest, "numbers")) + group.G).to_bytes())


def test_a_key_that_nobody_knows_is_no_commitment(fast: Group) -> None:
    def forge(deck: ChainDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, key=(fast.points(field_of(honest, "key")) + fast.G).to_bytes())

    game = table(fast, NEW, lies={2: {"shuffle": forge}}).play()
    fault = fault_of(game)
    assert fault.seat == 2 and "knowledge" in fault.reason
