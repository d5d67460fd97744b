"""Messages of another hand, deck, session, roster or seat: none of them fits, whoever sends it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from conformance.harness import Source
from nodealer.cards.operations import Deal, NewDeck, Open, Portion, Show
from nodealer.errors import BadSignature, EntryRefused, Malformed, PeerFault
from nodealer.group import Group
from nodealer.log.entry import read_entry
from nodealer.proofs.checks import settle
from nodealer.protocols.base import Binding, Duty
from nodealer.protocols.offset import Offset
from nodealer.protocols.offset.deck import OffsetDeck
from nodealer.tape import Tape

from ..decks import tapes_of
from .kit import played, table

OPERATIONS = (Deal(0, (Portion(0, 1), Portion(1, 1))), Open(0, 1), Show(0, 1, (1,)))


def moments(place: Binding, tapes: dict[int, Tape], number: int = 0) -> Iterator[tuple[OffsetDeck, Duty, bytes]]:
    """Every duty of a played deck, with the deck it is owed on and the honest message."""
    deck = Offset(on=place.group).new_deck(place, number, 3, None)
    for operation in (None, *OPERATIONS):
        if operation is not None:
            deck = deck.request(replace(operation, deck=number)).deck  # type: ignore[assignment]
        while deck.duties:
            duty = deck.duties[0]
            message = deck.message(duty, tapes[duty.seat])
            yield deck, duty, message
            deck = deck.apply(duty, message).deck  # type: ignore[assignment]


def accepted(deck: OffsetDeck, duty: Duty, message: bytes) -> bool:
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
    there, number = {
        "hand": (table(fast, hand=1), 0),
        "deck": (table(fast), 1),
        "session": (table(fast, session=b"\x07" * 32), 0),
        "roster": (table(fast, roster=b"\x08" * 32), 0),
        "tapes": (table(fast), 0),
    }[elsewhere]
    foreign = moments(there, tapes_of(3, mark=2 if elsewhere == "tapes" else 1), number)
    both = list(zip(moments(table(fast), tapes_of(3)), foreign, strict=True))
    assert len(both) > 15
    for (deck, duty, honest), (_, same_duty, message) in both:
        assert (duty.seat, duty.kind) == (same_duty.seat, same_duty.kind)
        assert accepted(deck, duty, honest)
        if duty.kind == "dealInitial" or (elsewhere == "tapes" and duty.kind == "requestDealParts"):
            # The dealer's word has nothing secret in it; other key parts are what the dealer could have sent. Those of
            # the others answer the dealer's.
            assert accepted(deck, duty, message)
        else:
            assert not accepted(deck, duty, message), (duty.seat, duty.kind)


def test_from_another_seat_or_step(fast: Group) -> None:
    """Every message of the game sent for every other duty of it, by the seat that owes that one."""
    played_moments = list(moments(table(fast), tapes_of(3)))
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


def test_between_hands(fast: Group) -> None:
    """What a seat said in the first hand, signed again in the second."""
    script = ([NewDeck(0, 2)], [Open(0, 1)])
    game = played(fast, *script, seats=2, hands=2).play()
    bodies = [data for data in game.log if b'"system":"cards"' in data]
    first, second = bodies[: len(bodies) // 2], bodies[len(bodies) // 2 :]
    for old, new in zip(first, second, strict=True):
        entry = read_entry(old).entry
        replica = game.replica(game.log.index(new))
        with pytest.raises(EntryRefused) as refused:
            replica.append(game.by_hand(entry.seat, bytes(entry.body), replica))
        assert refused.value.seat == entry.seat
