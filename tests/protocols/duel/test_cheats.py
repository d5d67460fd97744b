"""Every cheat of the documents, in every mode: when it is seen, and that the cheater is named."""

from __future__ import annotations

import json
from typing import Final

import pytest

from conformance.harness import Game, refusal, statement
from nodealer.cards.operations import Close, Deal, Look, Operation, Peek, Place, Portion, Return, Show
from nodealer.engine.bodies import Begin, Book, Break, Leave, Without
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Outcome
from nodealer.errors import CardUnreadable, EntryRefused, PeerFault
from nodealer.group import Group
from nodealer.protocols.base import Duty
from nodealer.protocols.duel import DuelDeck
from nodealer.protocols.duel.reveal import RevealingCards
from nodealer.tape import Tape

from ..kit import changed, element, field_of, put
from .kit import MODES, NEW, Forge, LateVerdict, cheat, fresh, played

pytestmark = pytest.mark.sample(reference=1)

DRAW: Final = (Deal(0, (Portion(0, 2),)), Deal(1, (Portion(1, 1),)))
PLAY: Final = (Show(0, 0, (0,)),)
SEARCH: Final = (Peek(0, 0, 3, Look.TAKE),)
END: Final = (Close(0), Close(1))
FULL: Final[tuple[tuple[Operation, ...], ...]] = (NEW, DRAW, PLAY, SEARCH, END)

modes = pytest.mark.parametrize("mode", MODES)
unproven = pytest.mark.parametrize("mode", ["committed", "xor"])


def tried(
    group: Group, mode: str, seat: int, step: str, forge: Forge, script: tuple[tuple[Operation, ...], ...] = FULL
) -> LateVerdict:
    return cheat(played(group, mode, *script), seat, [step], forge)


def at_once(verdict: LateVerdict, reason: str) -> None:
    assert verdict.fault is not None and verdict.fault.seat is not None, verdict
    assert verdict.later == 0 and reason in verdict.fault.reason, verdict


def later(verdict: LateVerdict, reason: str) -> None:
    assert verdict.fault is not None and verdict.later > 0 and reason in verdict.fault.reason, verdict


def refused(verdict: LateVerdict, reason: str) -> None:
    assert verdict.refused is not None and verdict.later == 0 and reason in verdict.refused.reason, verdict


def only_deck(number: int, forge: Forge) -> Forge:
    return lambda deck, duty, tape, honest: forge(deck, duty, tape, honest) if deck.number == number else honest


# --- Playing ---


def other_card(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    """Play a card that lies in the pile: the owner knows all nonces."""
    stage = deck.stage
    assert isinstance(stage, RevealingCards)
    if isinstance(stage.operation, Close):
        return honest
    said = json.loads(honest)["cards"]
    card = next(c for c in range(deck.size) if c not in said and c not in deck.read(tape, deck.places.hand(0)))
    return changed(honest, cards=[card], nonces=deck.nonces(tape, [card])[0])


def test_a_card_that_was_not_drawn(fast: Group) -> None:
    """Committed sees it at the play, because the key ties the card to its place; XOR when the deck is shown."""
    at_once(tried(fast, "committed", 0, "reveal", other_card), "not what it drew at place 0")
    later(tried(fast, "xor", 0, "reveal", other_card), "")


def test_a_card_that_was_not_drawn_proven(fast: Group) -> None:
    """There is nothing to say but a key, and the key of another card is not the key of this one."""

    def forge(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        if deck.stage.operation != PLAY[0]:  # type: ignore[attr-defined]
            return honest
        return changed(honest, keys=deck.layers.secrets(tape, (1,), 0).to_bytes())

    at_once(tried(fast, "proven", 0, "give", forge), "is not the card's key")


def test_another_key_of_the_owner(fast: Group) -> None:
    def forge(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, keys=deck.layers.secrets(tape, (1,), 0).to_bytes())

    at_once(tried(fast, "committed", 0, "reveal", forge), "is not the card's key")


@unproven
def test_another_name_or_nonce(fast: Group, mode: str) -> None:
    def name(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        said = json.loads(honest)["cards"]
        return changed(honest, cards=[(said[0] + 1) % deck.size])

    def nonce(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, nonces=bytes(32))

    for forge in (name, nonce):
        at_once(tried(fast, mode, 0, "reveal", forge), "not what it committed to")


@unproven
def test_a_card_twice(fast: Group, mode: str) -> None:
    """The second card of the hand is said to be the first, which is on the table."""

    def forge(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        if not deck.places.opened or isinstance(deck.stage.operation, Close):  # type: ignore[attr-defined]
            return honest
        face = next(iter(deck.places.opened.values()))
        return changed(honest, cards=[face], nonces=deck.nonces(tape, [face])[0])

    script = (NEW, DRAW, PLAY, (Show(0, 0, (1,)),), END)
    verdict = tried(fast, mode, 0, "reveal", forge, script)
    if mode == "committed":
        at_once(verdict, "not what it drew at place 1")
    else:
        # No key ties the card to its place: the face is there twice, and the end or the book says whose lie it is.
        later(verdict, "")
        assert verdict.fault is not None and verdict.fault.seat == 0


# --- Assembling ---


def test_a_commitment_that_does_not_open(fast: Group) -> None:
    """The card is dead: it cannot be played, and the check at the end fails on it."""

    def forge(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        if deck.number != 0 or duty.kind == "reveal":
            return honest
        data = field_of(honest, "commitments")
        return changed(honest, commitments=put(data, 4, bytes(32)))

    later(cheat(played(fast, "committed", *FULL), 0, ["assemble"], forge), "not what it committed to")


def two_names() -> Forge:
    """Commit to two cards with one nonce, and play the place of the one as the other."""

    def forge(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        if deck.number != 0:
            return honest
        if duty.kind == "assemble":
            # Card 0 is what will be drawn first; every other card is committed to under its nonce too.
            drawn = deck.with_fields(commitments=(bytes(32),) * deck.size, made=(0,) * deck.size)
            nonces = drawn.nonces(tape, range(deck.size))
            return changed(honest, commitments=b"".join(drawn.commitment(c, nonces[0]) for c in range(deck.size)))
        stage = deck.stage
        assert isinstance(stage, RevealingCards)
        nonce = deck.nonces(tape, [0])[0]
        return changed(honest, cards=[1], nonces=nonce) if not isinstance(stage.operation, Close) else honest

    return forge


def first_drawn(group: Group, mode: str, seed: str) -> int:
    """The card that the owner draws first in a game of this seed."""
    game = played(group, mode, *FULL, seed=seed)
    game.play(until=lambda game: len(getattr(game.state.hand.game, "heard", ())) > 6)
    return min(game.seats[0].known_cards().items())[1]


@pytest.mark.parametrize(("mode", "seen"), [("committed", "at once"), ("xor", "later")])
def test_one_nonce_under_two_names(fast: Group, mode: str, seen: str) -> None:
    """In committed the name is hashed into the point, so that the other name is another card. XOR plays either."""
    seed = next(f"names {n}" for n in range(40) if first_drawn(fast, mode, f"names {n}") == 0)
    verdict = cheat(played(fast, mode, *FULL, seed=seed), 0, ["assemble", "reveal"], two_names())
    assert verdict.fault is not None and verdict.fault.seat == 0
    reason = "is not what it drew" if seen == "at once" else "it committed to"
    assert reason in verdict.fault.reason


# --- Making the deck ---


def doubled(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    data = field_of(honest, "cards")
    return changed(honest, cards=put(data, 0, element(data, 1)))


@pytest.mark.parametrize(("seat", "step"), [(0, "shuffle"), (1, "shuffle"), (0, "lock"), (1, "lock")])
@modes
def test_equal_cards(fast: Group, mode: str, seat: int, step: str) -> None:
    verdict = tried(fast, mode, seat, step, doubled)
    if mode == "proven" and step == "lock":
        at_once(verdict, "does not verify")
    else:
        refused(verdict, "twice")


def related(index: int, other: int) -> Forge:
    """Twice another card in a card's place: the cheater finds the two again."""

    def forge(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        if deck.number != 0:
            return honest
        data = field_of(honest, "cards")
        point = deck.cipher.points(element(data, other))
        return changed(honest, cards=put(data, index, (deck.cipher.integers([2]) * point).to_bytes()))

    return forge


@pytest.mark.parametrize(("seat", "step"), [(0, "shuffle"), (1, "shuffle"), (0, "lock"), (1, "lock")])
def test_a_related_point_proven(fast: Group, seat: int, step: str) -> None:
    at_once(tried(fast, "proven", seat, step, related(3, 1)), "does not verify")


def test_a_related_point_of_the_owner(fast: Group) -> None:
    """Committed: nobody sees it before the end, and there the owner cannot say what the card is."""
    game = played(fast, "committed", NEW, DRAW, END, seed="related")
    verdict = cheat(game, 0, ["shuffle"], related(3, 1))
    # The owner's own program finds a card that is none, and stops; it owes the check of the list.
    assert verdict.fault is None
    assert game.state.phase is Phase.PLAYING
    assert {duty.seat for duty in game.state.hand.decks[0].duties} == {0}
    with pytest.raises(CardUnreadable):
        game.state.hand.decks[0].message(game.state.hand.decks[0].duties[0], game.tape(0), b"[3]")
    # It may lie, and is named; or claim, and its own book names it; or leave, and loses by the game's rule. If it only
    # stays silent, the other one of two can break the hand off, and no more.
    left = game.replica()
    left.append(game.by_hand(0, Leave(), left))
    assert left.state.results[0]["gone"] == [0]
    only_broken_off(game, 1, 0)


def test_the_lie_at_the_end_is_named(fast: Group) -> None:
    """With the slot as it is, no reveal of the whole list can be right."""
    decks = fresh(fast, "committed", 4)
    deck = decks.decks[0]
    deck = decks.step(deck.request(Close(0)).deck, deck.request(Close(0)).deck.duties[0])  # type: ignore[arg-type]
    honest = deck.message(deck.duties[0], decks.tapes[0])
    swapped = json.loads(honest)
    cards, nonces = swapped["cards"], field_of(honest, "nonces")
    lie = changed(honest, cards=[cards[1], cards[0], *cards[2:]], nonces=nonces[32:64] + nonces[:32] + nonces[64:])
    with pytest.raises(PeerFault, match="not what it drew"):
        deck.apply(deck.duties[0], lie)
    deck.apply(deck.duties[0], honest)


@pytest.mark.parametrize("mode", ["committed"])
def test_a_card_that_the_rival_replaced(fast: Group, mode: str) -> None:
    """The owner draws a card that is none, claims, and the open books name the rival."""
    game = played(fast, mode, NEW, DRAW, END, seed="rival")
    cheat(game, 1, ["shuffle"], related(0, 3))
    victim = game.seats[0]
    with pytest.raises(CardUnreadable) as caught:
        victim.known_cards()
    claimed_by(game, 0, caught.value, 1)


def claimed_by(game: Game, seat: int, unreadable: CardUnreadable, culprit: int) -> None:
    replica = game.replica()
    claim = game.seats[seat].dispute(unreadable)
    replica.append(claim)
    for other in game.seats.values():
        other.receive(claim)
    said = [data for other in game.seats.values() for data in other.answer_duties()]
    while not replica.state.faults:
        replica.append(said.pop(0))
    assert replica.state.fault is not None and replica.state.fault.seat == culprit


# --- Keys of the rival ---


@modes
def test_a_wrong_key_of_the_rival(fast: Group, mode: str) -> None:
    """With public keys at once; with XOR the owner reads nothing, claims, and the books name the rival."""

    def forge(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        data = field_of(honest, "keys")
        return changed(honest, keys=put(data, 0, element(data, 0)[:-1] + b"\x01")) if deck.number == 0 else honest

    def wrong(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        if deck.number != 0:
            return honest
        keys = deck.layers.secrets(tape, (1, 0), 1)
        return changed(honest, keys=keys.to_bytes())

    game = played(fast, mode, NEW, DRAW, seed="keys")
    if mode != "xor":
        at_once(cheat(game, 1, ["give"], wrong), "is not the card's key")
        return
    cheat(game, 1, ["give"], forge)
    # The books of the end stand open already in this short game: they name the rival by themselves.
    assert game.state.fault is not None and game.state.fault.seat == 1


# --- A search ---


def swapped(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
    """After a search, put the card that was kept back in place of another."""
    if deck.number != 0:
        return honest
    data = field_of(honest, "cards")
    kept = deck.places.hand(0)[-1]
    g = deck.gather_key(tape, 0, deck.stage.epoch)  # type: ignore[attr-defined]
    own = deck.layers.secrets(tape, (kept,), 0)
    return changed(honest, cards=put(data, 0, ((own.invert() * g) * deck.without_published_keys((kept,))).to_bytes()))


def test_another_multiset_after_a_search(fast: Group) -> None:
    at_once(tried(fast, "proven", 0, "gather", swapped), "does not verify")
    for mode in ("committed", "xor"):
        verdict = tried(fast, mode, 0, "gather", swapped)
        later(verdict, "")
        assert verdict.fault is not None and verdict.fault.seat == 0


def test_a_card_that_was_not_looked_at(fast: Group) -> None:
    def forge(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        return changed(honest, position=1)

    for mode in MODES:
        refused(tried(fast, mode, 0, "take", forge), "not one of the cards")


@pytest.mark.parametrize(("seat", "step"), [(0, "gather"), (1, "gather"), (0, "shuffle"), (1, "lock")])
def test_lies_when_cards_go_back(fast: Group, seat: int, step: str) -> None:
    back = (Return(0, (0,), Place.SHUFFLED),)
    skip = {"shuffle": 1, "lock": 1}.get(step, 0)

    def forge(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        if deck.epoch < skip:
            return honest
        return related(2, 1)(deck, duty, tape, honest)

    at_once(tried(fast, "proven", seat, step, forge, (NEW, DRAW, back)), "does not verify")


def test_another_joint_key(fast: Group) -> None:
    """The key that a reshuffled deck is under is tied to the two that make it."""

    def forge(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        if "joint" not in json.loads(honest):
            return honest
        return changed(honest, joint=field_of(honest, "key"))

    script = (NEW, DRAW, (Return(0, (0,), Place.SHUFFLED),))
    at_once(tried(fast, "proven", 0, "shuffle", forge, script), "does not verify")


# --- The end ---


@unproven
def test_the_end_is_checked_however_it_comes(fast: Group, mode: str) -> None:
    """A hand that ends without a look at the decks still ends with open books; who opens none is not dealt in again."""
    game = played(fast, mode, NEW, DRAW, seed="silent", hands=2)
    game.play(until=lambda game: bool(game.state.disclosures))
    books = {known.duty.seat: id for id, known in game.state.duties.open.items() if known.duty.kind == "book"}
    assert game.state.disclosures[0].owing == books.keys() == {0, 1}
    replica = game.replica()
    for data in game.seats[1].answer_duties():
        replica.append(data)
    begin = next(id for id, known in replica.state.duties.of_seat(0).items() if known.duty.kind == "begin")
    for seat, body, reason in (
        (0, Begin(begin, bytes(32)), "owes a disclosure"),
        (1, Without((books[0],)), "no one is waiting for"),
        (1, Break(books[0]), "no one is waiting for"),
    ):
        answer = refusal(replica, game.by_hand(seat, body, replica))
        assert isinstance(answer, EntryRefused) and reason in answer.reason
    assert replica.state.disclosures[0].owing == {0} and not replica.state.faults
    assert replica.append(game.by_hand(0, Book(books[0], bytes(32), ()), replica)).outcome is Outcome.FAULT
    assert replica.state.fault is not None and "not the one it committed to" in replica.state.fault.reason


@unproven
def test_a_cheat_that_nobody_played_is_in_the_book(fast: Group, mode: str) -> None:
    """The owner keeps a card out of the deck, and the hand ends before anybody could see it."""

    def forge(deck: DuelDeck, duty: Duty, tape: Tape, honest: bytes) -> bytes:
        data = field_of(honest, "cards")
        other = deck.committed_points([0], [bytes(32)]).to_bytes()
        return changed(honest, cards=put(data, 4, other)) if deck.number == 0 else honest

    verdict = tried(fast, mode, 0, "shuffle", forge, (NEW, ()))
    later(verdict, "its shuffle is not what its book makes")


@modes
def test_a_refused_draw_breaks_the_hand_off_or_is_leaving(fast: Group, mode: str) -> None:
    game = played(fast, mode, NEW, DRAW)
    game.play(
        until=lambda game: (
            any(duty.kind == "give" for duty in game.state.hand.decks[0].duties) if game.state.hand.decks else False
        )
    )
    game.silent = {1}
    game.play()
    replica = game.replica()
    assert {duty.seat for duty in game.state.hand.decks[0].duties} == {1}, "who owes something itself has no word"
    only_broken_off(game, 0, 1)
    replica.append(game.by_hand(1, Leave(), replica))
    assert replica.state.results[0]["gone"] == [1]


def only_broken_off(game: Game, seat: int, other: int) -> None:
    """Of two, one alone throws nobody out; it can undo the hand, which is the session's last then."""
    replica = game.replica()
    owed = statement(replica, other)
    replica.append(game.by_hand(seat, owed, replica))
    assert not replica.state.gone and replica.state.phase is Phase.PLAYING
    replica.append(game.by_hand(seat, Break(owed.duties[0]), replica))
    assert replica.state.results == () and replica.state.chronicle.records[0].void == "broken off"
    assert replica.state.no_more_hands and not replica.state.gone and not replica.state.faults
