"""`bench npm`: cascading and locking a deck, side by side with the npm package `mental-poker`.

Both sides go from bytes to bytes in every turn, since a deck comes from the previous seat and goes to the next. Drawing
the permutation and keys and computing the public keys counts on both sides; computing the faces counts on neither. All
times are CPU times, so waiting for a busy machine does not count.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from time import process_time
from typing import Final

from nodealer.group import Group, group
from nodealer.proofs.checks import Check, settle
from nodealer.protocols.base import Binding, Deck
from nodealer.protocols.lock import Lock
from nodealer.protocols.lock.bare_steps import BareSeat, faces
from nodealer.tape import Tape
from nodealer_lab.bench.rounds import BenchEffort, Timed, interleaved, using_threads
from nodealer_lab.bench.rows import BenchRow, time_row, unjudged
from nodealer_lab.npm import NodeSeat, NpmMissing, install

CARDS: Final = 52
SEATS: Final = 6
PACKAGE: Final = "npm mental-poker, with its keys"
NOT_NATIVE: Final = "the package runs without its native addon, some 20 times slower"


def run(effort: BenchEffort) -> Iterator[BenchRow]:
    """Yield all rows, on one thread. Raise `BackendMissing` without the native core.

    If the npm package is unusable, the rows say so.
    """
    secp256k1, ristretto255 = group("secp256k1", "native"), group("ristretto255", "native")
    cards = effort.size(CARDS)
    rows = _rows(cards)
    try:
        node = NodeSeat(install())
    except NpmMissing as error:
        yield from (unjudged(row, str(error)) for row in rows)
        return
    with node, using_threads(1):
        if not node.ask("about")["native"]:
            yield from (unjudged(row, NOT_NATIVE) for row in rows)
            return
        theirs, proven = package_timer(node, cards), ProvenDeck.make(ristretto255, cards)
        yield _fill_row(rows[0], interleaved(effort, bare_timer(secp256k1, cards), theirs))
        yield _fill_row(rows[1], interleaved(effort, _cpu_timer(proven.prove_and_audit), theirs))
        # Seats differ in how much they verify before their turn, so this is the mean of all, and of the runs
        # interleaved with them.
        seats = [interleaved(effort, _cpu_timer(partial(proven.do_seat_work, seat)), theirs) for seat in range(SEATS)]
        seat, all_seats = (sum(times) / SEATS for times in zip(*seats, strict=True))
        yield _fill_row(rows[2], (seat, all_seats / SEATS))


def _rows(cards: int) -> tuple[BenchRow, BenchRow, BenchRow]:
    """Return the rows with their limits: the highest allowed ratio to the package's time."""
    n = {"seats": SEATS, "cards": cards}
    return (
        BenchRow("bare, secp256k1", n, yardstick=PACKAGE, required=1.0),
        BenchRow("all proofs made, and verified once, ristretto255", n, yardstick=PACKAGE, required=2.0),
        BenchRow(
            "a seat, with all verification, ristretto255",
            n,
            yardstick=f"a share of {PACKAGE}",
            required=3.0,
            note="goal 2",
        ),
    )


def _fill_row(row: BenchRow, times: tuple[float, float]) -> BenchRow:
    """Return a prepared row with the measured time and its ratio to the yardstick filled in."""
    return time_row(row.name, row.n, times, row.yardstick or "", row.required, note=row.note)


def _cpu_timer(work: Callable[[], object]) -> Timed:
    """Return a timer of the CPU seconds of this process that the work takes."""

    def run() -> float:
        """Do the work once and return its CPU seconds."""
        start = process_time()
        work()
        return process_time() - start

    return run


def package_timer(node: NodeSeat, cards: int) -> Timed:
    """Return a timer of the npm package, as measured by Node."""

    def run() -> float:
        """Have the npm package make one deck, and return the seconds that Node measured."""
        seconds: float = node.ask("time", seats=SEATS, cards=cards)["seconds"]
        return seconds

    return run


def bare_timer(on: Group, cards: int) -> Timed:
    """Return a timer of the same steps as in the package, without any proof."""
    drawn = [BareSeat.draw(on, cards, os.urandom) for _ in range(SEATS)]
    first = faces([seat.fragments for seat in drawn]).to_bytes()

    def cascade_and_lock() -> None:
        """Make one deck as the npm package does: all seats shuffle in turn, then all lock in turn, without proofs."""
        tape, deck = Tape(os.urandom(32)), first
        keys = (on.wide_scalars(os.urandom((cards + 1) * on.wide_size)) for _ in drawn)
        seats = [replace(seat, keys=new) for seat, new in zip(drawn, keys, strict=True)]
        for seat in seats:
            seat.public_keys.to_bytes()
        for number, seat in enumerate(seats):
            order = tape.permutation("bench", bytes([number]), cards)
            deck = seat.cascade(on.points(deck), order).to_bytes()
        for seat in seats:
            deck = seat.lock(on.points(deck)).to_bytes()

    return _cpu_timer(cascade_and_lock)


@dataclass(frozen=True)
class ProvenDeck:
    """The `lock` protocol, from known faces to locked cards."""

    start: Deck
    tapes: tuple[Tape, ...]
    #: The messages of the seats from then on. They are always the same, because they come from the seats' tapes.
    said: tuple[bytes, ...]

    @staticmethod
    def make(on: Group, cards: int) -> ProvenDeck:
        """Start a deck of `lock`, take it to its first shuffle, and make all messages from there on."""
        seats = tuple(range(SEATS))
        identities = tuple((seat, bytes([seat]) * 32) for seat in seats)
        table = Binding("lock", 0, os.urandom(32), os.urandom(32), 0, seats, (), on, identities)
        tapes = tuple(Tape(os.urandom(32)) for _ in seats)
        deck: Deck = Lock(on=on).new_deck(table, 0, cards, None)
        while deck.duties[0].kind != "cascade":
            deck = deck.apply(deck.duties[0], deck.message(deck.duties[0], tapes[deck.duties[0].seat])).deck
        proven = ProvenDeck(deck, tapes, ())
        return ProvenDeck(deck, tapes, proven.make_messages())

    def make_messages(self) -> tuple[bytes, ...]:
        """Return the messages of all turns, each computed from the one before it."""
        said: list[bytes] = []
        deck = self.start
        while deck.duties:
            duty = deck.duties[0]
            said.append(deck.message(duty, self.tapes[duty.seat]))
            deck = deck.apply(duty, said[-1]).deck
        return tuple(said)

    def prove_and_audit(self) -> None:
        """Make every turn with its proofs, then verify all of them at once as an auditor."""
        self._verify_messages(self.make_messages(), None)

    def do_seat_work(self, seat: int) -> None:
        """Do the whole work of one seat: its own turns and all verification.

        It verifies everything before each of its turns, and the rest at the end.
        """
        self._verify_messages(self.said, seat)

    def _verify_messages(self, said: tuple[bytes, ...], seat: int | None) -> None:
        """Apply all messages to the deck and check their proofs.

        If `seat` is given, also make that seat's own messages, and settle the checks before each, as the seat would.
        """
        deck, owed = self.start, list[Check]()
        for message in said:
            duty = deck.duties[0]
            if duty.seat == seat:
                settle(owed, os.urandom)
                owed.clear()
                deck.message(duty, self.tapes[duty.seat])
            step = deck.apply(duty, message)
            owed += step.checks
            deck = step.deck
        settle(owed, os.urandom)
