"""Messages of another hand, deck, epoch, session, roster or seat: none of them fits, whoever sends it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.harness import Source
from nodealer.cards.operations import Deal, NewDeck, Open, Place, Portion, Return
from nodealer.errors import BadSignature, EntryRefused, Malformed, PeerFault
from nodealer.group import Group
from nodealer.proofs.checks import settle
from nodealer.protocols.base import Duty
from nodealer.protocols.mask import Mask
from nodealer.protocols.mask.deck import MaskDeck

from ..decks import Decks
from .kit import decks_on, played, table

OPERATIONS = (
    Deal(0, (Portion(0, 1), Portion(1, 1))),
    Return(0, (0,), Place.TOP),
    Return(0, (1,), Place.SHUFFLED),
    Return(0, (), Place.SHUFFLED),
    Open(0, 1),
)


def moments(decks: Decks[MaskDeck], number: int = 0) -> Iterator[tuple[MaskDeck, Duty, bytes]]:
    """Every duty of a played deck, with the deck it is owed on and the honest message."""
    deck = Mask(on=decks.table.group).new_deck(decks.table, number, 3, None)
    for operation in (None, *OPERATIONS):
        if operation is not None:
            deck = deck.request(replace(operation, deck=number)).deck  # type: ignore[assignment]
        while deck.duties:
            duty = deck.duties[0]
            message = deck.message(duty, decks.tapes[duty.seat])
            yield deck, duty, message
            deck = deck.apply(duty, message).deck  # type: ignore[assignment]


def accepted(deck: MaskDeck, duty: Duty, message: bytes) -> bool:
    try:
        settle(deck.apply(duty, message).checks, Source("weights"))
    except Malformed:
        return False
    except PeerFault as fault:
        assert fault.seat == duty.seat
        return False
    return True


@pytest.mark.parametrize("elsewhere", ["hand", "deck", "session", "roster", "tapes"])
def test_from_elsewhere(fast: Group, elsewhere: str) -> None:
    """The same seats with the same seeds, in the same place of another game."""
    here = decks_on(table(fast))
    others = {
        "hand": (table(fast, hand=1), 0),
        "deck": (table(fast), 1),
        "session": (table(fast, session=b"\x07" * 32), 0),
        "roster": (table(fast, roster=b"\x08" * 32), 0),
        "tapes": (table(fast), 0),
    }
    there, number = others[elsewhere]
    foreign = decks_on(there, mark=2 if elsewhere == "tapes" else 1)
    both = list(zip(moments(here), moments(foreign, number), strict=True))
    assert len(both) > 25
    for (deck, duty, honest), (_, same_duty, message) in both:
        assert (duty.seat, duty.kind) == (same_duty.seat, same_duty.kind)
        assert accepted(deck, duty, honest)
        if elsewhere == "tapes" and duty.kind == "shuffle" and duty.seat == 0:
            # Another honest shuffle of the same bare faces: that is what this seat could have sent.
            assert accepted(deck, duty, message)
        else:
            assert not accepted(deck, duty, message), (duty.seat, duty.kind)


def test_from_another_seat_or_epoch(fast: Group) -> None:
    """Every message of the game sent for every other duty of it, by the seat that owes that one."""
    played_moments = list(moments(decks_on(table(fast))))
    for index, (deck, duty, honest) in enumerate(played_moments):
        for other, (_, _, message) in enumerate(played_moments):
            if message != honest:
                assert not accepted(deck, duty, message), (index, other)


def test_between_tables(fast: Group) -> None:
    """Entries of one table on the log of another, of the same people and the same game."""
    script = ([NewDeck(0, 2)], [Open(0, 1)])
    one = played(fast, *script, seats=2, seed="one").play()
    two = played(fast, *script, seats=2, seed="two").play()
    replica = one.replica(0)
    for data in two.log:
        before = replica.digest()
        with pytest.raises((BadSignature, EntryRefused)):
            replica.append(data)
        assert replica.digest() == before
