"""Three cheats that the npm package does not see: against its own functions they work, against our proofs they do not.

The cheater is the first seat of three. In the cascade it gets the faces in their order; the two others are seats of the
package, play honestly and check all that the package lets them check. Our seats would see each cheat when all keys are
open, after the game; with proofs it is seen at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import pytest

from nodealer.errors import PeerFault, ProofRejected
from nodealer.group import Group, Points, Scalars, concat, group
from nodealer.proofs import equality, shuffle
from nodealer.proofs.checks import settle
from nodealer.proofs.encoding import encodings
from nodealer.proofs.equality import ManyEqualities
from nodealer.proofs.relations import OneScalar
from nodealer.protocols.base import Binding
from nodealer.protocols.codec import point_index
from nodealer.protocols.lock import Lock, bare_steps
from nodealer.protocols.lock.card_lock import Locking
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.messages import Cascade, LockedCards
from nodealer.protocols.lock.shuffle import Cascading
from nodealer.tape import Tape
from nodealer.wire import encode
from nodealer_lab.npm import NodeSeat
from npm.game import CARDS, Game, OurSeat, PackageSeat

pytestmark = pytest.mark.timeout(600)
Start = Callable[[], NodeSeat]
#: The faces that the cheater is interested in, and the one that it gives up for them.
ACE, KING, TWO = 0, 1, 2


def put(points: Points, place: int, point: Points) -> Points:
    return concat(*(point if at == place else points[at] for at in range(len(points))))


# --- What the cheater makes of the deck in the cascade, from its honest turn ---


def doubled(shuffled: Points, order: Sequence[int]) -> Points:
    """The ace twice, the second under another scalar, and no two."""
    t = shuffled.group.integers([7])
    return put(shuffled, order.index(TWO), t * shuffled[order.index(ACE)])


def junk(shuffled: Points, order: Sequence[int]) -> Points:
    """A point that is no card, where the two was."""
    return put(shuffled, order.index(TWO), shuffled.group.map_to_points(b"j" * shuffled.group.uniform_size))


def marked(shuffled: Points, order: Sequence[int]) -> Points:
    """A combination of ace and king where the two was: the relation stays, whoever multiplies and permutes."""
    two = shuffled.group.integers([2])
    return put(shuffled, order.index(TWO), shuffled[order.index(ACE)] + two * shuffled[order.index(KING)])


Cheat = Callable[[Points, Sequence[int]], Points]
cheats = pytest.mark.parametrize("cheat", [doubled, junk, marked], ids=lambda cheat: cheat.__name__)


class Cheater(OurSeat):
    """Cheats in the cascade; finds its cards again in the lock, and repairs what it broke."""

    def __init__(self, on: Group, cheat: Cheat) -> None:
        super().__init__(on, "cheater")
        self.cheat = cheat
        #: Place to face, as the cheater knows it before a card is drawn.
        self.knows: dict[int, int] = {}

    def cascade(self, deck: Points) -> Points:
        return self.cheat(super().cascade(deck), self.order.vartime_list())

    def lock(self, deck: Points) -> Points:
        """Its turn is the first: the deck is as the cascade left it."""
        if self.cheat is doubled:
            ace, slot = find_double(deck)
            self.knows = {ace: ACE, slot: ACE}
        elif self.cheat is marked:
            ace, king, slot = find_marks(deck)
            self.knows = {ace: ACE, king: KING, slot: ACE}
        else:
            return super().lock(deck)
        # The slot becomes the ace once more, and then gets a key of its own like every other card.
        return super().lock(put(deck, slot, deck[ace]))


def find_double(deck: Points) -> tuple[int, int]:
    index = point_index(deck)
    seven_times = encodings(deck.group.integers([7]) * deck)
    return next((place, index[point]) for place, point in enumerate(seven_times) if point in index)


def find_marks(deck: Points) -> tuple[int, int, int]:
    index = point_index(deck)
    twice = deck + deck
    for king in range(len(deck)):
        for ace, point in enumerate(encodings(deck + twice[king])):
            if point in index and ace != king:
                return ace, king, index[point]
    raise AssertionError("no relation is left")


def cheated(node: Start, cheat: Cheat) -> tuple[Game, Cheater]:
    """A game that is played to its end; `Game` asserts that every check of the package is content on the way."""
    on = group("secp256k1")
    cheater = Cheater(on, cheat)
    game = Game([cheater, PackageSeat(node(), on), PackageSeat(node(), on)])
    game.play()
    return game, cheater


# --- Against the package ---


def test_the_package_does_not_see_a_doubled_card(node: Start) -> None:
    game, cheater = cheated(node, doubled)
    opened = [game.open(place) for place in range(CARDS)]
    assert sorted(opened) == sorted([ACE, *(face for face in range(CARDS) if face != TWO)])
    assert game.keys_verify()
    assert all(opened[place] == face for place, face in cheater.knows.items())


def test_the_package_does_not_see_a_junk_point(node: Start) -> None:
    game, _ = cheated(node, junk)
    opened = [game.open(place) for place in range(CARDS)]
    assert sorted(opened) == [-1, *(face for face in range(CARDS) if face != TWO)]
    # A card that is none, with all keys right: nobody can be named.
    assert game.keys_verify()


def test_the_package_does_not_see_marked_cards(node: Start) -> None:
    game, cheater = cheated(node, marked)
    # Before anybody has drawn anything, it knows where two cards of its choice are.
    assert set(cheater.knows.values()) == {ACE, KING} and len(cheater.knows) == 3
    opened = [game.open(place) for place in range(CARDS)]
    assert {place: opened[place] for place in cheater.knows} == cheater.knows
    assert -1 not in opened and TWO not in opened
    assert game.keys_verify()


@cheats
def test_when_all_keys_are_open_our_seats_see_it(node: Start, cheat: Cheat) -> None:
    game, _ = cheated(node, cheat)
    with pytest.raises(PeerFault, match="cascade") as fault:
        game.recheck()
    assert fault.value.seat == 0


# --- Against our proofs ---

SEATS, SMALL = 3, 6
on_both_groups = pytest.mark.parametrize("name", ["secp256k1", "ristretto255"])


def until(name: str, step: str) -> tuple[LockDeck, dict[int, Tape]]:
    """A deck of `lock` when its first seat owes a step."""
    seats = tuple(range(SEATS))
    identities = tuple((seat, bytes([seat]) * 32) for seat in seats)
    table = Binding("lock", 0, bytes(32), bytes(32), 0, seats, (), group(name), identities)
    tapes = {seat: Tape(bytes([seat]) * 32) for seat in seats}
    deck = Lock(on=table.group).new_deck(table, 0, SMALL, None)
    while deck.duties[0].kind != step:
        duty = deck.duties[0]
        after = deck.apply(duty, deck.message(duty, tapes[duty.seat])).deck
        assert isinstance(after, LockDeck)
        deck = after
    return deck, tapes


def refused(deck: LockDeck, message: bytes, what: str) -> None:
    step = deck.apply(deck.duties[0], message)
    with pytest.raises(ProofRejected, match=what) as rejected:
        settle(step.checks, os.urandom)
    assert rejected.value.seat == 0


@on_both_groups
@cheats
def test_the_proof_of_the_cascade_refuses_it(name: str, cheat: Cheat) -> None:
    deck, tapes = until(name, "cascade")
    duty, stage, table = deck.duties[0], deck.stage, deck.binding
    assert isinstance(stage, Cascading)
    s = deck.cascade_secret(tapes[0], 0)
    order = tapes[0].permutation("any", b"", SMALL)
    S, honest = s * table.group.G, bare_steps.cascade(s, stage.cards, order)

    def message(cards: Points) -> bytes:
        relation = OneScalar(S, stage.cards, cards)
        proof = shuffle.prove(deck.transcript(duty, deck.epoch), tapes[0], relation, order, lambda b: s)
        return encode(Cascade(S.to_bytes(), cards.to_bytes(), proof))

    settle(deck.apply(duty, message(honest)).checks, os.urandom)
    refused(deck, message(cheat(honest, order.vartime_list())), "shuffle")


@on_both_groups
@pytest.mark.parametrize("repair", ["another card", "the same card, another scalar", "junk"])
def test_the_proof_of_the_lock_refuses_the_repair(name: str, repair: str) -> None:
    deck, tapes = until(name, "lock")
    duty, stage, table = deck.duties[0], deck.stage, deck.binding
    assert isinstance(stage, Locking)
    before = stage.layer.cards
    old = deck.cascade_secret(tapes[0], 0)
    new = table.group.integers(range(1000, 1000 + SMALL))
    factors, place = bare_steps.lock_factors(old, new), 3
    slot = {
        "another card": factors[place] * before[1],
        "the same card, another scalar": factors[1] * before[place],
        "junk": table.group.map_to_points(b"j" * table.group.uniform_size),
    }[repair]

    def message(cards: Points, known: Scalars) -> bytes:
        keys = new * table.group.G
        each = ManyEqualities(stage.old[0], keys, before, cards)
        proof = equality.prove_many_equalities(deck.transcript(duty, deck.epoch), tapes[0], each, known)
        return encode(LockedCards(keys.to_bytes(), cards.to_bytes(), proof))

    honest = bare_steps.lock(old, new, before)
    settle(deck.apply(duty, message(honest, factors)).checks, os.urandom)
    refused(deck, message(put(honest, place, slot), factors), "secret each|equality")
