"""Every step of every table of stages happens, in scripts that are as short as they can be; that no other step happens
is asserted in all tests (`conformance/transitions.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
import pytest

from conformance.harness import NAMES
from conformance.transitions import TABLES, seen, steps
from nodealer.cards import operations
from nodealer.cards.operations import (
    Close,
    Deal,
    Gift,
    Look,
    NoneOf,
    Open,
    Operation,
    Peek,
    Place,
    Portion,
    Return,
    Show,
)
from nodealer.group import group
from nodealer.protocols import make_protocol
from nodealer.protocols.base import Binding, Deck, Duty
from nodealer.protocols.chain.deck import ChainDeck
from nodealer.protocols.chain.lists import name_of
from nodealer.protocols.chain.messages import ChainShuffle, Pass, ShownCards
from nodealer.protocols.codec import read_message
from nodealer.protocols.lock.messages import RaisedCards
from nodealer.protocols.mask.messages import MaskShares
from nodealer.protocols.stages import Closed, StagedDeck, Untouched
from nodealer.tape import Tape
from nodealer.wire import encode

TAPES = {seat: Tape(bytes([seat + 1]) * 32) for seat in range(4)}

#: From the deck, a duty and the honest message to the one that is sent.
Forge = Callable[[StagedDeck, Duty, bytes], bytes]


def honest(deck: StagedDeck, duty: Duty, message: bytes) -> bytes:
    return message


@dataclass
class Script:
    """One deck, driven by hand: nobody settles a proof, so a cheat goes on."""

    protocol: str
    parameters: bytes = b"{}"
    seats: int = 3
    size: int = 6
    owner: int | None = None
    roles: tuple[tuple[str, int], ...] = ()
    on: str = "ristretto255"
    forge: Forge = honest
    deck: StagedDeck = field(init=False)

    def __post_init__(self) -> None:
        made = make_protocol(self.protocol, self.parameters, on=group(self.on))
        seats = tuple(range(self.seats))
        identities = tuple((seat, NAMES[seat].encode()) for seat in seats)
        binding = Binding(self.protocol, 0, bytes(32), bytes(32), 0, seats, self.roles, made.group, identities)
        self.take(made.new_deck(binding, 0, self.size, self.owner))

    def take(self, deck: Deck | None) -> None:
        assert isinstance(deck, StagedDeck)
        self.deck = deck

    def until(self, stage: str) -> Script:
        """Answer until the deck is in a stage."""
        while type(self.deck.stage).__name__ != stage:
            self.answer()
        return self

    def answer(self) -> None:
        duty = next(duty for duty in self.deck.duties if not duty.optional)
        choice = None
        if duty.choice:
            positions = getattr(self.deck.stage, "positions")  # noqa: B009
            choice = encode(positions[:1] if getattr(self.deck.asked, "then", None) is Look.TAKE else positions)
        message = self.deck.message(duty, TAPES[duty.seat], choice)
        self.take(self.deck.apply(duty, self.forge(self.deck, duty, message)).deck)

    def run(self) -> Script:
        """Answer while something is owed."""
        while any(not duty.optional for duty in self.deck.duties):
            self.answer()
        return self

    def ask(self, *operations: Operation) -> Script:
        for operation in operations:
            self.begin(operation).run()
        return self

    def begin(self, operation: Operation) -> Script:
        self.take(self.deck.request(operation).deck)
        return self

    def leave(self, *seats: int) -> Script:
        change = self.deck.without(seats)
        self.take(None if change is None else change.deck)
        return self


DEAL = Deal(0, (Portion(0, 1), Portion(1, 1)))
DISCARD = Return(0, (0,), Place.DISCARD)


def mask_scripts() -> None:
    made = Script("mask").run().ask(DEAL, Open(0, 1), Show(0, 0, (0,)), DISCARD)
    made.ask(Return(0, (1,), Place.TOP), Return(0, (2,), Place.SHUFFLED), Close(0))
    for stage in ("MaskShuffling", "Rekeying"):
        Script("mask").until(stage).leave(2).run()
    for stage in ("Joining", "MaskDeclaring", "MaskShuffling", "Tagging", "Sharing", "Rekeying"):
        Script("mask", seats=4).run().ask(DEAL).leave(2).until(stage).leave(3).run()
        Script("mask", seats=4).run().ask(DEAL).leave(2).until(stage).begin(Close(0))
    Script("mask").run().begin(Open(0, 1)).leave(2).run()
    Script("mask").run().leave(2).run()
    mask_scripts_of_returns()
    mask_scripts_of_gifts()
    mask_scripts_of_looks()
    scripts_of_proofs("mask")
    mask_scripts_without_a_pile()
    mask_scripts_of_a_lost_card()


def scripts_of_proofs(name: str) -> None:
    """Two seats prove that they do not have an open card, and a third one leaves meanwhile."""
    for leaves in (False, True):
        script = Script(name).run().ask(DEAL, Open(0, 1))
        (face,) = script.deck.places.opened.values()
        script.begin(operations.Prove(0, (NoneOf(0, (0,), (face,)), NoneOf(1, (1,), (face,)))))
        script.leave(2).run() if leaves else script.run()


def mask_scripts_of_gifts() -> None:
    """Two cards change hands; a seat leaves meanwhile, with a pile and without one."""
    gifts = operations.Pass(0, (Gift(0, 1, (0,)), Gift(1, 0, (1,))))
    Script("mask").run().ask(DEAL, gifts)
    for stage in ("Receiving", "HandingOver"):
        Script("mask").run().ask(DEAL).begin(gifts).until(stage).leave(2).run()
        Script("mask", size=2).run().ask(DEAL).begin(gifts).until(stage).leave(2).run()


def mask_scripts_of_looks() -> None:
    """A seat looks at cards, orders them, keeps one, shuffles its hand; and somebody leaves meanwhile."""
    Script("mask").run().ask(
        Peek(0, 0, 2), Peek(0, 0, 2, Look.REORDER), Peek(0, 0, 2, Look.TAKE), Peek(0, 0, 1, Look.KEEP)
    )
    for stage in ("RequestingPeek", "AnsweringPeek", "Arranging"):
        Script("mask").run().begin(Peek(0, 0, 2, Look.REORDER)).until(stage).leave(2).run()
    hand = Deal(0, (Portion(0, 2),))
    for leaves in (False, True):
        mixing = Script("mask").run().ask(hand).begin(operations.Mix(0, 0, (0, 1)))
        mixing.leave(2).run() if leaves else mixing.run()


def mask_scripts_of_returns() -> None:
    """Seats leave while a card goes back, and while the only face that is not public is masked."""
    for stage, place in (("Gathering", Place.TOP), ("Masking", Place.TOP), ("MaskShuffling", Place.SHUFFLED)):
        Script("mask").run().ask(DEAL).begin(Return(0, (0,), place)).until(stage).leave(2).run()
    for leaves in (False, True):
        last = Script("mask", seats=4, size=2).run().ask(Open(0, 1)).leave(2).until("Masking")
        last.leave(3).run() if leaves else last.begin(Close(0))


def mask_scripts_without_a_pile() -> None:
    """All cards are dealt, and whoever leaves has none: there is nothing to rebuild."""
    everything = Deal(0, (Portion(0, 3), Portion(1, 3)))
    Script("mask").run().ask(everything).leave(2)
    Script("mask").run().ask(everything).begin(Show(0, 0, (0,))).leave(2).run()
    for stage, place in (("Gathering", Place.TOP), ("Masking", Place.TOP), ("MaskShuffling", Place.SHUFFLED)):
        Script("mask").run().ask(everything).begin(Return(0, (0, 1), place)).until(stage).leave(2).run()


def mask_scripts_of_a_lost_card() -> None:
    def false_share(deck: StagedDeck, duty: Duty, message: bytes) -> bytes:
        if duty.kind != "share":
            return message
        group, said = deck.binding.group, read_message(MaskShares, message)
        shares = group.points(said.shares) + group.integers(range(1, 8)) * group.G
        return encode(MaskShares(shares.to_bytes(), said.proof))

    for leaves in (False, True):
        lost = (
            Script("mask", seats=4, forge=false_share)
            .run()
            .ask(Deal(0, (Portion(0, 1),)))
            .leave(2)
            .until("MaskMismatch")
        )
        lost.leave(3).until("Joining") if leaves else lost.begin(Close(0))


def offset_scripts() -> None:
    Script("offset").run().ask(DEAL, Open(0, 1), Show(0, 0, (0,)), DISCARD, Close(0))


def lock_scripts() -> None:
    Script("lock").run().ask(DEAL, Open(0, 1), Show(0, 0, (0,)), DISCARD, Close(0))
    for stage in ("CommittingFragments", "OpeningFragments", "Cascading", "Locking"):
        Script("lock").until(stage).leave(2).run()
    for stage in ("Cascading", "LockDeclaring", "Raising", "Locking"):
        Script("lock", seats=4).run().ask(DEAL).leave(2).until(stage).leave(3).run()
        Script("lock", seats=4).run().ask(DEAL).leave(2).until(stage).begin(Close(0))
    Script("lock").run().ask(DEAL).begin(Show(0, 0, (0,))).leave(2).run()
    Script("lock").run().begin(Open(0, 1)).leave(2).run()
    Script("lock").run().begin(Open(0, 1)).until("Releasing").leave(2).run()
    scripts_of_proofs("lock")
    lock_scripts_with_a_server()
    lock_scripts_without_a_pile()
    lock_script_of_a_lost_card()


def lock_scripts_with_a_server() -> None:
    for leaver in (2, 3):
        served = Script("lock", b'{"community":"server"}', seats=4, roles=(("server", 3),)).run()
        served.begin(Open(0, 1)).leave(leaver).run()
    served.ask(Open(0, 1))


def lock_scripts_without_a_pile() -> None:
    """All cards are dealt, and whoever leaves has none: there is nothing to recover."""
    everything = Deal(0, (Portion(0, 3), Portion(1, 3)))
    Script("lock").run().ask(everything).leave(2)
    Script("lock").run().ask(everything).begin(Show(0, 0, (0,))).leave(2).run()


def lock_script_of_a_lost_card() -> None:
    def false_raise(deck: StagedDeck, duty: Duty, message: bytes) -> bytes:
        if duty.kind != "raise":
            return message
        G = deck.binding.group.G
        said = read_message(RaisedCards, message)
        return encode(RaisedCards((deck.binding.group.points(said.cards) + G).to_bytes(), said.proof))

    lost = Script("lock", forge=false_raise).run().ask(Deal(0, (Portion(0, 1),))).leave(2)
    lost.until("LockMismatch")


def chain_scripts() -> None:
    Script("chain").run().ask(DEAL, Open(0, 1), Show(0, 1, (1,)), Show(0, 0, (0,)), DISCARD, Close(0))
    Script("chain", b'{"deck":"dealer","kappa":1}', size=2, on="modp2048").run()
    doubled = Script("chain", forge=doubled_name).run()
    first, second = doubled_places(doubled.deck)
    doubled.ask(Open(0, positions=(first,)), Open(0, positions=(second,)))
    doubled = Script("chain", forge=doubled_name).run()
    doubled.ask(Deal(0, (Portion(0, positions=(first,)),)), Open(0, positions=(second,)), Show(0, 0, (first,)))


def doubled_name(deck: StagedDeck, duty: Duty, message: bytes) -> bytes:
    """The dealer has given two places the name of one card, and later says so of both."""
    assert isinstance(deck, ChainDeck) and deck.base is not None
    if duty.seat != deck.dealer or duty.kind not in ("shuffle", "pass", "reveal"):
        return message
    own = deck.layer_secrets(TAPES[0], 0)
    name = deck.base.names[own.prior[0]]
    if duty.kind == "shuffle":
        said = read_message(ChainShuffle, message)
        names = said.names[:32] + name_of(own.nonces[1], name) + said.names[64:]
        return encode(ChainShuffle(said.key, said.knowledge, names, said.numbers, said.proof))
    told = read_message(Pass, message) if duty.kind == "pass" else read_message(ShownCards, message)
    return encode(msgspec.structs.replace(told, names=name if told.names else b""))


def doubled_places(deck: StagedDeck) -> list[int]:
    """Where the two lie in the end."""
    assert isinstance(deck, ChainDeck)
    one, two = (deck.layer_secrets(TAPES[index], index).prior for index in (1, 2))
    return [two.index(one.index(place)) for place in (0, 1)]


def duel_scripts() -> None:
    draw = Deal(0, (Portion(0, 2),))
    proven = Script("duel", seats=2, owner=0, size=8).run()
    proven.ask(draw, Open(0, 1), Show(0, 0, (0,)), DISCARD, Return(0, (1,), Place.TOP))
    proven.ask(Peek(0, 0, 2), Peek(0, 0, 2, Look.TAKE), Peek(0, 0, 2, Look.REORDER), Close(0))
    Script("duel", seats=2, owner=0).run().ask(Peek(0, 0, 2, Look.TAKE))
    Script("duel", seats=2, owner=0, size=2).run().ask(Deal(0, (Portion(0, 1),)), Peek(0, 0, 1, Look.TAKE))
    Script("duel", b'{"mode":"committed"}', 2, owner=0).run().ask(draw, Open(0, 1), Show(0, 0, (0,)), Close(0))


SCRIPTS = {
    "mask": mask_scripts,
    "lock": lock_scripts,
    "offset": offset_scripts,
    "chain": chain_scripts,
    "duel": duel_scripts,
}


@pytest.mark.parametrize("name", TABLES)
def test_every_step_happens(name: str) -> None:
    seen[name].clear()
    SCRIPTS[name]()
    missing = steps(TABLES[name]) - seen[name]
    assert not missing, {f"{before.__name__} to {after.__name__}" for before, after in missing}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_whole(name: str) -> None:
    """Every stage that may follow another has a line of its own."""
    assert {after for _, after in steps(TABLES[name])} | {Untouched} == TABLES[name].keys()


def test_another_step_is_an_error() -> None:
    script = Script("offset")
    with pytest.raises(AssertionError, match="offset: RequestingParts is followed by Closed"):
        script.deck.in_stage(Closed())


@pytest.mark.parametrize("name", TABLES)
def test_requests_are_the_operations_that_are_claimed(name: str) -> None:
    claimed = {one.value.partition(":")[0] for one in make_protocol(name).claims.operations}
    requests = Script(name, owner=0 if name == "duel" else None, seats=2).deck.requests
    assert {kind.__name__.lower() for kind in requests} | {"newdeck"} == claimed
