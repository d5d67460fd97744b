"""Community cards: which cards of the pile are opened for the table.

Without a server, the first remaining picker names them each time. With a server, a seat without cards names the
positions for the whole hand in one entry. It learns nothing and cannot cheat, because a card opens only when every seat
has published its secret for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from nodealer.cards.operations import Open
from nodealer.errors import BadParameter, Malformed
from nodealer.protocols.base import Binding, DeckChange, Duty
from nodealer.protocols.codec import read_message
from nodealer.protocols.keyed_deck import Releasing, release
from nodealer.protocols.lock.deck import LockDeck
from nodealer.protocols.lock.messages import Pick
from nodealer.tape import Tape, digest
from nodealer.wire import encode


def picker_order(binding: Binding) -> tuple[int, ...]:
    """Return the order of pickers, seeded by all players' public keys, sorted and concatenated."""
    keys = {seat: key for seat, key in binding.identities if seat in binding.players}
    seed = digest("lock pickers", b"".join(sorted(keys.values())))
    return tuple(sorted(keys, key=lambda seat: digest("lock picker", seed, keys[seat])))


# defence: another-place
def _refuse(deck: LockDeck, pick: Pick, count: int) -> None:
    """Raise `Malformed` unless a pick names `count` different cards of the pile."""
    if len(pick.positions) != count or len(set(pick.positions)) != count:
        raise Malformed(f"the pick does not name {count} different cards")
    for position in pick.positions:
        if position not in deck.places.in_pile:
            raise Malformed(f"card {position} of deck {deck.number} is not in the pile")


def _draw(deck: LockDeck, tape: Tape, seat: int, anchor: bytes, count: int) -> Pick:
    """Pick positions at random, when no person chooses."""
    inputs = deck.inputs(seat, deck.epoch, anchor)
    order = tape.permutation("lock pick", inputs, len(deck.places.pile))
    # The picked positions are public and reveal nothing about the cards.
    return Pick(tuple(deck.places.pile[place] for place in order.vartime_list()[:count]))


def open_cards(deck: LockDeck, operation: Open) -> DeckChange:
    """Begin to open cards for the table, picked by the first remaining picker or by the server for the whole hand."""
    if operation.positions:
        return release(deck, operation)
    deck.places.next_cards(operation.count)
    if deck.apart is not None:
        return _open_picked(deck, operation, tuple(p for p in deck.apart if p in deck.places.in_pile))
    picking = Picking if deck.server is None else ServerPicking
    return DeckChange(deck.in_stage(picking(operation, deck.trail)))


def _open_picked(deck: LockDeck, operation: Open, picked: tuple[int, ...]) -> DeckChange:
    """Open as many of the picked cards as were requested."""
    positions = picked[: operation.count]
    owing = deck.unpublished(dict.fromkeys(deck.binding.players, positions))
    return Releasing(operation, positions, owing, deck.trail).settle(deck)


@dataclass(frozen=True)
class Picking:
    """Stage: the first picker names the positions of one opening."""

    operation: Open
    anchor: bytes

    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        """Return the first picker's duty to pick. Its player may choose."""
        return (deck.duty(deck.pickers[0], "pick", self.anchor, may_choose=True),)

    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return the player's choice, or positions from the tape without one.

        Raise `BadParameter` if it is not valid.
        """
        if choice is None:
            return encode(_draw(deck, tape, duty.seat, self.anchor, self.operation.count))
        try:
            pick = read_message(Pick, choice)
            _refuse(deck, pick, self.operation.count)
        except Malformed as error:
            raise BadParameter(str(error)) from None
        return choice

    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        """Open the picked cards. Raise `Malformed` unless they are as many different cards of the pile as requested."""
        pick = read_message(Pick, message)
        _refuse(deck, pick, self.operation.count)
        return _open_picked(deck, self.operation, pick.positions)


@dataclass(frozen=True)
class ServerPicking:
    """Stage: the server orders all cards left in the pile, which decides what the table gets for the whole hand."""

    operation: Open
    anchor: bytes

    def duties(self, deck: LockDeck) -> tuple[Duty, ...]:
        """Return the server's duty to order the pile."""
        return () if deck.server is None else (deck.duty(deck.server, "pick", self.anchor),)

    def message(self, deck: LockDeck, duty: Duty, tape: Tape, choice: bytes | None) -> bytes:
        """Return an order of all cards left in the pile, from the server's tape."""
        return encode(_draw(deck, tape, duty.seat, self.anchor, len(deck.places.pile)))

    def apply(self, deck: LockDeck, duty: Duty, message: bytes) -> DeckChange:
        """Reserve the server's order for the hand and open the first cards.

        Raise `Malformed` unless it names each once.
        """
        pick = read_message(Pick, message)
        _refuse(deck, pick, len(deck.places.pile))
        return _open_picked(deck.with_fields(apart=pick.positions), self.operation, pick.positions)
