"""Why the offset, why its proof, why in this order: each as an attack that runs where the piece is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from nodealer.cards.events import Opened
from nodealer.cards.operations import Deal, NewDeck, Open, Portion
from nodealer.errors import CardUnreadable, PeerFault
from nodealer.group import Group, Order, Points, Scalars, concat
from nodealer.proofs.generators import blinding_generator
from nodealer.protocols.base import Duty
from nodealer.protocols.offset.deck import OffsetDeck, OffsetPairs
from nodealer.tape import Tape

from ..kit import changed, cheat, duty_of, encodings, forged, spoken
from . import cheats
from .kit import Forge, OffsetDecks, Unproven, decks_of, played

pytestmark = pytest.mark.sample(reference=1)

M = 6


def scales(group: Group, count: int) -> Scalars:
    """Factors that the cheater chooses."""
    return group.integers(range(1001, 1001 + count))


def rewritten(known_offset: int, order: Sequence[int]) -> Forge:
    """The last shuffler throws the deck away and writes a new one, from the public deal keys, in an order it knows.

    `known_offset` is what it takes the sum of all offsets to be.
    """

    def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        assert deck.start is not None
        group = deck.binding.group
        B = scales(group, M) * group.G
        A = scales(group, M) * (deck.start.A.take(order) + group.integers([known_offset]) * group.G)
        return changed(honest, deck=OffsetPairs(A, B).to_bytes())

    return forge


HONEST = OffsetDeck.step_secrets


def without_offset(deck: OffsetDeck, tape: Tape, seat: int, before: OffsetPairs) -> tuple[Order, Scalars, Scalars]:
    """The offset switched off: everybody's is 1, and everybody knows it. (Zero is refused when it is revealed.)"""
    order, factors, rest = HONEST(deck, tape, seat, before)
    return order, factors, concat(rest[0], deck.binding.group.integers([1]), rest[2])


def opened(decks: OffsetDecks) -> list[int]:
    faces = {event.card.position: event.face for event in decks.events if isinstance(event, Opened)}
    return [faces[position] for position in sorted(faces)]


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_without_offset_and_proof_the_last_shuffler_stacks_the_deck(
    group: Group, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody notices: every card is found exactly once, and the cheater knew every one of them."""
    monkeypatch.setattr(OffsetDeck, "step_secrets", without_offset)
    order = [3, 1, 4, 0, 5, 2]
    forged = {(seats - 1, "shuffle"): rewritten(seats, order)}
    decks = decks_of(group, seats, proven=False, forged=forged)
    decks.make(M)
    decks.ask(Deal(0, (Portion(0, 1), Portion(1, 1))))
    faces = [face for seat in (0, 1) for face in decks.knows(seat).values()]
    assert faces == [order.index(0), order.index(1)]
    decks.ask(Open(0, M - 2))
    assert sorted([*faces, *opened(decks)]) == list(range(M))
    assert opened(decks) == [order.index(deal) for deal in range(2, M)]


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_with_the_offset_the_same_attempt_fails_at_the_first_deal(group: Group, seats: int) -> None:
    """Still without proofs: whatever the cheater takes the others' offsets to be, no card is found, and the trace
    through the decks names it."""
    for guess in (0, seats):
        forged = {(seats - 1, "shuffle"): rewritten(guess, range(M))}
        decks = decks_of(group, seats, proven=False, forged=forged)
        decks.make(M)
        decks.ask(Deal(0, (Portion(0, 1),)))
        with pytest.raises(CardUnreadable):
            decks.knows(0)
        with pytest.raises(PeerFault, match="after its shuffle") as fault:
            decks.ask(Open(0, 1))
        assert fault.value.seat == seats - 1


def test_with_its_own_offset_known_the_cheater_still_lacks_the_others(fast: Group) -> None:
    """The cheater adds its own offset rightly; the offset of one honest seat is enough to fail it."""

    def forge(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        assert deck.start is not None
        step = cheats.offset_step(deck, duty, tape)
        B = scales(fast, M) * fast.G
        return changed(honest, deck=OffsetPairs(scales(fast, M) * (deck.start.A + step.x * fast.G), B).to_bytes())

    decks = decks_of(fast, 2, proven=False, forged={(1, "shuffle"): forge})
    decks.make(M)
    with pytest.raises(PeerFault) as fault:
        decks.ask(Open(0, 1))
    assert fault.value.seat == 1


def test_with_the_proof_it_fails_at_once(fast: Group) -> None:
    """No card has been dealt yet, and no offset revealed."""
    game = played(fast, (NewDeck(0, M),), (Open(0, 1),))
    verdict = cheat(game, 2, "shuffle", rewritten(0, range(M)))
    assert verdict.fault is not None and verdict.fault.seat == 2 and "shuffle proof (offset)" in verdict.reason


# --- The trace through the decks ---


@pytest.mark.parametrize("seats", [2, 3, 5])
@pytest.mark.parametrize("kind", [*cheats.BREAKING, "other offset"])
def test_the_trace_names_the_step_for_every_position_of_the_cheater(fast: Group, kind: str, seats: int) -> None:
    """Without proofs, for this cannot happen with them. In order and in reverse, the cheater in every place: it is
    named, and nobody else, whichever deal is opened first and whether that has no card or two."""
    for cheater in range(seats):
        change = cheats.other_offset if kind == "other offset" else cheats.BREAKING[kind](2)
        for order in (range(1, seats + 1), range(seats, 0, -1)):
            forged = {(cheater, "shuffle"): cheats.false_shuffle(change)}
            decks = decks_of(fast, seats, order=order, proven=False, forged=forged)
            made = decks.make(4)
            faults = 0
            for position in range(4):
                decks.decks[0] = made
                try:
                    decks.ask(Open(0, positions=(position,)))
                except PeerFault as fault:
                    assert fault.seat == cheater
                    faults += 1
            broken = {"doubled": 2, "dropped": 1, "foreign": 1, "own offset": 1, "exchanged": 2, "other offset": 4}
            assert faults == broken[kind]


def test_the_trace_names_the_first_of_two_cheaters(fast: Group) -> None:
    forged = {
        (seat, "shuffle"): cheats.false_shuffle(kind(2)) for seat, kind in ((1, cheats.dropped), (2, cheats.foreign))
    }
    decks = decks_of(fast, 4, proven=False, forged=forged)
    made, named = decks.make(4), []
    for position in range(4):
        decks.decks[0] = made
        try:
            decks.ask(Open(0, positions=(position,)))
        except PeerFault as fault:
            named.append(fault.seat)
    assert sorted(named) in ([1, 2], [1])


def test_a_seat_alone_blames_nobody(fast: Group) -> None:
    """What one seat cannot read is its own claim to make: it says which card, and no more. Nor is a shuffler blamed
    for a wrong tape."""
    decks = decks_of(fast, 3)
    decks.make(4)
    decks.ask(Deal(0, (Portion(1, 1),)))
    with pytest.raises(CardUnreadable) as unreadable:
        decks.decks[0].knows(1, decks.tapes[2])
    assert (unreadable.value.deck, unreadable.value.position) == (0, 0)


@pytest.mark.parametrize("cheater", [0, 1, 2])
def test_at_a_table_without_proofs(fast: Group, cheater: int) -> None:
    """The trace as the replicas of a whole table see it: one fault, of the seat that broke the deck."""
    game = played(fast, (NewDeck(0, 4),), (Open(0, 4),), protocol=Unproven(on=fast))
    forge = cheats.false_shuffle(cheats.foreign(1))
    while batch := game.step():
        for data in batch:
            duty = duty_of(game.state, data)
            if duty is not None and (duty.seat, duty.kind) == (cheater, "shuffle"):
                data = forged(game, duty, data, forge)
                for seat in game.seats.values():
                    if seat.number == cheater:
                        seat._sent[-1] = data
            game.order(data)
        if game.state.fault is not None:
            break
    fault = game.state.fault
    assert fault is not None and fault.seat == cheater and "after its shuffle" in fault.reason


# --- A start deck that is not the joint keys (18) ---


def known_start(group: Group) -> tuple[Scalars, OffsetPairs]:
    keys = group.integers(range(501, 501 + M))
    return keys, OffsetPairs(keys * group.G, group.integers([1] * M) * group.G)


def from_known_keys(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    """The first shuffler starts from keys that it knows, and is honest from there."""
    _, start = known_start(deck.binding.group)
    return cheats.send(deck, duty, tape, cheats.offset_step(deck, duty, tape, start))


def reveal_from_known_keys(deck: OffsetDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    """The offset that belongs to that step."""
    _, start = known_start(deck.binding.group)
    _, _, rest = deck.step_secrets(tape, duty.seat, start)
    return changed(honest, offset=rest[1].to_bytes(), blinding=rest[2].to_bytes())


def test_a_false_start_deck_shows_an_honest_permutation_once_the_offset_is_out(fast: Group) -> None:
    """What happens to a seat that does not verify: with its offset its whole order is read, before a card is dealt."""
    decks = decks_of(fast, 2, proven=False, forged={(0, "shuffle"): from_known_keys})
    decks.forged[0, "revealOffset"] = reveal_from_known_keys
    deck = decks.make(M)
    keys, _ = known_start(fast)
    x = deck.offsets[0] + deck.offsets[1]
    final, honest = deck.steps[1].deck, deck.steps[0].deck
    after = [final.find(keys[deal] + x) for deal in range(M)]
    before = [honest.find(keys[deal] + deck.offsets[0]) for deal in range(M)]
    drawn, _, _ = deck.step_secrets(decks.tapes[1], 1, honest)
    order = drawn.vartime_list()
    assert [order[place] for place in after if place is not None] == before
    # Before the honest offset is out, nothing is found.
    assert [final.find(keys[deal] + deck.offsets[0]) for deal in range(M)] == [None] * M


def test_a_false_start_deck_is_a_fault_before_anybody_answers(fast: Group) -> None:
    game = played(fast, (NewDeck(0, M),), (Open(0, 1),))
    verdict = cheat(game, 0, "shuffle", from_known_keys)
    assert verdict.fault is not None and verdict.fault.seat == 0 and "equality" in verdict.reason


def test_everybody_computes_the_start_deck(fast: Group) -> None:
    """It is in no message, so there is nothing to fake and nothing to prove."""
    decks = decks_of(fast, 3)
    deck = decks.make(4)
    assert deck.start is not None
    joint = deck.parts[0] + deck.parts[1] + deck.parts[2]
    assert joint == deck.start.A and set(encodings(deck.start.B)) == {fast.G.to_bytes()}


# --- Nothing leaves a seat while a shuffle is unverified ---


@pytest.mark.parametrize("cheater", [0, 1, 2])
@pytest.mark.parametrize("kind", ["doubled", "false start", "own factor"])
def test_no_honest_word_after_a_false_shuffle(fast: Group, cheater: int, kind: str) -> None:
    """Seats that verify as late as they may: they take the false shuffle, and see it before they say anything."""
    forge: Forge = from_known_keys
    if kind != "false start":
        forge = cheats.false_shuffle(cheats.SECOND_STAGE[kind](1))
    game = played(fast, (NewDeck(0, M),), (Open(0, 1),))
    for seat in game.seats.values():
        seat.replica.eager = False
    while batch := game.step():
        for data in batch:
            duty = duty_of(game.state, data)
            if duty is None or (duty.seat, duty.kind) != (cheater, "shuffle"):
                game.order(data)
                continue
            false = forged(game, duty, data, forge)
            honest = [seat for seat in game.seats.values() if seat.number != cheater]
            for seat in honest:
                seat.receive(false)
                # Not seen yet: the duty that follows is open, the next shuffle or the offsets.
                assert seat.replica.state.fault is None
                steps = {known.duty.kind for known in seat.replica.state.duties.open.values()}
                assert steps == {"revealOffset" if cheater == 2 else "shuffle"}
            for seat in honest:
                assert not list(spoken(seat.answer_duties())), "it may begin or end, and says nothing about cards"
                assert seat.replica.state.fault is not None and seat.replica.state.fault.seat == cheater
                assert seat.replica.state.expelled == {cheater} and not seat.replica.state.hand.decks
            return
    raise AssertionError("nobody shuffled")


def test_offsets_are_revealed_once_all_shuffles_are_there(fast: Group) -> None:
    """In an honest game the first `revealOffset` comes after the last `shuffle`."""
    game = played(fast, (NewDeck(0, 4),), (Open(0, 1),), seats=5).play()
    shuffles = [place for place, data in enumerate(game.log) if b'"type":"shuffle"' in data]
    reveals = [place for place, data in enumerate(game.log) if b'"type":"revealOffset"' in data]
    assert len(shuffles) == len(reveals) == 5 and max(shuffles) < min(reveals)


# --- The order of the two stages (19) ---


def read_from_logs(logs: Mapping[int, Scalars], R: Points, columns: Sequence[Points]) -> list[list[int]]:
    """Where somebody who knows the logarithms of the input's B column finds every input again: by times R, by plain
    logarithm, and by ratios of two points of a column (found[i] = the places that any test gives)."""
    count = len(logs)
    found: list[set[int]] = [set() for _ in range(count)]
    for column in columns:
        for i in range(count):
            for point in (logs[i] * R, logs[i] * R.group.G):
                found[i] |= {j for j, e in enumerate(encodings(column)) if e == point.to_bytes()}
        for i, k in ((i, k) for i in range(count) for k in range(count) if i != k):
            ratio = logs[k] * logs[i].invert()
            for j, moved in enumerate(encodings(ratio * column)):
                found[i] |= {j} if moved in encodings(column) and moved != encodings(column)[j] else set()
    return [sorted(places) for places in found]


def second_step(group: Group) -> tuple[OffsetDecks, OffsetDeck, Duty, dict[int, Scalars]]:
    """The deck that the second seat has to shuffle, and the logarithms of its B column, which the first one knows."""
    decks = decks_of(group, 2)
    deck = decks.protocol.new_deck(decks.table, 0, M, None)
    while not deck.steps:
        deck = decks.step(deck, deck.duties[0])
    assert deck.start is not None
    order, factors, rest = deck.step_secrets(decks.tapes[0], 0, deck.start)
    logs = rest[0] * factors.take(order)
    assert logs * group.G == deck.steps[0].deck.B
    return decks, deck, deck.duties[0], {i: logs[i] for i in range(M)}


def test_with_the_stages_exchanged_the_b_column_shows_the_permutation(group: Group) -> None:
    """First one r and the permutation, then a factor for each: the deck in between is r times known points."""
    decks, deck, duty, logs = second_step(group)
    step = cheats.offset_step(deck, duty, decks.tapes[1])
    a, b = step.before.A.take(step.order), step.before.B.take(step.order)
    between = OffsetPairs(step.r * (a + step.x * b), step.r * b)
    after = OffsetPairs(step.scales * between.A, step.scales * between.B)
    found = read_from_logs(logs, step.R, [between.B, after.B])
    assert [places[0] for places in found if len(places) == 1] == [step.order.index(i) for i in range(M)]
    # Nor does it help to leave R out: the ratios of the column alone are enough.
    assert read_from_logs(logs, blinding_generator(group), [between.B]) == found


def test_as_built_the_b_column_shows_nothing(group: Group) -> None:
    decks, deck, duty, logs = second_step(group)
    step = cheats.offset_step(deck, duty, decks.tapes[1])
    assert cheats.send(deck, duty, decks.tapes[1], step) == deck.message(duty, decks.tapes[1])
    columns = [step.scaled.B, step.after.B, step.scaled.A, step.after.A]
    assert read_from_logs(logs, step.R, columns) == [[]] * M
    # With the offset, once it is revealed.
    taken_off = step.after.A - step.x * step.after.B
    assert read_from_logs(logs, step.x * step.R, [*columns, taken_off]) == [[]] * M
