"""A seat that is shown two decks to shuffle: what it sends for one is of no use with what it sends for the other."""

from __future__ import annotations

from nodealer.group import Group
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.tape import Tape

from ..kit import field_of
from .kit import OffsetDecks, decks_of

FIELDS = ("deck", "scaled", "key", "commitment", "scaledProof", "proof")


def second_message(decks: OffsetDecks) -> tuple[OffsetDeck, bytes]:
    deck = decks.protocol.new_deck(decks.table, 0, 4, None)
    while not deck.steps:
        deck = decks.step(deck, deck.duties[0])
    return deck, decks.message(deck, deck.duties[0])


def test_another_input_deck_has_other_secrets(group: Group) -> None:
    """Only the first shuffler's tape differs. With one r on two decks, R would be the same, and known relations between
    the inputs would show in the outputs."""
    one, two = decks_of(group, 2), decks_of(group, 2)
    two.tapes[0] = Tape(b"\x07" * 32)
    (deck, said), (other, said_other) = second_message(one), second_message(two)
    values = [
        {data[at : at + 32] for name in FIELDS for data in [field_of(m, name)[len(field_of(m, name)) % 32 :]]
         for at in range(0, len(data), 32)}
        for m in (said, said_other)
    ]  # fmt: skip
    assert not values[0] & values[1]
    secrets = [d.step_secrets(one.tapes[1], 1, d.steps[0].deck) for d in (deck, other)]
    assert all(secrets[0][part] != secrets[1][part] for part in (1, 2))


def test_the_same_input_deck_has_the_same_bytes(group: Group) -> None:
    assert second_message(decks_of(group, 2))[1] == second_message(decks_of(group, 2))[1]
