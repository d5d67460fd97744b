"""Every cheat at the table: refused, or a fault of the cheater with its reason, alike for eager and lazy replicas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest
from msgspec import Raw

from conformance import suite
from conformance.harness import Game, Table
from conformance.leaving import ends_well, leave
from nodealer.cards.operations import Deal, NewDeck, Open, Operation, Show
from nodealer.engine.bodies import Cards, Claim
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome
from nodealer.errors import BadParameter, EntryRefused, Undecided
from nodealer.group import Group, Points, Scalars, concat
from nodealer.protocols.base import Duty
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.messages import FragmentCommitment, Fragments
from nodealer.protocols.lock.recovery import Raising, held_point
from nodealer.protocols.lock.shuffle import CommittingFragments, OpeningFragments, _commitment
from nodealer.tape import Tape
from nodealer.wire import encode
from sampling import times

from ..kit import Verdict, changed, cheat, element, field_of, is_fault, is_refused, messages, put
from . import cheats
from .cheats import Declared, Locked, Where
from .kit import Forge, at_place, deck_of, owed_by, portions, say, scripted, take_over

pytestmark = pytest.mark.sample(reference=1)

CARDS: Final = 5
SEATS: Final = 3
NEW: Final = (NewDeck(0, CARDS),)
DEAL: Final = (Deal(0, portions(range(SEATS))),)
OPEN: Final = (Open(0, 1),)

every_index = pytest.mark.parametrize("index", range(CARDS))
every_seat = pytest.mark.parametrize("seat", range(SEATS))


def caught(group: Group, forge: Forge, step: str, seat: int, *script: tuple[Operation, ...], skip: int = 0) -> Verdict:
    return cheat(scripted(group, *(script or (NEW, DEAL, OPEN))), seat, step, forge, skip=skip)


# --- Fragments ---


def with_field(**fields: bytes) -> Forge:
    return lambda deck, duty, tape, honest: changed(honest, **fields)


@every_seat
def test_fragments_that_were_not_committed_to(fast: Group, seat: int) -> None:
    def forge(deck: LockDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        points = field_of(honest, "points")
        return changed(honest, points=put(points, 2, element(points, 1)))

    is_fault(caught(fast, forge, "fragments", seat), "not those it committed to")


def test_fragments_made_after_seeing_the_others(fast: Group) -> None:
    """The last to open cancels what the others have opened: it is not what it committed to."""

    def forge(deck: LockDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        assert isinstance(deck.stage, OpeningFragments)
        one, two = deck.stage.said[0], deck.stage.said[1]
        return encode(Fragments((-(one + two)).to_bytes()))

    is_fault(caught(fast, forge, "fragments", 2), "not those it committed to")


@pytest.mark.parametrize("copied", [True, False])
def test_copied_commitment(fast: Group, copied: bool) -> None:
    """A commitment of another seat cannot be opened: not with that seat's fragments, not with one's own."""
    game = scripted(fast, NEW)
    game.play(until=lambda game: bool(messages(game.log)))
    take_over(game, 2)
    assert say(game, 2, "commit", encode({"type": "commit", "commitment": messages(game.log)[0][1]["commitment"]}))
    game.play(until=lambda game: any(m["type"] == "fragments" for _, m in messages(game.log)))
    theirs = next(m for _, m in messages(game.log) if m["type"] == "fragments")
    assert say(game, 2, "fragments", encode(theirs) if copied else None) is Outcome.FAULT
    assert game.state.fault is not None and game.state.fault.seat == 2


@pytest.mark.parametrize("count", [0, CARDS - 1, CARDS + 1])
def test_fragments_of_another_number(fast: Group, count: int) -> None:
    def forge(deck: LockDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, points=(field_of(honest, "points") * 2)[: count * 32])

    is_refused(caught(fast, forge, "fragments", 1), "bytes instead of")


def test_a_fragment_that_is_no_point(fast: Group) -> None:
    def forge(deck: LockDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, points=put(field_of(honest, "points"), 1, bytes(32)))

    is_refused(caught(fast, forge, "fragments", 1), "the fragments")


@pytest.mark.parametrize("spoil", ["identity", "equal"])
def test_faces_that_cannot_be_played_with(fast: Group, spoil: str) -> None:
    """Fragments that cancel the others', or make two faces equal. Nobody is blamed; all draw new ones."""
    game = scripted(fast, NEW, DEAL, OPEN)
    game.play(until=lambda game: game.state.phase is Phase.PLAYING)
    take_over(game, 2)
    deck = deck_of(game)
    others = [deck.fragments(game.tape(seat), seat) for seat in (0, 1)]
    mine = deck.fragments(game.tape(2), 2)
    wanted = -(others[0] + others[1]) if spoil == "identity" else others[0] + others[1] + mine
    first = wanted[0] if spoil == "identity" else wanted[1] - others[0][0] - others[1][0]
    points = at_place(mine, 0, first).to_bytes()
    say(game, 2, "commit", encode(FragmentCommitment(_commitment(deck, 2, points))))
    game.play()
    assert say(game, 2, "fragments", encode(Fragments(points))) is Outcome.ACCEPTED
    again = deck_of(game)
    assert isinstance(again.stage, CommittingFragments) and again.epoch == 1 and again.faces is None
    while game.state.phase is Phase.PLAYING:
        mine_now = [d.duty for d in game.state.duties.open.values() if d.duty.seat == 2]
        if mine_now:
            say(game, 2, mine_now[0].kind)
        game.play()
    assert game.state.fault is None and len(game.state.results) == 1
    first_fragments = {m["points"] for _, m in messages(game.log) if m["type"] == "fragments"}
    assert len(first_fragments) == 2 * SEATS, "no fragment is used twice"


# --- The cascade ---

CASCADE: Final[dict[str, Callable[[int], cheats.Change]]] = {
    "doubled": cheats.doubled,
    "replaced": cheats.replaced,
    "junk": cheats.junk_card,
    "scaled": cheats.scaled,
    "marked": cheats.marked,
}


@every_index
@pytest.mark.parametrize("name", CASCADE)
def test_card_in_the_cascade(fast: Group, name: str, index: int) -> None:
    seat = index % SEATS
    is_fault(caught(fast, cheats.false_cascade(CASCADE[name](index)), "cascade", seat), "shuffle proof (scalar)")


@every_index
def test_card_twice_in_the_cascade(fast: Group, index: int) -> None:
    verdict = caught(fast, cheats.false_cascade(cheats.repeated(index)), "cascade", 1)
    is_refused(verdict, "contains a card twice")


def test_card_untouched_in_the_cascade(fast: Group) -> None:
    change = cheats.put_card(2, lambda step: step.before[2])
    is_refused(caught(fast, cheats.false_cascade(change), "cascade", 1), "a card of the deck before it")


@every_seat
def test_wrong_cascade_key(fast: Group, seat: int) -> None:
    is_fault(caught(fast, cheats.false_cascade(cheats.another_key), "cascade", seat), "shuffle proof (scalar)")


@pytest.mark.parametrize("seat", [0, 1])
def test_marked_deck_gets_no_answer(fast: Group, seat: int) -> None:
    """All cards as known multiples of one point: no honest seat multiplies them (`cheat` looks), and it is a fault."""
    is_fault(caught(fast, cheats.false_cascade(cheats.related), "cascade", seat), "shuffle proof (scalar)")


def test_copied_cascade(fast: Group) -> None:
    """Another seat's key, cards and proof, word for word."""
    game = scripted(fast, NEW)

    def forge(deck: LockDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return encode(next(m for _, m in messages(game.log) if m["type"] == "cascade"))

    is_fault(cheat(game, 2, "cascade", forge), "shuffle proof (scalar)")


# --- The lock ---

LOCK: Final[dict[str, Callable[[int], cheats.LockChange]]] = {
    "replaced": lambda index: cheats.lock_card(index, lambda step: step.ratio[index] * cheats.junk(step.old)),
    "junk": lambda index: cheats.lock_card(index, lambda step: cheats.junk(step.old)),
    "scaled": lambda index: cheats.lock_card(index, lambda step: step.cards[index] + step.cards[index]),
    "doubled": lambda index: cheats.lock_card(index, lambda step: step.ratio[index] * step.before[index - 1]),
    "repaired": lambda index: cheats.lock_card(index, lambda step: step.cards[index - 1] + step.cards[index - 2]),
    "cancelling": cheats.two_cards_cancel,
    "exchanged": cheats.exchanged,
    "another secret": cheats.other_secret,
}


@every_index
@pytest.mark.parametrize("name", LOCK)
def test_card_in_the_lock(fast: Group, name: str, index: int) -> None:
    seat = index % SEATS
    is_fault(caught(fast, cheats.false_lock(LOCK[name](index)), "lock", seat), "does not verify")


def test_two_cards_with_one_key(fast: Group) -> None:
    """Publishing the secret of one card would publish that of another."""

    def change(step: Locked) -> Locked:
        new = at_place(step.new, 1, step.new[0])
        ratio = step.ratio[0] * step.new[0].invert() * new
        return replace(step, new=new, ratio=ratio, keys=new * step.old.group.G, cards=ratio * step.before)

    is_refused(caught(fast, cheats.false_lock(change), "lock", 1), "two cards have the same key")


def test_the_key_of_the_cascade_for_a_card(fast: Group) -> None:
    def change(step: Locked) -> Locked:
        one = step.old.group.integers([1])
        cards = at_place(step.cards, 3, step.before[3])
        return replace(step, ratio=at_place(step.ratio, 3, one), keys=at_place(step.keys, 3, step.old), cards=cards)

    is_refused(caught(fast, cheats.false_lock(change), "lock", 2), "the key of the cascade")


# --- Secrets that are published ---


def release(change: Callable[[Scalars], Scalars]) -> Forge:
    def forge(deck: LockDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        keys = deck.binding.group.scalars(field_of(honest, "keys"))
        return changed(honest, keys=change(keys).to_bytes())

    return forge


@every_seat
@pytest.mark.parametrize("card", [0, 1])
def test_wrong_secret(fast: Group, seat: int, card: int) -> None:
    one = fast.integers([1])
    verdict = caught(fast, release(lambda keys: at_place(keys, card, keys[card] + one)), "release", seat)
    is_fault(verdict, "is not the card's key")


def test_secrets_of_other_cards(fast: Group) -> None:
    is_fault(caught(fast, release(lambda keys: keys.take([1, 0])), "release", 1), "is not the card's key")


def test_no_secret(fast: Group) -> None:
    is_refused(caught(fast, release(lambda keys: at_place(keys, 1, keys[1] - keys[1])), "release", 1), "zero")
    is_refused(caught(fast, with_field(keys=b"\xff" * 64), "release", 1), "the keys")
    is_refused(caught(fast, release(lambda keys: keys[:1]), "release", 1), "bytes instead of")


def test_wrong_secret_for_the_table_and_for_a_show(fast: Group) -> None:
    one = fast.integers([1])
    script = (NEW, DEAL, OPEN, (Show(0, 1, (1,)),))
    for skip in (1, 2):
        verdict = caught(fast, release(lambda keys: keys + one), "release", 1, *script, skip=skip)
        is_fault(verdict, "is not the card's key")


# --- The same words elsewhere ---

PLACES: Final[dict[str, Where]] = {
    "another session": lambda deck: deck.with_fields(binding=replace(deck.binding, session=bytes(32))),
    "another roster": lambda deck: deck.with_fields(binding=replace(deck.binding, roster=bytes(32))),
    "another hand": lambda deck: deck.with_fields(binding=replace(deck.binding, hand=1)),
    "another deck": lambda deck: deck.with_fields(number=1),
    "another epoch": lambda deck: deck.with_fields(epoch=deck.epoch + 1),
}


@pytest.mark.parametrize("where", PLACES)
def test_proof_for_another_place(fast: Group, where: str) -> None:
    """A true statement with a proof that was made for another place."""
    place = PLACES[where]
    is_fault(caught(fast, cheats.false_cascade(lambda step: step, place), "cascade", 1), "shuffle proof (scalar)")
    is_fault(caught(fast, cheats.false_lock(lambda step: step, place), "lock", 1), "does not verify")


@pytest.mark.parametrize("step", ["commit", "fragments", "cascade", "lock", "release"])
def test_message_of_another_hand(fast: Group, step: str) -> None:
    """What the same seat said at the same point of the first hand, and of another table."""
    other = scripted(fast, NEW, DEAL, OPEN, seed="another table").play()
    for log in (None, other.log):
        game = scripted(fast, NEW, DEAL, OPEN, hands=2)
        game.play(until=lambda game: game.state.hand.number == 1)
        before = log if log is not None else list(game.log)
        kind = "lock" if step == "lock" else step
        old = next(m for seat, m in messages(before) if seat == 1 and m["type"] == kind)
        if step == "commit":
            # A commitment is seen to be false when it is opened.
            game.play(until=lambda game: any(d.duty.kind == "commit" for d in game.state.duties.open.values()))
            take_over(game, 1)
            say(game, 1, "commit", encode(old))
            game.play()
            assert say(game, 1, "fragments") is Outcome.FAULT
            assert game.state.fault is not None and game.state.fault.seat == 1
            continue
        verdict = cheat(game, 1, step, lambda *_: encode(old))
        assert verdict.fault is not None and verdict.fault.seat == 1


# --- Picks ---


def pick(positions: Callable[[LockDeck], list[int]]) -> Forge:
    return lambda deck, duty, tape, honest: changed(honest, positions=positions(deck))


def picker(group: Group) -> int:
    game = scripted(group, NEW, DEAL, OPEN)
    game.play(until=lambda game: 0 in game.state.hand.decks)
    return deck_of(game).pickers[0]


def test_bad_picks(fast: Group) -> None:
    first = picker(fast)
    for positions, reason in (
        (lambda deck: [0], "is not in the pile"),
        (lambda deck: [CARDS], "is not in the pile"),
        (lambda deck: [2**40], "is not in the pile"),
        (lambda deck: [], "does not name 1 different"),
        (lambda deck: list(deck.places.pile), "does not name 1 different"),
    ):
        is_refused(caught(fast, pick(positions), "pick", first), reason)
    twice = caught(fast, pick(lambda deck: list(deck.places.pile[:1]) * 2), "pick", first, NEW, (Open(0, 2),))
    is_refused(twice, "does not name 2 different")


def test_wrong_picker(fast: Group) -> None:
    """Another seat answers for the picker: it owes nothing of the kind."""
    game = scripted(fast, NEW, DEAL, OPEN)
    game.play(until=lambda game: any(d.duty.kind == "pick" for d in game.state.duties.open.values()))
    duty = next(d.duty for d in game.state.duties.open.values())
    replica = game.replica()
    for seat in range(SEATS):
        if seat != duty.seat:
            body = Cards(duty.id, Raw(encode({"type": "pick", "positions": [3]})))
            with pytest.raises(EntryRefused) as refused:
                replica.append(game.by_hand(seat, body, replica))
            assert refused.value.seat == seat


# --- The recovery ---

HELD_SCRIPT: Final = ((NewDeck(0, 12), Deal(0, portions(range(4), 2))), (Open(0, 1),), (Open(0, 1),))


def leaving(group: Group, seed: str = "cheat") -> Table:
    """Seat 3 has left; all others hold two cards."""
    game = scripted(group, *HELD_SCRIPT, seats=4, seed=seed)
    game.play(until=lambda game: getattr(game.state.hand.game, "at", 0) == 2)
    leave(game, (3,))
    return game


HELD: Final[dict[str, Callable[[LockDeck, Declared], Points]]] = {
    "substituted by a junk card": lambda deck, d: at_place(d.X, 0, d.e * cheats.junk(d.X)),
    "substituted by a face that it does not hold": lambda deck, d: at_place(d.X, 0, d.e * other_face(deck, d)),
    "multiplied": lambda deck, d: at_place(d.X, 0, d.X[0] + d.X[0]),
    "doubled": lambda deck, d: at_place(d.X, 0, d.X[1]),
    "exchanged": lambda deck, d: d.X.take([1, 0]),
    "not moved": lambda deck, d: at_place(d.X, 0, d.V[0]),
    "of another seat": lambda deck, d: at_place(d.X, 0, d.e * d.secrets[0].invert() * others_card(deck, d)),
    "both multiplied": lambda deck, d: d.X + d.X,
}


def other_face(deck: LockDeck, declared: Declared) -> Points:
    assert deck.faces is not None
    mine = (declared.secrets.invert() * declared.V).to_bytes()
    return next(deck.faces[j] for j in range(deck.size) if deck.faces[j].to_bytes() not in mine)


def others_card(deck: LockDeck, declared: Declared) -> Points:
    mine = declared.V.to_bytes()
    points = (held_point(deck, position) for position in deck.places.held)
    return next(point for point in points if point.to_bytes() not in mine)


@pytest.mark.parametrize("name", HELD)
def test_held_card(fast: Group, name: str) -> None:
    seat = list(HELD).index(name) % 3
    is_fault(cheat(leaving(fast), seat, "held", cheats.false_held(HELD[name])), "lock held cards")


@pytest.mark.parametrize("count", [0, 1, 3])
def test_held_card_left_out_or_added(fast: Group, count: int) -> None:
    """One card fewer, one more: X for a card that it does not hold has no place in the message."""

    def forge(deck: LockDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, cards=(field_of(honest, "cards") * 2)[: 32 * count])

    is_refused(cheat(leaving(fast), 1, "held", forge), "bytes instead of")


def test_who_holds_nothing_declares_nothing(fast: Group) -> None:
    """A seat without cards is not asked; words of its own are refused."""
    game = scripted(fast, (NewDeck(0, 8), Deal(0, portions((0, 1)))), OPEN, OPEN, seats=4)
    game.play(until=lambda game: getattr(game.state.hand.game, "at", 0) == 2)
    leave(game, (3,))
    game.play(until=lambda game: any(d.duty.kind == "held" for d in game.state.duties.open.values()))
    # Who has left may begin the next hand meanwhile.
    assert {d.duty.seat for d in game.state.duties.open.values() if d.duty.deck is not None} == {0, 1}
    duty, replica = owed_by(game, 0, "held"), game.replica()
    message = deck_of(game).message(duty, game.tape(0))
    with pytest.raises(EntryRefused) as refused:
        replica.append(game.by_hand(2, Cards(duty.id, Raw(message)), replica))
    assert refused.value.seat == 2
    game.play()
    ends_well(game)


RAISE: Final[dict[str, Callable[[Points, Points], Points]]] = {
    "one off": lambda before, after: at_place(after, 0, after[0] + after[0]),
    "one not raised": lambda before, after: at_place(after, 1, before[1]),
    "all not raised": lambda before, after: before,
    "exchanged": lambda before, after: after.take([1, 0, 2, 3]),
    "doubled": lambda before, after: at_place(after, 0, after[1]),
    "cancelling": lambda before, after: concat(
        after[0] + cheats.junk(after), after[1] - cheats.junk(after), after[2], after[3]
    ),
    "junk": lambda before, after: at_place(after, 2, cheats.junk(after)),
}


@every_seat
@pytest.mark.parametrize("name", RAISE)
def test_wrong_raise(fast: Group, name: str, seat: int) -> None:
    """Also by the last to raise, whose false cards are then not found in the deck."""
    is_fault(cheat(leaving(fast), seat, "raise", cheats.false_raise(RAISE[name])), "does not verify")


def test_a_held_card_that_is_nowhere(fast: Group) -> None:
    """It cannot be when all proofs hold. If it is, the hand stops and nobody is named."""
    game = leaving(fast)
    game.play(until=lambda game: isinstance(deck_of(game).stage, Raising))
    deck = deck_of(game)
    assert isinstance(deck.stage, Raising)
    lost = replace(deck.stage, cards=deck.stage.cards + fast.G, turns=())
    unfound = lost.next(deck).deck
    assert isinstance(unfound, LockDeck)
    (duty,) = unfound.duties
    with pytest.raises(Undecided):
        unfound.apply(duty, unfound.message(duty, game.tape(duty.seat)))


@pytest.mark.parametrize("where", PLACES)
def test_recovery_proof_for_another_place(fast: Group, where: str) -> None:
    place = PLACES[where]
    is_fault(cheat(leaving(fast), 1, "held", cheats.false_held(lambda deck, d: d.X, place)), "lock held cards")
    is_fault(cheat(leaving(fast), 1, "raise", cheats.false_raise(lambda b, a: a, place)), "does not verify")


@pytest.mark.parametrize("name", CASCADE)
def test_cards_in_the_cascade_of_a_recovery(fast: Group, name: str) -> None:
    """Here the faces are public, and the cheat would put a held card back or a known one in."""
    for index in (0, 5, 10)[: times(1, deep=3)]:
        verdict = cheat(leaving(fast), index % 3, "cascade", cheats.false_cascade(CASCADE[name](index)))
        is_fault(verdict, "shuffle proof (scalar)")


def test_cards_in_the_lock_of_a_recovery(fast: Group) -> None:
    for name, change in LOCK.items():
        verdict = cheat(leaving(fast), 2, "lock", cheats.false_lock(change(1)))
        assert verdict.fault is not None and "does not verify" in verdict.reason, name


def test_words_of_the_first_recovery_in_the_second(fast: Group) -> None:
    """Everything a seat said in one recovery is false in the next."""
    for step, kind in (("cascade", "cascade"), ("held", "held"), ("raise", "raised"), ("lock", "lock")):
        game = leaving(fast)
        mark = len(game.log)
        game.play(until=lambda game: len(deck_of(game).layers.all_layers) == 2)
        old = next(m for seat, m in messages(game.log[mark:]) if seat == 0 and m["type"] == kind)
        leave(game, (2,))
        verdict = cheat(game, 0, step, lambda *_: encode(old))
        if step in ("held", "cascade"):
            assert verdict.fault is not None or verdict.refused is not None
        assert (verdict.fault or verdict.refused).seat == 0  # type: ignore[union-attr]


# --- Claims ---


@pytest.mark.parametrize("recovering", [False, True])
def test_false_claim(fast: Group, recovering: bool) -> None:
    """A seat says that its card does not open. Its own book refutes it: its fault, and nobody else opens."""
    game = leaving(fast)
    game.play(until=lambda game: recovering or len(deck_of(game).layers.all_layers) == 2)
    seat, position = 1, deck_of(game).places.hand(1)[0]
    replica = game.replica()
    claim = Claim(0, position, game.tape(seat).seed, ())
    assert replica.append(game.by_hand(seat, claim, replica)).outcome is Outcome.FAULT
    assert replica.state.fault is not None and replica.state.fault.seat == seat
    assert "and it is not" in replica.state.fault.reason


def test_claim_with_another_seed(fast: Group) -> None:
    game = leaving(fast)
    replica = game.replica()
    claim = Claim(0, deck_of(game).places.hand(1)[0], bytes(32), ())
    assert replica.append(game.by_hand(1, claim, replica)).outcome is Outcome.FAULT
    assert replica.state.fault is not None and replica.state.fault.seat == 1


# --- The suite's own assertions, on a log with two recoveries ---


@pytest.fixture(scope="module")
def recovered_log() -> Game:
    from nodealer.group import group

    game = scripted(group(), *HELD_SCRIPT, seats=4, seed="suite")
    game.play(until=lambda game: getattr(game.state.hand.game, "at", 0) == 1)
    leave(game, (3,))
    game.play(until=lambda game: len(deck_of(game).layers.all_layers) == 2)
    leave(game, (1,))
    return game.play()


@pytest.mark.parametrize(
    "holds", [suite.eager_and_lazy_agree, suite.books_reproduce_every_byte, suite.no_secret_in_log]
)
def test_suite_holds(recovered_log: Game, holds: Callable[[Game], None]) -> None:
    holds(recovered_log)


def test_forgeries_name_nobody(recovered_log: Game) -> None:
    suite.forgeries_name_nobody(recovered_log)


def test_tampering_is_answered(recovered_log: Game) -> None:
    tally = suite.tampering_is_answered(recovered_log, 5)
    assert tally["refused"] and tally["fault"] and tally["nobody"]


def test_bad_requests(fast: Group) -> None:
    """What makes no sense is refused as a request, in a recovery too, before anything is signed."""
    game = leaving(fast)
    deck = deck_of(game)
    for operation in (
        Open(0, 40),
        Open(0),
        Deal(0, portions((3,))),
        Deal(0, portions((0,), 40)),
        Show(0, 0, (2,)),
        Show(0, 0, (0,), to=1),
        Show(0, 3, deck.places.hand(0)),
    ):
        for asked in (deck.with_fields(asked=None), deck):
            with pytest.raises(BadParameter):
                asked.request(operation)
