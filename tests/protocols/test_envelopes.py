"""Envelopes alone: nobody reads one before it is opened, and nobody opens another than was closed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from backends import FASTEST
from nodealer.cards.events import Event, Finished, Unsealed
from nodealer.cards.operations import SEALED_MAX, NewDeck, Operation, Random, Seal, Unseal
from nodealer.errors import BadParameter, Malformed, PeerFault
from nodealer.group import group
from nodealer.protocols.base import DeckChange
from nodealer.protocols.envelopes import SEAL, UNSEAL, Envelopes, Sealing, Unsealing
from nodealer.wire import encode

from .decks import binding, tapes_of

TAPES = tapes_of(3)
BIDS: Mapping[int, bytes] = {0: b"7", 1: b"", 2: b"x" * SEALED_MAX}


def envelopes(*, hand: int = 0, number: int = 8) -> Envelopes:
    return Envelopes(binding("mask", group(backend=FASTEST), 3, hand=hand), number)


def after(change: DeckChange) -> Envelopes:
    assert isinstance(change.deck, Envelopes)
    return change.deck


def sealed(one: Envelopes | None = None, bids: Mapping[int, bytes] = BIDS) -> Envelopes:
    one = after((one or envelopes()).request(Seal(8)))
    for seat, value in bids.items():
        duty = next(duty for duty in one.duties if duty.seat == seat)
        assert duty.kind == SEAL and duty.choice
        one = after(one.apply(duty, one.message(duty, TAPES[seat], value)))
    return one


def opened(one: Envelopes, bids: Mapping[int, bytes] = BIDS) -> tuple[Envelopes, tuple[Event, ...]]:
    change = one.request(Unseal(8))
    one, events = after(change), change.events
    for duty in one.duties:
        assert duty.kind == UNSEAL and not duty.choice
        change = one.apply(duty, one.message(duty, TAPES[duty.seat], bids[duty.seat]))
        one, events = after(change), (*events, *change.events)
    return one, events


def test_what_was_sealed_is_what_is_opened() -> None:
    one, events = opened(sealed())
    assert events == (*(Unsealed(8, seat, value) for seat, value in BIDS.items()), Finished(Unseal(8)))
    # And once more at the same place.
    assert opened(sealed(one, {0: b"a", 1: b"b", 2: b"c"}), {0: b"a", 1: b"b", 2: b"c"})[1][0] == Unsealed(8, 0, b"a")


def test_an_envelope_says_nothing_about_its_length_or_about_an_equal_one() -> None:
    one = sealed(bids={0: b"7", 1: b"7", 2: b"7" * 1000})
    assert len({len(said) for said in one.closed.values()}) == 1
    assert len(set(one.closed.values())) == 3
    again = sealed(opened(one, {0: b"7", 1: b"7", 2: b"7" * 1000})[0], {0: b"7", 1: b"7", 2: b"7"})
    assert not set(one.closed.values()) & set(again.closed.values())
    assert not set(one.closed.values()) & set(sealed(envelopes(hand=1)).closed.values())


def test_an_unsealing_recalls_the_choice() -> None:
    one = after(envelopes().request(Seal(8)))
    sealing = {duty.seat: duty.id for duty in one.duties}
    for duty in after(sealed().request(Unseal(8))).duties:
        assert duty.recalls == sealing[duty.seat] == duty.chosen


@pytest.mark.parametrize("spoilt", [{"value": b"8"}, {"value": b""}, {"salt": bytes(32)}])
def test_another_value_or_salt_names_its_seat(spoilt: Mapping[str, bytes]) -> None:
    one = after(sealed().request(Unseal(8)))
    duty = one.duties[0]
    honest = {"salt": TAPES[0].draw("seal", b"", size=32), "value": b"7"}
    with pytest.raises(PeerFault, match="not the one it sealed") as fault:
        one.apply(duty, encode(Unsealing(**{**honest, **spoilt})))
    assert fault.value.seat == 0


def test_a_copied_envelope_opens_to_nothing() -> None:
    one = after(envelopes().request(Seal(8)))
    said = one.message(one.duties[0], TAPES[0], b"7")
    for _ in range(2):
        one = after(one.apply(one.duties[0], said))
    one = after(one.apply(one.duties[0], one.message(one.duties[0], TAPES[2], b"1")))
    one = after(one.request(Unseal(8)))
    first, second, _ = one.duties
    opening = one.message(first, TAPES[0], b"7")
    one.apply(first, opening)
    with pytest.raises(PeerFault):
        one.apply(second, opening)


@pytest.mark.parametrize(
    "message",
    [
        b"",
        encode(Unsealing(bytes(32), b"")),
        encode(Sealing(bytes(31))),
        encode({"type": "seal", "commitment": bytes(32), "more": 1}),
    ],
)
def test_what_is_no_envelope(message: bytes) -> None:
    one = after(envelopes().request(Seal(8)))
    with pytest.raises(Malformed):
        one.apply(one.duties[0], message)


@pytest.mark.parametrize(("salt", "value"), [(31, 1), (33, 1), (32, SEALED_MAX + 1)])
def test_what_is_no_opening(salt: int, value: int) -> None:
    one = after(sealed().request(Unseal(8)))
    with pytest.raises(Malformed):
        one.apply(one.duties[0], encode(Unsealing(bytes(salt), bytes(value))))


def test_nobody_seals_nothing_or_too_much() -> None:
    one = after(envelopes().request(Seal(8)))
    for choice in (None, bytes(SEALED_MAX + 1)):
        with pytest.raises(BadParameter):
            one.message(one.duties[0], TAPES[0], choice)


def test_who_leaves_before_it_has_sealed_is_not_missed() -> None:
    one = after(envelopes().request(Seal(8)))
    for seat in (0, 1):
        one = after(one.apply(one.duties[0], one.message(one.duties[0], TAPES[seat], b"1")))
    change = one.without((2,))
    assert change.events == (Finished(Seal(8)),)
    _, events = opened(after(change), {0: b"1", 1: b"1"})
    assert events[:-1] == (Unsealed(8, 0, b"1"), Unsealed(8, 1, b"1"))


def test_who_leaves_with_a_closed_envelope_takes_it_along() -> None:
    """Before anybody asks for it, and while the others open theirs."""
    _, events = opened(after(sealed().without((1,))))
    assert Unsealed(8, 1, None) in events and Unsealed(8, 0, b"7") in events
    one = after(sealed().request(Unseal(8)))
    one = after(one.apply(one.duties[0], one.message(one.duties[0], TAPES[0], b"7")))
    one = after(one.without((0,)))
    change = one.without((1, 2))
    assert change.events == (
        Unsealed(8, 0, b"7"),
        Unsealed(8, 1, None),
        Unsealed(8, 2, None),
        Finished(Unseal(8)),
    )
    # All are gone: nobody owes anything.
    assert after(sealed().without((0, 1, 2))).request(Unseal(8)).events[-1] == Finished(Unseal(8))


def test_when_all_who_should_seal_leave_there_is_nothing_to_open_and_nothing_wrong() -> None:
    """Were it refused, who leaves before it has sealed would have the hand broken off, and its loss with it."""
    one = after(after(envelopes().request(Seal(8, (1,)))).without((1,)))
    change = one.request(Unseal(8))
    assert change.events == (Finished(Unseal(8)),) and not change.deck.duties
    with pytest.raises(BadParameter):
        change.deck.request(Unseal(8))


@pytest.mark.parametrize("operation", [NewDeck(8, 5), Random(8, (6,)), Unseal(8), Seal(8, (0, 0)), Seal(8, (3,))])
def test_what_cannot_be_asked(operation: Operation) -> None:
    with pytest.raises(BadParameter):
        envelopes().request(operation)


def test_nothing_is_sealed_over_what_is_closed() -> None:
    for one in (sealed(), after(envelopes().request(Seal(8)))):
        with pytest.raises(BadParameter):
            one.request(Seal(8))


def test_digests_tell_every_state() -> None:
    closed = sealed()
    asked = after(closed.request(Unseal(8)))
    some = after(asked.apply(asked.duties[0], asked.message(asked.duties[0], TAPES[0], b"7")))
    states = [envelopes(), after(envelopes().request(Seal(8))), closed, asked, some, opened(closed)[0]]
    states.append(after(closed.without((1,))))
    assert len({one.digest() for one in states}) == 7
