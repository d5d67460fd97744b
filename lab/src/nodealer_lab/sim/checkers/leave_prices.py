"""An independent check of the price for leaving, based on the card keys that are published when a seat leaves."""

from __future__ import annotations

from collections.abc import Iterator

from nodealer.cards.events import Half
from nodealer.cards.operations import Deal, Open
from nodealer.engine.phases import Phase
from nodealer.engine.replica import Applied
from nodealer.engine.state import TableState
from nodealer.protocols.keyed_deck import KeyedDeck
from nodealer.protocols.recoverable import RecoverableDeck
from nodealer_lab.sim.checkers.replay import FinishedGame
from nodealer_lab.sim.checkers.secrecy import keys_needed
from nodealer_lab.sim.highcard import HighHand


def check_leave_prices(played: FinishedGame) -> Iterator[str]:
    """Yield seats that left during a deal or deck rebuild without paying, and seats that paid without cause."""
    for log in played.logs:
        for applied in log.applied:
            for wrong in wrong_charges(applied):
                yield f"entry {applied.number} of {log.node.name}: {wrong}"


def wrong_charges(applied: Applied) -> Iterator[str]:
    """Yield a violation if the first seat that left with this entry was charged wrongly for what it left half done."""
    before, game = applied.before, applied.after.hand.game
    was = before.hand.game
    if before.phase is not Phase.PLAYING or not isinstance(was, HighHand) or not was.dear:
        return
    seat = _first_gone(applied)
    if not all(isinstance(deck, KeyedDeck) for deck in before.hand.decks.values()):
        # Without card keys, only the deck itself knows which seats have done their part.
        return
    if seat is None or not isinstance(game, HighHand) or game.number != was.number:
        return
    if any(record.void is not None for record in applied.after.chronicle.records[before.hand.number :]):
        # The hand was aborted, and then no one pays.
        return
    left, told = unfinished_by(before, seat), {half for who, half in game.halves if who == seat}
    if told != left:
        yield f"seat {seat} leaves {_half_names(left)} half done, and is charged for {_half_names(told)}"
    price = _price(was, seat, left)
    if game.charges.get(seat, 0) != price:
        yield f"seat {seat} pays {game.charges.get(seat, 0)} for leaving, and not {price}"


def _half_names(halves: set[Half]) -> list[str]:
    """Return the names of the operations that a seat left half done, sorted, for a message."""
    return sorted(half.value for half in halves)


def _first_gone(applied: Applied) -> int | None:
    """Return the first dealt-in seat that left with this entry. Later ones may leave behind another deck."""
    before, after = applied.before, applied.after
    gone = (after.gone - before.gone) & {*before.hand.binding.players}
    said = [one.of for one in after.chronicle.vote_results[len(before.chronicle.vote_results) :] if one.did == "gone"]
    if applied.entry.seat in gone and applied.entry.seat not in said:
        return applied.entry.seat
    named = [fault.seat for fault in after.faults[len(before.faults) :]]
    return next((seat for seat in (*named, *said) if seat in gone), None)


def unfinished_by(state: TableState, seat: int) -> set[Half]:
    """Return what a seat would leave half done if it left now."""
    halves = set[Half]()
    for deck in state.hand.decks.values():
        if isinstance(deck, RecoverableDeck) and deck.rebuilding:
            halves |= {Half.REBUILT for duty in deck.duties if duty.seat == seat}
        elif isinstance(deck, KeyedDeck) and isinstance(deck.asked, Deal | Open) and _is_awaited(deck, seat):
            halves.add(Half.DEALT if isinstance(deck.asked, Deal) else Half.OPENED)
    return halves


def _is_awaited(deck: KeyedDeck, seat: int) -> bool:
    """Return whether a card lacks the key of this seat and already has that of another."""
    asked = [position for position, seats in keys_needed(deck).items() if seat in seats]
    published = [{*deck.released.get(position, {})} for position in asked if position not in deck.places.opened]
    return any(keys and seat not in keys for keys in published)


def _price(game: HighHand, seat: int, halves: set[Half]) -> int:
    """Return the price in the small game: one chip or the largest rival stake, up to the seat's remaining chips."""
    stakes = [game.paid[other] for other in game.live if other != seat]
    prices = [max(stakes, default=0) if half is Half.OPENED else 1 for half in halves]
    return min(max(prices, default=0), game.chips[seat] - game.paid[seat])
