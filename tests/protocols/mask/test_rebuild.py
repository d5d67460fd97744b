"""Every cheat in a rebuild: refused, or a fault of the cheater with its reason.

Four sit at the table and one leaves. Decks never change, so one rebuild serves all cheats; one of each step is tried at
a whole table, where one of the others cheats and two end the hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import pytest
from msgspec import Raw

from conformance.harness import Source, Table
from conformance.leaving import leave, recovered, until_idle
from nodealer.cards.operations import Deal, NewDeck, Open, Operation, Portion
from nodealer.engine.bodies import Cards
from nodealer.engine.replica import Outcome
from nodealer.errors import EntryRefused, Malformed, PeerFault, Undecided
from nodealer.group import Group, Points, Scalars
from nodealer.proofs import equality, linear
from nodealer.proofs.checks import settle
from nodealer.protocols.base import Duty
from nodealer.protocols.mask.deck import MaskDeck, Masked
from nodealer.protocols.mask.messages import MaskHeld, MaskShares, MaskTags
from nodealer.protocols.mask.rebuild import MaskDeclaring, _statement, held_by
from nodealer.protocols.mask.tags import MaskMismatch, Sharing, Tagging, masked
from nodealer.tape import Tape
from nodealer.wire import encode

from .. import kit
from ..kit import changed, cheat, duty_of, element, field_of, messages, put
from . import cheats
from .kit import Forge, deck_of, fresh, lasting, without

SEATS: Final = 4
CARDS: Final = 10
#: Two cards in each hand: seat 1 can declare one of its own for the other.
SCRIPT: Final[tuple[tuple[Operation, ...], ...]] = (
    (NewDeck(0, CARDS), Deal(0, tuple(Portion(seat, 2) for seat in range(SEATS)))),
    (Open(0, 1),),
)
#: All ten faces are hidden, and six cards are held.
TAGGED: Final = CARDS + 6


def rebuilding(group: Group) -> Table:
    """A table that the last seat has just left."""
    game = until_idle(lasting(group, *SCRIPT), 1)
    leave(game, (3,))
    return game


@dataclass(frozen=True)
class Moment:
    """A seat owes a step: the deck then, its tape, and what an honest seat says."""

    deck: MaskDeck
    duty: Duty
    tape: Tape
    honest: bytes


@cache
def moments(group: Group) -> dict[tuple[str, int], Moment]:
    """Every step of a rebuild, by its kind and seat."""
    decks = fresh(group, SEATS, CARDS)
    for request in SCRIPT[0][1:]:
        decks.ask(request)
    deck, found = without(decks, 3), dict[tuple[str, int], Moment]()
    while deck.duties:
        duty = deck.duties[0]
        tape = decks.tapes[duty.seat]
        found[duty.kind, duty.seat] = Moment(deck, duty, tape, deck.message(duty, tape))
        deck = decks.step(deck, duty, found[duty.kind, duty.seat].honest)
    decks.settle()
    return found


def caught(group: Group, forge: Forge, step: str, seat: int) -> PeerFault | Malformed:
    """What a seat's false words are answered with."""
    at = moments(group)[step, seat]
    try:
        settle(at.deck.apply(at.duty, forge(at.deck, at.duty, at.tape, at.honest)).checks, Source("weights"))
    except PeerFault as fault:
        assert fault.seat == seat
        return fault
    except Malformed as refused:
        return refused
    raise AssertionError("nobody notices")


def is_fault(answer: PeerFault | Malformed, reason: str) -> None:
    assert isinstance(answer, PeerFault) and reason in str(answer), answer


def is_refused(answer: PeerFault | Malformed, reason: str) -> None:
    assert isinstance(answer, Malformed) and reason in str(answer), answer


def field(change: Callable[[MaskDeck, Duty, bytes], dict[str, bytes]]) -> Forge:
    """The honest message with other bytes in some of its fields."""
    return lambda deck, duty, tape, honest: changed(honest, **change(deck, duty, honest))


def nudged(data: bytes, group: Group, index: int) -> bytes:
    """An array of points, one of which is another point."""
    return put(data, index, (group.points(element(data, index)) + group.G).to_bytes())


# --- Joining ---


def test_join_with_a_copied_key(fast: Group) -> None:
    forge = field(lambda deck, duty, honest: {"key": deck.stage.said[0].to_bytes()})  # type: ignore[attr-defined]
    is_refused(caught(fast, forge, "join", 1), "another seat's")


def test_join_with_a_key_that_cancels(fast: Group) -> None:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        said = deck.stage.said  # type: ignore[attr-defined]
        return changed(honest, key=(-(said[0] + said[1])).to_bytes())

    is_refused(caught(fast, forge, "join", 2), "the joint key is the identity")


def test_join_with_a_key_whose_secret_nobody_knows(fast: Group) -> None:
    """Chosen so that the joint key is one that the cheater knows."""

    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        said = deck.stage.said  # type: ignore[attr-defined]
        return changed(honest, key=(fast.integers([7]) * fast.G - said[0]).to_bytes())

    is_fault(caught(fast, forge, "join", 1), "proof of knowledge of keys does not verify")


# --- Declaring ---


@dataclass(frozen=True)
class Declared:
    """What a seat says of the cards it holds. A cheat changes some of it; the proof is made as well as it can be."""

    held: Masked
    keys: Points
    s: Scalars
    masks: Scalars
    fresh: Masked

    def with_fresh(self, index: int, *, epk: Points | None = None, msg: Points | None = None) -> Declared:
        cards = Masked(
            self.fresh.epk if epk is None else cheats.replaced(self.fresh.epk, index, epk),
            self.fresh.msg if msg is None else cheats.replaced(self.fresh.msg, index, msg),
        )
        return replace(self, fresh=cards)


def false_held(change: Callable[[Declared, Points], Declared]) -> Forge:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        stage, positions = deck.stage, held_by(deck, duty.seat)
        assert isinstance(stage, MaskDeclaring)
        held, K = deck.held_cards(positions), stage.joint
        s, masks = deck.card_secrets(tape, positions, duty.seat), deck.held_draws(tape, duty.seat, held, K)
        fresh = Masked(masks * K.group.G, held.msg - s * held.epk + masks * K)
        true = Declared(held, deck.card_keys(positions, duty.seat), s, masks, fresh)
        assert _sent(deck, duty, tape, true, K) == honest
        return _sent(deck, duty, tape, change(true, K), K)

    return forge


def _sent(deck: MaskDeck, duty: Duty, tape: Tape, said: Declared, K: Points) -> bytes:
    statement = _statement(said.held, said.keys, said.fresh, K)
    proof = linear.prove(deck.transcript(duty, deck.epoch), tape, statement, [said.s, said.masks])
    return encode(MaskHeld(said.fresh.epk.to_bytes(), said.fresh.msg.to_bytes(), proof))


def another_face(said: Declared, K: Points) -> Declared:
    """Another face of the deck, well masked: one that the cheater would rather hold."""
    return said.with_fresh(0, msg=cheats.any_point(K) + said.masks[0] * K)


def declared_twice(said: Declared, K: Points) -> Declared:
    """One card for both: the other would go back into the deck."""
    face = said.held.msg[1] - said.s[1] * said.held.epk[1]
    return said.with_fresh(0, msg=face + said.masks[0] * K)


def exchanged(said: Declared, K: Points) -> Declared:
    """Both its cards, each in the place of the other."""
    return replace(said, fresh=said.fresh.take([1, 0]), masks=said.masks.take([1, 0]))


def under_another_key(said: Declared, K: Points) -> Declared:
    """The right face, not masked under the joint key."""
    one = said.fresh.msg[1] - said.masks[1] * K + said.masks[1] * K.group.G
    return said.with_fresh(1, msg=one)


def marked(said: Declared, K: Points) -> Declared:
    return said.with_fresh(1, msg=said.fresh.msg[1] + K.group.G)


def mask_of_another(said: Declared, K: Points) -> Declared:
    """epk of which the cheater knows no logarithm: it would have the others decrypt what it chose."""
    return said.with_fresh(0, epk=cheats.any_point(K, b"epk"))


def scaled(said: Declared, K: Points) -> Declared:
    """A multiple of a card: no tag would match, and nobody would know why."""
    epk, msg = said.fresh.epk[0] + said.fresh.epk[0], said.fresh.msg[0] + said.fresh.msg[0]
    return said.with_fresh(0, epk=epk, msg=msg)


HELD: Final = {
    cheated.__name__: cheated
    for cheated in (another_face, declared_twice, exchanged, under_another_key, marked, mask_of_another, scaled)
}


@pytest.mark.parametrize("seat", range(3))
@pytest.mark.parametrize("name", HELD)
def test_another_card_declared(fast: Group, name: str, seat: int) -> None:
    is_fault(caught(fast, false_held(HELD[name]), "held", seat), "proof of held cards, masked anew does not verify")


def test_another_card_declared_on_both_backends(group: Group) -> None:
    is_fault(caught(group, false_held(declared_twice), "held", 1), "held cards")


def test_the_card_of_another_seat_declared(fast: Group) -> None:
    """What another seat has declared, word for word, and its cards with a proof of one's own."""
    theirs = moments(fast)["held", 0].honest
    is_fault(caught(fast, lambda *_: theirs, "held", 1), "held cards")
    cards = {name: field_of(theirs, name) for name in ("epk", "msg")}
    is_fault(caught(fast, field(lambda deck, duty, honest: cards), "held", 1), "held cards")


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_card_left_out_or_added(fast: Group, count: int) -> None:
    """How many a seat holds everybody knows."""

    def sized(deck: MaskDeck, duty: Duty, honest: bytes) -> dict[str, bytes]:
        return {name: (field_of(honest, name) * 2)[: count * 32] for name in ("epk", "msg")}

    is_refused(caught(fast, field(sized), "held", 1), "bytes instead of")


def test_cards_declared_a_second_time(fast: Group) -> None:
    """The duty is fulfilled once: a second word, true or not, answers nothing."""
    game = rebuilding(fast)
    game.play(until=lambda game: any(message["type"] == "held" for _, message in messages(game.log)))
    (seat, message) = messages(game.log)[-1]
    said = next(known for known in game.state.duties.open.values())
    assert said.duty.kind == "held" and seat != said.duty.seat
    again = game.by_hand(seat, Cards(said.duty.id, Raw(encode(message))), game.replica())
    with pytest.raises(EntryRefused) as refused:
        game.replica().append(again)
    assert refused.value.seat == seat


# --- Tags and shares ---


def false_tags(change: Callable[[Points, Points, Scalars], Points]) -> Forge:
    """All cards multiplied, then changed by the cheat, with the best proof that there is."""

    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        stage = deck.stage
        assert isinstance(stage, Tagging)
        z = deck.tag_secret(tape, duty.seat, masked(stage.points))
        Z, after = z * z.group.G, change(stage.points, z * stage.points, z)
        proof = equality.prove_equality(deck.transcript(duty, deck.epoch), tape, Z, stage.points, after, z)
        return encode(MaskTags(Z.to_bytes(), after.to_bytes(), proof))

    return forge


def _swapped(count: int, at: int) -> list[int]:
    return [*range(at - 1), at, at - 1, *range(at + 1, count)]


def other(points: Points, z: Scalars) -> Points:
    return (z + z) * points


#: A place among the cards of the deck, or of those held, among epk or msg.
PLACES: Final = {"deck": 2, "held": CARDS + 1, "msg of the deck": TAGGED + 2, "msg of the held": TAGGED + CARDS + 1}
TAGS: Final[dict[str, Callable[[int], Callable[[Points, Points, Scalars], Points]]]] = {
    "by another secret": lambda at: lambda before, after, z: cheats.replaced(after, at, other(before[at], z)),
    "exchanged": lambda at: lambda before, after, z: after.take(_swapped(len(after), at)),
    "untouched": lambda at: lambda before, after, z: cheats.replaced(after, at, before[at]),
    "marked": lambda at: lambda before, after, z: cheats.replaced(after, at, after[at] + z.group.G),
    "cancelling": lambda at: (
        lambda before, after, z: cheats.replaced(
            cheats.replaced(after, at, after[at] + z.group.G), at - 1, after[at - 1] - z.group.G
        )
    ),
}


@pytest.mark.parametrize("seat", range(3))
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", TAGS)
def test_a_card_multiplied_by_another_secret(fast: Group, name: str, place: str, seat: int) -> None:
    forge = false_tags(TAGS[name](PLACES[place]))
    is_fault(caught(fast, forge, "tag", seat), "proof of equality, one secret does not verify")


def test_tags_on_both_backends(group: Group) -> None:
    is_fault(caught(group, false_tags(TAGS["untouched"](2)), "tag", 1), "equality, one secret")


def test_another_key_of_the_tags(fast: Group) -> None:
    forge = field(lambda deck, duty, honest: {"key": nudged(field_of(honest, "key"), fast, 0)})
    is_fault(caught(fast, forge, "tag", 1), "equality, one secret")


def test_tags_without_a_secret(fast: Group) -> None:
    """z = 0 would make all tags equal, and is no point."""
    forge = field(lambda deck, duty, honest: {"key": bytes(32), "cards": bytes(64 * TAGGED)})
    is_refused(caught(fast, forge, "tag", 1), "the key of the tags")


@pytest.mark.parametrize(("step", "name"), [("tag", "cards"), ("share", "shares")])
def test_too_few_or_too_many(fast: Group, step: str, name: str) -> None:
    fewer = field(lambda deck, duty, honest: {name: field_of(honest, name)[:-32]})
    more = field(lambda deck, duty, honest: {name: field_of(honest, name) + fast.G.to_bytes()})
    for forge in (fewer, more):
        is_refused(caught(fast, forge, step, 1), "bytes instead of")


def false_shares(change: Callable[[Points, Scalars, Points], Points]) -> Forge:
    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        stage = deck.stage
        assert isinstance(stage, Sharing)
        s, epk = deck.shuffle_secret(tape, duty.seat, deck.epoch), stage.tagged.epk
        shares = change(s * epk, s, epk)
        key = stage.keys[duty.seat]
        proof = equality.prove_equality(deck.transcript(duty, deck.epoch), tape, key, epk, shares, s)
        return encode(MaskShares(shares.to_bytes(), proof))

    return forge


SHARES: Final[dict[str, Callable[[int], Callable[[Points, Scalars, Points], Points]]]] = {
    "marked": lambda at: lambda shares, s, epk: cheats.replaced(shares, at, shares[at] + s.group.G),
    "of another card": lambda at: lambda shares, s, epk: cheats.replaced(shares, at, shares[at - 1]),
    "by another key": lambda at: lambda shares, s, epk: cheats.replaced(shares, at, other(epk[at], s)),
}


@pytest.mark.parametrize("seat", range(3))
@pytest.mark.parametrize("place", ["deck", "held"])
@pytest.mark.parametrize("name", SHARES)
def test_a_false_share(fast: Group, name: str, place: str, seat: int) -> None:
    """Also by the last, after whose word a held card is not found: the proof is judged first, and it is named."""
    is_fault(caught(fast, false_shares(SHARES[name](PLACES[place])), "share", seat), "equality, one secret")


def test_exchanged_shares(fast: Group) -> None:
    """The tags of two cards of the deck change places: a card that is held would stay, another would go."""

    def exchange(shares: Points, s: Scalars, epk: Points) -> Points:
        return shares.take([1, 0, *range(2, len(shares))])

    is_fault(caught(fast, false_shares(exchange), "share", 2), "equality, one secret")


# --- The shuffle and the keys of a rebuild are those of any deck ---


@pytest.mark.parametrize("kind", ["doubled", "marked", "scaled", "swapped_for"])
@pytest.mark.parametrize("seat", range(3))
def test_a_card_in_the_shuffle(fast: Group, kind: str, seat: int) -> None:
    forge = cheats.false_shuffle(getattr(cheats, kind)(4))
    is_fault(caught(fast, forge, "reshuffle", seat), "shuffle proof (pairs)")


@pytest.mark.parametrize("kind", ["gain_off", "gain_of_another", "gains_cancel", "key_of_another"])
def test_a_card_moved_to_another_key(fast: Group, kind: str) -> None:
    forge = cheats.false_rekey(getattr(cheats, kind)(2))
    is_fault(caught(fast, forge, "rekey", 1), "does not verify")


# --- The same words elsewhere ---

STEPS: Final = ("join", "held", "reshuffle", "tag", "share", "rekey")
CONTEXTS: Final[dict[str, Callable[[MaskDeck], MaskDeck]]] = {
    "another session": lambda deck: deck.with_fields(binding=replace(deck.binding, session=bytes(32))),
    "the roster with the leaver": lambda deck: deck.with_fields(binding=replace(deck.binding, roster=bytes(32))),
    "another hand": lambda deck: deck.with_fields(binding=replace(deck.binding, hand=1)),
    "another deck": lambda deck: deck.with_fields(number=1),
}


@pytest.mark.parametrize("where", CONTEXTS)
@pytest.mark.parametrize("step", STEPS)
def test_a_true_statement_proven_for_another_place(fast: Group, step: str, where: str) -> None:
    """The secrets are those of this place, the proofs' nonces and challenges are not."""

    def forge(deck: MaskDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        there, name = CONTEXTS[where](deck), "knowledge" if step == "join" else "proof"
        return changed(honest, **{name: field_of(there.message(duty, tape), name)})

    is_fault(caught(fast, forge, step, 1), "does not verify")


def test_every_word_for_every_other_duty(fast: Group) -> None:
    """Every message of the rebuild sent for every other duty of it, by the seat that owes that one."""
    for (step, seat), moment in moments(fast).items():
        for said in moments(fast).values():
            if said.honest != moment.honest:
                caught(fast, lambda *_, words=said.honest: words, step, seat)


@pytest.mark.parametrize("step", STEPS)
def test_words_of_a_rebuild_that_was_broken_off(fast: Group, step: str) -> None:
    """Begun again after a seat's word, the rebuild has another epoch, roster, keys and secrets: the word is false."""
    at = moments(fast)[step, 1]
    change = at.deck.apply(at.duty, at.honest).deck.without((2,))
    assert change is not None and isinstance(change.deck, MaskDeck)
    deck = change.deck
    assert deck.epoch == at.deck.epoch + 1 and deck.binding.roster != at.deck.binding.roster
    while (deck.duties[0].kind, deck.duties[0].seat) != (step, 1):
        duty = deck.duties[0]
        deck = deck.apply(duty, deck.message(duty, moments(fast)["join", duty.seat].tape)).deck  # type: ignore[assignment]
    (duty, *_) = deck.duties
    assert deck.message(duty, at.tape) != at.honest
    with pytest.raises((Malformed, PeerFault)):
        settle(deck.apply(duty, at.honest).checks, Source("weights"))


# --- At a table: the culprit is named, and the others go on ---

AT_A_TABLE: Final[dict[str, Forge]] = {
    "join": field(lambda deck, duty, honest: {"key": nudged(field_of(honest, "key"), deck.binding.group, 0)}),
    "held": false_held(declared_twice),
    "reshuffle": cheats.false_shuffle(cheats.doubled(3)),
    "tag": false_tags(TAGS["marked"](CARDS + 1)),
    "share": false_shares(SHARES["marked"](CARDS + 1)),
    "rekey": cheats.false_rekey(cheats.gain_off(1)),
}


@pytest.mark.parametrize("step", STEPS)
def test_at_a_table(fast: Group, step: str) -> None:
    """The last to share leaves a held card unfound, and is named before anybody answers that."""
    verdict = cheat(rebuilding(fast), 2 if step == "share" else 1, step, AT_A_TABLE[step])
    kit.is_fault(verdict, "does not verify")


# --- What cannot be when all proofs hold ---


def test_a_held_card_that_is_not_found_stops_the_hand_and_names_nobody(fast: Group) -> None:
    """Proofs that nobody looks at: a tag that matches no card, and two that match one."""
    for change in (another_face, declared_twice):
        decks = fresh(fast, 3, 6)
        decks.ask(Deal(0, (Portion(0, 2), Portion(1, 1))))
        deck = without(decks, 2)
        while not isinstance(deck.stage, MaskMismatch):
            duty = deck.duties[0]
            honest = deck.message(duty, decks.tapes[duty.seat])
            lies = duty.kind == "held" and duty.seat == 0
            forge = false_held(change)(deck, duty, decks.tapes[0], honest) if lies else honest
            deck = decks.step(deck, duty, forge)
        (duty,) = deck.duties
        with pytest.raises(Undecided, match="match exactly one card of the rebuilt deck"):
            deck.apply(duty, deck.message(duty, decks.tapes[duty.seat]))


def test_bytes_that_are_no_message(fast: Group) -> None:
    """A step of another kind, or of another protocol, is refused wherever it comes."""
    decks = fresh(fast, 3, 5)
    decks.ask(Deal(0, tuple(Portion(seat, 1) for seat in range(3))))
    deck, kinds = without(decks, 2), set()
    while deck.duties:
        duty = deck.duties[0]
        for other_kind in STEPS:
            if other_kind != duty.kind:
                with pytest.raises(Malformed):
                    deck.apply(duty, encode({"type": other_kind}))
        kinds.add(duty.kind)
        deck = decks.step(deck, duty)
    assert kinds == set(STEPS)
    decks.settle()


def test_what_was_signed_before_the_leaving_is_dropped(fast: Group) -> None:
    """Keys of a card that was being opened come too late: nobody's fault, and the card is dead."""
    game = until_idle(lasting(fast, *SCRIPT), 1)
    game.pending = game.pending or game.step()
    duty = duty_of(game.state, game.pending[0])
    assert duty is not None and duty.kind == "release"
    leave(game, (3,))
    opened = deck_of(game).places.pile[0]
    recovered(game)
    assert game.outcomes.count(Outcome.DROPPED) == SEATS - 1
    assert opened in deck_of(game).dead and opened not in deck_of(game).released
